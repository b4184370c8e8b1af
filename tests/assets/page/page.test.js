// What surrounds the rooms: the tour, long work in the header, and the dialogs of imports.
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';

import { answer, faults, load, press, requests, settled, type, widget } from '../page.js';
import { held, until } from '../until.js';

const { store } = await load('shared/state');
const { basket } = await load('shared/basket');
const { shownJobs, workWords } = await load('page/work');
const textOf = (node) => node.textContent;

const tabs = document.createElement('div');
tabs.id = 'th-tabs';
tabs.innerHTML = ['Generate', 'Inspect', 'Explore', 'Compare']
  .map((name) => `<button role="tab" aria-selected="false">${name}</button>`)
  .join('');
document.body.append(tabs);
const front = () => tabs.querySelector('[aria-selected=true]')?.textContent;
tabs.addEventListener('click', ({ target }) => {
  for (const tab of tabs.children) tab.setAttribute('aria-selected', String(tab === target));
});

beforeEach(() => {
  requests.length = 0;
});

// ── the tour ─────────────────────────────────────────────────────────────────────────────────────

test('the tour goes on with what was done, and gives the reader’s form and focus back', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const start = document.createElement('button');
  document.body.append(start);
  history.replaceState(null, '', '/?tab=generate&mode=chosen&seed=7&text=A%20cube');
  const ask = await widget('generate/prompt_source', { props: {} });
  const { element } = await widget('page/tour');
  const find = (selector) => element.querySelector(selector);
  const title = () => find('h3').textContent;
  const card = find('.th-tour');
  const button = (name) => find('.th-tour-' + name);
  const examples = () => ask.sent.filter(([event]) => event === 'example').map(([, data]) => data);
  const mode = () => ask.element.querySelector('[aria-selected=true]').dataset.mode;
  assert.equal(card.hidden, true);
  start.focus();
  store.tell('tour');
  assert.equal(document.activeElement, card);
  assert.equal(title(), 'Render a mug of known color');
  assert.equal(textOf(find('footer span')), '1 of 7');
  assert.equal(button('back').disabled, true);
  assert.equal(front(), 'Generate');
  // It brings its own example, whatever stood in the form, and once.
  assert.equal(mode(), 'own');
  assert.deepEqual(examples(), [{}]);
  store.tell('drawn');
  assert.equal(title(), 'See the verdict');
  assert.match(textOf(find('p')), /^No image yet/);
  store.tell('drawn');
  assert.equal(title(), 'See the verdict');
  const verdict = document.createElement('div');
  verdict.id = 'verdict';
  document.body.append(verdict);
  t.mock.timers.tick(500);
  assert.equal(title(), 'Change the rule');
  assert.equal(front(), 'Inspect');
  assert.equal(store.take('example'), 'mug');
  button('next').click();
  assert.equal(title(), 'Select prompts');
  assert.equal(front(), 'Generate');
  basket.add(['1', '2', '3'].map((id) => ({ source: 's', id })));
  t.mock.timers.tick(500);
  assert.equal(title(), 'Start a run');
  // A room that was never opened draws itself first: what is in it is pressed once it is there.
  const runs = document.createElement('div');
  runs.className = 'th-explore-switch';
  runs.innerHTML = '<button data-view="runs"></button>';
  let pressed = 0;
  runs.firstChild.addEventListener('click', () => (pressed += 1));
  document.body.append(runs);
  t.mock.timers.tick(1000);
  assert.equal(pressed, 1);
  assert.ok(runs.firstChild.classList.contains('th-tour-spot'));
  // What was done before a step began does not end it: one may have come back to read.
  button('back').click();
  t.mock.timers.tick(2000);
  assert.equal(title(), 'Select prompts');
  assert.equal(runs.firstChild.classList.contains('th-tour-spot'), false);
  button('next').focus();
  press(button('next'), 'Escape');
  assert.equal(card.hidden, true);
  assert.equal(document.activeElement, start);
  assert.equal(localStorage.getItem('th-tour'), 'seen');
  assert.equal(mode(), 'chosen');
  assert.deepEqual(examples()[1], { tab: 'generate', mode: 'chosen', seed: '7', text: 'A cube' });
  t.mock.timers.tick(2000);
  assert.equal(examples().length, 2);
  assert.equal(card.hidden, true);
  for (let step = 0; step < 7; step++) {
    if (step) button('next').click();
    else store.tell('tour');
  }
  assert.equal(button('next').textContent, 'Done');
  assert.equal(front(), 'Compare');
  button('next').click();
  assert.equal(card.hidden, true);
  basket.clear();
});

// ── long work ────────────────────────────────────────────────────────────────────────────────────

