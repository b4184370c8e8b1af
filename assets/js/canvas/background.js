// The paper around a sketch. If it is colored, the page asks if it belongs to the concept.
import { button, make } from './nodes.js';

/**
 * @typedef {{ asked: number, undone: number, part: boolean }} Said `part`: the background was said
 *   to be part of the concept
 * @typedef {import('./actions.js').Action} Action
 */

/** Of the surround: with less color there, a brush only went over the lines. */
export const MIN_SHARE = 0.1;

export class Background {
  /** @type {Action | null} */ #last = null;
  /** @type {() => void} */ #then = () => {};

  /**
   * @param {import('./canvas.js').ColoringCanvas} canvas
   * @param {string} concept its words; where they are empty, nobody is asked
   * @param {Partial<Said>} said before
   * @param {(said: Said) => void} changed
   */
  constructor(canvas, concept, said, changed) {
    this.canvas = canvas;
    this.concept = concept;
    /** @type {Said} */
    this.said = { asked: 0, undone: 0, part: false, ...said };
    this.changed = changed;
    const say = (/** @type {string} */ name) => canvas.say(name, { concept });
    this.question = make('p', { role: 'alert' });
    this.no = button(say('background_no'), () => this.refuse(), {
      class: 'cv-no',
      'aria-keyshortcuts': 'Escape',
      title: say('background_no') + ' (Esc)',
    });
    this.yes = button(say('background_yes'), () => this.confirm());
    this.node = make(
      'div',
      { class: 'cv-ask', role: 'group', 'aria-label': say('background'), hidden: '' },
      this.question,
      make('div', {}, this.no, this.yes),
    );
  }

  get open() {
    return !this.node.hidden;
  }

  get #watches() {
    return !!this.concept && !this.said.part;
  }

  /** The labels of the surround by the closing that the drawing came with. */
  #surround() {
    const { regions, sketch } = this.canvas;
    return regions?.surround(sketch.closing) || new Uint8Array(0);
  }

  /** Which share of the surround has a color, 0 to 1. */
  get share() {
    const { layer, sketch } = this.canvas;
    if (!layer) return 0;
    const surround = this.#surround();
    const labels = layer.maps[sketch.closing];
    let all = 0;
    let colored = 0;
    for (let i = 0; i < labels.length; i++) {
      if (!surround[labels[i]]) continue;
      all++;
      if (layer.values[i]) colored++;
    }
    return all ? colored / all : 0;
  }

  /**
   * Something was done on the canvas.
   * @param {Action} action
   */
  after(action) {
    if (!this.#watches || action.do === 'pick') return;
    const request = this.open ? this.#last : null;
    this.#last = null;
    // Who goes on does not mean Done any more.
    this.#then = () => {};
    if (action.do === 'undo' && request) this.#undone();
    else if ('color' in action && action.color) {
      if (!this.#begins(action)) return;
      this.#last = action;
      this.#ask();
    } else if (action.do === 'clear') this.#hide();
  }

  /**
   * Whether an action is on the surround: a fill of it, or a stroke that begins there.
   * @param {import('./actions.js').Fill | import('./actions.js').FillRegions |
   *   import('./actions.js').Stroke} action
   */
  #begins(action) {
    const { layer, regions } = this.canvas;
    const closing = action.do === 'stroke' ? this.canvas.closing : action.closing;
    const surround = regions?.surround(closing);
    const points =
      action.do === 'fill'
        ? [action.x, action.y]
        : action.points.slice(0, action.do === 'stroke' ? 2 : undefined);
    return points.some(
      (x, i) => i % 2 === 0 && surround?.[layer?.labelAt(x, points[i + 1], closing) || 0],
    );
  }

  /**
   * Asks before a sketch is done, where the background has a color and nobody said why.
   * @param {() => void} then what is done where it is part of the concept
   * @returns {boolean} whether it is asked
   */
  holds(then) {
    if (!this.#watches || this.share < MIN_SHARE) return false;
    this.#ask();
    this.#then = then;
    this.no.focus({ preventScroll: true });
    return true;
  }

  #ask() {
    if (this.open) return;
    this.#say({ asked: this.said.asked + 1 });
    this.node.hidden = false;
    this.question.textContent = this.canvas.say('background_ask', { concept: this.concept });
  }

  #hide() {
    this.node.hidden = true;
    this.question.textContent = '';
    this.#last = null;
    this.#then = () => {};
  }

  #undone() {
    this.#say({ undone: this.said.undone + 1 });
    this.#hide();
  }

  /** It is not part of it: takes the color off again. */
  refuse() {
    const { canvas } = this;
    if (this.#last && canvas.actions.at(-1) === this.#last) canvas.simply('undo');
    else {
      this.#clear();
      this.#undone();
    }
    canvas.view.stage.focus({ preventScroll: true });
  }

  confirm() {
    const then = this.#then;
    this.#say({ part: true });
    this.#hide();
    this.canvas.view.stage.focus({ preventScroll: true });
    then();
  }

  #clear() {
    const { canvas } = this;
    const { layer, regions, sketch } = canvas;
    const { closing } = sketch;
    this.#surround().forEach((touches, label) => {
      if (!touches || !layer || !regions || !canvas.hasRoom()) return;
      const [x, y] = regions.middle(closing, label);
      /** @type {import('./actions.js').Fill} */
      const action = { do: 'fill', x, y, closing, color: null };
      if (layer.differs(action)) canvas.log(action, layer.apply(action));
    });
  }

  /** @param {Partial<Said>} change */
  #say(change) {
    this.said = { ...this.said, ...change };
    this.changed(this.said);
  }
}
