// The queue, the picture beside the button and all pictures below: what the app answers is shown
// where it stands, so that focus and presses stay.
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';

import { answer, faults, load, requests, settled, type, widget } from '../page.js';
import { held, until } from '../until.js';

const { store } = await load('shared/state');
const GRAY = 'data:image/png;base64,AAAA';

// ── the app: a queue, and pictures newest first ──────────────────────────────────────────────────

const job = (id, status, more = {}) => ({
  id,
  status,
  title: 'Your prompt',
  mine: true,
  total: 12,
  done: 0,
  failed: 0,
  step: 0,
  steps: 0,
  place: 1,
  eta_s: null,
  elapsed_s: 3,
  model_name: 'A model',
  problems: [],
  preview: '',
  ...more,
});
const said = (rule, status, more) => ({ rule, status, step: 'ΔE00', reason: 'Near.', ...more });
const drawing = (n, more = {}) => ({
  drawing_id: 'd' + n,
  image_id: 'i' + n,
  job: 'j' + n,
  status: 'done',
  text: 'A red mug ' + n,
  thumb: `/media/thumbs/i${n}.png`,
  about: 'Reference renderer · seed ' + n,
  details: '',
  truth: '',
  notes: [],
  width: 64,
  height: 64,
  verdicts: [
    said('truehue', 'pass', { short: 'red', sentence: 'The mug is red.' }),
    said('released', 'fail'),
  ],
  targets: [
    {
      object: 'mug',
      color: 'css:red',
      mask: 'm' + n,
      asked: { hex: '#ff0000', label: 'red', value: 'css:red', relation: 'matches' },
      verdicts: [said('truehue', 'pass'), said('released', 'fail')],
    },
  ],
  ...more,
});
let jobs = [];
let images = [];
let version = 0;
const models = [
  { id: 'renderer', name: 'Renderer', count: 90 },
  { id: 'small', name: 'Small', count: 10 },
];
beforeEach(() => {
  requests.length = 0;
  jobs = [];
  images = [];
});
answer('GET /api/jobs', () => ({ jobs, version: ++version }));
const listed = (request) => {
  const query = new URLSearchParams(request.search);
  const index = Number(query.get('offset'));
  const items = images.slice(index, index + Number(query.get('limit')));
  return { items, total: images.length, models };
};
answer('GET /api/drawings', listed);

const constants = document.createElement('script');
constants.id = 'th-constants';
constants.type = 'application/json';
constants.textContent = JSON.stringify({ rule: 'truehue' });
document.body.append(constants);
const tabs = document.createElement('div');
tabs.id = 'th-tabs';
tabs.innerHTML = '<button role="tab">Compare</button>';
document.body.append(tabs);
const queue = await widget('generate/queue');
const result = await widget('generate/result');
const gallery = await widget('generate/gallery', { props: { rules: ['truehue', 'released'] } });
await settled();

const line = (id) => queue.element.querySelector(`[data-job=${id}]`);
const describe = (id) => line(id).querySelector('.th-job-words').textContent;
const button = (id) => line(id).querySelector('button');
const live = queue.element.querySelector('.th-queue-said');
/** What the queue answers from now on, asked for at once. */
async function queued(...now) {
  jobs = now;
  const before = requests.length;
  queue.set('job', String(version));
  await until(() => requests.length > before);
  for (let turn = 0; turn < 3; turn++) await settled();
}
const shots = () => [...gallery.element.querySelectorAll('.th-shot')];
const ids = () => shots().map((item) => item.dataset.drawing);
const shot = (id) => gallery.element.querySelector(`[data-drawing=${id}]`);
const status = () => gallery.element.querySelector('.th-gallery-status').textContent;
const more = gallery.element.querySelector('.th-gallery-more');
const sendRequest = () => requests.filter((request) => request.path === '/api/drawings');
/** What the gallery asks for after an action, once it is shown. */
async function pictured(act) {
  const before = sendRequest().length;
  act();
  await until(() => sendRequest().length > before, 'a list of images');
  await settled();
  await settled();
}

// ── the queue ────────────────────────────────────────────────────────────────────────────────────

