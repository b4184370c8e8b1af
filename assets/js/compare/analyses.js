// What the views over many concepts share: their questions and link, what is missing and the work
// that fills it.
import { make, options, put, strip } from '../shared/dom.js';
import { onTheme } from '../shared/figure.js';
import { figureCard } from '../shared/figure_card.js';
import { ask, send } from '../shared/http.js';
import { beginsWork, watchWork, workLine } from '../shared/jobs.js';
import { store } from '../shared/state.js';
import { outsideRows } from './outside_rows.js';
import { compare, compareView, ofCompareLink, openCompare, openConceptRun } from './view.js';

/** A card whose parts open a concept. @param {() => string} csv the address of its numbers */
export const conceptCard = (csv) =>
  figureCard({
    csv,
    file: ({ name }) => 'truehue-' + name,
    choose: (pick, { opens }) => opens[pick] && openCompare('concept', opens[pick]),
  });

/**
 * A view over many concepts. Returns its state and what it is asked with.
 * @template {'tables' | 'modifiers' | 'guidance'} Name
 * @param {HTMLElement} element
 * @param {Name} name
 * @param {Record<string, string>} defaults its questions, with what stands for the usual answer
 * @param {(data: Api.Get[`/api/compare/analyses/${Name}`]) => void} draw shows an answer
 */
