// The position of an image at which each of its pixels covers whole screen pixels.

const LONGEST_STEP = 10;

/**
 * The largest whole number of screen pixels a side for each pixel of an image that lets all of it
 * be seen; 1 where it is larger than its place.
 * @param {{ width: number, height: number }} size of the picture
 * @param {{ width: number, height: number }} room in CSS pixels
 * @param {number} dpr screen pixels a CSS pixel
 */
export function wholeScale(size, room, dpr) {
  // A room of 299.9999 screen pixels is one of 300.
  const across = Math.floor((room.width * dpr) / size.width + 1e-6);
  const down = Math.floor((room.height * dpr) / size.height + 1e-6);
  return Math.max(1, Math.min(across, down));
}

/**
 * So many CSS pixels make whole screen pixels: 1, or 4 where the page is zoomed to 125%; where no
 * small number does, the CSS pixels of one screen pixel.
 * @param {number} dpr screen pixels a CSS pixel
 */
export function gridStep(dpr) {
  for (let step = 1; step <= LONGEST_STEP; step++)
    if (Math.abs(step * dpr - Math.round(step * dpr)) < 0.01) return step;
  return 1 / dpr;
}

/**
 * Where a length begins in its room, in CSS pixels from the room's begin: in the middle, or at the
 * begin where it is longer, and on the grid of the screen's pixels and of CSS pixels.
 * @param {number} start of the room on the page, in CSS pixels
 * @param {number} room
 * @param {number} length
 * @param {number} dpr screen pixels a CSS pixel
 */
export function onGrid(start, room, length, dpr) {
  const step = gridStep(dpr);
  const least = Math.ceil((start - 0.01) / step) * step;
  const max = Math.floor((start + room - length + 0.01) / step) * step;
  const middle = Math.round((start + (room - length) / 2) / step) * step;
  return Math.max(least, Math.min(max, middle)) - start;
}
