// Tables of the page: each head says what it heads, for those who listen.
import { make } from './dom.js';

/** What a cell has in it. @typedef {string | number | Node} Content */

/**
 * Content as a cell of a table; what is one already stays as it is.
 * @param {'td' | 'th'} tag
 * @param {Content} content
 */
function cell(tag, content) {
  if (content instanceof HTMLTableCellElement) return content;
  const made = make(tag);
  made.append(content instanceof Node ? content : String(content));
  return made;
}

/**
 * A line of heads.
 * @param {Content[]} heads
 */
export function headLine(heads) {
  const line = make('tr');
  line.append(...heads.map((head) => cell('th', head)));
  [...line.cells].forEach((head) => {
    if (head.tagName === 'TH') head.scope = 'col';
  });
  return line;
}

/**
 * The body of a table: the first cell of a row is the row's head.
 * @param {Content[][]} rows
 */
export function tableBody(rows) {
  const body = make('tbody');
  body.append(
    ...rows.map(([head, ...others]) => {
      const line = make('tr');
      const first = cell('th', head);
      first.scope = 'row';
      line.append(first, ...others.map((content) => cell('td', content)));
      return line;
    }),
  );
  return body;
}

/**
 * @param {string} className
 * @param {Content[]} heads none: no line of heads
 * @param {Content[][]} rows
 */
export function table(className, heads, rows) {
  const made = make('table', className);
  if (heads.length) {
    const top = make('thead');
    top.append(headLine(heads));
    made.append(top);
  }
  made.append(tableBody(rows));
  return made;
}
