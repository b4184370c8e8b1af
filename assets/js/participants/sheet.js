// Sheets of words above a sketch: the sketch stays as it is below them.

import { actions, button, make } from './frame.js';
import { guidance } from './guide.js';
import { say } from './texts.js';

const sheet = make('dialog', 'card');

/**
 * Opens one in the place of the one before.
 * @param {string} title
 * @param {Node[]} nodes
 * @param {string} [className]
 */
function open(title, nodes, className = '') {
  if (sheet.open) sheet.close();
  sheet.className = 'card sheet ' + className;
  const heading = make('h2', '', title);
  heading.id = 'sheet-title';
  // It is read from its beginning: its first button may be far below.
  heading.tabIndex = -1;
  heading.autofocus = true;
  sheet.setAttribute('aria-labelledby', heading.id);
  sheet.replaceChildren(heading, ...nodes);
  if (!sheet.isConnected) document.getElementById('study')?.append(sheet);
  sheet.showModal();
}

/** Closes the one that is open. */
export function closeSheet() {
  if (sheet.open) sheet.close();
}

/**
 * A button that closes the sheet, and then does what it is for.
 * @param {string} text
 * @param {string} className
 * @param {() => void} [act]
 */
function choice(text, className, act) {
  return button(text, className, () => {
    closeSheet();
    act?.();
  });
}

/** @param {Api.StudyOnPage} study */
export function showGuide(study) {
  open(
    say('instructions_title'),
    [...guidance(study), actions(choice(say('cancel'), 'primary'))],
    'wide',
  );
}

/**
 * Whether a sketch is left out, and why.
 * @param {string} text of the sketch
 * @param {(reason: 'unknown-word' | 'other') => void} skip
 */
export function askSkip(text, skip) {
  open(say('skip_title', { words: text }), [
    make('p', 'text', say('skip_text')),
    actions(
      choice(say('skip_word'), 'primary', () => skip('unknown-word')),
      choice(say('skip_other'), 'plain', () => skip('other')),
      choice(say('cancel'), 'plain'),
    ),
  ]);
}

/**
 * Something that is wanted to be said about a sketch.
 * @param {string} message of the sketch
 * @param {string} started what was written before
 * @param {(text: string) => void} writing told of every change
 * @param {(text: string) => void} keep
 */
export function askComment(message, started, writing, keep) {
  const text = make('textarea');
  text.setAttribute('aria-labelledby', 'sheet-title');
  text.rows = 4;
  text.maxLength = 2000;
  text.value = started;
  text.addEventListener('input', () => writing(text.value));
  open(say('comment_on', { words: message }), [
    text,
    actions(
      choice(say('comment_keep'), 'primary', () => keep(text.value.trim())),
      choice(say('cancel'), 'plain'),
    ),
  ]);
  text.focus();
}

/**
 * All that can be done besides coloring, on a screen that has no room for it.
 * @param {{ words: string, act: () => void, off: boolean }[]} choices
 */
export function showMore(choices) {
  open(say('more'), [
    actions(
      ...choices.map(({ words, act, off }) => {
        const item = choice(words, 'plain', act);
        item.disabled = off;
        return item;
      }),
      choice(say('close'), 'plain'),
    ),
  ]);
}
