// The layer of a coloring: the pixels that a log of actions paints, as on the server.
// No page: everything is whole numbers, so that both agree.
import { Extent, Recorder, readRuns } from './changes.js';
import { crc32 } from './crc32.js';
import { band, disk } from './shapes.js';

/**
 * @typedef {import('./actions.js').Action} Action
 * @typedef {import('./actions.js').Stroke} Stroke
 * @typedef {import('./changes.js').Rectangle} Rectangle
 * @typedef {{ runs: Uint8Array, value: number, joined?: boolean }} Change what one action did: the
 *   runs of pixels with what was there, and what is there now; `joined` to the one before, as one step
 */

/** @param {string | null} color */
function valueOf(color) {
  if (!color) return 0;
  const code = parseInt(color.slice(1), 16);
  // The bytes r, g, b, 255 as one number, its last byte first as on every machine with a browser.
  return (0xff000000 | ((code & 255) << 16) | (code & 0xff00) | (code >> 16)) >>> 0;
}

/** @param {number} value */
const colorOf = (value) =>
  value
    ? '#' + [0, 8, 16].map((bit) => ((value >>> bit) & 255).toString(16).padStart(2, '0')).join('')
    : null;

export class Layer {
  /** @type {Change[]} */ #done = [];
  /** @type {Change[]} */ #undone = [];
  /** @type {number[]} every color that was replaced once, by its number */ #colors = [0];
  #numbers = new Map([[0, 0]]);
  /** @type {Int32Array[]} of each map: first and last pixel of each label */ #ranges = [];
  #colored = 0;
  /** @type {{ value: number, diameter: number, within: number | null, label: number,
   *   last: number[] | null, extent: Extent } | null} */
  #stroke = null;
  /** @type {Uint8Array} */ #touched;
  /** @type {Uint32Array} */ #before;

  /**
   * @param {number} width in pixels
   * @param {number} height
   * @param {import('./regions.js').Labels[]} maps
   */
  constructor(width, height, maps) {
    this.width = width;
    this.height = height;
    this.maps = maps;
    /** RGBA in raster order; alpha is 0 or 255. */
    this.bytes = new Uint8ClampedArray(4 * width * height);
    this.values = new Uint32Array(this.bytes.buffer);
    this.#touched = new Uint8Array(width * height);
    this.#before = new Uint32Array(width * height);
  }

  /** The CRC-32 of the bytes, as 8 hex digits. */
  checksum() {
    return crc32(this.bytes);
  }

  /** The share of all pixels that have a color, 0 to 1. */
  get coloredShare() {
    return this.#colored / this.values.length;
  }

