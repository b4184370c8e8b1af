// The images of the wall: a grid that grows by pages, and the keyboard that goes through it.
import { make, many, put } from '../shared/dom.js';
import { ask } from '../shared/http.js';
import { resultCard } from './card.js';

const BY_ITSELF = 600;
const MAX_PAGES = 10;

/**
 * The name of an image in links.
 * @param {{ run_id: string, position: number }} item
 */
export const nameOf = (item) => item.run_id + '.' + item.position;

/**
 * @param {HTMLElement} list
 * @param {object} calls
 * @param {() => number} calls.question the number of the newest question: answers to others are none
 * @param {(after: string) => URLSearchParams} calls.query of the page after this one
 * @param {(answer: any, some: boolean) => string} calls.words below the head, once a page has come
 * @param {(one: any) => void} calls.selected
 * @param {(one: any) => void} calls.open shows one large
 * @param {Record<string, (one: any) => void>} calls.keys what other keys do with the selected one
 */
export function resultImages(list, { question, query, words, selected, open, keys }) {
  const grid = list.querySelector('.th-failures-grid');
  const more = list.querySelector('.th-failures-more');
  const count = list.querySelector('.th-failures-count');
  const empty = list.querySelector('.th-failures-empty');
  let items = [];
  let nodes = [];
  let total = null;
  let next = '';
  let loading = null;
  let current = 0;

  function tell(text) {
    put(empty, text);
    empty.hidden = !text;
  }
  function tally() {
    put(count, total === null ? 'Images' : many(total, 'image'));
    nodes.forEach((node, index) => {
      node.setAttribute('aria-posinset', String(index + 1));
      node.setAttribute('aria-setsize', String(total === null ? -1 : total));
    });
  }
  function skeleton() {
    grid.replaceChildren(
      ...Array.from({ length: 12 }, () => {
        const node = make('div', 'th-failures-card th-failures-blank');
        node.append(make('div', 'th-failures-picture'));
        return node;
      }),
    );
    put(count, 'Images');
    tell('');
  }
  function arrange(answer) {
    const made = answer.items.map((item) => resultCard(item));
    made.forEach((node, index) => {
      const position = items.length + index;
      node.addEventListener('click', () => {
        focusCard(position);
        openAt(position);
      });
    });
    items.push(...answer.items);
    nodes.push(...made);
    grid.append(...made);
    next = answer.next;
    more.hidden = !next;
    if (nodes.length) mark(current);
    tell(words(answer, items.length > 0));
    tally();
  }
  function further() {
    if (!next || loading) return loading || Promise.resolve();
    const mine = question();
    more.setAttribute('aria-disabled', 'true');
    loading = (async () => {
      try {
        const answer = await ask(`/api/explore/failures?${query(next)}`);
        if (mine === question()) arrange(answer);
      } catch (error) {
        if (mine === question()) tell('No more can be shown. ' + error.message);
      }
      if (mine === question()) {
        loading = null;
        more.setAttribute('aria-disabled', 'false');
      }
    })();
    return loading;
  }
  more.addEventListener('click', further);
  new IntersectionObserver(
    (seen) => {
      if (seen.some((entry) => entry.isIntersecting) && items.length < BY_ITSELF) further();
    },
    { rootMargin: '700px' },
  ).observe(more);

  // ── the selected image ───────────────────────────────────────────────────────────────────
  function mark(position) {
    nodes.forEach((node, index) => {
      const on = index === position;
      if (on !== (node.tabIndex === 0)) {
        node.tabIndex = on ? 0 : -1;
        if (on) node.setAttribute('aria-current', 'true');
        else node.removeAttribute('aria-current');
      }
    });
    current = position;
    if (items[position]) selected(items[position]);
  }
  function focusCurrent() {
    nodes[current].focus({ preventScroll: true });
    nodes[current].scrollIntoView({ block: 'nearest' });
  }
  function focusCard(index) {
    mark(index);
    focusCurrent();
  }
  function openAt(index) {
    if (items[index]) {
      current = index;
      open(items[index]);
    }
  }
  async function go(to) {
    if (to >= nodes.length && next) await further();
    if (!nodes.length) return;
    focusCard(Math.max(0, Math.min(to, nodes.length - 1)));
  }
  function columns() {
    const top = nodes[0].offsetTop;
    const second = nodes.findIndex((node) => node.offsetTop > top);
    return second < 0 ? nodes.length : second;
  }
  grid.addEventListener('keydown', (event) => {
    if (!nodes.length || event.ctrlKey || event.metaKey || event.altKey) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const moves = {
      ArrowRight: () => go(current + 1),
      j: () => go(current + 1),
      ArrowLeft: () => go(current - 1),
      k: () => go(current - 1),
      ArrowDown: () => go(current + columns()),
      ArrowUp: () => go(current - columns() < 0 ? current : current - columns()),
      Home: () => go(0),
      End: () => go(nodes.length - 1),
      Enter: () => openAt(current),
      ' ': () => openAt(current),
    };
    const act = moves[key] || keys[key];
    if (act) {
      event.preventDefault();
      act(items[current]);
    }
  });
  const indexOfName = (name) => items.findIndex((item) => nameOf(item) === name);

  return {
    tell,
    openAt,
    mark,
    focusCurrent,
    indexOfName,
    // Another answer is waited for; `first`: there was none before.
    wait(first) {
      loading = null;
      list.setAttribute('aria-busy', 'true');
      if (first) skeleton();
    },
    isWaiting: () => list.hasAttribute('aria-busy'),
    fill(answer) {
      items = [];
      nodes = [];
      current = 0;
      grid.replaceChildren();
      arrange(answer);
      list.removeAttribute('aria-busy');
    },
    fail(text) {
      list.removeAttribute('aria-busy');
      grid.replaceChildren();
      items = [];
      nodes = [];
      next = '';
      more.hidden = true;
      put(count, 'Images');
      tell(text);
    },
    count(number) {
      total = number;
      tally();
    },
    uncounted(text) {
      put(count, text);
    },
    isCounted: () => total !== null,
    isEmpty: () => !items.length,
    selected: () => items[current],
    select(item) {
      const index = items.indexOf(item);
      if (index >= 0) mark(index);
    },
    // Back to the selected one, where there is one.
    refocus() {
      if (nodes[current]) focusCard(current);
    },
    // Where its size has settled: what has the focus stays in view.
    settle() {
      if (nodes[current] === document.activeElement)
        nodes[current].scrollIntoView({ block: 'nearest' });
    },
    // Where the image of an address stands, also where it is not among the first; else -1.
    async reach(name) {
      const mine = question();
      for (let pages = 0; indexOfName(name) < 0 && next && pages < MAX_PAGES; pages++) {
        await further();
        if (mine !== question()) return -1;
      }
      return indexOfName(name);
    },
    hasNeighbor(item, by) {
      const index = items.indexOf(item) + by;
      return index >= 0 && (index < items.length || Boolean(next));
    },
    async neighbor(item, by) {
      const index = items.indexOf(item) + by;
      if (index >= items.length && next) await further();
      return index >= 0 ? items[index] : null;
    },
  };
}
