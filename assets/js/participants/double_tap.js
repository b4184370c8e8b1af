// Ignores the second tap of a double tap, which would hit the next screen by mistake.

const SOON_MS = 500;
const NEAR_PX = 40;
const MODIFIERS = ['Control', 'Meta', 'Shift'];
const HANDS = ['pointerdown', 'click', 'keydown'];

/** @typedef {{ type: string, at: number, x: number, y: number, key?: string }} Press */

/**
 * Whether a press is the second one of a double tap, or of a double press of a key.
 * @param {Press} first
 * @param {Press} next
 */
export function isSecond(first, next) {
  if (next.at - first.at > SOON_MS) return false;
  if (first.type === 'keydown' || next.type === 'keydown') return first.key === next.key;
  return Math.hypot(next.x - first.x, next.y - first.y) <= NEAR_PX;
}

/** @param {MouseEvent | KeyboardEvent} event @returns {Press} */
function pressOf(event) {
  const { type, timeStamp: index } = event;
  if (event instanceof KeyboardEvent) return { type, at: index, x: 0, y: 0, key: event.key };
  return { type, at: index, x: event.clientX, y: event.clientY };
}

/**
 * Takes no second press at the place of this one, until somebody pressed elsewhere or some time is
 * over.
 * @param {MouseEvent | KeyboardEvent} event
 */
export function onlyOnce(event) {
  const first = pressOf(event);
  const listening = new AbortController();
  setTimeout(() => listening.abort(), SOON_MS);
  for (const name of HANDS)
    addEventListener(
      name,
      (next) => {
        // Control is pressed again with the key that it is for.
        if (next === event || (next instanceof KeyboardEvent && MODIFIERS.includes(next.key)))
          return;
        if (isSecond(first, pressOf(/** @type {MouseEvent | KeyboardEvent} */ (next)))) {
          next.preventDefault();
          next.stopImmediatePropagation();
        } else listening.abort();
      },
      { capture: true, signal: listening.signal },
    );
}
