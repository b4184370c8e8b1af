// Screens of text around the trials: instructions, a last message, the end.

import { actions, button, card, make, page, paragraphs } from './frame.js';
import { say } from './words.js';

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

/**
 * Whatever the participant wants to say; empty where that is nothing.
 * @param {(() => void) | null} undo takes back the last answer
 * @param {string} message on the button that does
 * @returns {Promise<string>}
 */
export function comment(undo, message) {
  return new Promise((done) => {
    const label = make('label', '', say('comment_label'));
    const text = make('textarea');
    text.id = label.htmlFor = 'comment';
    text.rows = 4;
    text.maxLength = 2000;
    const buttons = [button(say('finish'), 'primary', () => done(text.value.trim()))];
    if (undo) buttons.push(button(message, 'plain', undo));
    card('comment', say('comment_title'), [label, text, actions(...buttons)]);
  });
}

/**
 * The end, with the code that recruiting sites ask for, or why it is withheld.
 * @param {Api.StudyOnPage} study
 * @param {{ code: string, url: string, withheld: boolean }} participant
 */
export function finished(study, { code, url, withheld }) {
  const nodes = study.outro ? paragraphs(study.outro) : [make('p', 'text', say('finished_text'))];
  if (withheld) nodes.push(make('p', 'text', say('withheld_text')));
  if (code) {
    const value = make('output', 'code', code);
    const copy = button(say('copy'), 'plain', async () => {
      await copied(value);
      copy.firstElementChild?.replaceChildren(say('copied'));
    });
    const line = make('div', 'code-line');
    line.append(value, copy);
    nodes.push(make('p', 'code-label', say('code_label')), line);
  }
  // A study's own address; anything else is not followed from here.
  if (/^https?:\/\//i.test(url || '')) {
    const back = make('a', 'primary', say('return'));
    back.href = url;
    back.rel = 'noreferrer';
    nodes.push(actions(back));
  }
  card('finished', say('finished_title'), nodes);
}

/** @param {HTMLElement} node */
async function copied(node) {
  try {
    await navigator.clipboard.writeText(node.textContent || '');
  } catch {
    // Without https there is no clipboard of that kind.
    getSelection()?.selectAllChildren(node);
    document.execCommand('copy');
  }
}
