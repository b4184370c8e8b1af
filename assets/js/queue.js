// The queue of the device: what is being drawn, for whom, how far it is, and what waits.
const box = element.querySelector('.th-queue'), list = element.querySelector('.th-queue-list');
let version = -1, timer = null, finished = new Map(), dismissed = new Set();

function seconds(value) {
  if (value === null || value === undefined) return '';
  if (value < 60) return Math.max(1, Math.round(value)) + ' s';
  if (value < 3600) return Math.round(value / 60) + ' min';
  return (value / 3600).toFixed(1) + ' h';
}
function words(job) {
  const left = job.eta_s !== null && job.status !== 'done' ? ' · about ' + seconds(job.eta_s) + ' left' : '';
  if (job.status === 'waiting') return (job.place === 1 ? 'Next in the queue' : 'Place ' + job.place + ' in the queue') + left;
  if (job.status === 'loading') return 'Loading ' + job.model_name + '…';
  if (job.status === 'drawing') return job.done + job.failed + ' of ' + many(job.total, 'image') + (job.steps > 1 ? ' · step ' + job.step + ' of ' + job.steps : '') + left;
  const failed = job.failed ? ', ' + job.failed + ' failed' : '';
  if (job.status === 'cancelled') return 'Cancelled: ' + many(job.done, 'image') + ' of ' + job.total + ' kept' + failed;
  if (job.status === 'failed') return 'Failed' + (job.done ? ' after ' + many(job.done, 'image') : '');
  return many(job.done, 'image') + ' in ' + seconds(job.elapsed_s) + failed;
}
function node(job) {
  const line = make('article', 'th-job th-job-' + job.status);
  line.dataset.job = job.id;
  line.dataset.mine = String(job.mine);
  const head = make('header');
  head.append(make('b', '', job.mine ? job.title : 'Someone else: ' + job.title));
  const active = ['waiting', 'loading', 'drawing'].includes(job.status);
  if (job.mine) {
    const button = make('button', 'th-button', active ? (job.cancelling ? 'Cancelling…' : 'Cancel') : 'Dismiss');
    button.type = 'button';
    button.disabled = active && job.cancelling;
    button.addEventListener('click', async () => {
      if (!active) { dismissed.add(job.id); load(); return; }
      button.disabled = true;
      button.textContent = 'Cancelling…';
      try { await send('/api/jobs/' + job.id + '/cancel', { owner: window.thOwner }); } catch (error) { line.appendChild(make('p', 'th-problem', error.message)); }
      load();
    });
    head.appendChild(button);
  }
  line.appendChild(head);
  if (active) {
    const bar = make('div', 'th-bar');
    bar.setAttribute('role', 'progressbar');
    bar.setAttribute('aria-valuemin', '0');
    bar.setAttribute('aria-valuemax', '100');
    const share = job.total ? (job.done + job.failed + (job.steps ? job.step / job.steps * (job.batch || 1) : 0)) / job.total : 0;
    const percent = Math.min(100, Math.round(share * 100));
    bar.setAttribute('aria-valuenow', String(percent));
    bar.setAttribute('aria-label', job.title);
    const fill = make('i');
    fill.style.width = percent + '%';
    bar.appendChild(fill);
    line.appendChild(bar);
  }
  const status = make('p', 'th-job-words', words(job));
  if (active && job.preview) {
    const row = make('div', 'th-job-row');
    const picture = make('img');
    picture.src = job.preview;
    picture.alt = 'Preview of the image being drawn';
    row.append(picture, status);
    line.appendChild(row);
  } else line.appendChild(status);
  (job.problems || []).slice(0, 3).forEach((text) => line.appendChild(make('p', 'th-problem', text)));
  if (job.failed > 3) line.appendChild(make('p', 'th-hint', 'and ' + (job.failed - 3) + ' more; Failed in the pictures below lists all'));
  return line;
}
async function load() {
  clearTimeout(timer);
  let active = false;
  try {
    const data = await ask('/api/jobs?owner=' + (window.thOwner || ''));
    const jobs = data.jobs.filter((job) => !dismissed.has(job.id) && (job.mine || ['waiting', 'loading', 'drawing'].includes(job.status)));
    active = jobs.some((job) => ['waiting', 'loading', 'drawing'].includes(job.status));
    let drawn = false;
    data.jobs.forEach((job) => {
      const before = finished.get(job.id) || 0;
      if (job.done + job.failed !== before || (version >= 0 && !finished.has(job.id))) { finished.set(job.id, job.done + job.failed); drawn = true; }
    });
    if (drawn && version >= 0) document.dispatchEvent(new CustomEvent('th-drawn'));
    version = data.version;
    const shown = jobs.filter((job) => ['waiting', 'loading', 'drawing'].includes(job.status)).concat(jobs.filter((job) => !['waiting', 'loading', 'drawing'].includes(job.status)).slice(0, 2));
    box.hidden = !shown.length;
    list.replaceChildren(...shown.map(node));
  } catch (error) { active = true; /* asked again; the app may be restarting */ }
  if (element.isConnected) timer = setTimeout(load, active ? 400 : 5000);
}
watch('job', load);
document.addEventListener('visibilitychange', () => { if (!document.hidden) load(); });
load();