const JOBS = [
  { id: 'a', active: true, problem: '' },
  { id: 'b', active: false, problem: 'gone' },
  { id: 'c', active: false, problem: '' },
  { id: 'd', active: true, problem: '' },
];

test('what is at work and what has ended is listed', () => {
  const nine = Array.from({ length: 9 }, (_, n) => ({ ...JOBS[2], id: String(n) }));
  for (const [jobs, old, ids, text] of [
    [[], [], '', ''],
    [JOBS, [], 'adbc', '2 jobs running, 1 problem'],
    [JOBS, ['b', 'c'], 'ad', '2 jobs running'],
    [JOBS.slice(1, 3), ['b'], 'c', 'All jobs done'],
    [[{ ...JOBS[1], kind: 'search' }], [], 'b', 'All jobs done'],
    [JOBS.slice(1, 3), ['b', 'c'], '', ''],
    [nine, [], '01234', 'All jobs done'],
  ]) {
    const shown = shownJobs(jobs, new Set(old));
    assert.equal(shown.map((job) => job.id).join(''), ids);
    assert.equal(workWords(shown), text);
  }
});

test('own work is followed where nobody looks, and listed in the header to its end', async () => {
  const job = (active, more = {}) => ({
    id: 'a',
    kind: 'export',
    title: 'An export',
    mine: true,
    active,
    status: active ? 'running' : 'done',
    words: 'Writing',
    problem: '',
    left_s: 90,
    elapsed_s: 1,
    may_cancel: true,
    cancelling: false,
    done: 1,
    total: 4,
    ...more,
  });
  let hidden = false;
  let request = 0;
  Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden });
  const lists = [[], [job(true)], [job(true, { cancelling: true })], [job(false)]];
  const news = lists.map(held);
  const nextList = async () => {
    const list = lists[request];
    if (!list) return new Promise(() => {});
    await news[request++].answer;
    return { jobs: list, version: request };
  };
  answer('GET /api/jobs', nextList);
  // The first list comes with what else the page shows.
  answer('GET /api/page', async () => ({
    ...{ data: '3 images', account: 'Ann', backup: true, notices: [] },
    jobs: await nextList(),
  }));
  const { element } = await widget('page/header');
  const find = (selector) => element.querySelector(selector);
  const button = find('.th-work-button');
  const panel = find('.th-work-panel');
  const message = async (index) => {
    news[index].release();
    await until(() => request === index + 2 || store.get('work')?.[0]?.active === false);
    await settled();
  };
  assert.equal(find('.th-account').hidden, true);
  await message(0);
  assert.equal(find('.th-data').textContent, '3 images');
  assert.equal(find('.th-account-name').textContent, 'Ann');
  assert.equal(find('.th-backup-button').hidden, false);
  assert.equal(button.hidden, true);
  await message(1);
  assert.equal(button.textContent, '1 job running');
  button.click();
  assert.equal(panel.hidden, false);
  assert.match(panel.textContent, /An exportCancel.*Writing · about 2 min left/s);
  assert.equal(panel.querySelector('[role=progressbar]').getAttribute('aria-valuenow'), '25');
  press(panel, 'Escape');
  assert.equal(panel.hidden, true);
  assert.equal(document.activeElement, button);
  // From here on nobody looks: what is one's own is followed all the same.
  hidden = true;
  button.click();
  answer('POST /api/jobs/a/cancel', {});
  const cancel = panel.querySelector('.th-job button');
  cancel.click();
  cancel.click();
  await message(2);
  assert.equal(requests.filter((item) => item.method === 'POST').length, 1);
  assert.equal(panel.querySelector('.th-job button'), cancel);
  assert.equal(cancel.textContent, 'Cancelling…');
  await message(3);
  assert.equal(store.get('work')[0].active, false);
  assert.equal(button.textContent, 'All jobs done');
  assert.equal(request, 4);
  // Others' work is asked for once somebody looks again.
  const before = requests.length;
  await settled();
  assert.equal(requests.length, before);
  hidden = false;
  document.dispatchEvent(new window.Event('visibilitychange'));
  await until(() => requests.length > before + 1);
  assert.deepEqual(
    requests
      .slice(before)
      .map(({ path }) => path)
      .sort(),
    ['/api/jobs', '/api/page'],
  );
  find('.th-work-clear').click();
  assert.equal(button.hidden, true);
  assert.equal(panel.hidden, true);
  element.remove();
  delete document.hidden;
});

