// Tables of results: headings of three lines, and the tables of papers as they are published.
import { make } from '../shared/dom.js';

// `groups`: [{ name, styles: [{ name, columns: [{ id, name, title }] }] }]
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
  const corner = make('th', 'th-an-corner', first);
  corner.rowSpan = 3;
  corner.scope = 'col';
  kinds.append(corner);
  groups.forEach((group) => {
    const across = group.styles.reduce((sum, style) => sum + style.columns.length, 0);
    const head = cell(group.name, across);
    head.classList.add('th-an-first');
    kinds.append(head);
    group.styles.forEach((style, at) => {
      const head = cell(style.name, style.columns.length);
      head.classList.add(at ? 'th-an-next' : 'th-an-first');
      styles.append(head);
      style.columns.forEach((column, place) => {
        const name = cell(column.name, 1, column.title);
        if (!place) name.classList.add(at ? 'th-an-next' : 'th-an-first');
        names.append(name);
      });
    });
  });
  top.append(kinds, styles, names);
  return top;
}
// The columns of such a heading in their order, with the class of the line before each.
export function groupedColumns(groups) {
  return groups.flatMap((group) =>
    group.styles.flatMap((style, at) =>
      style.columns.map((column, place) => ({
        ...column,
        line: place ? '' : at ? 'th-an-next' : 'th-an-first',
      })),
    ),
  );
}
// A table of the paper: as printed, in its own order, and with no button in it.
function publishedCard(found) {
  const node = make('article', 'th-an-printed' + (found.groups.length > 1 ? ' th-an-wide' : ''));
  const head = make('header');
  const how = make('p', 'th-soft');
  const link = make('a', '', found.source);
  head.append(make('h4', '', found.title), make('span', 'th-board-tag', 'as published'));
  link.href = found.url;
  link.target = '_blank';
  link.rel = 'noreferrer';
  how.append(found.url ? link : make('span', '', found.source), make('span', '', ': ' + found.how));
  const table = make('table', 'th-table th-an-table');
  const body = make('tbody');
  const scroll = make('div', 'th-scroll');
  const columns = groupedColumns(found.groups);
  found.rows.forEach((one) => {
    const row = make('tr');
    const name = make('th', 'th-board-name');
    name.scope = 'row';
    name.append(make('b', '', one.name));
    if (one.here.length) {
      const here = make('small', '', 'your runs above: ' + one.here.join(', '));
      here.title = one.note;
      name.append(here);
    }
    row.append(
      name,
      ...columns.map((column) => {
        const cell = one.cells[column.id] || { text: '–' };
        const made = make('td', column.line, cell.text);
        if (cell.doubt) {
          made.appendChild(make('sup', '', '?'));
          made.title = cell.doubt;
        }
        return made;
      }),
    );
    body.append(row);
  });
  table.append(groupedHead(found.groups, found.first), body);
  scroll.append(table);
  node.append(
    head,
    how,
    scroll,
    ...(found.notes.length ? [make('p', 'th-soft', found.notes.join(' '))] : []),
  );
  return node;
}
// Where there is nothing of ours yet, they are folded: what to do first stands alone.
export function publishedTables(box, published, folded) {
  const made = JSON.stringify([published, Boolean(folded)]);
  if (box.dataset.made === made) return;
  box.dataset.made = made;
  const tables = make('div', 'th-an-prints');
  tables.append(...published.tables.map(publishedCard));
  const words = [
    make('p', 'th-soft', published.told),
    tables,
    ...(published.after ? [make('p', 'th-soft', published.after)] : []),
  ];
  if (!folded) {
    box.replaceChildren(make('h3', '', published.title), ...words);
    return;
  }
  const fold = make('details');
  const head = make('summary');
  head.append(make('h3', '', published.title));
  fold.append(head, ...words);
  box.replaceChildren(fold);
}
