// Concepts to color by category with their sketches, free words, and missing sketches.
import { make, many, put, strip } from '../../shared/dom.js';
import { ask } from '../../shared/http.js';
import { fieldsOf, fold, part, row } from '../form_fields.js';
import { button, problemLine } from '../parts.js';
import { chosenList } from './concepts_chosen.js';
import { normal, paper } from './sketch_choice.js';

const EVERY = 'All';
/** Drawings of one's own that show no concept of the list. */
const OWN = 'Your own';
const WAIT_MS = 200;

/**
 * @typedef {import('./sketch_choice.js').SketchChoice} SketchChoice
 * @typedef {{ words: string, kind: string, sketches?: SketchChoice[] }} Modifier
 * @typedef {{ words: string, category: string, sketches: SketchChoice[], modifiers: Modifier[] }} Thing
 */

/**
 * @param {{ form: any, changed: () => void }} given
 * @returns {{ node: HTMLElement, addTyped: () => void }} `addTyped` takes the words that were typed
 *   and not added yet
 */
export function conceptsPart({ form, changed }) {
  const node = part(
    1,
    'Concepts to color',
    'Participants color one line drawing per concept. Visual states and emotional concepts share that of their base concept.',
  );
  const source = fieldsOf(form, changed);
  const field = make('div', 'th-study-field');
  const line = problemLine();
  const categories = make('div', 'th-strip');
  const bar = make('div', 'th-colorings-bar');
  const search = make('input');
  const bare = make('input');
  const items = make('div', 'th-colorings-things');
  const said = make('p', 'th-colorings-said');
  /** @type {Thing[]} */
  let every = [];
  let category = EVERY;
  let timer;
  /** @type {Map<string, SketchChoice[]>} */
  const sketches = new Map();
  const picked = new Set(form.concepts);
  const open = new Set();

  field.dataset.field = 'concepts';
  search.type = 'search';
  search.placeholder = 'Search: apple, rotten…';
  search.setAttribute('aria-label', 'Search concepts');
  bare.type = 'checkbox';
  said.setAttribute('role', 'status');
  items.append(make('p', 'th-soft', 'Reading concepts and sketches…'));

  /** The sketches that fit some words, as the app looks for them. @param {string} text */
  function sketchesOf(text) {
    const parts = normal(text).split(' ');
    const out = [];
    parts.forEach((_, start) => {
      (sketches.get(parts.slice(start).join(' ')) || []).forEach((item) => {
        if (!out.some((other) => other.key === item.key)) out.push(item);
      });
    });
    return out;
  }
  function tell() {
    form.concepts = [...picked];
    const without = form.concepts.filter((concept) => !sketchesOf(concept).length).length;
    put(
      said,
      picked.size
        ? many(picked.size, 'concept') +
            ' chosen.' +
            (without ? ' ' + without + ' without a sketch: excluded until you add a drawing.' : '')
        : '',
    );
    chosen.draw(form.concepts);
    changed();
  }
  /** @param {Iterable<string>} text @param {boolean} on */
  function take(text, on) {
    for (const word of text) on ? picked.add(word) : picked.delete(word);
    draw();
    tell();
  }
  const chosen = chosenList({
    form,
    sketchesOf,
    changed,
    drop: (text) => take([text], false),
  });

  const shownThings = () => {
    const split = normal(search.value).split(' ').filter(Boolean);
    const fits = (text) => split.every((word) => text.includes(word));
    return every.filter(
      (item) =>
        (category === EVERY || item.category === category) &&
        (bare.checked || item.sketches.length) &&
        (fits(item.words) || item.modifiers.some((modifier) => fits(modifier.words))),
    );
  };
  /** @param {Thing} item */
  function card(item) {
    const box = make('article', 'th-colorings-thing');
    const label = make('label');
    const tick = make('input');
    const text = make('span');
    const kinds = item.modifiers.length;
    tick.type = 'checkbox';
    tick.checked = picked.has(item.words);
    tick.addEventListener('change', () => {
      tick.checked ? picked.add(item.words) : picked.delete(item.words);
      tell();
    });
    text.append(make('b', '', item.words));
    label.append(paper(item.sketches[0]), tick, text);
    box.append(label);
    const warned = item.sketches[0]?.warnings || [];
    if (warned.length) box.append(make('small', 'th-colorings-warned', '△ ' + warned[0]));
    if (!kinds) return box;
    const more = make('button', 'th-colorings-more');
    const states = make('div', 'th-colorings-states');
    more.type = 'button';
    function report() {
      const on = item.modifiers.filter((modifier) => picked.has(modifier.words)).length;
      put(more, (on ? on + ' of ' : '') + kinds + (kinds === 1 ? ' modifier' : ' modifiers'));
    }
    function unfold() {
      const on = open.has(item.words);
      more.setAttribute('aria-expanded', String(on));
      box.toggleAttribute('data-open', on);
      states.hidden = !on;
      if (!on || states.children.length) return;
      item.modifiers.forEach((modifier) => {
        const chip = make('label', 'th-study-chip');
        const pick = make('input');
        pick.type = 'checkbox';
        pick.checked = picked.has(modifier.words);
        pick.addEventListener('change', () => {
          pick.checked ? picked.add(modifier.words) : picked.delete(modifier.words);
          report();
          tell();
        });
        chip.append(pick, make('span', '', modifier.words.slice(0, -item.words.length).trim()));
        chip.title = modifier.words + ', ' + modifier.kind;
        states.append(chip);
      });
      const all = button(
        'All',
        () =>
          take(
            item.modifiers.map((modifier) => modifier.words),
            true,
          ),
        'th-study-small',
      );
      all.setAttribute('aria-label', 'All modifiers of ' + item.words);
      states.append(all);
    }
    more.addEventListener('click', () => {
      open.has(item.words) ? open.delete(item.words) : open.add(item.words);
      unfold();
    });
    more.setAttribute('aria-label', 'Modifiers of ' + item.words);
    report();
    unfold();
    box.append(more, states);
    return box;
  }
  function draw() {
    const shown = shownThings();
    const held = items.scrollTop;
    items.replaceChildren(...shown.map(card));
    items.scrollTop = held;
    if (!shown.length)
      items.append(
        make(
          'p',
          'th-soft',
          bare.checked
            ? 'No concept matches. Add your own concept below.'
            : 'No concept with a sketch matches. Show concepts without one, or import a drawing in Colorize.',
        ),
      );
    const counted = (name) =>
      every.filter(
        (item) =>
          (name === EVERY || item.category === name) && (bare.checked || item.sketches.length),
      ).length;
    const names = [EVERY, ...new Set(every.map((item) => item.category))];
    strip(
      categories,
      names.map((name) => ({ id: name, name: name + ' ' + counted(name) })),
      category,
      (id) => {
        category = id;
        items.scrollTop = 0;
        draw();
      },
    );
  }
  const withStates = () =>
    shownThings().flatMap((shownThing) => [
      shownThing.words,
      ...shownThing.modifiers.map((modifier) => modifier.words),
    ]);
  const buttons = make('div', 'th-study-buttons');
  buttons.append(
    button(
      'Select all shown',
      () =>
        take(
          shownThings().map((shownThing) => shownThing.words),
          true,
        ),
      'th-study-small',
    ),
    button('…and their modifiers', () => take(withStates(), true), 'th-study-small'),
    button('Clear selection', () => take([...picked], false), 'th-study-small'),
  );
  const bareLabel = make('label', 'th-study-check');
  bareLabel.append(bare, make('span', '', 'Show concepts without a sketch'));
  bar.append(search, bareLabel, buttons);
  bare.addEventListener('change', draw);
  search.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(draw, WAIT_MS);
  });

  // ── words of one's own ─────────────────────────────────────────────────────────────────────
  const typed = make('textarea');
  const typedBox = make('div', 'th-study-field');
  const typedLabel = make('label', '', 'One per line, or comma-separated');
  const waiting = make('p', 'th-study-hint');
  const typedWords = () =>
    typed.value
      .split(/[\n,;]+/)
      .map((text) => text.trim())
      .filter(Boolean);
  function tellTyped() {
    const { length } = typedWords();
    put(waiting, length ? 'Not added yet. They are added when you create or save the study.' : '');
  }
  function addTyped() {
    const message = typedWords();
    typed.value = '';
    tellTyped();
    if (!message.length) return;
    const known = new Map(
      every.flatMap((item) =>
        [item, ...item.modifiers].map((entry) => [normal(entry.words), entry.words]),
      ),
    );
    take(
      message.map((text) => known.get(normal(text)) || text),
      true,
    );
  }
  waiting.setAttribute('role', 'status');
  typed.addEventListener('input', tellTyped);
  typed.rows = 3;
  typed.id = 'th-colorings-typed';
  typed.placeholder = 'a rusty key\nmoldy apple';
  typedLabel.htmlFor = typed.id;
  typedBox.append(
    typedLabel,
    typed,
    button('Add concepts', addTyped),
    waiting,
    make(
      'p',
      'th-study-hint',
      'A concept that ends with a known object uses its sketch: “moldy apple” uses the apple. For other concepts, import or draw a sketch with the same name in Colorize.',
    ),
  );

  const colorize = make('a', '', 'Colorize');
  const target = make('p', 'th-study-hint');
  colorize.href = '?tab=colorize';
  colorize.target = '_blank';
  target.append('Import, generate and test line drawings in ', colorize, '.');
  field.append(line, categories, bar, items, said);
  node.append(
    field,
    target,
    chosen.node,
    fold('Other concepts', typedBox),
    fold(
      'Random subset',
      row(
        source.number('number', 'Concepts in the study', {
          hint: '0 = every concept with a sketch; otherwise a random subset (seed).',
        }),
        source.number('seed', 'Seed', {
          hint: 'Controls the random choice of concepts and their order.',
        }),
      ),
    ),
  );
  (async () => {
    try {
      const list = await ask('/api/studies/concepts');
      // Who brought a drawing looks for it: it stands first.
      const own = list.others.map((other) => ({ ...other, category: OWN, modifiers: [] }));
      every = [...own, ...list.things];
      every.forEach((item) => {
        sketches.set(normal(item.words), item.sketches);
        item.modifiers.forEach((modifier) => {
          if (modifier.sketches) sketches.set(normal(modifier.words), modifier.sketches);
        });
      });
      draw();
      tell();
    } catch (error) {
      items.replaceChildren();
      line.say('The concepts cannot be shown. ' + error.message);
    }
  })();
  return { node, addTyped };
}
