// The color picker. It begins at a neutral gray, with no color chosen.
import {
  SHADES,
  SPACES,
  hexOf,
  lighter,
  reach,
  readHex,
  shadesOf,
  srgb1Of,
  widest,
} from './colors.js';
import { ARROWS } from './keys.js';
import { aria, button, icon, make } from './nodes.js';
import { Swatches } from './swatches.js';

/** @typedef {import('./colors.js').Coordinates} Coordinates */

const GRAY = '#808080';
const COLUMNS = 70;
const ROWS = 56;
const STRIP_STEPS = 24;
const MAX_QUOTED = 24;
/** Of CIELAB's L*: one key, or one press, lighter or darker. */
const SHADE_STEP = 5;
const DARKER = 'M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5z';
const LIGHTER =
  'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v3M12 19v3M2 12h3M19 12h3M5 5l2 2M17 17l2 2M5 19l2-2M17 7l2-2';

let chosenSpace = 'oklch';

/** @param {number} value @param {number} top @returns {number} the nearest from 0 to the top */
const within = (value, top) => Math.min(Math.max(value, 0), top);

export class Picker {
  /** @type {Coordinates} */ #at = [0, 0, 0];
  /** Whether a hue was chosen. Before that there are grays alone: no hue is nearer than another. */
  #hued = false;
  #drawn = '';
  /** The chroma that is wanted: a hue that has less of it lends the next one its place alone. */
  #wanted = 0;
  /** What is wrong with what was typed, or where sRGB ends. */
  #message = '';
  /** Whether a finger is on the hues that has neither tapped nor moved across. */
  touched = false;
  /** The color that was made lighter or darker last, with the chroma that it had before: it comes
   * back where sRGB has it again. @type {{ hex: string, lch: Coordinates } | null} */
  #shaded = null;
  /** @type {HTMLElement | null} what has just come by the focus */ #entry = null;
  /** @type {{ hex: string, lch: Coordinates }[]} the color at steps of L* */ #levels = [];

