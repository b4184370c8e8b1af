// The texts of the page, in the study's language (assets/languages/): the app puts them into the page,
// and the study may replace each by its name. What stands in braces is filled in.

/** @type {(Record<string, string> & { canvas?: Record<string, string> }) | undefined} */
let parsed;
/** @type {Record<string, string>} */
let own = {};

const texts = () =>
  (parsed ??= JSON.parse(document.getElementById('study')?.dataset.texts || '{}'));

/** What the canvas says. */
export const canvasTexts = () => texts().canvas ?? {};

/**
 * Takes the study's own texts.
 * @param {Record<string, string>} wording
 */
export function replaceTexts(wording) {
  own = wording;
}

/**
 * The text of this name, with what stands in braces filled in.
 * @param {string} name
 * @param {Record<string, string | number>} [values]
 */
export function say(name, values) {
  const text = own[name] ?? texts()[name] ?? name;
  return text.replace(/\{(\w+)\}/g, (whole, key) => String(values?.[key] ?? whole));
}

/**
 * Why the study refused something: in the page's language where participants can meet it, else as
 * the app says it.
 * @param {{ code?: string, error?: string }} refusal
 */
export function sayRefusal({ code = '', error = '' }) {
  const name = 'refusal_' + code.replaceAll(' ', '_');
  return own[name] ?? texts()[name] ?? error;
}
