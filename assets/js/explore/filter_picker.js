// One filter of the failures: a button that opens a searchable list.
import { make, put, swatches } from '../shared/dom.js';
import { setSlice } from './filters.js';
import { explore } from './view.js';

// The most lines of a list; the others are found by typing.
const MAX_CHOICES = 200;

// Fields that a number may open with several words at once, and these in short.
const FILTER_LISTS = ['task', 'system'];
const shortWord = (value) => (value === 'none' ? 'no color system' : value.toUpperCase());

/** The words of several values; empty where there is one, or none. */
export function listWords(field, value) {
  return FILTER_LISTS.includes(field) && value.includes(',')
    ? value.split(',').map(shortWord).join(', ')
    : '';
}

/**
 * `one` has always a value, `several` may have many, `more` is folded away with others.
 * @typedef {{ field: string, name: string, one?: boolean, several?: boolean, more?: boolean }} Filter
 */

/** @param {Filter} filter */
export function filterPicker(filter) {
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
  let position = -1;
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
    const result = values.find((item) => item.value === value);
    return result ? result.label : value;
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
              ? had.filter((item) => item !== value)
              : [...had, value],
      });
      draw();
      return;
    }
    close(true);
    setSlice({ [field]: explore.slice[field] === value && !filter.one ? '' : value });
  }
  function mark(next) {
    position = Math.max(-1, Math.min(next, lines.length - 1));
    lines.forEach((line, index) => line.classList.toggle('th-picker-at', index === position));
    if (position >= 0) {
      search.setAttribute('aria-activedescendant', lines[position].id);
      lines[position].scrollIntoView({ block: 'nearest' });
    } else search.removeAttribute('aria-activedescendant');
  }
  function draw() {
    const text = search.value.trim().toLowerCase().split(/\s+/);
    const scrollTop = list.scrollTop;
    const marked = position;
    const met = values.filter((value) =>
      text.every((word) => value.label.toLowerCase().includes(word)),
    );
    const any =
      filter.one || search.value.trim()
        ? []
        : [{ value: '', label: filter.several ? 'All runs' : 'Any', count: null }];
    lines = [...any, ...met.slice(0, MAX_CHOICES)].map((item, index) => {
      const line = make('li');
      const on = item.value === '' ? !now().length : now().includes(item.value);
      line.id = id + '-' + index;
      line.dataset.value = item.value;
      line.setAttribute('role', 'option');
      line.setAttribute('aria-selected', String(on));
      line.append(make('i', 'th-picker-mark', on ? '✓' : ''));
      if (item.hex) line.append(swatches([item.hex]));
      line.append(
        make('span', 'th-picker-label', item.label),
        make(
          'small',
          '',
          item.count === null || item.count === undefined ? '' : item.count.toLocaleString('en-US'),
        ),
      );
      line.title = item.title || item.label;
      line.addEventListener('mousedown', (event) => event.preventDefault());
      line.addEventListener('click', () => choose(item.value));
      return line;
    });
    list.replaceChildren(...lines);
    put(
      note,
      met.length > MAX_CHOICES
        ? (met.length - MAX_CHOICES).toLocaleString('en-US') + ' more: type to find them'
        : met.length
          ? ''
          : values.length
            ? 'No ' + filter.name.toLowerCase() + ' of that name.'
            : 'Nothing to choose from.',
    );
    note.hidden = !note.textContent;
    list.scrollTop = scrollTop;
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
    position = -1;
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
      mark(Math.max(0, position + step));
      event.preventDefault();
    }
    if (event.key === 'Enter' && lines[position]) {
      choose(lines[position].dataset.value);
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
