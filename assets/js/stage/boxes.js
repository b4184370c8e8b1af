// A new box, and the strokes and points that were made before it: inside of it they still count.

const STARTS = ['whole', 'stored', 'salient'];
const MARKED = ['keep', 'cut', 'brush', 'erase', 'point'];
/** Of the smaller box: with less in common the two are of different objects. */
const MIN_OVERLAP = 0.5;

/** @param {number[]} box */
const area = ([x0, y0, x1, y1]) => Math.max(0, x1 - x0) * Math.max(0, y1 - y0);

function overlap(a, b) {
  const common = [
    Math.max(a[0], b[0]),
    Math.max(a[1], b[1]),
    Math.min(a[2], b[2]),
    Math.min(a[3], b[3]),
  ];
  return area(common) / Math.max(1e-9, Math.min(area(a), area(b)));
}

/**
 * The marks with a new box. One elsewhere than the box before starts over.
 * @param {any[]} marks
 * @param {any} box
 */
export function withBox(marks, box) {
  const before = marks.findLast(({ type }) => type === 'box' || STARTS.includes(type));
  const elsewhere = before?.type === 'box' && overlap(before.box, box.box) < MIN_OVERLAP;
  return elsewhere ? [box] : [...marks, box];
}

/**
 * The strokes and points from before the last box that count inside of it.
 * @param {any[]} marks
 */
export function marksBefore(marks) {
  const index = marks.findLastIndex(({ type }) => type === 'box');
  const start = marks.findLastIndex(({ type }) => STARTS.includes(type));
  if (index < start) return [];
  const [x0, y0, x1, y1] = marks[index]?.box || [];
  const reaches = ({ x, y, points = [[x, y]], radius = 0 }) =>
    points.some(
      ([left, top]) =>
        left > x0 - radius && left < x1 + radius && top > y0 - radius && top < y1 + radius,
    );
  return marks
    .slice(start + 1, index)
    .filter((mark) => MARKED.includes(mark.type) && reaches(mark));
}
