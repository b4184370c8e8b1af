// The sketches of a study, one at a time. What is done on a canvas is an event each: so a sketch is
// what is stored of it and what still waits to be, on any day.

import { MAX_ACTIONS } from '../canvas/actions.js';
import { onlyOnce } from './double_tap.js';
import { Easel } from './easel.js';
import { actions, button, card, make, put, setProgress, show, shown } from './frame.js';
import { between, instructions, review } from './guide.js';
import { inputOf } from './input.js';
import { askState, sketchFiles } from './link.js';
import { watchAbsence } from './presence.js';
import { onUnsaved, tellSaved } from './saved.js';
import { closeSheet } from './sheet.js';
import { Sketches, partOf } from './sketches.js';
import { SketchScreen } from './sketch_screen.js';
import { say, sayRefusal } from './texts.js';

/** Sketches that are fetched before they are wanted. */
const AHEAD = 3;

/** Whether what was done is saved. */
export const tell = tellSaved;

/** The words for going back to the last one. */
export const undo = 'previous';

/**
 * @param {Api.ParticipantState} state of the study and the participant
 * @param {import('./outbox.js').Outbox} outbox
 * @param {{ done: () => void, over: (name: string) => void }} hands `done`: nothing is left to
 *   color, `over`: nothing can be done here for now
 */
export async function open(state, outbox, hands) {
  return new Colorings(state, outbox, hands);
}

export class Colorings {
  /** @type {Easel | null} */ #easel = null;
  /** @type {SketchScreen | null} */ #screen = null;
  #fetched = new Set();

  /**
   * @param {Api.ParticipantState} state
   * @param {import('./outbox.js').Outbox} outbox
   * @param {{ done: () => void, over: (name: string) => void }} hands
   */
  constructor(state, outbox, hands) {
    this.study = state.study;
    this.participant = state.participant.id;
    this.outbox = outbox;
    this.hands = hands;
    this.sketches = new Sketches(state, () => outbox.waiting);
    watchAbsence((ms) => this.#note(ms, ''));
    onUnsaved(() => this.#screen?.say(say('unsaved_text')));
  }

  /** Whether something was done here already, also where no sketch is done yet. */
  get begun() {
    return this.sketches.begun;
  }

  /** How many can be colored now. */
  get left() {
    return this.sketches.open.length;
  }

  get undoable() {
    return this.sketches.undoable;
  }

  /** What to do, before the first one. */
  instructions() {
    const practice = this.sketches.left('training');
    return instructions(this.study, practice, this.sketches.total - practice);
  }

  /**
   * What the study said to the last events: more sketches, and how the practice was.
   * @param {Api.PostedEvents} answer
   */
  heard(answer) {
    this.sketches.learn(answer.trials);
    if (answer.participant) this.sketches.count(answer.participant);
    const refused = answer.refused || [];
    if (refused.length && answer.participant)
      this.sketches.restore(answer.participant.positions_answered);
    const lost = refused.find((/** @type {any} */ item) => item.kind === 'action');
    if (lost) this.#renew(sayRefusal(lost));
    else if (shown() === 'keeping') this.go();
  }

  /** Goes on with the first sketch that is not done, or says what there is to wait for. */
  go() {
    this.#close();
    const [sketch] = this.sketches.open;
    if (sketch) {
      const name = this.sketches.before(sketch);
      if (name) this.#announce(name, sketch);
      else this.#present(sketch);
    } else if (this.outbox.waiting.length) {
      setProgress('');
      card('keeping', say('saving_now'), [make('p', 'text', say('keeping_text'))]);
    } else if (['waiting', 'again'].includes(this.sketches.practice.stage)) this.#review();
    else this.hands.done();
  }

  /**
   * @param {'again' | 'accepted' | 'begun' | 'second'} name
   * @param {Api.SketchTrial} sketch
   */
  #announce(name, sketch) {
    setProgress('');
    const n = this.sketches.left(partOf(sketch));
    between(name, { n, reason: this.sketches.practice.reason }, () => this.#present(sketch));
  }

  /** Practice is looked at by somebody: asks now and then. */
  #review() {
    setProgress('');
    review(async () => {
      const waiting = this.outbox.waiting;
      const state = await askState();
      if (!state.participant) return false;
      if (state.study.state !== 'open') {
        this.hands.over(state.study.state);
        return true;
      }
      this.sketches.renew(state, waiting);
      if (!this.sketches.open.length) return false;
      if (document.hidden) document.title = '● ' + this.study.title;
      this.go();
      return true;
    });
  }

  /**
   * @param {Api.SketchTrial} sketch
   * @param {string} [said] beside the buttons
   */
  #present(sketch, said = '') {
    const { position, words } = sketch;
    const note = partOf(sketch) === 'second' ? say('second_note') : '';
    const screen = new SketchScreen(
      this.study,
      { words, note, undoable: !!this.undoable },
      {
        done: (event) => this.#done(event),
        skip: (reason) => this.#skip(reason),
        comment: (text) => this.outbox.add('comment', position, { text }),
        rest: () => this.#rest(sketch),
        previous: () => this.undo(),
      },
    );
    document.title = this.study.title;
    const { name, n, of } = this.sketches.progress(sketch);
    setProgress(say(name, { n, of }), (n - 1) / of);
    screen.enable(false);
    show('coloring', [screen.node]);
    const hands = {
      put: (/** @type {HTMLElement} */ node) => screen.put(node),
      acted: (/** @type {import('../canvas/actions.js').Action} */ action) =>
        this.#acted(position, action),
    };
    const easel = new Easel(sketch, this.participant, hands, this.study);
    this.#screen = screen;
    this.#easel = easel;
    easel.open(this.sketches.log(position)).then((current) => {
      if (!current) return;
      screen.enable(true);
      screen.say(said);
      screen.node.dataset.painted = String(position);
      this.#fetchAhead();
    });
  }

