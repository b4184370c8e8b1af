// What is under a finger, larger and beside it: the pixel that a fill or a pick is at.
import { make } from './nodes.js';

const SIDE_PX = 132;
const LARGER = 3;
/** From the finger to the middle of the loupe. */
const AWAY_PX = 104;
const EDGE_PX = 9;
const CROSS_PX = 7;

export class Loupe {
  /** @param {import('./canvas.js').ColoringCanvas} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    this.node = make('canvas', { class: 'cv-loupe', hidden: '', 'aria-hidden': 'true' });
    canvas.view.stage.append(this.node);
  }

  /**
   * Shows what is at a place of the page, or nothing.
   * @param {{ clientX: number, clientY: number } | null} at
   * @param {boolean} picks whether a color is taken there: it is shown around
   */
  show(at, picks) {
    const { node } = this;
    node.hidden = !at;
    if (!at) return;
    const { stage } = this.canvas.view;
    const box = stage.getBoundingClientRect();
    const [x, y] = [at.clientX - box.left, at.clientY - box.top];
    // Above the finger, and beside it where there is no room.
    const half = SIDE_PX / 2;
    const isAbove = y - AWAY_PX >= half;
    const aside = x < box.width / 2 ? AWAY_PX : -AWAY_PX;
    const middle = Math.min(Math.max(isAbove ? x : x + aside, half), box.width - half);
    node.style.left = middle - half + 'px';
    node.style.top = (isAbove ? y - AWAY_PX : Math.max(y, half)) - half + 'px';
    this.#draw(at, picks);
  }

  /**
   * @param {{ clientX: number, clientY: number }} at
   * @param {boolean} picks
   */
  #draw(at, picks) {
    const { node, canvas } = this;
    const { view } = canvas;
    const dpr = devicePixelRatio || 1;
    const context = /** @type {CanvasRenderingContext2D} */ (node.getContext('2d'));
    node.width = node.height = Math.round(SIDE_PX * dpr);
    const scale = LARGER * view.scale;
    const [x, y] = view.pixel(at);
    const middle = (SIDE_PX / 2) * dpr;
    context.setTransform(scale * dpr, 0, 0, scale * dpr, middle, middle);
    context.translate(-x - 0.5, -y - 0.5);
    context.fillStyle = '#ffffff';
    context.fillRect(0, 0, view.width, view.height);
    context.imageSmoothingEnabled = scale * dpr < 1.5;
    context.drawImage(view.layer, 0, 0);
    context.imageSmoothingEnabled = true;
    context.drawImage(view.ink, 0, 0, view.width, view.height);
    view.drawRegion(context, scale);
    context.setTransform(dpr, 0, 0, dpr, middle, middle);
    const cross = new Path2D();
    for (const [dx, dy] of [
      [1, 0],
      [0, 1],
      [-1, 0],
      [0, -1],
    ]) {
      cross.moveTo(3 * dx, 3 * dy);
      cross.lineTo((3 + CROSS_PX) * dx, (3 + CROSS_PX) * dy);
    }
    for (const [color, width] of /** @type {[string, number][]} */ ([
      ['#ffffff', 3.5],
      ['#000000', 1.5],
    ])) {
      context.strokeStyle = color;
      context.lineWidth = width;
      context.stroke(cross);
    }
    // The color that is taken there, or the one that is filled with.
    const color = picks ? canvas.layer?.colorAt(x, y) : canvas.color;
    if (!color || canvas.tool === 'region') return;
    context.beginPath();
    context.arc(0, 0, SIDE_PX / 2 - EDGE_PX / 2, 0, 2 * Math.PI);
    context.strokeStyle = color;
    context.lineWidth = EDGE_PX;
    context.stroke();
  }
}
