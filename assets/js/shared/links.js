// Where a person is, as entries of the browser's history: Back and Forward go through rooms and what
// was open in them. Whoever changes what is on screen calls places.show(address) and need not know
// whether that is another place: another room, view, image or concept is, other settings are not.
import { openTab } from './dom.js';
import { store } from './state.js';

const KEPT = 'th-places';
const SETTLE_MS = 4000;
const CALM_MS = 500;
const MAX_KEPT = 200;
const TABS = {
  generate: 'Generate',
  inspect: 'Inspect',
  explore: 'Explore',
  compare: 'Compare',
  colorize: 'Colorize',
  vlm: 'VLMs',
  studies: 'Studies',
};
const EXPLORE = {
  leaderboard: 'Leaderboard',
  failures: 'Failures',
  runs: 'Runs',
  rule_accuracy: 'Rule accuracy',
  disagreements: 'Rule disagreements',
};
const COMPARE = {
  concept: 'A concept',
  tables: 'Tables',
  modifiers: 'Modifiers',
  guidance: 'Guidance and size',
  people: 'People and files',
};
const VLM = {
  results: 'VLMs',
  models: 'VLMs: models',
  questions: 'VLMs: questions',
  differ: 'VLMs: compare two',
};
const STUDIES = {
  new: 'Studies: a new study',
  live: 'Studies: Live',
  results: 'Studies: Results',
  metrics: 'Studies: Metrics',
  people: 'Studies: People',
  links: 'Studies: Links',
  plan: 'Studies: Plan',
  export: 'Studies: Export',
};
const VIEWS = {
  explore: Object.keys(EXPLORE),
  compare: Object.keys(COMPARE),
  colorize: ['color', 'sketches'],
  vlm: Object.keys(VLM),
  studies: [...Object.keys(STUDIES), 'practice', 'gallery', 'review'],
};
export const STUDY_ID = /^[0-9a-f]{32}$/;

/**
 * What a link names that there is not, in words; empty where it opens all that it names.
 * @param {URLSearchParams} query
 */
export function unknownPart(query) {
  const tab = query.get('tab') || 'inspect';
  const [view, study] = [query.get('view'), query.get('study')];
  const names = (kind, name) => `This link names no ${kind} “${name.slice(0, 40)}”.`;
  if (!Object.hasOwn(TABS, tab)) return names('tab', tab);
  if (view && VIEWS[tab] && !VIEWS[tab].includes(view)) return names('view', view);
  if (study && tab === 'studies' && !STUDY_ID.test(study)) return names('study', study);
  return '';
}

// What makes two addresses the same place, or not.
function placeOf(query) {
  const value = (name) => query.get(name) || '';
  const tab = value('tab') || 'inspect';
  const view = value('view');
  if (tab === 'inspect') return 'inspect ' + value('image').slice(0, 16);
  if (tab === 'compare')
    return ['compare', view || 'concept', value('concept') || value('words'), value('set')].join(
      ' ',
    );
  if (tab === 'colorize')
    return [
      'colorize',
      view || 'color',
      value('drawing') || value('sketch') || value('kept') || value('thing'),
    ].join(' ');
  if (tab === 'generate') return 'generate' + (value('pair') ? ' pair' : '');
  if (tab === 'vlm')
    return ['vlm', view || 'results', value('set'), value('q') ? 'large' : ''].join(' ');
  if (tab === 'studies') return ['studies', value('study'), view, value('preset')].join(' ');
  if (tab !== 'explore') return tab;
  if (view === 'failures')
    return (
      'explore failures' +
      (value('large') ? ' large' : value('mode') === 'compare' ? ' pairs ' + value('cell') : '')
    );
  return ['explore', view || 'leaderboard', view === 'disagreements' ? value('cell') : ''].join(
    ' ',
  );
}
const nameOfColor = (text) => text.replace(/^(l1|l2|l3|css):/, '');
function titleOf(query, text) {
  const value = (name) => (query.get(name) || '').slice(0, 60);
  const tab = value('tab') || 'inspect';
  const view = value('view');
  const about = (...parts) => parts.filter(Boolean).join(', ');
  let room = TABS[tab] || '';
  let open = text || '';
  if (tab === 'inspect')
    open ||= about(
      value('object'),
      (value('relation') === 'differs' ? 'not ' : '') + nameOfColor(value('target')),
    );
  if (tab === 'generate') open ||= value('q') || value('text');
  if (tab === 'compare') {
    room = 'Compare: ' + (COMPARE[view] || COMPARE.concept);
    open ||= value('words') || value('concept').replace(/^[\w-]+:/, '');
  }
  if (tab === 'colorize') {
    if (view === 'sketches') room = 'Colorize: sketches';
    open ||= value('words') || value('thing');
  }
  if (tab === 'vlm') room = VLM[view] || room;
  if (tab === 'studies') room = STUDIES[view] || room;
  if (tab === 'explore') {
    room = EXPLORE[view] || EXPLORE.leaderboard;
    if (view === 'failures') {
      if (value('mode') === 'compare') room = 'Two runs';
      const status = value('status');
      if (status === 'pass') room = 'Passes';
      else if (status && status !== 'fail') room = 'Images';
      open ||= about(
        value('object'),
        nameOfColor(value('color')),
        value('task').toUpperCase(),
        value('large') && 'one image',
      );
    }
    if (view === 'leaderboard' || !view) open ||= value('rule') && 'by ' + value('rule');
  }
  return (open ? room + ': ' + open : room) + ' – TrueHue';
}

