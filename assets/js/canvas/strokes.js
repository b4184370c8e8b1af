// A stroke in progress: it is on the layer at once, and an action at its end.

import { rowsOf } from './actions.js';

/** @typedef {import('./actions.js').Stroke} Stroke */

/** A stroke of so many points goes on as another action; twice as many are the most of one. */
const LONG = 1_024;

/** Points nearer than this part of the diameter are excluded: nobody sees them, and each is painted. */
const NEAR = 1 / 16;

/** @param {number} value */
const held = (value) => Math.min(Math.max(value, -2_048), 4_096);

export class Strokes {
  /** @type {Stroke | null} */ #stroke = null;
  #painted = false;
  /** @type {number[] | null} where it is, past its last point */ #next = null;
  /** @type {[number, number] | null} where the last one ended, while it is there */ last = null;

  /** @param {import('./canvas.js').ColoringCanvas} canvas */
  constructor(canvas) {
    this.canvas = canvas;
  }

  /** Whether one is being drawn. */
  get drawing() {
    return !!this.#stroke;
  }

  /** A stroke is meant from its first point on. */
  get rests() {
    return false;
  }

  /**
   * Begins one with what is set. Gives back whether it did; where not, that is said.
   * @param {number} x
   * @param {number} y
   * @param {boolean} erases
   * @param {boolean} [straight] whether it comes from where the last one ended
   */
  begin(x, y, erases, straight) {
    const { canvas } = this;
    canvas.endStroke();
    const { layer, closing, diameter } = canvas;
    if (!layer || !canvas.enabled || (!erases && !canvas.colored())) return false;
    if (!canvas.hasRoom(diameter + 2)) return false;
    const within = canvas.within ? closing : null;
    /** @type {[number, number]} */
    const start = (straight && this.last) || [x, y];
    if (within !== null && !layer.labelAt(...start, within)) {
      canvas.tellNoRegion(...start);
      return false;
    }
    const color = erases ? null : canvas.color;
    this.#begin({ do: 'stroke', points: start.map(held), diameter, color, within });
    if (straight) this.extend(x, y);
    return true;
  }

  /** @param {Stroke} stroke */
  #begin(stroke) {
    this.#stroke = stroke;
    this.#painted = false;
    this.#next = null;
    this.canvas.layer?.begin(stroke);
    this.#draw(stroke.points);
  }

  /** @param {number[]} points */
  #draw(points) {
    const box = this.canvas.layer?.extend(points);
    if (!box) return;
    this.#painted = true;
    this.canvas.view.paint(box);
  }

  /**
   * Goes on to a point.
   * @param {number} x
   * @param {number} y
   */
  extend(x, y) {
    if (!this.#stroke) return;
    const { points, diameter } = this.#stroke;
    const [px, py] = (this.#next = [held(x), held(y)]);
    const [lx, ly] = points.slice(-2);
    if (Math.hypot(px - lx, py - ly) >= NEAR * diameter) this.#follow();
  }

  /** Goes on to where it is. */
  #follow() {
    const stroke = this.#stroke;
    const next = this.#next;
    const { canvas } = this;
    const { layer } = canvas;
    this.#next = null;
    if (!stroke || !layer || !next) return;
    const { points, within, diameter } = stroke;
    const [px, py] = next;
    const count = points.length / 2;
    const [lx, ly] = points.slice(-2);
    if (px === lx && py === ly) return;
    if (count < 2 * LONG) {
      if (!canvas.hasRoom(rowsOf(stroke) + diameter + 2 + Math.abs(py - ly))) {
        this.end();
        return;
      }
      points.push(px, py);
      this.#draw(next);
    }
    if (count < LONG) return;
    // The next action has to begin in the region that this one is kept inside of.
    const label = (/** @type {number} */ x, /** @type {number} */ y) =>
      within === null ? 0 : layer.labelAt(x, y, within);
    if (label(px, py) !== label(points[0], points[1])) return;
    this.end();
    if (canvas.hasRoom(diameter + 2)) this.#begin({ ...stroke, points: next });
  }

  /** Ends it: an action, where it painted anything. */
  end() {
    this.#follow();
    const stroke = this.#stroke;
    const { canvas } = this;
    if (!stroke || !canvas.layer) return;
    if (!this.#painted) {
      this.cancel();
      return;
    }
    this.#stroke = null;
    this.last = /** @type {[number, number]} */ (stroke.points.slice(-2));
    canvas.log(stroke, canvas.layer.end());
  }

  /** Takes it back, as if there had been none. */
  cancel() {
    if (!this.#stroke) return;
    this.#stroke = null;
    this.canvas.view.paint(this.canvas.layer?.cancel() || null);
  }
}
