// An image of the person's own beside the drawing, to take colors from. It is read in the browser and
// never sent; each color that is taken is an action.
import { hexOf } from './colors.js';
import { ARROWS } from './keys.js';
import { button, make } from './nodes.js';

/** The longer side to which a large image is made smaller. */
const LONGEST = 1_600;
/** Of CSS pixels: a color is the mean of so much of the image, as a single pixel is noise. */
const SPOT_PX = 5;
const WIDE_PX = 680;
const STEP_PX = 8;
/** A stage that is so many times as high as wide has room above the drawing. */
const HIGH = 1.2;

/**
 * The image that is open, also in the next drawing.
 * @type {ImageBitmap | null}
 */
let opened = null;

/** @param {number} code 0 to 255 */
const linear = (code) => {
  const value = code / 255;
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
};
/** @param {number} value 0 to 1 */
const encoded = (value) =>
  value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055;

/**
 * The mean color of a square of an image, by its light; null where nothing of it is opaque.
 * @param {{ width: number, height: number, data: Uint8ClampedArray }} image RGBA
 * @param {number} x of its middle
 * @param {number} y
 * @param {number} side in pixels, odd
 * @returns {string | null}
 */
export function meanColor({ width, height, data }, x, y, side) {
  const reach = (side - 1) / 2;
  const sums = [0, 0, 0];
  let count = 0;
  for (let row = Math.max(0, y - reach); row <= Math.min(height - 1, y + reach); row++)
    for (let column = Math.max(0, x - reach); column <= Math.min(width - 1, x + reach); column++) {
      const at = 4 * (row * width + column);
      if (data[at + 3] < 255) continue;
      count++;
      for (let n = 0; n < 3; n++) sums[n] += linear(data[at + n]);
    }
  return count ? hexOf(sums.map((sum) => encoded(sum / count))) : null;
}

export class Reference {
  /** @type {{ x: number, y: number } | null} where keys are, in pixels of the image */ #cursor =
    null;
  /** @type {ImageData | null} */ #pixels = null;
  #hadOriginal = false;
  /** @type {Set<number>} pointers that are down on the image */ #pressed = new Set();
  /** Whether one alone is, which takes the color where it is lifted: two pinch. */
  #alone = false;