  /**
   * @param {import('./canvas.js').ColoringCanvas} canvas
   * @param {string} person
   */
  constructor(canvas, person) {
    this.canvas = canvas;
    const say = (/** @type {string} */ name) => canvas.say(name);
    this.chip = make('i', { class: 'cv-chip none' });
    this.hex = make('input', {
      class: 'cv-hex',
      'aria-label': say('hex'),
      title: say('hex_help'),
      placeholder: say('hex'),
      spellcheck: 'false',
      autocomplete: 'off',
      input: () => this.#typedDigit(),
      change: () => this.#typedHex(),
      keydown: (/** @type {KeyboardEvent} */ event) => this.#entered(event),
    });
    this.spaces = Object.keys(SPACES).map((name) =>
      button({ oklch: 'OKLCH', lch: 'CIELAB LCh', hsv: 'HSV' }[name] || name, () =>
        this.#turn(name),
      ),
    );
    this.map = make('canvas', { width: COLUMNS, height: ROWS });
    this.cross = make('i');
    this.line = make('p', { class: 'cv-edge', id: 'cv-edge', role: 'status' });
    this.plane = make(
      'div',
      { class: 'cv-plane', role: 'application', tabindex: 0 },
      this.map,
      this.cross,
      this.line,
    );
    this.hue = make('input', {
      type: 'range',
      class: 'cv-hue',
      min: 0,
      max: 360,
      step: 0.5,
      'aria-label': say('hue'),
      input: () => this.touched || this.turnTo(Number(this.hue.value)),
      // Before a hue is chosen, the thumb is unseen at the left and takes a press there for its own.
      pointerdown: (/** @type {PointerEvent} */ event) =>
        this.#hued || this.touched || this.turnTo(this.hueAt(event.clientX)),
    });
    this.names = [0, 1, 2].map(() => make('span'));
    this.fields = this.names.map((_, part) =>
      make('input', {
        inputmode: 'decimal',
        autocomplete: 'off',
        change: () => this.#typed(part),
        keydown: (/** @type {KeyboardEvent} */ event) => this.#entered(event),
      }),
    );
    this.ramp = Array.from({ length: SHADES }, (_, n) =>
      button('', () => this.#takeShade(this.#levels[n])),
    );
    this.ramps = make(
      'div',
      { class: 'cv-ramp', role: 'group', 'aria-label': say('shades') },
      ...this.ramp,
    );
    const take = (/** @type {string} */ color) => {
      this.take(color);
      // A color that is there already is all that was wanted of the sheet.
      if (canvas.node.dataset.sheet === 'color') canvas.tools.sheet('');
    };
    this.swatches = new Swatches(canvas, person, take, this.shades());
    this.node = make(
      'div',
      {
        class: 'cv-side',
        role: 'group',
        'aria-label': say('color'),
        // What is typed takes the place of what is there: the click that brought the focus had put
        // the caret between.
        focusin: (/** @type {any} */ { target }) => {
          this.#entry = target;
          target.select?.();
        },
        click: (/** @type {any} */ { target }) => {
          if (target === this.#entry && target.selectionStart === target.selectionEnd)
            target.select?.();
          this.#entry = null;
        },
        animationend: () => this.node.classList.remove('cv-asked'),
      },
      make(
        'div',
        { class: 'cv-now' },
        this.chip,
        this.hex,
        ...this.shades(),
        canvas.tools.undoOnSheet(),
        canvas.tools.done(),
      ),
      make(
        'div',
        { class: 'cv-segments', role: 'group', 'aria-label': say('space') },
        ...this.spaces,
      ),
      this.plane,
      this.hue,
      this.ramps,
      make(
        'div',
        { class: 'cv-fields' },
        ...this.fields.map((field, part) => make('label', {}, this.names[part], field)),
      ),
      this.swatches.node,
    );
    this.#listen();
    this.#turn(chosenSpace);
  }

  get #space() {
    return SPACES[chosenSpace];
  }

  #listen() {
    const { plane } = this;
    const point = (/** @type {PointerEvent} */ event) => {
      const box = plane.getBoundingClientRect();
      const hue = this.#at[2];
      const up = this.#space.most[0] * within(1 - (event.clientY - box.top) / box.height, 1);
      const share = within((event.clientX - box.left) / box.width, 1);
      this.#set([up, share * widest(this.#space, up, hue), hue]);
    };
    plane.addEventListener('pointerdown', (event) => {
      plane.setPointerCapture(event.pointerId);
      point(event);
    });
    plane.addEventListener('pointermove', (event) => {
      if (event.buttons) point(event);
    });
    plane.addEventListener('keydown', (event) => {
      const way = ARROWS[event.key];
      if (!way && event.key !== 'Enter') return;
      const step = event.shiftKey ? 10 : 1;
      const [up, across, hue] = this.#at;
      const { most } = this.#space;
      const [dx, dy] = way || [0, 0];
      this.#set([
        within(up - (dy * step * most[0]) / 100, most[0]),
        within(across + (dx * step * most[1]) / 100, most[1]),
        hue,
      ]);
      this.canvas.announce('picked', { color: this.canvas.color || '' });
      event.preventDefault();
      event.stopPropagation();
    });
  }

  /**
   * Turns to another space; the color stays what it is.
   * @param {string} name
   */
  #turn(name) {
    chosenSpace = name;
    this.spaces.forEach((button, n) => aria(button, 'pressed', Object.keys(SPACES)[n] === name));
    this.plane.setAttribute('aria-label', this.canvas.say('plane_' + name));
    this.names.forEach((node, part) => (node.textContent = this.#space.names[part]));
    this.#at = this.#of(this.canvas.color || GRAY);
    this.#edge(false);
    this.#show();
  }

  /**
   * Where a color is. A gray has no hue: there it stays.
   * @param {string} hex
   * @returns {Coordinates}
   */
  #of(hex) {
    const [up, across, hue] = this.#space.ofSrgb1(srgb1Of(hex));
    this.#wanted = across;
    if (across < this.#space.most[1] / 500) return [up, 0, this.#at[2]];
    this.#hued = true;
    return [up, across, hue];
  }

  /**
   * Takes the color at these coordinates, or the last one on the way there that sRGB has, and says
   * where it is that one.
   * @param {Coordinates} coordinates
   * @param {boolean} [quiet] whether that is not said
   */
  #set(coordinates, quiet) {
    const [up, , hue] = coordinates;
    const across = this.#hued ? coordinates[1] : 0;
    const max = reach(this.#space, [up, across, hue]);
    this.#at = [up, max, hue];
    this.#wanted = across;
    this.#edge(max < across && !quiet);
    this.#choose(hexOf(this.#space.toSrgb1(this.#at)));
  }

  /** @param {number} x on the page, of the strip of hues */
  hueAt(x) {
    const { left, width } = this.hue.getBoundingClientRect();
    return 360 * within((x - left) / width, 1);
  }

  /**
   * Another hue. As long as no color is chosen, only another plane to choose from.
   * @param {number} hue
   */
  turnTo(hue) {
    const [up, across] = this.#at;
    this.#hued = true;
    // A hue that has less chroma needs no word: the next one has it again.
    if (this.canvas.color) this.#set([up, Math.max(across, this.#wanted), hue], true);
    else {
      this.#at = [up, across, hue];
      this.#show();
    }
  }

  /** @param {boolean} outside whether what was asked for is, so that the edge was taken */
  #edge(outside) {
    const { names, digits } = this.#space;
    const max = this.#at[1].toFixed(digits[1]);
    this.#message = outside ? this.canvas.say('edge', { name: names[1], most: max }) : '';
  }

  /** @param {string} hex */
  #choose(hex) {
    this.canvas.setColor(hex);
    this.#show();
  }

  /**
   * Takes a color that is there already.
   * @param {string} hex
   */
  take(hex) {
    this.#at = this.#of(hex);
    this.#edge(false);
    this.#choose(hex);
  }

  /** Buttons that make the color darker and lighter. */
  shades() {
    return [
      { name: 'darker', key: ',', drawing: DARKER, by: -1 },
      { name: 'lighter', key: '.', drawing: LIGHTER, by: 1 },
    ].map(({ name, key, drawing, by }) => {
      const text = this.canvas.say(name);
      const node = button('', () => this.shade(by), {
        class: 'cv-shade',
        'aria-label': text,
        'aria-keyshortcuts': key,
        title: `${text} (${key})`,
      });
      node.append(icon(drawing));
      return node;
    });
  }

  /**
   * Makes the color lighter or darker by steps of L*, at the same hue.
   * @param {number} steps darker below 0
   */
  shade(steps) {
    const { canvas } = this;
    if (!canvas.enabled || !canvas.colored()) return;
    const before = canvas.color || '';
    const space = SPACES.lch;
    const lch = this.#lchOf(before);
    const after = lighter(lch, SHADE_STEP * steps);
    const hex = hexOf(space.toSrgb1(after));
    if (hex === before) {
      canvas.tell(steps < 0 ? 'darkest' : 'lightest');
      return;
    }
    this.#takeShade({ hex, lch: [after[0], lch[1], lch[2]] });
    canvas.tell('');
    canvas.announce('shaded', { color: hex, light: after[0].toFixed(0) });
  }

  /**
   * The L*, the chroma that is wanted, and the hue of a color.
   * @param {string} hex
   */
  #lchOf(hex) {
    return this.#shaded?.hex === hex ? this.#shaded.lch : SPACES.lch.ofSrgb1(srgb1Of(hex));
  }

  /** @param {{ hex: string, lch: Coordinates }} shade */
  #takeShade(shade) {
    this.#shaded = shade;
    this.take(shade.hex);
  }

  /** The color at steps of lightness. They stay while one of them is taken. */
  #showRamp() {
    const { color } = this.canvas;
    // Its room is kept, so that nothing moves with the first color.
    this.ramps.style.visibility = color ? '' : 'hidden';
    if (!color) return;
    if (!this.#levels.some(({ hex }) => hex === color))
      this.#levels = shadesOf(this.#lchOf(color), color);
    this.ramp.forEach((node, n) => {
      const { hex, lch } = this.#levels[n];
      node.style.background = hex;
      node.title = node.ariaLabel = `${hex}, L* ${Math.round(lch[0])}`;
      aria(node, 'pressed', hex === color);
    });
  }

  /**
   * With Enter what was typed is taken, and keys are for the drawing again; on a sheet there are none.
   * @param {KeyboardEvent} event
   */
  #entered({ key, target }) {
    const field = /** @type {HTMLInputElement} */ (target);
    if (key !== 'Enter') return;
    field.blur(); // what was typed is taken
    if (field.getAttribute('aria-invalid') === 'true') field.focus();
    else if (!this.canvas.node.dataset.sheet) this.canvas.view.stage.focus({ preventScroll: true });
  }

  /** Six digits are taken at once, as they are. After the last one keys are for the drawing again,
   * but on a sheet; whoever mends one before it stays in the field. */
  #typedDigit() {
    const { hex, canvas } = this;
    const { value, selectionEnd } = hex;
    if (value.length < 6 || !readHex(value)) return;
    this.#typedHex();
    if (selectionEnd !== value.length || canvas.node.dataset.sheet) return;
    const { view } = canvas;
    view.stage.focus({ preventScroll: true });
    view.brought = view.cursor;
  }

  #typedHex() {
    const hex = readHex(this.hex.value);
    if (hex) this.take(hex);
    else this.#refuse(this.hex, 'no_hex');
  }

  /**
   * Says what is wrong with what was typed, which stays to be mended; an emptied field shows the
   * color again.
   * @param {HTMLInputElement} field
   * @param {string} name of the words
   */
  #refuse(field, name) {
    const text = field.value.trim().slice(0, MAX_QUOTED);
    if (text) {
      aria(field, 'invalid', true);
      field.setAttribute('aria-describedby', this.line.id);
    } else this.#show();
    this.#message = text ? this.canvas.say(name, { text }) : '';
    this.#tell();
  }

  /** Says what is wrong, or else what comes next. */
  #tell() {
    const next = this.canvas.color ? '' : this.canvas.say('plane_next');
    this.line.textContent = this.#message || (this.#hued ? next : this.canvas.say('hue_first'));
  }

  /** @param {number} part */
  #typed(part) {
    const value = Number(this.fields[part].value.replace(',', '.'));
    const { most } = this.#space;
    if (!Number.isFinite(value) || this.fields[part].value.trim() === '') {
      this.#refuse(this.fields[part], 'no_number');
      return;
    }
    /** @type {Coordinates} */
    const index = [...this.#at];
    if (part) this.#hued = true;
    index[part] = part === 2 ? ((value % 360) + 360) % 360 : Math.max(value, 0);
    if (part === 0) index[0] = Math.min(index[0], most[0]);
    this.#set(index);
  }

  #show() {
    const space = this.#space;
    const [up, across, hue] = this.#at;
    const { color } = this.canvas;
    this.chip.style.background = color || '';
    this.chip.classList.toggle('none', !color);
    for (const field of [this.hex, ...this.fields]) {
      field.removeAttribute('aria-invalid');
      field.removeAttribute('aria-describedby');
    }
    if (document.activeElement !== this.hex) this.hex.value = color || '';
    this.fields.forEach((field, part) => {
      field.value = color ? this.#at[part].toFixed(space.digits[part]) : '';
    });
    this.hue.value = String(hue);
    this.hue.setAttribute('aria-valuetext', Math.round(hue) + '°');
    this.cross.style.left = (100 * across) / (widest(space, up, hue) || 1) + '%';
    this.cross.style.top = 100 - (100 * up) / space.most[0] + '%';
    this.cross.classList.toggle('none', !color);
    this.#tell();
    this.hue.classList.toggle('none', !this.#hued);
    this.#draw();
    this.#showRamp();
    this.swatches.show();
  }

  /** The plane at this hue, and the strip of hues. */
  #draw() {
    const key = chosenSpace + this.#hued + this.#at[2];
    if (this.#drawn === key) return;
    const space = this.#space;
    const context = /** @type {CanvasRenderingContext2D} */ (this.map.getContext('2d'));
    const image = context.createImageData(COLUMNS, ROWS);
    for (let row = 0, i = 0; row < ROWS; row++) {
      const up = space.most[0] * (1 - row / (ROWS - 1));
      // Each row has all of its width: from gray to the most that sRGB has there.
      const most = this.#hued ? widest(space, up, this.#at[2]) : 0;
      for (let column = 0; column < COLUMNS; column++, i += 4) {
        const srgb1 = space.toSrgb1([up, (most * column) / (COLUMNS - 1), this.#at[2]]);
        for (let n = 0; n < 3; n++) image.data[i + n] = Math.round(255 * srgb1[n]);
        image.data[i + 3] = 255;
      }
    }
    context.putImageData(image, 0, 0);
    const base = { oklch: [0.75, 0.12], lch: [70, 38], hsv: [100, 100] }[chosenSpace] || [0, 0];
    const hues = Array.from({ length: STRIP_STEPS + 1 }, (_, n) =>
      hexOf(space.toSrgb1([base[0], base[1], (360 * n) / STRIP_STEPS])),
    );
    this.hue.style.setProperty('--cv-hues', `linear-gradient(90deg,${hues.join()})`);
    this.#drawn = key;
  }

  /**
   * A color that was painted with.
   * @param {string} color
   */
  used(color) {
    this.swatches.used(color);
  }

  /** Brings the picker to the hand. */
  ask() {
    const folded = this.node.offsetParent === null || !this.node.getClientRects().length;
    if (folded) this.canvas.tools.sheet('color');
    else this.focus();
    this.node.classList.add('cv-asked');
  }

  focus() {
    import('./hue_touch.js').then(({ hueTouch }) => hueTouch(this)).catch(() => {});
    this.plane.focus({ preventScroll: true });
  }
}