test('a job says where it is, from its place in the queue to its end', async () => {
  await queued(job('a', 'waiting', { eta_s: 90 }));
  assert.equal(describe('a'), 'Next in the queue · about 2 min left');
  await queued(job('a', 'waiting', { place: 3 }));
  assert.equal(describe('a'), 'Position 3 in the queue');
  await queued(job('a', 'loading'));
  assert.equal(describe('a'), 'Loading A model…');
  // The steps of a first image are no measure of the others.
  await queued(job('a', 'drawing', { step: 3, steps: 6, eta_s: 20, preview: GRAY }));
  assert.equal(describe('a'), '0 of 12 images · step 3 of 6');
  const bar = line('a').querySelector('[role=progressbar]');
  assert.equal(bar.getAttribute('aria-valuenow'), '4');
  assert.equal(line('a').querySelector('img').getAttribute('src'), GRAY);
  await queued(job('a', 'drawing', { done: 5, failed: 1, eta_s: 7300 }));
  assert.equal(describe('a'), '6 of 12 images · about 2.0 h left');
  assert.equal(bar.getAttribute('aria-valuenow'), '50');
  assert.equal(line('a').querySelector('img').hidden, true);
  const problems = ['No memory.', 'b', 'c', 'd'];
  await queued(job('a', 'done', { done: 8, failed: 4, problems }));
  assert.equal(describe('a'), '8 images in 3 s, 4 failed');
  assert.equal(bar.hidden, true);
  assert.match(line('a').textContent, /No memory\.bcand 1 more; the filter “Generation failed”/);
  await queued(job('a', 'failed', { done: 1 }));
  assert.equal(describe('a'), 'Failed after 1 image');
  await queued(job('a', 'cancelled', { done: 2 }));
  assert.equal(describe('a'), 'Cancelled: 2 images of 12 saved');
  button('a').click();
  await until(() => !line('a'));
  assert.equal(queue.element.querySelector('.th-queue').hidden, true);
});

test('a slow press on Cancel counts and is shown until it is done', async () => {
  await queued(job('b', 'drawing', { done: 1 }));
  const [node, press] = [line('b'), button('b')];
  const cancelled = held();
  answer('POST /api/jobs/b/cancel', () => cancelled.answer);
  press.dispatchEvent(new window.Event('pointerdown'));
  await queued(job('b', 'drawing', { done: 2 }));
  press.click();
  press.click();
  assert.equal(press.textContent, 'Cancelling…');
  await queued(job('b', 'drawing', { done: 3 }));
  assert.equal(line('b'), node);
  assert.equal(press.textContent, 'Cancelling…');
  assert.equal(press.getAttribute('aria-disabled'), 'true');
  jobs = [job('b', 'cancelled', { done: 3 })];
  cancelled.release({});
  await until(() => press.textContent === 'Dismiss');
  assert.equal(requests.filter((request) => request.method === 'POST').length, 1);
  assert.equal(line('b'), node);
});

test('a press that began on Cancel does not end on Dismiss, and a refusal is said', async () => {
  await queued(job('c', 'drawing'));
  button('c').dispatchEvent(new window.Event('pointerdown'));
  await queued(job('c', 'done', { done: 12 }));
  button('c').click();
  await settled();
  assert.ok(line('c'));
  answer('POST /api/jobs/d/cancel', { error: 'Only who began it may.' }, 403);
  await queued(job('d', 'drawing'));
  button('d').click();
  await until(() => /Only who began it may/.test(line('d').textContent));
  assert.equal(button('d').textContent, 'Cancel');
});

test('the queue keeps the focus and tells only what is new', async () => {
  await queued(job('e', 'drawing'));
  assert.match(live.textContent, /Your prompt: generating$/);
  button('e').focus();
  live.textContent = '';
  await queued(job('e', 'drawing', { done: 1 }));
  await queued(job('e', 'drawing', { done: 2, eta_s: 5 }));
  assert.equal(live.textContent, '');
  assert.equal(document.activeElement, button('e'));
  assert.equal(line('e').querySelector('[aria-live]'), null);
  await queued(job('e', 'cancelled', { done: 2 }));
  assert.equal(live.textContent, 'Your prompt: Cancelled: 2 images of 12 saved');
  assert.equal(document.activeElement, button('e'));
});

test('others’ jobs are seen while they go on, without a button', async () => {
  const theirs = { mine: false, total: 4, title: '4 images' };
  await queued(job('f', 'drawing', theirs), job('g', 'waiting', { total: 1 }));
  assert.equal(line('f').querySelector('b').textContent, 'Someone else: 4 images');
  assert.equal(button('f'), null);
  assert.equal(button('g').textContent, 'Cancel');
  await queued(job('f', 'done', theirs), job('g', 'waiting'));
  assert.equal(line('f'), null);
});

