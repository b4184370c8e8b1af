// Colors of one person: those they used, and those they keep. Both stay in this browser.
import { aria, button, keep, kept, make } from './nodes.js';

/** @typedef {import('./palettes.js').Palette} Palette */

const MAX_USED = 16;
const MAX_KEPT = 48;
/** Last colors in the row of the picker, which have the keys of digits. */
const MAX_KEYS = 8;
/** Last colors in the row under the thumb; after them, by swiping, those that are kept. */
const MAX_QUICK = 6;
const MAX_ROW = 40;

/**
 * By length and person, the last colors that were used. One keeps its place, which a hand remembers,
 * until it makes room for another: also in the next drawing.
 * @type {Map<string, string[]>}
 */
const rows = new Map();

export class Swatches {
  #removes = false;

  /**
   * @param {import('./canvas.js').ColoringCanvas} canvas
   * @param {string} person
   * @param {(color: string) => void} take
   * @param {HTMLElement[]} shades what makes the color darker, and lighter
   */
  constructor(canvas, person, take, shades) {
    this.canvas = canvas;
    this.take = take;
    this.person = person;
    this.names = ['th-colors-used ' + person, 'th-colors-own ' + person];
    this.palettesName = 'th-palettes ' + person;
    /** @type {Palette[]} */
    this.palettes = this.#stored();
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
    this.file = make('input', {
      type: 'file',
      hidden: '',
      'aria-label': say('palette_add'),
      accept: '.ase,.aco,.gpl,.txt,.hex,.csv',
      // What reads it comes later.
      change: () =>
        import('./palettes.js').then(
          ({ importPalette }) => importPalette(this),
          () => (this.problem.textContent = canvas.say('palette_unread')),
        ),
    });
    this.problem = make('p', { role: 'status' });
    this.imported = make('div', { class: 'cv-palettes' });
    const add = small('+', 'own_add', () => this.#keep());
    this.node = make(
      'div',
      { class: 'cv-kept' },
      make('div', { class: 'cv-title' }, say('recent')),
      recents,
      make('div', { class: 'cv-title' }, say('own'), make('span', {}, add, this.remove)),
      palette,
      make(
        'div',
        { class: 'cv-title' },
        say('palettes'),
        make(
          'span',
          {},
          small('+', 'palette_add', () => this.file.click()),
        ),
      ),
      this.file,
      this.problem,
      this.imported,
    );
    this.#showPalettes().catch(() => {});
    const quick = make('div', { class: 'cv-lasts', role: 'group', 'aria-label': say('recent') });
    this.lasts = quick;
    /** For a screen on which the picker is a sheet: the last colors without it. */
    this.quick = make('div', { class: 'cv-quick' }, shades[0], quick, shades[1]);
    this.show();
  }

  /** @returns {Palette[]} */
  #stored() {
    try {
      return JSON.parse(localStorage.getItem(this.palettesName) || '[]');
    } catch {
      return [];
    }
  }

  /** @param {Palette[]} palettes */
  keepPalettes(palettes) {
    this.palettes = palettes;
    try {
      localStorage.setItem(this.palettesName, JSON.stringify(palettes));
    } catch {
      // They hold until the page closes.
    }
    this.#showPalettes().catch(() => {});
    this.show();
  }

  async #showPalettes() {
    const none = make('p', {}, this.canvas.say('palettes_none'));
    if (!this.palettes.length) this.imported.replaceChildren(none);
    else (await import('./palettes.js')).showPalettes(this);
  }

  /**
   * @param {string} color
   * @param {string} label
   * @param {string} [sign]
   * @param {() => void} [press]
   */
  swatch(color, label, sign = '', press = () => this.take(color)) {
    const node = button(sign, press, { 'aria-label': label, title: label });
    node.style.background = color;
    return node;
  }

  /**
   * The last colors, each at its place.
   * @param {number} length
   */
  #row(length) {
    const key = length + this.person;
    const wanted = kept(this.names[0]).slice(0, length);
    const before = rows.get(key) || [];
    const fresh = wanted.filter((color) => !before.includes(color)).reverse();
    const held = before.map((color) => (wanted.includes(color) ? color : fresh.shift() || ''));
    const row = [...held.filter(Boolean), ...fresh];
    rows.set(key, row);
    return row;
  }

  #keep() {
    const { color } = this.canvas;
    const own = kept(this.names[1]);
    if (!color) this.canvas.tell('choose_first');
    else if (!own.includes(color)) keep(this.names[1], [...own, color].slice(-MAX_KEPT));
    this.show();
  }

  /** @param {number} number of a place in the row, from 1 */
  takeUsed(number) {
    const color = this.#row(MAX_KEYS)[number - 1];
    if (color) this.take(color);
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

  /**
   * A color that is gone from the drawing by undo keeps its place until a new one takes it.
   * @param {string} color
   */
  undone(color) {
    const used = kept(this.names[0]).filter((item) => item !== color);
    used.splice(MAX_QUICK - 1, 0, color);
    keep(this.names[0], used);
    this.show();
  }

  show() {
    const { canvas } = this;
    const [used, own] = this.names.map(kept);
    if (!own.length) this.#removes = false;
    const swatch = (/** @type {string} */ color) => {
      const node = this.swatch(color, color);
      aria(node, 'pressed', color === canvas.color);
      return node;
    };
    const away = (/** @type {string} */ color) =>
      this.swatch(color, canvas.say('own_removes', { color }), '×', () => {
        const rest = own.filter((item) => item !== color);
        keep(this.names[1], rest);
        this.show();
      });
    const fill = (
      /** @type {HTMLElement} */ box,
      /** @type {string[]} */ colors,
      /** @type {string} */ none,
      /** @type {(color: string, n: number) => HTMLElement} */ node = swatch,
    ) => {
      // The focus stays on the color that was pressed, or the keys of the canvas would be lost.
      const label = box.querySelector(':focus')?.getAttribute('aria-label');
      box.replaceChildren(...(colors[0] ? colors.map(node) : [make('p', {}, canvas.say(none))]));
      const again = /** @type {HTMLElement?} */ (box.querySelector(`[aria-label="${label}"]`));
      again?.focus({ preventScroll: true });
    };
    const palettes = this.palettes.flatMap(({ colors }) => colors.map(({ hex }) => hex));
    const row = new Set([...this.#row(MAX_QUICK), ...own, ...palettes]);
    fill(this.lasts, [...row].slice(0, MAX_ROW), 'recent_none');
    const keyed = (/** @type {string} */ color, /** @type {number} */ n) => {
      const node = swatch(color);
      if (n < MAX_KEYS) {
        node.title += ` (${n + 1})`;
        node.dataset.key = String(n + 1);
      }
      return node;
    };
    fill(this.recents, [...new Set([...this.#row(MAX_KEYS), ...used])], 'recent_none', keyed);
    fill(this.palette, own, 'own_none', this.#removes ? away : swatch);
    aria(this.remove, 'pressed', this.#removes);
    this.remove.hidden = !own.length;
  }
}
