// The tools beside the sketch, their settings, and the view of the sketch.
import { CLOSINGS, LARGEST_BRUSH } from './actions.js';
import { aria, button, icon, make } from './nodes.js';

/** Name, key and drawing of each. */
const TOOLS = [
  ['fill', 'F', 'M4 12l7-7 7 7-7 7zM11 5L8 2M4.5 12h13M20 16c1.6 2.2 1.6 4 0 4s-1.6-1.8 0-4'],
  ['alike', 'A', 'M4 9l4-4 4 4-4 4zM13 9l4-4 4 4-4 4zM8.5 18l4-4 4 4-4 4zM4.5 9h7M13.5 9h7M9 18h7'],
  ['brush', 'B', 'M13 14l7.5-9.5-1-1L10 11M10 11l3 3c0 4-3 6-9 6 2-1 2-2 2-4 0-3 2-5 4-5'],
  ['eraser', 'E', 'M8 20h12M4 15L14 5l6 6-9 9H8zM9 10l6 6'],
  ['region', 'R', 'M4 8V4h4M16 4h4v4M20 16v4h-4M8 20H4v-4M9 9l6 6M15 9l-6 6'],
  ['pick', 'I', 'M4 20l1-4 8-8 3 3-8 8zM12 6l6 6M14 8l4-4a1.5 1.5 0 0 1 2 2l-4 4'],
  ['hand', 'H', 'M12 3v18M3 12h18M9 6l3-3 3 3M9 18l3 3 3-3M6 9l-3 3 3 3M18 9l3 3-3 3'],
];
const STROKING = ['brush', 'eraser'];
const CLEAR = 'M5 7h14M9 7V4h6v3M7 7l1 13h8l1-13M10.5 11v5M13.5 11v5';
const UNDO = 'M9 6L4 11l5 5M4 11h10a5 5 0 0 1 0 9h-3';
const REDO = 'M15 6l5 5-5 5M20 11H10a5 5 0 0 0 0 9h3';
const OPTIONS = 'M4 8h9M17 8h3M4 16h3M11 16h9M15 6v4M9 14v4';
/** Between what stands in a corner of the stage, the edge, and the drawing. */
const CORNER_PX = 16;
/** Between the buttons and the size of the brush, which is above them on a narrow screen. */
const GAP_PX = 6;
const WHOLE = 'M9 4H4v5M15 4h5v5M20 15v5h-5M4 15v5h5';

