// Two dialogs: prompts from a file, and images that were drawn elsewhere. Both end with a report
// that says of every line or file what became of it.
import { make, many } from '../shared/dom.js';
import { ask, send, sendAll, sendFile } from '../shared/http.js';
import { randomId } from '../shared/ids.js';
import { cancelJob, followJob } from '../shared/jobs.js';
import { store } from '../shared/state.js';

const ENDS = { cancelled: 'Cancelled. Everything stored so far stays.', done: 'Done.' };

function listed(title, items, total) {
  const box = make('details');
  box.append(make('summary', '', title + ' (' + total.toLocaleString('en-US') + ')'));
  const list = make('ul');
  items.forEach((text) => list.appendChild(make('li', '', text)));
  if (total > items.length)
    list.appendChild(
      make('li', '', 'and ' + (total - items.length).toLocaleString('en-US') + ' more'),
    );
  box.appendChild(list);
  return box;
}

function download(href) {
  const link = make('a', 'th-button', 'Images as CSV');
  link.href = href;
  link.download = '';
  return link;
}

function show(box, report) {
  const counts = make('dl');
  report.counts.forEach(([number, text]) =>
    counts.append(make('dt', '', number.toLocaleString('en-US')), make('dd', '', text)),
  );
  box.replaceChildren(
    make('b', '', report.title),
    counts,
    ...(report.notes || []).map((text) => make('p', '', text)),
    ...(report.csv ? [download(report.csv)] : []),
    ...report.lists
      .filter((list) => list.total)
      .map((list) => listed(list.title, list.items, list.total)),
  );
  box.hidden = false;
}

function refuse(box, error) {
  box.replaceChildren(make('p', 'th-problem', error.message));
  box.hidden = false;
}