  /** @param {import('./canvas.js').ColoringCanvas} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    const say = (/** @type {string} */ name) => canvas.say(name);
    this.file = make('input', {
      type: 'file',
      accept: 'image/*',
      hidden: '',
      'aria-label': say('reference_open'),
      change: () => this.#open(),
    });
    this.image = make('canvas', {
      tabindex: 0,
      role: 'application',
      'aria-label': say('reference_image'),
      'aria-description': say('reference_keys'),
      hidden: '',
    });
    this.ring = make('i', { hidden: '' });
    this.hint = make('p', {}, say('reference_hint'));
    this.chip = make('b', { class: 'cv-chip none' });
    this.node = make(
      'figure',
      { class: 'cv-reference', hidden: '', role: 'group', 'aria-label': say('reference') },
      make(
        'div',
        { class: 'cv-title' },
        this.chip,
        button(say('reference_open'), () => this.file.click(), { class: 'cv-open' }),
        canvas.tools.undoOnSheet(),
        button('×', () => canvas.setReference(false), {
          class: 'cv-add',
          'aria-label': say('reference_close'),
          title: say('reference_close'),
        }),
      ),
      this.file,
      this.hint,
      make('div', { class: 'cv-reference-image' }, this.image, this.ring),
    );
    this.#listen();
    if (opened) this.#draw(opened);
  }

  #listen() {
    const { image } = this;
    image.addEventListener('pointerdown', (event) => {
      if (event.isPrimary) this.#pressed.clear();
      this.#pressed.add(event.pointerId);
      this.#alone = this.#pressed.size === 1 && event.button === 0;
      this.#follow(event);
      image.setPointerCapture(event.pointerId);
    });
    image.addEventListener('pointermove', (event) => {
      // The menu of a right press takes its end.
      if (!event.buttons) this.#pressed.clear();
      this.#follow(event);
    });
    // What the ring shows is taken. A finger that has moved makes no click.
    image.addEventListener('pointerup', (event) => {
      if (this.#pressed.delete(event.pointerId) && this.#alone) this.#take(...this.#pixel(event));
      this.#alone = false;
    });
    image.addEventListener('pointercancel', (event) => {
      this.#pressed.delete(event.pointerId);
      this.#alone = false;
      this.rest();
    });
    // A finger leaves as it is lifted; its ring stays where the color is from.
    image.addEventListener('pointerleave', ({ pointerType }) => {
      if (pointerType !== 'touch') this.rest();
    });
    image.addEventListener('blur', () => this.rest());
    image.addEventListener('keydown', (event) => {
      const way = ARROWS[event.key];
      if (!way && event.key !== 'Enter') return;
      event.preventDefault();
      event.stopPropagation();
      const cursor = (this.#cursor ||= { x: image.width >> 1, y: image.height >> 1 });
      if (way) {
        const step = event.shiftKey ? 1 : Math.max(1, Math.round(STEP_PX / this.#scale));
        cursor.x = Math.min(Math.max(cursor.x + way[0] * step, 0), image.width - 1);
        cursor.y = Math.min(Math.max(cursor.y + way[1] * step, 0), image.height - 1);
        this.#look(cursor.x, cursor.y);
      } else this.#take(cursor.x, cursor.y);
    });
    new ResizeObserver(() => this.#layOut()).observe(this.canvas.view.stage);
  }

  /** @param {PointerEvent} event of a pointer that is alone, or of one that pinches */
  #follow(event) {
    if (this.#pressed.size && !this.#alone) this.rest();
    else this.#look(...this.#pixel(event));
  }

  /** CSS pixels a pixel of the image has. */
  get #scale() {
    return this.image.clientWidth / this.image.width || 1;
  }

  /**
   * @param {MouseEvent} event
   * @returns {[number, number]}
   */
  #pixel(event) {
    const box = this.image.getBoundingClientRect();
    const part = (/** @type {number} */ value, /** @type {number} */ size) =>
      Math.min(Math.max(Math.floor(value * size), 0), size - 1);
    return [
      part((event.clientX - box.left) / box.width, this.image.width),
      part((event.clientY - box.top) / box.height, this.image.height),
    ];
  }

  /** The side of the square whose mean is taken, in pixels of the image. */
  get #side() {
    return 2 * Math.floor(SPOT_PX / this.#scale / 2) + 1;
  }

  /**
   * @param {number} x
   * @param {number} y
   */
  #color(x, y) {
    return this.#pixels && meanColor(this.#pixels, x, y, this.#side);
  }

  /**
   * Shows the color at a pixel, without taking it.
   * @param {number} x
   * @param {number} y
   */
  #look(x, y) {
    const color = this.#color(x, y);
    const { image, ring } = this;
    ring.hidden = !color;
    ring.style.left = image.offsetLeft + (x + 0.5) * this.#scale + 'px';
    ring.style.top = image.offsetTop + (y + 0.5) * this.#scale + 'px';
    this.#show(color);
  }

  /** @param {string | null} color */
  #show(color) {
    this.chip.style.background = color || '';
    this.chip.classList.toggle('none', !color);
  }

  /** Nothing is looked at: shows the color in hand. */
  rest() {
    this.ring.hidden = true;
    this.#show(this.canvas.color);
  }

  /**
   * Takes the color at a pixel to paint with.
   * @param {number} x
   * @param {number} y
   */
  #take(x, y) {
    const { canvas } = this;
    const color = this.#color(x, y);
    if (!color) canvas.tell('no_color');
    else if (canvas.enabled && canvas.hasRoom()) {
      canvas.endStroke();
      canvas.picker.take(color);
      canvas.log({ do: 'pick', color }, null);
      canvas.announce('picked', { color });
      this.#look(x, y);
    }
  }

  async #open() {
    const [file] = this.file.files || [];
    if (!file) return;
    this.file.value = '';
    try {
      const whole = await createImageBitmap(file);
      const scale = Math.min(1, LONGEST / Math.max(whole.width, whole.height));
      opened = await createImageBitmap(whole, {
        resizeWidth: Math.max(1, Math.round(whole.width * scale)),
        resizeHeight: Math.max(1, Math.round(whole.height * scale)),
        resizeQuality: 'high',
      });
      this.#draw(opened);
    } catch {
      this.hint.hidden = false;
      this.hint.textContent = `${file.name}: ${this.canvas.say('reference_unread')}`;
    }
  }

  /** @param {ImageBitmap} bitmap */
  #draw(bitmap) {
    const { image } = this;
    image.width = bitmap.width;
    image.height = bitmap.height;
    const context = /** @type {CanvasRenderingContext2D} */ (
      image.getContext('2d', { willReadFrequently: true, colorSpace: 'srgb' })
    );
    context.drawImage(bitmap, 0, 0);
    this.#pixels = context.getImageData(0, 0, image.width, image.height);
    this.#cursor = null;
    image.hidden = false;
    this.hint.hidden = true;
    this.#layOut();
  }

  /** Gives the panel a part of the stage: its right side, the top of a high one, or on a narrow screen
   * what is below. Without an image it is below the colors, where they are beside the stage. */
  #layOut() {
    const { node } = this;
    const { view, picker } = this.canvas;
    const wide = this.canvas.node.clientWidth >= WIDE_PX;
    const { clientWidth, clientHeight } = view.stage;
    const isEmpty = wide && this.image.hidden;
    const parent = isEmpty ? picker.node : picker.node.parentElement;
    if (node.parentElement !== parent) {
      const held = /** @type {HTMLElement} */ (document.activeElement);
      const holds = node.contains(held);
      parent?.append(node);
      if (holds) held.focus({ preventScroll: true });
    }
    const above = wide && !isEmpty && clientHeight > HIGH * clientWidth;
    node.classList.toggle('above', above);
    const isBeside = wide && !isEmpty && !above && !node.hidden;
    view.reserved.right = isBeside ? node.offsetWidth + 12 : 0;
    view.reserved.above = above && !node.hidden ? node.offsetHeight + 12 : 0;
    const { rail } = this.canvas.tools;
    if (!wide && !node.hidden)
      view.covered = () => Math.max(0, node.offsetHeight - rail.offsetHeight);
    view.layOut();
  }

  /**
   * @param {boolean} on
   * @param {boolean} [focuses] whether the focus goes there, or back
   */
  show(on, focuses = true) {
    const { tools, original, picker } = this.canvas;
    if (on) tools.sheet('', false);
    this.node.hidden = !on;
    // The drawing stays large: the original makes room.
    if (on) this.#hadOriginal = !!original && !original.hidden;
    if (this.#hadOriginal) original?.show(!on);
    this.rest();
    this.#layOut();
    // What is below the colors is scrolled to.
    if (on && this.node.parentElement === picker.node)
      picker.node.scrollTop = picker.node.scrollHeight;
    tools.show();
    if (!focuses) return;
    const first = this.image.hidden ? this.node.querySelector('button') : this.image;
    (on ? first : tools.reference)?.focus({ preventScroll: true });
  }
}
