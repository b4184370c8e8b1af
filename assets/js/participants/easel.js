// One sketch while it is colored: its canvas, loaded early, and its times.

import { ColoringCanvas, VERSION } from '../canvas/canvas.js';
import { SketchTime, forgetTime } from './active.js';
import { canvasTexts, say } from './texts.js';
import { sketchFiles } from './link.js';
import { hiddenMs } from './presence.js';

/** @typedef {import('../canvas/actions.js').Action} Action */

export class Easel {
  /** @type {ColoringCanvas | null} */ #canvas = null;
  #listening = new AbortController();
  #hiddenAt = hiddenMs();
  #pointer = '';

  /**
   * @param {Api.SketchTrial} sketch
   * @param {string} person whose times and colors are kept in this browser
   * @param {{ put: (node: HTMLElement) => void, acted: (action: Action) => void }} hands
   * @param {Api.StudyOnPage} study
   */
  constructor(sketch, person, hands, study) {
    this.study = study;
    this.sketch = sketch;
    this.person = person;
    this.hands = hands;
    this.key = `truehue-time:${person}:${sketch.position}`;
    this.saidKey = `truehue-background:${person}:${sketch.position}`;
    this.time = new SketchTime(this.key);
  }

  /**
   * Puts the canvas up with what was done on it; false where it is not wanted any more once it can
   * be colored.
   * @param {Action[]} actions
   */
  async open(actions) {
    const { words, ask_background: asks } = this.sketch;
    const { id, width, height, closing } = this.sketch.sketch;
    const canvas = new ColoringCanvas({
      sketch: { id, width, height, closing, ...sketchFiles(id) },
      actions: [...actions],
      onAction: (/** @type {Action} */ action) => {
        this.time.keep();
        this.hands.acted(action);
      },
      // “Done” is said of a whole sketch here.
      texts: { ...canvasTexts(), close: say('close') },
      person: this.person,
      concept: asks ? words : '',
      reference: !!this.study.reference_image,
      keepsColor: !!this.study.keep_color,
      said: this.#said(),
      onSaid: (said) => this.#keep(said),
    });
    this.#canvas = canvas;
    canvas.node.addEventListener(
      'pointerdown',
      (event) => (this.#pointer = event.pointerType || this.#pointer),
      { capture: true },
    );
    // A page that is left in the middle of a stroke has one until there.
    addEventListener('pagehide', () => canvas.endStroke(), { signal: this.#listening.signal });
    this.hands.put(canvas.node);
    await canvas.ready.catch(() => {});
    this.#hiddenAt = hiddenMs();
    return this.#canvas === canvas;
  }

  /** @param {boolean} on whether it can be colored */
  enable(on) {
    this.#canvas?.enable(on);
  }

  /** Ends a stroke that is still drawn. */
  endStroke() {
    this.#canvas?.endStroke();
  }

  /** The share of the sketch that has a color, 0 to 1. */
  get coloredShare() {
    return this.#canvas?.coloredShare() || 0;
  }

  /**
   * Whether something is asked before the sketch is done.
   * @param {() => void} then what is done where the answer allows it
   */
  holds(then) {
    return !!this.#canvas?.background?.holds(then);
  }

  /** What was said of the background before, also before a reload. */
  #said() {
    try {
      return JSON.parse(localStorage.getItem(this.saidKey) || '{}');
    } catch {
      return {};
    }
  }

  /** @param {import('../canvas/background.js').Said} said */
  #keep(said) {
    try {
      localStorage.setItem(this.saidKey, JSON.stringify(said));
    } catch {
      // Then it is asked once more after a reload.
    }
  }

  /** What an answer says of the coloring as it is now. */
  get answer() {
    return {
      ...this.time.answer,
      checksum: this.#canvas?.checksum() || '',
      ...(this.sketch.ask_background
        ? { background: this.#canvas?.background?.said || this.#said() }
        : {}),
      display: this.display,
    };
  }

  /** What is known of how it was colored. */
  get display() {
    return {
      canvas: VERSION,
      viewport: innerWidth + 'x' + innerHeight,
      dpr: devicePixelRatio,
      pointer: this.#pointer || 'none',
      hidden_ms: Math.round(hiddenMs() - this.#hiddenAt),
    };
  }

  /** Takes it away. @param {boolean} [done] whether its times are of no use any more */
  close(done) {
    // What was in the hand is one action more, and a time that is kept.
    this.#canvas?.destroy();
    this.#listening.abort();
    this.time.end();
    if (done) forgetTime(this.key);
    this.#canvas = null;
  }
}