// ── what is remembered of each entry: where the page was scrolled to, what had the focus, and
// what a room noted ────────────────────────────────────────────────────────────────────────
let records = {};
let last = 0;
try {
  ({ records, last } = JSON.parse(sessionStorage.getItem(KEPT)) || { records, last });
} catch {
  /* a fresh start */
}
const record = (n) => (records[n] ||= { scroll: 0, memo: {} });
window.addEventListener('pagehide', () => {
  const saved = Object.fromEntries(
    Object.entries(records)
      .slice(-MAX_KEPT)
      .map(([n, item]) => [n, { scroll: item.scroll, memo: item.memo }]),
  );
  try {
    sessionStorage.setItem(KEPT, JSON.stringify({ records: saved, last }));
  } catch {
    /* only a reload forgets */
  }
});

const queryNow = () => new URLSearchParams(location.search);
const ofState = (state) => (state && state.thPlace) || null;
let current = ofState(history.state) || { n: (last += 1), before: '' };
let key = placeOf(queryNow());
let acted = false;
let forced = false;
let target = null;
let settling = null;
let said = '';
if (history.scrollRestoration) history.scrollRestoration = 'manual';
function write(address, push) {
  history[push ? 'pushState' : 'replaceState']({ thPlace: current }, '', address);
  key = placeOf(queryNow());
  document.title = titleOf(queryNow(), said);
  store.tell('shown', { query: queryNow() });
}

const tabOf = (index) => TABS[index.split(' ')[0]] || '';
function currentTab() {
  const tab = document.querySelector('#th-tabs [role=tab][aria-selected=true]');
  return tab ? tab.textContent.trim() : '';
}

// A late answer to what was asked before someone went back speaks of a place that was left.
function show(address, text) {
  const query = new URLSearchParams(address);
  const next = placeOf(query);
  if (target !== null && next !== target) return;
  const went = forced || (acted && next !== key);
  forced = false;
  said = text || '';
  if (location.search === address) {
    document.title = titleOf(query, said);
    return;
  }
  if (went) {
    acted = false;
    Object.keys(records).forEach((n) => {
      if (Number(n) > current.n) delete records[n];
    });
    last = current.n + 1;
    current = { n: last, before: key };
  }
  write(address, went);
}
// What was on top of a place is closed: where the entry before is that place, it is gone back to.
function close(address) {
  const under = placeOf(new URLSearchParams(address));
  if (current.before === under && key !== under) history.back();
  else {
    acted = false;
    show(address);
  }
}

// ── Back and Forward ───────────────────────────────────────────────────────────────────────
function settle() {
  const mine = (settling = {});
  const wanted = record(current.n);
  const end = Date.now() + SETTLE_MS;
  let since = 0;
  let focused = false;
  const done = () => {
    if (settling === mine) {
      settling = null;
      store.tell('settled');
    }
  };
  (function look() {
    if (settling !== mine) return;
    const node = wanted.focus;
    if (!focused && node && node.isConnected && node.offsetParent !== null) {
      node.focus({ preventScroll: true });
      focused = true;
    }
    const reached = document.documentElement.scrollHeight - window.innerHeight >= wanted.scroll - 2;
    if (reached && Math.abs(window.scrollY - wanted.scroll) > 1) window.scrollTo(0, wanted.scroll);
    since ||= reached ? Date.now() : 0;
    if (Date.now() > end || (since && Date.now() - since > CALM_MS)) {
      done();
      return;
    }
    setTimeout(look, 50);
  })();
}
window.addEventListener('popstate', (event) => {
  const query = queryNow();
  const state = ofState(event.state);
  // A jump within the page, such as that of the skip link, is no other place.
  if (!state && location.hash) {
    current = { n: (last += 1), before: current.before };
    history.replaceState({ thPlace: current }, '');
    return;
  }
  current = state || { n: (last += 1), before: '' };
  key = target = placeOf(query);
  acted = forced = false;
  said = '';
  document.title = titleOf(query);
  openTab(TABS[query.get('tab')] || TABS.inspect);
  store.tell('place', { query, memo: record(current.n).memo });
  store.tell('shown', { query });
  settle();
});
// What a person does now is about what is on screen now.
['pointerdown', 'keydown', 'drop', 'paste'].forEach((name) =>
  window.addEventListener(
    name,
    (/** @type {any} */ event) => {
      if (
        !event.isTrusted ||
        ['Alt', 'Control', 'Meta', 'Shift'].includes(event.key) ||
        event.altKey
      )
        return;
      acted = true;
      target = settling = null;
    },
    true,
  ),
);
['wheel', 'touchmove'].forEach((name) =>
  window.addEventListener(
    name,
    () => {
      settling = null;
    },
    { capture: true, passive: true },
  ),
);
window.addEventListener(
  'scroll',
  () => {
    // Another room that comes to the front moves the page before its address is shown.
    if (!settling && currentTab() === tabOf(key)) record(current.n).scroll = window.scrollY;
  },
  { passive: true },
);
document.addEventListener('focusin', (event) => {
  if (!settling && !(/** @type {Element} */ (event.target).closest('[role=tab]')))
    record(current.n).focus = event.target;
});

history.replaceState({ thPlace: current }, '');
// After a reload the page is where it was, once what was on it is there again.
if (record(current.n).scroll) {
  target = key;
  settle();
}
export const places = {
  show,
  close,
  // The next address is another place, whatever it looks like: a number was clicked.
  went() {
    forced = true;
  },
  // The next address is the same place, whatever it looks like: the next image of a row.
  stays() {
    acted = false;
  },
  // What a room wants to know when someone comes back to this entry.
  note(values) {
    Object.assign(record(current.n).memo, values);
  },
  memo: () => record(current.n).memo,
  before: () => current.before,
  restoring: () => target !== null,
};
