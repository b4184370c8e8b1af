// The coloring canvas: a sketch, its possible actions, and its log.
import { MAX_ACTIONS, MAX_POINTS, MAX_ROWS, rowsOf } from './actions.js';
import { Hands } from './hands.js';
import { keys } from './keys.js';
import { Layer } from './layer.js';
import { make } from './nodes.js';
import { Picker } from './picker.js';
import { decode } from './regions.js';
import { Strokes } from './strokes.js';
import { Sweeps } from './sweeps.js';
import { Tools } from './tools.js';
import { View } from './view.js';

/**
 * @typedef {import('./actions.js').Action} Action
 * @typedef {{ id: string, width: number, height: number, closing: number, ink: string,
 *   regions: string }} Sketch `ink` and `regions` are addresses
 * @typedef {{ sketch: Sketch, texts: Record<string, string>, actions?: Action[],
 *   onAction?: (action: Action) => void, person?: string, concept?: string,
 *   said?: Partial<import('./background.js').Said>, reference?: boolean,
 *   onSaid?: (said: import('./background.js').Said) => void, keepsColor?: boolean }} Settings `texts`
 *   are the part `canvas`
 *   of a language (assets/languages/); `actions` are those done before; `person` names whose colors
 *   are kept in this browser, where several people use it; whoever colors the background is asked
 *   whether it is part of the `concept`, after what was `said`; `reference`: whether an image of
 *   one's own may be opened beside the drawing; `keepsColor`: whether it begins with the color of
 *   the drawing before, and not without one
 */

/** Of the tools, in each answer: larger where people may color otherwise with them. Answers without
 * it are of 1; 2 has the original closed at first, a row of shades, and Fill alike by form; 3 may keep
 * the color for the next drawing, draws straight strokes, and shows smooth edges at 1.2 screen pixels
 * per pixel or more; in 4 a drag with Fill goes on into regions alike the first one alone; 5 fills
 * tiny regions like their neighbors, and takes a color where a finger ends on the reference; 6 enlarges
 * the reference, and a small region that `N` goes to; 7 enlarges it more, gives tiny regions at the edge
 * of the drawing the color inside, and a finger beside the region that is marked fills that one, and
 * not the paper. */
export const VERSION = 7;

/** A reference is there from the start where there is so much room. */
const WIDE_PX = 560;

/**
 * What a hand keeps from one drawing to the next.
 * @type {{ tool: string, color: string | null, diameter: number, within: boolean,
 *   original: boolean, reference: boolean, tipped: boolean }} `tipped`: whether it was said how to aim
 */
const habits = {
  tool: 'fill',
  color: null,
  diameter: 24,
  within: true,
  original: false,
  reference: false,
  tipped: false,
};

/** Tools that every drawing starts without, and those that take color away. */
const ONCE = /alike|pick/;
const ONCE_OR_CLEARING = /alike|pick|eraser|region/;
const RETRY_MS = 3_000;
const TOLD_MS = 4_000;
/** What is said stands beside the drawing where there is so much room, or in so much above or below. */
const BESIDE_PX = 150;
const LINE_PX = 34;

export class ColoringCanvas {
  /** @type {Action[]} */ #actions;
  #enabled = true;
  /** The tool before a color is picked. */
  #before = 'fill';
  /** @type {{ key: string, labels: number[] }} */ lookalikes = { key: '', labels: [] };
  #ends = new AbortController();

