// Which regions of a sketch have one form, for who fills all alike. No page.

/** Regions of one form differ in its parts by so much at most, all of them together. */
const UNLIKE = [0.45, 0.26, 0.03, 0.06, 0.06, 0.15];

export class Forms {
  /** @type {number[][][]} */ #forms = [];

  /** @param {import('./regions.js').Regions} regions */
  constructor(regions) {
    this.regions = regions;
  }

  /**
   * Whether two regions have about the same size and form, turned and mirrored too, such as beads of
   * a chain or the two eyes of a face.
   * @param {number} closing
   * @param {number} label
   * @param {number} other
   */
  resembles(closing, label, other) {
    const { regions } = this;
    const times = regions.share(closing, label) / regions.share(closing, other);
    if (Math.abs(Math.log(times)) > UNLIKE[0]) return false;
    const forms = (this.#forms[closing] ||= []);
    const [own, others] = [label, other].map(
      (n) => (forms[n] ||= formOf(regions.spans(closing, n))),
    );
    return Math.hypot(...own.map((value, i) => (value - others[i]) / UNLIKE[i])) <= 1;
  }
}

/**
 * What the form of a region is, the same for one that is turned or mirrored: logarithms of its area
 * and of how long it is for its width, how much of an ellipse of its moments and of its convex hull
 * it has, and how far it is from a form with two and with three equal ends (Hu 1962: the first four
 * moments).
 * @param {Int32Array} spans
 */
function formOf(spans) {
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
