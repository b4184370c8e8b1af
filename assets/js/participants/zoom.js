// Zoom: all images of a trial show the same part.

const CLOSE = 2.5;
const CLOSEST = 8;
const TAP_MS = 320;
const TAP_PX = 32;

/** @type {Record<string, [number, number]>} */
const STEPS = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

export class Zoom {
  #scale = 1;
  #x = 0.5;
  #y = 0.5;
  /** @type {Map<number, { x: number, y: number }>} */ #fingers = new Map();
  #tap = { at: -Infinity, x: 0, y: 0, moved: false };

  /** Whether the images at hand were looked at closely, now or before. */
  used = false;

  /**
   * @param {() => HTMLElement[]} frames of equal size; in each, one thing that is moved
   * @param {(close: boolean) => void} changed
   */
  constructor(frames, changed) {
    this.frames = frames;
    this.changed = changed;
  }

  /** Back to the whole images, which are others from now on. */
  reset() {
    this.#fingers.clear();
    this.used = false;
    this.#set(1, 0.5, 0.5);
  }

  /** Close to a place of the images, 0 to 1 from their left and top, or back from it. */
  toggle(x = 0.5, y = 0.5) {
    if (this.#scale > 1) this.#set(1, 0.5, 0.5);
    else this.#set(CLOSE, x, y);
  }

  /**
   * Moves close images by a quarter of what is seen; gives back whether they are close.
   * @param {string} key of an arrow
   */
  step(key) {
    if (this.#scale === 1) return false;
    const [x, y] = STEPS[key] || [0, 0];
    const far = 0.25 / this.#scale;
    this.#set(this.#scale, this.#x + x * far, this.#y + y * far);
    return true;
  }

  /**
   * Lets hands, wheel and mouse move the images in a frame.
   * @param {HTMLElement} frame
   */
  listen(frame) {
    frame.addEventListener(
      'wheel',
      (event) => {
        event.preventDefault();
        const step = event.deltaMode ? 30 : 1;
        this.#around(frame, event, this.#scale * Math.exp(-event.deltaY * step * 0.002));
      },
      { passive: false },
    );
    frame.addEventListener('pointerdown', (event) => {
      if (event.button) return;
      // A pen or a test may have no pointer to capture.
      try {
        frame.setPointerCapture(event.pointerId);
      } catch {
        // Then it is followed only inside of the frame.
      }
      this.#fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
      this.#tap.moved = this.#fingers.size > 1;
      event.preventDefault();
    });
    frame.addEventListener('pointermove', (event) => this.#move(frame, event));
    frame.addEventListener('pointerup', (event) => {
      if (!this.#fingers.delete(event.pointerId) || this.#tap.moved) return;
      const { clientX: x, clientY: y, timeStamp: index } = event;
      const twice =
        index - this.#tap.at < TAP_MS && Math.hypot(x - this.#tap.x, y - this.#tap.y) < TAP_PX;
      this.#tap = { at: twice ? -Infinity : index, x, y, moved: false };
      if (twice) this.toggle(...this.#inPicture(frame, x, y));
    });
    frame.addEventListener('pointercancel', (event) => this.#fingers.delete(event.pointerId));
  }

  /**
   * @param {HTMLElement} frame
   * @param {PointerEvent} event
   */
  #move(frame, event) {
    const before = this.#fingers.get(event.pointerId);
    if (!before) return;
    const now = { x: event.clientX, y: event.clientY };
    if (Math.hypot(now.x - before.x, now.y - before.y) < 3 && this.#fingers.size === 1) return;
    this.#tap.moved = true;
    const other = [...this.#fingers].find(([id]) => id !== event.pointerId)?.[1];
    this.#fingers.set(event.pointerId, now);
    if (other) {
      const length = (/** @type {{ x: number, y: number }} */ item) =>
        Math.hypot(item.x - other.x, item.y - other.y);
      const middle = { clientX: (now.x + other.x) / 2, clientY: (now.y + other.y) / 2 };
      this.#around(frame, middle, (this.#scale * length(now)) / Math.max(1, length(before)));
    } else if (this.#scale > 1) {
      const { width, height } = frame.getBoundingClientRect();
      const x = this.#x - (now.x - before.x) / width / this.#scale;
      this.#set(this.#scale, x, this.#y - (now.y - before.y) / height / this.#scale);
    }
  }

  /**
   * The place of the image that is at this place of the page.
   * @param {HTMLElement} frame
   * @param {number} clientX
   * @param {number} clientY
   * @returns {[number, number]}
   */
  #inPicture(frame, clientX, clientY) {
    const box = frame.getBoundingClientRect();
    return [
      this.#x + ((clientX - box.left) / box.width - 0.5) / this.#scale,
      this.#y + ((clientY - box.top) / box.height - 0.5) / this.#scale,
    ];
  }

  /**
   * Another scale, with what is under a place of the page staying there.
   * @param {HTMLElement} frame
   * @param {{ clientX: number, clientY: number }} index
   * @param {number} scale
   */
  #around(frame, index, scale) {
    const next = Math.min(CLOSEST, Math.max(1, scale));
    const [x, y] = this.#inPicture(frame, index.clientX, index.clientY);
    const ratio = this.#scale / next;
    this.#set(next, x + (this.#x - x) * ratio, y + (this.#y - y) * ratio);
  }

  /**
   * @param {number} scale
   * @param {number} x of the picture, 0 to 1, in the middle of the frame
   * @param {number} y
   */
  #set(scale, x, y) {
    const edge = 0.5 / scale;
    const was = this.#scale;
    this.#scale = scale;
    this.#x = Math.min(1 - edge, Math.max(edge, x));
    this.#y = Math.min(1 - edge, Math.max(edge, y));
    const [left, top] = [50 - 100 * this.#x * scale, 50 - 100 * this.#y * scale];
    for (const frame of this.frames()) {
      const moved = /** @type {HTMLElement | null} */ (frame.firstElementChild);
      if (!moved) continue;
      moved.style.transform = scale === 1 ? '' : `translate(${left}%, ${top}%) scale(${scale})`;
      frame.classList.toggle('close', scale > 1);
    }
    this.used ||= scale > 1;
    if (was > 1 !== scale > 1) this.changed(scale > 1);
  }
}