  /** @param {Settings} settings */
  constructor({
    sketch,
    actions = [],
    onAction = () => {},
    texts,
    person = '',
    concept = '',
    said = {},
    onSaid = () => {},
    reference = true,
    keepsColor = true,
  }) {
    this.sketch = sketch;
    this.allowsReference = reference;
    /** @type {import('./reference.js').Reference | null} */ this.reference = null;
    /** @type {import('./uncolored.js').Uncolored | null} */ this.uncolored = null;
    /** @type {import('./original.js').Original | null} */ this.original = null;
    /** @type {import('./background.js').Background | null} */ this.background = null;
    /** @type {import('./forms.js').Forms | null} */ this.forms = null;
    this.#actions = [...actions];
    /** Of all strokes that were logged. */
    this.rows = actions.reduce((sum, action) => sum + rowsOf(action), 0);
    this.onAction = onAction;
    this.texts = texts;
    /** @type {string | null} */ this.color = null;
    this.closing = sketch.closing;
    /** The region that was filled last, while the pointer is on it. */
    this.filled = 0;
    // On a drawing without color there is nothing to take away; what fills many starts off.
    const isLeft = (actions.length ? ONCE : ONCE_OR_CLEARING).test(habits.tool);
    this.tool = isLeft ? 'fill' : habits.tool;
    this.diameter = habits.diameter;
    this.within = habits.within;
    this.view = new View(sketch.width, sketch.height, () => this.tools?.showZoom());
    this.tools = new Tools(this);
    this.picker = new Picker(this, person);
    this.tools.rail.prepend(this.picker.swatches.quick);
    this.told = make('p', { class: 'cv-told', role: 'status' });
    this.heard = make('p', { class: 'cv-heard', 'aria-live': 'polite' });
    const { stage } = this.view;
    stage.setAttribute('aria-label', this.say('canvas'));
    stage.setAttribute('aria-description', this.say('canvas_keys'));
    const { rail, options, looks } = this.tools;
    this.notes = make('div', { class: 'cv-notes' }, this.told);
    new MutationObserver(() => this.#fitNotes()).observe(this.notes, {
      childList: true,
      subtree: true,
    });
    this.field = make('div', { class: 'cv-field' }, stage, looks, this.notes);
    const body = make('div', { class: 'cv-body' }, rail, options, this.field, this.picker.node);
    this.node = make('div', { class: 'cv' }, body, this.heard);
    // What was said is out of the way of the hand that goes on.
    this.node.addEventListener('pointerdown', () => this.layer && this.tell(''), { capture: true });
    this.strokes = new Strokes(this);
    this.sweeps = new Sweeps(this);
    this.hands = new Hands(this);
    this.jump = keys(this, this.#ends.signal);
    this.tools.show();
    if (keepsColor && habits.color) this.picker.take(habits.color);
    /** Loads what asks about the background. The drawing can be colored without it. */
    this.watchBackground = () =>
      concept &&
      import('./background.js')
        .then(({ Background }) => {
          this.background ||= new Background(this, concept, said, onSaid);
          this.field.append(this.background.node);
        })
        .catch(() => {});
    /** Settles once the drawing can be colored. */
    this.ready = this.#open();
  }

