// The drawing on its stage: paper, layer and ink above each other, how large they are shown and
// which part of them, and what is drawn over them for the hand. Nothing is ever read back.
// Pixels of the drawing are the only coordinates outside of this file.
import { make } from './nodes.js';

/** @typedef {import('./changes.js').Rectangle} Rectangle */

const LARGEST = 24;
export const PADDING_PX = 12;
/** Above and below the drawing while a sheet is open. */
const TIGHT_PX = 8;
/** How high the buttons are at the bottom of the stage, where they stand in a row. */
export const LOOKS_PX = 48;
const HATCH_PX = 8;
const MAX_PATHS = 600;
/** How long the size of a brush is shown that no pointer has. */
const SIZE_MS = 1_500;

export class View {
  scale = 1;
  #x = 0;
  #y = 0;
  #fitted = true;
  /** Whether it is looked at closer only for a small region. */ #approached = false;
  #asked = 0;
  /** Of the stage, when the drawing was laid out last, in CSS pixels. */ #size = [0, 0];
  #sharp = false;
  /** Paints the finer colors too. @type {((box: Rectangle) => void) | null} */ finer = null;
  /** Room in CSS pixels that is not for the drawing. */
  reserved = { left: 0, top: 0, right: 0, above: 0 };
  /** How much of the stage a sheet covers from below. */
  covered = () => 0;
  /** How high a strip is above the buttons: a drawing that has room above it does not move up. */
  strip = () => 0;
  /**
   * Draws what else is over the drawing, on its pixels.
   * @type {((line: (path: Path2D, width: number) => void, scale: number) => void) | null}
   */
  overlay = null;
  /**
   * Puts the buttons in the lower corners into columns or rows. Gives back how wide they are, left and
   * right, in CSS pixels.
   * @type {(columns: boolean) => number[]}
   */
  corners = () => [0, 0];
  /**
   * Puts what is set for the tools beside the drawing, where it has so much room. Gives back how high
   * it is above the drawing otherwise.
   * @type {(room: number) => number}
   */
  heading = () => 0;
  /** How much is left free above and below for them. */
  #above = 0;
  #below = 0;
  /**
   * The region under the hand, and others that would be filled with it.
   * @type {{ closing: number, label: number, empty: boolean, others?: number[] } | null}
   */
  region = null;
  /** @type {{ x: number, y: number, diameter: number } | null} the brush under the hand */
  ring = null;
  /** @type {{ x: number, y: number } | null} the cursor that keys move */
  cursor = null;
  /**
   * The same where a hex code has just brought it: the Enter after the code fills nothing.
   * @type {{ x: number, y: number } | null}
   */
  brought = null;
  /** @type {Map<string, [Path2D, Path2D]>} */ #paths = new Map();

  /**
   * @param {number} width of the drawing, in pixels
   * @param {number} height
   * @param {() => void} changed
   */
  constructor(width, height, changed) {
    this.width = width;
    this.height = height;
    this.changed = changed;
    this.layer = make('canvas', { class: 'cv-layer', width, height });
    this.ink = make('img', { class: 'cv-ink', alt: '', width, height, draggable: 'false' });
    this.sheet = make('div', { class: 'cv-sheet' }, this.layer, this.ink);
    this.sheet.style.width = width + 'px';
    this.sheet.style.height = height + 'px';
    this.over = make('canvas', { class: 'cv-over' });
    const attributes = { class: 'cv-stage', role: 'application', tabindex: 0 };
    this.stage = make('div', attributes, this.sheet, this.over);
    this.context = /** @type {CanvasRenderingContext2D} */ (
      this.layer.getContext('2d', { colorSpace: 'srgb' })
    );
    this.marks = /** @type {CanvasRenderingContext2D} */ (this.over.getContext('2d'));
    this.watcher = new ResizeObserver(() => this.layOut());
    this.watcher.observe(this.stage);
  }

  /**
   * @param {import('./layer.js').Layer} layer
   * @param {import('./regions.js').Regions} regions
   */
  open(layer, regions) {
    this.regions = regions;
    this.image = new ImageData(layer.bytes, this.width, this.height);
    this.paint({ x: 0, y: 0, width: this.width, height: this.height });
    this.layOut();
  }

