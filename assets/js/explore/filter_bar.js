// The filters of the wall: a list with counts for each, the hues as a row of swatches, and chips of
// those in use. All of them change explore.slice and nothing else.
import { make, many, put, strip, swatches } from '../shared/dom.js';
import { setSlice } from './filters.js';
import { explore } from './view.js';

const FILTERS = [
  { field: 'rule', name: 'Rule', one: true },
  { field: 'runs', name: 'Runs', several: true },
  { field: 'cause', name: 'Why' },
  { field: 'object', name: 'Object' },
  { field: 'color', name: 'Color' },
  { field: 'task', name: 'Task', more: true },
  { field: 'system', name: 'Color system', more: true },
  { field: 'category', name: 'Category', more: true },
  { field: 'asked_l2', name: 'Asked looks like', more: true },
  { field: 'found_l2', name: 'Found looks like', more: true },
  { field: 'modifier', name: 'Modifier', more: true },
  { field: 'basic', name: 'Kind of name', more: true },
];
const FILTER_STATUSES = [
  { id: 'fail', name: '✕ Fail' },
  { id: 'unscored', name: '– Unscored' },
  { id: 'pass', name: '✓ Pass' },
  { id: '', name: 'All' },
];

// Fields that a number may open with several words at once, and these in short.
const FILTER_LISTS = ['task', 'system'];
const shortWord = (value) => (value === 'none' ? 'no color system' : value.toUpperCase());
function listWords(field, value) {
  return FILTER_LISTS.includes(field) && value.includes(',')
    ? value.split(',').map(shortWord).join(', ')
    : '';
}

// One filter: a button that opens a list which can be searched.
function filterPicker(filter) {
  const MOST = 200;
  const field = filter.field;
  const id = 'th-filter-' + field;
  const node = make('div', 'th-picker');
  const button = make('button', 'th-picker-button');
  const sheet = make('div', 'th-picker-sheet');
  const search = make('input');
  const list = make('ul');
  const note = make('p', 'th-soft');
  let values = [];
  let lines = [];
  let at = -1;
  node.dataset.field = field;
  button.type = 'button';
  button.setAttribute('aria-haspopup', 'listbox');
  button.setAttribute('aria-expanded', 'false');
  const label = make('span', 'th-picker-name', filter.name);
  const chosen = make('span', 'th-picker-chosen');
  button.append(label, chosen);
  sheet.hidden = true;
  search.type = 'search';
  search.placeholder = 'Find in ' + filter.name.toLowerCase();
  search.setAttribute('role', 'combobox');
  search.setAttribute('aria-label', filter.name);
  search.setAttribute('aria-expanded', 'true');
  search.setAttribute('aria-controls', id);
  search.autocomplete = 'off';
  list.id = id;
  list.setAttribute('role', 'listbox');
  list.setAttribute('aria-label', filter.name);
  if (filter.several) list.setAttribute('aria-multiselectable', 'true');
  sheet.append(search, list, note);
  node.append(button, sheet);

  const now = () =>
    filter.several
      ? explore.slice[field]
      : !explore.slice[field]
        ? []
        : FILTER_LISTS.includes(field)
          ? explore.slice[field].split(',')
          : [explore.slice[field]];
  function labelOf(value) {
    const found = values.find((one) => one.value === value);
    return found ? found.label : value;
  }
  function lay(open) {
    sheet.hidden = !open;
    button.setAttribute('aria-expanded', String(open));
    if (!open) return;
    search.value = '';
    draw();
    // A list at the right edge opens to the left.
    sheet.style.left = '';
    const over = sheet.getBoundingClientRect().right - document.documentElement.clientWidth + 8;
    if (over > 0) sheet.style.left = -over + 'px';
    search.focus({ preventScroll: true });
  }
  function close(back) {
    lay(false);
    if (back) button.focus({ preventScroll: true });
  }
  function choose(value) {
    if (filter.several) {
      const had = explore.slice[field];
      setSlice({
        [field]:
          value === ''
            ? []
            : had.includes(value)
              ? had.filter((one) => one !== value)
              : [...had, value],
      });
      draw();
      return;
    }
    close(true);
    setSlice({ [field]: explore.slice[field] === value && !filter.one ? '' : value });
  }
  function mark(next) {
    at = Math.max(-1, Math.min(next, lines.length - 1));
    lines.forEach((line, index) => line.classList.toggle('th-picker-at', index === at));
    if (at >= 0) {
      search.setAttribute('aria-activedescendant', lines[at].id);
      lines[at].scrollIntoView({ block: 'nearest' });
    } else search.removeAttribute('aria-activedescendant');
  }
  function draw() {
    const words = search.value.trim().toLowerCase().split(/\s+/);
    const kept = list.scrollTop;
    const marked = at;
    const met = values.filter((one) =>
      words.every((word) => one.label.toLowerCase().includes(word)),
    );
    const any =
      filter.one || search.value.trim()
        ? []
        : [{ value: '', label: filter.several ? 'All runs' : 'Any', count: null }];
    lines = [...any, ...met.slice(0, MOST)].map((one, index) => {
      const line = make('li');
      const on = one.value === '' ? !now().length : now().includes(one.value);
      line.id = id + '-' + index;
      line.dataset.value = one.value;
      line.setAttribute('role', 'option');
      line.setAttribute('aria-selected', String(on));
      line.append(make('i', 'th-picker-mark', on ? '✓' : ''));
      if (one.hex) line.append(swatches([one.hex]));
      line.append(
        make('span', 'th-picker-label', one.label),
        make(
          'small',
          '',
          one.count === null || one.count === undefined ? '' : one.count.toLocaleString('en-US'),
        ),
      );
      line.title = one.title || one.label;
      line.addEventListener('mousedown', (event) => event.preventDefault());
      line.addEventListener('click', () => choose(one.value));
      return line;
    });
    list.replaceChildren(...lines);
    put(
      note,
      met.length > MOST
        ? (met.length - MOST).toLocaleString('en-US') + ' more: type to find them'
        : met.length
          ? ''
          : values.length
            ? 'No ' + filter.name.toLowerCase() + ' of that name.'
            : 'Nothing to choose from here.',
    );
    note.hidden = !note.textContent;
    list.scrollTop = kept;
    if (!sheet.hidden) mark(marked);
  }
  function tell() {
    const values = now();
    put(
      chosen,
      values.length
        ? values.length > 1
          ? listWords(field, values.join(',')) || values.length + ' chosen'
          : labelOf(values[0])
        : filter.several
          ? 'all'
          : 'any',
    );
    node.classList.toggle('th-picker-on', Boolean(values.length) && !filter.one);
    button.title =
      filter.name + ': ' + (values.length ? values.map(labelOf).join(', ') : chosen.textContent);
  }
  button.addEventListener('click', () => lay(sheet.hidden));
  search.addEventListener('input', () => {
    at = -1;
    draw();
    mark(search.value ? 0 : -1);
  });
  node.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !sheet.hidden) {
      close(true);
      event.stopPropagation();
      return;
    }
    if (event.target === button && event.key === 'ArrowDown' && sheet.hidden) {
      lay(true);
      event.preventDefault();
      return;
    }
    if (event.target !== search) return;
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[event.key];
    if (step) {
      mark(Math.max(0, at + step));
      event.preventDefault();
    }
    if (event.key === 'Enter' && lines[at]) {
      choose(lines[at].dataset.value);
      event.preventDefault();
    }
  });
  node.addEventListener('focusout', (event) => {
    if (!node.contains(/** @type {Node | null} */ (event.relatedTarget))) lay(false);
  });
  return {
    node,
    filter,
    labelOf,
    now,
    tell,
    update(next) {
      values = next;
      tell();
      if (!sheet.hidden) draw();
    },
  };
}