  async #open() {
    for (;;) {
      try {
        const { ink } = this.view;
        ink.src = this.sketch.ink;
        const [answer] = await Promise.all([
          fetch(this.sketch.regions, { signal: this.#ends.signal }),
          ink.decode(),
          this.watchBackground(),
        ]);
        if (!answer.ok) throw new Error('HTTP ' + answer.status);
        this.regions = decode(await answer.arrayBuffer());
        break;
      } catch (error) {
        if (this.#ends.signal.aborted) throw error;
        this.tell('missing');
        await new Promise((done) => setTimeout(done, RETRY_MS));
      }
    }
    const { width, height, maps } = this.regions;
    this.layer = new Layer(width, height, maps);
    this.#actions.forEach((action) => this.layer?.apply(action));
    // What the first fill needs is made now.
    this.layer.differs({ do: 'fill', x: 0, y: 0, closing: this.closing, color: null });
    this.tell('');
    this.view.open(this.layer, this.regions);
    this.tools.show();
    const wide = this.view.stage.clientWidth >= WIDE_PX;
    if (habits.original) this.setOriginal(true);
    if (habits.reference && this.allowsReference && wide) this.setReference(true, false);
    this.node.dataset.ready = '';
  }

  /** All that was done, in order. */
  get actions() {
    return this.#actions;
  }

  /** The CRC-32 of the layer's bytes; empty before it is ready. */
  checksum() {
    return this.layer?.checksum() || '';
  }

  /** The share of all pixels of the image that have a color, 0 to 1. */
  coloredShare() {
    return this.layer?.coloredShare || 0;
  }

  /** @param {boolean} on whether it can be colored; it can be looked at always */
  enable(on) {
    if (!on) this.endStroke();
    this.#enabled = on;
    for (const part of [this.tools.rail, this.tools.options, this.picker.node]) part.inert = !on;
    this.node.classList.toggle('off', !on);
    this.tools.show();
  }

  get enabled() {
    return this.#enabled && !!this.layer;
  }

  /** Takes the canvas off its page, with all that listens. */
  destroy() {
    this.endStroke();
    this.#ends.abort();
    this.view.watcher.disconnect();
    this.node.remove();
  }

  /**
   * The text of a name, with what stands in braces filled in.
   * @param {string} name
   * @param {Record<string, string | number>} [values]
   */
  say(name, values) {
    const text = this.texts[name] ?? name;
    return text.replace(/\{(\w+)\}/g, (whole, key) => String(values?.[key] ?? whole));
  }

  /**
   * Says something that everybody has to see; an empty name says nothing.
   * @param {string} name
   * @param {Record<string, string | number>} [values]
   */
  tell(name, values) {
    clearTimeout(this.timer);
    this.told.textContent = name ? this.say(name, values) : '';
    if (name && name !== 'missing')
      this.timer = setTimeout(() => (this.told.textContent = ''), TOLD_MS);
  }

  /** Puts what is said into the gray around the drawing, where it has room. */
  placeNotes() {
    const { stage, box, foot, reserved } = this.view;
    const { clientWidth, clientHeight } = stage;
    const [right, below] = [box.left + box.width, clientHeight - foot - box.top - box.height];
    const free = clientWidth - reserved.right - right;
    let css = `left:${reserved.left}px;right:${reserved.right}px;`;
    if (free >= BESIDE_PX) css = `left:${right}px;width:${free}px;top:6px`;
    else if (below >= LINE_PX && below > box.top) css += `top:${clientHeight - foot - below}px`;
    else css += `top:${Math.max(box.top - LINE_PX, 4)}px`;
    this.notes.style.cssText = css;
  }

  /** A box is as wide as its longest line: a text that wraps takes all of the room otherwise. */
  #fitNotes() {
    const range = new Range();
    for (const note of /** @type {Iterable<HTMLElement>} */ (this.notes.children)) {
      note.style.width = '';
      range.selectNodeContents(note);
      note.style.width = Math.ceil(range.getBoundingClientRect().width) + 24 + 'px';
    }
  }

  /**
   * Says what an image would show, to those who do not see it.
   * @param {string} name
   * @param {Record<string, string | number>} [values]
   */
  announce(name, values) {
    this.heard.textContent = this.say(name, values);
  }

  /**
   * A share as it is read.
   * @param {number} share 0 to 1
   */
  percent(share) {
    const language = document.documentElement.lang || 'en';
    const digits = share < 0.1 ? 1 : 0;
    if (share > 0 && share < 0.001) return this.say('under', { share: this.percent(0.001) });
    return share.toLocaleString(language, { style: 'percent', maximumFractionDigits: digits });
  }

  /** @param {string} tool */
  setTool(tool) {
    this.endStroke();
    if (this.tool !== 'pick') this.#before = this.tool;
    this.tool = habits.tool = tool;
    this.view.region = null;
    this.tools.show();
    this.hands.hover();
  }

  /** @param {number} diameter in pixels of the drawing */
  setDiameter(diameter) {
    this.diameter = habits.diameter = Math.min(Math.max(Math.round(diameter), 1), 256);
    this.tools.show();
    this.hands.hover();
    if (/brush|eraser/.test(this.tool)) this.view.showSize(this.diameter);
  }

  /** @param {boolean} on */
  setWithin(on) {
    this.within = habits.within = on;
    this.tools.show();
  }

  /** @param {number} closing */
  setClosing(closing) {
    this.closing = closing;
    this.uncolored?.update();
    this.tools.show();
    this.hands.hover();
  }

  /** @param {boolean} on whether the uncolored original is beside the drawing */
  async setOriginal(on) {
    habits.original = on;
    const later = await this.#later(import('./original.js'));
    if (!later) return;
    this.original ||= later.original(this);
    this.original.show(on);
  }

  /**
   * What comes later; without a connection it does not, and that is said.
   * @template Module
   * @param {Promise<Module>} module
   */
  #later(module) {
    return module.catch(() => {
      this.tell('offline');
      return null;
    });
  }

  /**
   * The color to paint with, chosen just now.
   * @param {string} color
   */
  setColor(color) {
    this.color = habits.color = color;
    this.reference?.rest();
    if (this.told.textContent === this.say('choose_first')) this.tell('');
    this.tools.show();
  }

  /** Whether there is a color to paint with; says that there is none. */
  colored() {
    if (this.color) return true;
    this.tell('choose_first');
    this.picker.ask();
    return false;
  }