test('an app that has ended is said once it was silent three times', async () => {
  await queued(job('h', 'drawing', { done: 1, preview: GRAY }));
  const silent = () => !queue.element.querySelector('.th-queue > .th-problem').hidden;
  answer('GET /api/jobs', {}, 500);
  for (const heard of [false, false, true]) {
    assert.equal(silent(), false);
    await queued();
    assert.equal(silent(), heard);
  }
  assert.equal(
    describe('h'),
    'Status unknown: TrueHue does not answer. This updates once it does.',
  );
  assert.match(result.element.textContent, /TrueHue does not answer/);
  answer('GET /api/jobs', () => ({ jobs, version: ++version }));
  await queued(job('h', 'drawing', { done: 1 }));
  assert.equal(silent(), false);
  assert.equal(describe('h'), '1 of 12 images');
});

// ── the newest picture ───────────────────────────────────────────────────────────────────────────

test('the picture asked for last stands beside the button, first as it is drawn', async () => {
  const node = result.element.querySelector('.th-result-picture');
  const text = (part) => result.element.querySelector('.th-result-' + part).textContent;
  images = [drawing(1, { job: 'other' })];
  await queued(job('i', 'waiting', { total: 1 }));
  assert.match(node.textContent, /Waiting…/);
  assert.equal(node.disabled, true);
  await queued(job('i', 'drawing', { total: 1, preview: GRAY }));
  assert.equal(node.querySelector('img').getAttribute('src'), GRAY);
  assert.equal(text('about'), 'Preview: no verdict yet');
  // Somebody else's came after it.
  images = [...images, drawing(2, { job: 'i', truth: 'As rendered: #FF0000.' })];
  await queued(job('i', 'done', { total: 1, done: 1 }));
  await until(() => !node.disabled);
  assert.equal(store.get('result').drawing_id, 'd2');
  assert.equal(text('verdict'), '✓ Pass: The mug is red. by truehue: Near.');
  assert.equal(text('truth'), 'As rendered: #FF0000.');
  assert.equal(text('about'), 'A red mug 2 · Reference renderer · seed 2');
  node.click();
  assert.equal(requests.at(-1).path, '/api/inspect/open');
  assert.equal(requests.at(-1).body.image, 'i2');
  // Not of ours, and without a mask: it says what to do.
  const [target] = drawing(3).targets;
  const bare = { job: 'i', verdicts: [], targets: [{ ...target, mask: '', verdicts: [] }] };
  images = [drawing(3, bare)];
  store.tell('judged');
  await until(() => /click the image to select the object/.test(text('verdict')));
  images = [drawing(4, { job: 'i', verdicts: [], targets: [], concept: 'rotten mango' })];
  store.tell('judged');
  await until(() => result.element.querySelector('.th-link'));
  result.element.querySelector('.th-link').click();
  assert.deepEqual(store.take('wish'), { concept: 'rotten mango' });
});

// ── all pictures ─────────────────────────────────────────────────────────────────────────────────

test('new pictures leave the others where they are, and more are shown below', async () => {
  images = Array.from({ length: 99 }, (_, n) => drawing(100 + n));
  await pictured(() => store.tell('drawn'));
  assert.equal(shots().length, 24);
  assert.equal(status(), '99 images');
  for (const count of [48, 72, 96, 99]) {
    assert.equal(more.hidden, false);
    await pictured(() => more.click());
    assert.equal(shots().length, count);
  }
  assert.equal(more.hidden, true);
  const first = shot('d100');
  const open = first.querySelector('.th-shot-picture');
  open.focus();
  images = [drawing(1), drawing(2), drawing(3), ...images];
  await pictured(() => store.tell('drawn'));
  assert.deepEqual(
    ids(),
    images.map((item) => item.drawing_id),
  );
  assert.equal(shots()[3], first);
  assert.equal(document.activeElement, open);
  // More than a page came at once: all of them are asked for, and none twice.
  const news = Array.from({ length: 110 }, (_, n) => drawing(300 + n));
  images = [...news, ...images];
  await pictured(() => store.tell('drawn'));
  await until(() => shots().length === images.length);
  assert.equal(new Set(ids()).size, images.length);
  assert.equal(shots()[113], first);
});

