// Opens images in Inspect, from there and from other rooms. What the app answers waits in the store
// under 'opened' until the form of Inspect takes it: the room may never have been in front.
import { inFront, openTab } from './dom.js';
import { send } from './http.js';
import { store } from './state.js';
import { toast } from './toast.js';

let newest = 0;

/**
 * Opens a stored image with a question; the settings of the rule in Inspect stay. False where
 * another one was opened meanwhile. Throws the app's refusal.
 * @param {object} question image, mask, object, target, relation and rule
 * @returns {Promise<boolean>}
 */
export function openImage(question) {
  const fields = Object.entries(question).filter(([, value]) => value || value === 0);
  const request = { ...store.get('settings')?.(), ...Object.fromEntries(fields) };
  return opened(send('/api/inspect/open', request));
}

/**
 * Opens what a link names.
 * @param {URLSearchParams} query
 */
export function openLink(query) {
  return opened(send('/api/inspect/link', { query: Object.fromEntries(query) }));
}

/** @param {Promise<Api.OpenedImage>} request */
async function opened(request) {
  const mine = ++newest;
  try {
    const answer = await request;
    if (mine === newest) store.set('opened', answer);
  } catch (error) {
    if (mine === newest) throw error;
  }
  return mine === newest;
}

/**
 * The function that opens images from this widget in Inspect, which then begins at its top.
 * @param {import('./widget.js').Widget} widget
 * @returns {(question: object) => Promise<void>}
 */
export function opener({ element }) {
  return async (question) => {
    try {
      if (!(await openImage(question))) return;
    } catch (error) {
      toast(/** @type {Error} */ (error).message);
      return;
    }
    openTab('Inspect');
    const left = new IntersectionObserver((entries) => {
      if (entries.some((entry) => entry.isIntersecting) || inFront(element)) return;
      left.disconnect();
      window.scrollTo(0, 0);
    });
    left.observe(element);
  };
}
