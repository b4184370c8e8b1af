// All long work of the app in one place, whoever began it: drawings, runs, imports, searches,
// exports, analyses. One question to the app waits for news, as long as the page is looked at or
// something of its own is at work; the answers are the page's 'work', which all rooms look into.
import { make, many, put } from '../shared/dom.js';
import { ask } from '../shared/http.js';
import { workLine } from '../shared/jobs.js';
import { store } from '../shared/state.js';
import { look } from './view.js';

const MAX_ENDED = 5;

/** @param {number} milliseconds */
const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

/**
 * The jobs that the list shows: what goes on, then what has ended since the page was opened. What
 * an earlier app was at when it ended is news too.
 * @param {Api.JobJson[]} jobs as the app tells them
 * @param {Set<string>} old ids of what had ended before
 */
export function shownJobs(jobs, old) {
  const active = jobs.filter((job) => job.active);
  const ended = jobs.filter((job) => !job.active && !old.has(job.id));
  return [...active, ...ended.slice(0, MAX_ENDED)];
}

/**
 * What the button says of them.
 * @param {Api.JobJson[]} jobs
 */
export function workWords(jobs) {
  const active = jobs.filter((job) => job.active).length;
  // What Find did not find is said where it was asked, and is nothing to mend.
  const wrong = jobs.filter((job) => !job.active && job.problem && job.kind !== 'search').length;
  const parts = [];
  if (active) parts.push(many(active, 'job') + ' running');
  if (wrong) parts.push(many(wrong, 'problem'));
  return parts.join(', ') || (jobs.length ? 'All jobs done' : '');
}

/** @param {HTMLElement} element the header */
export function mountWork(element) {
  const button = element.querySelector('.th-work-button');
  const panel = element.querySelector('.th-work-panel');
  const list = panel.querySelector('.th-work-list');
  const clear = panel.querySelector('.th-work-clear');
  const lines = new Map();
  /** @type {Set<string>} */
  const old = new Set();
  let messages = [];
  let version = -1;

  function open(on) {
    panel.hidden = !on;
    button.setAttribute('aria-expanded', String(on));
  }
  function show() {
    const jobs = shownJobs(messages, old);
    put(button, workWords(jobs));
    button.hidden = !jobs.length;
    if (!jobs.length) open(false);
    clear.hidden = jobs.every((job) => job.active);
    for (const [id, line] of lines) {
      if (jobs.some((job) => job.id === id)) continue;
      line.box.remove();
      lines.delete(id);
    }
    jobs.forEach((job, index) => {
      if (!lines.has(job.id)) {
        const box = make('li');
        lines.set(job.id, { box, show: workLine(box) });
      }
      const line = lines.get(job.id);
      // Moved only where it has to be: a node that is put elsewhere loses the focus.
      if (list.children[index] !== line.box)
        list.insertBefore(line.box, list.children[index] || null);
      line.show(job);
    });
  }
  async function watch() {
    while (element.isConnected) {
      // What was begun here is taken in where nobody looks, too: a file that was made is sent.
      if (document.hidden && !messages.some((job) => job.active && job.mine)) {
        await new Promise((seen) =>
          document.addEventListener('visibilitychange', seen, { once: true }),
        );
        continue;
      }
      try {
        const first = version < 0;
        const answer = first ? (await look()).jobs : await ask(`/api/jobs?seen=${version}`);
        if (first) {
          answer.jobs
            .filter((job) => !job.active && job.status !== 'interrupted')
            .forEach((job) => old.add(job.id));
        }
        messages = answer.jobs;
        version = answer.version;
        show();
        store.set('work', messages);
      } catch {
        await pause(2000); // the app may be starting anew
      }
    }
  }
  button.addEventListener('click', () => open(panel.hidden));
  clear.addEventListener('click', () => {
    messages.filter((job) => !job.active).forEach((job) => old.add(job.id));
    show();
    if (!button.hidden) button.focus();
  });
  element.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || panel.hidden) return;
    open(false);
    button.focus();
  });
  document.addEventListener('click', (event) => {
    if (!panel.hidden && !element.contains(/** @type {Node} */ (event.target))) open(false);
  });
  store.subscribe('explore-job', show);
  watch();
}
