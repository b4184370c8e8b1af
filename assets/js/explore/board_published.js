// Table 4 of the paper: a table of its own, in the order in which it is printed.
import { make, put } from '../shared/dom.js';
import { columnWidths } from './board_table.js';

/**
 * @param {Element} card
 * @param {any} found the table
 * @param {{ id: string, short: string }[]} columns
 */
export function publishedTable(card, found, columns) {
  put(card.querySelector('h3'), found.title);
  const how = card.querySelector('.th-published-how');
  if (!how.firstChild) {
    const link = make('a');
    link.target = '_blank';
    link.rel = 'noreferrer';
    how.append(link, make('span'), make('b'));
  }
  const source = /** @type {HTMLAnchorElement} */ (how.children[0]);
  put(source, found.source);
  source.href = found.url;
  put(how.children[1], ': ' + found.how + ' ');
  put(how.children[2], found.told);
  put(card.querySelector('.th-published-notes'), found.notes.join(' '));
  const made = JSON.stringify(found.rows);
  const node = card.querySelector('.th-published-table');
  if (node.dataset.made === made) return;
  node.dataset.made = made;
  const head = make('thead');
  const top = make('tr');
  const body = make('tbody');
  top.append(
    ...['Model', ...columns.map((one) => one.short)].map((name) => {
      const one = make('th', '', name);
      one.scope = 'col';
      return one;
    }),
    make('td'),
  );
  head.appendChild(top);
  found.rows.forEach((one) => {
    const line = make('tr', one.here.length ? 'th-published-here' : '');
    const name = make('th', 'th-board-name');
    name.scope = 'row';
    name.append(make('b', '', one.name), make('small', '', one.facts));
    if (one.here.length) {
      const here = make(
        'small',
        'th-published-runs',
        'your runs, above: ' + one.here.join(', ') + (one.here_note ? '. ' : ''),
      );
      if (one.here_note) here.appendChild(make('i', '', one.here_note));
      name.appendChild(here);
    }
    line.append(
      name,
      ...columns.map((column) => {
        const cell = one.cells[column.id];
        const node = make('td', 'th-published-cell', cell ? cell.text : '–');
        if (cell && cell.doubt) {
          node.appendChild(make('sup', '', '?'));
          node.title = cell.doubt;
        }
        return node;
      }),
    );
    line.appendChild(make('td'));
    body.appendChild(line);
  });
  node.replaceChildren(head, body);
  columnWidths(node, columns.length);
}
