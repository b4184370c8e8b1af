// Concepts to color: concepts by category with their sketches, other words, and what has no sketch.
import { make, many, put, strip } from '../../shared/dom.js';
import { ask } from '../../shared/http.js';
import { fieldsOf, fold, part, row } from '../form_fields.js';
import { button, problemLine } from '../parts.js';
import { chosenList } from './concepts_chosen.js';
import { normal, paper } from './sketch_choice.js';

const EVERY = 'All';
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
    'Participants color one line drawing per concept. Its states and moods share the drawing.',
  );
  const of = fieldsOf(form, changed);
  const field = make('div', 'th-jd-field');
  const line = problemLine();
  const categories = make('div', 'th-strip');
  const bar = make('div', 'th-jc-bar');
  const search = make('input');
  const bare = make('input');
  const things = make('div', 'th-jc-things');
  const said = make('p', 'th-jc-said');
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
  things.append(make('p', 'th-soft', 'Reading concepts and sketches…'));

  /** The sketches that fit some words, as the app looks for them. @param {string} words */
  function sketchesOf(words) {
    const parts = normal(words).split(' ');
    const out = [];
    parts.forEach((_, start) => {
      (sketches.get(parts.slice(start).join(' ')) || []).forEach((one) => {
        if (!out.some((other) => other.key === one.key)) out.push(one);
      });
    });
    return out;
  }
  function tell() {
    form.concepts = [...picked];
    const without = form.concepts.filter((words) => !sketchesOf(words).length).length;
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
  /** @param {Iterable<string>} words @param {boolean} on */
  function take(words, on) {
    for (const one of words) on ? picked.add(one) : picked.delete(one);
    draw();
    tell();
  }
  const chosen = chosenList({
    form,
    sketchesOf,
    changed,
    drop: (words) => take([words], false),
  });

  const shownThings = () => {
    const words = normal(search.value).split(' ').filter(Boolean);
    const fits = (text) => words.every((word) => text.includes(word));
    return every.filter(
      (thing) =>
        (category === EVERY || thing.category === category) &&
        (bare.checked || thing.sketches.length) &&
        (fits(thing.words) || thing.modifiers.some((one) => fits(one.words))),
    );
  };
  /** @param {Thing} thing */
  function card(thing) {
    const box = make('article', 'th-jc-thing');
    const label = make('label');
    const tick = make('input');
    const words = make('span');
    const kinds = thing.modifiers.length;
    tick.type = 'checkbox';
    tick.checked = picked.has(thing.words);
    tick.addEventListener('change', () => {
      tick.checked ? picked.add(thing.words) : picked.delete(thing.words);
      tell();
    });
    words.append(make('b', '', thing.words));
    label.append(paper(thing.sketches[0]), tick, words);
    box.append(label);
    const warned = thing.sketches[0]?.warnings || [];
    if (warned.length) box.append(make('small', 'th-jc-warned', '△ ' + warned[0]));
    if (!kinds) return box;
    const more = make('button', 'th-jc-more');
    const states = make('div', 'th-jc-states');
    more.type = 'button';
    function told() {
      const on = thing.modifiers.filter((one) => picked.has(one.words)).length;
      put(more, (on ? on + ' of ' : '') + kinds + (kinds === 1 ? ' state' : ' states'));
    }
    function unfold() {
      const on = open.has(thing.words);
      more.setAttribute('aria-expanded', String(on));
      box.toggleAttribute('data-open', on);
      states.hidden = !on;
      if (!on || states.children.length) return;
      thing.modifiers.forEach((one) => {
        const chip = make('label', 'th-jd-chip');
        const pick = make('input');
        pick.type = 'checkbox';
        pick.checked = picked.has(one.words);
        pick.addEventListener('change', () => {
          pick.checked ? picked.add(one.words) : picked.delete(one.words);
          told();
          tell();
        });
        chip.append(pick, make('span', '', one.words.slice(0, -thing.words.length).trim()));
        chip.title = one.words + ', ' + one.kind;
        states.append(chip);
      });
      const all = button(
        'All',
        () =>
          take(
            thing.modifiers.map((one) => one.words),
            true,
          ),
        'th-jd-small',
      );
      all.setAttribute('aria-label', 'All states of ' + thing.words);
      states.append(all);
    }
    more.addEventListener('click', () => {
      open.has(thing.words) ? open.delete(thing.words) : open.add(thing.words);
      unfold();
    });
    more.setAttribute('aria-label', 'States and moods of ' + thing.words);
    told();
    unfold();
    box.append(more, states);
    return box;
  }
  function draw() {
    const shown = shownThings();
    const held = things.scrollTop;
    things.replaceChildren(...shown.map(card));
    things.scrollTop = held;
    if (!shown.length)
      things.append(
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
        (thing) =>
          (name === EVERY || thing.category === name) && (bare.checked || thing.sketches.length),
      ).length;
    const names = [EVERY, ...new Set(every.map((thing) => thing.category))];
    strip(
      categories,
      names.map((name) => ({ id: name, name: name + ' ' + counted(name) })),
      category,
      (id) => {
        category = id;
        things.scrollTop = 0;
        draw();
      },
    );
  }
  const withStates = () =>
    shownThings().flatMap((thing) => [thing.words, ...thing.modifiers.map((one) => one.words)]);
  const buttons = make('div', 'th-jd-buttons');
  buttons.append(
    button(
      'Select all shown',
      () =>
        take(
          shownThings().map((thing) => thing.words),
          true,
        ),
      'th-jd-small',
    ),
    button('…and their states', () => take(withStates(), true), 'th-jd-small'),
    button('Clear selection', () => take([...picked], false), 'th-jd-small'),
  );
  const bareLabel = make('label', 'th-jd-check');
  bareLabel.append(bare, make('span', '', 'Show concepts without a sketch'));
  bar.append(search, bareLabel, buttons);
  bare.addEventListener('change', draw);
  search.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(draw, WAIT_MS);
  });

  // ── words of one's own ─────────────────────────────────────────────────────────────────────
  const typed = make('textarea');
  const typedBox = make('div', 'th-jd-field');
  const typedLabel = make('label', '', 'One per line, or comma-separated');
  const waiting = make('p', 'th-jd-hint');
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
    const words = typedWords();
    typed.value = '';
    tellTyped();
    if (!words.length) return;
    const known = new Map(
      every.flatMap((thing) =>
        [thing, ...thing.modifiers].map((one) => [normal(one.words), one.words]),
      ),
    );
    take(
      words.map((text) => known.get(normal(text)) || text),
      true,
    );
  }
  waiting.setAttribute('role', 'status');
  typed.addEventListener('input', tellTyped);
  typed.rows = 3;
  typed.id = 'th-jc-typed';
  typed.placeholder = 'a rusty key\nmoldy apple';
  typedLabel.htmlFor = typed.id;
  typedBox.append(
    typedLabel,
    typed,
    button('Add concepts', addTyped),
    waiting,
    make(
      'p',
      'th-jd-hint',
      'A concept that ends with a known object uses its sketch: “moldy apple” uses the apple. For other concepts, import or draw a sketch with the same name in Colorize.',
    ),
  );

  const colorize = make('a', '', 'Colorize');
  const where = make('p', 'th-jd-hint');
  colorize.href = '?tab=colorize';
  colorize.target = '_blank';
  where.append('Import, draw and test line drawings in ', colorize, '.');
  field.append(line, categories, bar, things, said);
  node.append(
    field,
    where,
    chosen.node,
    fold('Other concepts', typedBox),
    fold(
      'Random subset',
      row(
        of.number('number', 'Concepts in the study', {
          hint: '0 = every concept with a sketch; otherwise a random subset (seed).',
        }),
        of.number('seed', 'Seed', {
          hint: 'Controls the random choice of concepts and their order.',
        }),
      ),
    ),
  );
  (async () => {
    try {
      const list = await ask('/api/studies/concepts');
      every = list.things;
      every.forEach((thing) => {
        sketches.set(normal(thing.words), thing.sketches);
        thing.modifiers.forEach((one) => {
          if (one.sketches) sketches.set(normal(one.words), one.sketches);
        });
      });
      list.others.forEach((one) => sketches.set(normal(one.words), one.sketches));
      draw();
      tell();
    } catch (error) {
      things.replaceChildren();
      line.say('The concepts cannot be shown. ' + error.message);
    }
  })();
  return { node, addTyped };
}
