// The state of Colorize: coloring or sketches, and the open one, as in the link.
import { comeForward } from '../explore/view.js';
import { inFront } from '../shared/dom.js';
import { places } from '../shared/links.js';
import { store } from '../shared/state.js';

const VIEWS = ['color', 'sketches'];
const FIELDS = ['drawing', 'sketch', 'kept', 'words', 'thing'];

/** @param {URLSearchParams} query */
function read(query) {
  const linked = query.get('tab') === 'colorize';
  const view = (linked && query.get('view')) || '';
  /** @type {Record<string, string>} */
  const values = Object.fromEntries(
    FIELDS.map((name) => [name, ((linked && query.get(name)) || '').slice(0, 80)]),
  );
  return { view: VIEWS.includes(view) ? view : 'color', ...values };
}

/**
 * `drawing` is the concept of a starter drawing, `sketch` a stored sketch, `kept` a kept coloring:
 * one of them is open where any is; `words` what it shows, `thing` the one in Sketches.
 * @type {Record<string, string>}
 */
export const colorize = read(new URLSearchParams(location.search));

/** The address bar always opens what is on screen. */
export function publishColorize() {
  const root = document.querySelector('.th-colorize');
  if (!root || !inFront(root)) return;
  const values = new URLSearchParams({ tab: 'colorize', view: colorize.view });
  const names = colorize.view === 'color' ? ['drawing', 'sketch', 'kept', 'words'] : ['thing'];
  names.forEach((name) => {
    if (colorize[name]) values.set(name, colorize[name]);
  });
  places.show('?' + values.toString(), colorize.view === 'color' ? colorize.words : colorize.thing);
}

/**
 * Brings a view to the front.
 * @param {string} view
 */
export function openColorize(view) {
  const held = document.activeElement;
  colorize.view = view;
  store.tell('colorize');
  publishColorize();
  comeForward('.th-colorize-switch', view, held);
}

/**
 * What is open now, for the link.
 * @param {Record<string, string>} values
 */
export function ofColorizeLink(values) {
  Object.assign(colorize, values);
  publishColorize();
}

// Back and Forward.
store.subscribe('place', ({ query }) => {
  if (query.get('tab') !== 'colorize') return;
  Object.assign(colorize, read(query));
  store.tell('colorize');
  store.tell('colorize-back');
});
