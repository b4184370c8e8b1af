// The state of VLMs: the set, the visible evaluations, and the view, as in the link.
import { comeForward } from '../explore/view.js';
import { inFront } from '../shared/dom.js';
import { places } from '../shared/links.js';
import { store } from '../shared/state.js';

const VIEWS = ['results', 'models', 'questions', 'differ'];
const FIELDS = ['task', 'outcome', 'of', 'only', 'words', 'from', 'q'];
const MAX_CHARACTERS = 400;

/** @param {URLSearchParams} query */
function read(query) {
  const linked = query.get('tab') === 'vlm';
  const value = (name) => ((linked && query.get(name)) || '').slice(0, MAX_CHARACTERS);
  const view = value('view');
  /** @type {Record<string, string>} */
  const fields = Object.fromEntries(FIELDS.map((name) => [name, value(name)]));
  return {
    set: value('set'),
    evaluations: [...new Set(value('askings').split(',').filter(Boolean))],
    view: VIEWS.includes(view) ? view : 'results',
    parser: value('parser'),
    ...fields,
  };
}

/**
 * `set` is the set that is open, `evaluations` the ids whose answers are shown, in their order; `of` is
 * the one whose outcomes are counted, `q` the question that is open. `parser` is the one that reads
 * all answers, on demand; without it each asking is read by the parser that it began with.
 * @type {any}
 */
export const qa = read(new URLSearchParams(location.search));

/** The address bar always opens what is on screen. */
export function publishView() {
  const root = document.querySelector('.th-vlm');
  if (!root || !inFront(root)) return;
  const values = new URLSearchParams({ tab: 'vlm', view: qa.view });
  if (qa.set) values.set('set', qa.set);
  if (qa.evaluations.length) values.set('askings', qa.evaluations.join(','));
  if (qa.parser) values.set('parser', qa.parser);
  if (qa.view !== 'results')
    FIELDS.forEach((name) => {
      if (qa[name]) values.set(name, qa[name]);
    });
  places.show('?' + values.toString().replace(/%2C/g, ','), '');
}

/**
 * Changes what is shown, and says so to all parts of the room.
 * @param {Record<string, any>} values
 */
export function changeView(values) {
  Object.assign(qa, values);
  store.tell('vlm');
  publishView();
}

/**
 * Brings a view to the front.
 * @param {string} view
 * @param {Record<string, any>} [values]
 */
export function openView(view, values = {}) {
  const held = document.activeElement;
  changeView({ view, from: '', q: '', ...values });
  comeForward('.th-vlm-switch', view, held);
}

// Back and Forward.
store.subscribe('place', ({ query }) => {
  if (query.get('tab') !== 'vlm') return;
  Object.assign(qa, read(query));
  store.tell('vlm');
});

/**
 * The number by which an asking that is shown is called in figures and beside answers, whose choices
 * have letters; empty for one that is not shown.
 * @param {string} evaluation
 */
export function numberOf(evaluation) {
  return String(qa.evaluations.indexOf(evaluation) + 1 || '');
}

/**
 * The address of a route of VLMs.
 * @template {string} Path
 * @param {Path} path
 * @param {Record<string, string | number | boolean>} [values] empty ones are left out
 * @returns {`/api/vlm${Path}`}
 */
export function askUrl(path, values = {}) {
  const query = new URLSearchParams();
  Object.entries(values).forEach(([name, value]) => {
    if (value !== '' && value !== false) query.set(name, String(value));
  });
  const text = query.toString().replace(/%2C/g, ',');
  return /** @type {any} */ ('/api/vlm' + path + (text ? '?' + text : ''));
}
