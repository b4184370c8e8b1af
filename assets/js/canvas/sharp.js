// A drawing for viewing enlarged, and as a large file: its lines with more pixels and steeper edges,
// and its colors with edges without steps. For the eye alone: regions and layers are of the drawing
// itself, and nothing is read back from here.
import { make } from './nodes.js';

/** @typedef {import('./changes.js').Rectangle} Rectangle */

const LARGER = 2;
/** What it has over itself and then in itself keeps what is light, and makes an edge steeper. */
const STEEPER = ['source-over', 'destination-in', 'source-over', 'destination-in'];

/** A pixel of the layer is so many, across and down; fewer where that is more than MAX_SIDE. */
const FINER = 3;
const MAX_SIDE = 4_096;
/** An edge is where half of the light is: the means are of so many pixels around, by a normal curve. */
const REACH = 3;
const SIGMA = 1.5;
/** It is as soft as so many of the finer pixels. */
const SOFT = 1.5;
/** Worked out at once: squares of so many pixels, for so long in each frame. */
const TILE = 16;
const FRAME_MS = 8;

/**
 * @param {HTMLImageElement} ink
 * @param {number} width
 * @param {number} height
 */
function sharpLines(ink, width, height) {
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

/**
 * Puts finer lines and colors over those of a view.
 * @param {import('./view.js').View} view
 * @returns {(box: Rectangle) => void} shows what changed
 */
export function sharp(view) {
  const { ink, layer, width, height } = view;
  ink.after(sharpLines(ink, LARGER * ink.naturalWidth, LARGER * ink.naturalHeight));
  const { node, context, finer, put } = finerColors(view);
  const columns = Math.ceil(width / TILE);
  /** @type {Set<number>} */ const tiles = new Set();

  const work = () => {
    const start = performance.now();
    for (const tile of tiles) {
      if (performance.now() - start > FRAME_MS) break;
      tiles.delete(tile);
      put(TILE * (tile % columns), TILE * Math.floor(tile / columns), TILE);
    }
    if (tiles.size) requestAnimationFrame(work);
  };

  /** @param {Rectangle} box */
  const show = (box) => {
    if (!tiles.size) requestAnimationFrame(work);
    const [x0, y0] = [Math.max(0, box.x - REACH), Math.max(0, box.y - REACH)];
    const x1 = Math.min(width, box.x + box.width + REACH);
    const y1 = Math.min(height, box.y + box.height + REACH);
    // Pixels at once; their edges with the next frame.
    const source = [x0, y0, x1 - x0, y1 - y0];
    const [x, y, w, h] = source.map((value) => finer * value);
    context.clearRect(x, y, w, h);
    context.drawImage(layer, source[0], source[1], source[2], source[3], x, y, w, h);
    for (let row = Math.floor(y0 / TILE); row * TILE < y1; row++)
      for (let column = Math.floor(x0 / TILE); column * TILE < x1; column++)
        tiles.add(row * columns + column);
  };
  show({ x: 0, y: 0, width, height });
  layer.after(node);
  return show;
}

/**
 * The drawing and its colors on white paper, for viewing enlarged.
 * @param {import('./view.js').View} view
 * @returns {Promise<Blob>} a PNG
 */
export async function largePng(view) {
  const { ink, layer, width, height } = view;
  // Colors that are filled meanwhile are not in it.
  const { data } = /** @type {ImageData} */ (view.image);
  const image = new ImageData(data.slice(), width, height);
  const { node, context, finer, put } = finerColors({ image, width, height });
  context.drawImage(layer, 0, 0, node.width, node.height);
  for (let y = 0; y < height; y += TILE) {
    for (let x = 0; x < width; x += TILE) put(x, y, TILE);
    // The page goes on meanwhile.
    await new Promise((done) => setTimeout(done));
  }
  context.globalCompositeOperation = 'destination-over';
  context.fillStyle = '#ffffff';
  context.fillRect(0, 0, node.width, node.height);
  context.globalCompositeOperation = 'source-over';
  context.drawImage(sharpLines(ink, finer * width, finer * height), 0, 0);
  return new Promise((done, fail) =>
    node.toBlob((blob) => (blob ? done(blob) : fail(new Error('The image is too large.')))),
  );
}

/**
 * The colors of a view with more pixels, none at first; `put` writes those of a square in which there
 * is an edge.
 * @param {Pick<import('./view.js').View, 'image' | 'width' | 'height'>} view
 */
function finerColors({ image, width, height }) {
  const finer = Math.min(FINER, Math.max(1, Math.floor(MAX_SIDE / Math.max(width, height))));
  const node = make('canvas', { class: 'cv-ink', width: finer * width, height: finer * height });
  const context = /** @type {CanvasRenderingContext2D} */ (node.getContext('2d'));
  context.imageSmoothingEnabled = false;
  const values = new Uint32Array(/** @type {ImageData} */ (image).data.buffer);
  const smooth = smoother({ values, width, height }, finer);
  const put = (/** @type {number} */ x, /** @type {number} */ y, /** @type {number} */ side) => {
    const pixels = smooth(x, y, Math.min(side, width - x), Math.min(side, height - y));
    if (pixels) context.putImageData(pixels, finer * x, finer * y);
  };
  return { node, context, finer, put };
}

/**
 * Gives parts of a layer with `finer` times as many pixels: between two colors, and between a color
 * and none, is a smooth edge. What is one or two pixels thin keeps its pixels, and so its color.
 * @param {{ values: Uint32Array, width: number, height: number }} layer a color each, 0 for none
 * @param {number} finer
 * @returns {(x: number, y: number, w: number, h: number) => ImageData | null} null where there is
 *   no edge
 */
export function smoother({ values, width, height }, finer) {
  const side = 2 * REACH + 1;
  const weights = weightsOf(finer);
  // At a straight edge the light of a color falls by so much on the way through what is soft.
  const fall = SOFT / (SIGMA * Math.sqrt(2 * Math.PI) * finer);
  /** The colors around a pixel, its own first, and which of them each neighbor has. */
  /** @type {number[]} */ const colors = [];
  const around = new Uint8Array(side * side);
  const counts = new Uint8Array(side * side);
  const mixed = new Uint32Array(1);
  const bytes = new Uint8ClampedArray(mixed.buffer);
  const held = (/** @type {number} */ value, /** @type {number} */ size) =>
    Math.min(Math.max(value, 0), size - 1);

  const at = (/** @type {number} */ x, /** @type {number} */ y) =>
    values[held(y, height) * width + held(x, width)];

  /** Reads the colors around a pixel; only its own where no other touches it: it keeps that one. */
  const read = (/** @type {number} */ x, /** @type {number} */ y) => {
    const own = at(x, y);
    colors.length = 1;
    colors[0] = own;
    const near = [-1, 0, 1];
    if (near.every((dy) => near.every((dx) => at(x + dx, y + dy) === own))) return;
    for (let dy = -REACH, n = 0; dy <= REACH; dy++)
      for (let dx = -REACH; dx <= REACH; dx++, n++) {
        const color = at(x + dx, y + dy);
        const known = colors.indexOf(color);
        around[n] = known < 0 ? colors.push(color) - 1 : known;
      }
  };

  /** The one of the other colors that is around most. */
  const most = () => {
    counts.fill(0, 0, colors.length);
    for (const color of around) counts[color]++;
    let other = 1;
    for (let n = 2; n < colors.length; n++) if (counts[n] > counts[other]) other = n;
    return other;
  };

  /** Whether no square of nine pixels around has this color. @param {number} color */
  const isThin = (color) => {
    const row = (/** @type {number} */ n) =>
      around[n - 1] === color && around[n] === color && around[n + 1] === color;
    for (let y = 1; y < side - 1; y++)
      for (let n = y * side + 1; n < (y + 1) * side - 1; n++)
        if (row(n - side) && row(n) && row(n + side)) return false;
    return true;
  };

  /**
   * The color of one of the finer pixels.
   * @param {number} other of the colors
   * @param {Float64Array} weight of what is around it
   */
  const mix = (other, weight) => {
    let own = 0;
    let rest = 0;
    // As if there were no third one.
    for (let n = 0; n < around.length; n++)
      if (!around[n]) own += weight[n];
      else if (around[n] === other) rest += weight[n];
    const cover = Math.min(Math.max((own / (own + rest) - 0.5) / fall + 0.5, 0), 1);
    if (cover === 1) return colors[0];
    const alpha = cover * (colors[0] >>> 24);
    const below = (1 - cover) * (colors[other] >>> 24);
    bytes[3] = alpha + below;
    for (let n = 0; n < 3; n++)
      bytes[n] =
        (alpha * ((colors[0] >>> (8 * n)) & 255) + below * ((colors[other] >>> (8 * n)) & 255)) /
        (alpha + below || 1);
    return mixed[0];
  };

  const hasEdge = (/** @type {number[]} */ ...[x0, y0, w, h]) => {
    const first = at(x0, y0);
    for (let y = y0 - 1; y <= y0 + h; y++)
      for (let x = x0 - 1; x <= x0 + w; x++) if (at(x, y) !== first) return true;
    return false;
  };

  return (x0, y0, w, h) => {
    if (!hasEdge(x0, y0, w, h)) return null;
    const image = new ImageData(finer * w, finer * h);
    const pixels = new Uint32Array(image.data.buffer);
    for (let y = 0; y < h; y++)
      for (let x = 0; x < w; x++) {
        read(x0 + x, y0 + y);
        const other = colors.length > 1 ? most() : 0;
        const exact = !other || isThin(0) || isThin(other);
        for (let part = 0; part < finer ** 2; part++) {
          const row = finer * y + Math.floor(part / finer);
          pixels[finer * (w * row + x) + (part % finer)] = exact
            ? colors[0]
            : mix(other, weights[part]);
        }
      }
    return image;
  };
}

/**
 * Of each finer pixel of a pixel, how much of the light of each pixel around comes to it.
 * @param {number} finer
 */
function weightsOf(finer) {
  const normal = (/** @type {number} */ away) => Math.exp(-(away ** 2) / (2 * SIGMA ** 2));
  return Array.from({ length: finer ** 2 }, (_, part) => {
    const [x, y] = [part % finer, Math.floor(part / finer)].map((n) => (n + 0.5) / finer - 0.5);
    const list = [];
    for (let dy = -REACH; dy <= REACH; dy++)
      for (let dx = -REACH; dx <= REACH; dx++) list.push(normal(dx - x) * normal(dy - y));
    const sum = list.reduce((a, b) => a + b);
    return Float64Array.from(list, (value) => value / sum);
  });
}