test('a link that names what there is not says so', async () => {
  const { unknownPart } = await load('shared/links');
  const said = (link) => unknownPart(new URLSearchParams(link));
  for (const link of [
    '',
    'tab=inspect&view=x',
    'tab=explore&view=runs',
    'tab=studies&view=gallery',
  ])
    assert.equal(said(link), '');
  assert.equal(said('tab=studies&study=' + 'a'.repeat(32)), '');
  assert.equal(said('tab=studies&study=nope'), 'This link names no study “nope”.');
  for (const tab of ['explore', 'compare', 'colorize', 'vlm', 'studies'])
    assert.equal(said(`tab=${tab}&view=nonsense`), 'This link names no view “nonsense”.');
  assert.equal(said('tab=toString'), 'This link names no tab “toString”.');

  history.replaceState({}, '', '?tab=nonsense&image=ab');
  answer('GET /api/page', () => new Promise(() => {}));
  const { element } = await widget('page/header');
  assert.match(document.querySelector('.th-toast').textContent, /names no tab “nonsense”/);
  assert.equal(location.search, '?tab=inspect');
  document.querySelector('.th-toast').remove();
  element.remove();
});

// ── imports ──────────────────────────────────────────────────────────────────────────────────────

const report = (title, counts, lists = []) => ({ title, counts, lists });
const { element: imports } = await widget('page/imports');
const inPrompts = (selector) => imports.querySelector('.th-import-prompt-dialog ' + selector);
const inImages = (selector) => imports.querySelector('.th-import-image-dialog ' + selector);
const status = () => inImages('.th-import-status').textContent;
const posted = (end) =>
  requests.filter((request) => request.path.startsWith('/api/image-sets/' + end));
/** Chooses files as a person does in the browser's own window. */
function choose(field, files) {
  Object.defineProperty(field, 'files', { value: files, configurable: true });
  field.dispatchEvent(new window.Event('change', { bubbles: true }));
}
const folder = (count = 9) =>
  Array.from({ length: count }, (_, n) =>
    Object.assign(new window.File(['x'], n + '.png'), { webkitRelativePath: `ä/cna/${n}.png` }),
  );

/** The dialog of images with a folder chosen, and an app that takes everything. */
async function chosen() {
  answer('GET /api/prompts/sets', { sets: [{ id: 'mini', title: 'Mini' }], local: true });
  answer('POST /api/image-sets/forget', {});
  answer('POST /api/image-sets/plan', { found: 9, report: report('mine', [[9, 'files']]) });
  store.tell('import', { kind: 'images' });
  await until(() => inImages('.th-import-set').options.length === 3);
  choose(inImages('.th-import-folder'), folder());
  requests.length = 0;
}
// The address of a folder's files ends in an id that the page makes.
let takeFile = () => ({});
const plainFetch = globalThis.fetch;
globalThis.fetch = window.fetch = (url, options) => {
  const { pathname } = new URL(url, location.href);
  if (pathname.startsWith('/api/image-sets/files/'))
    answer('POST ' + pathname, (request) => takeFile(request));
  return plainFetch(url, options);
};
async function check() {
  inImages('.th-import-check').click();
  await until(() => !inImages('.th-import-check').disabled);
}

test('a folder that did not arrive whole is forgotten and sent again', async () => {
  await chosen();
  const session = (request) => request.path.split('/').pop();
  takeFile = (request) => {
    if (request.body.name === '4.png') throw new Error('broken off');
    return {};
  };
  await check();
  assert.equal(status(), 'The app does not answer. Is it still running?');
  assert.equal(new Set(posted('files').map(session)).size, 1);
  assert.equal(posted('forget').length, 1);
  assert.equal(posted('forget')[0].body.session, session(posted('files')[0]));
  assert.equal(posted('plan').length, 0);
  takeFile = () => ({});
  requests.length = 0;
  await check();
  assert.deepEqual(
    posted('files').map((item) => decodeURIComponent(item.headers['X-File-Path'])),
    Array.from({ length: 9 }, (_, n) => `ä/cna/${n}.png`),
  );
  assert.equal(new Set(posted('files').map(session)).size, 1);
  assert.equal(posted('plan')[0].body.session, session(posted('files')[0]));
  assert.equal(inImages('.th-import-start').textContent, 'Import 9 images');
  // What was looked at is what is imported: another name asks to look again, and sends no file anew.
  requests.length = 0;
  type(inImages('.th-import-model'), 'Mine, 20 steps');
  assert.equal(inImages('.th-import-start').hidden, true);
  assert.equal(inImages('.th-import-report').hidden, true);
  await check();
  assert.equal(posted('files').length, 0);
  assert.equal(posted('plan')[0].body.model, 'Mine, 20 steps');
  assert.equal(posted('plan')[0].body.system, '');
  inImages('.th-import-close').click();
});