  /** The color of the last change, null for none. */
  get lastColor() {
    return colorOf(this.#done.at(-1)?.value || 0);
  }

  /**
   * Whether a pixel has this color.
   * @param {string} color
   */
  has(color) {
    return this.values.includes(valueOf(color));
  }

  /** Makes one step of the last change and the one before it. */
  join() {
    const change = this.#done.at(-1);
    if (change) change.joined = true;
  }

  /**
   * Whether the step does not end with the next undo, or redo.
   * @param {string} label
   */
  goesOn(label) {
    const change = { undo: this.#done.at(-1), redo: this.#undone.at(-2) }[label];
    return !!change?.joined;
  }

  get canUndo() {
    return this.#done.length > 0;
  }

  get canRedo() {
    return this.#undone.length > 0;
  }

  /**
   * @param {number} x
   * @param {number} y
   * @returns {number} which pixel that is, -1 outside
   */
  #index(x, y) {
    return x >= 0 && y >= 0 && x < this.width && y < this.height ? y * this.width + x : -1;
  }

  /**
   * The color at a pixel, null where there is none.
   * @param {number} x
   * @param {number} y
   */
  colorAt(x, y) {
    return colorOf(this.values[this.#index(x, y)]);
  }

  /**
   * The color that more than half of a region has, null for none; where no color has, that of the
   * pixel by which the region is named.
   * @param {number} x
   * @param {number} y
   * @param {number} closing
   */
  mainColor(x, y, closing) {
    const labels = this.maps[closing];
    const label = this.labelAt(x, y, closing);
    const [first, end] = this.#range(closing, label);
    let value = 0;
    const more = (/** @type {boolean} */ votes) => {
      let lead = 0;
      for (let i = first; i < end; i++) {
        if (labels[i] !== label) continue;
        if (votes && !lead) value = this.values[i];
        lead += this.values[i] === value ? 1 : -1;
      }
      return lead;
    };
    // A vote of pairs leaves the only color that can have more than half; then it is counted.
    more(true);
    return more(false) > 0 ? colorOf(value) : this.colorAt(x, y);
  }

  /**
   * The regions of which more than half has this color, null for none.
   * @param {string | null} color
   * @param {number} closing
   * @returns {number[]} their labels
   */
  alike(color, closing) {
    const labels = this.maps[closing];
    const value = valueOf(color);
    /** By label, how many pixels more have the color than have not. */
    const more = [];
    for (let i = 0; i < labels.length; i++)
      more[labels[i]] = (more[labels[i]] || 0) + (this.values[i] === value ? 1 : -1);
    return Object.keys(more)
      .map(Number)
      .filter((label) => label && more[label] > 0);
  }

  /**
   * The region at a pixel, 0 where there is none.
   * @param {number} x
   * @param {number} y
   * @param {number} closing
   */
  labelAt(x, y, closing) {
    return this.maps[closing][this.#index(x, y)] || 0;
  }

  /**
   * Does one action. Gives back what has to be painted again, null for nothing.
   * @param {Action} action
   * @returns {Rectangle | null}
   */
  apply(action) {
    this.#mustBeFree();
    switch (action.do) {
      case 'fill':
        return this.#fill(action, [action.x, action.y]);
      case 'fill_regions':
        return this.#fill(action, action.points);
      case 'clear':
        return this.#replace([0, this.values.length], 0, null, []);
      case 'stroke':
        this.begin(action);
        this.extend(action.points);
        return this.end();
      case 'pick':
        return null;
      case 'undo':
        return this.#move(this.#done, this.#undone, true);
      default:
        return this.#move(this.#undone, this.#done, false);
    }
  }

  /** What is done while a stroke is open would be in another order on the layer than in the log. */
  #mustBeFree() {
    if (this.#stroke) throw new Error('A stroke is open.');
  }

  /**
   * @param {{ closing: number, color: string | null }} action
   * @param {number[]} points x and y, one after the other
   */
  #fill({ closing, color }, points) {
    /** @type {Set<number>} */
    const filled = new Set();
    for (let i = 0; i < points.length; i += 2)
      filled.add(this.labelAt(points[i], points[i + 1], closing));
    filled.delete(0);
    const ranges = [...filled].map((label) => this.#range(closing, label));
    const first = ranges.reduce((least, range) => Math.min(least, range[0]), Infinity);
    const end = ranges.reduce((most, range) => Math.max(most, range[1]), 0);
    const range = filled.size ? [first, end] : [0, 0];
    return this.#replace(range, valueOf(color), this.maps[closing], [...filled]);
  }

  /**
   * Whether a fill would change anything.
   * @param {import('./actions.js').Fill} action
   */
  differs({ x, y, closing, color }) {
    const labels = this.maps[closing];
    const label = this.labelAt(x, y, closing);
    const value = valueOf(color);
    const [first, end] = this.#range(closing, label);
    for (let i = first; i < end; i++)
      if (labels[i] === label && this.values[i] !== value) return true;
    return false;
  }

  /**
   * From which pixel to which a region may be; nowhere without a label.
   * @param {number} closing
   * @param {number} label
   */
  #range(closing, label) {
    const ranges = (this.#ranges[closing] ||= rangesOf(this.maps[closing]));
    return label ? [ranges[2 * label], ranges[2 * label + 1] + 1] : [0, 0];
  }

  /**
   * @param {number[]} range first pixel and the one after the last
   * @param {number} value
   * @param {import('./regions.js').Labels | null} labels null for every pixel
   * @param {number[]} wanted of the labels
   */
  #replace([first, end], value, labels, wanted) {
    const { values } = this;
    const recorder = new Recorder(this.width);
    const isWanted = new Uint8Array(Math.max(0, ...wanted) + 1);
    for (const label of wanted) isWanted[label] = 1;
    for (let i = first; i < end; i++) {
      const was = values[i];
      if (was === value || (labels && !isWanted[labels[i]])) continue;
      const start = i;
      while (i < end && values[i] === was && (!labels || isWanted[labels[i]])) i++;
      this.#put(start, i, was, value);
      recorder.add(start, i, this.#number(was));
      i--;
    }
    return this.#record(recorder, value);
  }

  /**
   * Gives a run another color.
   * @param {number} first
   * @param {number} end
   * @param {number} was
   * @param {number} value
   */
  #put(first, end, was, value) {
    this.#colored += (end - first) * (Number(value !== 0) - Number(was !== 0));
    this.values.fill(value, first, end);
  }

  /**
   * @param {Recorder} recorder
   * @param {number} value
   */
  #record(recorder, value) {
    this.#done.push({ runs: recorder.runs, value });
    this.#undone = [];
    return recorder.box;
  }

  /** @param {number} value */
  #number(value) {
    let number = this.#numbers.get(value);
    if (number === undefined) {
      number = this.#colors.push(value) - 1;
      this.#numbers.set(value, number);
    }
    return number;
  }

  /**
   * Takes the last change of one list back, or does it again, and puts it onto the other.
   * @param {Change[]} from
   * @param {Change[]} to
   * @param {boolean} back
   */
  #move(from, to, back) {
    const change = from.pop();
    if (!change) return null;
    to.push(change);
    const { runs, value } = change;
    const extent = new Extent();
    readRuns(runs, (first, end, number) => {
      const color = this.#colors[number];
      if (back) this.#put(first, end, value, color);
      else this.#put(first, end, color, value);
      extent.run(first, end, this.width);
    });
    return extent.box;
  }

