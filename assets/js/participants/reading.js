// Screens of words: what comes before the trials and after them, and what is in the way.

import { button, make, paragraphs } from './nodes.js';
import { actions, card } from './page_frame.js';
import { say } from './words.js';

/**
 * A screen with a heading and a text that ends everything.
 * @param {string} name of both words, without `_title`
 * @param {string} [more] a sentence of the study's own
 */
export function end(name, more) {
  card(name, say(name + '_title'), [
    make('p', 'text', say(name + '_text')),
    ...(more ? [make('p', 'small', more)] : []),
  ]);
}

/**
 * A screen that waits until its one button is pressed.
 * @param {string} name
 * @param {string} title
 * @param {Node[]} nodes
 * @param {string} words on the button
 */
export function page(name, title, nodes, words) {
  return new Promise((done) => {
    card(name, title, [...nodes, actions(button(words, 'primary', done))]);
  });
}

/** @param {any} study */
export function welcome(study) {
  return page('welcome', study.title, paragraphs(study.intro), say('continue'));
}

/**
 * Asks for consent until it is given and the study took it.
 * @param {any} study
 * @param {() => Promise<void>} enroll rejects with words where it did not work
 * @returns {Promise<void>}
 */
export function consent(study, enroll) {
  return new Promise((done) => {
    const ask = () => {
      const problem = make('p', 'problem');
      problem.setAttribute('role', 'alert');
      const agree = button(say('agree'), 'primary', async () => {
        if (agree.disabled) return;
        agree.disabled = true;
        problem.textContent = '';
        try {
          await enroll();
          done();
        } catch (error) {
          problem.textContent = error instanceof Error ? error.message : String(error);
          agree.disabled = false;
          agree.focus();
        }
      });
      const decline = button(say('disagree'), 'plain', () => {
        const again = button(say('declined_back'), 'plain', ask);
        card('declined', say('declined_title'), [
          make('p', 'text', say('declined_text')),
          actions(again),
        ]);
      });
      card('consent', say('consent_title'), [
        ...paragraphs(study.consent.text),
        make('p', 'small', say('consent_version', { version: study.consent.version })),
        problem,
        actions(agree, decline),
      ]);
    };
    ask();
  });
}

/**
 * What to do, with the keys that do it.
 * @param {any} study
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
  if (study.skip) lines.push(['keys_skip', ['S']]);
  lines.push(['keys_zoom', ['Z']], ['keys_undo', ['U']]);
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
 * @returns {Promise<string>}
 */
export function comment(undo) {
  return new Promise((done) => {
    const label = make('label', '', say('comment_label'));
    const text = make('textarea');
    text.id = label.htmlFor = 'comment';
    text.rows = 4;
    text.maxLength = 2000;
    const buttons = [button(say('finish'), 'primary', () => done(text.value.trim()))];
    if (undo) buttons.push(button(say('undo'), 'plain', undo));
    card('comment', say('comment_title'), [label, text, actions(...buttons)]);
  });
}

/**
 * The end, with the code that recruiting sites ask for.
 * @param {any} study
 * @param {{ code: string, url: string }} participant
 */
export function finished(study, { code, url }) {
  const nodes = study.outro ? paragraphs(study.outro) : [make('p', 'text', say('finished_text'))];
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
