// The words of the page in the study's language, with those that the study replaces.

import { words as english } from './words_en.js';

/** @type {Record<string, string>} */
let table = english;

/**
 * Turns the page to a language that is there, else to English, and fills in the study's own words.
 * @param {string} language a tag such as "de" or "de-AT"
 * @param {Record<string, string>} wording
 */
export async function speak(language, wording) {
  document.documentElement.lang = language || 'en';
  let chosen = english;
  if (/^de\b/i.test(language)) {
    // Without German the page is still usable, and the study's texts are in its language.
    chosen = await import('./words_de.js').then(
      (module) => module.words,
      () => english,
    );
  }
  table = { ...english, ...chosen, ...wording };
}

/**
 * The words of this name, with what stands in braces filled in.
 * @param {string} name
 * @param {Record<string, string | number>} [values]
 */
export function say(name, values) {
  const text = table[name] ?? name;
  return text.replace(/\{(\w+)\}/g, (whole, key) => String(values?.[key] ?? whole));
}
