// Table 4 of the paper: a table of its own, in the printed order.
import { make, put } from '../shared/dom.js';
import { runGapButton } from './leaderboard_gap.js';
import { columnWidths, columnsHere } from './leaderboard_table.js';

/**
 * @param {Element} card
 * @param {any} result the table
 * @param {{ id: string, short: string }[]} columns
 * @param {() => URLSearchParams} query how the leaderboard counts
 */
export function publishedTable(card, result, columns, query) {
  columns = columnsHere(columns);
  put(card.querySelector('h3'), result.title);
  const how = card.querySelector('.th-published-how');
  if (!how.firstChild) {
    const link = make('a');
    link.target = '_blank';
    link.rel = 'noreferrer';
    how.append(make('b'), link, make('span'));
  }
  const source = /** @type {HTMLAnchorElement} */ (how.children[1]);
  put(how.children[0], result.told + ' ');
  put(source, result.source);
  source.href = result.url;
  put(how.children[2], ': ' + result.how);
  put(card.querySelector('.th-published-notes'), result.notes.join(' '));
  // Another rule or way to count is another gap: what is open closes.
  const made = JSON.stringify([result.rows, query().toString()]);
  const node = card.querySelector('.th-published-table');
  if (node.dataset.made === made) return;
  node.dataset.made = made;
  const head = make('thead');
  const top = make('tr');
  const body = make('tbody');
  top.append(
    ...[
      { id: 'name', short: 'Model' },
      ...columns,
      { id: 'why', short: 'Why not the paper’s number?' },
    ].map(({ id, short }) => {
      const item = make('th', id === 'average' ? 'th-sorted' : '', short);
      item.scope = 'col';
      item.dataset.column = id;
      return item;
    }),
  );
  head.appendChild(top);
  result.rows.forEach((row) => {
    const line = make('tr', row.here.length ? 'th-published-here' : '');
    const name = make('th', 'th-leaderboard-name');
    name.scope = 'row';
    name.append(make('b', '', row.name), make('small', '', row.facts));
    if (row.here.length) {
      const current = make(
        'small',
        'th-published-runs',
        'your runs, above: ' + row.here.join(', ') + (row.here_note ? '. ' : ''),
      );
      if (row.here_note) current.appendChild(make('i', '', row.here_note));
      name.appendChild(current);
    }
    line.append(
      name,
      ...columns.map((column) => {
        const cell = row.cells[column.id];
        const node = make('td', 'th-published-cell', cell ? cell.text : '–');
        node.dataset.column = column.id;
        node.classList.toggle('th-sorted', column.id === 'average');
        if (cell && cell.doubt) {
          node.appendChild(make('sup', '', '?'));
          node.title = cell.doubt;
        }
        return node;
      }),
    );
    const why = make('td');
    why.appendChild(runGapButton(row, query));
    line.appendChild(why);
    body.appendChild(line);
  });
  node.replaceChildren(head, body);
  columnWidths(node, columns.length);
}
