// A drag that fills: each region that the pointer enters has its color at once, and together they are
// one action at its end, which one undo takes back.
import { MAX_POINTS } from './actions.js';

export class Sweeps {
  /** @type {import('./actions.js').FillRegions | null} */ #sweep = null;
  /** @type {Set<number>} labels that were entered */ #entered = new Set();
  /** The color of the region where it began. @type {string | null | undefined} */ #before;
  /** @type {number[] | null} the regions that have it */ #alike = null;
  /** @type {[number, number]} */ #last = [0, 0];
  /** Whether the paper around the drawing is filled too: the sweep began there. */
  #surround = false;
  #pressed = 0;

  /** @param {import('./canvas.js').ColoringCanvas} canvas */
  constructor(canvas) {
    this.canvas = canvas;
  }

  /** Whether one is under way. */
  get active() {
    return !!this.#sweep;
  }

  /** Whether it has not left the region where it began. */
  get rests() {
    return this.#entered.size < 2;
  }

  /**
   * Begins one with what is set. Gives back whether it did; where not, that is said.
   * @param {number} x
   * @param {number} y
   * @param {boolean} clears
   * @param {number} [pressed] when, on the clock of the page
   */
  begin(x, y, clears, pressed = performance.now()) {
    const { canvas } = this;
    canvas.endStroke();
    const { layer, closing } = canvas;
    if (!layer || !canvas.enabled || (!clears && !canvas.colored()) || !canvas.hasRoom())
      return false;
    const color = clears ? null : canvas.color;
    const label = layer.labelAt(x, y, closing);
    this.#surround = this.#isSurround(label);
    this.#pressed = pressed;
    this.#before = undefined;
    this.#alike = null;
    canvas.tell('');
    if (!label) canvas.tellNoRegion(x, y);
    else if (!layer.differs({ do: 'fill', x, y, closing, color }))
      canvas.tell(clears ? 'no_color' : 'same');
    this.#begin({ do: 'fill_regions', points: [], closing, color });
    this.#enter(x, y);
    this.#last = [x, y];
    return true;
  }

  /** @param {import('./actions.js').FillRegions} sweep */
  #begin(sweep) {
    this.#sweep = sweep;
    this.#entered.clear();
    this.canvas.layer?.beginFill(sweep.color);
  }

  /** @param {number} label */
  #isSurround(label) {
    const { regions, closing } = this.canvas;
    return !!regions?.surround(closing)[label];
  }

  /**
   * Goes on to a point, through all regions on the way there.
   * @param {number} x
   * @param {number} y
   */
  extend(x, y) {
    if (!this.#sweep) return;
    const [fromX, fromY] = this.#last;
    const steps = Math.max(Math.abs(x - fromX), Math.abs(y - fromY));
    for (let step = 1; step <= steps; step++) {
      const part = step / steps;
      this.#enter(Math.round(fromX + part * (x - fromX)), Math.round(fromY + part * (y - fromY)));
    }
    this.#last = [x, y];
  }

  /**
   * Fills the region at a pixel, if that changes anything. A color goes on into regions that look like
   * the first one, and where that has it already, into those without one; clearing spares none.
   * @param {number} x
   * @param {number} y
   */
  #enter(x, y) {
    const sweep = this.#sweep;
    const { layer, view } = this.canvas;
    if (!sweep || !layer) return;
    const label = layer.labelAt(x, y, sweep.closing);
    if (!label || this.#entered.has(label)) return;
    this.#entered.add(label);
    if (!this.#surround && this.#isSurround(label)) return;
    const { closing, color } = sweep;
    if (this.#before === undefined) {
      const before = layer.mainColor(x, y, closing);
      this.#before = before === color ? null : before;
    } else if (color) {
      this.#alike ||= layer.alike(this.#before, closing);
      if (!this.#alike.includes(label)) return;
    }
    const box = layer.cover(x, y, sweep.closing);
    if (!box) return;
    this.canvas.filled = label;
    this.canvas.tell('');
    view.region = null;
    view.paint(box);
    sweep.points.push(x, y);
    if (sweep.points.length < 2 * MAX_POINTS) return;
    this.end();
    if (this.canvas.hasRoom()) this.#begin({ ...sweep, points: [] });
  }

  /** Ends it: an action, where it filled anything; of a single region a plain fill. */
  end() {
    const sweep = this.#sweep;
    const { canvas } = this;
    const { layer, regions } = canvas;
    if (!sweep || !layer) return;
    const { points, closing, color } = sweep;
    if (!points.length) {
      this.cancel();
      return;
    }
    this.#sweep = null;
    const [x, y] = points;
    const one = points.length === 2;
    canvas.log(one ? { do: 'fill', x, y, closing, color } : sweep, layer.end(), this.#pressed);
    let share = 0;
    for (let i = 0; i < points.length; i += 2)
      share += regions?.share(closing, layer.labelAt(points[i], points[i + 1], closing)) || 0;
    if (color) canvas.tellPaper(layer.labelAt(x, y, closing));
    canvas.announce(color ? 'filled' : 'cleared', { share: canvas.percent(share) });
  }

  /** Takes it back, as if there had been none. */
  cancel() {
    if (!this.#sweep) return;
    this.#sweep = null;
    this.canvas.view.paint(this.canvas.layer?.cancel() || null);
  }
}
