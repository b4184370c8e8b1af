// An image as it is: each of its pixels is a square of whole pixels of the screen, never fewer than
// one, and stands on their grid. What is larger than its place is moved.

import { make, put } from './frame.js';
import { gridStep, onGrid, wholeScale } from './pixel_grid.js';
import { decoded } from './images.js';
import { say } from './texts.js';

const CLOSER = 2;
const DRAG_PX = 3;

/** @type {Record<string, [number, number]>} */
const STEPS = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

export class ExactImage {
  #close = false;
  /** @type {HTMLImageElement | null} */ #image = null;

  /** Screen pixels a side for each pixel of the picture. */
  scale = 1;

  /** @param {(close: boolean) => void} closer called when it is looked at closely, or no more */
  constructor(closer) {
    this.node = make('div', 'field exact');
    this.room = make('div', 'exact-room');
    this.sheet = make('div', 'exact-sheet');
    this.hint = make('p', 'exact-hint', say('picture_larger'));
    this.notice = make('p', 'field-words');
    this.hint.hidden = this.notice.hidden = true;
    this.room.append(this.sheet);
    this.node.append(this.room, this.hint, this.notice);
    this.zoom = {
      used: false,
      toggle: () => {
        this.#close = !this.#close;
        this.zoom.used ||= this.#close;
        this.#arrange(true);
        closer(this.#close);
      },
      step: (/** @type {string} */ key) => this.#step(key),
    };
    this.closer = closer;
    this.#drag();
    new ResizeObserver(() => this.#arrange()).observe(this.node);
    this.#followScreen();
  }

  /** Another screen, or another zoom of the page, has other pixels. */
  #followScreen() {
    const query = matchMedia(`(resolution: ${devicePixelRatio}dppx)`);
    query.addEventListener(
      'change',
      () => {
        this.#arrange();
        this.#followScreen();
      },
      { once: true },
    );
  }

  /** There are no places to tell apart. */
  get arrangement() {
    return undefined;
  }

  /**
   * Gets a question ready: its image decoded.
   * @param {Api.QuestionTrial} trial
   * @param {() => void} changed called when the picture is not to be had for now
   */
  prepare(trial, changed) {
    const prepared = { trial, ready: false, missing: false, done: Promise.resolve(), images: [] };
    const missing = () => {
      prepared.missing = true;
      changed();
    };
    // The file as it is, whatever its size.
    const wanted = trial.image
      ? decoded(trial.image, Infinity, say('picture_one'), missing)
      : Promise.resolve(null);
    prepared.done = wanted.then((image) => {
      Object.assign(prepared, { images: image ? [image] : [], ready: true, missing: false });
    });
    return prepared;
  }

  /**
   * Puts a prepared question's picture on the page.
   * @param {any} prepared
   * @param {string} [text] in its place
   */
  show(prepared, text) {
    this.clear(text || '');
    this.#image = prepared.images[0] || null;
    this.sheet.replaceChildren(...prepared.images);
    this.zoom.used = false;
    if (this.#close) this.closer(false);
    this.#close = false;
    this.#arrange(true);
  }

  /**
   * No image, and words in its place where there are any.
   * @param {string} text
   */
  clear(text) {
    put(this.notice, text);
    this.notice.hidden = !text;
    this.node.classList.toggle('words-only', !!text);
  }

  /** Nothing is chosen in the picture. */
  mark() {}

  /** Nor pressed. */
  enable() {}

  /** @param {boolean} [anew] whether to look at its middle */
  #arrange(anew = false) {
    const image = this.#image;
    if (!image) return;
    const dpr = devicePixelRatio;
    const size = { width: image.naturalWidth, height: image.naturalHeight };
    // Without the hint first: what fits without it needs none.
    this.hint.hidden = true;
    const fit = wholeScale(size, this.#roomSize(), dpr);
    this.scale = this.#close ? CLOSER * fit : fit;
    const [width, height] = [(size.width * this.scale) / dpr, (size.height * this.scale) / dpr];
    const over = () => {
      const room = this.#roomSize();
      return width > room.width + 0.01 || height > room.height + 0.01;
    };
    this.hint.hidden = !over();
    this.room.classList.toggle('movable', over());
    const box = this.room.getBoundingClientRect();
    const { style } = image;
    style.width = width + 'px';
    style.height = height + 'px';
    style.left = onGrid(box.left, box.width, width, dpr) + 'px';
    style.top = onGrid(box.top, box.height, height, dpr) + 'px';
    if (anew) {
      const step = gridStep(dpr);
      this.room.scrollLeft = Math.round((width - box.width) / 2 / step) * step;
      this.room.scrollTop = Math.round((height - box.height) / 2 / step) * step;
    }
  }

  #roomSize() {
    const { width, height } = this.room.getBoundingClientRect();
    return { width, height };
  }

  /**
   * Moves what is larger than its place; gives back whether it is.
   * @param {string} key of an arrow
   */
  #step(key) {
    if (!this.room.classList.contains('movable') || !STEPS[key]) return false;
    const [x, y] = STEPS[key];
    const { width, height } = this.#roomSize();
    this.#scrollBy((x * width) / 4, (y * height) / 4);
    return true;
  }

  /**
   * By whole pixels of the screen.
   * @param {number} x CSS pixels
   * @param {number} y
   */
  #scrollBy(x, y) {
    const step = gridStep(devicePixelRatio);
    this.room.scrollBy(Math.round(x / step) * step, Math.round(y / step) * step);
  }

  /** A mouse drags; fingers move it by themselves. */
  #drag() {
    /** @type {{ x: number, y: number } | null} */
    let held = null;
    const { room } = this;
    room.addEventListener('pointerdown', (event) => {
      if (event.pointerType !== 'mouse' || event.button) return;
      held = { x: event.clientX, y: event.clientY };
      room.setPointerCapture(event.pointerId);
    });
    room.addEventListener('pointermove', (event) => {
      if (!held) return;
      const [x, y] = [held.x - event.clientX, held.y - event.clientY];
      if (Math.hypot(x, y) < DRAG_PX) return;
      held = { x: event.clientX, y: event.clientY };
      this.#scrollBy(x, y);
    });
    for (const name of ['pointerup', 'pointercancel'])
      room.addEventListener(name, () => (held = null));
  }
}
