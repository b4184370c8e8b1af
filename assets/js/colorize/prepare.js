// An image becomes a sketch: threshold, size, specks and shading, with its lines and regions shown
// as they would be.
import { make, put, strip } from '../shared/dom.js';
import { ask, send } from '../shared/http.js';

const WAIT_MS = 250;
const VIEWS = [
  { id: 'ink', name: 'Lines', title: 'The lines of the sketch' },
  { id: 'regions', name: 'Regions', title: 'Each hatch is one region that a click fills' },
];
const SIDES = [512, 768, 1024, 1536, 2048];

/**
 * What is found without being asked.
 * @type {How}
 */
export const USUAL = { threshold: '', side: 1024, speck: 12, flatten: true, lines: [] };

/**
 * @typedef {[number, number, number, number]} Line x0, y0, x1, y1 in ten-thousandths of width and height
 * @typedef {{ threshold: number | '', side: number, speck: number, flatten: boolean,
 *   lines: Line[] }} How `lines` across gaps
 */
const LINE_UNITS = 10_000;
/** In CSS pixels: a shorter drag is a click, and no line. */
const MIN_LINE_PX = 4;

/** @param {How} how @param {Record<string, string>} more */
const queryOf = (how, more) =>
  new URLSearchParams({
    side: String(how.side),
    speck: String(how.speck),
    flatten: how.flatten ? '1' : '0',
    ...(how.threshold === '' ? {} : { threshold: String(how.threshold) }),
    ...(how.lines.length ? { lines: how.lines.join(';') } : {}),
    ...more,
  });

/**
 * The address of a view of the sketch that an image becomes.
 * @param {string} image
 * @param {How} how
 * @param {string} view `ink` or `regions`
 */
export const preparedAddress = (image, how, view) =>
  `/api/colorize/prepared/${image}.png?${queryOf(how, { view })}`;

/** The numbers of the sketch that an image becomes. @param {string} image @param {How} how */
export const askPrepared = (image, how) => ask(`/api/colorize/prepared?${queryOf(how, { image })}`);

/**
 * What is worth knowing of a sketch before it is taken, in words.
 * @param {Api.PreparedSketch} about
 */
export function regionWords(about) {
  const count = about.regions[about.closing];
  const gap = about.closings_px[about.closing];
  const text = count === 1 ? '1 region' : count.toLocaleString('en-US') + ' regions';
  return text + (gap ? ', with gaps up to ' + gap + ' px closed' : ', without closing gaps');
}

/**
 * The warnings of a sketch as a list; nothing of none.
 * @param {string[]} warnings
 */
export function warningList(warnings) {
  const list = make('ul', 'th-colorize-warnings');
  list.append(...warnings.map((warning) => make('li', '', warning)));
  list.hidden = !warnings.length;
  return list;
}

/**
 * A panel that prepares one image.
 * @param {HTMLElement} box
 * @param {{ title: string, does: string, words: boolean, done: (stored: any) => void,
 *   left: () => void }} how what it is called, what its button says, whether it asks for a name,
 *   and what follows
 */
