// A finger on the strip of hues: it chooses by a tap, or as it moves across; one that moves up or
// down scrolls the sheet, and the color stays.

/** A finger that moves farther is no tap. */
const TAP_PX = 10;

/** @type {WeakSet<HTMLElement>} */
const known = new WeakSet();

/** @param {import('./picker.js').Picker} picker */
export function hueTouch(picker) {
  const { hue } = picker;
  if (known.has(hue)) return;
  known.add(hue);
  let from = { x: 0, y: 0, value: '' };
  let scrolls = false;

  const begin = (/** @type {PointerEvent} */ { pointerType, clientX: x, clientY: y }) => {
    picker.touched = pointerType === 'touch';
    from = { x, y, value: hue.value };
    scrolls = false;
  };

  const follow = (/** @type {TouchEvent} */ { type, changedTouches: [touch] }) => {
    if (!picker.touched) return;
    const dx = Math.abs(touch.clientX - from.x);
    const dy = Math.abs(touch.clientY - from.y);
    const moves = Math.max(dx, dy) > TAP_PX;
    scrolls ||= (moves && dy > dx) || type === 'touchcancel';
    picker.touched = type === 'touchmove' && (scrolls || !moves);
    if (scrolls) hue.value = from.value;
    else if (!picker.touched) picker.turnTo(picker.hueAt(touch.clientX));
  };

  hue.addEventListener('pointerdown', begin, { capture: true });
  for (const type of ['touchmove', 'touchend', 'touchcancel'])
    hue.addEventListener(type, follow, { passive: true });
}
