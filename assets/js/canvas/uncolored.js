// What still needs a color: lines on its paper, and a ring around what is small. The paper around the
// drawing needs none.
import { button, make } from './nodes.js';

/** In CSS pixels: a region of a smaller side, if it were a square, has a ring. */
const SMALL_PX = 7;
const RING_PX = 8;
/** Of the drawing: a smaller region is tiny, to be colored when all others are. */
const MIN_SHARE = 0.0002;
/** A border with the paper around the drawing counts so much of another: the tip of a leaf gets the
 * color of the leaf. */
const PAPER_WEIGHT = 0.25;
/** How long rings show the regions that *Fill tiny* filled. */
const SHOWN_MS = 4_000;

export class Uncolored {
  on = false;
  #key = '';
  /** @type {{ label: number, x: number, y: number, side: number }[]} */ #left = [];
  /** @type {number[]} labels of those of them that are tiny, and of other tiny ones */ #tiny = [];
  #closing = -1;
  /** Pixels inside the regions that Fill tiny has just filled. @type {number[]} */
  #filledPoints = [];

  /** @param {import('./canvas.js').ColoringCanvas} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    const { width, height } = canvas.sketch;
    this.following = button('›', () => canvas.jump(1), {
      'aria-label': canvas.say('next'),
      title: canvas.say('next'),
    });
    this.following.style.cssText = 'min-width:38px;font-size:22px';
    this.paper = make('canvas', { class: 'cv-paper', width, height });
  }

  /**
   * The regions of which most has no color, but the paper around the drawing; tiny ones only where
   * nothing else is left. Their labels, a pixel inside, and the side of a square of their area. They
   * are computed again after each action.
   */
  get left() {
    const { layer, regions, closing, actions } = this.canvas;
    const key = [closing, actions.length].join();
    if (!layer || !regions || this.#key === key) return this.#left;
    const surround = regions.surround(closing);
    const labels = layer.alike(null, closing).filter((label) => !surround[label]);
    const isTiny = (/** @type {number} */ label) => regions.share(closing, label) < MIN_SHARE;
    const large = labels.filter((label) => !isTiny(label));
    this.#tiny = labels.filter(isTiny);
    this.#left = (large[0] ? large : labels).map((label) => {
      const [x, y] = regions.middle(closing, label);
      const side = Math.sqrt(regions.share(closing, label) * regions.width * regions.height);
      return { label, x, y, side };
    });
    this.#key = key;
    return this.#left;
  }

  /**
   * How many there are, and how many tiny ones beside them: so it only falls as one fills.
   * @param {boolean} [short] where there is no room for the word
   */
  text(short) {
    const { length } = this.left;
    const tiny = this.#tiny.length;
    const n = length - (this.#left[0]?.label === this.#tiny[0] ? tiny : 0);
    if (!tiny) return String(n);
    return short ? `${n} + ${tiny}` : this.canvas.say('bare_count', { n, tiny });
  }

  /**
   * The region after one, or before it, while they are shown and there is any.
   * @param {number} label
   * @param {number} step 1 or -1
   */
  next(label, step) {
    const labels = this.on ? this.left.map((region) => region.label) : [];
    const ahead = labels.filter((other) => step * (other - label) > 0);
    return (ahead.length ? ahead : labels).at(step > 0 ? 0 : -1);
  }

  /** Whether they are shown and there is none; says so. */
  none() {
    if (!this.on || this.left.length) return false;
    this.canvas.tell('bare_none');
    return true;
  }

  /** @param {boolean} on */
  show(on) {
    const { canvas } = this;
    const { view } = canvas;
    this.on = on;
    view.sheet.classList.toggle('bare', on);
    if (on) view.sheet.prepend(this.paper);
    else this.paper.remove();
    // A narrow screen is a phone's, which has no keys.
    if (on && getComputedStyle(canvas.tools.color).display !== 'none')
      canvas.tools.bare.after(this.following);
    else this.following.remove();
    view.layOut();
    this.#ring();
    this.update();
    canvas.tell(on ? (this.left.length ? 'bare_left' : 'bare_none') : '', { n: this.text() });
    view.mark();
  }

  /** Has the drawing show rings where there are any. */
  #ring() {
    const { view } = this.canvas;
    const some = this.on || this.#filledPoints.length > 0;
    view.overlay = some ? (line, scale) => this.#draw(line, scale) : null;
    view.mark();
  }

  /** Something was done, or lines have other gaps. */
  update() {
    const { canvas } = this;
    if (this.#filledPoints.length) {
      this.#filledPoints = [];
      this.#ring();
    }
    if (!this.on) return;
    if (this.#closing !== canvas.closing) this.#cover();
    canvas.tools.count.textContent = this.text(this.following.isConnected);
  }

  /**
   * Fills each tiny region like the neighbor with which it shares the longest border, of those that
   * have a color, and shows where. These are plain fills, one for each color, and one step for undo.
   */
  fillTiny() {
    const { canvas } = this;
    const { layer, regions, closing } = canvas;
    canvas.endStroke();
    if (!layer || !regions || !canvas.enabled) return;
    const labels = this.left && this.#tiny;
    const surround = regions.surround(closing);
    /** @type {Map<number, string>} */ const colors = new Map();
    /** @type {Map<number, string | null>} */ const around = new Map(
      labels.map((label) => [label, null]),
    );
    const colorOf = (/** @type {number} */ label) => {
      if (!around.has(label))
        around.set(label, layer.mainColor(...regions.middle(closing, label), closing));
      return colors.get(label) || around.get(label) || null;
    };
    // One that has tiny neighbors alone takes the color that they get.
    for (let before = -1; before < colors.size;) {
      before = colors.size;
      const found = labels
        .filter((label) => !colors.has(label))
        .map((label) => {
          const borders = [...bordersOf(regions, closing, label)].filter(([other]) =>
            colorOf(other),
          );
          const weight = ([other, sides]) => sides * (surround[other] ? PAPER_WEIGHT : 1);
          const [longest] = borders.sort((one, other) => weight(other) - weight(one));
          return longest && { label, color: colorOf(longest[0]) || '' };
        });
      for (const item of found) if (item) colors.set(item.label, item.color);
    }
    [...new Set(colors.values())].forEach((color, n) => {
      const those = labels.filter((label) => colors.get(label) === color);
      const points = those.flatMap((label) => regions.middle(closing, label));
      canvas.fillPoints(points, color, n > 0);
    });
    const points = [...colors.keys()].flatMap((label) => regions.middle(closing, label));
    this.#filledPoints = points;
    this.#ring();
    setTimeout(() => {
      if (this.#filledPoints === points) this.#filledPoints = [];
      this.#ring();
    }, SHOWN_MS);
    const n = colors.size;
    canvas.tell(n ? 'tiny_filled' : labels.length ? 'tiny_bare' : 'tiny_none', { n });
  }

  /** Covers the lines on the paper around the drawing. */
  #cover() {
    const { closing, regions } = this.canvas;
    const context = this.paper.getContext('2d');
    if (!regions || !context) return;
    const { width, height } = regions;
    const surround = regions.surround(closing);
    const labels = regions.maps[closing];
    const image = context.createImageData(width, height);
    const values = new Uint32Array(image.data.buffer);
    for (let i = 0; i < labels.length; i++) if (surround[labels[i]]) values[i] = 0xffffffff;
    context.putImageData(image, 0, 0);
    this.#closing = closing;
  }

  /**
   * @param {(path: Path2D, width: number) => void} line
   * @param {number} scale CSS pixels a pixel of the drawing has
   */
  #draw(line, scale) {
    const rings = new Path2D();
    const radius = RING_PX / scale;
    const ring = (/** @type {number} */ x, /** @type {number} */ y) => {
      rings.moveTo(x + 0.5 + radius, y + 0.5);
      rings.arc(x + 0.5, y + 0.5, radius, 0, 2 * Math.PI);
    };
    if (this.on) for (const { x, y, side } of this.left) if (side * scale < SMALL_PX) ring(x, y);
    const points = this.#filledPoints;
    for (let i = 0; i < points.length; i += 2) ring(points[i], points[i + 1]);
    line(rings, 1.5);
  }
}

/**
 * How many sides of pixels a region shares with each other one.
 * @param {import('./regions.js').Regions} regions
 * @param {number} closing
 * @param {number} label
 * @returns {Map<number, number>} by the label of the other
 */
function bordersOf(regions, closing, label) {
  const { width } = regions;
  const labels = regions.maps[closing];
  const spans = regions.spans(closing, label);
  const borders = new Map();
  const touch = (/** @type {number} */ i) => {
    const other = labels[i];
    if (other && other !== label) borders.set(other, (borders.get(other) || 0) + 1);
  };
  for (let i = 0; i < spans.length; i += 3) {
    const [y, x0, x1] = spans.subarray(i, i + 3);
    const row = y * width;
    if (x0) touch(row + x0 - 1);
    if (x1 < width) touch(row + x1);
    for (let x = x0; x < x1; x++) {
      touch(row + x - width);
      touch(row + x + width);
    }
  }
  return borders;
}
