// How answers are entered: a few numbers on each press of the pointer or of a key, from which a
// researcher sees whether a script may have answered (annotation/quality/agents.py). Positions, keys
// and typed text are in none of them. No page.

/** Presses of one answer: of more, as on a canvas, an even sample is kept. */
const MAX_PRESSES = 12;
/** Positions of one movement of the mouse; a longer one is seen from there on. */
const MAX_STEPS = 1_000;
/** After so long a rest the mouse begins another movement. */
const REST_MS = 200;
/** Pixels: a shorter way to a press says nothing. */
const MIN_REACH = 20;
/** Pixels within which two presses are at one place. */
const SAME_PLACE = 3;
/** Parts of a movement, equally long in time, whose speeds are compared. */
const PARTS = 8;
/** A click so long after a press is not of that press. */
const CLICK_MS = 1_000;

/**
 * @typedef {{ by: string, trusted?: false, held?: number, off?: number, distance?: number,
 *   length?: number, jump?: number, bend?: number, moves?: number, took?: number, even?: number,
 *   late?: number, rest?: number }} Press
 *   `by`: mouse, touch, pen, key, or none where neither was seen; `trusted` is false for an event of
 *   a script in the page; `held`: milliseconds; `off`: pixels to the center of what is pressed, of
 *   the farther axis, where the press is at another place than the one before. The rest is of the
 *   mouse's way to the press, see {@link reachOf}.
 * @typedef {[x: number, y: number, time: number]} Step
 * @typedef {Pick<PointerEvent, 'clientX' | 'clientY' | 'timeStamp'>} Position
 */

/** @param {number} value @param {number} [digits] */
const rounded = (value, digits = 0) => Math.round(value * 10 ** digits) / 10 ** digits;

/**
 * The way of the mouse to a press, null where it is too short: from where it rested, in a straight
 * line (`distance`) and as it went (`length`), its longest step (`jump`) and its farthest point from
 * that line (`bend`), all in pixels; the number of `moves`; from the first to the last of them
 * (`took`) and from there to the press (`rest`), in milliseconds; how uneven its speed was (`even`,
 * the coefficient of variation over parts of equal time), and how much of the time the last quarter
 * of the way took (`late`, 0 to 1).
 * @param {Step | null} from where the mouse was before, null where that is not known
 * @param {Step[]} moves
 * @param {Step} press
 */
export function reachOf(from, moves, press) {
  const end = moves.at(-1) ?? from;
  // A press where the mouse never went is one more step.
  const apart = end ? Math.hypot(press[0] - end[0], press[1] - end[1]) : 0;
  const steps = [...(from ? [from] : []), ...moves, ...(apart > SAME_PLACE ? [press] : [])];
  if (steps.length < 2) return null;
  const [first, last] = [steps[0], steps[steps.length - 1]];
  const [dx, dy] = [last[0] - first[0], last[1] - first[1]];
  const distance = Math.hypot(dx, dy);
  if (distance < MIN_REACH) return null;
  let [length, jump, bend] = [0, 0, 0];
  /** The way up to each step. */
  const ways = steps.map((step, index) => {
    const before = steps[index - 1] ?? step;
    const own = Math.hypot(step[0] - before[0], step[1] - before[1]);
    jump = Math.max(jump, own);
    bend = Math.max(bend, Math.abs(dx * (step[1] - first[1]) - dy * (step[0] - first[0])));
    return (length += own);
  });
  const timed = ways.slice(from ? 1 : 0, (from ? 1 : 0) + moves.length);
  return {
    distance: rounded(distance),
    length: rounded(length),
    jump: rounded(jump),
    bend: rounded(bend / distance, 1),
    moves: moves.length,
    ...(moves.length ? { rest: rounded(press[2] - moves[moves.length - 1][2]) } : {}),
    ...pace(moves, timed),
  };
}

/**
 * @param {Step[]} moves
 * @param {number[]} ways up to each of them
 */
function pace(moves, ways) {
  if (moves.length < 3) return moves.length ? { took: 0 } : {};
  const times = moves.map((step) => step[2]);
  const [start, whole] = [times[0], times[times.length - 1] - times[0]];
  const total = ways[ways.length - 1] - ways[0];
  if (whole <= 0 || total <= 0) return { took: rounded(Math.max(0, whole)) };
  /** How far it was after a share of the time. @param {number} share */
  const way = (share) => {
    const time = start + share * whole;
    const after = Math.max(
      1,
      times.findIndex((other) => other >= time),
    );
    const [t0, t1] = [times[after - 1], times[after]];
    const part = t1 > t0 ? Math.min(1, (time - t0) / (t1 - t0)) : 1;
    return ways[after - 1] + part * (ways[after] - ways[after - 1]);
  };
  const parts = Array.from(
    { length: PARTS },
    (_, index) => way((index + 1) / PARTS) - way(index / PARTS),
  );
  const mean = total / PARTS;
  const spread = Math.sqrt(parts.reduce((sum, part) => sum + (part - mean) ** 2, 0) / PARTS);
  const quarter = times[ways.findIndex((other) => other >= ways[0] + 0.75 * total)];
  return {
    took: rounded(whole),
    even: rounded(spread / mean, 2),
    late: rounded((start + whole - quarter) / whole, 2),
  };
}

