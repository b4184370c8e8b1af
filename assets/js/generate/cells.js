// A hand-painted map as cells: strokes, and the rows of hexadecimal digits of a request.
// No page: plain numbers in and out.

/** Most cells of a side, as the server takes them. */
const MAX_CELLS = 64;
/** Places a cell side at which it is looked whether a stroke covers it. */
const FINE = 4;

/**
 * @typedef {{ width: number, height: number, values: Float64Array }} Cells values from 0 (guidance
 *   stays) to 1 (it is turned down most), row by row
 * @typedef {{ type: 'brush' | 'erase', radius: number, points: number[][], level: number }
 *   | { type: 'fill', level: number } | { type: 'cells', cells: Cells, from?: string }} Mark in pixels
 *   of the image
 */

/**
 * An empty map for an image: its longer side has 64 cells, or one a pixel where those are fewer.
 * @param {number} width of the picture in pixels
 * @param {number} height
 * @returns {Cells}
 */
function emptyCells(width, height) {
  const scale = Math.min(1, MAX_CELLS / Math.max(width, height));
  const [w, h] = [width, height].map((side) => Math.max(1, Math.round(side * scale)));
  return { width: w, height: h, values: new Float64Array(w * h) };
}

/**
 * The map that the marks make, one over the other.
 * @param {number} width of the picture in pixels
 * @param {number} height
 * @param {Mark[]} marks
 */
export function painted(width, height, marks) {
  const cells = emptyCells(width, height);
  for (const mark of marks) {
    if (mark.type === 'fill') cells.values.fill(mark.level);
    else if (mark.type === 'cells') cells.values.set(resized(mark.cells, cells).values);
    else stroke(cells, mark, width / cells.width, height / cells.height);
  }
  return cells;
}

/**
 * Lays a stroke over the cells, each as far as it covers it.
 * @param {Cells} cells
 * @param {Extract<Mark, { radius: number }>} mark
 * @param {number} stepX pixels of the picture in a cell
 * @param {number} stepY
 */
function stroke(cells, mark, stepX, stepY) {
  const [wide, high] = [cells.width * FINE, cells.height * FINE];
  const [dx, dy] = [stepX / FINE, stepY / FINE];
  const touched = new Uint8Array(wide * high);
  // A brush finer than a place would miss them all.
  const reach = Math.max(mark.radius, dx, dy);
  mark.points.forEach((to, index) => {
    const from = mark.points[Math.max(0, index - 1)];
    const ends = [0, 1].map((axis) => [
      Math.min(from[axis], to[axis]) - reach,
      Math.max(from[axis], to[axis]) + reach,
    ]);
    const x0 = Math.max(0, Math.floor(ends[0][0] / dx));
    const x1 = Math.min(wide - 1, Math.ceil(ends[0][1] / dx));
    const y0 = Math.max(0, Math.floor(ends[1][0] / dy));
    const y1 = Math.min(high - 1, Math.ceil(ends[1][1] / dy));
    for (let y = y0; y <= y1; y += 1)
      for (let x = x0; x <= x1; x += 1)
        if (away([(x + 0.5) * dx, (y + 0.5) * dy], from, to) <= reach) touched[y * wide + x] = 1;
  });
  const level = mark.type === 'erase' ? 0 : mark.level;
  for (let y = 0; y < cells.height; y += 1)
    for (let x = 0; x < cells.width; x += 1) {
      let count = 0;
      for (let row = 0; row < FINE; row += 1)
        for (let column = 0; column < FINE; column += 1)
          count += touched[(y * FINE + row) * wide + x * FINE + column];
      const share = count / FINE ** 2;
      const index = y * cells.width + x;
      cells.values[index] += share * (level - cells.values[index]);
    }
}

/**
 * How far a point is from a line between two others.
 * @param {number[]} point
 * @param {number[]} from
 * @param {number[]} to
 */
function away(point, from, to) {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const squared = dx * dx + dy * dy;
  const along = squared
    ? Math.min(1, Math.max(0, ((point[0] - from[0]) * dx + (point[1] - from[1]) * dy) / squared))
    : 0;
  return Math.hypot(point[0] - from[0] - along * dx, point[1] - from[1] - along * dy);
}

/**
 * The same map on another grid, each cell taken from the place of its middle.
 * @param {Cells} cells
 * @param {{ width: number, height: number }} grid
 * @returns {Cells}
 */
function resized(cells, { width, height }) {
  const values = new Float64Array(width * height);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const row = Math.floor(((y + 0.5) * cells.height) / height);
      const column = Math.floor(((x + 0.5) * cells.width) / width);
      values[y * width + x] = cells.values[row * cells.width + column];
    }
  return { width, height, values };
}

/**
 * Rows of two hexadecimal digits a cell, as a request holds them.
 * @param {Cells} cells
 * @returns {string[]}
 */
export function rowsOf(cells) {
  return Array.from({ length: cells.height }, (_, y) =>
    Array.from(cells.values.subarray(y * cells.width, (y + 1) * cells.width), (value) =>
      Math.round(value * 255)
        .toString(16)
        .padStart(2, '0'),
    ).join(''),
  );
}

/**
 * @param {string[]} rows
 * @returns {Cells}
 */
export function cellsOf(rows) {
  const width = rows[0].length / 2;
  const values = new Float64Array(width * rows.length);
  rows.forEach((row, y) => {
    for (let x = 0; x < width; x += 1)
      values[y * width + x] = parseInt(row.slice(2 * x, 2 * x + 2), 16) / 255;
  });
  return { width, height: rows.length, values };
}

/**
 * The mean of a map, 0 to 1.
 * @param {Cells} cells
 */
export function meanOf(cells) {
  return cells.values.reduce((sum, value) => sum + value, 0) / cells.values.length;
}
