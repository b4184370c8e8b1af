// The runs: starting one, and what becomes of each. A run keeps its place and its nodes while it goes
// on, so that nothing moves under the pointer.
import { arrange, make, many, put } from '../shared/dom.js';
import { ask, send } from '../shared/http.js';
import { store } from '../shared/state.js';
import { STATUS_WORDS } from '../shared/statuses.js';
import { SLICE_FIELDS, setSlice } from './filters.js';
import { runOutcome } from './runs_card.js';
import { runExports } from './runs_export.js';
import { runForm } from './runs_form.js';
import { explore } from './view.js';

const SHAPES = {
  waiting: '○',
  planned: '○',
  running: '▸',
  pausing: '▸',
  cancelling: '▸',
  paused: '‖',
  cancelled: '□',
  finished: '●',
  interrupted: '!',
  broken: '!',
  imported: '↓',
};

const STORES = ['finished', 'paused', 'cancelled', 'interrupted', 'imported'];
const STORING_MS = 30000;

function button(text, press) {
  const item = make('button', 'th-button', text);
  item.type = 'button';
  item.addEventListener('click', press);
  return item;
}

/** @param {import('../shared/widget.js').Widget} widget */
export function mount({ element }) {
  const root = element.querySelector('.th-runs');
  const box = root.querySelector('.th-runs-items');
  const empty = root.querySelector('.th-runs-empty');
  const said = root.querySelector('.th-runs-status');
  const card = root.querySelector('.th-runs-new');
  const hiddenButton = root.querySelector('.th-runs-hidden');
  const NO_FILTERS = Object.fromEntries(
    SLICE_FIELDS.filter((name) => !['rule', 'runs', 'status'].includes(name)).map((name) => [
      name,
      '',
    ]),
  );
  let hurry = false;
  const shown = new Map();
  let timer = null;
  let withHidden = false;
  let request = 0;
  let unheard = 0;
  let folded = false;
  // Another view asked for the form.
  let wanted = Boolean(explore.runSet);
  const heard = new Map();

  async function act(run, label, body, line) {
    line.refuse('');
    try {
      await send('/api/runs/' + run.id + '/' + label, body || {});
    } catch (error) {
      line.refuse(error.message);
    }
    load();
  }
  function runLine(first) {
    const node = make('article', 'th-run-item');
    const head = make('header');
    const mark = make('span', 'th-run-mark');
    const title = make('b');
    const word = make('span', 'th-run-word');
    const bar = make('div', 'th-bar');
    const fill = make('i');
    const label = make('p', 'th-run-words');
    const facts = make('p', 'th-run-facts');
    const message = make('p', 'th-problem');
    const refused = make('p', 'th-problem');
    const buttons = make('div', 'th-run-buttons');
    const outcome = runOutcome((item) => {
      explore.openLarge = item.run_id + '.' + item.position;
      setSlice(
        { ...NO_FILTERS, rule: item.rule, runs: [item.run_id], status: item.picture_status },
        { open: 'wall' },
      );
    });
    const failed = make('details', 'th-run-failed');
    const summary = make('summary');
    const reasons = make('ul');
    let run = first;
    let opening = 0;
    mark.setAttribute('aria-hidden', 'true');
    refused.setAttribute('role', 'alert');
    bar.setAttribute('role', 'progressbar');
    bar.setAttribute('aria-valuemin', '0');
    bar.setAttribute('aria-valuemax', '100');
    bar.appendChild(fill);
    const again = button('Retry failed', () => act(run, 'resume', { retry: true }, line));
    failed.append(summary, reasons, again);
    const all = {
      open: button('Open results', openResults),
      resume: button('Resume', () => act(run, 'resume', {}, line)),
      pause: button('Pause', () => act(run, 'pause', {}, line)),
      cancel: button('Cancel', () => act(run, 'cancel', {}, line)),
      export: exports.menu(first, node, (text) => line.refuse(text)),
      hide: button('Hide', () => act(run, run.hidden ? 'show' : 'hide', {}, line)),
    };
    // What has just been drawn is put into storage first: its results open when they are there.
    function openResults() {
      if (run.stored >= run.done || !STORES.includes(run.status)) {
        openNow();
        return;
      }
      opening = Date.now();
      put(all.open, 'Importing…');
      all.open.setAttribute('aria-disabled', 'true');
      hurry = true;
      load();
    }
    function openNow() {
      opening = 0;
      put(all.open, 'Open results');
      all.open.setAttribute('aria-disabled', 'false');
      setSlice(
        { ...NO_FILTERS, runs: [run.id], status: run.failed < run.done ? 'fail' : 'unscored' },
        { open: 'wall' },
      );
    }
    head.append(mark, title, word);
    outcome.watch(node);
    node.append(head, bar, label, outcome.node, facts, message, failed, buttons, refused);
    const line = {
      node,
      refuse(text) {
        put(refused, text);
        refused.hidden = !text;
      },
      update(now) {
        run = now;
        const percent = run.total ? (100 * run.done) / run.total : 0;
        node.dataset.status = run.status;
        node.dataset.run = run.id;
        node.classList.toggle('th-run-was-hidden', run.hidden);
        put(mark, SHAPES[run.status]);
        put(title, run.name);
        put(
          word,
          STATUS_WORDS[run.status] +
            (run.status === 'waiting' && run.place > 1 ? ', ' + run.place + ' in line' : ''),
        );
        // A bar that is full says no more than the word.
        bar.hidden = !run.total || (run.done >= run.total && !run.moves);
        bar.setAttribute('aria-label', run.name);
        bar.setAttribute('aria-valuenow', String(Math.floor(percent)));
        fill.style.width = percent + '%';
        put(label, run.words);
        put(facts, run.facts);
        put(message, run.message);
        message.className = run.trouble ? 'th-problem' : 'th-run-facts';
        message.hidden = !run.message;
        failed.hidden = !run.failed;
        put(summary, run.failed_words);
        const texts = JSON.stringify(run.problems);
        if (reasons.dataset.texts !== texts) {
          reasons.dataset.texts = texts;
          reasons.replaceChildren(
            ...run.problems.map((problem) =>
              make(
                'li',
                '',
                problem.text +
                  (problem.count > 1
                    ? ' (' + problem.count.toLocaleString('en-US') + ' times)'
                    : ''),
              ),
            ),
          );
        }
        again.hidden = !run.may.retry;
        put(all.resume, run.status === 'planned' ? 'Start' : 'Resume');
        put(all.hide, run.hidden ? 'Show again' : 'Hide');
        outcome.update(run);
        if (opening && (run.stored >= run.done || Date.now() - opening > STORING_MS)) {
          if (run.stored) openNow();
          else {
            opening = 0;
            put(all.open, 'Open results');
            all.open.setAttribute('aria-disabled', 'false');
            line.refuse(
              'Its results are not imported yet' +
                (run.message ? ': ' + run.message : '. Try again in a moment.'),
            );
          }
        }
        if (opening) hurry = true;
        arrange(
          buttons,
          Object.keys(all)
            .filter((name) => run.may[name])
            .map((name) => all[name]),
        );
      },
    };
    line.refuse('');
    line.update(first);
    return line;
  }
  // Who listens hears of a new status once, not of every picture.
  function tell(runs) {
    const news = runs
      .filter((run) => heard.has(run.id) && heard.get(run.id) !== run.status)
      .map((run) => run.name + ': ' + STATUS_WORDS[run.status]);
    runs.forEach((run) => heard.set(run.id, run.status));
    if (news.length) store.tell('runs');
    return news.join('. ');
  }
  async function load() {
    clearTimeout(timer);
    const mine = ++request;
    let busy;
    if (root.hidden || element.offsetParent === null || document.hidden) return;
    try {
      const data = await ask('/api/runs' + (withHidden ? '?hidden=1' : ''));
      if (mine !== request) return;
      if (unheard && !form.filled()) form.refresh();
      unheard = 0;
      busy = data.runs.some((run) => run.moves);
      hurry = false;
      const news = tell(data.runs);
      put(said, news || (data.runs.length ? many(data.runs.length, 'run') : ''));
      [...shown.keys()].forEach((id) => {
        if (!data.runs.some((run) => run.id === id)) shown.delete(id);
      });
      data.runs.forEach((run) => {
        if (shown.has(run.id)) shown.get(run.id).update(run);
        else shown.set(run.id, runLine(run));
      });
      arrange(
        box,
        data.runs.map((run) => shown.get(run.id).node),
      );
      empty.hidden = data.runs.length > 0 || data.hidden > 0;
      hiddenButton.hidden = !data.hidden && !withHidden;
      put(
        hiddenButton,
        withHidden ? 'Hide hidden runs' : 'Show ' + many(data.hidden, 'hidden run'),
      );
      hiddenButton.setAttribute('aria-pressed', String(withHidden));
      // On a narrow page the list comes first, once there is one.
      if (!folded) {
        folded = true;
        card.open = wanted || !data.runs.length || window.innerWidth > 1000;
      }
    } catch {
      if (mine !== request) return;
      busy = true; // asked again: the app may be starting anew
      unheard += 1;
      if (unheard >= 2)
        put(
          said,
          'The app does not answer; finished images are saved, and runs continue. Trying again…',
        );
    }
    clearTimeout(timer);
    if (element.isConnected) timer = setTimeout(load, busy || hurry ? 700 : 5000);
  }
  hiddenButton.addEventListener('click', () => {
    withHidden = !withHidden;
    load();
  });
  const exports = runExports(element, root, (id) => {
    load().then(() => {
      const line = shown.get(id);
      if (line) line.node.scrollIntoView({ block: 'nearest' });
    });
  });
  const form = runForm(element, root, (ids) => {
    load().then(() => {
      const line = shown.get(ids[0]);
      if (line) line.node.scrollIntoView({ block: 'nearest' });
    });
  });
  let looked = 0;
  function front() {
    root.hidden = explore.view !== 'runs';
    if (root.hidden || element.offsetParent === null || Date.now() - looked < 1000) return;
    looked = Date.now();
    load();
    form.refresh();
  }
  card.open = window.innerWidth > 1000;
  store.subscribe('explore', front);
  store.subscribe('runs-set', () => {
    wanted = true;
    card.open = true;
  });
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) load();
  });
  new IntersectionObserver((seen) => {
    if (seen.some((entry) => entry.isIntersecting)) front();
  }).observe(element);
  front();
}
