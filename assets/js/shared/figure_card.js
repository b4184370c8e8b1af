// A card of one figure: its description, its numbers as a table, and its files.
import { make, many, put, swatches, table as drawTable } from './dom.js';
import { figure, saveTitled } from './figure.js';

const MIN_SAVED_PX = 640;
const TITLE_PX = 64;
const LINE_PX = 15;

/**
 * What the app answers of a figure. `pick` of a line is what its row chooses, null or below 0 for
 * none; `more` are the rows that only the CSV has.
 * @typedef {{ name: string, title: string, words: string, source: string, figure: any, empty: string,
 *   stands: string, columns: string[], more: number,
 *   lines: { cells: string[], hexes: string[], pick: number | null }[], chosen?: number[] }} Figure
 */

/**
 * @param {object} options
 * @param {() => string} options.csv the address of the numbers
 * @param {(pick: number, data: any) => void} options.choose called with what a part of it chooses
 * @param {(data: any) => string} options.file the name of its files without their ending
 * @param {(chart: any, width: number) => any} [options.fit] the chart where there is so much room
 */
export function figureCard({ csv, choose, file, fit = (chart) => chart }) {
  const node = make('section', 'th-card th-analysis');
  const head = make('header');
  const title = make('h3');
  const message = make('p', 'th-soft th-analysis-words');
  const plot = make('div', 'th-figure');
  const empty = make('p', 'th-analysis-empty');
  const table = make('div', 'th-scroll th-analysis-table');
  const stands = make('p', 'th-soft th-analysis-stands');
  const foot = make('div', 'th-analysis-foot');
  const asTable = make('button', 'th-button', 'As a table');
  const link = make('a', 'th-button', 'CSV');
  /** @type {any} */
  let data = null;
  let listed = false;
  let heard = false;
  asTable.type = 'button';
  asTable.setAttribute('aria-pressed', 'false');
  link.title = 'The numbers of the figure';
  plot.setAttribute('role', 'img');
  head.append(title);
  foot.append(asTable, saver('svg', ''), saver('png', ', two pixels for one'), link);
  node.append(head, message, plot, empty, table, stands, foot);

  asTable.addEventListener('click', () => {
    listed = !listed;
    asTable.setAttribute('aria-pressed', String(listed));
    rows();
  });

  function saver(format, more) {
    const name = format.toUpperCase();
    const button = make('button', 'th-button', name);
    button.type = 'button';
    button.title = 'The figure as ' + name + ', on white' + more;
    button.addEventListener('click', async () => {
      if (!data || button.getAttribute('aria-disabled') === 'true') return;
      button.setAttribute('aria-disabled', 'true');
      try {
        await save(format);
      } catch (error) {
        put(stands, 'The ' + name + ' could not be created: ' + error.message);
      }
      button.removeAttribute('aria-disabled');
    });
    return button;
  }

  async function save(format) {
    const width = Math.max(plot.clientWidth, MIN_SAVED_PX);
    const wrapped = new RegExp('.{1,' + Math.floor(width / 6) + '}(\\s|$)', 'g');
    const lines = (data.stands.match(wrapped) || []).map((line) => line.trim());
    const above = { text: data.title, lines, height: TITLE_PX + LINE_PX * lines.length };
    await saveTitled(data.figure, above, width, file(data), format);
  }

  // The same for the keyboard and for those who do not see it: each row chooses what it tells of.
  function rows() {
    const shown = listed && data && !data.empty && data.lines.length;
    table.hidden = !shown;
    if (!shown) {
      table.replaceChildren();
      return;
    }
    const active = /** @type {HTMLElement} */ (document.activeElement);
    const held = table.contains(active) ? active.dataset.pick : undefined;
    table.replaceChildren(drawTable('th-table', data.columns, data.lines.map(cellsOf)));
    if (data.more) table.append(make('p', 'th-soft', many(data.more, 'row') + ' more in the CSV.'));
    if (held !== undefined)
      table.querySelector('[data-pick="' + held + '"]')?.focus({ preventScroll: true });
  }

  function cellsOf({ cells, hexes, pick }) {
    const first = make('th');
    if (pick === null || pick < 0) first.append(cells[0]);
    else {
      const button = make('button', 'th-rule', cells[0]);
      button.type = 'button';
      button.dataset.pick = String(pick);
      if (data.chosen) {
        button.setAttribute('aria-label', cells.slice(0, 3).join(', '));
        button.setAttribute('aria-pressed', String(data.chosen.includes(pick)));
      }
      button.addEventListener('click', () => choose(pick, data));
      first.append(button);
    }
    if (hexes.length) first.prepend(swatches(hexes));
    return [first, ...cells.slice(1)];
  }

  /** Says why there is no figure; '' where there is one. @param {string} reason */
  function tell(reason) {
    put(empty, reason);
    empty.hidden = !reason;
    plot.hidden = stands.hidden = foot.hidden = Boolean(reason);
    if (reason) table.hidden = true;
  }

  /** @param {Figure} answer */
  async function show(answer) {
    data = answer;
    node.dataset.figure = data.name;
    put(title, data.title);
    put(message, data.words);
    title.title = message.title = data.source || '';
    put(stands, data.stands);
    tell(data.empty);
    link.href = csv();
    rows();
    if (data.empty) return;
    plot.setAttribute('aria-label', data.title + ' The numbers are in the table.');
    await figure(plot, fit(data.figure, plot.clientWidth));
    if (heard || !plot.on) return;
    heard = true;
    plot.on('plotly_click', (event) => {
      const { customdata } = event.points[0];
      if (typeof customdata === 'number') choose(customdata, data);
    });
  }
  return { node, head, stands, foot, show, tell };
}
