// The leaderboard: accuracy of every run by task, and the paper's Table 4 below it, apart.
import { DEFAULT_RULE } from '../shared/constants.js';
import { make, put, strip } from '../shared/dom.js';
import { ask } from '../shared/http.js';
import { store } from '../shared/state.js';
import { correctionText } from './leaderboard_corrected.js';
import { measuresTable } from './leaderboard_measures.js';
import { publishedTable } from './leaderboard_published.js';
import { boardTable } from './leaderboard_table.js';
import { otherRule, setSlice } from './filters.js';
import { liveLimits } from './limits.js';
import { explore, ofLink, onBack, openView, restored } from './view.js';

const BUSY_MS = 3000;
const CALM_MS = 10000;

/** @param {import('../shared/widget.js').Widget} widget */
export function mount({ element }) {
  const root = element.querySelector('.th-leaderboard');
  const find = (name) => root.querySelector(name);
  const linked = restored('leaderboard');
  const state = {
    systems: linked.get('systems') || 'averaged',
    // Empty for the rule's default.
    unscored: linked.get('unscored') || '',
    corrected: linked.get('corrected') || 'off',
    sort: linked.get('sort') || '-average',
    limits: linked.get('limits') || '',
  };
  let data = null;
  let request = 0;
  let waiting = false;
  let timer = null;
  let shownRule = '';
  let rendered = '';

  /** @param {Api.KeyEntry[]} entries what the marks of a cell mean */
  function key(entries) {
    const node = find('.th-leaderboard-key');
    const text = entries.map(({ mark, meaning }) => mark + meaning).join('');
    if (node.textContent !== text)
      node.replaceChildren(
        ...entries.flatMap(({ mark, meaning }) => [make('dt', '', mark), make('dd', '', meaning)]),
      );
  }
  function query() {
    return new URLSearchParams({
      rule: explore.slice.rule,
      systems: state.systems,
      ...(state.unscored ? { unscored: state.unscored } : {}),
      ...(state.corrected === 'off' ? {} : { corrected: state.corrected }),
      ...(state.limits ? { limits: state.limits } : {}),
    });
  }
  function tell() {
    ofLink('leaderboard', {
      rule: explore.slice.rule === DEFAULT_RULE ? '' : explore.slice.rule,
      systems: state.systems === 'averaged' ? '' : state.systems,
      unscored: state.unscored,
      corrected: state.corrected === 'off' ? '' : state.corrected,
      sort: state.sort === '-average' ? '' : state.sort,
      limits: state.limits,
    });
  }
  async function load() {
    const mine = ++request;
    clearTimeout(timer);
    waiting = true;
    try {
      const answer = await ask(`/api/explore/leaderboard?${query()}`);
      if (mine !== request) return;
      data = answer;
      problem(explore.ruleProblem || '');
      draw();
      measures();
    } catch (error) {
      if (mine === request && !otherRule(error))
        problem('The leaderboard cannot be shown. ' + error.message);
    }
    if (mine !== request) return;
    waiting = false;
    if (seen() && element.isConnected)
      timer = setTimeout(load, data && data.busy ? BUSY_MS : CALM_MS);
  }
  const seen = () => !root.hidden && !document.hidden && element.offsetParent !== null;
  // Where nothing has changed but what is in front: no second question while one is on its way.
  function look() {
    if (seen() && !waiting) load();
  }
  function problem(text) {
    put(find('.th-leaderboard-problem'), text);
    find('.th-leaderboard-waiting').hidden = Boolean(data || text);
    find('.th-leaderboard-problem').hidden = !text;
  }
  /**
   * A strip of choices, and below it the first sentence of what the chosen one means. Gives back
   * the name of that one.
   * @param {string} name of the strip
   * @param {Api.TitledChoice[]} choices
   * @param {string} chosen
   * @param {(id: string) => void} choose
   */
  function setting(name, choices, chosen, choose) {
    const box = find('.th-leaderboard-' + name);
    strip(box, choices, chosen, choose);
    const choice = choices.find(({ id }) => id === chosen);
    put(box.nextElementSibling, (choice?.title || '').split('. ')[0]);
    return choice?.name || chosen;
  }
  function draw() {
    shownRule = data.rule.id;
    const byRule = setting('rules', data.choices.rules, data.rule.id, (id) => {
      state.limits = '';
      setSlice({ rule: id });
    });
    limits.draw(data.limits);
    const systems = setting('systems', data.choices.systems, state.systems, (id) => {
      state.systems = id;
      load();
    });
    const usual = data.unscored_default;
    const unscored = setting('policies', data.choices.unscored, data.unscored, (id) => {
      state.unscored = id === usual ? '' : id;
      load();
    });
    const corrected = setting('corrections', data.choices.corrections, data.correction.id, (id) => {
      state.corrected = id;
      load();
    });
    // Where several groups have an order, each says its own.
    const result = find('.th-leaderboard-result');
    const orders = data.groups.map(({ order }) => order).filter(Boolean);
    put(result, orders.length === 1 && !data.strict ? orders[0] : '');
    result.hidden = !result.textContent;
    const judge = find('.th-leaderboard-judge');
    put(judge, data.judge_note);
    // Where a number is corrected, the text of that says it.
    judge.hidden = !data.judge_note || (data.correction.errors.length > 0 && !data.strict);
    judge.classList.toggle('th-strict', data.strict);
    put(
      find('.th-leaderboard-settings > summary'),
      `Settings: rule ${byRule} · color systems: ${systems} · unscored images: ${unscored} · corrected for ` +
        `the rule’s errors: ${corrected}`,
    );
    correctionText(find('.th-leaderboard-correction'), data.correction);
    const some = data.groups.length > 0;
    root.classList.toggle('th-no-run', !some);
    const empty = find('.th-leaderboard-empty');
    empty.hidden = some;
    put(empty.querySelector('h3'), data.without ? 'No image yet' : 'No run yet');
    put(
      empty.querySelector('p'),
      'A run generates or imports the images of many prompts and scores each image. Its row appears with its first images and updates while it runs.' +
        (data.without ? ' ' + data.without : ''),
    );
    // Another rule or choice is another table; only what comes by itself waits for the pointer.
    const made = query().toString();
    table.draw(data, made === rendered ? undefined : false);
    rendered = made;
    put(find('.th-leaderboard-counted'), data.unscored_note);
    find('.th-leaderboard-counted').hidden = !data.unscored_note;
    key(data.key);
    put(find('.th-leaderboard-about'), data.about + (data.without ? ' ' + data.without : ''));
    find('.th-leaderboard-csv').href = '/api/explore/leaderboard.csv?' + query();
    find('.th-leaderboard-published').hidden = false;
    publishedTable(find('.th-leaderboard-published'), data.published, data.columns, query);
    tell();
  }
  // Below the table of a laptop the marks are read at once; a phone is long without them.
  find('.th-leaderboard-marks').open = window.innerWidth > 620;
  find('.th-leaderboard-all').addEventListener('click', ({ currentTarget: button }) => {
    const all = root.classList.toggle('th-all-tasks');
    button.setAttribute('aria-expanded', String(all));
    put(button, all ? 'Show one column' : 'Show all tasks');
  });
  find('.th-leaderboard-empty .th-button').addEventListener('click', () => openView('runs'));

  const fresh = find('.th-leaderboard-fresh');
  const table = boardTable(find('.th-leaderboard-top .th-leaderboard-table'), {
    sort: () => state.sort,
    sortBy(order) {
      state.sort = order;
      tell();
    },
    openPictures,
    waiting(text) {
      put(fresh, text);
      fresh.hidden = !text;
    },
  });
  fresh.addEventListener('click', () => table.show());
  const measures = measuresTable(element, find('.th-leaderboard-measures'), (run, sort) => {
    explore.wallSort = sort;
    openPictures({ runs: [run], status: '' });
  });
  // ── live limits: counted again for who moves them, in the link, and never stored ─────────────
  const limits = liveLimits(
    find('.th-leaderboard-limits'),
    find('.th-leaderboard-moved'),
    (text) => {
      state.limits = text;
      load();
    },
  );
  // Opens the wall with exactly what a number was made from, without other filters.
  function openPictures(changes) {
    if (!data) return; // what stands here is of before the step back that was just taken
    const others = Object.keys(explore.slice).filter((name) => name !== 'rule' && name !== 'runs');
    const none = Object.fromEntries(others.map((name) => [name, '']));
    const unscored = data.unscored_filter;
    setSlice({ ...none, rule: data.rule.id, unscored, ...changes }, { open: 'failures' });
  }
  function front() {
    root.hidden = explore.view !== 'leaderboard';
    look();
  }
  onBack('leaderboard', (query) => {
    const now = () => JSON.stringify([shownRule, state]);
    const before = now();
    shownRule = explore.slice.rule;
    Object.assign(state, {
      limits: query.get('limits') || '',
      systems: query.get('systems') || 'averaged',
      unscored: query.get('unscored') || '',
      corrected: query.get('corrected') || 'off',
      sort: query.get('sort') || '-average',
    });
    if (now() !== before) {
      // What is on its way is of before, and answers no more.
      request++;
      data = null;
      waiting = false;
    }
    tell();
  });
  store.subscribe('explore', front);
  store.subscribe('slice', () => {
    if (explore.slice.rule === shownRule) return;
    state.limits = '';
    if (seen()) load();
  });
  document.addEventListener('visibilitychange', look);
  new IntersectionObserver(look).observe(element);
  front();
}
