// An image of the person's own beside the drawing, to take colors from. It is read in the browser and
// never sent; each color that is taken is an action.
import { hexOf } from './colors.js';
import { turn } from './hands.js';
import { ARROWS } from './keys.js';
import { aria, button, icon, make } from './nodes.js';

/** The longer side to which a large image is made smaller. */
const LONGEST = 1_600;
/** Of CSS pixels: a color is the mean of so much of the image, as a single pixel is noise. */
const SPOT_PX = 5;
const WIDE_PX = 680;
const STEP_PX = 8;
/** How often the image is enlarged at most, and by how much with each key. */
const CLOSEST = 16;
const KEY_ZOOM = 1.5;
const ENLARGE = 'M14 4h6v6M20 4l-7 7M10 20H4v-6M4 20l7-7';
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
  /** @type {Map<number, { x: number, y: number }>} pointers that are down on the image */
  #pressed = new Map();
  /** Whether one alone is, which takes the color where it is lifted: two pinch. */
  #alone = false;
  /** How often the image is enlarged where it is, and how far it is moved, in CSS pixels. */
  #zoom = 1;
  #x = 0;
  #y = 0;

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
    this.frame = make('div', { class: 'cv-reference-image' }, this.image, this.ring);
    this.larger = button('', () => this.enlarge(!this.#isLarge), {
      class: 'cv-add',
      'aria-label': say('reference_enlarge'),
      title: say('reference_enlarge'),
      hidden: '',
    });
    this.larger.append(icon(ENLARGE));
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
        this.larger,
        button('×', () => canvas.setReference(false), {
          class: 'cv-add',
          'aria-label': say('reference_close'),
          title: say('reference_close'),
        }),
      ),
      this.file,
      this.hint,
      this.frame,
    );
    this.enlarge(false);
    this.#listen();
    if (opened) this.#draw(opened);
  }

  #listen() {
    const { image, frame } = this;
    image.addEventListener('pointerdown', (event) => {
      if (event.isPrimary) this.#pressed.clear();
      this.#pressed.set(event.pointerId, { x: event.clientX, y: event.clientY });
      this.#alone = this.#pressed.size === 1 && event.button === 0;
      this.#follow(event);
      image.setPointerCapture(event.pointerId);
    });
    image.addEventListener('pointermove', (event) => {
      // The menu of a right press takes its end.
      if (!event.buttons) this.#pressed.clear();
      this.#pinch(event);
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
    // What is below an enlarged image is not pressed as it makes room.
    image.addEventListener('touchend', (event) => event.cancelable && event.preventDefault());
    frame.addEventListener(
      'wheel',
      (event) => {
        turn(event, this);
        this.#follow(event);
      },
      { passive: false },
    );
    image.addEventListener('blur', () => this.rest());
    this.node.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape' || !this.#isLarge) return;
      event.stopPropagation();
      this.enlarge(false);
    });
    image.addEventListener('keydown', (event) => {
      const { key, shiftKey } = event;
      // With these they are keys of the browser, which zooms the page and goes back.
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const way = ARROWS[key];
      if (!way && !/^(Enter|[+=0-])$/.test(key)) return;
      event.preventDefault();
      event.stopPropagation();
      const cursor = (this.#cursor ||= { x: image.width >> 1, y: image.height >> 1 });
      if (key === 'Enter') this.#take(cursor.x, cursor.y);
      else {
        const step = shiftKey ? 1 : Math.max(1, Math.round(STEP_PX / this.#scale));
        const [dx, dy] = way || [0, 0];
        cursor.x = Math.min(Math.max(cursor.x + dx * step, 0), image.width - 1);
        cursor.y = Math.min(Math.max(cursor.y + dy * step, 0), image.height - 1);
        if (key === '0') this.zoom(0);
        else if (!way) this.zoom(key === '-' ? 1 / KEY_ZOOM : KEY_ZOOM, this.#onPage(cursor));
        this.#reveal(cursor);
        this.#look(cursor.x, cursor.y);
      }
    });
    new ResizeObserver(() => this.#layOut()).observe(this.canvas.view.stage);
  }

  /** Two fingers enlarge the image and move it. @param {PointerEvent} event */
  #pinch({ pointerId, clientX, clientY }) {
    const before = this.#pressed.get(pointerId);
    if (!before) return;
    const now = { x: clientX, y: clientY };
    this.#pressed.set(pointerId, now);
    if (this.#pressed.size !== 2) return;
    const [other] = [...this.#pressed].flatMap(([id, at]) => (id === pointerId ? [] : [at]));
    const away = (/** @type {typeof now} */ at) => Math.hypot(at.x - other.x, at.y - other.y);
    this.pan((now.x - before.x) / 2, (now.y - before.y) / 2);
    const middle = { clientX: (now.x + other.x) / 2, clientY: (now.y + other.y) / 2 };
    this.zoom(away(now) / Math.max(1, away(before)), middle);
  }

  /**
   * Enlarges the image around a place of the page; 0 shows the whole of it.
   * @param {number} factor
   * @param {{ clientX: number, clientY: number }} [at]
   */
  zoom(factor, at = { clientX: 0, clientY: 0 }) {
    const box = this.image.getBoundingClientRect();
    const zoom = Math.min(Math.max(this.#zoom * factor, 1), CLOSEST);
    const more = 1 - zoom / this.#zoom;
    this.#zoom = zoom;
    this.pan((at.clientX - box.left) * more, (at.clientY - box.top) * more);
  }

  /**
   * Moves the image; what of it can fill its frame does.
   * @param {number} dx in CSS pixels
   * @param {number} dy
   */
  pan(dx, dy) {
    const { image, frame } = this;
    const held = (
      /** @type {number} */ moved,
      /** @type {number} */ before,
      /** @type {number} */ size,
      /** @type {number} */ room,
    ) => {
      const spare = room - size * this.#zoom;
      return (
        Math.min(Math.max(before + moved, Math.min(spare, spare / 2)), Math.max(0, spare / 2)) -
        before
      );
    };
    this.#x = held(this.#x + dx, image.offsetLeft, image.offsetWidth, frame.clientWidth);
    this.#y = held(this.#y + dy, image.offsetTop, image.offsetHeight, frame.clientHeight);
    image.style.transform = `translate(${this.#x}px,${this.#y}px) scale(${this.#zoom})`;
  }

  /** Where the middle of a pixel is on the page. @param {{ x: number, y: number }} pixel */
  #onPage({ x, y }) {
    const { left, top } = this.image.getBoundingClientRect();
    const scale = this.#scale;
    return { clientX: left + (x + 0.5) * scale, clientY: top + (y + 0.5) * scale };
  }

  /** Moves an enlarged image so that a pixel is in its frame. @param {{ x: number, y: number }} pixel */
  #reveal(pixel) {
    const { left, top, right, bottom } = this.frame.getBoundingClientRect();
    const { clientX, clientY } = this.#onPage(pixel);
    const into = (/** @type {number} */ at, /** @type {number} */ from, /** @type {number} */ to) =>
      Math.max(0, from + STEP_PX - at) + Math.min(0, to - STEP_PX - at);
    this.pan(into(clientX, left, right), into(clientY, top, bottom));
  }

  get #isLarge() {
    return this.node.classList.contains('cv-large');
  }

  /**
   * Gives the image all of the drawing's place, until a color is taken.
   * @param {boolean} on
   */
  enlarge(on) {
    aria(this.larger, 'pressed', on);
    if (on === this.#isLarge) return;
    const middle = () => {
      const { left, top, width, height } = this.frame.getBoundingClientRect();
      return { clientX: left + width / 2, clientY: top + height / 2 };
    };
    // What is in the middle stays there.
    const [x, y] = this.#pixel(middle());
    this.node.classList.toggle('cv-large', on);
    this.#layOut();
    const [to, from] = [middle(), this.#onPage({ x, y })];
    this.pan(to.clientX - from.clientX, to.clientY - from.clientY);
  }

  /** @param {MouseEvent} event of a pointer that is alone, or of one that pinches */
  #follow(event) {
    if (this.#pressed.size && !this.#alone) this.rest();
    else this.#look(...this.#pixel(event));
  }

  /** CSS pixels a pixel of the image has. */
  get #scale() {
    return this.image.getBoundingClientRect().width / this.image.width || 1;
  }

  /**
   * @param {{ clientX: number, clientY: number }} event
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
    const { frame, ring } = this;
    const { left, top } = frame.getBoundingClientRect();
    const { clientX, clientY } = this.#onPage({ x, y });
    ring.hidden = !color;
    ring.style.left = clientX - left + 'px';
    ring.style.top = clientY - top + 'px';
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
      if (this.#isLarge) this.enlarge(false);
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
    image.hidden = this.larger.hidden = false;
    this.hint.hidden = true;
    this.#layOut();
    this.zoom(0);
  }

  /** Gives the panel a part of the stage: its right side, the top of a high one, or on a narrow screen
   * what is below. Without an image it is below the colors, where they are beside the stage. */
  #layOut() {
    const { node, image, frame } = this;
    const { view, picker } = this.canvas;
    const large = this.#isLarge;
    // As large as it is whole: small images, too.
    const fit = Math.min(frame.clientWidth / image.width, frame.clientHeight / image.height);
    image.style.width = large ? Math.floor(image.width * fit) + 'px' : '';
    this.pan(0, 0);
    if (large) return;
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
    else this.enlarge(false);
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
