// The trials: one at a time, the next ones ready before they are wanted.

import { actions, button, card, make, put, setProgress, show, shown } from './frame.js';
import { hiddenMs, watchAbsence } from './presence.js';
import { setSides } from './images.js';
import { inputOf } from './input.js';
import { instructions } from './reading.js';
import { say } from './texts.js';

/**
 * @typedef {import('./stimulus.js').PageTrial} PageTrial
 * @typedef {import('./stimulus.js').Prepared} Prepared
 * @typedef {import('./controls.js').Hands & { close: (close: boolean) => void }} Hands `close`:
 *   images are looked at closely, or no more
 * @typedef {{ stimulus: any, controls: any }} Parts what shows a trial, and what answers it
 */

const AHEAD = 6;

/** Nobody answers an image so soon: a key that comes earlier was meant for the one before. */
const SOONEST_MS = 200;
const SLOW_MS = 300;

export class Trials {
  /** @type {Map<number, PageTrial>} */ #trials = new Map();
  /** @type {Map<number, Prepared>} */ #prepared = new Map();
  /** @type {Set<number>} */ #answered = new Set();
  /** @type {Prepared | null} */ #current = null;
  /** @type {PageTrial | null} */ #last = null;
  #accepting = false;
  #paintedAt = 0;
  #askedAt = 0;
  #hiddenAt = 0;
  #practice = 0;
  #secondRound = -1;
  /** @type {((right: boolean) => void) | null} */ #feedback = null;

  /**
   * @param {Api.ParticipantState} state of the study and the participant
   * @param {import('./outbox.js').Outbox} outbox
   * @param {() => void} done called when nothing is left to answer
   * @param {(state: Api.ParticipantState, hands: Hands) => Parts} parts made for this kind of study
   */
  constructor(state, outbox, done, parts) {
    this.study = state.study;
    this.outbox = outbox;
    this.done = done;
    setSides(state.sides || []);
    const { stimulus, controls } = parts(state, {
      answer: (kind, value, index) => this.#answer(kind, value, index),
      undo: () => this.undo(),
      zoom: () => this.#accepting && this.stimulus.zoom.toggle(),
      move: (key) => this.#accepting && this.stimulus.zoom.step(key),
      close: (close) => this.controls.zoom.setAttribute('aria-pressed', String(close)),
    });
    this.stimulus = stimulus;
    this.controls = controls;
    this.#build();
    this.#count(state.participant);
    this.#restore(state.participant.positions_answered);
    this.#learn(state.trials);
    this.#prepareAhead();
  }

  #build() {
    this.node = make('div', 'trial');
    this.about = make('p', 'about');
    const request = make('div', 'asked');
    request.append(make('h1', '', this.study.question), this.about);
    this.verdict = make('div', 'verdict');
    this.verdict.setAttribute('role', 'status');
    const below = make('div', 'below');
    below.append(this.controls.node, this.verdict);
    this.node.append(request, this.stimulus.node, below);
    document.addEventListener('keydown', (event) => {
      if (shown() === 'trials') this.controls.key(event, !this.#feedback);
    });
    watchAbsence((ms) => {
      if (shown() === 'trials' && this.#current)
        this.outbox.add('away', this.#current.trial.position, { ms: Math.round(ms) });
    });
  }

  /** @param {Api.ParticipantJson} participant */
  #count(participant) {
    this.total = participant.number_of_trials;
    const { trials = 0, attempt = 1 } = participant.training || {};
    this.#practice = trials * Math.max(1, attempt);
  }

  /**
   * What counts as answered: what is stored, and what is on its way.
   * @param {number[]} stored positions
   */
  #restore(stored) {
    this.#answered = new Set(stored);
    for (const { kind, position } of this.outbox.waiting) {
      if (position === null || !['answer', 'undo'].includes(kind)) continue;
      // What was answered last stands last: that is what can be taken back.
      this.#answered.delete(position);
      if (kind === 'answer') this.#answered.add(position);
    }
  }

