// The table of the leaderboard: runs in groups, sortable by any column, with open items.
import { arrange, make, put } from '../shared/dom.js';
import { causesRow, unscoredCell } from './leaderboard_unscored.js';

/** @param {Api.LeaderboardRow} item @returns {any} */
function value(item, by) {
  if (by === 'name') return item.label;
  if (by === 'unscored') return item.unscored ? item.unscored.count : null;
  const cell = item.cells[by];
  return cell ? cell.percent : null;
}

/** @param {Api.LeaderboardRow} item */
function partNames(item) {
  const result = new Map();
  Object.values(item.cells).forEach((cell) =>
    cell.parts.forEach((part) => result.set(part.id, part)),
  );
  return [...result.values()];
}

/**
 * Groups of rows in the order of an earlier table, without what is new since: nothing moves under
 * the pointer.
 * @template {{ id: string }} Row
 * @param {{ id: string, rows: Row[] }[]} groups as they are now
 * @param {{ id: string, rows: string[] }[]} order as they stood
 */
export function inOrder(groups, order) {
  const now = new Map(groups.map((group) => [group.id, group]));
  const saved = order.flatMap(({ id, rows }) => {
    const group = now.get(id);
    if (!group) return [];
    const byId = new Map(group.rows.map((row) => [row.id, row]));
    return [{ ...group, rows: rows.flatMap((row) => byId.get(row) ?? []) }];
  });
  const count = (list) => list.reduce((sum, group) => sum + group.rows.length, 0);
  const same = JSON.stringify(orderOf(groups)) === JSON.stringify(orderOf(saved));
  return { groups: saved, added: count(groups) - count(saved), same };
}
/** @param {{ id: string, rows: { id: string }[] }[]} groups */
export function orderOf(groups) {
  return groups.map(({ id, rows }) => ({ id, rows: rows.map((row) => row.id) }));
}

/**
 * The order that is shown: where no row has a number in the column that is sorted by, such as an
 * average before all tasks are done, the first column with one stands in for it.
 * @param {string} order a column's id; with a minus before it, the highest first
 * @param {{ id: string }[]} columns
 * @param {Api.LeaderboardRow[]} rows
 */
export function effectiveOrder(order, columns, rows) {
  const has = (id) => rows.some((row) => value(row, id) !== null);
  if (has(order.replace('-', ''))) return order;
  const first = columns.find(({ id }) => has(id));
  return first ? (order[0] === '-' ? '-' : '') + first.id : order;
}

/**
 * The columns in their order: on a phone the average stands beside the name, and the others are
 * scrolled to.
 * @param {any[]} columns
 */
export function columnsHere(columns) {
  if (window.innerWidth > 620) return columns;
  return [...columns].sort((a, b) => Number(b.id === 'average') - Number(a.id === 'average'));
}

/**
 * The columns' widths: a name, `count` numbers, and the unscored. A phone takes those of the first
 * number, which is the average, unless all are shown.
 * @param {Element} table
 * @param {number} count
 */
export function columnWidths(table, count) {
  if (table.querySelector('colgroup')) return;
  const group = make('colgroup');
  ['name', ...Array(count).fill('number'), 'unscored'].forEach((kind) =>
    group.appendChild(make('col', 'th-col-' + kind)),
  );
  table.prepend(group);
}

/**
 * The line from 0 to 100 percent below a number: its interval, and a tick at the number.
 * @param {any} track
 * @param {any} rate
 */
function intervalLine(track, { percent, low, high }) {
  const [range, tick] = track.children;
  const position = (share) => share.toFixed(2) + '%';
  range.hidden = low === null;
  range.style.left = position(low);
  range.style.width = position(high - low);
  tick.style.left = position(percent);
}

/**
 * @param {HTMLElement} node
 * @param {object} calls
 * @param {() => string} calls.sort a column's id; with a minus before it, the highest first
 * @param {(order: string) => void} calls.sortBy
 * @param {(words: string) => void} calls.waiting what is new and not shown yet, empty for nothing
 * @param {(filters: Record<string, any>) => void} calls.openPictures
 */
