// Long work that is begun here and goes on elsewhere: its button, its line, and the looks at it.
import { duration, inFront, make, put } from './dom.js';
import { ask, send } from './http.js';
import { store } from './state.js';

/**
 * Asks a piece of work to stop. Who began it may, and the owner.
 * @param {string} id
 */
export function cancelJob(id) {
  return send(`/api/jobs/${id}/cancel`, {});
}

/**
 * Follows a piece of work to its end.
 * @param {string} id
 * @param {(job: Api.JobView) => void} show called with every change
 * @returns {Promise<Api.JobView>} the job as it ended
 */
export async function followJob(id, show) {
  let seen = -1;
  for (;;) {
    const job = await ask(`/api/jobs/${id}?seen=${seen}`);
    seen = job.version;
    show(job);
    if (!job.active) return job;
  }
}

/**
 * The button that begins long work. It waits from the click on: a second click is no second wish.
 * @param {HTMLElement} button
 * @param {HTMLElement} box what a refusal is said above
 * @param {() => Promise<unknown>} begin
 */
export function beginsWork(button, box, begin) {
  const refused = make('p', 'th-problem');
  refused.hidden = true;
  refused.setAttribute('role', 'alert');
  box.before(refused);
  button.addEventListener('click', async () => {
    if (button.getAttribute('aria-disabled') === 'true') return;
    button.setAttribute('aria-disabled', 'true');
    refused.hidden = true;
    try {
      await begin();
    } catch (error) {
      put(refused, error.message);
      refused.hidden = false;
      button.setAttribute('aria-disabled', 'false');
    }
    store.tell('explore-job');
  });
}

const ENDS = {
  done: 'Done in ',
  cancelled: 'Cancelled. ',
  failed: 'Failed. ',
  interrupted: 'Interrupted. ',
};

/** @param {Api.JobJson} job */
function wordsOf(job) {
  if (job.active) {
    // Runs say themselves how long they will take.
    const message = job.left_s === null || job.words.includes(' left');
    return job.words + (message ? '' : ' · about ' + duration(job.left_s) + ' left');
  }
  const end = ENDS[job.status] + (job.status === 'done' ? duration(job.elapsed_s) + '. ' : '');
  return end + (job.problem ? '' : job.words);
}

/**
 * A line of long work: title, bar, words, Cancel. It keeps its nodes.
 * @param {HTMLElement} box
 * @returns {(job: Api.JobJson | null) => void} shows a job, or nothing of null
 */
export function workLine(box) {
  const node = make('article', 'th-job');
  const head = make('header');
  const title = make('b');
  const button = make('button', 'th-button', 'Cancel');
  const bar = make('div', 'th-bar');
  const fill = make('i');
  const text = make('p', 'th-job-words');
  const problem = make('p', 'th-problem');
  let job = null;
  node.hidden = true;
  button.type = 'button';
  text.setAttribute('role', 'status');
  bar.setAttribute('role', 'progressbar');
  bar.setAttribute('aria-valuemin', '0');
  bar.setAttribute('aria-valuemax', '100');
  bar.appendChild(fill);
  head.append(title, button);
  node.append(head, bar, text, problem);
  box.appendChild(node);
  button.addEventListener('click', async () => {
    if (!job || button.getAttribute('aria-disabled') === 'true') return;
    button.setAttribute('aria-disabled', 'true');
    try {
      await cancelJob(job.id);
    } catch (error) {
      put(problem, error.message);
      problem.hidden = false;
    }
    store.tell('explore-job');
  });
  return (now) => {
    job = now;
    node.hidden = !job;
    if (!job) return;
    const running = job.active;
    const percent = job.total ? Math.round((100 * job.done) / job.total) : 0;
    put(title, (job.mine ? '' : 'Someone else: ') + job.title);
    button.hidden = !running || !job.may_cancel;
    button.setAttribute('aria-disabled', String(job.cancelling));
    put(button, job.cancelling ? 'Cancelling…' : 'Cancel');
    bar.hidden = !running;
    bar.setAttribute('aria-label', job.title);
    bar.setAttribute('aria-valuenow', String(percent));
    fill.style.width = percent + '%';
    put(text, wordsOf(job));
    put(problem, job.problem);
    problem.hidden = !job.problem;
    node.dataset.status = job.status;
  };
}

/**
 * Shows the work of one kind, as the page's list of work has it, while the element is seen: what
 * changed meanwhile is told when it comes to the front.
 * @param {HTMLElement} element
 * @param {string} kind
 * @param {(job: Api.JobJson | null, ended: boolean) => void} show
 */
export function watchWork(element, kind, show) {
  let before;
  function look() {
    const jobs = store.get('work');
    if (!jobs || !inFront(element)) return;
    const job = jobs.find((item) => item.kind === kind) || null;
    // A short one may begin and end between two lists.
    const known = before && job && before.id === job.id && !before.active;
    const fresh = before !== undefined && job && !known;
    before = job;
    show(job, Boolean(fresh && !job.active));
  }
  // What was begun here is new, also where it has ended before the first list.
  const started = store.subscribe('explore-job', () => {
    before ??= null;
  });
  const message = store.subscribe('work', () => {
    if (element.isConnected) {
      look();
      return;
    }
    started();
    message();
    front.disconnect();
  });
  const front = new IntersectionObserver((seen) => {
    if (seen.some((entry) => entry.isIntersecting)) look();
  });
  front.observe(element);
  look();
}
