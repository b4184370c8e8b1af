// Tables of numbers that can be taken along as CSV.
import { make, table } from '../shared/dom.js';
import { button, download } from './parts.js';

/**
 * One column. `cell` is what is shown; `values` are what the CSV has of it, under `heads`.
 * @typedef {object} Column
 * @property {string} name
 * @property {string} [title] what it is, where somebody asks
 * @property {string} [unit]
 * @property {boolean} [right] numbers that stand below each other
 * @property {boolean} [wide] left out where the page is narrow
 * @property {boolean} [beside] beside the first cell, where rows are stacked
 * @property {(row: any) => string | Node} cell
 * @property {string[]} [heads]
 * @property {(row: any) => (string | number | boolean | null | undefined)[]} [values]
 */

/** @param {unknown} value */
function field(value) {
  const text = value === null || value === undefined ? '' : String(value);
  // A sheet would run what begins like a formula.
  const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? "'" + text : text;
  return /[",\n\r]/.test(safe) ? '"' + safe.replaceAll('"', '""') + '"' : safe;
}

/**
 * The rows as CSV: whole numbers, not what was rounded for the page.
 * @param {Column[]} columns
 * @param {any[]} rows
 */
export function csvOf(columns, rows) {
  const saved = columns.filter((column) => column.values);
  const head = saved.flatMap((column) => column.heads || [column.name]);
  const lines = rows.map((row) => saved.flatMap((column) => column.values?.(row) || []));
  return [head, ...lines].map((line) => line.map(field).join(',')).join('\r\n') + '\r\n';
}

/** The values of a number with its interval, for a column's `values`. @param {any} number */
export const span = (number) => [number.value, number.low, number.high];
/** The heads of such a column. @param {string} name */
export const spanHeads = (name) => [name, name + '_low', name + '_high'];

/** @param {Column} column */
const classOf = ({ name, right, wide, beside }) =>
  [
    right && 'th-study-right',
    wide && 'th-study-wide',
    beside && 'th-study-beside',
    !name && 'th-study-act',
  ]
    .filter(Boolean)
    .join(' ');

/**
 * @param {Column[]} columns
 * @param {any[]} rows
 * @param {string} caption for those who listen
 * @param {boolean} [stacked] whether a narrow page shows each row as a list of its cells, so that
 *   nothing lies out of sight
 * @returns {HTMLElement} a table that scrolls by itself where it is too wide
 */
export function dataTable(columns, rows, caption, stacked = false) {
  const scroll = make('div', stacked ? 'th-scroll th-study-stack' : 'th-scroll');
  const heads = columns.map((column) => {
    const cell = make('th', classOf(column), column.name);
    if (column.unit) cell.append(make('small', '', ' ' + column.unit));
    if (column.title) cell.title = column.title;
    return cell;
  });
  const lines = rows.map((row) =>
    columns.map((column, index) => {
      const cell = make(index ? 'td' : 'th', classOf(column));
      cell.append(column.cell(row));
      if (stacked) {
        // A table that is laid out otherwise is none to a screen reader, unless it says so.
        cell.setAttribute('role', index ? 'cell' : 'rowheader');
        cell.dataset.name = column.unit ? column.name + ', ' + column.unit : column.name;
      }
      return cell;
    }),
  );
  const made = table('th-table th-study-table', heads, lines);
  made.prepend(make('caption', 'th-unseen', caption));
  if (stacked) {
    made.setAttribute('role', 'table');
    made.querySelectorAll('thead, tbody').forEach((part) => part.setAttribute('role', 'rowgroup'));
    made.querySelectorAll('tr').forEach((line) => line.setAttribute('role', 'row'));
    heads.forEach((cell) => cell.setAttribute('role', 'columnheader'));
  }
  scroll.append(made);
  return scroll;
}

/**
 * The button that hands such a table over.
 * @param {string} file the name without its ending
 * @param {Column[]} columns
 * @param {any[]} rows
 */
export function csvButton(file, columns, rows) {
  const node = button('CSV', () => download(file + '.csv', csvOf(columns, rows)), 'th-study-small');
  node.title = 'Download this table with all decimals';
  return node;
}
