// The lines of a drawing for who looks closer: twice as many pixels, and steeper edges. For the eye
// alone; regions and layers are of the drawing itself.
import { make } from './nodes.js';

const LARGER = 2;
/** What it has over itself and then in itself keeps what is light, and makes an edge steeper. */
const STEEPER = ['source-over', 'destination-in', 'source-over', 'destination-in'];

/** @param {HTMLImageElement} ink */
export function sharp(ink) {
  const width = LARGER * ink.naturalWidth;
  const height = LARGER * ink.naturalHeight;
  const node = make('canvas', { class: 'cv-ink', width, height });
  const context = /** @type {CanvasRenderingContext2D} */ (node.getContext('2d'));
  context.imageSmoothingQuality = 'high';
  context.drawImage(ink, 0, 0, width, height);
  for (const how of STEEPER) {
    context.globalCompositeOperation = /** @type {GlobalCompositeOperation} */ (how);
    context.drawImage(node, 0, 0);
  }
  return node;
}
