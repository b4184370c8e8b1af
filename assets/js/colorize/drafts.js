// Colorings as they are, kept in this browser after every action: a reload loses nothing.

/**
 * @typedef {{ key: string, kept: string, drawing: string, sketch: string, words: string,
 *   at: number, count: number, done?: boolean, thumb?: string }} Draft what is known of one without
 *   its log; `kept` is the kept coloring that it began as; `done`: whether it was saved as it is;
 *   `thumb` is a small image of it
 */

const LISTED = 'th-colorize';
const ONE = 'th-colorize ';
const MAX_DRAFTS = 12;

/** @returns {Draft[]} the newest first */
export function drafts() {
  try {
    const listed = JSON.parse(localStorage.getItem(LISTED) || '[]');
    return Array.isArray(listed)
      ? listed.filter((item) => item && typeof item.key === 'string')
      : [];
  } catch {
    return [];
  }
}

/** @param {Draft[]} list */
function write(list) {
  list.slice(MAX_DRAFTS).forEach((item) => localStorage.removeItem(ONE + item.key));
  localStorage.setItem(LISTED, JSON.stringify(list.slice(0, MAX_DRAFTS)));
}

/**
 * The log of a draft, null where there is none.
 * @param {string} key
 * @returns {any[] | null}
 */
export function draftOf(key) {
  try {
    const log = JSON.parse(localStorage.getItem(ONE + key) || 'null');
    return Array.isArray(log) ? log : null;
  } catch {
    return null;
  }
}

/**
 * Keeps a draft. Older ones make room; false where even that is not enough.
 * @param {Draft} draft
 * @param {any[]} actions
 */
export function keepDraft(draft, actions) {
  const text = JSON.stringify(actions);
  const others = drafts().filter((item) => item.key !== draft.key);
  for (;;) {
    try {
      localStorage.setItem(ONE + draft.key, text);
      write([draft, ...others]);
      return true;
    } catch {
      const oldest = others.pop();
      if (!oldest) return false;
      try {
        localStorage.removeItem(ONE + oldest.key);
      } catch {
        return false; // this browser keeps nothing at all
      }
    }
  }
}

/** @param {string} key */
export function dropDraft(key) {
  try {
    localStorage.removeItem(ONE + key);
    write(drafts().filter((draft) => draft.key !== key));
  } catch {
    // it goes when the browser forgets
  }
}
