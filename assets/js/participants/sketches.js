// Which sketches somebody has, which of them are colored, and all that was done on each: what the
// study has stored and what still waits to be sent. No page.

/**
 * @typedef {import('../canvas/actions.js').Action} Action
 * @typedef {import('./outbox.js').PageEvent} PageEvent
 */

/**
 * What a sketch is for: practice, what counts, or a second coloring.
 * @param {Api.SketchTrial} sketch
 * @returns {'training' | 'trial' | 'second'}
 */
export function partOf({ practice, original }) {
  if (practice) return 'training';
  return original === null || original === undefined ? 'trial' : 'second';
}

export class Sketches {
  /** @type {Map<number, Api.SketchTrial>} */ #sketches = new Map();
  /** @type {Set<number>} */ #answered = new Set();
  /** @type {Map<number, Action[]>} */ #logs = new Map();
  /** @type {PageEvent[]} */ #kept = [];
  /** The sketch that was opened again, until it is done. */
  #reopened = -1;
  total = 0;
  practiceTotal = 0;
  /** @type {{ stage: string, reason: string }} */ practice = { stage: 'open', reason: '' };

  /**
   * @param {Api.ParticipantState & { kept?: PageEvent[] }} state `kept` was not confirmed when
   *   the state was asked for, and may be by now
   * @param {() => PageEvent[]} waiting what is not confirmed now
   */
  constructor(state, waiting) {
    this.study = state.study;
    this.waiting = waiting;
    this.#kept = state.kept || [];
    this.count(state.participant);
    this.restore(state.participant.positions_answered);
    this.learn(state.trials);
  }

  /** @param {Api.ParticipantJson} participant as the study told of them */
  count(participant) {
    this.total = participant.number_of_trials;
    this.practice = participant.practice || this.practice;
    const rounds = participant.practice?.rounds || 1;
    this.practiceTotal = (this.study.practice?.count || 0) * rounds;
  }

  /**
   * What counts as answered: what is stored, and what is on its way.
   * @param {number[]} stored positions
   */
  restore(stored) {
    this.#answered = new Set(stored);
    for (const { kind, position } of this.waiting()) {
      if (position === null) continue;
      if (kind === 'answer') this.#answered.add(position);
      if (kind === 'undo') this.#answered.delete(position);
    }
  }

  /**
   * @param {Api.ParticipantState['trials']} sketches
   * @returns {boolean} whether one of them was not known
   */
  learn(sketches) {
    const before = this.#sketches.size;
    for (const sketch of sketches || [])
      this.#sketches.set(sketch.position, /** @type {Api.SketchTrial} */ (sketch));
    return this.#sketches.size > before;
  }

  /**
   * Takes the study's word for all that was done: it was asked again.
   * @param {Api.ParticipantState} state
   * @param {PageEvent[]} saved what was not confirmed when it was asked
   */
  renew(state, saved) {
    this.#logs.clear();
    this.#kept = saved;
    this.count(state.participant);
    this.restore(state.participant.positions_answered);
    this.learn(state.trials);
  }

