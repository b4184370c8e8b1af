// Backups of the data folder, for admins: the button in the header, its menu, and the file.
import { make, put } from '../shared/dom.js';
import { ask, send } from '../shared/http.js';
import { beginsWork, workLine } from '../shared/jobs.js';
import { store } from '../shared/state.js';

/**
 * @param {HTMLElement} element the header
 * @returns {(on: boolean) => void} shows the button to those who may make backups
 */
export function mountBackup(element) {
  const button = element.querySelector('.th-backup-button');
  const panel = element.querySelector('.th-backup-panel');
  const begin = panel.querySelector('.th-backup-make');
  const list = panel.querySelector('.th-backup-list');
  const showLine = workLine(panel.querySelector('.th-backup-line'));
  const refused = make('p', 'th-problem');
  /** @type {Set<string>} */
  const started = new Set();
  let fetched = '';
  refused.hidden = true;
  refused.setAttribute('role', 'alert');
  list.before(refused);

  /** @param {Api.BackupJson} backup */
  function row(backup) {
    const item = make('li');
    const link = make('a', '', backup.name);
    link.href = backup.url;
    link.download = backup.name;
    const made = new Date(backup.made_at).toLocaleString('en-US', {
      dateStyle: 'medium',
      timeStyle: 'short',
    });
    item.append(link, make('small', 'th-soft', backup.size + ' · ' + made));
    return item;
  }
  async function showList(fetch = false) {
    try {
      const answer = await ask('/api/backups');
      list.replaceChildren(...answer.backups.map(row));
      if (fetch) list.querySelector('a')?.click();
      refused.hidden = true;
    } catch (error) {
      put(refused, error.message);
      refused.hidden = false;
    }
  }
  function open(on) {
    panel.hidden = !on;
    button.setAttribute('aria-expanded', String(on));
    if (on) showList();
  }
  function look() {
    const jobs = store.get('work') || [];
    const job = jobs.find((item) => item.kind === 'backup') || null;
    const own = job && started.has(job.id);
    // One that ended before this page was opened is in the list.
    showLine(job && (job.active || own) ? job : null);
    begin.setAttribute('aria-disabled', String(Boolean(job && job.active)));
    if (!own || job.active || fetched === job.id) return;
    fetched = job.id;
    if (job.status === 'done') showList(true);
  }

  beginsWork(begin, begin.parentElement, async () => {
    started.add((await send('/api/backups', {})).job);
  });
  button.addEventListener('click', () => open(panel.hidden));
  element.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || panel.hidden) return;
    open(false);
    button.focus();
  });
  document.addEventListener('click', (event) => {
    const target = /** @type {Node} */ (event.target);
    if (!panel.hidden && !panel.contains(target) && !button.contains(target)) open(false);
  });
  store.subscribe('work', look);
  return (on) => {
    button.hidden = !on;
    if (!on) open(false);
  };
}
