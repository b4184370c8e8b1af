// Colors of one person: those they used, the last one first, and those they keep. Both stay in this
// browser.
import { aria, button, keep, kept, make } from './nodes.js';

const MAX_USED = 16;
const MAX_KEPT = 48;

export class Swatches {
  #removes = false;

  /**
   * @param {import('./canvas.js').ColoringCanvas} canvas
   * @param {string} person
   * @param {(color: string) => void} take
   */
  constructor(canvas, person, take) {
    this.canvas = canvas;
    this.take = take;
    this.names = ['th-colors-used ' + person, 'th-colors-own ' + person];
    const say = (/** @type {string} */ name) => canvas.say(name);
    const [recents, palette] = ['recent', 'own'].map((name) =>
      make('div', { class: 'cv-swatches', role: 'group', 'aria-label': say(name) }),
    );
    this.recents = recents;
    this.palette = palette;
    const small = (
      /** @type {string} */ sign,
      /** @type {string} */ name,
      /** @type {() => void} */ act,
    ) => button(sign, act, { class: 'cv-add', 'aria-label': say(name), title: say(name) });
    this.remove = small('−', 'own_remove', () => {
      this.#removes = !this.#removes;
      this.show();
    });
    const add = small('+', 'own_add', () => this.#keep());
    this.node = make(
      'div',
      { class: 'cv-kept' },
      make('div', { class: 'cv-title' }, say('recent')),
      recents,
      make('div', { class: 'cv-title' }, say('own'), make('span', {}, add, this.remove)),
      palette,
    );
    this.show();
  }

  #keep() {
    const { color } = this.canvas;
    const own = kept(this.names[1]);
    if (!color) this.canvas.tell('choose_first');
    else if (!own.includes(color)) keep(this.names[1], [...own, color].slice(-MAX_KEPT));
    this.show();
  }

  /**
   * A color that was painted with comes first.
   * @param {string} color
   */
  used(color) {
    const rest = kept(this.names[0]).filter((item) => item !== color);
    keep(this.names[0], [color, ...rest].slice(0, MAX_USED));
    this.show();
  }

  show() {
    const { canvas } = this;
    const [used, own] = this.names.map(kept);
    if (!own.length) this.#removes = false;
    const swatch = (/** @type {string} */ color, /** @type {boolean} */ removes) => {
      const label = removes ? canvas.say('own_removes', { color }) : color;
      const press = () => {
        if (!removes) this.take(color);
        else
          keep(
            this.names[1],
            own.filter((item) => item !== color),
          );
        this.show();
      };
      const node = button(removes ? '×' : '', press, { 'aria-label': label, title: label });
      node.style.background = color;
      aria(node, 'pressed', !removes && color === canvas.color);
      return node;
    };
    const fill = (
      /** @type {HTMLElement} */ box,
      /** @type {Node[]} */ nodes,
      /** @type {string} */ none,
    ) => box.replaceChildren(...(nodes.length ? nodes : [make('p', {}, canvas.say(none))]));
    fill(
      this.recents,
      used.map((color) => swatch(color, false)),
      'recent_none',
    );
    fill(
      this.palette,
      own.map((color) => swatch(color, this.#removes)),
      'own_none',
    );
    this.palette.classList.toggle('removes', this.#removes);
    aria(this.remove, 'pressed', this.#removes);
    this.remove.hidden = !own.length;
  }
}