  /** @param {Api.ParticipantState['trials']} trials */
  #learn(trials) {
    for (const trial of trials || [])
      this.#trials.set(trial.position, /** @type {PageTrial} */ (trial));
  }

  /** Trials without an answer, by position. */
  get #open() {
    return [...this.#trials.values()]
      .filter((trial) => !this.#answered.has(trial.position))
      .sort((a, b) => a.position - b.position);
  }

  /** Whether one has an answer, practice included. */
  get begun() {
    return !!this.#answered.size;
  }

  /** How many wait for an answer. */
  get left() {
    return this.#open.length;
  }

  /** How many are practice now, before the rest. */
  get practice() {
    return this.#open.filter((trial) => trial.practice).length;
  }

  /** What to do, before the first one. */
  instructions() {
    return instructions(this.study, this.practice);
  }

  /** The trial whose answer can be taken back. */
  get undoable() {
    const trial = this.#trials.get([...this.#answered].pop() ?? -1);
    return trial && !trial.practice && !this.#feedback ? trial : null;
  }

  /**
   * What the study said to the last events: more trials, and whether practice was right.
   * @param {Api.PostedEvents} answer
   */
  heard(answer) {
    const fresh = (answer.trials || []).filter((trial) => !this.#trials.has(trial.position));
    const practice = fresh.filter((trial) => trial.practice);
    if (practice.length) this.#secondRound = practice[0].position;
    this.#learn(fresh);
    if (answer.participant) {
      this.#count(answer.participant);
      // What was refused is asked again.
      if (answer.refused?.length) this.#restore(answer.participant.positions_answered);
    }
    this.#prepareAhead();
    const position = this.#last?.position ?? -1;
    if (this.#feedback) {
      if (answer.feedback && position in answer.feedback)
        this.#feedback(answer.feedback[position] === 'right');
      else if (!this.#answered.has(position)) this.#resume();
    } else if (shown() === 'trials' && !this.#current) this.go();
  }

  #resume() {
    this.#feedback = null;
    this.go();
  }

  /** Goes on with the first trial that has no answer. */
  go() {
    const [trial] = this.#open;
    this.#current = null;
    this.#accepting = false;
    if (!trial) {
      if (!this.outbox.waiting.length) this.done();
      else {
        // Also on a page that was loaded again: `heard` goes on from this screen.
        if (shown() !== 'trials') show('trials', [this.node]);
        this.#wait('saving', null);
      }
      return;
    }
    const between = this.#between(trial);
    this.#last = null;
    if (between) this.#announce(between, trial);
    else this.#present(trial);
  }

  /**
   * What is said before this trial, where another part begins.
   * @param {PageTrial} trial
   */
  #between(trial) {
    if (!this.#last?.practice) return '';
    if (!trial.practice) return 'main';
    return trial.position === this.#secondRound ? 'again' : '';
  }

  /**
   * @param {string} name
   * @param {PageTrial} trial
   */
  #announce(name, trial) {
    const n = name === 'main' ? this.total - this.#practice : this.practice;
    const begin = button(say('continue'), 'primary', () => this.#present(trial));
    card('between', say(name + '_title'), [
      make('p', 'text', say(name + '_text', { n })),
      actions(begin),
    ]);
  }

  /** @param {PageTrial} trial */
  #present(trial) {
    if (shown() !== 'trials') show('trials', [this.node]);
    const prepared = this.#ready(trial);
    if (prepared.ready) this.#paint(prepared);
    else this.#wait('waiting', prepared);
  }

  /**
   * Says that there is nothing to do for now, if that lasts.
   * @param {string} name of the words
   * @param {Prepared | null} prepared what is waited for
   */
  #wait(name, prepared) {
    const now = (this.waiting = {});
    const currentOf = () => this.waiting === now && !this.#current && shown() === 'trials';
    const speak = () =>
      currentOf() && this.stimulus.clear(say(prepared?.missing ? 'picture_missing' : name));
    setTimeout(() => {
      if (!currentOf()) return;
      this.controls.enable(false, !!this.undoable);
      this.stimulus.enable(false);
      speak();
    }, SLOW_MS);
    prepared?.done.then(() => currentOf() && this.#paint(prepared));
  }

  /**
   * @param {PageTrial} trial
   * @returns {Prepared}
   */
  #ready(trial) {
    const saved = this.#prepared.get(trial.position);
    if (saved) return saved;
    const prepared = this.stimulus.prepare(trial, () => {
      const [first] = this.#open;
      if (shown() === 'trials' && !this.#current && first === trial && !this.#feedback)
        this.stimulus.clear(say('picture_missing'));
    });
    this.#prepared.set(trial.position, prepared);
    prepared.done.then(() => this.#prepareAhead());
    return prepared;
  }

  /** Gets the next trials ready, one after the other: the first is wanted first. */
  #prepareAhead() {
    const open = this.#open.slice(0, AHEAD);
    const first = open[0]?.position ?? Infinity;
    for (const position of this.#prepared.keys())
      if (position < first - 1) this.#prepared.delete(position);
    for (const trial of open) if (!this.#ready(trial).ready) break;
  }

  /** @param {Prepared} prepared */
  #paint(prepared) {
    const { trial } = prepared;
    const check = !trial.places?.length && !trial.image;
    this.#current = prepared;
    this.controls.begin(trial);
    this.stimulus.show(prepared, check ? trial.words : '');
    // What stands above keeps its room, so that nothing moves.
    if (!check) put(this.about, trial.words);
    this.node.classList.toggle('reading', check);
    this.verdict.replaceChildren();
    this.controls.enable(true, !!this.undoable);
    this.stimulus.enable(true);
    this.#showProgress(trial);
    // The second frame begins once the first, which holds the images, is on the screen.
    requestAnimationFrame(() => requestAnimationFrame(() => this.#painted(prepared)));
  }

  /** @param {Prepared} prepared */
  #painted(prepared) {
    if (this.#current !== prepared) return;
    this.#paintedAt = performance.now();
    this.#hiddenAt = hiddenMs();
    this.#accepting = true;
    this.node.dataset.painted = String(prepared.trial.position);
    if (this.#askedAt)
      performance.measure('answer to next trial', { start: this.#askedAt, end: this.#paintedAt });
    this.#askedAt = 0;
    this.#prepareAhead();
  }

  /**
   * @param {PageTrial} trial
   * @param {string} [more] what else is said there
   */
  #showProgress({ position, practice: training }, more) {
    const done = training ? position : position - this.#practice;
    const source = training ? this.#practice : this.total - this.#practice;
    const text = say(training ? 'practice' : 'progress', { n: done + 1, of: source });
    setProgress(more ? text + ' · ' + more : text, done / source);
  }

  /**
   * @param {'place' | 'tie' | 'skip' | 'rating'} kind
   * @param {number | null} value
   * @param {number} index when, on the clock of the page
   */
  #answer(kind, value, index) {
    const prepared = this.#current;
    if (!prepared || !this.#accepting || index < this.#paintedAt + SOONEST_MS) return;
    this.#accepting = false;
    delete this.node.dataset.painted;
    this.#askedAt = index;
    this.#last = prepared.trial;
    const { position, practice } = prepared.trial;
    this.#answered.add(position);
    this.outbox.add('answer', position, {
      kind,
      value,
      response_ms: Math.round((index - this.#paintedAt) * 10) / 10,
      display: {
        viewport: innerWidth + 'x' + innerHeight,
        dpr: devicePixelRatio,
        arrangement: this.stimulus.arrangement,
        zoomed: this.stimulus.zoom.used,
        scale: this.stimulus.scale,
        hidden_ms: Math.round(hiddenMs() - this.#hiddenAt),
      },
      ...inputOf(this.study),
    });
    if (practice) this.#awaitFeedback(value);
    else this.go();
  }

  /** @param {number | null} value */
  #awaitFeedback(value) {
    this.stimulus.mark(value, 'chosen');
    this.controls.enable(false, false);
    this.stimulus.enable(false);
    put(this.verdict, say('waiting'));
    this.#feedback = (right) => {
      this.stimulus.mark(value, right ? 'right' : 'wrong');
      const text = make('p', '', say(right ? 'right' : 'wrong'));
      const next = button(say('continue'), 'primary', () => this.#resume());
      this.verdict.replaceChildren(text, next);
      this.#askedAt = 0;
      next.focus({ preventScroll: true });
    };
  }

  /** Takes the last answer back: what was said stays stored, and is asked again. */
  undo() {
    const trial = this.undoable;
    if (!trial || (this.#current && !this.#accepting)) return;
    this.#answered.delete(trial.position);
    delete this.node.dataset.painted;
    this.outbox.add('undo', trial.position, {});
    this.#askedAt = 0;
    this.#last = null;
    this.#current = null;
    this.#accepting = false;
    this.#present(trial);
    this.#showProgress(trial, say('undone'));
  }
}