// The bar, the row of hues and the chips. update() takes the answer of /api/explore/wall/facets.
export function filterBar(bar, hues, chips) {
  const pickers = FILTERS.map(filterPicker);
  const status = make('span', 'th-strip th-wall-status');
  const more = make('button', 'th-button th-wall-morefilters');
  const rest = make('div', 'th-wall-rest');
  const labels = new Map();
  let facets = null;
  let opened =
    pickers.some((one) => one.filter.more && one.now().length) || Boolean(explore.slice.sector);
  status.setAttribute('role', 'group');
  status.setAttribute('aria-label', 'Status');
  more.type = 'button';
  more.addEventListener('click', () => {
    opened = !opened;
    fold();
  });
  pickers.filter((one) => one.filter.more).forEach((one) => rest.append(one.node));
  bar.append(
    status,
    ...pickers.filter((one) => !one.filter.more).map((one) => one.node),
    more,
    rest,
  );
  function fold() {
    rest.hidden = hues.hidden = !opened;
    more.setAttribute('aria-expanded', String(opened));
    put(more, opened ? 'Fewer filters' : 'More filters');
  }
  const clear = make('button', 'th-chip-button th-chip-clear', 'Clear all');
  clear.type = 'button';
  clear.addEventListener('click', clearAll);
  function clearAll() {
    const others = Object.keys(explore.slice).filter((name) => name !== 'rule');
    setSlice({
      ...Object.fromEntries(others.map((name) => [name, name === 'runs' ? [] : ''])),
      status: 'fail',
    });
  }
  function drawStatus() {
    const counts = new Map(
      ((facets && facets.fields.status) || []).map((one) => [one.value, one.count]),
    );
    const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
    strip(
      status,
      FILTER_STATUSES.map(({ id, name }) => ({
        id,
        name: facets ? name + ' ' + (id ? counts.get(id) || 0 : all).toLocaleString('en-US') : name,
      })),
      explore.slice.status,
      (id) => setSlice({ status: id }),
    );
  }
  function drawHues() {
    const counts = new Map(
      ((facets && facets.fields.sector) || []).map((one) => [one.value, one.count]),
    );
    const choices = (facets && facets.sectors) || [];
    if (hues.childElementCount !== choices.length + 1) {
      hues.replaceChildren(
        make('span', 'th-soft', 'Asked hue'),
        ...choices.map((one) => {
          const button = make('button', 'th-hue');
          const patch = make('i');
          button.type = 'button';
          button.dataset.sector = one.value;
          patch.style.background = one.hex;
          button.append(
            patch,
            make('span', '', one.value === 'neutral' ? 'neutral' : one.value + '°'),
            make('small', ''),
          );
          button.addEventListener('click', () =>
            setSlice({ sector: explore.slice.sector === one.value ? '' : one.value }),
          );
          return button;
        }),
      );
    }
    choices.forEach((one, index) => {
      const button = hues.children[index + 1];
      const count = counts.get(one.value) || 0;
      button.setAttribute('aria-pressed', String(explore.slice.sector === one.value));
      button.classList.toggle('th-none', !count);
      put(button.lastChild, count.toLocaleString('en-US'));
      button.title =
        (one.value === 'neutral'
          ? 'Neutral: C*ab below 5'
          : 'Hue angle ' + one.label + ' of CIELAB') +
        ' · ' +
        many(count, 'picture');
    });
  }
  function drawChips() {
    const made = [];
    const chip = (field, name, value, words, change) => {
      const button = make('button', 'th-chip-button');
      const hex = hexOf(field, value);
      button.type = 'button';
      button.dataset.field = field;
      if (hex) button.append(swatches([hex]));
      const remove = make('i', 'th-chip-remove', '×');
      remove.setAttribute('aria-hidden', 'true');
      button.append(make('span', '', name + ': ' + words), remove);
      button.setAttribute('aria-label', 'Remove the filter ' + name + ': ' + words);
      button.addEventListener('click', () => setSlice(change));
      made.push(button);
    };
    pickers
      .filter((one) => !one.filter.one)
      .forEach((one) => {
        const { field, name } = one.filter;
        const words = FILTER_LISTS.includes(field) && listWords(field, explore.slice[field]);
        if (words) {
          chip(field, name, explore.slice[field], words, { [field]: '' });
          return;
        }
        one.now().forEach((value) => chipOf(one.filter, value));
      });
    function chipOf({ field, name, several }, value) {
      chip(field, several ? 'Run' : name, value, labels.get(field + ' ' + value) || value, {
        [field]: several ? explore.slice[field].filter((other) => other !== value) : '',
      });
    }
    if (explore.slice.sector) {
      const found = ((facets && facets.sectors) || []).find(
        (one) => one.value === explore.slice.sector,
      );
      chip(
        'sector',
        'Asked hue',
        explore.slice.sector,
        found ? found.label : explore.slice.sector,
        { sector: '' },
      );
    }
    if (explore.slice.chroma)
      chip('chroma', 'Asked chroma', explore.slice.chroma, 'C*ab from ' + explore.slice.chroma, {
        chroma: '',
      });
    if (explore.slice.against)
      chip('against', 'Rules disagree', explore.slice.against, 'not as ' + explore.slice.against, {
        against: '',
        ...(explore.slice.status ? {} : { status: 'fail' }),
      });
    chips.hidden = !made.length;
    chips.replaceChildren(...made, ...(made.length ? [clear] : []));
  }
  function hexOf(field, value) {
    const among =
      field === 'sector'
        ? (facets && facets.sectors) || []
        : (facets && facets.fields[field]) || [];
    return (among.find((one) => one.value === value) || {}).hex;
  }
  function draw() {
    drawStatus();
    drawHues();
    drawChips();
    pickers.forEach((one) => one.tell());
  }
  fold();
  draw();
  return {
    draw,
    clearAll,
    // All pictures under these filters, whatever their status; null before they are counted.
    all: () => (facets ? facets.all : null),
    inUse: () =>
      pickers.some((one) => !one.filter.one && one.now().length) || Boolean(explore.slice.sector),
    labelOf: (field, value) => labels.get(field + ' ' + value) || value,
    update(answer) {
      facets = answer;
      Object.entries(answer.fields).forEach(([field, values]) =>
        values.forEach((one) => labels.set(field + ' ' + one.value, one.label)),
      );
      pickers.forEach((one) => one.update(answer.fields[one.filter.field] || []));
      draw();
    },
  };
}
