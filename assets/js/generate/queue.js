// The queue of the device: the current request, its user, its progress, and the waiting ones.
// Each job keeps its node: a press that takes longer than the next answer still counts.
import { arrange, make, many, put } from '../shared/dom.js';
import { ask } from '../shared/http.js';
import { cancelJob } from '../shared/jobs.js';
import { store } from '../shared/state.js';

const ACTIVE = ['waiting', 'loading', 'drawing'];
/** Statuses that have another name for people. */
const SPOKEN = { drawing: 'generating' };

/** @param {Api.JobJson} job */
function active(job) {
  return ACTIVE.includes(job.status);
}

function seconds(value) {
  if (value === null || value === undefined) return '';
  if (value < 60) return Math.max(1, Math.round(value)) + ' s';
  if (value < 3600) return Math.round(value / 60) + ' min';
  return (value / 3600).toFixed(1) + ' h';
}

/** @param {Api.JobJson} job */
function describe(job) {
  // The steps of a first image are no measure of the others.
  const known =
    job.eta_s !== null &&
    (job.status === 'waiting' || job.total === 1 || job.done + job.failed > 0);
  const left = known && active(job) ? ' · about ' + seconds(job.eta_s) + ' left' : '';
  if (job.status === 'waiting')
    return (
      (job.place === 1 ? 'Next in the queue' : 'Position ' + job.place + ' in the queue') + left
    );
  if (job.status === 'loading') return 'Loading ' + job.model_name + '…';
  if (job.status === 'drawing')
    return (
      job.done +
      job.failed +
      ' of ' +
      many(job.total, 'image') +
      (job.steps > 1 ? ' · step ' + job.step + ' of ' + job.steps : '') +
      left
    );
  const failed = job.failed ? ', ' + job.failed + ' failed' : '';
  if (job.status === 'cancelled')
    return 'Cancelled: ' + many(job.done, 'image') + ' of ' + job.total + ' saved' + failed;
  if (job.status === 'failed')
    return 'Failed' + (job.done ? ' after ' + many(job.done, 'image') : '');
  return many(job.done, 'image') + ' in ' + seconds(job.elapsed_s) + failed;
}

/** @param {Api.JobJson} job */
function bar(job) {
  const node = make('div', 'th-bar');
  const fill = make('i');
  node.setAttribute('role', 'progressbar');
  node.setAttribute('aria-valuemin', '0');
  node.setAttribute('aria-valuemax', '100');
  node.setAttribute('aria-label', job.title);
  node.appendChild(fill);
  return {
    node,
    update(now) {
      node.hidden = !active(now);
      const share = now.total
        ? (now.done + now.failed + (now.steps ? now.step / now.steps : 0)) / now.total
        : 0;
      const percent = Math.min(100, Math.round(share * 100));
      node.setAttribute('aria-valuenow', String(percent));
      fill.style.width = percent + '%';
    },
  };
}

