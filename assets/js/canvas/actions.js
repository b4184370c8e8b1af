// What can be done on the canvas, one by one. The server reads the same:
// docs/reference/coloring_formats.md.

/**
 * @typedef {{ do: 'fill', x: number, y: number, closing: number, color: string | null }} Fill
 * @typedef {{ do: 'fill_regions', points: number[], closing: number, color: string | null }}
 *   FillRegions a fill at each point, x and y one after the other
 * @typedef {{ do: 'stroke', points: number[], diameter: number, color: string | null,
 *   within: number | null }} Stroke
 * @typedef {{ do: 'pick', color: string }} Pick a color was taken from a reference image
 * @typedef {Fill | FillRegions | Stroke | Pick | { do: 'clear' | 'undo' | 'redo' }} Action
 */

export const CLOSINGS = 4;
export const MAX_ACTIONS = 20_000;
export const MAX_POINTS = 2_048;
export const LARGEST_BRUSH = 256;
/** Of all strokes of a log, those undone too: as many are painted. */
export const MAX_ROWS = 50_000_000;

/**
 * @param {unknown} value
 * @param {number} least
 * @param {number} max
 */
const whole = (value, least, max) =>
  Number.isInteger(value) && Number(value) >= least && Number(value) <= max;

/** @param {unknown} value */
const isColor = (value) =>
  value === null || (typeof value === 'string' && /^#[0-9a-f]{6}$/.test(value));

/** @param {unknown} value */
const isPlace = (value) => whole(value, -2_048, 4_096);

/**
 * x and y of so many points, one after the other.
 * @param {any} points
 */
const arePoints = (points) =>
  Array.isArray(points) &&
  points.length % 2 === 0 &&
  whole(points.length, 2, 2 * MAX_POINTS) &&
  points.every(isPlace);

/** @param {unknown} value */
const isClosing = (value) => whole(value, 0, CLOSINGS - 1);

/**
 * How many rows of pixels the lines and disks of a stroke have, each by itself; 0 for what is none.
 * @param {Action} action
 */
export function rowsOf(action) {
  let rows = 0;
  if (action.do === 'stroke') {
    const { points, diameter } = action;
    for (let i = 1; i < points.length; i += 2)
      rows += diameter + 2 + (i > 1 ? Math.abs(points[i] - points[i - 2]) : 0);
  }
  return rows;
}

/**
 * Whether this is an action that the server takes too.
 * @param {any} action
 * @returns {action is Action}
 */
export function isAction(action) {
  switch (action?.do) {
    case 'fill':
      return (
        isPlace(action.x) && isPlace(action.y) && isClosing(action.closing) && isColor(action.color)
      );
    case 'fill_regions':
      return arePoints(action.points) && isClosing(action.closing) && isColor(action.color);
    case 'stroke':
      return (
        arePoints(action.points) &&
        whole(action.diameter, 1, LARGEST_BRUSH) &&
        isColor(action.color) &&
        (action.within === null || isClosing(action.within))
      );
    case 'pick':
      return isColor(action.color) && action.color !== null;
    default:
      return ['clear', 'undo', 'redo'].includes(action?.do);
  }
}
