// Pointers on the stage. A mouse or a pen draws; so does one finger, until a pen was seen: from then
// on fingers and the palm only move the drawing. Two fingers always do.

/** @typedef {{ x: number, y: number }} Place in CSS pixels of the page */

const TAP_PX = 10;
/** A finger on the paper means the region that was marked, so near in CSS pixels. */
const MARKED_PX = 24;
/** A finger that rests so long sees what is under it. It aims then, where the whole drawing is in
 * sight; in one that is looked at closer it fills as it moves on. */
const HOLD_MS = 280;
/** A second finger this soon says that the first was never meant to draw. */
const SECOND_FINGER_MS = 300;
const TAPS_MS = 250;

let penSeen = false;

/**
 * A wheel enlarges what is under it, and two fingers on a trackpad move it.
 * @param {WheelEvent} event
 * @param {{ zoom: (factor: number, at: MouseEvent) => void, pan: (dx: number, dy: number) => void }} to
 */
export function turn(event, to) {
  event.preventDefault();
  const step = event.deltaMode ? 30 : 1;
  // Two fingers on a trackpad move by single pixels and sideways; a wheel turns by notches.
  const notches = Math.abs(Reflect.get(event, 'wheelDeltaY') || 0) % 120 === 0;
  const wheel = event.deltaMode || (!event.deltaX && notches);
  if (event.ctrlKey || event.metaKey || (wheel && !event.shiftKey))
    to.zoom(Math.exp(-event.deltaY * step * (wheel ? 0.002 : 0.01)), event);
  else if (event.shiftKey && !event.deltaX) to.pan(-event.deltaY * step, 0);
  else to.pan(-event.deltaX * step, -event.deltaY * step);
}

export class Hands {
  /** @type {Map<number, Place>} */ #fingers = new Map();
  /** @type {'' | 'draw' | 'pan' | 'tap' | 'aim' | 'pinch'} */ #doing = '';
  /** @type {PointerEvent | null} */ #begin = null;
  /** Where the pointer is on the stage. @type {PointerEvent | null} */ at = null;
  /** What the pointer draws. @type {import('./strokes.js').Strokes | import('./sweeps.js').Sweeps} */
  #drawing;
  /** Whether the space bar is held: then a mouse moves the drawing. */
  space = false;
  shift = false;
  panned = false;
  /** Inside the region that a button went to. @type {{ x: number, y: number } | null} */
  marked = null;
  /** The same, while a finger is down. @type {{ x: number, y: number } | null} */
  #target = null;
  #hold = 0;
  /** How many fingers came down and have not moved, above one. */
  #resting = 0;
  /** @type {import('./loupe.js').Loupe | null} */ #loupe = null;
  /** Whether a finger was used last. */
  touches = false;

  /** @param {import('./canvas.js').ColoringCanvas} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    this.#drawing = canvas.strokes;
    const { stage } = canvas.view;
    stage.addEventListener('pointerdown', (event) => this.#down(event));
    stage.addEventListener('pointermove', (event) => this.#move(event));
    stage.addEventListener('pointerup', (event) => this.#up(event, false));
    stage.addEventListener('pointercancel', (event) => this.#up(event, true));
    stage.addEventListener('pointerleave', () => {
      this.at = null;
      this.hover();
    });
    stage.addEventListener(
      'wheel',
      (event) => {
        turn(event, canvas.view);
        this.hover();
      },
      { passive: false },
    );
    // A long press is no menu, and a pen's is no second button.
    stage.addEventListener('contextmenu', (event) => event.preventDefault());
  }

  /** @param {PointerEvent} event */
  #down(event) {
    const { canvas } = this;
    const { stage } = canvas.view;
    const touch = (this.touches = event.pointerType === 'touch');
    if (touch && !this.#loupe) this.#makeLoupe().catch(() => {});
    if (event.pointerType === 'pen') penSeen = true;
    else if (!touch && event.button > 1) return;
    event.preventDefault();
    stage.focus({ preventScroll: true });
    this.#target = touch ? this.marked : null;
    this.marked = null;
    canvas.view.cursor = null;
    // A pen that has left already has no pointer to capture.
    try {
      stage.setPointerCapture(event.pointerId);
    } catch {
      // Then it is followed on the stage alone.
    }
    if (this.#doing === 'draw') {
      if (this.#begin?.pointerType !== 'touch') return;
      this.#giveUp(event.timeStamp);
    }
    // What rests on the screen beside a pen or a mouse is a palm.
    if (!touch) this.#fingers.clear();
    clearTimeout(this.#hold);
    this.#fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    this.#begin = this.at = event;
    this.panned = false;
    this.#doing = touch && this.#fingers.size > 1 ? 'pinch' : this.#first(event, touch);
    this.#resting = this.#doing === 'pinch' ? this.#fingers.size : 0;
    this.hover();
  }

  async #makeLoupe() {
    const { Loupe } = await import('./loupe.js');
    this.#loupe ||= new Loupe(this.canvas);
  }

  /**
   * What a pointer that is alone begins.
   * @param {PointerEvent} event
   * @param {boolean} touch
   */
  #first(event, touch) {
    const { canvas } = this;
    if (event.button === 1 || this.space || canvas.tool === 'hand' || (touch && penSeen))
      return 'pan';
    if (!canvas.enabled) return 'pan';
    if (touch && this.#picks(event)) return 'aim';
    if (touch && !this.#strokes(event)) {
      this.#hold = setTimeout(() => this.#rest(), HOLD_MS);
      return 'tap';
    }
    return this.#act(event) ? 'draw' : '';
  }

  /** A finger has not moved for a while. */
  #rest() {
    if (this.#doing !== 'tap' || !this.#begin) return;
    if (!this.canvas.view.fitted && this.#sweeps(this.#begin)) this.#sweep();
    else this.#doing = 'aim';
    this.hover();
  }

  /** A finger fills as it moves, from where it came down. */
  #sweep() {
    const begin = this.#begin;
    if (this.#doing === 'tap' && begin && this.canvas.enabled)
      this.#doing = this.#sweepFrom(begin) ? 'draw' : '';
  }

  /** @param {PointerEvent} event */
  #sweepFrom(event) {
    const { canvas } = this;
    const [x, y] = canvas.view.pixel(event);
    this.#drawing = canvas.sweeps;
    return canvas.sweeps.begin(x, y, canvas.tool === 'region', event.timeStamp);
  }

  /**
   * With Alt, or the button on the side of a pen, every tool takes up a color.
   * @param {PointerEvent} event
   */
  #picks(event) {
    return event.altKey || event.button === 2 || this.canvas.tool === 'pick';
  }

