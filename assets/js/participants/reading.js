// Screens of text around the trials: instructions and a last message.

import { actions, button, card, make, page, paragraphs } from './frame.js';
import { say } from './texts.js';

/**
 * What to do, with the keys that do it.
 * @param {Api.StudyOnPage} study
 * @param {number} practice how many of the first do not count
 */
export function instructions(study, practice) {
  const keys = make('dl', 'keys');
  keys.setAttribute('aria-label', say('instructions_keys'));
  /** @type {[string, string[]][]} */
  const lines = [];
  if (study.kind === 'ratings') lines.push(['keys_rate', ['0', '…', '9']]);
  if (study.kind === 'pairs') lines.push(['keys_choose', ['1', '2', '←', '→']]);
  if (study.kind === 'best-of') lines.push(['keys_choose', ['1', '2', '3', '4']]);
  if (study.kind === 'pairs' && study.tie) lines.push(['keys_tie', ['0', '=']]);
  const request = study.kind === 'questions';
  if (request) lines.push(['keys_choose', ['A', 'B', '…']]);
  if (study.skip) lines.push([request ? 'keys_cannot_tell' : 'keys_skip', ['S']]);
  lines.push(['keys_zoom', ['Z']]);
  if (request) lines.push(['keys_move', ['←', '↑', '→', '↓']]);
  lines.push(['keys_undo', ['U']]);
  for (const [name, caps] of lines) {
    const line = make('div');
    const shown = make('dt');
    shown.append(...caps.map((cap) => make(cap === '…' ? 'span' : 'kbd', '', cap)));
    line.append(shown, make('dd', '', say(name)));
    keys.append(line);
  }
  const nodes = [...paragraphs(study.instructions), keys];
  if (practice) nodes.push(make('p', 'text', say('training_text', { n: practice })));
  return page('instructions', say('instructions_title'), nodes, say('start'));
}

/** Participants who have answered everything need not press Finish. */
const PATIENCE_MS = 60_000;

/**
 * Asks for a comment. Leaving the page finishes, and so does a minute without any key or click, unless
 * a comment was begun.
 * @param {(() => void) | null} undo takes back the last answer
 * @param {string} message on the button that does
 * @param {(text: string, leaving: boolean) => void} finish called once, with the comment of whoever
 *   pressed Finish; `leaving`: the page may be gone in a moment
 * @param {((back: (act: () => void) => void) => Node) | null} [glance] what was answered, to look at;
 *   `back` goes back to it
 */
export function comment(undo, message, finish, glance) {
  const label = make('label', '', say('comment_label'));
  const text = make('textarea');
  text.id = label.htmlFor = 'comment';
  text.rows = 4;
  text.maxLength = 2000;
  let timer = 0;
  const stop = () => {
    clearTimeout(timer);
    removeEventListener('pagehide', leave);
  };
  const end = (/** @type {string} */ comment, leaving = false) => {
    stop();
    finish(comment, leaving);
  };
  const leave = () => end('', true);
  const wait = () => {
    clearTimeout(timer);
    timer = setTimeout(() => text.value.trim() || end(''), PATIENCE_MS);
  };
  const buttons = [button(say('finish'), 'primary', () => end(text.value.trim()))];
  const back = (/** @type {() => void} */ act) => {
    stop();
    act();
  };
  if (undo) buttons.push(button(message, 'plain', () => back(undo)));
  addEventListener('pagehide', leave);
  const box = card('comment', say('comment_title'), [
    ...(glance ? [glance(back)] : []),
    label,
    text,
    make('p', 'small', say('comment_note')),
    actions(...buttons),
  ]);
  for (const kind of ['input', 'keydown', 'pointerdown']) box.addEventListener(kind, wait);
  wait();
}
