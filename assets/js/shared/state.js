// The page's one store: what its rooms know together, under a name, and who wants to hear of it.
//
// A name either keeps a value (`set`, then `get` at any time) or is news that passes (`tell`), such
// as 'drawn' after a new picture. Both reach those who subscribed, in the order in which they did.
// Kept: rule, chosen (the prompt chosen in the list), browse (the list's address), request (what
// will be drawn), result (the image beside the button), pair (the drawing that is compared with the
// one without CFR), film (the row of images that Inspect goes through), opened (what Inspect is to
// show), settings (a function: those of the rule in Inspect), dropped (files), wish (what another room
// asks Compare to show), work (all long work, as the app told it last),
// page (what the app said of itself last).

/** @type {Map<string, unknown>} */
const values = new Map();
/** @type {Map<string, Set<(detail: any) => void>>} */
const subscribers = new Map();

/**
 * The value under a name; undefined before the first one.
 * @param {string} name
 * @returns {any}
 */
function get(name) {
  return values.get(name);
}

/**
 * Keeps a value under a name and tells of it, also where it is the same as before.
 * @param {string} name
 * @param {unknown} value
 * @param {unknown} [news] what is told, where that is not the value
 */
function set(name, value, news = value) {
  values.set(name, value);
  tell(name, news);
}

/**
 * Takes the value away, so that it is acted on once.
 * @param {string} name
 * @returns {any}
 */
function take(name) {
  const value = values.get(name);
  values.delete(name);
  return value;
}

/**
 * Tells those who listen, and keeps nothing.
 * @param {string} name
 * @param {unknown} [detail]
 */
function tell(name, detail) {
  for (const call of [...(subscribers.get(name) || [])]) {
    // One listener's fault is not the others'.
    try {
      call(detail);
    } catch (error) {
      reportError(error);
    }
  }
}

/**
 * Calls back with each value or piece of news under a name.
 * @param {string} name
 * @param {(detail: any) => void} call
 * @returns {() => void} ends it
 */
function subscribe(name, call) {
  if (!subscribers.has(name)) subscribers.set(name, new Set());
  const all = /** @type {Set<(detail: any) => void>} */ (subscribers.get(name));
  all.add(call);
  return () => {
    all.delete(call);
  };
}

export const store = { get, set, take, tell, subscribe };