  /**
   * Begins a stroke, of which only the first point has to be known; `extend` draws, that one too.
   * @param {Stroke} stroke
   */
  begin({ points, diameter, color, within }) {
    this.#mustBeFree();
    const label = within === null ? 0 : this.labelAt(points[0], points[1], within);
    const rendered = within === null || label > 0;
    this.#stroke = {
      value: valueOf(color),
      diameter: rendered ? diameter : 0,
      within,
      label,
      last: null,
      extent: new Extent(),
    };
  }

  /**
   * Goes on to these points. Gives back what has to be painted again.
   * @param {number[]} points x and y, one after the other
   * @returns {Rectangle | null}
   */
  extend(points) {
    const stroke = this.#stroke;
    if (!stroke?.diameter) return null;
    const { width, height } = this;
    const { value, diameter, label, extent } = stroke;
    const labels = stroke.within === null ? null : this.maps[stroke.within];
    const fresh = new Extent();
    /** @type {import('./shapes.js').Paint} */
    const paint = (y, x0, x1) => {
      if (y < 0 || y >= height) return;
      const end = y * width + Math.min(x1, width - 1);
      for (let i = y * width + Math.max(x0, 0); i <= end; i++)
        if (!labels || labels[i] === label) this.#touch(i, value, fresh);
    };
    for (let i = 0; i < points.length; i += 2) {
      const point = [points[i], points[i + 1]];
      if (stroke.last) band(stroke.last, point, diameter, paint);
      disk(point[0], point[1], diameter, paint);
      stroke.last = point;
    }
    extent.include(fresh);
    return fresh.box;
  }

  /**
   * Begins a fill of several regions: each `cover` fills one, and `end` makes one action of them.
   * @param {string | null} color
   */
  beginFill(color) {
    this.begin({ do: 'stroke', points: [-1, -1], diameter: 0, color, within: null });
  }

  /**
   * Fills one more region. Gives back what has to be painted again.
   * @param {number} x
   * @param {number} y
   * @param {number} closing
   */
  cover(x, y, closing) {
    const stroke = this.#stroke;
    const label = this.labelAt(x, y, closing);
    if (!stroke || !label) return null;
    const labels = this.maps[closing];
    const fresh = new Extent();
    const [first, end] = this.#range(closing, label);
    for (let i = first; i < end; i++) if (labels[i] === label) this.#touch(i, stroke.value, fresh);
    stroke.extent.include(fresh);
    return fresh.box;
  }

  /**
   * Gives a pixel the color of an open stroke.
   * @param {number} i
   * @param {number} value
   * @param {Extent} fresh
   */
  #touch(i, value, fresh) {
    const was = this.values[i];
    if (was === value) return;
    this.#touched[i] = 1;
    this.#before[i] = was;
    this.#colored += Number(value !== 0) - Number(was !== 0);
    this.values[i] = value;
    fresh.add(i % this.width, Math.floor(i / this.width));
  }

  /** Ends the stroke, which is then one action. */
  end() {
    const stroke = this.#stroke;
    if (!stroke) return null;
    const recorder = new Recorder(this.width);
    this.#untouch(stroke.extent, (first, end) =>
      recorder.add(first, end, this.#number(this.#before[first])),
    );
    this.#stroke = null;
    return this.#record(recorder, stroke.value);
  }

  /** Takes back a stroke that has not ended, as if there had been none. */
  cancel() {
    const stroke = this.#stroke;
    this.#stroke = null;
    if (stroke)
      this.#untouch(stroke.extent, (first, end) =>
        this.#put(first, end, stroke.value, this.#before[first]),
      );
    return stroke?.extent.box || null;
  }

  /**
   * @param {Extent} extent
   * @param {(first: number, end: number) => void} call with each run that a stroke has changed and
   *   that had one color before
   */
  #untouch({ x0, y0, x1, y1 }, call) {
    for (let y = y0; y <= y1; y++) {
      const last = y * this.width + x1;
      for (let i = y * this.width + x0; i <= last; i++) {
        if (!this.#touched[i]) continue;
        const first = i;
        while (i <= last && this.#touched[i] && this.#before[i] === this.#before[first])
          this.#touched[i++] = 0;
        call(first, i--);
      }
    }
  }
}

/** @param {import('./regions.js').Labels} labels */
function rangesOf(labels) {
  let max = 0;
  for (let i = 0; i < labels.length; i++) if (labels[i] > max) max = labels[i];
  const ranges = new Int32Array(2 * max + 2).fill(-1);
  for (let i = 0; i < labels.length; i++) {
    const index = 2 * labels[i];
    if (ranges[index] < 0) ranges[index] = i;
    ranges[index + 1] = i;
  }
  return ranges;
}
