// The basket of prompts: one for the whole page, kept in this browser, shared by the widgets that
// put in and take out.

/** @typedef {{ source: string, id: string, text?: string, hexes?: string[], task?: string }} Item */

const KEPT = 'th-basket';
/** Words and swatches of a huge basket would overflow what browsers keep; ids are enough then. */
const MAX_IN_FULL = 2000;

/** @type {Map<string, Item>} */
let items = new Map();
let unwritten = false;
/** @type {Set<(elsewhere: boolean) => void>} */
const watchers = new Set();

/** @param {Item} item */
const key = (item) => item.source + ' ' + item.id;

// Another tab of this browser may have written since. Its items may be ids alone; where this page
// knows the words, it keeps them.
function read() {
  if (unwritten) return;
  /** @type {Map<string, Item>} */
  const result = new Map();
  try {
    for (const item of JSON.parse(localStorage.getItem(KEPT) || '[]')) {
      if (!item || typeof item.source !== 'string' || typeof item.id !== 'string') continue;
      result.set(key(item), item.text ? item : items.get(key(item)) || item);
    }
  } catch {
    return; // unreadable: what this page holds is what is true now
  }
  items = result;
}

function changed() {
  const full = items.size <= MAX_IN_FULL;
  const saved = [...items.values()].map((item) =>
    full ? item : { source: item.source, id: item.id },
  );
  try {
    localStorage.setItem(KEPT, JSON.stringify(saved));
    unwritten = false;
  } catch {
    unwritten = true; // it still holds until the page closes
  }
  watchers.forEach((call) => call(false));
}

read();
window.addEventListener('storage', (event) => {
  if (event.key !== KEPT && event.key !== null) return;
  read();
  watchers.forEach((call) => call(true));
});

export const basket = {
  /** @param {Item} item */
  has: (item) => items.has(key(item)),
  size: () => items.size,
  items: () => [...items.values()],
  /** @returns {[string, string][]} sets and ids of its prompts */
  refs: () => [...items.values()].map((item) => [item.source, item.id]),
  /**
   * In or out by what this page showed when it was pressed.
   * @param {Item} item
   */
  toggle(item) {
    const out = items.has(key(item));
    read();
    if (out) items.delete(key(item));
    else items.set(key(item), item);
    changed();
  },
  /** @param {Item[]} more */
  add(more) {
    read();
    more.forEach((item) => {
      if (!items.has(key(item))) items.set(key(item), item);
    });
    changed();
  },
  /** @param {Item[]} all */
  replace(all) {
    items = new Map(all.map((item) => [key(item), item]));
    changed();
  },
  /** @param {Item[]} some */
  drop(some) {
    read();
    some.forEach((item) => items.delete(key(item)));
    changed();
  },
  clear() {
    items = new Map();
    changed();
  },
  /**
   * The call is told whether the change came from another tab.
   * @param {(elsewhere: boolean) => void} call
   */
  watch(call) {
    watchers.add(call);
    return () => watchers.delete(call);
  },
};
