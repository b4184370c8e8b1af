// The filters of the wall: a list with counts for each, the hues as a row of swatches, and chips of
// those in use. All of them change explore.slice and nothing else.
import { make, many, options, put, strip, swatches } from '../shared/dom.js';
import { filterPicker, listWords } from './filter_picker.js';
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
  { field: 'asked_l2', name: 'Target looks like', more: true },
  { field: 'found_l2', name: 'Measured looks like', more: true },
  { field: 'modifier', name: 'Modifier', more: true },
  { field: 'basic', name: 'Kind of name', more: true },
];
const FILTER_STATUSES = [
  { id: 'fail', name: '✕ Fail' },
  { id: 'unscored', name: '– Unscored' },
  { id: 'pass', name: '✓ Pass' },
  { id: '', name: 'All' },
];

// The bar, the row of hues and the chips. update() takes the answer of /api/explore/failures/facets.
export function filterBar(bar, hues, chips) {
  const pickers = FILTERS.map(filterPicker);
  const status = make('span', 'th-strip th-failures-status');
  const more = make('button', 'th-button th-failures-morefilters');
  const rest = make('div', 'th-failures-rest');
  const labels = new Map();
  // How images whose object was not found count: beside the rule where its code has them incorrect.
  const counted = make('label', 'th-failures-counted', 'Object not found');
  const countedChoice = make('select');
  const note = make('p', 'th-soft th-failures-note');
  counted.append(countedChoice);
  countedChoice.addEventListener('change', () => {
    const { value } = countedChoice;
    setSlice({ unscored: value === facets.unscored.default ? '' : value });
  });
  let facets = null;
  // Two runs show every outcome: what filters by outcome is off, and the runs are chosen there.
  let comparing = false;
  let opened =
    pickers.some((picker) => picker.filter.more && picker.now().length) ||
    Boolean(explore.slice.sector);
  status.setAttribute('role', 'group');
  status.setAttribute('aria-label', 'Status');
  more.type = 'button';
  more.addEventListener('click', () => {
    opened = !opened;
    fold();
  });
  pickers.filter((picker) => picker.filter.more).forEach((picker) => rest.append(picker.node));
  bar.append(
    status,
    ...pickers.filter((picker) => !picker.filter.more).map((picker) => picker.node),
    more,
    rest,
    note,
  );
  note.hidden = true;
  function drawCounted() {
    if (!facets) return;
    const { choices, default: usual, note: text } = facets.unscored;
    if (countedChoice.options.length !== choices.length)
      options(countedChoice, choices, explore.slice.unscored || usual);
    countedChoice.value = explore.slice.unscored || usual;
    const front = usual === 'not-found' || Boolean(explore.slice.unscored);
    const index = front ? bar : rest;
    if (counted.parentElement !== index) index.insertBefore(counted, front ? more : null);
    put(
      note,
      [
        comparing
          ? 'Two runs show every outcome: status, why and measured color do not filter.'
          : '',
      ]
        .concat(text)
        .filter(Boolean)
        .join(' '),
    );
    note.hidden = !note.textContent;
  }
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
      ((facets && facets.fields.status) || []).map((facet) => [facet.value, facet.count]),
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
    status.querySelectorAll('button').forEach((button) => {
      button.disabled = comparing;
    });
  }
  function drawHues() {
    const counts = new Map(
      ((facets && facets.fields.sector) || []).map((facet) => [facet.value, facet.count]),
    );
    const choices = (facets && facets.sectors) || [];
    if (hues.childElementCount !== choices.length + 1) {
      hues.replaceChildren(
        make('span', 'th-soft', 'Target hue'),
        ...choices.map((choice) => {
          const button = make('button', 'th-hue');
          const patch = make('i');
          button.type = 'button';
          button.dataset.sector = choice.value;
          patch.style.background = choice.hex;
          button.append(
            patch,
            make('span', '', choice.value === 'neutral' ? 'neutral' : choice.value + '°'),
            make('small', ''),
          );
          button.addEventListener('click', () =>
            setSlice({ sector: explore.slice.sector === choice.value ? '' : choice.value }),
          );
          return button;
        }),
      );
    }
    choices.forEach((choice, index) => {
      const button = hues.children[index + 1];
      const count = counts.get(choice.value) || 0;
      button.setAttribute('aria-pressed', String(explore.slice.sector === choice.value));
      button.classList.toggle('th-none', !count);
      put(button.lastChild, count.toLocaleString('en-US'));
      button.title =
        (choice.value === 'neutral'
          ? 'Neutral: C*ab below 5'
          : 'Hue angle ' + choice.label + ' of CIELAB') +
        ' · ' +
        many(count, 'image');
    });
  }
  function drawChips() {
    const made = [];
    const chip = (field, name, value, text, change) => {
      const button = make('button', 'th-chip-button');
      const hex = hexOf(field, value);
      button.type = 'button';
      button.dataset.field = field;
      if (hex) button.append(swatches([hex]));
      const remove = make('i', 'th-chip-remove', '×');
      remove.setAttribute('aria-hidden', 'true');
      button.append(make('span', '', name + ': ' + text), remove);
      button.setAttribute('aria-label', 'Remove the filter ' + name + ': ' + text);
      button.addEventListener('click', () => setSlice(change));
      made.push(button);
    };
    pickers
      .filter((picker) => !picker.filter.one)
      .forEach((picker) => {
        const { field, name } = picker.filter;
        const text = listWords(field, explore.slice[field]);
        if (text) {
          chip(field, name, explore.slice[field], text, { [field]: '' });
          return;
        }
        picker.now().forEach((value) => chipOf(picker.filter, value));
      });
    /** @type {(filter: import('./filter_picker.js').Filter, value: string) => void} */
    function chipOf({ field, name, several }, value) {
      chip(field, several ? 'Run' : name, value, labels.get(field + ' ' + value) || value, {
        [field]: several ? explore.slice[field].filter((other) => other !== value) : '',
      });
    }
    if (explore.slice.sector) {
      const facet = ((facets && facets.sectors) || []).find(
        (item) => item.value === explore.slice.sector,
      );
      chip(
        'sector',
        'Target hue',
        explore.slice.sector,
        facet ? facet.label : explore.slice.sector,
        { sector: '' },
      );
    }
    if (explore.slice.chroma)
      chip('chroma', 'Target chroma', explore.slice.chroma, 'C*ab from ' + explore.slice.chroma, {
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
    return (among.find((item) => item.value === value) || {}).hex;
  }
  function draw() {
    drawStatus();
    drawHues();
    drawChips();
    drawCounted();
    pickers.forEach((picker) => picker.tell());
  }
  fold();
  draw();
  return {
    draw,
    clearAll,
    /** @param {boolean} on whether two runs are in front */
    comparing(on) {
      comparing = on;
      pickers
        .filter((picker) => ['runs', 'cause', 'found_l2'].includes(picker.filter.field))
        .forEach((picker) => {
          picker.node.hidden = on;
        });
      draw();
    },
    // All images under these filters, whatever their status; null before they are counted.
    all: () => (facets ? facets.all : null),
    inUse: () =>
      pickers.some((picker) => !picker.filter.one && picker.now().length) ||
      Boolean(explore.slice.sector),
    labelOf: (field, value) => labels.get(field + ' ' + value) || value,
    update(answer) {
      facets = answer;
      Object.entries(answer.fields).forEach(([field, values]) =>
        values.forEach((value) => labels.set(field + ' ' + value.value, value.label)),
      );
      pickers.forEach((picker) => picker.update(answer.fields[picker.filter.field] || []));
      draw();
    },
  };
}
