// Shared parts of the views of Explore: the visible view, the link, and the selection.
import { inFront } from '../shared/dom.js';
import { places } from '../shared/links.js';
import { store } from '../shared/state.js';

const VIEWS = ['leaderboard', 'failures', 'runs', 'rule_accuracy', 'disagreements'];
const query = new URLSearchParams(location.search);
const linked = query.get('tab') === 'explore';

/** @param {string | null} name */
const known = (name) => (name && VIEWS.includes(name) ? name : 'leaderboard');
const first = linked ? known(query.get('view')) : 'leaderboard';

/** @type {Record<string, any>} */
export const explore = {
  view: first,
  values: Object.fromEntries(VIEWS.map((name) => [name, {}])),
};

/**
 * What a link says of a view; each view reads it once.
 * @param {string} view
 */
export function restored(view) {
  return linked && first === view ? query : new URLSearchParams();
}

// Back and Forward: the views take up what the address says, and then the right one comes forward.
store.subscribe('place', ({ query: now, memo }) => {
  if (now.get('tab') !== 'explore') return;
  const before = JSON.stringify(explore.slice);
  explore.view = known(now.get('view'));
  if (explore.readSlice && ['leaderboard', 'failures'].includes(explore.view))
    explore.readSlice(now);
  store.tell('explore-back', { query: now, memo, view: explore.view });
  if (JSON.stringify(explore.slice) !== before) store.tell('slice', {});
  store.tell('explore');
});

/**
 * Brings a view to the front; every view listens to 'explore'.
 * @param {string} view
 */
export function openView(view) {
  const held = document.activeElement;
  const other = explore.view !== view;
  explore.view = view;
  store.tell('explore');
  if (other) comeForward('.th-explore-switch', view, held);
}

/**
 * Another view begins at its top, and the focus, where what had it can no longer be seen, goes to
 * the view's tab.
 * @param {string} selector of the tabs' row
 * @param {string} view
 * @param {Element | null} held what had the focus before
 */
export function comeForward(selector, view, held) {
  const nav = document.querySelector(selector);
  if (!nav || !inFront(nav)) return;
  if (nav.getBoundingClientRect().top < 0) window.scrollTo(0, 0);
  if (!held || held === document.body || inFront(held)) return;
  /** @type {HTMLElement | null} */ (nav.querySelector('[data-view="' + view + '"]'))?.focus({
    preventScroll: true,
  });
}

/**
 * The address bar always opens what is on screen.
 * @param {string} view
 */
export function addressOfExplore(view) {
  const values = new URLSearchParams({ tab: 'explore', view });
  Object.entries(explore.values[view]).forEach(([name, value]) => {
    if (value) values.set(name, value);
  });
  return '?' + values.toString().replace(/%2C/g, ',').replace(/%3A/g, ':');
}

export function publishExplore() {
  const nav = document.querySelector('.th-explore-switch');
  if (!nav || !inFront(nav)) return;
  const large = explore.view === 'failures' && explore.wallLink && explore.wallLink.large;
  places.show(addressOfExplore(explore.view), large ? explore.largeWords : '');
}

/**
 * What a view takes up when someone comes back to it.
 * @param {string} view
 * @param {(query: URLSearchParams, memo: Record<string, any>) => void} take
 */
export function onBack(view, take) {
  store.subscribe('explore-back', (back) => {
    if (back.view === view) take(back.query, back.memo);
  });
}

/**
 * What a view shows now, for the link.
 * @param {string} view
 * @param {Record<string, any>} values
 */
export function ofLink(view, values) {
  explore.values[view] = values;
  publishExplore();
}