  /**
   * Whether another action can be kept; says where none can.
   * @param {number} [rows] of a stroke
   */
  hasRoom(rows = 0) {
    if (this.#actions.length >= MAX_ACTIONS) this.tell('full');
    else if (rows && this.rows + rows > MAX_ROWS) this.tell('no_strokes');
    else return true;
    return false;
  }

  /**
   * @param {Action} action that was done
   * @param {import('./changes.js').Rectangle | null} box
   * @param {number} [pressed] when, on the clock of the page
   */
  log(action, box, pressed) {
    this.view.paint(box);
    if (pressed !== undefined) measure(action.do, pressed);
    this.#actions.push(action);
    this.rows += rowsOf(action);
    if ('color' in action && action.color && action.do !== 'pick') this.picker.used(action.color);
    this.uncolored?.update();
    this.tools.show();
    this.onAction(action);
    if (this.background) this.background.after(action);
    else this.watchBackground();
  }

  /**
   * Fills the region at a pixel, or clears it.
   * @param {number} x
   * @param {number} y
   * @param {boolean} clears
   * @param {number} [pressed] when, on the clock of the page
   */
  fill(x, y, clears, pressed = performance.now()) {
    const { layer, closing } = this;
    this.endStroke();
    if (!layer || !this.enabled || (!clears && !this.colored()) || !this.hasRoom()) return;
    const color = clears ? null : this.color;
    /** @type {import('./actions.js').Fill} */
    const action = { do: 'fill', x, y, closing, color };
    const label = layer.labelAt(x, y, closing);
    if (!label) this.tellNoRegion(x, y);
    else if (!layer.differs(action)) this.tell(clears ? 'no_color' : 'same');
    else {
      this.view.region = null;
      this.filled = label;
      this.log(action, layer.apply(action), pressed);
      this.tell('');
      if (color) this.tellPaper(label);
      const share = this.percent(this.regions?.share(closing, label) || 0);
      this.announce(clears ? 'cleared' : 'filled', { share });
    }
  }

  /**
   * Fills all regions that look like the one at a pixel, or clears them, in one step. Where it has
   * no color, those are the empty ones of about its size, without the paper around the drawing.
   * @param {number} x
   * @param {number} y
   * @param {boolean} clears
   * @param {number} [pressed] when, on the clock of the page
   */
  fillAlike(x, y, clears, pressed = performance.now()) {
    const { layer, regions, closing } = this;
    this.endStroke();
    if (!layer || !regions || !this.enabled || (!clears && !this.colored())) return;
    const color = clears ? null : this.color;
    const label = layer.labelAt(x, y, closing);
    const before = layer.colorAt(x, y);
    if (!label) this.tellNoRegion(x, y);
    else if (before === color) this.tell(clears ? 'no_color' : 'same');
    else {
      if (!before && !this.forms) {
        this.#compare(() => this.fillAlike(x, y, clears, pressed));
        return;
      }
      const others = this.alike(label, before);
      const points = [x, y, ...others.flatMap((other) => regions.middle(closing, other))];
      this.fillPoints(points, color, false, pressed);
      this.view.region = null;
      this.filled = label;
      const n = points.length / 2;
      const [alone, filled] = before
        ? ['alike_color', 'alike_filled_color']
        : ['alike_form', 'alike_filled'];
      this.tell(n === 1 ? alone : clears ? 'alike_cleared' : filled, { n });
      if (color && n === 1) this.tellPaper(label);
    }
  }

  /**
   * Fills the regions at these points, or clears them, in one step.
   * @param {number[]} points x and y, one after the other
   * @param {string | null} color
   * @param {boolean} joined whether it is one step with the action before, until a reload
   * @param {number} [pressed] when, on the clock of the page
   */
  fillPoints(points, color, joined, pressed) {
    const { layer, closing } = this;
    for (let i = 0; layer && i < points.length && this.hasRoom(); i += 2 * MAX_POINTS) {
      const part = points.slice(i, i + 2 * MAX_POINTS);
      /** @type {Action} */
      const action = { do: 'fill_regions', points: part, closing, color };
      const box = layer.apply(action);
      if (joined || i) layer.join();
      this.log(action, box, pressed);
    }
  }

  /**
   * The other regions that look like one: of its color, or without a color of its form and not the
   * paper around the drawing. They are computed again after each action.
   * @param {number} label
   * @param {string | null} color
   * @returns {number[]}
   */
  alike(label, color) {
    const { layer, regions, closing, forms } = this;
    if (!color && !forms) this.#compare(() => this.hands.hover());
    const key = [label, color, closing, this.actions.length, !!forms].join();
    if (!layer || !regions || this.lookalikes.key === key) return this.lookalikes.labels;
    const surround = regions.surround(closing);
    const looks = (/** @type {number} */ other) =>
      color || (!(surround[other] && !surround[label]) && forms?.resembles(closing, label, other));
    const labels = layer.alike(color, closing).filter((other) => other !== label && looks(other));
    this.lookalikes = { key, labels };
    return labels;
  }

  /**
   * Loads what compares forms.
   * @param {() => void} then
   */
  async #compare(then) {
    const later = await this.#later(import('./forms.js'));
    if (!later || !this.regions) return;
    this.forms ||= new later.Forms(this.regions);
    then();
  }

