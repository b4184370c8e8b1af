// The runs: starting one, and the state of each.
import { batchCard, batchList, button, putProblems } from '../shared/batches.js';
import { make, many, put } from '../shared/dom.js';
import { ask, send } from '../shared/http.js';
import { store } from '../shared/state.js';
import { SLICE_FIELDS, setSlice } from './filters.js';
import { auditMenu } from './runs_audit.js';
import { runOutcome } from './runs_card.js';
import { runControls, runOrder } from './runs_checks.js';
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
  chosen: '◐',
  awaiting: '◐',
  cancelled: '□',
  finished: '●',
  interrupted: '!',
  broken: '!',
  imported: '↓',
};

const STORES = ['finished', 'paused', 'chosen', 'awaiting', 'cancelled', 'interrupted', 'imported'];
const STORING_MS = 30000;

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
  let unheard = 0;
  let folded = false;
  // Another view asked for the form.
  let wanted = Boolean(explore.runSet);

  function runCard(first) {
    const node = make('article', 'th-run-item');
    const head = make('header');
    const mark = make('span', 'th-run-mark');
    const facts = make('p', 'th-run-facts');
    const outcome = runOutcome((item) => {
      explore.openLarge = item.run_id + '.' + item.position;
      setSlice(
        { ...NO_FILTERS, rule: item.rule, runs: [item.run_id], status: item.picture_status },
        { open: 'failures' },
      );
    });
    const warnings = make('ul', 'th-run-warnings');
    const controls = runControls();
    const order = runOrder();
    const failed = make('details', 'th-run-failed');
    const summary = make('summary');
    const reasons = make('ul');
    const open = button('Open results', openResults);
    const parts = batchCard({
      prefix: 'th-run',
      soft: 'th-run-facts',
      actions: {
        open,
        resume: true,
        pause: true,
        cancel: true,
        export: exports.menu(first, node, (text) => parts.refuse(text)),
        audit: auditMenu(first),
        hide: true,
      },
      act,
    });
    const again = button('Retry failed', () => parts.press('retry'));
    let run = first;
    let opening = 0;
    mark.setAttribute('aria-hidden', 'true');
    failed.append(summary, reasons, again);
    // What has just been drawn is put into storage first: its results open when they are there.
    function openResults() {
      if (run.stored >= run.done || !STORES.includes(run.status)) {
        openNow();
        return;
      }
      opening = Date.now();
      put(open, 'Importing…');
      open.setAttribute('aria-disabled', 'true');
      list.load();
    }
    function stopOpening() {
      opening = 0;
      put(open, 'Open results');
      open.setAttribute('aria-disabled', 'false');
    }
    function openNow() {
      stopOpening();
      setSlice(
        { ...NO_FILTERS, runs: [run.id], status: run.failed < run.done ? 'fail' : 'unscored' },
        { open: 'failures' },
      );
    }
    function updateOpening() {
      if (run.stored < run.done && Date.now() - opening <= STORING_MS) {
        list.hurry();
      } else if (run.stored) {
        openNow();
      } else {
        stopOpening();
        parts.refuse(
          'Its results are not imported yet' +
            (run.message ? ': ' + run.message : '. Try again in a moment.'),
        );
      }
    }
    head.append(mark, parts.title, parts.status);
    outcome.watch(node);
    const { bar, progress, message, buttons, refused } = parts;
    node.append(
      head,
      bar,
      progress,
      outcome.node,
      order.node,
      facts,
      warnings,
      controls.node,
      message,
      failed,
      buttons,
      refused,
    );
    return {
      node,
      update(now) {
        run = now;
        node.dataset.run = run.id;
        parts.update(node, run);
        put(mark, SHAPES[run.status]);
        put(facts, run.facts);
        warnings.hidden = !run.warnings.length;
        putProblems(warnings, run.warnings);
        controls.update(run.controls);
        order.update(run.order);
        failed.hidden = !run.failed;
        put(summary, run.failed_words);
        putProblems(
          reasons,
          run.problems.map(
            ({ text, count }) =>
              text + (count > 1 ? ' (' + count.toLocaleString('en-US') + ' times)' : ''),
          ),
        );
        again.hidden = !run.may.retry;
        outcome.update(run);
        if (opening) updateOpening();
      },
    };
  }
  /** @param {Api.RunJson} run @param {string} action */
  async function act(run, action) {
    const retry = action === 'retry';
    try {
      await send(`/api/runs/${run.id}/${retry ? 'resume' : action}`, retry ? { retry } : {});
    } finally {
      list.load();
    }
  }
  const list = batchList({
    box,
    hiddenButton,
    noun: 'run',
    fast: 700,
    slow: 5000,
    visible: () => !root.hidden && element.offsetParent !== null,
    card: runCard,
    async read(withHidden) {
      const data = await ask(`/api/runs${withHidden ? '?hidden=1' : ''}`);
      return { rows: data.runs, hidden: data.hidden };
    },
    loaded(rows, hidden, news) {
      if (unheard && !form.filled()) form.refresh();
      unheard = 0;
      if (news) store.tell('runs');
      put(said, news || (rows.length ? many(rows.length, 'run') : ''));
      empty.hidden = rows.length > 0 || hidden > 0;
      // On a narrow page the list comes first, once there is one.
      if (!folded) {
        folded = true;
        card.open = wanted || !rows.length || window.innerWidth > 1000;
      }
    },
    failed() {
      unheard += 1;
      if (unheard >= 2)
        put(
          said,
          'The app does not answer; finished images are saved, and runs continue. Trying again…',
        );
    },
  });
  const exports = runExports(element, root, list.scrollTo);
  const form = runForm(element, root, (ids) => list.scrollTo(ids[0]));
  let looked = 0;
  function front() {
    root.hidden = explore.view !== 'runs';
    if (root.hidden || element.offsetParent === null || Date.now() - looked < 1000) return;
    looked = Date.now();
    list.load();
    form.refresh();
  }
  card.open = window.innerWidth > 1000;
  store.subscribe('explore', front);
  store.subscribe('runs-set', () => {
    wanted = true;
    card.open = true;
  });
  new IntersectionObserver((seen) => {
    if (seen.some((entry) => entry.isIntersecting)) front();
  }).observe(element);
  front();
}
