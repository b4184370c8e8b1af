// Choosing a sketch: by category and by words, drafts, and one's own.
import { make, many, put, strip } from '../shared/dom.js';
import { drafts, dropDraft } from './drafts.js';
import { ago, drawingAddress, fits, library } from './library.js';

const MAX_TILES = 120;
const IMPORTED = 'Imported';

/**
 * @typedef {import('./drafts.js').Draft} Draft
 * @typedef {{ words: string, category: string, modifiers: [string, string, string][],
 *   sketch: string, drawing: string }} Item a drawing of the list: a stored sketch, or a starter
 * @typedef {Item & { asked: string }} Listed `asked`: its name, or that of a modifier
 * @typedef {{ words: string, values: Record<string, string> }} Next a drawing, and what opens it
 */

/**
 * Whether a draft or a sketch is of a drawing.
 * @param {{ sketch: string, drawing?: string }} work
 * @param {Item} item
 */
const isOf = (work, item) =>
  item.sketch ? work.sketch === item.sketch : work.drawing === item.drawing;

/**
 * @param {HTMLElement} box
 * @param {{ open: (values: Record<string, string>) => void, bring: (files: File[]) => void }} calls
 */
export function chooser(box, { open, bring }) {
  const part = (name) => box.querySelector('.th-colorize-' + name);
  const search = part('search');
  let category = '';
  let unread = '';
  /** @type {import('./library.js').Known | null} */
  let known = null;
  /** @type {Api.SavedColoring[]} one's own, the newest first */
  let finished = [];

  /** Whether a draft is what was saved, and that is still there. @param {Draft} draft */
  const isSaved = (draft) =>
    Boolean(draft.done) && finished.some((row) => row.sketch_id === draft.sketch);

  /** The drafts that are not saved, the newest first. */
  const started = () => drafts().filter((draft) => draft.count && !isSaved(draft));

  /**
   * The saved coloring of a drawing, of this name first.
   * @param {Listed} item
   */
  function savedOf({ sketch, words, asked }) {
    const rows = finished.filter((row) => sketch && row.sketch_id === sketch);
    return rows.find((row) => row.words === asked) || (asked === words ? rows[0] : undefined);
  }

  /**
   * What opens a drawing, with what was done on it.
   * @param {Listed} item
   */
  function valuesOf(item) {
    const draft = started().find((work) => isOf(work, item));
    const row = savedOf(item);
    if (draft) return ofDraft(draft);
    return row
      ? { kept: row.id, words: row.words }
      : { drawing: item.drawing, sketch: item.sketch, words: item.asked };
  }

  /** @param {Draft} draft */
  const ofDraft = ({ kept, drawing, sketch, words }) =>
    kept ? { kept, words } : { drawing, sketch: drawing ? '' : sketch, words };

  /**
   * All that can be colored, things before what was brought.
   * @returns {Item[]}
   */
  function everything() {
    if (!known) return [];
    const { bases, stored } = known;
    /** @type {Map<string, import('./library.js').Stored>} the one in use of each */
    const byWords = new Map();
    stored.forEach((item) => {
      if (!byWords.has(item.words)) byWords.set(item.words, item);
    });
    const items = bases
      .filter((base) => base.drawing || byWords.has(base.words))
      .map((base) => ({
        words: base.words,
        category: base.category,
        modifiers: base.modifiers,
        ...(byWords.has(base.words)
          ? { sketch: byWords.get(base.words)?.id || '', drawing: '' }
          : { sketch: '', drawing: base.id }),
      }));
    const names = new Set(bases.map((base) => base.words));
    const brought = stored
      .filter((item) => !names.has(item.words))
      .map((item) => ({
        words: item.words,
        category: IMPORTED,
        modifiers: [],
        sketch: item.id,
        drawing: '',
      }));
    return [...items, ...brought];
  }
  /**
   * The drawings that the category and what was typed leave.
   * @param {string} [typed]
   * @returns {Listed[]}
   */
  function listed(typed = '') {
    return everything().flatMap((item) => {
      if (category && item.category !== category) return [];
      if (!typed || fits(item.words, typed)) return [{ ...item, asked: item.words }];
      // “rotten apple” is the apple's drawing with another name.
      const modifier = item.modifiers.find(([, text]) => fits(text, typed));
      return modifier ? [{ ...item, asked: modifier[1] }] : [];
    });
  }
  function draw() {
    const all = everything();
    const typed = search.value.trim();
    const result = listed(typed);
    const categories = [...new Set(all.map((item) => item.category))];
    const counted = (name) => all.filter((item) => !name || item.category === name).length;
    strip(
      part('categories'),
      [
        { id: '', name: 'All ' + all.length },
        ...categories.map((name) => ({ id: name, name: name + ' ' + counted(name) })),
      ],
      category,
      (id) => {
        category = id;
        draw();
      },
    );
    const first = typed || category ? [] : started();
    const others = result.filter((item) => !first.some((draft) => isOf(draft, item)));
    part('tiles').replaceChildren(
      ...(typed || category ? [] : [ownTile()]),
      ...first.map(draftTile),
      ...others.slice(0, MAX_TILES).map(tile),
    );
    put(part('found'), wordsOf(result, typed));
  }
  function wordsOf(result, typed) {
    if (!known) return 'Loading drawings…';
    if (result.length)
      return (
        many(result.length, 'drawing') +
        '. ● people’s colors and ▪ models’ colors available. Search also finds modified concepts, such as “rotten apple”.'
      );
    const missing = known.bases.find(
      (base) => fits(base.words, typed) || base.modifiers.some(([, text]) => fits(text, typed)),
    );
    return missing
      ? 'There is no drawing of “' +
          missing.words +
          '” yet. Import one, or prepare it under Sketches.'
      : 'No drawing matches. Shorten the search, or import your own.';
  }
  /**
   * @param {string} address of the picture
   * @param {string} text
   * @param {string} about
   */
  function card(address, text, about) {
    const button = make('button', 'th-colorize-tile');
    const frame = make('span', 'th-colorize-tile-paper');
    const image = make('img');
    button.type = 'button';
    image.alt = '';
    image.loading = 'lazy';
    image.src = address;
    frame.append(image);
    button.append(frame, make('b', '', text));
    if (about) button.append(make('small', '', about));
    return button;
  }
  const linesOf = (item) =>
    item.sketch
      ? '/api/colorize/sketches/' + item.sketch + '.png?side=256'
      : drawingAddress(item.drawing);
  function tile(item) {
    const [people, others] = known?.colors[item.asked] || [0, 0];
    const draft = started().find((work) => isOf(work, item));
    const row = draft ? undefined : savedOf(item);
    const at = draft ? 'started ' + ago(draft.at) : row ? 'saved ' + ago(row.at) : '';
    const button = card(draft?.thumb || row?.thumb || linesOf(item), item.asked, at);
    if (people || others) {
      const marks = make('i', 'th-colorize-marks', (people ? '●' : '') + (others ? '▪' : ''));
      marks.title = [people ? 'people’s colors' : '', others ? 'models’ colors or images' : '']
        .filter(Boolean)
        .join(' and ');
      button.append(marks);
    }
    button.addEventListener('click', () => open(valuesOf(item)));
    return button;
  }
  function draftTile(draft) {
    const box = make('span', 'th-colorize-draft');
    const button = card(
      draft.thumb || linesOf(draft),
      draft.words || 'a drawing',
      'started ' + ago(draft.at) + ', ' + many(draft.count, 'step'),
    );
    const away = make('button', 'th-colorize-away', '×');
    away.type = 'button';
    away.title = 'Discard the started coloring of “' + (draft.words || 'a drawing') + '”';
    away.setAttribute('aria-label', away.title);
    away.addEventListener('click', () => {
      dropDraft(draft.key);
      draw();
    });
    button.classList.add('th-colorize-begun');
    button.addEventListener('click', () => open(ofDraft(draft)));
    box.append(button, away);
    return box;
  }
  function ownTile() {
    const label = make('label', 'th-colorize-tile th-colorize-own');
    const input = make('input');
    const frame = make('span', 'th-colorize-tile-paper', '+');
    input.type = 'file';
    input.accept = 'image/*';
    input.setAttribute('aria-label', 'Import a line drawing');
    input.addEventListener('change', () => {
      bring([...(input.files || [])]);
      input.value = '';
    });
    label.append(input, frame, make('b', '', 'Your own'), make('small', '', 'a line drawing'));
    return label;
  }
  search.addEventListener('input', draw);
  search.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') part('tiles').querySelector('button')?.click();
  });
  return {
    /**
     * The saved colorings.
     * @param {Api.SavedColoring[]} rows
     */
    saved(rows) {
      finished = rows.filter((row) => row.mine);
      if (!box.hidden) draw();
    },
    /**
     * The drawing of the category after this one that is not saved yet; null where all others are.
     * @param {Api.SketchJson} sketch
     * @returns {Promise<Next | null>}
     */
    async next({ id, drawing = '' }) {
      known = await library();
      const list = listed();
      const index = list.findIndex((item) => isOf({ sketch: id, drawing }, item));
      const order = [...list.slice(index + 1), ...list.slice(0, Math.max(index, 0))];
      const item = order.find((other) => !savedOf(other) || started().some((x) => isOf(x, other)));
      return item ? { words: item.asked, values: valuesOf(item) } : null;
    },
    /** What there is now. */
    async show() {
      draw();
      try {
        known = await library();
        // Why a file was refused stands there too, and stays.
        if (part('problem').textContent === unread) part('problem').hidden = true;
      } catch (error) {
        unread = error.message;
        put(part('problem'), unread);
        part('problem').hidden = false;
      }
      draw();
    },
  };
}