  /**
   * Says that a region that was filled is the paper around the drawing: white is not seen there.
   * @param {number} label
   */
  tellPaper(label) {
    if (!this.background?.open && this.regions?.surround(this.closing)[label]) this.tell('paper');
  }

  /**
   * Says that a pixel is of no region; beside the paper there is nothing to say.
   * @param {number} x
   * @param {number} y
   */
  tellNoRegion(x, y) {
    const { width, height } = this.sketch;
    if (x >= 0 && y >= 0 && x < width && y < height) this.tell('no_region');
  }

  /**
   * Takes the color of a pixel to paint with.
   * @param {number} x
   * @param {number} y
   */
  pick(x, y) {
    const color = this.layer?.colorAt(x, y);
    if (!color) {
      this.tell('no_color');
      return;
    }
    this.picker.take(color);
    if (this.tool === 'pick') this.setTool(this.#before);
    this.announce('picked', { color });
  }

  /**
   * @param {'undo' | 'redo' | 'clear'} label
   * @param {number} [pressed] when, on the clock of the page
   */
  simply(label, pressed = performance.now()) {
    const { layer } = this;
    if (!layer || !this.enabled) return;
    this.endStroke();
    const can = { undo: layer.canUndo, redo: layer.canRedo, clear: layer.coloredShare > 0 };
    if (!can[label]) return;
    for (let goes = true; goes && this.hasRoom();) {
      goes = layer.goesOn(label);
      const undone = label === 'undo' && layer.lastColor;
      /** @type {Action} */
      const action = { do: label };
      this.log(action, layer.apply(action), pressed);
      const { swatches } = this.picker;
      if (undone && !layer.has(undone)) swatches.undone(undone);
      if (label === 'redo' && layer.lastColor) swatches.used(layer.lastColor);
    }
    this.filled = 0;
    this.strokes.last = null;
    this.hands.hover();
    this.announce({ undo: 'undone', redo: 'redone', clear: 'cleared' }[label]);
    // Who missed something small with a finger can aim.
    const tips = label === 'undo' && this.hands.touches && this.view.fitted && !habits.tipped;
    habits.tipped ||= tips;
    this.tell(label === 'clear' ? 'cleared' : tips ? 'aim' : '');
  }

  /** Whether a stroke, or a drag that fills, is under way. */
  get drawing() {
    return this.strokes.drawing || this.sweeps.active;
  }

  /**
   * Shows the image beside the drawing from which colors can be taken, or takes it away.
   * @param {boolean} on
   * @param {boolean} [focuses] whether the focus goes there, or back
   */
  async setReference(on, focuses = true) {
    habits.reference = on;
    const later = await this.#later(import('./reference.js'));
    if (!later) return;
    if (!this.reference) {
      this.reference = new later.Reference(this);
      this.node.firstElementChild?.append(this.reference.node);
    }
    if (this.reference.node.hidden === on) this.reference.show(on, focuses);
  }

  /** Shows what still needs a color, or no longer. */
  async setUncolored() {
    const uncolored = await this.#loadUncolored();
    uncolored?.show(!uncolored.on);
    this.tools.show();
  }

  /** Fills each tiny region like its neighbor. */
  async fillTiny() {
    (await this.#loadUncolored())?.fillTiny();
  }

  async #loadUncolored() {
    const later = await this.#later(import('./uncolored.js'));
    if (this.layer && later) this.uncolored ||= new later.Uncolored(this);
    return this.uncolored;
  }

  /** Shows the list of keys. */
  async help() {
    const later = await this.#later(import('./help.js'));
    if (this.node.isConnected) later?.help(this);
  }

  /** Ends the stroke that is being drawn, or the drag that fills, if there is one. */
  endStroke() {
    this.strokes.end();
    this.sweeps.end();
  }
}

/**
 * How long it took from the press to what is on the screen, for who measures.
 * @param {string} label
 * @param {number} start
 */
function measure(label, start) {
  requestAnimationFrame(() => {
    setTimeout(() => performance.measure('canvas ' + label, { start, end: performance.now() }));
  });
}