export class Tools {
  /** @param {import('./canvas.js').ColoringCanvas} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    const say = (/** @type {string} */ name) => canvas.say(name);
    const step = (
      /** @type {'undo' | 'redo' | 'clear'} */ name,
      /** @type {string} */ key,
      drawing,
    ) => this.#tool(name, key, drawing, () => canvas.simply(name));
    this.buttons = new Map(
      TOOLS.map(([name, key, drawing]) => [
        name,
        this.#tool(name, key, drawing, () => canvas.setTool(name)),
      ]),
    );
    this.clear = step('clear', '', CLEAR);
    this.undo = step('undo', 'Ctrl+Z', UNDO);
    this.redo = step('redo', 'Ctrl+Shift+Z', REDO);
    this.swatch = make('i', { class: 'cv-chip' });
    this.color = button('', () => this.sheet('color'), { class: 'cv-tool cv-color' });
    this.color.append(this.swatch, make('span'));
    this.more = this.#tool('options', '', OPTIONS, () => this.sheet('options'));
    /** @type {HTMLElement[]} */ this.undos = [this.undo];
    this.rail = this.#group(
      'rail',
      'tools',
      make('div', { class: 'cv-tools' }, ...this.buttons.values()),
      make('div', { class: 'cv-steps' }, this.color, this.clear, this.undo, this.redo, this.more),
    );
    this.options = this.#options();
    this.percent = make('output', { 'aria-label': say('zoom') });
    const zoom = (
      /** @type {string} */ name,
      /** @type {string} */ sign,
      /** @type {() => void} */ act,
    ) => button(sign, act, { 'aria-label': say(name), title: say(name) });
    this.whole = zoom('zoom_fit', '', () => canvas.view.fit());
    this.whole.append(icon(WHOLE));
    this.beside = button(
      say('original'),
      () => canvas.setOriginal(!canvas.original || !!canvas.original.hidden),
      {
        title: say('original_alt') + ' (O)',
      },
    );
    this.bare = button(say('bare'), () => canvas.setUncolored(), {
      title: say('bare_help') + ' (U)',
    });
    /** How many regions have no color, while that is shown. */
    this.count = make('b', { hidden: '' });
    this.bare.append(this.count);
    this.reference = button(say('reference'), () => this.#toggleReference(), {
      title: say('reference_help'),
      hidden: !canvas.allowsReference,
    });
    this.keys = zoom('keys', '?', () => canvas.help());
    this.keys.title += ' (?)';
    this.keys.classList.add('cv-keys');
    canvas.view.strip = () => {
      const { classList, offsetHeight } = this.options;
      return classList.contains('cv-strip') && this.#isNarrow
        ? offsetHeight && offsetHeight + GAP_PX
        : 0;
    };
    canvas.view.heading = (room) => {
      const { options } = this;
      options.classList.remove('cv-row');
      const isRow = !this.#isNarrow && room < options.offsetWidth + CORNER_PX;
      options.classList.toggle('cv-row', isRow);
      const height = isRow ? options.offsetHeight + GAP_PX : 0;
      canvas.node.style.setProperty('--cv-head', height + 'px');
      return height;
    };
    canvas.view.corners = (columns) => {
      this.looks.classList.toggle('columns', columns);
      const widths = [...this.looks.children].map(
        (node) => /** @type {HTMLElement} */ (node).offsetWidth,
      );
      return widths.map((width) => width && width + CORNER_PX);
    };
    this.looks = make(
      'div',
      { class: 'cv-looks' },
      make('div', { class: 'cv-segments' }, this.beside, this.bare, this.reference),
      this.#group(
        'zooms',
        'zoom',
        zoom('zoom_out', '−', () => canvas.view.zoom(1 / 1.5)),
        this.percent,
        zoom('zoom_in', '+', () => canvas.view.zoom(1.5)),
        this.whole,
        this.keys,
      ),
    );
  }

  /**
   * @param {string} className
   * @param {string} name of its words
   * @param {Node[]} nodes
   */
  #group(className, name, ...nodes) {
    const attributes = {
      class: 'cv-' + className,
      role: 'group',
      'aria-label': this.canvas.say(name),
    };
    return make('div', attributes, ...nodes);
  }

  /**
   * @param {string} name
   * @param {string} key
   * @param {string} drawing
   * @param {() => void} act
   */
  #tool(name, key, drawing, act) {
    const { canvas } = this;
    const help = canvas.say(/fill|region|alike/.test(name) ? name + '_help' : name);
    const node = button('', act, {
      class: 'cv-tool cv-do-' + name,
      title: key ? `${help} (${key})` : help,
      'aria-keyshortcuts': key.replace('Ctrl', 'Control') || null,
    });
    node.append(icon(drawing), make('span', {}, canvas.say(name)));
    return node;
  }

  #options() {
    const { canvas } = this;
    const say = (/** @type {string} */ name) => canvas.say(name);
    // Equal steps are equal ratios: half of the way is for the finest brushes.
    this.size = make('input', {
      type: 'range',
      min: 0,
      max: 100,
      input: () => canvas.setDiameter(LARGEST_BRUSH ** (Number(this.size.value) / 100)),
    });
    this.pixels = make('output');
    this.within = make('input', {
      type: 'checkbox',
      role: 'switch',
      change: () => canvas.setWithin(this.within.checked),
    });
    this.gaps = make(
      'select',
      { change: () => canvas.setClosing(Number(this.gaps.value)) },
      ...Array.from({ length: CLOSINGS }, (_, closing) =>
        make('option', { value: closing }, say('gaps_' + closing)),
      ),
    );
    const size = make('span', {}, say('size'));
    /** Settings of the brush and the eraser. */
    this.strokes = [
      make('label', { class: 'cv-size' }, size, this.size, this.pixels),
      make('label', {}, make('span', {}, say('within')), this.within),
    ];
    return this.#group(
      'options',
      'options',
      ...this.strokes,
      make('label', { title: say('gaps_help') }, make('span', {}, say('gaps')), this.gaps),
      button(say('tiny'), () => this.#fillTiny(), {
        class: 'cv-tiny',
        title: say('tiny_help') + ' (T)',
        'aria-keyshortcuts': 'T',
      }),
      button(say('clear'), () => canvas.simply('clear'), { class: 'cv-wipe' }),
      this.done(),
    );
  }

  /** The sheet, where this is on one, makes room for what was filled. */
  #fillTiny() {
    if (this.canvas.node.dataset.sheet) this.sheet('', false);
    this.canvas.fillTiny();
  }

  /** Undo for a sheet that covers the other one. */
  undoOnSheet() {
    const { canvas } = this;
    const undo = button('', () => canvas.simply('undo'), {
      class: 'cv-shade cv-back',
      'aria-label': canvas.say('undo'),
    });
    undo.append(icon(UNDO));
    this.undos.push(undo);
    return undo;
  }

  /** A button that takes the sheet away on which it is. */
  done() {
    return button(this.canvas.say('close'), () => this.sheet(''), { class: 'cv-close' });
  }

  /**
   * Shows one sheet over the lower part of a narrow screen; pressed again, or without a name, none.
   * @param {string} name
   * @param {boolean} [focuses] whether the focus goes there, or back
   */
  sheet(name, focuses = true) {
    const { node, picker, view, reference } = this.canvas;
    // On a narrow screen there is room for one.
    if (name && reference && this.#isNarrow) reference.node.hidden = true;
    const before = node.dataset.sheet || '';
    const open = before === name ? '' : name;
    node.dataset.sheet = open;
    picker.node.scrollTop = 0;
    aria(this.color, 'expanded', open === 'color');
    aria(this.more, 'expanded', open === 'options');
    const above = { color: picker.node, options: this.options }[open];
    // The drawing stays in sight above it; in a wide box, nothing is covered.
    view.covered = () =>
      above && getComputedStyle(above).position === 'absolute'
        ? Math.max(0, above.offsetHeight - this.rail.offsetHeight)
        : 0;
    this.show();
    view.layOut();
    if (!focuses) return;
    if (open === 'color') picker.focus();
    else if (open) {
      const first = this.strokes[0].hidden ? this.gaps : this.size;
      first.focus({ preventScroll: true });
    } else (before === 'color' ? this.color : this.more).focus({ preventScroll: true });
  }

  get #isNarrow() {
    return getComputedStyle(this.color).display !== 'none';
  }

  #toggleReference() {
    const { reference } = this.canvas;
    this.canvas.setReference(!reference || !!reference.node.hidden);
  }

  /** Notes whether the zoom stands below the other buttons, for want of room beside them. */
  #wrap() {
    const [views, zooms] = /** @type {Iterable<HTMLElement>} */ (this.looks.children);
    this.looks.classList.toggle('cv-wrapped', zooms.offsetTop > views.offsetTop);
  }

  /** Shows how large the drawing is shown. */
  showZoom() {
    const { view } = this.canvas;
    this.percent.textContent = Math.round(100 * view.scale) + '%';
    this.canvas.placeNotes();
    aria(this.whole, 'disabled', view.fitted);
    this.looks.classList.toggle('near', !view.fitted);
    this.#wrap();
    this.canvas.original?.follow();
  }

  /** Shows everything as it is now. */
  show() {
    const { canvas } = this;
    const { layer, tool, color, enabled, diameter } = canvas;
    for (const [name, node] of this.buttons) aria(node, 'pressed', name === tool);
    for (const node of this.undos) aria(node, 'disabled', !enabled || !layer?.canUndo);
    aria(this.redo, 'disabled', !enabled || !layer?.canRedo);
    aria(this.clear, 'disabled', !enabled || !layer?.coloredShare);
    aria(this.beside, 'pressed', !!canvas.original && !canvas.original.hidden);
    aria(this.reference, 'pressed', !!canvas.reference && !canvas.reference.node.hidden);
    aria(this.bare, 'pressed', !!canvas.uncolored?.on);
    this.count.hidden = !canvas.uncolored?.on;
    this.swatch.style.background = color || '';
    this.swatch.classList.toggle('none', !color);
    this.color.lastElementChild.textContent = color || canvas.say('choose');
    this.size.value = String((100 * Math.log(diameter)) / Math.log(LARGEST_BRUSH));
    this.pixels.textContent = diameter + ' px';
    this.size.setAttribute('aria-valuetext', diameter + ' px');
    this.within.checked = canvas.within;
    const strokes = STROKING.includes(tool);
    for (const node of this.strokes) node.hidden = !strokes;
    const { classList } = this.options;
    const before = classList.contains('cv-strip');
    if (classList.toggle('cv-strip', strokes && !canvas.node?.dataset.sheet) !== before)
      canvas.view.layOut();
    this.gaps.value = String(canvas.closing);
    this.#wrap();
  }
}
