// Ring tests: sets of questions, the rates of every scorer that answered, and further answers.
import { make, options, put, table } from '../shared/dom.js';
import { figure } from '../shared/figure.js';
import { ask, send, sendFile } from '../shared/http.js';
import { beginsWork, watchWork, workLine } from '../shared/jobs.js';
import { rateCell } from './rule_accuracy_rates.js';

/**
 * The rates of every scorer, with its certificate.
 * @param {Api.RingView} data
 */
function ratesTable(data) {
  const body = make('tbody');
  data.rows.forEach((row) => {
    const line = make('tr');
    const head = make('th', 'th-row-name');
    head.scope = 'row';
    head.append(make('span', '', row.name + ' '), make('small', 'th-soft', row.version));
    const accepted = rateCell(row.false);
    accepted.title = [row.false.counts, ...row.kinds].join('\n');
    const link = make('a', '', 'Certificate');
    link.href = `/api/explore/ring/${data.set}/${encodeURIComponent(row.file)}.html`;
    link.download = '';
    link.setAttribute('aria-label', 'Certificate of ' + row.name);
    const last = make('td');
    last.append(link);
    const unscored = make('td', 'th-count', row.unscored.toLocaleString('en-US'));
    line.append(head, rateCell(row.hit), accepted, unscored, last);
    body.append(line);
  });
  const head = make('thead');
  const top = make('tr');
  ['Scorer', 'Hits, %', 'False accepts, %', 'Unscored', ''].forEach((name) =>
    top.append(make(name ? 'th' : 'td', '', name)),
  );
  head.append(top);
  const made = make('table', 'th-table');
  made.append(head, body);
  return made;
}

/** @param {Api.RingRow[]} rows */
function findings(rows) {
  return rows.map((row) => {
    const part = make('div', 'th-ring-findings');
    const list = make('ul');
    row.findings.forEach((text) => list.append(make('li', '', text)));
    part.append(make('h4', '', row.name));
    part.append(row.findings.length ? list : make('p', 'th-soft', 'No bias was found.'));
    return part;
  });
}

/**
 * @param {HTMLElement} element the widget
 * @param {HTMLElement} root
 */
export function ringView(element, root) {
  const find = (name) => /** @type {any} */ (root.querySelector('.th-ring-' + name));
  /** @type {Api.RingView | null} */
  let data = null;
  let request = 0;
  let opened = false;

  async function load(set = '') {
    const mine = ++request;
    try {
      const answer = await ask(`/api/explore/ring?${new URLSearchParams({ set })}`);
      if (mine !== request) return;
      data = answer;
      draw();
    } catch (error) {
      problem('The ring test cannot be shown. ' + error.message);
    }
  }
  function problem(text) {
    const box = find('problem');
    box.hidden = !text;
    put(box, text);
  }
  function draw() {
    problem('');
    const empty = !data.sets.length;
    find('sets').hidden = data.sets.length < 2;
    options(sets, data.sets, data.set);
    find('results').hidden = empty || !data.rows.length;
    find('add').hidden = empty;
    find('zip').hidden = empty;
    if (empty) return;
    find('zip').href = `/api/explore/ring/${data.set}/set.zip`;
    find('csv').href = `/api/explore/ring/${data.set}/rates.csv`;
    put(find('about'), `Set ${data.set}: ${data.about}`);
    find('all').querySelector('.th-scroll').replaceChildren(ratesTable(data));
    find('bias')
      .querySelector('div')
      .replaceChildren(...findings(data.rows));
    const tests = data.tests.map((test) => [test.names, test.on, test.result]);
    find('tests').hidden = !tests.length;
    find('tests')
      .querySelector('.th-scroll')
      .replaceChildren(table('th-table', ['Scorers', 'On', 'Result'], tests));
    redraw();
  }
  function redraw() {
    if (data && data.figure) figure(find('figure'), data.figure);
  }
  const sets = find('sets').querySelector('select');
  sets.addEventListener('change', () => load(sets.value));

  const picker = make('input');
  picker.type = 'file';
  picker.accept = '.csv,text/csv';
  picker.addEventListener('change', async () => {
    const file = picker.files[0];
    picker.value = '';
    if (!file) return;
    problem('');
    find('add').disabled = true;
    try {
      await sendFile(`/api/explore/ring/answers/${data.set}`, file);
      await load(data.set);
    } catch (error) {
      problem(error.message);
    } finally {
      find('add').disabled = false;
    }
  });
  find('add').addEventListener('click', () => picker.click());

  const start = find('start');
  const showJob = workLine(find('job'));
  beginsWork(start, find('job'), () => send('/api/explore/ring/make', {}));
  watchWork(element, 'ring', (job, ended) => {
    start.setAttribute('aria-disabled', String(Boolean(job && job.status === 'running')));
    showJob(job);
    if (ended && job.status === 'done') load(job.result.set || '');
  });

  return {
    /** Loads the newest set when the view is opened for the first time. */
    open() {
      if (!opened) load();
      opened = true;
    },
    redraw,
  };
}