  /** Those without an answer, by position. */
  get open() {
    return [...this.#sketches.values()]
      .filter((sketch) => !this.#answered.has(sketch.position))
      .sort((a, b) => a.position - b.position);
  }

  /** How many have an answer, practice included. */
  get answered() {
    return this.#answered.size;
  }

  /** Whether a sketch is done, or something on one. */
  get begun() {
    return !!this.answered || this.open.some((item) => this.log(item.position).length);
  }

  /** How many of the open ones are for this. @param {string} part */
  left(part) {
    return this.open.filter((item) => partOf(item) === part).length;
  }

  /** The sketch before the next one, while it can be opened again. */
  get undoable() {
    const last = Math.max(-1, ...this.#answered);
    const sketch = this.#sketches.get(last);
    const next = this.open[0];
    if (!sketch || this.#reopened >= 0 || (next && next.position < last)) return null;
    // Practice that was looked at stays as it was seen, and so does what is colored once more.
    const seen = sketch.practice && next && this.#round(next) !== this.#round(sketch);
    const twice = [...this.#sketches.values()].some((item) => item.original === last);
    return seen || twice ? null : sketch;
  }

  /** Which round of practice a sketch is of; -1 for those that count. @param {Api.SketchTrial} sketch */
  #round({ position, practice }) {
    return practice ? Math.floor(position / this.study.practice.count) : -1;
  }

  /**
   * All that was done on a sketch, in its order.
   * @param {number} position
   */
  log(position) {
    const known = this.#logs.get(position);
    if (known) return known;
    const stored = /** @type {Action[]} */ (this.#sketches.get(position)?.actions || []);
    // An action whose confirmation was lost is stored, and waits: its place tells.
    const unsure = new Map([...this.#kept, ...this.waiting()].map((event) => [event.id, event]));
    const more = [...unsure.values()]
      .filter((event) => event.kind === 'action' && event.position === position)
      .filter((event) => (event.place ?? 0) >= stored.length)
      .map((event) => /** @type {Action} */ (event.body));
    const log = [...stored, ...more];
    this.#logs.set(position, log);
    return log;
  }

  /**
   * Something was done on a sketch.
   * @param {number} position
   * @param {Action} action
   * @returns {number} its place in the log
   */
  did(position, action) {
    return this.log(position).push(action) - 1;
  }

  /** @param {number} position of the sketch that has an answer now */
  answer(position) {
    this.#answered.add(position);
    if (position >= this.#reopened) this.#reopened = -1;
    // What can be opened no more needs no memory.
    for (const log of this.#logs.keys()) if (log < position) this.#logs.delete(log);
  }

  /** @param {number} position of the sketch that is opened again */
  reopen(position) {
    this.#answered.delete(position);
    this.#reopened = position;
  }

  /**
   * A sketch as the study has it, with all that was done on it.
   * @param {Api.SketchTrial} sketch
   * @param {Action[]} actions
   */
  load(sketch, actions) {
    this.#sketches.set(sketch.position, { ...sketch, actions });
    this.#logs.delete(sketch.position);
  }

  /** Whether a sketch was opened again and is not done since. @param {number} position */
  isReopened(position) {
    return this.#reopened === position;
  }

  /**
   * How far somebody is with a sketch.
   * @param {Api.SketchTrial} sketch
   * @returns {{ name: string, n: number, of: number }} `name` of the words
   */
  progress(sketch) {
    const { position } = sketch;
    const part = partOf(sketch);
    if (part === 'second') {
      // They come after all others, a few at a time.
      const seconds = [...this.#sketches.values()].filter((item) => partOf(item) === 'second');
      const n = seconds.filter((second) => second.position <= position).length;
      return { name: 'second_progress', n, of: seconds.length };
    }
    if (part === 'training') {
      const count = this.study.practice?.count || this.practiceTotal;
      return { name: 'practice_progress', n: (position % count) + 1, of: count };
    }
    const seconds = this.#count('second');
    const source = this.total - this.practiceTotal - seconds;
    return { name: 'sketch_progress', n: position - this.practiceTotal + 1, of: source };
  }

  /** @param {string} part */
  #count(part) {
    return [...this.#sketches.values()].filter((sketch) => partOf(sketch) === part).length;
  }

  /**
   * What is to be said before a sketch, where another part begins with it.
   * @param {Api.SketchTrial} sketch
   * @returns {'' | 'again' | 'accepted' | 'begun' | 'second'}
   */
  before(sketch) {
    const { position } = sketch;
    const part = partOf(sketch);
    if (this.log(position).length || this.isReopened(position)) return '';
    if (part === 'training') {
      const whole = this.left('training') === this.study.practice?.count;
      return whole && position > 0 && this.practice.stage === 'again' ? 'again' : '';
    }
    if (part === 'second') {
      const last = this.#sketches.get(Math.max(-1, ...this.#answered));
      return last && partOf(last) === 'second' ? '' : 'second';
    }
    if (!this.practiceTotal || position !== this.practiceTotal) return '';
    return this.study.practice.review === 'none' ? 'begun' : 'accepted';
  }
}
