// Tables like the paper's 1 and 2 over all concepts, by category below, and the published ones apart.
import { arrange, make, put, strip, tableBody, touching } from '../shared/dom.js';
import { ask } from '../shared/http.js';
import { analysisView } from './analyses.js';
import { groupedColumns, groupedHead, publishedTables } from './result_tables.js';
import { ofCompareLink, openCompare } from './view.js';

const VIEW = 'tables';

const COMMON = [
  { id: 'yes', name: 'Shared concepts' },
  { id: 'no', name: 'Each row’s own concepts' },
];

/** @param {import('../shared/widget.js').Widget} widget */
export function mount({ element }) {
  const view = analysisView(
    element,
    VIEW,
    {
      people: '',
      method: 'extracted',
      guidance: 'all',
      runs: '',
      common: 'yes',
      metric: 'emd_lab',
      kind: 'base',
      style: 'photo',
      cell: '',
    },
    draw,
  );
  const { state, find, set, query, api } = view;

  /** @param {Api.ConceptTablesView} data */
  function draw(data) {
    const ready = data.tables.length > 0;
    view.choose('common', 'Averaged over', COMMON);
    find('.th-tables-ours').hidden = !ready;
    put(find('.th-tables-about'), data.about);
    arrange(find('.th-tables-both'), data.tables.map(table));
    find('.th-tables-csv').href = api + 'tables.csv?' + query();
    categories(data.categories);
    publishedTables(find('.th-numbers-published'), data.published, data.frame.empty, query);
    if (state.cell) concepts();
    else find('.th-tables-concepts').hidden = true;
  }
  const saved = new Map();
  function keep(key, create) {
    if (!saved.has(key)) saved.set(key, create());
    return saved.get(key);
  }

  /** @param {Api.NumbersTable} result */
  function table(result) {
    const node = keep('table ' + result.id, () => {
      const made = make('article', 'th-numbers-ours');
      const scroll = make('div', 'th-scroll');
      const inner = make('table', 'th-table th-numbers-table');
      scroll.append(inner);
      made.append(make('h3'), make('p', 'th-soft'), scroll);
      return made;
    });
    const [title, text, scroll] = node.children;
    put(title, result.title);
    put(text, result.words);
    fill(scroll.firstChild, result);
    return node;
  }
  // Made again when its numbers change; who stands in a cell stays there.
  /** @param {HTMLElement} box @param {Api.NumbersTable} result */
  function fill(box, result) {
    const made = JSON.stringify(result) + state.cell;
    if (box.dataset.made === made) return;
    box.dataset.made = made;
    const held = box.contains(document.activeElement) ? document.activeElement.dataset.cell : '';
    const columns = groupedColumns(result.groups);
    const rows = result.rows.map((item) => {
      const name = make('th', 'th-leaderboard-name');
      name.title = item.facts;
      name.append(make('b', '', item.name), make('small', '', item.facts));
      return [name, ...columns.map((column) => number(item, column, item.cells[column.id]))];
    });
    box.replaceChildren(groupedHead(result.groups, 'Run'), tableBody(rows));
    if (held) {
      const again = [...box.querySelectorAll('[data-cell]')].find(
        (node) => node.dataset.cell === held,
      );
      if (again) again.focus({ preventScroll: true });
    }
  }
  /**
   * @param {Api.NumbersRow} item
   * @param {Api.HeadColumn & { line: string }} column
   * @param {Api.NumberCell | undefined} cell
   */
  function number(item, column, cell) {
    const node = make('td', 'th-numbers-cell ' + column.line);
    if (!cell || !cell.text) {
      const none = make('span', 'th-numbers-none', '–');
      none.title = cell ? cell.title : 'No concept of this kind in this run';
      node.append(none);
      return node;
    }
    const button = make('button', cell.mark ? 'th-numbers-' + cell.mark : '');
    const index = item.id + ':' + column.id;
    button.type = 'button';
    button.dataset.cell = index;
    button.title =
      cell.title +
      (cell.mark === 'best'
        ? '\nbest of the column'
        : cell.mark === 'second'
          ? '\nsecond of the column'
          : '') +
      '\nLists the concepts, worst first';
    button.setAttribute('aria-pressed', String(state.cell === index));
    button.setAttribute(
      'aria-label',
      [
        item.name,
        column.title,
        cell.text,
        cell.mark,
        cell.interval && '95% interval ' + cell.interval,
      ]
        .filter(Boolean)
        .join(', '),
    );
    const text = make('span', '', cell.text);
    if (cell.mark === 'best') text.append(make('i', '', '★'));
    button.append(text);
    if (cell.interval) button.append(make('small', '', cell.interval));
    button.addEventListener('click', () => {
      state.cell = state.cell === index ? '' : index;
      draw(view.data());
      report();
      if (state.cell) find('.th-tables-concepts').scrollIntoView({ block: 'nearest' });
    });
    node.append(button);
    return node;
  }
  function report() {
    ofCompareLink(VIEW, Object.fromEntries(new URLSearchParams(query())));
  }

  // ── per category: one number at a time ───────────────────────────────────────────────────────
  /** @param {Api.CategoryTable | null} result */
  function categories(result) {
    const box = find('.th-tables-categories');
    box.hidden = !result;
    if (!result) return;
    put(box.querySelector('h3'), result.title);
    put(box.querySelector('p'), result.words);
    ['metric', 'kind', 'style'].forEach((key) =>
      strip(box.querySelector('.th-tables-' + key), result.choices[key], result[key], (id) =>
        set({ [key]: id }),
      ),
    );
    fill(box.querySelector('table'), result);
  }

  // ── the concepts behind a number ─────────────────────────────────────────────────────────────
  let listed = 0;
  async function concepts(more) {
    const box = find('.th-tables-concepts');
    const mine = ++listed;
    const list = box.querySelector('ol');
    box.hidden = false;
    const offset = more ? list.children.length : 0;
    try {
      const result = await ask(
        `${api}tables/concepts?${query({ cell: state.cell, offset: String(offset) })}`,
      );
      if (mine !== listed) return;
      put(box.querySelector('h3'), result.title);
      put(box.querySelector('.th-tables-said'), result.words);
      const lines = result.concepts.map((concept) => {
        const line = make('li');
        const button = make('button', 'th-rule', concept.words);
        button.type = 'button';
        button.title = 'Opens the concept: people and this run';
        button.addEventListener('click', () => openCompare('concept', concept.open));
        line.append(
          button,
          make('b', '', concept.text),
          touching([
            { role: 'people’s most common color', hex: concept.hexes[0], name: concept.names[0] },
            { role: 'the run’s most common color', hex: concept.hexes[1], name: concept.names[1] },
          ]),
          make('small', 'th-soft', concept.note),
        );
        return line;
      });
      if (more) list.append(...lines);
      else list.replaceChildren(...lines);
      box.querySelector('.th-tables-more').hidden = list.children.length >= result.total;
    } catch (error) {
      if (mine !== listed) return;
      put(box.querySelector('.th-tables-said'), 'The concepts cannot be listed. ' + error.message);
      list.replaceChildren();
      box.querySelector('.th-tables-more').hidden = true;
    }
  }
  find('.th-tables-more').addEventListener('click', () => concepts(true));
  find('.th-tables-close').addEventListener('click', () => {
    state.cell = '';
    draw(view.data());
    report();
  });
}
