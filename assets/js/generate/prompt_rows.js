// The rows of a set in one list. They are drawn only where they are seen; pages of them are fetched
// as one scrolls.
import { basket } from '../shared/basket.js';
import { arrange, make, many, put, swatches } from '../shared/dom.js';

const ROW_PX = 44;
/** How many rows are asked for at once. */
export const PAGE = 100;

const VERDICTS = { pass: '✓ pass', fail: '✕ fail', unscored: '– unscored' };
const KEYS = ['ArrowDown', 'ArrowUp', 'PageDown', 'PageUp', 'Home', 'End', ' ', 'Enter'];

const hexesOf = (row) => row.targets.filter((target) => target.hex).map((target) => target.hex);

/**
 * A row as the basket and the request hold it.
 * @param {any} row
 */
export function itemOf(row) {
  return { source: row.source, id: row.id, text: row.text, task: row.task, hexes: hexesOf(row) };
}

/**
 * @param {Found} list
 * @param {object} calls
 * @param {() => number} calls.question the number of the newest question: rows of others are none
 * @param {(page: number) => Promise<any[]>} calls.rowsOf a page
 * @param {(row: any) => boolean} calls.isChosen
 * @param {(row: any) => void} calls.choose
 */
export function promptRows(list, { question, rowsOf, isChosen, choose }) {
  const space = list.querySelector('.th-list-space');
  let total = 0;
  let pages = new Map();
  let nodes = new Map();
  let current = -1;
  let lastTaken = -1;

  // ── pages ──────────────────────────────────────────────────────────────────────────────────
  // Those that are on screen.
  function visible() {
    const first = Math.floor(list.scrollTop / ROW_PX / PAGE);
    const last = Math.floor((list.scrollTop + list.clientHeight) / ROW_PX / PAGE);
    return [...new Set([first, last])];
  }
  function keepVisible() {
    const seen = visible();
    [...pages.keys()].forEach((page) => {
      if (!seen.includes(page)) pages.delete(page);
    });
  }
  // ``again``: the rows that are there stay until the new ones are.
  async function fetchPage(page, again) {
    if (pages.has(page) && again !== true) return;
    if (!pages.has(page)) pages.set(page, null);
    const mine = question();
    try {
      const rows = await rowsOf(page);
      if (mine !== question()) return;
      pages.set(page, rows);
      draw();
    } catch {
      if (!pages.get(page)) pages.delete(page);
    }
  }
  function rowAt(index) {
    const page = pages.get(Math.floor(index / PAGE));
    return page ? page[index % PAGE] : null;
  }

  // ── rows ───────────────────────────────────────────────────────────────────────────────────
  function draw() {
    const first = Math.max(0, Math.floor(list.scrollTop / ROW_PX) - 4);
    const last = Math.min(total, Math.ceil((list.scrollTop + list.clientHeight) / ROW_PX) + 4);
    for (
      let page = Math.floor(first / PAGE);
      page <= Math.floor(Math.max(first, last - 1) / PAGE);
      page++
    )
      if (total) fetchPage(page);
    const saved = new Map();
    for (let index = first; index < last; index++) {
      const row = rowAt(index);
      const name = row ? row.source + ' ' + row.id : '';
      const before = nodes.get(index);
      const item = before && before.name === name ? before : rowNode(index, row, name);
      item.update(row);
      saved.set(index, item);
    }
    nodes = saved;
    arrange(
      space,
      [...saved.values()].map((item) => item.node),
    );
  }
  function rowNode(index, first, name) {
    const node = make('div', 'th-row');
    node.style.top = index * ROW_PX + 'px';
    node.id = 'th-row-' + index;
    if (!first) {
      node.appendChild(make('span', 'th-row-text th-soft', '…'));
      return { node, name, update() {} };
    }
    let row = first;
    node.setAttribute('role', 'row');
    node.setAttribute('aria-rowindex', String(index + 1));
    node.dataset.prompt = row.id;
    // The list has the keys; a press is the pointer's, with Shift for all between the last and this.
    const box = make('input');
    box.type = 'checkbox';
    box.tabIndex = -1;
    box.setAttribute('aria-label', 'In the selection: ' + row.text);
    box.addEventListener('mousedown', (event) => {
      event.preventDefault();
      list.focus({ preventScroll: true });
    });
    box.addEventListener('click', (event) => {
      event.stopPropagation();
      take(index, row, event.shiftKey);
    });
    const text = make('span', 'th-row-text', row.text);
    text.title = row.text;
    const about = make(
      'small',
      'th-row-about',
      [row.task_title, row.system.toUpperCase(), row.id].filter(Boolean).join(' · '),
    );
    const message = make('span', 'th-row-words');
    message.append(text, about);
    const rendered = make('small', 'th-row-state');
    const tick = make('span', 'th-row-cell');
    const rest = make('span', 'th-row-cell th-row-rest');
    [tick, rest].forEach((cell) => cell.setAttribute('role', 'gridcell'));
    tick.appendChild(box);
    rest.append(swatches(hexesOf(row)), message, rendered);
    node.append(tick, rest);
    node.addEventListener('click', () => {
      current = index;
      list.setAttribute('aria-activedescendant', node.id);
      choose(row);
    });
    return {
      node,
      name,
      update(now) {
        row = now;
        const held = basket.has(row);
        if (box.checked !== held) box.checked = held;
        node.setAttribute('aria-selected', String(isChosen(row)));
        node.classList.toggle('th-row-current', index === current);
        put(
          rendered,
          row.verdict ? VERDICTS[row.verdict] : row.drawn ? many(row.drawn, 'image') : '',
        );
      },
    };
  }

  // ── hands ──────────────────────────────────────────────────────────────────────────────────
  // In or out of the basket; with ``range`` as the last one, all rows between.
  async function take(index, row, range) {
    const from = lastTaken;
    lastTaken = index;
    current = index;
    if (!range || from < 0 || from === index) {
      basket.toggle(itemOf(row));
      return;
    }
    const first = Math.min(from, index);
    const last = Math.max(from, index);
    const mine = question();
    for (let page = Math.floor(first / PAGE); page <= Math.floor(last / PAGE); page++)
      if (!pages.get(page)) await fetchPage(page, true);
    if (mine !== question()) return;
    const items = [];
    for (let position = first; position <= last; position++) {
      const item = rowAt(position);
      if (item) items.push(itemOf(item));
    }
    if (basket.has(itemOf(row))) basket.drop(items);
    else basket.add(items);
    draw();
  }
  list.addEventListener('keydown', (event) => {
    if (!KEYS.includes(event.key) || !total) return;
    event.preventDefault();
    const row = rowAt(current);
    if (event.key === ' ') {
      if (row) take(current, row, event.shiftKey);
      return;
    }
    if (event.key === 'Enter') {
      if (row) choose(row);
      return;
    }
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 12, PageUp: -12, Home: -total, End: total }[
      event.key
    ];
    current = Math.min(total - 1, Math.max(0, current + step));
    if (current * ROW_PX < list.scrollTop) list.scrollTop = current * ROW_PX;
    if ((current + 1) * ROW_PX > list.scrollTop + list.clientHeight)
      list.scrollTop = (current + 1) * ROW_PX - list.clientHeight;
    list.setAttribute('aria-activedescendant', 'th-row-' + current);
    draw();
  });
  list.addEventListener('scroll', draw);
  new ResizeObserver(draw).observe(list);
  basket.watch(draw);

  function count(number) {
    total = number;
    list.setAttribute('aria-rowcount', String(total));
  }
  return {
    draw,
    firstPage: () => visible()[0],
    clear() {
      count(0);
      pages = new Map();
    },
    // The first page of another list.
    fill(number, rows) {
      count(number);
      pages = new Map([[0, rows]]);
      list.scrollTop = 0;
      current = -1;
    },
    // A page of the same list again: what is on screen keeps its place until its rows arrive.
    renew(number, page, rows) {
      count(number);
      keepVisible();
      visible().forEach((other) => {
        if (other !== page) fetchPage(other, true);
      });
      pages.set(page, rows);
    },
    // The rows on screen once more: their marks may have changed.
    mark() {
      keepVisible();
      visible()
        .filter((page) => page * PAGE < total)
        .forEach((page) => fetchPage(page, true));
    },
    // The height of all rows, and those of them that are seen.
    layOut() {
      space.style.height = total * ROW_PX + 'px';
      draw();
    },
  };
}