/** @param {import('../shared/widget.js').Widget} widget */
export function mount({ element }) {
  const dialogs = {
    prompts: element.querySelector('.th-import-prompt-dialog'),
    images: element.querySelector('.th-import-image-dialog'),
  };
  Object.values(dialogs).forEach((dialog) => {
    dialog.querySelector('.th-import-close').addEventListener('click', () => dialog.close());
    dialog.addEventListener('click', (event) => {
      if (event.target === dialog) dialog.close();
    });
  });

  // Prompts
  const promptFile = dialogs.prompts.querySelector('input[type="file"]');
  const promptReport = dialogs.prompts.querySelector('.th-import-report');
  promptFile.addEventListener('change', async () => {
    const reports = [];
    promptReport.hidden = false;
    promptReport.replaceChildren(make('p', '', 'Reading…'));
    let opened = '';
    for (const file of promptFile.files) {
      const box = make('div');
      try {
        const data = await sendFile('/api/prompts/sets', file);
        show(box, data.report);
        if (data.set_id) opened = data.set_id;
      } catch (error) {
        refuse(box, new Error(file.name + ': ' + error.message));
      }
      reports.push(box);
    }
    promptReport.replaceChildren(...reports);
    promptFile.value = '';
    if (opened) store.tell('sets', { open: opened });
  });

  // Images
  const form = dialogs.images.querySelector('form');
  const report = dialogs.images.querySelector('.th-import-report');
  const folder = form.querySelector('.th-import-folder');
  const path = form.querySelector('.th-import-path');
  const setBox = form.querySelector('.th-import-set');
  const systemBox = form.querySelector('.th-import-system');
  const modelBox = form.querySelector('.th-import-model');
  const check = form.querySelector('.th-import-check');
  const start = form.querySelector('.th-import-start');
  const stop = form.querySelector('.th-import-stop');
  const status = form.querySelector('.th-import-status');
  let session = '';
  let choice = 0;
  let job = '';

  function say(text, problem) {
    status.textContent = text;
    status.classList.toggle('th-problem', Boolean(problem));
  }
  // What was looked at is what is imported: any change asks to look again.
  function changed() {
    start.hidden = true;
    report.hidden = true;
    scoring.hidden = true;
    if (session && !job) forget(session);
    session = '';
    choice += 1;
  }
  function forget(sent) {
    send('/api/image-sets/forget', { session: sent }).catch(() => {
      /* it goes when the app starts again */
    });
  }
  // Its session is known once all files of the folder have arrived: no part of it is imported.
  async function upload() {
    const fresh = randomId();
    const files = [...folder.files];
    const chosen = choice;
    let sent = 0;
    try {
      await sendAll(files, async (file) => {
        if (chosen !== choice) throw new Error('You chose another folder. Check it first.');
        await sendFile(`/api/image-sets/files/${fresh}`, file, {
          'X-File-Path': encodeURIComponent(file.webkitRelativePath || file.name),
        });
        sent += 1;
        if (sent % 10 === 0 || sent === files.length)
          say(
            'Reading ' +
              sent.toLocaleString('en-US') +
              ' of ' +
              files.length.toLocaleString('en-US') +
              ' files…',
          );
      });
      if (chosen !== choice) throw new Error('You chose another folder. Check it first.');
    } catch (error) {
      forget(fresh);
      throw error;
    }
    session = fresh;
  }
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (!path.value.trim() && !folder.files.length) {
      say('Choose a folder first.', true);
      return;
    }
    check.disabled = true;
    start.hidden = true;
    report.hidden = true;
    try {
      if (folder.files.length) {
        if (!session) await upload();
      } else session = '';
      say('Comparing files and prompts…');
      const data = await send('/api/image-sets/plan', {
        session,
        path: path.value.trim(),
        set: setBox.value,
        model: modelBox.value,
        system: /** @type {any} */ (systemBox.value),
      });
      show(report, data.report);
      say('');
      start.hidden = !data.found;
      start.textContent = 'Import ' + many(data.found, 'image');
    } catch (error) {
      say(error.message, true);
    }
    check.disabled = false;
  });
  start.addEventListener('click', async () => {
    start.disabled = true;
    try {
      job = (
        await send('/api/image-sets/start', {
          session,
          path: path.value.trim(),
          set: setBox.value,
          model: modelBox.value,
          system: /** @type {any} */ (systemBox.value),
        })
      ).job;
      stop.hidden = false;
      await follow();
    } catch (error) {
      say(error.message, true);
    }
    start.disabled = false;
  });
  async function follow() {
    const ended = await followJob(job, (state) => say(state.words));
    say(ended.problem || ENDS[ended.status] || ended.words, ended.problem);
    stop.hidden = true;
    start.hidden = true;
    // What failed before it had anything to tell leaves what is shown: it can be tried again.
    if (ended.result.counts) {
      show(report, ended.result);
      const score = ended.result.score;
      if (score && score.groups) offer({ job: ended.id, ...score });
      else if (score && score.rest) offer({ ...score, job: offered.job });
      else scoring.hidden = true;
    }
    job = session = '';
    store.tell('judged');
    store.tell('drawn');
    store.tell('sets');
  }
  // What was imported is scored from here, with its own set and the masks that it brought.
  const scoring = dialogs.images.querySelector('.th-import-score');
  const maskBox = scoring.querySelector('select');
  const scoreButton = scoring.querySelector('.th-import-score-start');
  let offered = null;
  function offer(result) {
    offered = result;
    maskBox.replaceChildren(...result.maskers.map((masker) => new Option(masker.name, masker.id)));
    maskBox.value = result.masker;
    scoring.querySelector('b').textContent = result.rest
      ? `Score the ${many(result.rest, 'image')} in which nothing is selected`
      : 'Score the images';
    about();
    scoring.hidden = false;
    scoring.scrollIntoView({ block: 'nearest' });
  }
  function about() {
    scoring.querySelector('p').textContent = (
      offered.maskers.find((masker) => masker.id === maskBox.value) || { about: '' }
    ).about;
  }
  maskBox.addEventListener('change', about);
  scoreButton.addEventListener('click', async () => {
    scoreButton.disabled = true;
    try {
      job = (
        await send('/api/image-sets/score', {
          job: offered.job,
          masker: maskBox.value,
          ...(offered.rest ? { rest: true } : {}),
        })
      ).job;
      stop.hidden = false;
      await follow();
    } catch (error) {
      job = '';
      say(error.message, true);
    }
    scoreButton.disabled = false;
  });
  stop.addEventListener('click', async () => {
    stop.disabled = true;
    try {
      await cancelJob(job);
    } catch (error) {
      say(error.message, true);
    }
    stop.disabled = false;
  });
  folder.addEventListener('change', () => {
    changed();
    path.value = '';
    say(folder.files.length ? many(folder.files.length, 'file') + ' in the folder' : '');
  });
  path.addEventListener('input', () => {
    changed();
    if (path.value) folder.value = '';
  });
  // The files stay as they are; only what they are compared with is another.
  [setBox, systemBox, modelBox].forEach((control) =>
    control.addEventListener('input', () => {
      start.hidden = true;
      report.hidden = true;
    }),
  );

  store.subscribe('import', async (detail) => {
    const dialog = dialogs[detail.kind];
    dialog.showModal();
    if (detail.kind !== 'images') return;
    try {
      const data = await ask('/api/prompts/sets');
      const chosen = setBox.value;
      setBox.replaceChildren(
        new Option('No set: from a CSV in the folder, or none', ''),
        new Option('All imported sets, matched by file name', '*'),
        ...data.sets.map((item) => new Option(item.title, item.id)),
      );
      setBox.value = chosen;
      path.closest('.th-field').hidden = !data.local;
    } catch (error) {
      say(error.message, true);
    }
  });
}