export function preparePanel(box, { title, does, words: named, done, left }) {
  let image = '';
  let name = '';
  /** @type {How} */
  let how = { ...USUAL };
  let view = 'regions';
  let request = 0;
  let waiting = 0;

  const heading = make('h3', '', title);
  const views = make('span', 'th-strip');
  views.setAttribute('role', 'group');
  views.setAttribute('aria-label', 'Shown image');
  const header = make('header');
  header.append(heading, views);
  const preview = make('img', 'th-colorize-prepared');
  const frame = make('div', 'th-colorize-prepared-frame');
  const stroke = make('i', 'th-colorize-stroke');
  stroke.hidden = true;
  frame.append(preview, stroke);
  const count = make('p', 'th-colorize-regions');
  count.setAttribute('role', 'status');
  const warned = make('div');
  const problem = make('p', 'th-problem');
  problem.setAttribute('role', 'alert');
  problem.hidden = true;
  const body = make('div', 'th-colorize-prepare');
  const side = make('div', 'th-colorize-prepare-side');

  const own = make('input');
  own.type = 'text';
  own.maxLength = 80;
  own.setAttribute('list', 'th-colorize-concepts');
  own.autocomplete = 'off';
  const byItself = checkbox('Automatic threshold', (on) => {
    how = { ...how, threshold: on ? '' : Number(threshold.value) };
  });
  const threshold = range(1, 254, 1, (value) => {
    byItself.checked = false;
    how = { ...how, threshold: value };
  });
  const specks = range(0, 120, 1, (value) => {
    how = { ...how, speck: value };
  });
  const flatten = checkbox('Remove shading and gray wash', (on) => {
    how = { ...how, flatten: on };
  });
  const sizes = make('select');
  SIDES.forEach((px) => sizes.append(new Option(px + ' pixels', String(px))));
  sizes.addEventListener('change', () => {
    how = { ...how, side: Number(sizes.value) };
    look();
  });
  const draws = make('button', 'th-button', 'Close a gap');
  draws.title = 'Drag a line across a gap of the drawing';
  draws.addEventListener('click', () => drawing(draws.getAttribute('aria-pressed') !== 'true'));
  const removes = make('button', 'th-button', 'Remove line');
  removes.title = 'Removes the last line that you drew';
  removes.addEventListener('click', () => {
    how = { ...how, lines: how.lines.slice(0, -1) };
    show();
    look();
  });
  draws.type = removes.type = 'button';
  const lines = make('p', 'th-colorize-feet');
  lines.append(draws, removes);
  const act = make('button', 'th-button th-colorize-do', does);
  const cancel = make('button', 'th-button', 'Cancel');
  act.type = cancel.type = 'button';
  const feet = make('p', 'th-colorize-feet');
  feet.append(act, cancel);
  side.append(
    ...(named ? [field('Concept', own)] : []),
    byItself.parentElement || byItself,
    field(
      'Line threshold',
      threshold,
      'Darker pixels are lines: a higher threshold keeps paler lines',
    ),
    flatten.parentElement || flatten,
    field('Remove specks up to', specks, 'Removes dots of ink and of paper with fewer pixels'),
    field('Longer side', sizes),
    lines,
    count,
    feet, // above what may come: they stay where they are
    problem,
    warned,
  );
  body.append(frame, side);
  box.replaceChildren(header, body);

  /** @param {boolean} on whether a drag over the drawing is a line across a gap */
  function drawing(on) {
    draws.setAttribute('aria-pressed', String(on));
    frame.classList.toggle('drawing', on);
  }
  /** @type {PointerEvent | null} */ let start = null;
  frame.addEventListener('pointerdown', (event) => {
    if (!frame.classList.contains('drawing') || event.button) return;
    event.preventDefault();
    frame.setPointerCapture(event.pointerId);
    start = event;
  });
  frame.addEventListener('pointermove', (event) => {
    if (start?.pointerId !== event.pointerId) return;
    const box = frame.getBoundingClientRect();
    const [dx, dy] = [event.clientX - start.clientX, event.clientY - start.clientY];
    stroke.hidden = false;
    stroke.style.cssText = `left:${start.clientX - box.left}px;top:${start.clientY - box.top}px;
      width:${Math.hypot(dx, dy)}px;transform:rotate(${Math.atan2(dy, dx)}rad)`;
  });
  /** @param {PointerEvent} event @param {boolean} lost */
  const lift = (event, lost) => {
    if (start?.pointerId !== event.pointerId) return;
    const from = start;
    start = null;
    stroke.hidden = true;
    const away = Math.hypot(event.clientX - from.clientX, event.clientY - from.clientY);
    if (lost || away < MIN_LINE_PX) return;
    const box = preview.getBoundingClientRect();
    const part = (at, size) => Math.round(Math.min(Math.max(at / size, 0), 1) * LINE_UNITS);
    const line = [from, event].flatMap(({ clientX, clientY }) => [
      part(clientX - box.left, box.width),
      part(clientY - box.top, box.height),
    ]);
    how = { ...how, lines: [...how.lines, /** @type {Line} */ (line)] };
    show();
    look();
  };
  frame.addEventListener('pointerup', (event) => lift(event, false));
  frame.addEventListener('pointercancel', (event) => lift(event, true));

  function field(text, input, title = '') {
    const label = make('label', 'th-colorize-field');
    const value = make('output');
    label.title = title;
    label.append(make('span', '', text), input);
    if (input.type === 'range') label.append(value);
    return label;
  }
  function range(least, max, step, set) {
    const input = make('input');
    input.type = 'range';
    Object.assign(input, { min: String(least), max: String(max), step: String(step) });
    input.addEventListener('input', () => {
      set(Number(input.value));
      show();
      look();
    });
    return input;
  }
  function checkbox(text, set) {
    const label = make('label', 'th-colorize-check');
    const input = make('input');
    input.type = 'checkbox';
    input.addEventListener('change', () => {
      set(input.checked);
      show();
      look();
    });
    label.append(input, make('span', '', text));
    return input;
  }
  function show() {
    byItself.checked = how.threshold === '';
    threshold.disabled = false;
    threshold.value = String(how.threshold === '' ? 128 : how.threshold);
    specks.value = String(how.speck);
    flatten.checked = how.flatten;
    removes.hidden = !how.lines.length;
    sizes.value = String(how.side);
    side.querySelectorAll('output').forEach((node) => {
      const input = node.previousElementSibling;
      if (input === threshold) put(node, how.threshold === '' ? 'found' : String(how.threshold));
      if (input === specks) put(node, how.speck + ' px');
    });
    strip(views, VIEWS, view, (id) => {
      view = id;
      show();
      paint();
    });
  }
  function paint() {
    if (image) preview.src = preparedAddress(image, how, view);
    preview.alt =
      view === 'ink'
        ? 'The lines that are kept'
        : 'The regions that can be filled, each with its own hatch';
  }
  function look() {
    clearTimeout(waiting);
    waiting = setTimeout(now, WAIT_MS);
  }
  async function now() {
    const mine = ++request;
    frame.setAttribute('aria-busy', 'true');
    try {
      const about = await askPrepared(image, how);
      if (mine !== request) return;
      put(count, regionWords(about) + ' · ' + about.width + ' × ' + about.height + ' pixels');
      warned.replaceChildren(warningList(about.warnings));
      problem.hidden = true;
      paint();
    } catch (error) {
      if (mine !== request) return;
      put(count, '');
      refuse(error.message);
    } finally {
      if (mine === request) frame.removeAttribute('aria-busy');
    }
  }
  function refuse(text) {
    put(problem, text);
    problem.hidden = false;
  }
  function close() {
    request++;
    clearTimeout(waiting);
    image = '';
    preview.removeAttribute('src');
    box.hidden = true;
  }
  act.addEventListener('click', async () => {
    if (act.getAttribute('aria-disabled') === 'true') return;
    act.setAttribute('aria-disabled', 'true');
    try {
      const stored = await send('/api/colorize/sketches', {
        image,
        ...how,
        words: named ? own.value.trim() : name,
      });
      close();
      done(stored);
    } catch (error) {
      refuse(error.message);
      if (error.field === 'words') own.focus();
    }
    act.setAttribute('aria-disabled', 'false');
  });
  cancel.addEventListener('click', () => {
    close();
    left();
  });
  return {
    close,
    /**
     * Shows what an image would become.
     * @param {{ image: string, words: string, title?: string, how?: How }} source
     */
    open(source) {
      ({ image } = source);
      name = source.words;
      how = { ...USUAL, ...source.how };
      own.value = source.words;
      put(heading, source.title || title);
      put(count, 'Preparing…');
      warned.replaceChildren();
      problem.hidden = true;
      preview.removeAttribute('src');
      drawing(false);
      box.hidden = false;
      show();
      now();
      box.scrollIntoView({ block: 'nearest' });
    },
  };
}