  /** @param {Rectangle | null} box what is painted anew */
  paint(box) {
    if (box && this.image) {
      this.context.putImageData(this.image, 0, 0, box.x, box.y, box.width, box.height);
      this.finer?.(box);
    }
    this.mark();
  }

  /** Lays the drawing out on the stage, whole unless somebody looks closer. */
  layOut() {
    const { clientWidth, clientHeight } = this.stage;
    if (!clientWidth || !clientHeight) return;
    const dpr = devicePixelRatio || 1;
    this.over.width = Math.round(clientWidth * dpr);
    this.over.height = Math.round(clientHeight * dpr);
    this.#placeButtons();
    // The middle of an enlarged drawing stays in the middle, in full screen and out of it.
    this.#x += (clientWidth - this.#size[0]) / 2;
    this.#y += (clientHeight - this.#size[1]) / 2;
    this.#size = [clientWidth, clientHeight];
    if (this.#fitted) this.fit();
    else this.#place();
  }

  /** The buttons stand beside the drawing where they have room, else below it. */
  #placeButtons() {
    this.#above = this.#below = 0;
    const { left, width } = this.#room;
    const side = (width - this.width * this.#whole) / 2;
    const isBeside = [true, false].some((columns) => {
      const corners = this.corners(columns);
      return left + side >= corners[0] && this.reserved.right + side >= corners[1];
    });
    if (!isBeside) this.#below = LOOKS_PX;
    this.#above = this.heading(left + side);
  }

  /** What of the stage is for the drawing, in CSS pixels. */
  get #room() {
    const { left, top, right } = this.reserved;
    const sheet = this.covered();
    const { clientWidth, clientHeight } = this.stage;
    const { foot } = this;
    // A sheet is seldom open, and then the original is less wanted than the drawing.
    const above = sheet ? 0 : Math.max(top, this.#above) + this.reserved.above;
    return {
      left,
      top: above,
      strip: sheet ? 0 : this.strip(),
      width: clientWidth - left - right,
      height: clientHeight - above - foot,
    };
  }

  get #whole() {
    const { width, height, strip } = this.#room;
    return Math.max(
      0.02,
      Math.min(
        (width - 2 * PADDING_PX) / this.width,
        (height - strip - 2 * (this.covered() ? TIGHT_PX : PADDING_PX)) / this.height,
        LARGEST,
      ),
    );
  }

  fit() {
    const { left, top, width, height, strip } = this.#room;
    this.#fitted = true;
    this.#approached = false;
    this.scale = this.#whole;
    const free = height - this.height * this.scale;
    this.#x = left + (width - this.width * this.scale) / 2;
    this.#y = top + Math.min(free / 2, free - strip - PADDING_PX);
    this.#place();
  }

