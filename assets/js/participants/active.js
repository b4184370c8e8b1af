// How long somebody worked on something: pauses, and times in which the page was not to be seen,
// are not work.

/** A longer pause is none of the time of work, from its beginning. */
const LONGEST_PAUSE_MS = 60_000;

/** All times are in milliseconds on one clock that goes forward only. */
export class ActiveTime {
  #total;
  /** @type {number | null} */ #last = null;

  /** @param {number} [total] what was counted before, where it goes on */
  constructor(total = 0) {
    this.#total = total;
  }

  /**
   * Something was done, or the page is seen again.
   * @param {number} now
   */
  sign(now) {
    this.#count(now);
    this.#last = now;
  }

  /**
   * From here on nothing is done, until the next sign.
   * @param {number} now
   */
  away(now) {
    this.#count(now);
    this.#last = null;
  }

  /** What is counted up to the last sign. */
  get total() {
    return this.#total;
  }

  /** @param {number} now */
  #count(now) {
    const since = this.#last === null ? 0 : now - this.#last;
    if (since > 0 && since <= LONGEST_PAUSE_MS) this.#total += since;
  }
}

const SIGNS = ['pointerdown', 'pointermove', 'pointerup', 'keydown', 'wheel', 'input'];

/** Browsers tell of a pointer's way sixty times a second and more. */
const SELDOM_MS = 250;

/** The longest time that a study takes for one answer. */
const LONGEST_MS = 7 * 24 * 3_600_000;

/**
 * The times of one sketch: since it was first shown, and of work on it. They are kept in the browser,
 * so that a reload does not begin them again.
 */
export class SketchTime {
  #listening = new AbortController();

  /** @param {string} key under which they are kept */
  constructor(key) {
    this.key = key;
    const { begun, active } = this.#kept();
    this.begun = begun;
    this.active = new ActiveTime(active);
    const options = { signal: this.#listening.signal, capture: true, passive: true };
    let last = -SELDOM_MS;
    for (const kind of SIGNS)
      addEventListener(
        kind,
        () => {
          const now = performance.now();
          if (now - last < SELDOM_MS || document.hidden) return;
          last = now;
          this.active.sign(now);
        },
        options,
      );
    document.addEventListener('visibilitychange', () => this.#turn(), options);
    addEventListener('pagehide', () => this.rest(), options);
    this.#turn();
  }

  #turn() {
    if (document.hidden) this.rest();
    else this.active.sign(performance.now());
  }

  /** Nothing is done until the next sign. */
  rest() {
    this.active.away(performance.now());
    this.keep();
  }

  /** Keeps the times as they are. */
  keep() {
    try {
      const saved = { begun: this.begun, active: Math.round(this.active.total) };
      localStorage.setItem(this.key, JSON.stringify(saved));
    } catch {
      // Then they begin again with a reload.
    }
  }

  /** Counts nothing more; what was counted stays kept. */
  end() {
    this.rest();
    this.#listening.abort();
  }

  /** The times of an answer that is given now, in milliseconds. */
  get answer() {
    this.active.sign(performance.now());
    const response = Math.min(Math.max(Date.now() - this.begun, 0), LONGEST_MS);
    return { response_ms: response, active_ms: Math.min(Math.round(this.active.total), response) };
  }

  /** @returns {{ begun: number, active: number }} */
  #kept() {
    try {
      const { begun, active } = JSON.parse(localStorage.getItem(this.key) || '{}');
      if (Number.isFinite(begun) && Number.isFinite(active)) return { begun, active };
    } catch {
      // Whatever lies there is not ours to read.
    }
    return { begun: Date.now(), active: 0 };
  }
}

/**
 * Forgets the times of a sketch, for good.
 * @param {string} key
 */
export function forgetTime(key) {
  try {
    localStorage.removeItem(key);
  } catch {
    // Then nothing was kept.
  }
}