test('another folder that is chosen meanwhile is not mixed up', async () => {
  await chosen();
  // Whether it is chosen at the first file or at the last.
  for (const index of [1, 9]) {
    requests.length = 0;
    takeFile = () => {
      if (posted('files').length === index)
        inImages('.th-import-folder').dispatchEvent(new window.Event('change'));
      return {};
    };
    await check();
    assert.equal(status(), 'You chose another folder. Check it first.');
    assert.equal(posted('plan').length, 0);
    assert.equal(posted('forget').length, 1);
  }
  takeFile = () => ({});
  inImages('.th-import-close').click();
});

test('an import ends in its report, and is scored with the masks that it brought', async () => {
  await chosen();
  await check();
  const maskers = [
    { id: 'exact', name: 'Masks', about: 'Those in the folder.' },
    { id: 'whole', name: 'Everything', about: 'Every pixel counts.' },
  ];
  const score = { groups: [{ set: 'mini', model: 'm' }], masker: 'whole', maskers };
  const list = { title: 'Broken', items: ['a.png'], total: 3 };
  const result = { ...report('mine', [[2, 'images stored']], [list]), score };
  const job = (more) => ({ version: 1, words: '', active: false, problem: '', ...more });
  answer('POST /api/image-sets/start', { job: 'i' });
  answer('GET /api/jobs/i', job({ id: 'i', status: 'done', result }));
  const news = [];
  for (const name of ['drawn', 'judged', 'sets']) store.subscribe(name, () => news.push(name));
  inImages('.th-import-start').click();
  await until(() => !inImages('.th-import-score').hidden);
  assert.equal(status(), 'Done.');
  assert.deepEqual(news, ['judged', 'drawn', 'sets']);
  assert.match(
    inImages('.th-import-report').textContent,
    /^mine2images stored.*Broken \(3\)a\.pngand 2 more$/,
  );
  assert.equal(inImages('.th-import-masker').value, 'whole');
  assert.equal(inImages('.th-import-score p').textContent, 'Every pixel counts.');
  type(inImages('.th-import-masker'), 'exact');
  assert.equal(inImages('.th-import-score p').textContent, 'Those in the folder.');
  // What fails leaves the report, and can be tried again.
  answer('POST /api/image-sets/score', { job: 's' });
  answer('GET /api/jobs/s', job({ id: 's', status: 'failed', problem: 'It is gone.', result: {} }));
  inImages('.th-import-score-start').click();
  await until(() => status() === 'It is gone.');
  assert.deepEqual(posted('score')[0].body, { job: 'i', masker: 'exact' });
  assert.match(inImages('.th-import-report').textContent, /2images stored/);
  assert.equal(inImages('.th-import-score').hidden, false);
  // What nothing was selected in can be measured as a whole: the offer is of the same import.
  const rest = { rest: 3, masker: 'whole', maskers: [maskers[1]] };
  const scored = { ...report('scored', [[2, 'verdicts']]), score: rest };
  answer('GET /api/jobs/s', job({ id: 's', status: 'done', result: scored }));
  inImages('.th-import-score-start').click();
  const heading = () => inImages('.th-import-score b').textContent;
  await until(() => heading() === 'Score the 3 images in which nothing is selected');
  answer('GET /api/jobs/s', job({ id: 's', status: 'done', result: report('whole', []) }));
  inImages('.th-import-score-start').click();
  await until(() => inImages('.th-import-score').hidden);
  assert.deepEqual(posted('score')[2].body, { job: 'i', masker: 'whole', rest: true });
  inImages('.th-import-close').click();
});

test('a prompt file is imported, told of and opened', async () => {
  store.tell('import', { kind: 'prompts' });
  const opened = [];
  store.subscribe('sets', (detail) => detail && opened.push(detail.open));
  const list = { title: 'Could not be read', items: ['line 3: Blurple'], total: 1 };
  const message = report('coa_l2.csv', [[1, 'prompt taken']], [list]);
  let sets = [
    { report: message, set_id: 'new' },
    { report: message, set_id: '' },
  ];
  answer('POST /api/prompts/sets', () => sets.shift());
  const files = folder(2);
  choose(inPrompts('input'), files);
  await until(() => inPrompts('.th-import-report').childElementCount === 2 && !sets.length);
  await settled();
  assert.match(inPrompts('.th-import-report').textContent, /^coa_l2\.csv1prompt taken/);
  assert.equal(inPrompts('summary').textContent, 'Could not be read (1)');
  assert.deepEqual(opened, ['new']);
  answer('POST /api/prompts/sets', { error: 'No prompts are in it.' }, 400);
  choose(inPrompts('input'), files.slice(0, 1));
  await until(() =>
    /0\.png: No prompts are in it\./.test(inPrompts('.th-import-report').textContent),
  );
  sets = [];
  assert.deepEqual(opened, ['new']);
});

test('nothing was thrown on the way', async () => {
  await settled();
  assert.deepEqual(faults, []);
});
