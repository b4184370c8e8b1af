// The regions of a sketch, as the server sends them: a map of labels for each closing. No page.

/** @typedef {Uint16Array | Int32Array} Labels a label for each pixel in raster order; 0 is none */

export class Regions {
  /** @type {Int32Array[][]} */ #runs = [];
  /** @type {Uint8Array[]} */ #surrounds = [];

  /**
   * @param {number} width in pixels
   * @param {number} height
   * @param {Labels[]} maps
   * @param {number[]} counts how many regions each map has
   */
  constructor(width, height, maps, counts) {
    this.width = width;
    this.height = height;
    this.maps = maps;
    this.counts = counts;
  }

  /**
   * The pixels of a region as [row, first column, column after the last, …], from the top.
   * @param {number} closing which map
   * @param {number} label
   * @returns {Int32Array}
   */
  spans(closing, label) {
    this.#runs[closing] ||= rows(this, closing);
    return this.#runs[closing][label] || new Int32Array(0);
  }

  /**
   * The share of the image that a region has, 0 to 1.
   * @param {number} closing
   * @param {number} label
   */
  share(closing, label) {
    const spans = this.spans(closing, label);
    let pixels = 0;
    for (let i = 0; i < spans.length; i += 3) pixels += spans[i + 2] - spans[i + 1];
    return pixels / (this.width * this.height);
  }

  /**
   * The edges of a region, without the steps of its pixels: closed lines of points x, y.
   * @param {number} closing
   * @param {number} label
   */
  edges(closing, label) {
    const { width } = this;
    const labels = this.maps[closing];
    const spans = this.spans(closing, label);
    // Sides of pixels, each with the region at its right: from which corner to which.
    /** @type {Map<number, number[]>} */ const ways = new Map();
    const side = (/** @type {number} */ from, /** @type {number} */ to) =>
      ways.set(from, [...(ways.get(from) || []), to]);
    const row = width + 1;
    for (let i = 0; i < spans.length; i += 3) {
      const [y, x0, x1] = spans.subarray(i, i + 3);
      const at = y * row;
      side(at + row + x0, at + x0);
      side(at + x1, at + row + x1);
      for (let x = x0; x < x1; x++) {
        if (labels[(y - 1) * width + x] !== label) side(at + x, at + x + 1);
        if (labels[(y + 1) * width + x] !== label) side(at + row + x + 1, at + row + x);
      }
    }
    const loops = [];
    for (const [first, ends] of ways)
      while (ends.length) {
        const loop = [first];
        for (let at = ends.pop(); at !== first && at !== undefined; at = ways.get(at)?.pop())
          loop.push(at);
        loops.push(smooth(loop.map((at) => [at % row, Math.floor(at / row)])));
      }
    return loops;
  }

  /**
   * Which regions touch the border, the paper around the drawing: 1 or 0 by label.
   * @param {number} closing
   * @returns {Uint8Array}
   */
  surround(closing) {
    const { width, height } = this;
    const labels = this.maps[closing];
    const known = this.#surrounds[closing];
    if (known) return known;
    const touching = new Uint8Array(this.counts[closing] + 1);
    for (let x = 0; x < width; x++)
      touching[labels[x]] = touching[labels[(height - 1) * width + x]] = 1;
    for (let y = 0; y < height; y++)
      touching[labels[y * width]] = touching[labels[y * width + width - 1]] = 1;
    touching[0] = 0;
    return (this.#surrounds[closing] = touching);
  }

  /**
   * A pixel well inside of a region: the middle of a long row, halfway down among these.
   * @param {number} closing
   * @param {number} label
   * @returns {[number, number]} column and row
   */
  middle(closing, label) {
    const spans = this.spans(closing, label);
    const length = (/** @type {number} */ i) => spans[i + 2] - spans[i + 1];
    let max = 0;
    for (let i = 0; i < spans.length; i += 3) max = Math.max(max, length(i));
    const long = [];
    for (let i = 0; i < spans.length; i += 3) if (length(i) >= 0.8 * max) long.push(i);
    const index = long[long.length >> 1];
    return [(spans[index + 1] + spans[index + 2]) >> 1, spans[index]];
  }
}

/** Of so many corners, one point is the mean of those around it. */
const SMOOTH = 3;

/**
 * @param {number[][]} loop corners of pixels
 * @returns {number[][]}
 */
function smooth(loop) {
  const mean = (/** @type {number} */ i, /** @type {number} */ axis) => {
    let sum = 0;
    for (let n = -SMOOTH; n <= SMOOTH; n++) sum += (loop.at((i + n) % loop.length) || [])[axis];
    return sum / (2 * SMOOTH + 1);
  };
  const points = loop.filter((_, i) => i % 2 === 0).map((_, i) => [mean(2 * i, 0), mean(2 * i, 1)]);
  return loop.length < 16 ? [...loop, loop[0]] : [...points, points[0]];
}

/**
 * @param {Regions} regions
 * @param {number} closing
 */
function rows({ width, height, maps, counts }, closing) {
  const labels = maps[closing];
  /** @type {number[][]} */
  const lists = Array.from({ length: counts[closing] + 1 }, () => []);
  for (let y = 0, i = 0; y < height; y++)
    for (let x = 0; x < width;) {
      const label = labels[i];
      const first = x;
      while (x < width && labels[i] === label) {
        x++;
        i++;
      }
      if (label) lists[label].push(y, first, x);
    }
  return lists.map((list) => Int32Array.from(list));
}

/**
 * Reads the form that the server sends. Raises RangeError of anything else.
 * @param {ArrayBuffer} buffer
 */
export function decode(buffer) {
  const bytes = new Uint8Array(buffer);
  let index = 0;
  const next = () => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      if (index >= bytes.length) throw new RangeError('The regions end too early.');
      const byte = bytes[index++];
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  };
  if (next() !== 1) throw new RangeError('The regions are of another version.');
  const width = next();
  const height = next();
  const maps = [];
  const counts = [];
  for (let left = next(); left > 0; left--) {
    const count = next();
    const size = width * height;
    const labels = count < 65_536 ? new Uint16Array(size) : new Int32Array(size);
    for (let filled = 0; filled < size;) {
      const label = next();
      const end = filled + next();
      if (label > count || end > size) throw new RangeError('The regions are damaged.');
      labels.fill(label, filled, end);
      filled = end;
    }
    maps.push(labels);
    counts.push(count);
  }
  return new Regions(width, height, maps, counts);
}