/** @param {import('../shared/widget.js').Widget} widget */
export function mount({ element, watch }) {
  const box = element.querySelector('.th-queue');
  const list = element.querySelector('.th-queue-list');
  const said = element.querySelector('.th-queue-said');
  // Three answers that do not come are no hiccup.
  const silent = make(
    'p',
    'th-problem',
    'TrueHue does not answer. Is it still running? All images generated so far are stored.',
  );
  let unheard = 0;
  silent.hidden = true;
  box.appendChild(silent);
  let last = [];
  let version = -1;
  let timer = null;
  let request = 0;
  let answered = 0;
  const finished = new Map();
  const dismissed = new Set();
  const cancelling = new Set();
  const shown = new Map();
  const message = new Map();
  /** @param {Api.JobJson} first */
  function line(first) {
    let job = first;
    let pressed = null;
    let refused = '';
    const node = make('article');
    const head = make('header');
    const progress = bar(first);
    const row = make('div', 'th-job-row');
    const image = make('img');
    const status = make('p', 'th-job-words');
    const problems = make('div');
    node.dataset.job = first.id;
    node.dataset.mine = String(first.mine);
    image.alt = 'Preview of the image being generated';
    image.hidden = true;
    head.appendChild(make('b', '', first.mine ? first.title : 'Someone else: ' + first.title));
    row.append(image, status);
    node.append(head, progress.node, row, problems);
    const button = make('button', 'th-button');
    if (first.mine) {
      button.type = 'button';
      // A press that began on Cancel must not end on Dismiss.
      button.addEventListener('pointerdown', () => {
        pressed = active(job);
      });
      button.addEventListener('click', () => {
        const meant = pressed === null ? active(job) : pressed;
        pressed = null;
        if (meant !== active(job) || button.getAttribute('aria-disabled') === 'true') return;
        if (active(job)) cancel();
        else {
          dismissed.add(job.id);
          load();
        }
      });
      head.appendChild(button);
    }
    async function cancel() {
      cancelling.add(job.id);
      refused = '';
      update(job);
      try {
        await cancelJob(job.id);
      } catch (error) {
        cancelling.delete(job.id);
        refused = error.message;
        update(job);
      }
      load();
    }
    /** @param {Api.JobJson} now */
    function update(now) {
      job = now;
      const asks = cancelling.has(job.id);
      node.className = 'th-job th-job-' + job.status;
      put(button, active(job) ? (asks ? 'Cancelling…' : 'Cancel') : 'Dismiss');
      // Not disabled: that would take the focus away from who pressed it by key.
      button.setAttribute('aria-disabled', String(active(job) && asks));
      progress.update(job);
      image.hidden = !(active(job) && job.preview);
      if (!image.hidden && image.src !== job.preview) image.src = job.preview;
      put(status, describe(job));
      const texts = [...(refused ? [refused] : []), ...(job.problems || []).slice(0, 3)];
      const more =
        job.failed > 3
          ? 'and ' + (job.failed - 3) + ' more; the filter “Generation failed” below lists all'
          : '';
      if (problems.dataset.texts !== JSON.stringify([texts, more])) {
        problems.dataset.texts = JSON.stringify([texts, more]);
        problems.replaceChildren(
          ...texts.map((text) => make('p', 'th-problem', text)),
          ...(more ? [make('p', 'th-hint', more)] : []),
        );
      }
    }
    update(first);
    // What was heard last is no news: nothing is counted down while nobody answers.
    function lose() {
      if (active(job))
        put(status, 'Status unknown: TrueHue does not answer. This updates once it does.');
    }
    return { node, update, lose };
  }
  // Who listens hears of a new status once, not of every image and second.
  /** @param {Api.JobJson[]} jobs */
  function tell(jobs) {
    const news = [];
    jobs
      .filter((job) => job.mine)
      .forEach((job) => {
        const now = active(job) && cancelling.has(job.id) ? 'cancelling' : job.status;
        if (message.get(job.id) === now) return;
        if (message.has(job.id) || version >= 0)
          news.push(job.title + ': ' + (active(job) ? (SPOKEN[now] ?? now) : describe(job)));
        message.set(job.id, now);
      });
    if (news.length) said.textContent = news.join('. ');
  }
  async function load() {
    clearTimeout(timer);
    const mine = ++request;
    let busy;
    try {
      const data = await ask('/api/jobs?kind=drawing');
      unheard = 0;
      silent.hidden = true;
      if (mine < answered) return;
      answered = mine;
      data.jobs.filter((job) => !active(job)).forEach((job) => cancelling.delete(job.id));
      // What was done before this page was opened lies in the images below.
      if (version < 0)
        data.jobs.filter((job) => job.status === 'done').forEach((job) => dismissed.add(job.id));
      const jobs = data.jobs.filter((job) => !dismissed.has(job.id) && (job.mine || active(job)));
      busy = jobs.some(active);
      let rendered = false;
      data.jobs.forEach((job) => {
        const before = finished.get(job.id) || 0;
        if (job.done + job.failed !== before || (version >= 0 && !finished.has(job.id))) {
          finished.set(job.id, job.done + job.failed);
          rendered = true;
        }
      });
      if (rendered && version >= 0) store.tell('drawn');
      tell(data.jobs);
      version = data.version;
      const wanted = jobs.filter(active).concat(jobs.filter((job) => !active(job)).slice(0, 2));
      box.hidden = !wanted.length;
      [...shown.keys()].forEach((id) => {
        if (!wanted.some((job) => job.id === id)) shown.delete(id);
      });
      wanted.forEach((job) => {
        if (shown.has(job.id)) shown.get(job.id).update(job);
        else shown.set(job.id, line(job));
      });
      arrange(
        list,
        wanted.map((job) => shown.get(job.id).node),
      );
      last = jobs;
      store.tell('jobs', { jobs, lost: false });
    } catch {
      busy = true; // asked again: the app may be starting anew
      unheard += 1;
      if (unheard >= 3) {
        silent.hidden = false;
        box.hidden = false;
        shown.forEach((item) => item.lose());
        store.tell('jobs', { jobs: last, lost: true });
      }
    }
    clearTimeout(timer);
    if (element.isConnected) timer = setTimeout(load, busy ? 400 : 5000);
  }
  watch('job', load);
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) load();
  });
  load();
}
