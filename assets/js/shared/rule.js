// The rule that marks images and prompts everywhere in Generate; saved in this browser.
import { DEFAULT_RULE } from './constants.js';
import { store } from './state.js';

const KEPT = 'th-rule';

function savedRule() {
  try {
    return localStorage.getItem(KEPT) || DEFAULT_RULE;
  } catch {
    return DEFAULT_RULE;
  }
}

/**
 * The chosen rule's id.
 * @returns {string}
 */
export function rule() {
  return store.get('rule') || savedRule();
}

/**
 * Chooses a rule for the page, and with `keep` for later visits too.
 * @param {string} id
 * @param {boolean} [keep]
 */
export function chooseRule(id, keep = true) {
  store.set('rule', id);
  if (!keep) return;
  try {
    localStorage.setItem(KEPT, id);
  } catch {
    // it holds until the page closes
  }
}