  /**
   * With Shift, a fill is one of all regions that look alike.
   * @param {PointerEvent} event
   */
  #fillsAlike(event) {
    return event.shiftKey || this.canvas.tool === 'alike';
  }

  /** Whether a fill goes on as the pointer moves. @param {PointerEvent} event */
  #sweeps(event) {
    return !this.#picks(event) && !this.#fillsAlike(event);
  }

  /** @param {PointerEvent} event */
  #strokes(event) {
    return !this.#picks(event) && (this.#erases(event) || /brush|eraser/.test(this.canvas.tool));
  }

  /**
   * The other end of a pen erases.
   * @param {PointerEvent} event
   */
  #erases(event) {
    return this.canvas.tool === 'eraser' || event.button === 5 || (event.buttons & 32) > 0;
  }

  /**
   * Does what the tool does here. Gives back whether that goes on with the pointer.
   * @param {PointerEvent} event
   */
  #act(event) {
    const { canvas } = this;
    const [x, y] = this.#targetPixel(event);
    if (this.#picks(event)) canvas.pick(x, y);
    else if (this.#strokes(event)) {
      this.#drawing = canvas.strokes;
      return canvas.strokes.begin(x, y, this.#erases(event), event.shiftKey);
    } else if (this.#fillsAlike(event)) {
      canvas.fillAlike(x, y, canvas.tool === 'region', event.timeStamp);
    } else if (event.type === 'pointerdown') return this.#sweepFrom(event);
    else canvas.fill(x, y, canvas.tool === 'region', event.timeStamp);
    return false;
  }

  /**
   * The pixel that a pointer acts on: inside the region that was marked, where a finger taps the paper
   * near it.
   * @param {PointerEvent} event
   * @returns {[number, number]}
   */
  #targetPixel(event) {
    const { view, layer, regions, closing } = this.canvas;
    const [x, y] = view.pixel(event);
    const target = this.#doing === 'tap' ? this.#target : null;
    if (!target || !layer || !regions) return [x, y];
    const isPaper = (/** @type {number} */ x, /** @type {number} */ y) =>
      regions.surround(closing)[layer.labelAt(x, y, closing)];
    const isNear = Math.hypot(x - target.x, y - target.y) * view.scale <= MARKED_PX;
    return isNear && isPaper(x, y) && !isPaper(target.x, target.y) ? [target.x, target.y] : [x, y];
  }

  /** @param {PointerEvent} event */
  #move(event) {
    const { canvas } = this;
    const { view } = canvas;
    const before = this.#fingers.get(event.pointerId);
    if (event.pointerType === 'pen') penSeen = true;
    if (event.pointerType !== 'touch' || before) this.at = event;
    this.shift = event.shiftKey;
    if (!before) {
      if (event.pointerType !== 'touch') view.cursor = null;
      this.hover();
      return;
    }
    const now = { x: event.clientX, y: event.clientY };
    const [dx, dy] = [now.x - before.x, now.y - before.y];
    if (this.#doing === 'tap' && this.#begin) {
      if (Math.hypot(now.x - this.#begin.clientX, now.y - this.#begin.clientY) < TAP_PX) return;
      clearTimeout(this.#hold);
      // There is nothing to move where the whole drawing is in sight.
      if (!view.fitted) this.#doing = 'pan';
      else if (this.#sweeps(this.#begin)) this.#sweep();
      else return;
    }
    this.#fingers.set(event.pointerId, now);
    if (this.#doing === 'pan') {
      this.panned = true;
      view.pan(dx, dy);
    } else if (this.#doing === 'pinch') this.#pinch(event.pointerId, before, now);
    else if (this.#doing === 'draw') {
      const parts = event.getCoalescedEvents?.() || [];
      for (const part of parts.length ? parts : [event]) this.#drawing.extend(...view.pixel(part));
    }
    this.hover();
  }

  /**
   * @param {number} id
   * @param {Place} before
   * @param {Place} now
   */
  #pinch(id, before, now) {
    const other = [...this.#fingers].find(([item]) => item !== id)?.[1];
    if (!other) return;
    const { view } = this.canvas;
    if (Math.hypot(now.x - before.x, now.y - before.y) >= 1) this.#resting = 0;
    if (this.#resting) return;
    const away = (/** @type {Place} */ item) => Math.hypot(item.x - other.x, item.y - other.y);
    view.pan((now.x - before.x) / 2, (now.y - before.y) / 2);
    const middle = { clientX: (now.x + other.x) / 2, clientY: (now.y + other.y) / 2 };
    view.zoom(away(now) / Math.max(1, away(before)), middle);
  }

  /**
   * @param {PointerEvent} event
   * @param {boolean} lost
   */
  #up(event, lost) {
    if (!this.#fingers.delete(event.pointerId)) return;
    clearTimeout(this.#hold);
    if (/tap|aim/.test(this.#doing) && !lost) this.#act(event);
    // Two fingers that tap take the last step back and three do it again, as in apps for drawing.
    const quick = event.timeStamp - (this.#begin?.timeStamp || 0) < TAPS_MS;
    if (this.#resting && quick && !lost) this.canvas.simply(this.#resting > 2 ? 'redo' : 'undo');
    this.#resting = 0;
    if (this.#doing === 'draw') {
      if (lost && event.pointerType === 'touch') this.#drawing.cancel();
      else this.#drawing.end();
    }
    // A finger that stays after a pinch goes on moving.
    this.#doing = this.#fingers.size ? 'pan' : '';
    if (event.pointerType === 'touch') this.at = null;
    this.hover();
  }

  /** @param {number} now */
  #giveUp(now) {
    const soon = now - (this.#begin?.timeStamp || 0) < SECOND_FINGER_MS;
    if (soon || this.#drawing.rests) this.#drawing.cancel();
    else this.#drawing.end();
  }

  /** Shows what the tool would do where the pointer is. */
  hover() {
    const { canvas } = this;
    const { view, layer, tool } = canvas;
    const event = this.at;
    const moves = this.space || tool === 'hand' || /pan|pinch/.test(this.#doing);
    view.stage.dataset.hand = this.#doing === 'pan' ? 'moves' : moves ? 'hand' : tool;
    view.ring = null;
    if (!layer || !event || moves || !canvas.enabled) view.region = null;
    else {
      const [x, y] = view.pixel(event);
      const strokes = this.#strokes(event);
      if (strokes) view.ring = { x, y, diameter: canvas.diameter };
      if (!canvas.drawing && !view.cursor)
        this.#outline(x, y, strokes, this.shift || tool === 'alike');
    }
    const isAimed = this.#doing === 'aim' || (this.touches && canvas.sweeps.active);
    this.#loupe?.show(isAimed ? event : null, !!event && this.#picks(event));
    view.mark();
  }

  /**
   * @param {number} x
   * @param {number} y
   * @param {boolean} strokes
   * @param {boolean} alike whether all that look alike would be filled
   */
  #outline(x, y, strokes, alike) {
    const { view, layer, closing, within, tool } = this.canvas;
    const label = layer?.labelAt(x, y, closing) || 0;
    const request = strokes ? within : tool !== 'pick';
    // What was just filled shows its color alone, until the pointer has been elsewhere.
    if (this.canvas.filled !== label) this.canvas.filled = 0;
    const color = layer?.colorAt(x, y) || null;
    const others = alike && !strokes && label ? this.canvas.alike(label, color) : [];
    view.region =
      request && label && !this.canvas.filled
        ? { closing, label, empty: !strokes && !color, others }
        : null;
  }
}