export function boardTable(node, { sort, sortBy, openPictures, waiting }) {
  const open = new Set();
  let data = null;
  // While the pointer is over the table its rows stay where they are.
  let order = [];
  let over = false;
  let late = false;
  /** The marked column of the table that is drawn: the same for all its cells. */
  let marked = '';
  node.addEventListener('pointerenter', (event) => {
    over = event.pointerType === 'mouse';
  });
  node.addEventListener('pointerleave', () => {
    over = false;
    if (late) table();
  });

  // ── nodes that stay while their numbers change: a refresh takes neither focus nor place ──────
  const saved = new Map();
  function keep(key, create) {
    let node = saved.get(key);
    if (!node) {
      node = create();
      saved.set(key, node);
    }
    return node;
  }
  function row(key, className) {
    return keep(key, () => make('tr', className));
  }

  const columns = () => columnsHere(data.columns);
  const shownSort = () =>
    effectiveOrder(
      sort(),
      data.columns,
      data.groups.flatMap((group) => group.rows),
    );

  /** The column with ranks and corrected numbers, and the only one on a phone: the sorted one, or
   * where names or the unscored are sorted by, the average. */
  function markedColumn() {
    const rows = data.groups.flatMap((group) => group.rows);
    const by = shownSort().replace('-', '');
    const numbers = data.columns.some(({ id }) => id === by);
    return numbers ? by : effectiveOrder('average', data.columns, rows);
  }

  // ── the head: every column sorts ─────────────────────────────────────────────────────────────
  function heads() {
    const line = row('head');
    arrange(
      line,
      [
        ['name', 'Run', 'By name'],
        ...columns().map(({ id, short, name, example }) => [id, short, name, example]),
        ['unscored', 'Unscored', 'Images without a pass or a fail, of all images of the run'],
      ].map(([id, name, title, example]) => {
        const head = keep('head ' + id, () => {
          const node = make('th');
          const button = make('button', 'th-sort');
          node.scope = 'col';
          button.type = 'button';
          button.addEventListener('click', () => {
            const first = id === 'name' ? id : '-' + id;
            const other = id === 'name' ? '-' + id : id;
            sortBy(shownSort() === first ? other : first);
            table(false);
          });
          node.appendChild(button);
          return node;
        });
        const button = head.firstChild;
        const by = shownSort().replace('-', '') === id;
        head.dataset.column = id;
        head.classList.toggle('th-sorted', marked === id);
        head.classList.toggle('th-named', Boolean(title) && id !== 'name' && id !== 'unscored');
        if (head.lastChild === button)
          head.append(
            make('small', 'th-soft th-head-words'),
            make('small', 'th-soft th-head-words th-head-example'),
          );
        put(head.children[1], id === 'unscored' || id === 'name' ? '' : title);
        put(head.children[2], example || '');
        put(button, name + (by ? (shownSort()[0] === '-' ? ' ↓' : ' ↑') : ''));
        button.title = title;
        head.setAttribute(
          'aria-sort',
          by ? (shownSort()[0] === '-' ? 'descending' : 'ascending') : 'none',
        );
        return head;
      }),
    );
    return line;
  }
  function sorted(rows) {
    const shown = shownSort();
    const by = shown.replace('-', '');
    const sign = shown[0] === '-' ? -1 : 1;
    return [...rows].sort((item, other) => {
      const a = value(item, by);
      const b = value(other, by);
      if (a === null || b === null) return Number(a === null) - Number(b === null);
      return sign * (by === 'name' ? a.localeCompare(b) : a - b);
    });
  }

  // ── the rows ─────────────────────────────────────────────────────────────────────────────────
  function groupsShown(hold) {
    const now = data.groups.map((group) => ({ ...group, rows: sorted(group.rows) }));
    const held = inOrder(now, order);
    late = hold && order.length > 0 && !held.same;
    const text = held.added === 1 ? '1 new row: show' : held.added + ' new rows: show';
    waiting(late ? (held.added > 0 ? text : 'New order: show') : '');
    if (late) return held.groups;
    order = orderOf(now);
    return now;
  }
  function table(hold = over) {
    marked = markedColumn();
    const head = keep('thead', () => make('thead'));
    arrange(head, [heads()]);
    const bodies = groupsShown(hold).map((group) => {
      const body = keep('group ' + group.id, () => make('tbody'));
      const title = row('title ' + group.id, 'th-leaderboard-group');
      const cell = keep('title cell ' + group.id, () => {
        const made = make('th');
        made.colSpan = data.columns.length + 2;
        made.scope = 'rowgroup';
        made.append(make('b'), make('small'), make('span', 'th-leaderboard-order'));
        title.appendChild(made);
        return made;
      });
      put(cell.firstChild, group.name);
      put(cell.children[1], group.words);
      put(cell.lastChild, group.order);
      const orders = data.groups.filter(({ order }) => order).length;
      cell.lastChild.hidden = !group.order || data.strict || orders === 1;
      arrange(body, [title, ...group.rows.flatMap((item) => lines(item))]);
      return body;
    });
    columnWidths(node, data.columns.length);
    arrange(node, [node.querySelector('colgroup'), head, ...bodies]);
  }
  /** @param {Api.LeaderboardRow} item */
  function lines(item) {
    const line = row('run ' + item.id, 'th-leaderboard-run');
    const parts = partNames(item);
    const name = nameCell(item);
    arrange(line, [
      name,
      ...columns().map((column) => numberCell(item, column, item.cells[column.id], '')),
      unscoredCell(keep, item, open.has(item.id), () => {
        if (!open.delete(item.id)) open.add(item.id);
        table();
      }),
    ]);
    const below = parts.map((part) => {
      const node = row('part ' + item.id + ' ' + part.id, 'th-leaderboard-part');
      const head = keep('part name ' + item.id + ' ' + part.id, () => {
        const made = make('th', '', part.name);
        made.scope = 'row';
        return made;
      });
      arrange(node, [
        head,
        ...columns().map((column) => {
          const cell = item.cells[column.id];
          const result = cell && cell.parts.find((each) => each.id === part.id);
          return numberCell(item, column, result, part.id);
        }),
        keep('part end ' + item.id + ' ' + part.id, () => make('td')),
      ]);
      return node;
    });
    return [
      line,
      ...below,
      ...(open.has(item.id) && item.unscored && item.unscored.count
        ? [causesRow(keep, item, data.columns.length, openPictures)]
        : []),
    ];
  }
  /** @param {Api.LeaderboardRow} item */
  function nameCell(item) {
    const cell = keep('name ' + item.id, () => {
      const node = make('th', 'th-leaderboard-name');
      const bar = make('div', 'th-bar');
      node.scope = 'row';
      bar.setAttribute('role', 'progressbar');
      bar.setAttribute('aria-valuemin', '0');
      bar.setAttribute('aria-valuemax', '100');
      bar.appendChild(make('i'));
      node.append(
        make('b'),
        make('small'),
        make('small', 'th-leaderboard-beside'),
        make('small', 'th-leaderboard-people'),
        bar,
        make('small', 'th-leaderboard-progress'),
      );
      return node;
    });
    const [name, facts, others, people, bar, text] = cell.children;
    const progress = item.progress;
    put(name, item.label);
    name.title = item.name;
    put(facts, item.facts);
    put(others, [item.said, item.beside].filter(Boolean).join(' · '));
    others.hidden = !others.textContent;
    put(people, item.people);
    people.hidden = !item.people;
    bar.hidden = text.hidden = !progress;
    if (progress) {
      bar.firstChild.style.width = progress.percent + '%';
      bar.setAttribute('aria-valuenow', String(progress.percent));
      bar.setAttribute('aria-label', item.name + ': ' + progress.words);
      put(text, progress.words);
      text.title = progress.title;
    }
    return cell;
  }
  // The filters of a cell's pictures, as they are now: a cell stays while its numbers change.
  function opened(run, column, system) {
    const item = data.groups.flatMap((group) => group.rows).find((each) => each.id === run);
    const cell = item && item.cells[column];
    const result = cell && system ? cell.parts.find((part) => part.id === system) : cell;
    return result ? result.opens : {};
  }
  function numberCell(item, column, rate, system) {
    const key = 'cell ' + item.id + ' ' + column.id + ' ' + system;
    const cell = keep(key, () => {
      const node = make('td', 'th-leaderboard-cell');
      const button = make('button');
      const numbers = make('span', 'th-leaderboard-numbers');
      const track = make('span', 'th-interval');
      const none = make('span', 'th-leaderboard-none');
      const corrected = make('span', 'th-leaderboard-corrected');
      const count = make('small', 'th-leaderboard-n');
      count.append(make('span'), make('span'));
      corrected.append(make('small'), make('span'), make('small'));
      button.type = 'button';
      numbers.append(make('span', 'th-unseen'), make('b'), make('small'));
      track.append(make('i'), make('b'));
      button.append(numbers, track, make('small', 'th-leaderboard-note'), count, corrected);
      button.addEventListener('click', () =>
        openPictures({ runs: [item.id], status: 'fail', ...opened(item.id, column.id, system) }),
      );
      none.append(make('span', '', '–'), make('small'));
      node.append(button, none);
      return node;
    });
    const [button, none] = cell.children;
    const number = rate && rate.percent !== null;
    button.hidden = !number;
    none.hidden = Boolean(number) || Boolean(system && column.id === 'average');
    cell.dataset.column = column.id;
    const isMarked = marked === column.id;
    cell.classList.toggle('th-sorted', isMarked);
    if (!number) {
      put(none.lastChild, rate && rate.note ? rate.note : '');
      none.title = rate
        ? rate.title
        : item.said || 'This run has no such prompts' + (item.progress ? ' yet' : '');
      return cell;
    }
    const [numbers, track, note, count, corrected] = button.children;
    put(
      numbers.children[0],
      [item.name, system.toUpperCase(), column.name].filter(Boolean).join(', ') + ', percent: ',
    );
    put(numbers.children[1], rate.text);
    put(numbers.lastChild, rate.interval);
    cell.classList.toggle('th-best', Boolean(rate.best));
    intervalLine(track, rate);
    put(count.firstChild, rate.n);
    // Ranks and corrected numbers stand in the sorted column: cells have little room.
    put(count.lastChild, isMarked && rate.rank ? 'rank ' + rate.rank : '');
    const second = isMarked && rate.corrected;
    const [label, text, ends] = corrected.children;
    put(label, second ? second.label : '');
    put(text, second ? second.text : '');
    put(ends, second ? second.interval : '');
    corrected.title = second ? second.reason : '';
    corrected.hidden = !second;
    put(note, rate.note || '');
    note.hidden = !rate.note;
    cell.classList.toggle('th-in-part', Boolean(rate.note));
    button.title = rate.title + (rate.best ? ' · certainly first' : '') + '\nOpens the failures';
    return cell;
  }

  return {
    // An answer of the leaderboard; the line below a number runs from 0 to 100 percent.
    draw(answer, hold = over) {
      data = answer;
      table(hold);
    },
    /** Takes up what is new, wherever the pointer is. */
    show: () => table(false),
  };
}
