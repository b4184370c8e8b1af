// The pixels of a brush, in whole numbers: a pixel c is painted if 4·|c−p|² ≤ d² for a point p, or
// beside the line from p to q if it is as near to that.

/** @typedef {(y: number, x0: number, x1: number) => void} Paint a row, from one column to the last */

/**
 * The disk around a point.
 * @param {number} x
 * @param {number} y
 * @param {number} diameter
 * @param {Paint} paint
 */
export function disk(x, y, diameter, paint) {
  const max = diameter >> 1;
  for (let row = -max; row <= max; row++) {
    const half = Math.floor(Math.sqrt(diameter * diameter - 4 * row * row) / 2);
    paint(y + row, x - half, x + half);
  }
}

/**
 * What lies beside a line: where 0 < t = (c−p)·(q−p) < |q−p|² and 4·cross² ≤ d²·|q−p|².
 * @param {number[]} p
 * @param {number[]} q
 * @param {number} diameter
 * @param {Paint} paint
 */
export function band(p, q, diameter, paint) {
  const [dx, dy] = [q[0] - p[0], q[1] - p[1]];
  const squared = dx * dx + dy * dy;
  if (squared < 2) return;
  const product = diameter * diameter * squared;
  let reach = Math.floor(Math.sqrt(product) / 2);
  while (4 * reach * reach > product) reach--;
  while (4 * (reach + 1) * (reach + 1) <= product) reach++;
  const max = (diameter >> 1) + 1;
  const first = Math.min(p[1], q[1]) - max;
  const last = Math.max(p[1], q[1]) + max;
  for (let y = first; y <= last; y++) {
    const v = y - p[1];
    const [a0, a1] = between(dx, dy * v, 1, squared - 1);
    const [b0, b1] = between(-dy, dx * v, -reach, reach);
    const x0 = Math.max(a0, b0);
    const x1 = Math.min(a1, b1);
    if (x0 <= x1) paint(y, p[0] + x0, p[0] + x1);
  }
}

/**
 * The least and the most whole u with low ≤ a·u + b ≤ high.
 * @param {number} a
 * @param {number} b
 * @param {number} low
 * @param {number} high
 */
function between(a, b, low, high) {
  if (!a) return low <= b && b <= high ? [-Infinity, Infinity] : [1, 0];
  const ends = [(low - b) / a, (high - b) / a];
  return a > 0
    ? [Math.ceil(ends[0]), Math.floor(ends[1])]
    : [Math.ceil(ends[1]), Math.floor(ends[0])];
}
