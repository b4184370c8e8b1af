// The base concepts of the paper's list, with those that have a sketch marked.
import { make, options, strip } from '../shared/dom.js';
import { fits } from './library.js';

const HAVING = [
  { id: '', name: 'All' },
  { id: 'none', name: '○ Without', title: 'Without a drawing' },
  { id: 'some', name: '● With', title: 'With a drawing' },
];

/**
 * @param {HTMLElement} box
 * @param {(words: string) => void} choose
 */
export function objectList(box, choose) {
  const find = (name) => box.querySelector('.th-sketches-' + name);
  const search = find('search');
  const list = find('list');
  let having = '';
  let category = '';
  let now = '';
  /** @type {import('./library.js').Known | null} */
  let known = null;

  function draw() {
    if (!known) return;
    const { bases, stored } = known;
    const names = new Set(stored.map((item) => item.words));
    const state = (base) => (names.has(base.words) ? 'stored' : base.drawing ? 'starter' : '');
    const typed = search.value.trim();
    const under = bases.filter((base) => !typed || fits(base.words, typed));
    strip(
      find('having'),
      HAVING.map((item) => ({
        ...item,
        name:
          item.name +
          ' ' +
          under.filter((base) => !item.id || Boolean(state(base)) === (item.id === 'some')).length,
      })),
      having,
      (id) => {
        having = id;
        draw();
      },
    );
    options(
      find('category'),
      [
        { id: '', name: 'All categories' },
        ...[...new Set(bases.map((base) => base.category))].map((name) => ({ id: name, name })),
      ],
      category,
    );
    list.replaceChildren(
      ...under
        .filter((base) => !category || base.category === category)
        .filter((base) => !having || Boolean(state(base)) === (having === 'some'))
        .map((base) => {
          const row = make('button', 'th-sketches-thing');
          const mark = make('i', '', state(base) ? '●' : '○');
          const about = { stored: 'sketch', starter: 'included', '': 'none' };
          row.type = 'button';
          row.setAttribute('role', 'option');
          row.setAttribute('aria-selected', String(base.words === now));
          row.title = base.category + ' · ' + about[state(base)];
          row.append(mark, make('span', '', base.words), make('small', '', about[state(base)]));
          row.addEventListener('click', () => choose(base.words));
          return row;
        }),
    );
  }
  search.addEventListener('input', draw);
  const categories = find('category');
  categories.addEventListener('change', () => {
    category = categories.value;
    draw();
  });
  return {
    /** The words of all that are listed now. */
    listed: () =>
      [...list.querySelectorAll('.th-sketches-thing > span')].map((node) => node.textContent || ''),
    /** @param {import('./library.js').Known} next */
    fill(next) {
      known = next;
      draw();
    },
    /** @param {string} text of the one that is open */
    mark(text) {
      now = text;
      list.querySelectorAll('.th-sketches-thing').forEach((row) => {
        const on = row.querySelector('span')?.textContent === text;
        row.setAttribute('aria-selected', String(on));
        // The list scrolls, the page stays where it is.
        if (
          on &&
          (row.offsetTop < list.scrollTop ||
            row.offsetTop > list.scrollTop + list.clientHeight - 40)
        )
          list.scrollTop = row.offsetTop - list.clientHeight / 2;
      });
    },
  };
}
