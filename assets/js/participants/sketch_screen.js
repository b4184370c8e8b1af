// What stands around a sketch that is colored: its words, what can be done besides coloring, and what
// is said to it.

import { button, make } from './frame.js';
import { askComment, askSkip, showGuide, showMore } from './sheet.js';
import { say } from './texts.js';

/**
 * @typedef {{ done: (event: MouseEvent | KeyboardEvent) => void,
 *   skip: (reason: 'unknown-word' | 'other') => void, comment: (text: string) => void,
 *   rest: () => void, previous: () => void }} SketchHands
 * @typedef {{ words: string, note: string, undoable: boolean }} SketchFacts
 */

export class SketchScreen {
  #draft = '';
  #listening = new AbortController();

  /**
   * @param {Api.StudyOnPage} study
   * @param {SketchFacts} facts `note` stands below the words, `undoable`: the sketch before this one
   *   can be opened again
   * @param {SketchHands} hands
   */
  constructor(study, { words, note, undoable }, hands) {
    this.study = study;
    this.words = words;
    this.hands = hands;
    this.node = make('div', 'coloring');
    const request = make('div', 'asked');
    request.append(make('p', 'question', study.question), make('h1', 'concept', words));
    if (note) request.append(make('p', 'sketch-note', note));
    this.place = make('div', 'canvas-place');
    // What was said is out of the way of the hand that goes on.
    this.place.addEventListener('pointerdown', () => this.say(''), { capture: true });
    this.said = make('p', 'said');
    this.said.setAttribute('role', 'status');
    this.done = button(say('done'), 'primary done', hands.done);
    this.done.title = say('done') + ' (Ctrl+Enter)';
    this.done.setAttribute('aria-keyshortcuts', 'Control+Enter');
    document.addEventListener('keydown', (event) => this.#key(event), {
      signal: this.#listening.signal,
    });
    this.node.append(request, this.place, this.#bar(undoable));
  }

  /** @param {boolean} undoable */
  #bar(undoable) {
    const choices = [
      { words: say('previous'), act: this.hands.previous, off: !undoable, name: 'previous' },
      ...(this.study.skip
        ? [{ words: say('unknown'), act: () => this.#skip(), off: false, name: 'unknown' }]
        : []),
      { words: say('comment'), act: () => this.#comment(), off: false, name: 'comment' },
      { words: say('break'), act: this.hands.rest, off: false, name: 'break' },
      { words: say('guide'), act: () => showGuide(this.study), off: false, name: 'guide' },
    ];
    const list = make('div', 'choices-line');
    for (const { words, act, off, name } of choices) {
      const item = button(words, 'tool', act);
      item.dataset.choice = name;
      item.disabled = off;
      list.append(item);
    }
    const more = button(say('more'), 'tool more', () => showMore(choices));
    more.setAttribute('aria-haspopup', 'dialog');
    const bar = make('div', 'sketch-bar');
    bar.append(list, more, this.done);
    return bar;
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.repeat) return;
    if (this.done.disabled || document.querySelector('dialog[open]')) return;
    event.preventDefault();
    this.hands.done(event);
  }

  #skip() {
    askSkip(this.words, this.hands.skip);
  }

  #comment() {
    askComment(
      this.words,
      this.#draft,
      (text) => (this.#draft = text),
      (text) => {
        if (!text) return;
        this.#draft = '';
        this.hands.comment(text);
        this.say(say('comment_kept'));
      },
    );
  }

  /**
   * Says something beside the buttons; nothing where the words are empty.
   * @param {string} text
   */
  say(text) {
    // The same words once more are read out once more.
    this.said.textContent = '';
    this.said.textContent = text;
  }

  /**
   * Puts the canvas in its place.
   * @param {HTMLElement} canvas
   */
  put(canvas) {
    this.place.replaceChildren(canvas);
    canvas.querySelector('.cv-notes')?.append(this.said);
  }

  /** @param {boolean} on whether this sketch can be done now */
  enable(on) {
    this.done.disabled = !on;
  }

  /** Listens to nothing more. */
  close() {
    this.#listening.abort();
  }
}
