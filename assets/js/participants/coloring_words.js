// The texts of a study in which sketches are colored, without the canvas's own.

import { english as canvasEnglish } from '../canvas/words.js';
import { say } from './words.js';

/** @type {Record<string, string>} */
export const english = {
  sketch_progress: 'Sketch {n} of {of}',
  practice_progress: 'Practice {n} of {of}',
  second_progress: 'Once more, {n} of {of}',

  saved: 'Saved',
  saving_now: 'Saving …',
  unsaved: 'Not saved yet',
  unsaved_text:
    'The study does not answer at the moment. Continue: your work is saved in this browser and sent as soon as possible.',
  unkept: 'This browser has no room for unsaved work. Keep this page open until it says “Saved”.',
  steps_refused: 'The last steps were not accepted: {error} The sketch is now as it is saved.',

  do_title: 'Like this',
  do_not_title: 'Not like this',
  practice_text: 'You start with {n} sketches for practice.',
  practice_text_one: 'You start with one sketch for practice.',
  practice_researcher: 'We look at them before you continue. You can close the page meanwhile.',
  many_text_one:
    'Then there is one sketch. You can stop at any time and continue later on the same link.',
  many_text:
    'Then there are {n} sketches. You can stop at any time and continue later on the same link.',

  review_title: 'Your practice sketches are being reviewed',
  review_text:
    'A person reviews them, which may take a while. You can close this page and come back later on the same link.',
  review_again: 'This page checks again every 20 seconds.',
  review_asked: 'Last checked at {time}.',
  review_failed: 'The study does not answer at the moment. The page tries again by itself.',
  practice_again_title: 'Please practice once more',
  practice_again_text: 'Here are {n} sketches for practice.',
  practice_again_text_one: 'Here is one sketch for practice.',
  practice_again_reason: 'Comments on your practice:',
  accepted_title: 'Your practice sketches are fine',
  accepted_text:
    'Your answers count from here on. There are {n} sketches. You can stop and come back on the same link: your colorings are saved.',
  accepted_text_one:
    'Your answers count from here on. There is one sketch. You can stop and come back on the same link: your colorings are saved.',
  begun_title: 'Now it counts',
  begun_text:
    'There are {n} sketches. You can stop and come back on the same link: your colorings are saved.',
  begun_text_one:
    'There is one sketch. You can stop and come back on the same link: your colorings are saved.',

  second_title: 'Please color this once more',
  second_text:
    'You have colored it before. Please color it once more, as you would today. Your first one stays as it is.',
  second_note: 'Please color this once more, as you would today. Your first one stays.',

  done: 'Done',
  previous: 'Previous sketch',
  unknown: 'I don’t know this word',
  comment: 'Comment',
  comment_on: 'Comment on “{words}”',
  comment_keep: 'Save',
  comment_kept: 'Your comment is saved.',
  break: 'Take a break',
  guide: 'What to do',
  more: 'More',
  close: 'Close',
  cancel: 'Back to the sketch',
  nothing_colored:
    'Nothing is colored yet. Color what “{words}” names, or say that you don’t know the word.',
  nothing_colored_only: 'Nothing is colored yet. Color what “{words}” names.',
  full: 'This sketch cannot store more steps. Press Done.',
  skip_title: 'Skip “{words}”?',
  skip_text:
    'You continue with the next sketch. What you colored here stays stored, and does not count.',
  skip_word: 'I don’t know this word',
  skip_other: 'I cannot color it for another reason',
  keeping_text: 'Your coloring is being sent. Keep this page open.',
  reopened: 'Open again: change what you like, then press Done.',

  glance_title: 'Your sketches',
  glance_text: 'Have a look at them. To change one, choose it.',
  glance_only: 'Have a look at them.',
  glance_change: 'Change “{words}”',

  break_title: 'Take your time',
  break_saved: 'Your work is saved.',
  break_waiting:
    'Some of your work is not saved yet: it is stored in this browser. Come back in this browser, or wait here until it says “Saved”.',
  break_text:
    'You can close this page. On the same link you continue here, with “{words}” as you left it.',
};

/** @type {Record<string, string>} */
let canvas = canvasEnglish;

/** Fetches the German words, those of the canvas too. */
export async function inGerman() {
  const german = await import('./coloring_words_de.js');
  canvas = { ...canvasEnglish, ...german.canvas };
  return german;
}

/**
 * What the canvas says.
 * @param {string} name
 */
export function canvasWords(name) {
  // “Done” is said of a whole sketch here.
  return name === 'close' ? say('close') : (canvas[name] ?? name);
}
