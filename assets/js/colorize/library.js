// The available sketches: loaded once, and again after one was stored.
import { ask } from '../shared/http.js';
import { store } from '../shared/state.js';

/**
 * @typedef {{ id: string, words: string, category: string, drawing: boolean,
 *   modifiers: [id: string, words: string, kind: string][] }} Base a base concept of the paper's list
 * @typedef {{ id: string, words: string, category: string, width: number, height: number,
 *   source: string, starter: boolean, warnings: string[], at: string, url: string }} Stored
 * @typedef {{ bases: Base[], stored: Stored[], colors: Record<string, [number, number]> }} Known
 */

/** @type {Promise<Known> | null} */
let known = null;

/** @returns {Promise<Known>} */
export function library() {
  known ||= ask('/api/colorize/sketches').catch((error) => {
    known = null;
    throw error;
  });
  return known;
}

/** Something was stored: who shows what there is asks again. */
export function libraryChanged() {
  known = null;
  store.tell('colorize-library');
}

/** @param {string} text */
export const plain = (text) =>
  text
    .toLocaleLowerCase('en')
    .replace(/[_\-\s]+/g, ' ')
    .trim();

/**
 * Whether every word that was typed begins a word of the text.
 * @param {string} text
 * @param {string} typed
 */
export function fits(text, typed) {
  const message = ' ' + plain(text);
  return plain(typed)
    .split(' ')
    .every((part) => message.includes(' ' + part));
}

/** @param {string} id of a thing */
export const drawingAddress = (id) => '/api/colorize/starter/' + id + '.svg';

/**
 * A time in words: how long ago, or the day.
 * @param {string | number} index
 */
export function ago(index) {
  const date = new Date(index);
  const minutes = (Date.now() - date.getTime()) / 60_000;
  if (minutes < 1) return 'just now';
  if (minutes < 60) return Math.round(minutes) + ' min ago';
  if (minutes < 24 * 60) return Math.round(minutes / 60) + ' h ago';
  return date.toLocaleDateString('en-US', { month: 'short', day: 'numeric' });
}