/** The presses on a page since the last answer. */
export class InputLog {
  /** @type {Press[]} */ #presses = [];
  #count = 0;
  #stride = 1;
  /** @type {Step | null} where the mouse is, null outside the page */ #mouse = null;
  /** @type {Step | null} where its movement began */ #from = null;
  /** @type {Step[]} */ #moves = [];
  /** @type {{ press: Press, time: number } | null} */ #down = null;
  /** @type {Map<string, { press: Press, time: number }>} */ #keys = new Map();
  /** @type {Step | null} where the last press was */ #place = null;
  #lastAt = -Infinity;

  /**
   * The mouse moved; `steps` are the positions that the browser put together in one event.
   * @param {Position[]} steps
   * @param {boolean} dragging whether a button is pressed
   */
  moved(steps, dragging) {
    for (const { clientX, clientY, timeStamp } of steps) {
      const last = this.#moves.at(-1);
      if (dragging || (last && timeStamp - last[2] > REST_MS)) this.#rest();
      this.#mouse = [clientX, clientY, timeStamp];
      if (!dragging) this.#moves.push(this.#mouse);
      if (this.#moves.length > MAX_STEPS) this.#from = this.#moves.shift() ?? null;
    }
    if (dragging) this.#rest();
  }

  /** What comes next is another movement, from where the mouse is. */
  #rest() {
    this.#from = this.#mouse;
    this.#moves = [];
  }

  /** The mouse left the page: it comes back anywhere. */
  left() {
    this.#mouse = null;
    this.#rest();
  }

  /**
   * @param {Position & { pointerType: string, isTrusted: boolean }} event
   * @param {{ left: number, top: number, width: number, height: number } | undefined} box of what
   *   is pressed
   */
  down({ clientX, clientY, timeStamp, pointerType, isTrusted }, box) {
    /** @type {Press} */
    const press = { by: pointerType || 'mouse' };
    if (!isTrusted) press.trusted = false;
    const at = /** @type {Step} */ ([clientX, clientY, timeStamp]);
    const place = this.#place;
    const same = place && Math.hypot(place[0] - clientX, place[1] - clientY) <= SAME_PLACE;
    if (box && !same)
      press.off = rounded(
        Math.max(
          Math.abs(clientX - box.left - box.width / 2),
          Math.abs(clientY - box.top - box.height / 2),
        ),
        1,
      );
    if (press.by === 'mouse') {
      Object.assign(press, reachOf(this.#from, this.#moves, at));
      this.#mouse = at;
      this.#rest();
    }
    this.#place = at;
    this.#down = { press, time: timeStamp };
    this.#lastAt = timeStamp;
  }

  /** @param {{ timeStamp: number }} event */
  up({ timeStamp }) {
    if (this.#down) this.#ended(this.#down, timeStamp);
    this.#down = null;
  }

  /** @param {{ code: string, timeStamp: number, isTrusted: boolean }} event */
  keyDown({ code, timeStamp, isTrusted }) {
    /** @type {Press} */
    const press = { by: 'key' };
    if (!isTrusted) press.trusted = false;
    this.#keys.set(code, { press, time: timeStamp });
    this.#lastAt = timeStamp;
  }

  /** @param {{ code: string, timeStamp: number }} event */
  keyUp({ code, timeStamp }) {
    const begun = this.#keys.get(code);
    if (begun) this.#ended(begun, timeStamp);
    this.#keys.delete(code);
  }

  /** A click that no press came before is of a script, or of a reader of the screen. */
  click({ timeStamp, isTrusted }) {
    if (isTrusted && timeStamp - this.#lastAt < CLICK_MS) return;
    this.#keep(isTrusted ? { by: 'none' } : { by: 'none', trusted: false });
  }

  /** @param {{ press: Press, time: number }} begun @param {number} time */
  #ended({ press, time: start }, time) {
    press.held = rounded(Math.min(Math.max(0, time - start), 60_000));
    this.#keep(press);
    this.#lastAt = time;
  }

  /** @param {Press} press */
  #keep(press) {
    if (this.#count++ % this.#stride) return;
    this.#presses.push(press);
    if (this.#presses.length <= MAX_PRESSES) return;
    this.#presses = this.#presses.filter((_, index) => index % 2 === 0);
    this.#stride *= 2;
  }

  /** The presses that have ended since this was asked last: a key that gives an answer is still down
   * then, and comes with the next. */
  take() {
    const presses = this.#presses;
    this.#presses = [];
    this.#count = 0;
    this.#stride = 1;
    return presses;
  }
}
