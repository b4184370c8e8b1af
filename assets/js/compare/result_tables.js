// Tables of results: headings of three lines, and the tables of papers as they are published.
import { make, tableBody } from '../shared/dom.js';
import { gapButton } from '../shared/gap.js';
import { ask } from '../shared/http.js';

/** @param {Api.KindColumns[]} groups @param {string} first the heading of the rows */
export function groupedHead(groups, first) {
  const top = make('thead');
  const kinds = make('tr');
  const styles = make('tr');
  const names = make('tr');
  const cell = (text, across, title) => {
    const made = make('th', '', text);
    made.colSpan = across;
    made.scope = across > 1 ? 'colgroup' : 'col';
    if (title) made.title = title;
    return made;
  };
  const corner = make('th', 'th-numbers-corner', first);
  corner.rowSpan = 3;
  corner.scope = 'col';
  kinds.append(corner);
  groups.forEach((group) => {
    const across = group.styles.reduce((sum, style) => sum + style.columns.length, 0);
    const head = cell(group.name, across);
    head.classList.add('th-numbers-first');
    kinds.append(head);
    group.styles.forEach((style, index) => {
      const head = cell(style.name, style.columns.length);
      head.classList.add(index ? 'th-numbers-next' : 'th-numbers-first');
      styles.append(head);
      style.columns.forEach((column, position) => {
        const name = cell(column.name, 1, column.title);
        if (!position) name.classList.add(index ? 'th-numbers-next' : 'th-numbers-first');
        names.append(name);
      });
    });
  });
  top.append(kinds, styles, names);
  return top;
}
/**
 * The columns of such a heading in their order, with the class of the line before each.
 * @param {Api.KindColumns[]} groups
 */
export function groupedColumns(groups) {
  return groups.flatMap((group) =>
    group.styles.flatMap((style, index) =>
      style.columns.map((column, position) => ({
        ...column,
        line: position ? '' : index ? 'th-numbers-next' : 'th-numbers-first',
      })),
    ),
  );
}
/**
 * A table of the paper: as printed, in its own order; its only buttons ask why ours is not it.
 * @param {Api.PrintedTable} result
 * @param {(more: Record<string, string>) => string} query what the view is asked with, and more
 */
function publishedCard(result, query) {
  const node = make(
    'article',
    'th-numbers-printed' + (result.groups.length > 1 ? ' th-numbers-wide' : ''),
  );
  const head = make('header');
  const how = make('p', 'th-soft');
  const link = make('a', '', result.source);
  head.append(make('h4', '', result.title), make('span', 'th-leaderboard-tag', 'as published'));
  link.href = result.url;
  link.target = '_blank';
  link.rel = 'noreferrer';
  how.append(
    result.url ? link : make('span', '', result.source),
    make('span', '', ': ' + result.how),
  );
  const table = make('table', 'th-table th-numbers-table');
  const scroll = make('div', 'th-scroll');
  const columns = groupedColumns(result.groups);
  const rows = result.rows.map((item) => {
    const name = make('th', 'th-leaderboard-name');
    name.append(make('b', '', item.name));
    if (item.here.length) {
      const current = make('small', '', 'your runs above: ' + item.here.join(', '));
      current.title = item.note;
      name.append(current);
    }
    const of = { table: result.id, row: item.name };
    name.append(
      gapButton(
        `${item.name}, ${result.title}`,
        async () => (await ask(`/api/compare/analyses/gap?${query(of)}`)).gaps,
      ),
    );
    const cells = columns.map((column) => {
      const cell = item.cells[column.id] || { text: '–', doubt: '' };
      const made = make('td', column.line, cell.text);
      if (cell.doubt) {
        made.appendChild(make('sup', '', '?'));
        made.title = cell.doubt;
      }
      return made;
    });
    return [name, ...cells];
  });
  table.append(groupedHead(result.groups, result.first), tableBody(rows));
  scroll.append(table);
  node.append(
    head,
    how,
    scroll,
    ...(result.notes.length ? [make('p', 'th-soft', result.notes.join(' '))] : []),
  );
  return node;
}
/**
 * Where there is nothing of ours yet, they are folded: what to do first stands alone.
 * @param {Element} box
 * @param {Api.PrintedTables} published
 * @param {unknown} folded
 * @param {(more: Record<string, string>) => string} query
 */
export function publishedTables(box, published, folded, query) {
  const made = JSON.stringify([published, Boolean(folded)]);
  if (box.dataset.made === made) return;
  box.dataset.made = made;
  const tables = make('div', 'th-numbers-prints');
  tables.append(...published.tables.map((table) => publishedCard(table, query)));
  const parts = [
    make('p', 'th-soft', published.told),
    tables,
    ...(published.after ? [make('p', 'th-soft', published.after)] : []),
  ];
  if (!folded) {
    box.replaceChildren(make('h3', '', published.title), ...parts);
    return;
  }
  const fold = make('details');
  const head = make('summary');
  head.append(make('h3', '', published.title));
  fold.append(head, ...parts);
  box.replaceChildren(fold);
}
