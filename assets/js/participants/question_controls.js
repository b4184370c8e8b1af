// The controls of a question: its choices with their letters, and their keys.

import { button, make, put } from './frame.js';
import { say } from './texts.js';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const LONG = 22;
const MANY = 8;
const WORDY = 110;

/** @typedef {import('./controls.js').Hands} Hands */

export class QuestionControls {
  /** @type {string[]} the letter of each choice */ #keys = [];

  /**
   * @param {Api.StudyOnPage} study
   * @param {Hands} hands
   */
  constructor(study, hands) {
    this.study = study;
    this.hands = hands;
    this.node = make('div', 'controls');
    this.choices = make('div', 'answers');
    this.choices.setAttribute('role', 'group');
    this.choices.setAttribute('aria-label', say('answers'));
    this.undo = button(say('undo'), 'tool undo', hands.undo, 'U');
    this.zoom = button(say('zoom'), 'tool zoom', hands.zoom, 'Z');
    this.zoom.setAttribute('aria-pressed', 'false');
    const line = make('div', 'tools');
    line.append(this.undo, this.zoom);
    this.node.append(this.choices);
    if (study.skip) {
      const skip = (/** @type {MouseEvent} */ event) => hands.answer('skip', null, event.timeStamp);
      this.node.append(button(say('cannot_tell'), 'tool skip', skip, 'S'));
    }
    this.node.append(line);
  }

  /**
   * Another question is there. Buttons stay, so that the focus does.
   * @param {Api.QuestionTrial} trial
   */
  begin({ words, form, choices }) {
    this.node.closest('.trial')?.classList.toggle('wordy', words.length > WORDY);
    const yesNo = form === 'binary';
    const texts = (choices || []).map((text) => (yesNo ? say(text) : text));
    this.#keys = texts.map((_, index) => (yesNo ? 'YN'[index] : LETTERS[index]));
    const list = this.choices;
    while (list.children.length < texts.length) list.append(this.#choice(list.children.length));
    [...list.children].forEach((child, index) => {
      const item = /** @type {HTMLElement} */ (child);
      item.hidden = index >= texts.length;
      if (item.hidden) return;
      put(item.children[0], this.#keys[index]);
      put(item.children[1], texts[index]);
    });
    list.classList.toggle(
      'long',
      texts.some((text) => text.length > LONG),
    );
    list.classList.toggle('many', texts.length > MANY);
  }

  /** @param {number} index */
  #choice(index) {
    const node = make('button', 'answer option');
    node.type = 'button';
    node.append(make('span', 'letter'), make('span', 'words'));
    node.addEventListener('click', (event) => this.hands.answer('place', index, event.timeStamp));
    return node;
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
    if (event.repeat) {
      // A key that is held down is one press, on a button too.
      if (event.key === 'Enter' || event.key === ' ') event.preventDefault();
      return;
    }
    if (listening && this.#keyOf(event)) event.preventDefault();
  }

  /**
   * Does what a key stands for; gives back whether it stands for anything. A letter of a choice
   * stands for that, whatever else it would be.
   * @param {KeyboardEvent} event
   */
  #keyOf({ key, timeStamp }) {
    const { hands, study } = this;
    const letter = key.length === 1 ? key.toUpperCase() : key;
    // Digits stand for nothing: who counts four presses 4, and would have given the fourth answer.
    const index = this.#keys.indexOf(letter);
    if (index >= 0) hands.answer('place', index, timeStamp);
    else if (letter === 'Z') hands.zoom();
    else if (letter === 'U' || key === 'Backspace') hands.undo();
    else if (letter === 'S' && study.skip) hands.answer('skip', null, timeStamp);
    else return key.startsWith('Arrow') && hands.move(key);
    return true;
  }
}
