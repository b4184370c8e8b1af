// The shared slice of the figures, the leaderboard and the failures.
//
// explore.slice holds it, setSlice changes it, th-slice tells of it. The status is that of the
// images on the wall: it begins as fail, and empty stands for all. Needs explore_shared.js.
import { DEFAULT_RULE } from '../shared/constants.js';
import { rule } from '../shared/rule.js';
import { store } from '../shared/state.js';
import { addressOfExplore, explore, ofLink, openView, restored } from './view.js';

export const SLICE_FIELDS = [
  'rule',
  'runs',
  'task',
  'system',
  'category',
  'object',
  'color',
  'sector',
  'chroma',
  'asked_l2',
  'found_l2',
  'modifier',
  'basic',
  'status',
  'cause',
  'against',
  'unscored',
];
explore.readSlice ||= (linked) => {
  const slice = Object.fromEntries(SLICE_FIELDS.map((name) => [name, name === 'runs' ? [] : '']));
  SLICE_FIELDS.forEach((name) => {
    if (linked.get(name) && name !== 'runs') slice[name] = linked.get(name);
  });
  slice.runs = (linked.get('runs') || '').split(',').filter(Boolean);
  slice.rule ||= linked.size ? DEFAULT_RULE : rule();
  slice.status = { '': 'fail', all: '' }[slice.status] ?? slice.status;
  explore.slice = slice;
};
if (!explore.slice)
  explore.readSlice(
    ['leaderboard', 'failures', 'runs'].map((view) => restored(view)).find((query) => query.size) ||
      new URLSearchParams(),
  );
// What else the wall's link says, such as the order; views of the wall put their own into it.
explore.wallLink ||= {};

// The query of a question about this slice, with some fields put otherwise.
export function sliceQuery(changes) {
  const values = new URLSearchParams();
  Object.entries({ ...explore.slice, ...(changes || {}) }).forEach(([name, value]) => {
    const text = Array.isArray(value) ? value.join(',') : value;
    if (text) values.set(name, text);
  });
  return values.toString();
}
// The same as a link writes it: what is usual is left out.
function sliceOfLink() {
  const { runs, status, rule, ...others } = explore.slice;
  return {
    rule: rule === DEFAULT_RULE ? '' : rule,
    runs: runs.join(','),
    ...others,
    status: { fail: '', '': 'all' }[status] ?? status,
  };
}
const linkOfFailures = () => ({ ...sliceOfLink(), ...explore.figureLink, ...explore.wallLink });
export function publishSlice() {
  ofLink('failures', linkOfFailures());
}
export function addressOfFailures() {
  explore.values.failures = linkOfFailures();
  return addressOfExplore('failures');
}
// A link may name a rule that there is not: the page goes on with the default, and says so.
export function otherRule(error) {
  // An answer that comes late may be about a rule that is asked for no more.
  const missing = `No rule is called "${explore.slice.rule}"`;
  if (explore.slice.rule === DEFAULT_RULE || !error.message.startsWith(missing)) return false;
  setSlice({ rule: DEFAULT_RULE });
  explore.ruleProblem = error.message + ' Shown by the rule ' + DEFAULT_RULE + ' instead.';
  return true;
}
// Changes some fields; open brings a view to the front, such as the wall.
export function setSlice(changes, options) {
  const before = JSON.stringify(explore.slice);
  Object.entries(changes || {}).forEach(([name, value]) => {
    if (!SLICE_FIELDS.includes(name)) throw new Error('There is no filter called ' + name + '.');
    explore.slice[name] = name === 'runs' ? [...(value || [])] : value || '';
  });
  publishSlice();
  if (explore.slice.rule !== JSON.parse(before).rule) explore.ruleProblem = '';
  const view = (options || {}).open;
  // Who follows a number wants to go through its images: the keyboard begins at the first.
  if (view === 'failures') explore.toPictures = true;
  if (JSON.stringify(explore.slice) !== before) store.tell('slice', { open: view });
  if (view && view !== explore.view) openView(view);
}
