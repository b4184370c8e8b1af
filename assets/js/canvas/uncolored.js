// What still needs a color: lines on its paper, and a ring around what is small. The paper around the
// drawing needs none.
import { button, make } from './nodes.js';

/** In CSS pixels: a region of a smaller side, if it were a square, has a ring. */
const SMALL_PX = 7;
const RING_PX = 8;
/** Of the drawing: a smaller region is a speck, to be colored when all others are. */
const MIN_SHARE = 0.0002;
/** In CSS pixels: to a smaller region the button zooms in. */
const NEAR_PX = 24;

export class Uncolored {
  on = false;
  #key = '';
  /** @type {{ label: number, x: number, y: number, side: number }[]} */ #left = [];
  #closing = -1;

  /** @param {import('./canvas.js').ColoringCanvas} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    const { width, height } = canvas.sketch;
    this.following = button('›', () => this.#follow(), {
      'aria-label': canvas.say('next'),
      title: canvas.say('next'),
    });
    this.following.style.cssText = 'min-width:38px;font-size:22px';
    this.paper = make('canvas', { class: 'cv-paper', width, height });
  }

  /**
   * The regions of which most has no color, but the paper around the drawing; specks only where
   * nothing else is left. Their labels, a pixel inside, and the side of a square of their area. They
   * are computed again after each action.
   */
  get left() {
    const { layer, regions, closing, actions } = this.canvas;
    const key = [closing, actions.length].join();
    if (!layer || !regions || this.#key === key) return this.#left;
    const surround = regions.surround(closing);
    const labels = layer.alike(null, closing).filter((label) => !surround[label]);
    const large = labels.filter((label) => regions.share(closing, label) >= MIN_SHARE);
    this.#left = (large[0] ? large : labels).map((label) => {
      const [x, y] = regions.middle(closing, label);
      const side = Math.sqrt(regions.share(closing, label) * regions.width * regions.height);
      return { label, x, y, side };
    });
    this.#key = key;
    return this.#left;
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

  /** Goes to the next region as the key does, and near where it is small. */
  #follow() {
    const { canvas } = this;
    const { view, layer, closing } = canvas;
    canvas.jump(1);
    const { cursor } = view;
    const label = cursor && layer?.labelAt(cursor.x, cursor.y, closing);
    const region = this.left.find((item) => item.label === label);
    if (!cursor || !region) return;
    if (region.side * view.scale < NEAR_PX) view.zoom(NEAR_PX / (region.side * view.scale));
    view.reveal(cursor.x, cursor.y);
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
    view.overlay = on ? (line, scale) => this.#draw(line, scale) : null;
    this.update();
    const n = this.left.length;
    canvas.tell(on ? (n ? 'bare_left' : 'bare_none') : '', { n });
    view.mark();
  }

  /** Something was done, or lines have other gaps. */
  update() {
    const { canvas } = this;
    if (!this.on) return;
    if (this.#closing !== canvas.closing) this.#cover();
    canvas.tools.count.textContent = String(this.left.length);
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
    for (const { x, y, side } of this.left) {
      if (side * scale >= SMALL_PX) continue;
      const radius = RING_PX / scale;
      rings.moveTo(x + 0.5 + radius, y + 0.5);
      rings.arc(x + 0.5, y + 0.5, radius, 0, 2 * Math.PI);
    }
    line(rings, 1.5);
  }
}