export function analysisView(element, name, defaults, draw) {
  const find = (text) => element.querySelector(text);
  const state = { ...defaults };
  const api = /** @type {const} */ ('/api/compare/analyses/');
  let data = null;
  let request = 0;
  const part = (values) =>
    Object.fromEntries(
      Object.entries(values).filter(([key, value]) => value !== '' && value !== defaults[key]),
    );
  const query = (more) => new URLSearchParams({ ...part(state), ...(more || {}) }).toString();
  function take() {
    Object.keys(defaults).forEach((key) => {
      state[key] = compare.values[name][key] ?? defaults[key];
    });
  }
  async function load() {
    const mine = ++request;
    find('.th-numbers').setAttribute('aria-busy', 'true');
    try {
      const answer = await ask(`${api}${name}?${query()}`);
      if (mine !== request) return;
      data = answer;
      problem('');
      frame();
      draw(data);
      ofCompareLink(name, part(state));
    } catch (error) {
      if (mine === request) problem('This view cannot be shown. ' + error.message);
    } finally {
      if (mine === request) find('.th-numbers').removeAttribute('aria-busy');
    }
  }
  function problem(text) {
    const node = find('.th-numbers-problem');
    const usual = Object.keys(part(state)).length > 0;
    put(node, text);
    node.hidden = !text;
    find('.th-numbers-waiting').hidden = Boolean(data || text);
    // A link to what is not here any more: the usual questions can be asked all the same.
    const back = find('.th-numbers-usual');
    back.hidden = !text || !usual;
  }
  find('.th-numbers-usual').addEventListener('click', () => {
    Object.assign(state, defaults);
    load();
  });
  function set(changes) {
    Object.assign(state, changes);
    load();
  }

  // ── the questions that every view asks ─────────────────────────────────────────────────────
  const bar = find('.th-numbers-bar');
  const rows = new Map();
  // A labelled control, made once; the view's own ones stand behind the shared ones.
  function control(key, label, make_) {
    let row = rows.get(key);
    if (!row) {
      row = make('div', 'th-numbers-control');
      const text = make('span', 'th-soft', label);
      const inner = make_();
      text.id = 'th-numbers-' + name + '-' + key;
      inner.setAttribute('aria-labelledby', text.id);
      row.append(text, inner);
      rows.set(key, row);
      bar.appendChild(row);
    }
    return row.lastChild;
  }
  /** @param {string} key @param {string} label @param {Api.NamedChoice[]} choices */
  function choose(key, label, choices) {
    const box = control(key, label, () => {
      const made = make('span', 'th-strip');
      made.setAttribute('role', 'group');
      return made;
    });
    strip(box, choices, state[key] || choices[0]?.id, (id) => set({ [key]: id }));
    box.parentNode.hidden = choices.length < 2;
    return box;
  }
  /**
   * @param {string} key
   * @param {string} label
   * @param {Api.NamedChoice[]} choices
   * @param {string} [chosen]
   */
  function pick(key, label, choices, chosen) {
    const box = control(key, label, () => {
      const made = make('select');
      made.addEventListener('change', () => set({ [key]: made.value }));
      return made;
    });
    options(box, choices, chosen === undefined ? state[key] : chosen);
    box.parentNode.hidden = !choices.length;
    return box;
  }
  // Runs go in and out one by one; none chosen stands for all.
  /** @param {Api.RunHead[]} list */
  function runs(list) {
    const box = control('runs', 'Runs', () => {
      const made = make('span', 'th-numbers-runs');
      made.setAttribute('role', 'group');
      return made;
    });
    box.parentNode.hidden = list.length < 2;
    const signature = JSON.stringify(list);
    if (box.dataset.made !== signature) {
      box.dataset.made = signature;
      box.replaceChildren(
        ...list.map((run) => {
          const button = make('button', '', run.name);
          button.type = 'button';
          button.title = run.facts;
          button.dataset.id = run.id;
          button.addEventListener('click', () => {
            const every = list.map((item) => item.id);
            const now = state.runs ? state.runs.split(',') : every;
            const next = every.filter((id) => (id === run.id) !== now.includes(id));
            set({ runs: next.length === every.length || !next.length ? '' : next.join(',') });
          });
          return button;
        }),
      );
    }
    const on = state.runs ? state.runs.split(',') : list.map((item) => item.id);
    [...box.children].forEach((button) =>
      button.setAttribute('aria-pressed', String(on.includes(button.dataset.id))),
    );
  }
  function frame() {
    /** @type {Api.FrameJson} */
    const it = data.frame;
    const empty = find('.th-numbers-empty');
    empty.hidden = !it.empty;
    bar.hidden = Boolean(it.empty && it.empty.act === 'runs');
    if (it.empty) {
      put(empty.querySelector('h3'), it.empty.title);
      put(empty.querySelector('p'), it.empty.text);
      const act = empty.querySelector('button');
      put(act, it.empty.button);
      act.hidden = !it.empty.button;
      act.dataset.act = it.empty.act;
      put(empty.querySelector('code'), it.empty.command);
      empty.querySelector('code').hidden = !it.empty.command;
    }
    outside(it.outside);
    pick('people', 'People', it.people.choices, it.people.chosen);
    put(find('.th-numbers-people'), it.people.words);
    find('.th-numbers-people').hidden = !it.people.words;
    pick('method', 'Colors of a concept', it.methods, it.method);
    if (it.guidances) pick('guidance', 'Guidance', it.guidances, it.guidance);
    runs(it.runs);
    missing(it.cells);
  }
  find('.th-numbers-empty button').addEventListener('click', (event) =>
    goTo(event.currentTarget.dataset.act),
  );
  function goTo(act) {
    if (act === 'people') {
      openCompare('people');
      return;
    }
    openConceptRun();
  }

  const outside = outsideRows(find('.th-numbers-outside'), async (run) => {
    await load();
    if (!data.frame.cells.missing) return;
    const { method } = data.frame;
    const { guidance } = data.frame.cells;
    await send(`${api}cells`, { method, guidance, runs: [run] });
  });

  // ── cells that are not there yet, and the work that makes them ─────────────────────────────
  const job = find('.th-numbers-job');
  const start = find('.th-numbers-fill');
  const showJob = workLine(job);
  let running = false;
  let seen = 0;
  /** @param {Api.CellCounts} cells */
  function missing(cells) {
    find('.th-numbers-cells').hidden = !cells.missing && !running && !cells.without;
    put(find('.th-numbers-have'), cells.words);
    put(start, cells.button);
    start.hidden = !cells.missing || running;
  }
  beginsWork(start, job, () =>
    send(`${api}cells`, {
      method: data.frame.method,
      guidance: data.frame.cells.guidance,
      runs: data.frame.cells.runs,
    }),
  );
  watchWork(element, 'cells', (now, ended) => {
    const before = running;
    running = Boolean(now && now.status === 'running');
    start.setAttribute('aria-disabled', String(running));
    showJob(now);
    if (running) find('.th-numbers-cells').hidden = false;
    // What is measured meanwhile comes into the numbers now and then.
    const often = running && Date.now() - seen > 5000;
    if (data && (ended || (before && !running) || often)) {
      seen = Date.now();
      load();
    }
  });

  store.subscribe('runs', () => {
    if (data && compare.view === name) load();
  });
  onTheme(() => {
    if (data && compare.view === name) draw(data);
  });
  compareView(element, name, {
    shown() {
      take();
      load();
    },
  });
  return { state, find, set, load, query, api, choose, pick, control, data: () => data };
}
