// Shared parts of the views of Compare: the visible view, the link, links between views.
import { comeForward, explore, openView } from '../explore/view.js';
import { inFront, tabButton } from '../shared/dom.js';
import { places } from '../shared/links.js';
import { store } from '../shared/state.js';

const VIEWS = ['concept', 'tables', 'modifiers', 'guidance', 'people'];

function start() {
  const query = new URLSearchParams(location.search);
  const linked = query.get('tab') === 'compare';
  const wanted = query.get('view') || '';
  const wish = store.take('wish');
  const view = linked && VIEWS.includes(wanted) && !wish ? wanted : 'concept';
  // What each view was last told to show: plain text by name, as it stands in the link.
  /** @type {Record<string, Record<string, any>>} */
  const values = Object.fromEntries(VIEWS.map((name) => [name, {}]));
  query.forEach((value, name) => {
    if (linked && name !== 'tab' && name !== 'view' && !name.startsWith('__'))
      values[view][name] = value;
  });
  if (wish) values.concept = wish;
  return { view, values };
}

export const compare = start();

/**
 * Brings a view to the front; with values it is told to show those. Every view listens.
 * @param {string} view
 * @param {Record<string, any>} [values]
 */
export function openCompare(view, values) {
  const other = compare.view !== view;
  const held = document.activeElement;
  compare.view = view;
  if (values) {
    const provided = Object.entries(values).filter(
      ([, value]) => value !== '' && value !== null && value !== undefined,
    );
    compare.values[view] = Object.fromEntries(provided);
  }
  store.tell('compare', { told: values ? view : '' });
  publishCompare();
  if (other) comeForward('.th-compare-switch', view, held);
}

/** The address bar always opens what is on screen. */
export function publishCompare() {
  const nav = document.querySelector('.th-compare-switch');
  if (!nav || !inFront(nav)) return;
  const values = new URLSearchParams({ tab: 'compare', view: compare.view });
  Object.entries(compare.values[compare.view]).forEach(([name, value]) => {
    if (value) values.set(name, value);
  });
  places.show(
    '?' + values.toString().replace(/%2C/g, ',').replace(/%3A/g, ':').replace(/%2F/g, '/'),
  );
}

/**
 * The form that starts runs, with a concept chosen in it, or all of them.
 * @param {string} [text] the concept
 */
export function openConceptRun(text = '') {
  explore.runSet = 'concepts';
  explore.runConcepts = text;
  openView('runs');
  store.tell('runs-set');
  tabButton('Explore')?.click();
}

/**
 * What the view shows now, for the link.
 * @param {string} view
 * @param {Record<string, any>} values
 */
export function ofCompareLink(view, values) {
  compare.values[view] = values;
  if (compare.view === view) publishCompare();
}

/**
 * A view's part of the page: hidden unless it is in front.
 * @param {HTMLElement} element
 * @param {string} name
 * @param {{ shown: (told: boolean) => void }} calls `shown` is called each time that it comes to be
 *   seen; `told` says that another view asked it to show compare.values[name]
 * @returns {HTMLElement}
 */
export function compareView(element, name, { shown }) {
  const box = /** @type {HTMLElement} */ (element.querySelector('[data-compare-view]'));
  let seen = false;
  /** @param {boolean} message */
  function front(message) {
    box.hidden = compare.view !== name;
    const now = !box.hidden && inFront(box);
    if (now && (message || !seen)) shown(message);
    seen = now;
  }
  store.subscribe('compare', ({ told }) => front(told === name));
  new IntersectionObserver(() => {
    front(false);
    if (compare.view === name && inFront(box)) publishCompare();
  }).observe(box);
  front(false);
  return box;
}