  /**
   * @param {number} position
   * @param {import('../canvas/actions.js').Action} action
   */
  #acted(position, action) {
    const index = this.sketches.did(position, action);
    this.#screen?.say('');
    this.outbox.add('action', position, action, index);
    if (index + 1 < MAX_ACTIONS) return;
    this.#easel?.enable(false);
    this.#screen?.say(say('full'));
  }

  /** @param {MouseEvent | KeyboardEvent} event */
  #done(event) {
    const easel = this.#easel;
    if (!easel) return;
    onlyOnce(event);
    easel.endStroke();
    const { words } = easel.sketch;
    if (!easel.coloredShare) {
      const name = this.study.skip ? 'nothing_colored' : 'nothing_colored_only';
      this.#screen?.say(say(name, { words }));
      return;
    }
    const finish = () => this.#finish(easel);
    if (!easel.holds(finish)) finish();
  }

  /** @param {Easel} easel */
  #finish(easel) {
    const { position } = easel.sketch;
    const { length } = this.sketches.log(position);
    this.#answer(position, { kind: 'coloring', value: null, actions: length, ...easel.answer });
  }

  /** @param {'unknown-word' | 'other'} reason */
  #skip(reason) {
    const easel = this.#easel;
    if (!easel) return;
    const { display } = easel;
    this.#answer(easel.sketch.position, {
      kind: 'skip',
      value: null,
      reason,
      ...easel.time.answer,
      display,
    });
  }

  /**
   * @param {number} position
   * @param {object} body
   */
  #answer(position, body) {
    this.#close(true);
    this.sketches.answer(position);
    this.outbox.add('answer', position, { ...body, ...inputOf(this.study) });
    this.go();
  }

  /** Opens the sketch before again, as it was: what was said of it stays stored. */
  undo() {
    const sketch = this.undoable;
    if (sketch) this.#reopen(sketch);
  }

  /** @param {Api.SketchTrial} sketch that has an answer */
  #reopen(sketch) {
    this.#close();
    this.sketches.reopen(sketch.position);
    this.outbox.add('undo', sketch.position, {});
    this.#present(sketch, say('reopened'));
  }

  /**
   * All that was colored, small, to look at before the end; a sketch can be opened once more.
   * @param {(act: () => void) => void} back goes back to the sketches
   */
  glance = (back) => {
    const box = make('div', 'glance');
    import('./glance.js')
      .then(({ showGlance }) =>
        showGlance(
          box,
          (sketch, actions) =>
            back(() => {
              this.sketches.load(sketch, actions);
              this.#reopen(sketch);
            }),
          () => !this.outbox.waiting.length,
        ),
      )
      // Without a network there is nothing to look at, and everything to finish.
      .catch(() => {});
    return box;
  };

  /**
   * A break, until somebody wants to go on.
   * @param {Api.SketchTrial} sketch
   */
  #rest(sketch) {
    this.#close();
    const now = performance.now();
    const saved = make('p', 'text');
    const look = () => {
      const { length } = this.outbox.waiting;
      put(saved, say(length ? 'break_waiting' : 'break_saved'));
      if (length) setTimeout(() => saved.isConnected && look(), 500);
    };
    look();
    const go = button(say('continue'), 'primary', () => {
      this.#note(performance.now() - now, 'break', sketch);
      this.#present(sketch);
    });
    card('break', say('break_title'), [
      saved,
      make('p', 'text', say('break_text', { words: sketch.words })),
      actions(go),
    ]);
  }

  /**
   * Notes time in which nobody was at a sketch.
   * @param {number} ms
   * @param {string} reason
   * @param {Api.SketchTrial | undefined} sketch
   */
  #note(ms, reason, sketch = this.#easel?.sketch) {
    if (!sketch) return;
    const body = reason ? { ms: Math.round(ms), reason } : { ms: Math.round(ms) };
    this.outbox.add('away', sketch.position, body);
  }

  /**
   * Something that was done on a canvas was not taken: shows what is stored, and says so.
   * @param {string} error
   */
  async #renew(error) {
    const sketch = this.#easel?.sketch;
    this.#easel?.enable(false);
    const waiting = this.outbox.waiting;
    const state = await askState().catch(() => null);
    if (!state?.participant) {
      // The page that is loaded again knows what is stored.
      location.reload();
      return;
    }
    this.sketches.renew(state, waiting);
    const again = this.sketches.open.find((item) => item.position === sketch?.position);
    if (this.#easel && again) {
      this.#close();
      this.#present(again, say('steps_refused', { error }));
    } else if (this.#easel || shown() === 'keeping') this.go();
  }

  /** @param {boolean} [done] */
  #close(done) {
    closeSheet();
    this.#easel?.close(done);
    this.#screen?.close();
    this.#easel = null;
    this.#screen = null;
  }

  /** The next sketches, so that they are here when there is no network. */
  #fetchAhead() {
    for (const { sketch } of this.sketches.open.slice(0, AHEAD + 1)) {
      if (this.#fetched.has(sketch.id)) continue;
      this.#fetched.add(sketch.id);
      for (const address of Object.values(sketchFiles(sketch.id)))
        fetch(address)
          .then((answer) => answer.arrayBuffer())
          .catch(() => this.#fetched.delete(sketch.id));
    }
  }
}
