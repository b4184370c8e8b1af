// Keyboard control: tools by letters, and a cursor on the sketch that fills and paints.

const LETTERS = {
  f: 'fill',
  a: 'alike',
  b: 'brush',
  e: 'eraser',
  r: 'region',
  i: 'pick',
  h: 'hand',
};
export const ARROWS = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};
/** An arrow key goes so far on the screen, in CSS pixels; with Shift one pixel of the drawing. */
const STEP_PX = 12;
const READ_MS = 300;
/** In CSS pixels: a region of a smaller side, if it were a square, is enlarged; for a finger sooner. */
const NEAR_PX = 20;
const NEAR_FINGER_PX = 28;
/** What gives the focus to the drawing as a pointer comes; a field is never without its outline. */
const CLICKED = '.cv-side input, :not(:focus-visible)';

/**
 * @param {import('./canvas.js').ColoringCanvas} canvas
 * @param {AbortSignal} signal ends it
 * @returns {(step: number) => void} goes to the next region, or the one before
 */
export function keys(canvas, signal) {
  const { view, tools, hands } = canvas;
  const { stage } = view;
  let reading = 0;
  let entering = false;
  /** Where the cursor was as the focus left the stage. @type {typeof view.cursor} */
  let last = null;

  const cursor = () => {
    view.region = view.ring = null;
    return (view.cursor ||= last || {
      x: canvas.sketch.width >> 1,
      y: canvas.sketch.height >> 1,
    });
  };

  /** Says where the cursor is, once it rests, and shows what it would fill. */
  const read = () => {
    const { x, y } = cursor();
    const { layer, regions, closing } = canvas;
    view.reveal(x, y);
    if (!layer || !regions) return;
    const label = layer.labelAt(x, y, closing);
    const paints = /brush|eraser/.test(canvas.tool);
    const color = layer.colorAt(x, y);
    view.ring = paints ? { x, y, diameter: canvas.diameter } : null;
    if (label && !canvas.strokes.drawing)
      view.region = { closing, label, empty: !paints && !color };
    view.mark();
    clearTimeout(reading);
    reading = setTimeout(() => {
      if (!label) canvas.announce('no_region');
      else
        canvas.announce('at', {
          n: label,
          of: regions.counts[closing],
          share: canvas.percent(regions.share(closing, label)),
          color: color || canvas.say('uncolored'),
        });
    }, READ_MS);
  };

  /** @param {number} dx @param {number} dy @param {boolean} fine */
  const move = (dx, dy, fine) => {
    const index = cursor();
    const step = fine ? 1 : Math.max(1, Math.round(STEP_PX / view.scale));
    index.x = Math.min(Math.max(index.x + dx * step, 0), canvas.sketch.width - 1);
    index.y = Math.min(Math.max(index.y + dy * step, 0), canvas.sketch.height - 1);
    if (canvas.strokes.drawing) canvas.strokes.extend(index.x, index.y);
    read();
  };

  /** @param {number} step to the next region, or the one before */
  const jump = (step) => {
    const { layer, regions, closing } = canvas;
    if (!layer || !regions) return;
    stage.focus({ preventScroll: true });
    // Where none is left that needs a color, there is nowhere to go.
    if (canvas.uncolored?.none()) return;
    const index = cursor();
    const count = regions.counts[closing];
    const label = layer.labelAt(index.x, index.y, closing);
    if (!count) return;
    canvas.strokes.end();
    // Among those that still need a color, while they are shown.
    const next = canvas.uncolored?.next(label, step);
    const target = next || ((label + step - 1 + count) % count) + 1;
    [index.x, index.y] = regions.middle(closing, target);
    const side = Math.sqrt(regions.share(closing, target) * regions.width * regions.height);
    hands.marked = { ...index };
    view.approach(side, hands.touches ? NEAR_FINGER_PX : NEAR_PX);
    read();
  };

  /** @param {boolean} shift */
  const act = (shift) => {
    const { x, y } = cursor();
    // What is done now is read out, and not where the cursor was.
    clearTimeout(reading);
    if (canvas.tool === 'pick') canvas.pick(x, y);
    else if (/brush|eraser/.test(canvas.tool)) {
      if (canvas.strokes.drawing) {
        canvas.strokes.end();
        canvas.announce('painted');
      } else if (canvas.strokes.begin(x, y, canvas.tool === 'eraser')) canvas.announce('painting');
    } else if (shift || canvas.tool === 'alike') canvas.fillAlike(x, y, canvas.tool === 'region');
    else canvas.fill(x, y, canvas.tool === 'region');
    view.mark();
  };

  /** @param {HTMLElement} target whether a key pressed there is for the canvas */
  const ours = (target) =>
    canvas.node.contains(target) ||
    // Where nothing has keys of its own: on the page, or on a heading that was just read out.
    (!target.closest('a, button, input, select, textarea, [tabindex="0"], [contenteditable]') &&
      canvas.node.getClientRects().length > 0);

  /** @param {KeyboardEvent} event @returns {boolean} whether the key stands for anything */
  const press = (event) => {
    const { key, shiftKey } = event;
    const isEnd = key === 'Enter' && view.brought && view.brought === view.cursor;
    view.brought = null;
    if (isEnd) return true;
    const letter = key.toLowerCase();
    const target = /** @type {HTMLElement} */ (event.target);
    // Over the drawing the space bar is for it, whatever has the focus.
    if (key === ' ' && (hands.at || target === stage)) {
      if (!hands.space) hands.panned = false;
      hands.space = true;
      hands.hover();
      return true;
    }
    if (target.matches('select, input:not([type=range], [type=checkbox])')) return false;
    if (event.ctrlKey || event.metaKey) {
      if (letter !== 'z' && letter !== 'y') return false;
      canvas.simply(letter === 'y' || shiftKey ? 'redo' : 'undo');
      return true;
    }
    if (event.altKey) return false;
    if (target === stage) {
      const way = ARROWS[key];
      if (way) move(way[0], way[1], shiftKey);
      else if (key === 'Enter' && !event.repeat) act(shiftKey);
      else if (key === 'Delete') {
        const { x, y } = cursor();
        canvas.fill(x, y, true);
      } else return letters(key, letter, shiftKey);
      return true;
    }
    return letters(key, letter, shiftKey);
  };

  /** @param {string} key @param {string} letter @param {boolean} shift */
  const letters = (key, letter, shift) => {
    if (LETTERS[letter]) canvas.setTool(LETTERS[letter]);
    else if (letter === 'n') jump(shift ? -1 : 1);
    else if (key === '[') canvas.setDiameter(Math.min(canvas.diameter - 1, canvas.diameter / 1.2));
    else if (key === ']') canvas.setDiameter(Math.max(canvas.diameter + 1, canvas.diameter * 1.2));
    else if (key === ',') canvas.picker.shade(-1);
    else if (key === '.') canvas.picker.shade(1);
    else if (key === '?') canvas.help();
    else if (key === '+' || key === '=') view.zoom(1.5);
    else if (key === '-') view.zoom(1 / 1.5);
    else if (key === '0') view.fit();
    else if (/^[1-8]$/.test(key)) canvas.picker.swatches.takeUsed(Number(key));
    else if (letter === 'c') canvas.picker.ask();
    else if (letter === 'l') canvas.setWithin(!canvas.within);
    else if (letter === 'g') canvas.setClosing((canvas.closing + 1) % tools.gaps.length);
    else if (letter === 'o') tools.beside.click();
    else if (letter === 'u') canvas.setUncolored();
    else if (letter === 't') canvas.fillTiny();
    else if (key !== 'Escape') return false;
    else if (canvas.strokes.drawing) canvas.strokes.cancel();
    else if (canvas.sweeps.active) canvas.sweeps.cancel();
    else if (canvas.background?.open) canvas.background.refuse();
    else if (canvas.node.dataset.sheet) tools.sheet('');
    else return false;
    return true;
  };

  /** Another hover while the pointer rests. @param {KeyboardEvent} event */
  const shifts = ({ key, shiftKey }) => {
    if (key !== 'Shift') return;
    hands.shift = shiftKey;
    if (!view.cursor) hands.hover();
  };

  document.addEventListener(
    'keydown',
    (event) => {
      shifts(event);
      if (event.defaultPrevented || document.querySelector('dialog[open]')) return;
      if (ours(/** @type {HTMLElement} */ (event.target)) && press(event)) event.preventDefault();
    },
    { signal },
  );
  document.addEventListener(
    'keyup',
    (event) => {
      shifts(event);
      if (event.key !== ' ' || !hands.space) return;
      event.preventDefault(); // some browsers press a button only now
      hands.space = false;
      // The space bar alone does what Enter does.
      if (!hands.panned && view.cursor) act(event.shiftKey);
      hands.hover();
    },
    { signal },
  );
  stage.addEventListener('focus', () => {
    if (!entering && stage.matches(':focus-visible')) read();
  });
  // After a click on a button, or in a field beside it, keys are for the drawing again.
  stage.addEventListener('pointerenter', ({ pointerType }) => {
    if (pointerType === 'touch' || !document.activeElement?.matches(CLICKED)) return;
    entering = true;
    stage.focus({ preventScroll: true });
    entering = false;
  });
  stage.addEventListener('blur', () => {
    canvas.endStroke();
    last = view.cursor;
    view.cursor = view.ring = view.region = null;
    view.mark();
  });
  return jump;
}
