// The results of a study, asked for once for all views that show a part of them.
import { ask, send } from '../shared/http.js';
import { onTheme } from '../shared/figure.js';
import { isSeen, publishStudies, studyView } from './view.js';

const AGAIN_MS = 1000;
const FRESH_MS = 20000;
const VIEWS = ['results', 'metrics', 'people'];

/**
 * @typedef {object} Results
 * @property {Api.ComputedResults | null} data what was computed last, or null
 * @property {string} words what goes on, or what went wrong
 * @property {boolean} failed
 * @property {string} group the answer about themselves that *Results* is narrowed to, or empty
 * @property {Api.ComputedResults | null} narrowed to that group
 * @property {(group: string) => void} narrow
 * @property {() => void} look asks again where that is due
 * @property {(show: () => void) => void} watch
 * @property {<Action extends string>(
 *   action: Action,
 *   body: Sent<`/api/studies/${string}${Action}`>[0],
 * ) => Promise<Sent<`/api/studies/${string}${Action}`>[1]>} act posts, and then asks again
 */

/** @type {WeakMap<object, Results>} */
const known = new WeakMap();

/**
 * @param {import('./study.js').Current} current
 * @returns {Results}
 */
export function resultsOf(current) {
  const before = known.get(current);
  if (before) return before;
  /** @type {Set<() => void>} */
  const watchers = new Set();
  let request = 0;
  let index = 0;
  let timer;
  /** @type {Results} */
  const made = {
    data: null,
    words: 'Computing results…',
    failed: false,
    group: studyView.group || '',
    narrowed: null,
    narrow(group) {
      studyView.group = made.group = group;
      publishStudies();
      made.narrowed = null;
      made.failed = false;
      if (group) made.words = 'Computing results…';
      tell();
      load();
    },
    look() {
      if (Date.now() - index > FRESH_MS || made.failed) load();
    },
    watch(show) {
      watchers.add(show);
    },
    async act(action, body) {
      /** @type {any} */
      const answer = await send(`${current.address}${action}`, body);
      if (answer.results && !made.group) take(answer.results);
      else load();
      return answer;
    },
  };
  const tell = () => watchers.forEach((show) => show());
  const shown = () =>
    isSeen() &&
    studyView.screen === 'study' &&
    studyView.study === current.study.id &&
    VIEWS.includes(studyView.view);

  function take(answer, part = null) {
    const { status, progress } = [answer, part].find((of) => of?.status === 'computing') || answer;
    const computing = status === 'computing';
    if (answer.results) made.data = answer.results;
    if (part?.results) made.narrowed = part.results;
    made.failed = false;
    made.words = computing ? (progress && progress.words) || 'Computing results…' : '';
    index = computing ? 0 : Date.now();
    tell();
    clearTimeout(timer);
    if (computing && shown()) timer = setTimeout(load, AGAIN_MS);
    else if (shown() && current.study.state === 'open') timer = setTimeout(load, FRESH_MS);
  }
  async function load() {
    clearTimeout(timer);
    const mine = ++request;
    index = Date.now();
    try {
      const answer = await ask(`${current.address}/results`);
      const query = new URLSearchParams({ group: made.group });
      const part = made.group ? await ask(`${current.address}/results?${query}`) : null;
      if (mine === request) take(answer, part);
    } catch (error) {
      if (mine !== request) return;
      made.failed = true;
      made.words = 'The results cannot be shown. ' + error.message;
      tell();
    }
  }
  onTheme(() => {
    if (shown()) tell();
  });
  known.set(current, made);
  return made;
}

/**
 * Who is left out, in one sentence.
 * @param {Api.ComputedResults} data
 */
export function exclusionWords(data) {
  const { excluded, everybody, included, same } = data;
  if (same)
    return everybody.participants === 1
      ? 'The only participant is included.'
      : 'Nobody is excluded: before and after exclusion are the same.';
  const parts = [];
  if (excluded.by_rule) parts.push(excluded.by_rule + ' by the rule');
  if (excluded.by_decision) parts.push(excluded.by_decision + ' by a decision');
  return (
    included.participants +
    ' of ' +
    everybody.participants +
    ' people are included. Excluded: ' +
    (parts.join(', ') || excluded.participants) +
    '.'
  );
}
