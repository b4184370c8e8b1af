// Line drawings that were brought, several at once: each waits here until it is taken as a sketch.
import { make, many, put, strip } from '../shared/dom.js';
import { send, sendAll, sendFile } from '../shared/http.js';
import { candidateCard } from './candidate.js';
import { USUAL } from './prepare.js';

const KEPT = 'th-sketches-brought';
const MAX_IMPORTED = 60;
const VIEWS = [
  { id: 'ink', name: 'Lines' },
  { id: 'regions', name: 'Regions' },
  { id: 'image', name: 'Original' },
];

/** @typedef {{ image: string, name: string, words: string }} Brought */

/** @returns {Brought[]} */
function save() {
  try {
    const listed = JSON.parse(localStorage.getItem(KEPT) || '[]');
    return Array.isArray(listed) ? listed.filter((item) => item && item.image) : [];
  } catch {
    return [];
  }
}

/**
 * @param {HTMLElement} box
 * @param {{ adjust: (of: any, then?: (stored: any) => void) => void,
 *   changed: (stored: any) => void, problem: (text: string) => void }} calls
 */
export function importedSketches(box, { adjust, changed, problem }) {
  let rows = save();
  let view = 'regions';
  const head = make('header');
  const count = make('b');
  const views = make('span', 'th-strip');
  const all = make('button', 'th-button', '');
  const grid = make('div', 'th-sketches-candidates');
  const status = make('p', 'th-soft');
  status.setAttribute('role', 'status');
  all.type = 'button';
  views.setAttribute('role', 'group');
  views.setAttribute('aria-label', 'Shown image');
  head.append(count, views, all);
  box.append(status, head, grid);
  /** @type {{ one: Brought, card: ReturnType<typeof candidateCard> }[]} */
  let cards = [];

  function keep() {
    try {
      localStorage.setItem(KEPT, JSON.stringify(rows.slice(0, MAX_IMPORTED)));
    } catch {
      // they are listed until the page closes
    }
  }
  function draw() {
    head.hidden = !rows.length;
    grid.hidden = !rows.length;
    put(count, many(rows.length, 'drawing') + ' to review');
    put(all, 'Use all without warnings');
    strip(views, VIEWS, view, (id) => {
      view = id;
      draw();
    });
    const before = new Map(cards.map((each) => [each.one.image, each]));
    cards = rows.map((row) => before.get(row.image) || { one: row, card: cardOf(row) });
    grid.replaceChildren(...cards.map((each) => each.card.node));
    cards.forEach((each) => each.card.show(view));
  }
  /** @param {Brought} brought */
  function cardOf(brought) {
    const card = candidateCard({ image: brought.image, title: '', about: brought.name }, [
      { name: 'Use', title: 'Store it as the sketch of this concept', act: () => take(brought) },
      {
        name: 'Adjust…',
        act: () => adjust({ image: brought.image, words: brought.words }, () => drop(brought)),
      },
      { name: 'Discard', act: () => drop(brought) },
    ]);
    const name = make('input', 'th-sketches-words');
    name.type = 'text';
    name.value = brought.words;
    name.maxLength = 80;
    name.setAttribute('list', 'th-colorize-concepts');
    name.setAttribute('aria-label', 'Concept in “' + brought.name + '”');
    name.placeholder = 'Concept';
    name.addEventListener('change', () => {
      brought.words = name.value.trim();
      keep();
    });
    card.node.querySelector('b')?.replaceWith(name);
    return card;
  }
  /** @param {Brought} brought */
  async function take(brought) {
    const stored = await send('/api/colorize/sketches', {
      ...USUAL,
      image: brought.image,
      words: brought.words,
    });
    drop(brought);
    put(status, 'Stored as the sketch of “' + stored.sketch.words + '”. ' + stored.said);
    changed(stored);
  }
  /** @param {Brought} brought */
  function drop(brought) {
    rows = rows.filter((each) => each !== brought);
    keep();
    draw();
  }
  all.addEventListener('click', async () => {
    const good = cards.filter((each) => each.card.node.dataset.warnings === '0' && each.one.words);
    if (!good.length) {
      put(status, 'None is both named and free of warnings. Review them one by one.');
      return;
    }
    try {
      for (const each of good) await take(each.one);
      put(status, many(good.length, 'sketch') + ' stored.');
    } catch (error) {
      problem(error.message);
    }
  });
  draw();
  return {
    /** @param {File[]} files */
    async bring(files) {
      if (!files.length) return;
      problem('');
      const refused = [];
      let done = 0;
      put(status, 'Reading ' + many(files.length, 'file') + '…');
      try {
        await sendAll(files, async (file) => {
          try {
            const image = await sendFile('/api/colorize/import', file);
            rows = rows.filter((row) => row.image !== image.image_id);
            rows.unshift({ image: image.image_id, name: image.name, words: image.words });
          } catch (error) {
            refused.push(error.message);
          }
          put(status, 'Reading: ' + ++done + ' of ' + files.length);
        });
      } finally {
        put(status, '');
        problem(refused.slice(0, 5).join(' '));
        keep();
        draw();
      }
    },
  };
}