  /**
   * Shows it larger or smaller, around a place of the page, the cursor, or the middle of the stage.
   * @param {number} factor
   * @param {{ clientX: number, clientY: number }} [index]
   */
  zoom(factor, index) {
    this.#approached = false;
    const box = this.stage.getBoundingClientRect();
    const { cursor } = this;
    const middle = cursor
      ? [this.#x + cursor.x * this.scale, this.#y + cursor.y * this.scale]
      : [box.width / 2, box.height / 2];
    const [x, y] = index ? [index.clientX - box.left, index.clientY - box.top] : middle;
    const least = Math.min(this.#whole, 1);
    const scale = Math.min(Math.max(this.scale * factor, least), LARGEST);
    if (scale <= least * 1.001) {
      this.fit();
      return;
    }
    this.#x = x - ((x - this.#x) * scale) / this.scale;
    this.#y = y - ((y - this.#y) * scale) / this.scale;
    this.scale = scale;
    this.#fitted = false;
    this.#place();
  }

  /**
   * @param {number} dx in CSS pixels
   * @param {number} dy
   */
  pan(dx, dy) {
    this.#x += dx;
    this.#y += dy;
    this.#fitted = false;
    this.#place();
  }

  #place() {
    // A part of the drawing always stays on the stage.
    const { clientWidth, clientHeight } = this.stage;
    const held = (
      /** @type {number} */ index,
      /** @type {number} */ size,
      /** @type {number} */ room,
    ) => {
      const rest = Math.min(size, room) / 2;
      return Math.min(Math.max(index, rest - size), room - rest);
    };
    const dpr = devicePixelRatio || 1;
    const snap = (/** @type {number} */ value) => Math.round(value * dpr) / dpr;
    this.#x = held(this.#x, this.width * this.scale, clientWidth);
    this.#y = held(this.#y, this.height * this.scale, clientHeight);
    this.sheet.style.transform = `translate(${snap(this.#x)}px,${snap(this.#y)}px) scale(${this.scale})`;
    this.sheet.style.setProperty('--cv-unit', 1 / this.scale + 'px');
    const isGrown = this.scale * dpr > 1.2;
    this.sheet.classList.toggle('grown', isGrown);
    if (isGrown) this.#sharpen();
    this.mark();
    this.changed();
  }

  /** Lines and colors that are looked at closer come once more, with edges for that. */
  #sharpen() {
    if (this.#sharp || !this.image) return;
    this.#sharp = true;
    import('./sharp.js').then(
      ({ sharp }) => (this.finer = sharp(this)),
      () => (this.#sharp = false),
    );
  }

  /** Where the drawing is on the stage, in CSS pixels. */
  get box() {
    const { scale } = this;
    return {
      left: this.#x,
      top: this.#y,
      width: this.width * scale,
      height: this.height * scale,
    };
  }

  /** How much of the stage is covered from below. */
  get foot() {
    return Math.max(this.covered(), this.#below);
  }

  get fitted() {
    return this.#fitted;
  }

  /**
   * The pixel at a place of the page; it may be outside of the drawing.
   * @param {{ clientX: number, clientY: number }} at
   * @returns {[number, number]}
   */
  pixel({ clientX, clientY }) {
    const box = this.stage.getBoundingClientRect();
    return [
      Math.floor((clientX - box.left - this.#x) / this.scale),
      Math.floor((clientY - box.top - this.#y) / this.scale),
    ];
  }

  /**
   * Brings a pixel onto the stage. The whole drawing has all of them there, and stays in place.
   * @param {number} x
   * @param {number} y
   */
  reveal(x, y) {
    if (this.#fitted) return;
    const margin = 40;
    const { clientWidth, clientHeight } = this.stage;
    const away = (/** @type {number} */ index, /** @type {number} */ room) =>
      Math.max(0, margin - index) + Math.min(0, room - margin - index);
    const dx = away(this.#x + x * this.scale, clientWidth);
    const dy = away(this.#y + y * this.scale, clientHeight);
    if (dx || dy) this.pan(dx, dy);
  }

  /**
   * Brings the region under the cursor onto the stage, and enlarges a small one. Where the whole
   * drawing was in sight, it is again with the next region that is not small.
   * @param {number} side of a square of its area, in pixels
   * @param {number} least CSS pixels that a side needs
   */
  approach(side, least) {
    const returns = this.#fitted || this.#approached;
    if (side * this.scale < least) {
      this.zoom(least / (side * this.scale));
      this.#approached = returns;
    } else if (this.#approached && side * this.#whole >= least) this.fit();
    if (this.cursor) this.reveal(this.cursor.x, this.cursor.y);
  }

  /**
   * Shows in the middle how large a brush is, where it is not seen under the hand.
   * @param {number} diameter
   */
  showSize(diameter) {
    if (this.ring) return;
    const { left, top, width, height } = this.stage.getBoundingClientRect();
    const middle = { clientX: left + width / 2, clientY: top + (height - this.covered()) / 2 };
    const [x, y] = this.pixel(middle);
    const ring = (this.ring = { x, y, diameter });
    this.mark();
    setTimeout(() => {
      if (this.ring === ring) this.ring = null;
      this.mark();
    }, SIZE_MS);
  }

  /** Draws what is over the drawing, with the next frame. */
  mark() {
    if (this.#asked) return;
    this.#asked = requestAnimationFrame(() => {
      this.#asked = 0;
      this.#drawMarks();
    });
  }

  #drawMarks() {
    const { marks, scale, region, ring, cursor } = this;
    const dpr = devicePixelRatio || 1;
    this.stage.classList.toggle('cv-by-keys', !!cursor);
    marks.setTransform(1, 0, 0, 1, 0, 0);
    marks.clearRect(0, 0, this.over.width, this.over.height);
    marks.setTransform(scale * dpr, 0, 0, scale * dpr, this.#x * dpr, this.#y * dpr);
    if (region) this.drawRegion(marks, scale);
    this.overlay?.((path, width) => this.#line(path, width), scale);
    if (ring) {
      const circle = new Path2D();
      // Smaller than a few pixels of the screen it would hide what it points at.
      const radius = Math.max(ring.diameter / 2, 2.5 / scale);
      circle.arc(ring.x + 0.5, ring.y + 0.5, radius, 0, 2 * Math.PI);
      this.#line(circle, 1);
    }
    if (cursor) {
      const [x, y] = [cursor.x + 0.5, cursor.y + 0.5];
      const cross = new Path2D();
      for (const [dx, dy] of [
        [1, 0],
        [0, 1],
        [-1, 0],
        [0, -1],
      ]) {
        cross.moveTo(x + (4 * dx) / scale, y + (4 * dy) / scale);
        cross.lineTo(x + (15 * dx) / scale, y + (15 * dy) / scale);
      }
      this.#line(cross, 2);
    }
  }

  /**
   * Draws the region under the hand.
   * @param {CanvasRenderingContext2D} marks
   * @param {number} scale CSS pixels that a pixel of the drawing has there
   */
  drawRegion(marks, scale) {
    const { region } = this;
    if (!region || !this.regions) return;
    for (const label of [region.label, ...(region.others || [])]) {
      const [area, edge] = this.#pathsOf(region.closing, label);
      // The paper around the drawing needs no color: it has its outline alone, and that faintly.
      const isPaper = this.regions.surround(region.closing)[label];
      if (region.empty && !isPaper) {
        marks.fillStyle = this.#hatch(scale);
        marks.fill(area);
      }
      marks.globalAlpha = isPaper ? 0.4 : 1;
      this.#line(edge, 1.5, marks, scale);
      marks.globalAlpha = 1;
    }
  }

  /**
   * A dark line in a light one: it is seen on every color, and is none.
   * @param {Path2D} path
   * @param {number} width in CSS pixels
   * @param {CanvasRenderingContext2D} [marks]
   * @param {number} [scale]
   */
  #line(path, width, marks = this.marks, scale = this.scale) {
    marks.lineJoin = 'round';
    marks.lineCap = 'round';
    marks.strokeStyle = '#ffffff';
    marks.lineWidth = (width + 2) / scale;
    marks.stroke(path);
    marks.strokeStyle = '#000000';
    marks.lineWidth = width / scale;
    marks.stroke(path);
  }

  /** @param {number} scale */
  #hatch(scale) {
    if (!this.pattern) {
      const tile = make('canvas', { width: HATCH_PX, height: HATCH_PX });
      const lines = /** @type {CanvasRenderingContext2D} */ (tile.getContext('2d'));
      lines.strokeStyle = '#00000055';
      lines.beginPath();
      for (const start of [-HATCH_PX, 0, HATCH_PX]) {
        lines.moveTo(start, HATCH_PX);
        lines.lineTo(start + HATCH_PX, 0);
      }
      lines.stroke();
      this.pattern = /** @type {CanvasPattern} */ (this.marks.createPattern(tile, 'repeat'));
    }
    this.pattern.setTransform(new DOMMatrix().scale(1 / scale));
    return this.pattern;
  }

  /**
   * What a region covers, and its edge.
   * @param {number} closing
   * @param {number} label
   * @returns {[Path2D, Path2D]}
   */
  #pathsOf(closing, label) {
    const key = closing + ' ' + label;
    const known = this.#paths.get(key);
    if (known) return known;
    const { regions } = this;
    if (!regions) return [new Path2D(), new Path2D()];
    const spans = regions.spans(closing, label);
    const area = new Path2D();
    const edge = new Path2D();
    for (let i = 0; i < spans.length; i += 3)
      area.rect(spans[i + 1], spans[i], spans[i + 2] - spans[i + 1], 1);
    for (const loop of regions.edges(closing, label))
      loop.forEach(([x, y], i) => (i ? edge.lineTo(x, y) : edge.moveTo(x, y)));
    if (this.#paths.size > MAX_PATHS) this.#paths.clear();
    this.#paths.set(key, [area, edge]);
    return [area, edge];
  }
}
