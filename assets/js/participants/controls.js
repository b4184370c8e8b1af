// The controls of a trial besides the images' buttons: the bar below, and the keys.

import { button, make } from './frame.js';
import { say } from './texts.js';

const TEN_MS = 600;

/**
 * @typedef {(kind: 'place' | 'tie' | 'skip' | 'rating', value: number | null, at: number) => void}
 *   Answering
 * @typedef {{ answer: Answering, undo: () => void, zoom: () => void,
 *   move: (key: string) => boolean }} Hands
 */

export class Controls {
  /** @type {number | null} */ #one = null;

  /**
   * @param {Api.StudyOnPage} study
   * @param {number} positions
   * @param {Hands} hands
   */
  constructor(study, positions, hands) {
    this.study = study;
    this.places = positions;
    this.hands = hands;
    this.node = make('div', 'controls');
    const press = (/** @type {'tie' | 'skip'} */ kind) => (/** @type {MouseEvent} */ event) =>
      hands.answer(kind, null, event.timeStamp);
    this.undo = button(say('undo'), 'tool undo', hands.undo, 'U');
    this.zoom = button(say('zoom'), 'tool zoom', hands.zoom, 'Z');
    this.zoom.setAttribute('aria-pressed', 'false');
    this.scale = study.kind === 'ratings' ? this.#scale() : null;
    if (this.scale) this.node.append(this.scale);
    const line = make('div', 'tools');
    line.append(this.undo, this.zoom);
    if (study.skip) line.append(button(say('skip'), 'tool skip', press('skip'), 'S'));
    if (study.tie && study.kind === 'pairs')
      this.node.append(button(say('tie'), 'answer tie', press('tie'), '0'));
    this.node.append(line);
  }

  #scale() {
    const steps = this.study.rating?.steps || 11;
    const box = make('div', 'scale');
    box.setAttribute('role', 'group');
    box.setAttribute('aria-label', say('scale'));
    for (let value = 0; value < steps; value++) {
      const item = button(String(value), 'answer step', (event) =>
        this.hands.answer('rating', value, event.timeStamp),
      );
      box.append(item);
    }
    const ends = make('div', 'scale-ends');
    ends.append(make('span', '', say('lowest')), make('span', '', say('highest')));
    const out = make('div', 'rating');
    out.append(ends, box);
    return out;
  }

  /**
   * @param {boolean} answers whether an answer is taken now
   * @param {boolean} undo whether there is one to take back
   */
  enable(answers, undo) {
    for (const node of this.node.querySelectorAll('.answer, .skip, .zoom'))
      node.setAttribute('aria-disabled', String(!answers));
    this.undo.setAttribute('aria-disabled', String(!undo));
  }

  /**
   * @param {KeyboardEvent} event
   * @param {boolean} listening whether keys stand for anything now
   */
  key(event, listening) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (document.querySelector('dialog[open]')) return;
    const target = /** @type {HTMLElement} */ (event.target);
    if (/^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) return;
    if (event.repeat) {
      // A key that is held down is one press, on a button too.
      if (event.key === 'Enter' || event.key === ' ') event.preventDefault();
      return;
    }
    if (listening && this.#keyOf(event)) event.preventDefault();
  }

  /**
   * Does what a key stands for; gives back whether it stands for anything.
   * @param {KeyboardEvent} event
   */
  #keyOf(event) {
    const { key, timeStamp } = event;
    const { hands, study } = this;
    if (this.scale && this.#rate(key, timeStamp)) return true;
    const letter = key.toLowerCase();
    if (letter === 'z') hands.zoom();
    else if (letter === 'u' || key === 'Backspace') hands.undo();
    else if (letter === 's' && study.skip) hands.answer('skip', null, timeStamp);
    else if ((key === '0' || key === '=') && study.tie && study.kind === 'pairs')
      hands.answer('tie', null, timeStamp);
    else if (/^[1-9]$/.test(key) && Number(key) <= this.places && this.places > 1)
      hands.answer('place', Number(key) - 1, timeStamp);
    else if (key.startsWith('Arrow') && hands.move(key)) return true;
    else if (this.places === 2 && /^Arrow(Left|Up|Right|Down)$/.test(key))
      hands.answer('place', /Left|Up/.test(key) ? 0 : 1, timeStamp);
    else return false;
    return true;
  }

  /**
   * A rating by digits. A 1 waits a moment for the 0 of a 10; its time is that of the 1.
   * @param {string} key
   * @param {number} index
   */
  #rate(key, index) {
    const waiting = this.#one;
    if (waiting !== null) {
      this.forget();
      if (key !== 'Enter' && !/^[0-9]$/.test(key)) return false;
      this.hands.answer('rating', key === '0' ? 10 : 1, waiting);
    } else if (key === '1' && this.study.rating?.steps > 10) {
      this.#one = index;
      this.scale?.querySelectorAll('.step')[1].classList.add('pending');
      this.timer = setTimeout(() => this.#give(index), TEN_MS);
    } else if (/^[0-9]$/.test(key)) this.hands.answer('rating', Number(key), index);
    else return false;
    return true;
  }

  /** @param {number} index */
  #give(index) {
    if (this.#one === null) return;
    this.forget();
    this.hands.answer('rating', 1, index);
  }

  /** Another trial is there. */
  begin() {
    this.forget();
  }

  /** Drops a 1 that waits: it was another key's, or of a trial that is gone. */
  forget() {
    this.#one = null;
    clearTimeout(this.timer);
    this.scale?.querySelector('.pending')?.classList.remove('pending');
  }
}
