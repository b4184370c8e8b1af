// The last screens: the end in words, with the code that a recruiting site asks for and the return URL.

import { actions, button, card, make, paragraphs } from './frame.js';
import { say } from './texts.js';

/**
 * A screen with a heading and a text that ends everything.
 * @param {string} name of both words, without `_title`
 * @param {Api.EndingPage | null} [back] what the participant gets
 * @param {number | null} [seconds] after which the return URL opens automatically, null never
 */
export function end(name, back, seconds) {
  /** @type {Node[]} */
  const nodes = [make('p', 'text', say(name + '_text'))];
  if (back) nodes.push(...endingNodes(back, seconds));
  card(name, say(name + '_title'), nodes);
}

/**
 * The end for participants who answered everything; a code may be withheld.
 * @param {Api.StudyOnPage} study
 * @param {Api.EndingPage & { withheld: boolean }} participant
 * @param {number | null} seconds as of {@link end}
 */
export function finished(study, participant, seconds) {
  /** @type {Node[]} */
  const nodes = study.outro ? paragraphs(study.outro) : [make('p', 'text', say('finished_text'))];
  if (participant.withheld) nodes.push(make('p', 'text', say('withheld_text')));
  nodes.push(...endingNodes(participant, seconds));
  card('finished', say('finished_title'), nodes);
}

/**
 * What a participant gets at an ending: a text, a code, and a button that opens the return URL.
 * @param {Api.EndingPage} back
 * @param {number | null} [seconds] as of {@link end}
 * @returns {Node[]}
 */
export function endingNodes({ text, code, url }, seconds = null) {
  /** @type {Node[]} */
  const nodes = paragraphs(text || '');
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
    const link = make('a', 'primary', say('return'));
    link.href = url;
    link.rel = 'noreferrer';
    const line = actions(link);
    nodes.push(line);
    if (seconds !== null) nodes.splice(-1, 0, countdown(seconds, link, line));
  }
  return nodes;
}

/**
 * Counts down until the return URL opens, unless that is stopped.
 * @param {number} seconds
 * @param {HTMLAnchorElement} link
 * @param {HTMLElement} line with the button that stops it
 */
function countdown(seconds, link, line) {
  const text = make('p', 'small');
  const until = performance.now() + seconds * 1000;
  let timer = 0;
  const tell = () => {
    const n = Math.max(0, Math.ceil((until - performance.now()) / 1000));
    text.replaceChildren(say('returning', { n }));
    if (n) timer = setTimeout(tell, 250);
    else if (link.isConnected) link.click();
  };
  const cancel = () => {
    clearTimeout(timer);
    text.remove();
    stay.remove();
  };
  const stay = button(say('stay'), 'plain', cancel);
  // Whoever comes back to this page wants to read it.
  addEventListener('pagehide', cancel, { once: true });
  line.append(stay);
  // Once it is on the page.
  timer = setTimeout(tell);
  return text;
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