test('marks follow the rule where they stand, and the words say why', async () => {
  const two = drawing(5).targets[0];
  const differs = { ...two, object: 'plate', stand_in: 'disk for plate' };
  differs.asked = { ...two.asked, relation: 'differs' };
  images = [
    drawing(5, { targets: [two, differs], notes: ['Stretched.'], truth: 'As rendered.' }),
    drawing(6, { verdicts: [], unscored: 'No target color.', concept: 'rotten' }),
    drawing(15, {
      verdicts: [],
      unscored: 'No target color: measured #2B8452.',
      measured: '#2B8452',
      targets: [],
      mask: 'm15',
    }),
    drawing(7, { image_id: '', status: 'failed', reason: 'No memory.', verdicts: [] }),
  ];
  await pictured(() => store.tell('drawn'));
  const item = shot('d5');
  assert.equal(item.querySelector('.th-shot-word').textContent, '✓ Pass');
  assert.match(
    item.querySelector('.th-shot-verdict').title,
    /^mug: pass at the step “ΔE00”\. Near\./,
  );
  const [mug, plate] = item.querySelectorAll('.th-shot-target');
  assert.equal(plate.textContent, '≠platedisk for platepass');
  assert.match(plate.title, /^plate, must not be red: Near\.\ntruehue pass, released fail\./);
  assert.match(shot('d6').textContent, /– Not scored.*No target color\. Compare its colors/);
  assert.match(shot('d15').textContent, /Measured.*No target color: measured #2B8452/);
  assert.doesNotMatch(shot('d15').textContent, /Not scored/);
  // Inspect opens the mask in which the color was measured.
  shot('d15').querySelector('.th-shot-picture').click();
  assert.deepEqual(requests.at(-1).body, { image: 'i15', mask: 'm15' });
  assert.match(shot('d7').textContent, /^No memory\./);
  assert.equal(shot('d7').querySelector('.th-shot-picture'), null);
  const rule = gallery.element.querySelector('.th-gallery-rule');
  await pictured(() => type(rule, 'released'));
  assert.equal(localStorage.getItem('th-rule'), 'released');
  assert.equal(shot('d5'), item);
  assert.equal(item.querySelector('.th-shot-word').textContent, '✕ Fail');
  assert.equal(mug.querySelector('b').textContent, 'fail');
  await pictured(() => type(rule, 'truehue'));
  mug.click();
  assert.equal(requests.at(-1).path, '/api/inspect/open');
  assert.deepEqual(requests.at(-1).body, {
    image: 'i5',
    object: 'mug',
    target: 'css:red',
    relation: 'matches',
    mask: 'm5',
  });
});

test('filters, models and a verdict of one’s own ask anew', async () => {
  images = [drawing(8)];
  await pictured(() => store.tell('drawn'));
  const query = () => new URLSearchParams(sendRequest().at(-1).search);
  const press = (name) => gallery.element.querySelector(`[data-filter=${name}]`).click();
  await pictured(() => press('fail'));
  assert.equal(query().get('verdict'), 'fail');
  images = [];
  await pictured(() => press('failed'));
  assert.equal(query().get('status'), 'failed');
  const empty = gallery.element.querySelector('.th-gallery-empty');
  assert.equal(empty.textContent, 'No image matches this filter.');
  const model = gallery.element.querySelector('.th-gallery-model');
  assert.equal(model.hidden, false);
  await pictured(() => press('all'));
  assert.match(empty.textContent, /No generated images yet/);
  await pictured(() => type(model, 'small'));
  assert.equal(query().get('model'), 'small');
  // The table has what is listed.
  const csv = gallery.element.querySelector('.th-gallery-csv');
  assert.equal(csv.hidden, true);
  csv.addEventListener('click', (event) => event.preventDefault()); // jsdom follows no link
  csv.click();
  assert.match(csv.href, /\/images\.csv\?model=small&verdict=&rule=truehue$/);
  await pictured(() => type(model, ''));
  answer('GET /api/drawings', { error: 'The disk is away.' }, 503);
  store.tell('judged');
  await until(() => status() === 'The images could not be listed: The disk is away.');
  answer('GET /api/drawings', listed);
  images = [drawing(9, { refined: true })];
  await pictured(() => store.tell('drawn'));
  const pairs = [];
  store.subscribe('compare-pair', (item) => pairs.push(item.drawing_id));
  shot('d9').querySelector('.th-shot-pair').click();
  assert.deepEqual(pairs, ['d9']);
});

test('nothing was thrown on the way', async () => {
  await settled();
  assert.deepEqual(faults, []);
});
