// The regions of a sketch, as the server sends them: a map of labels for each closing. No page.

/** @typedef {Uint16Array | Int32Array} Labels a label for each pixel in raster order; 0 is none */

/** Regions of one form differ in its parts by so much at most, all of them together. */
const UNLIKE = [0.45, 0.26, 0.03, 0.06, 0.06, 0.15];

export class Regions {
  /** @type {Int32Array[][]} */ #runs = [];
  /** @type {Uint8Array[]} */ #surrounds = [];
  /** @type {number[][][]} */ #forms = [];

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
   * Whether two regions have about the same size and form, turned and mirrored too, such as beads of
   * a chain or the two eyes of a face.
   * @param {number} closing
   * @param {number} label
   * @param {number} other
   */
  resembles(closing, label, other) {
    const times = this.share(closing, label) / this.share(closing, other);
    if (Math.abs(Math.log(times)) > UNLIKE[0]) return false;
    const forms = (this.#forms[closing] ||= []);
    const [own, others] = [label, other].map((n) => (forms[n] ||= formOf(this.spans(closing, n))));
    return Math.hypot(...own.map((value, i) => (value - others[i]) / UNLIKE[i])) <= 1;
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
 * What the form of a region is, the same for one that is turned or mirrored: logarithms of its area
 * and of how long it is for its width, how much of an ellipse of its moments and of its convex hull
 * it has, and how far it is from a form with two and with three equal ends (Hu 1962: the first four
 * moments).
 * @param {Int32Array} spans
 */
export function formOf(spans) {
  let [area, meanX, meanY] = [0, 0, 0];
  /** @type {number[][]} */ const ends = [];
  for (let i = 0; i < spans.length; i += 3) {
    const [y, x0, x1] = spans.subarray(i, i + 3);
    area += x1 - x0;
    meanX += ((x1 - x0) * (x0 + x1)) / 2;
    meanY += (x1 - x0) * (y + 0.5);
    for (const x of [x0, x1]) ends.push([x, y], [x, y + 1]);
  }
  meanX /= area;
  meanY /= area;
  let [xx, yy, xy, xxx, yyy, xxy, xyy] = [0, 0, 0, 0, 0, 0, 0];
  for (let i = 0; i < spans.length; i += 3) {
    const y = spans[i] + 0.5 - meanY;
    for (let column = spans[i + 1]; column < spans[i + 2]; column++) {
      const x = column + 0.5 - meanX;
      xx += x * x;
      yy += y * y;
      xy += x * y;
      xxx += x * x * x;
      yyy += y * y * y;
      xxy += x * x * y;
      xyy += x * y * y;
    }
  }
  // Of a row of pixels, too, the moments are those of squares.
  xx += area / 12;
  yy += area / 12;
  const spread = Math.hypot(xx - yy, 2 * xy);
  const [long, wide] = [(xx + yy + spread) / 2, (xx + yy - spread) / 2];
  const third = ((xx + yy) / area) ** 1.5 * area;
  return [
    Math.log(area),
    Math.log(long / wide) / 2,
    area ** 2 / (4 * Math.PI * Math.sqrt(long * wide)),
    area / hullArea(ends),
    Math.hypot(xxx + xyy, yyy + xxy) / third,
    Math.hypot(xxx - 3 * xyy, 3 * xxy - yyy) / third,
  ];
}

/**
 * The area of the convex hull of points (Andrew's monotone chain).
 * @param {number[][]} points
 */
function hullArea(points) {
  points.sort((a, b) => a[1] - b[1] || a[0] - b[0]);
  let twice = 0;
  for (const way of [1, -1]) {
    /** @type {number[][]} */ const chain = [];
    for (const point of points) {
      while (chain.length > 1 && way * turn(...chain.slice(-2), point) <= 0) chain.pop();
      chain.push(point);
    }
    for (let i = 1; i < chain.length; i++)
      twice += way * (chain[i - 1][0] * chain[i][1] - chain[i][0] * chain[i - 1][1]);
  }
  return Math.abs(twice) / 2;
}

/**
 * Which way a path turns from a over b to c: above or below 0.
 * @param {number[][]} points a, b and c
 */
const turn = (...[a, b, c]) => (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);

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
