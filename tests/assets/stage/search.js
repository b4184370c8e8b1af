// An object that is found, a point that is cut out, and what a person overrides of an automatic mask.
// Run by test_stage.py.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { answer, requests, settled } from '../page.js';
import { opened, opening, stage } from './stage.js';

const FINDING = 'truehue-finding';
/** Answers of a job that a test gives, one for each time that it is asked for. */
function job(id) {
  const waiting = [];
  answer('GET /api/jobs/' + id, () => new Promise((go) => waiting.push(go)));
  answer('POST /api/jobs/' + id + '/cancel', { ok: true });
  return async (state) => {
    while (!waiting.length) await settled();
    waiting.shift()({ active: false, version: 1, problem: '', words: '', result: {}, ...state });
    await settled();
  };
}
const FOUND = {
  object: 'jar',
  made: 'GroundingDINO tiny, SAM ViT-B, variant Paper',
  boxes: [
    { box: [-5, 5, 60, 50], label: 'jar', text: '0.91', note: '', used: true, by_hand: false },
    { box: [150, 5, 190, 50], label: 'jar', text: '0.52', note: '', used: true, by_hand: false },
  ],
  negatives: [
    { label: 'neck', text: '4.0%', note: '', used: true, by_hand: false, found: true },
    { label: 'rim', text: '', note: '', used: true, by_hand: false, found: false },
  ],
  presence: [{ answer: 'yes', note: 'Janus-Pro 1B to “Is there a jar?”', override: '' }],
  notes: [],
};
const list = (made, name) =>
  [...made.root.querySelectorAll('.th-found-group')].find((node) =>
    node.querySelector('h4').textContent.startsWith(name),
  );
const ticks = (made, name) => [...list(made, name).querySelectorAll('input')];

// ── Find ─────────────────────────────────────────────────────────────────────────────────────────

test('a search is watched to its end and becomes a mark', async () => {
  const made = await opened();
  const tells = job('j1');
  made.key('f');
  assert.deepEqual(made.searches, [['find', { image_id: 'a1', marks: null }]]);
  assert.equal(made.part('work-text').textContent, 'Checking…');
  await made.begins('j1', 'Looking for the jar…');
  assert.equal(made.part('work').hidden, false);
  assert.deepEqual(JSON.parse(sessionStorage.getItem(FINDING)), { job: 'j1', image_id: 'a1' });
  await tells({ active: true, version: 3, words: 'Loading SAM…' });
  assert.equal(made.part('work-text').textContent, 'Loading SAM…');
  assert.deepEqual(made.values, []);
  await tells({ status: 'done', result: { mask_id: 'm7' } });
  assert.equal(requests.at(-1).search, '?seen=3');
  assert.deepEqual(made.marks(), [{ type: 'stored', mask_id: 'm7' }]);
  assert.equal(made.part('work').hidden, true);
  assert.equal(sessionStorage.getItem(FINDING), null);
});

test('an image that is opened once more is proposed a mask again', async () => {
  const made = await opened({ propose: true });
  await settled();
  assert.deepEqual(made.kinds(), ['salient']);
  assert.equal(made.values[0].proposed, true);
  made.answers('M0 0', { proposal: 'Proposed mask' });
  // The page sets what is on the stage in this order.
  made.python({ marks: [], ...opening(), propose: true, outline: '', proposal: '' });
  await settled();
  assert.equal(made.values.length, 2);
  assert.deepEqual(made.kinds(), ['salient']);
  // The button is a selection.
  made.press('Salient object');
  assert.equal('proposed' in made.values.at(-1), false);
});

test('why nothing is begun or found is said, and the marks stay', async () => {
  const made = await opened();
  made.press('Find the object');
  await made.refuses('Type what to look for in the field Object.');
  assert.match(made.part('message-text').textContent, /^Type what to look for/);
  assert.equal(made.part('work').hidden, true);
  const tells = job('j2');
  made.press('Find the object');
  assert.equal(made.part('message').hidden, true);
  await made.begins('j2');
  await tells({ status: 'failed', problem: 'The detector found no jar.' });
  assert.equal(made.part('message-text').textContent, 'The detector found no jar.');
  assert.deepEqual(made.values, []);
  // What works without a model is as it was.
  made.press('Whole image');
  assert.deepEqual(made.kinds(), ['whole']);
});

test('a search is cancelled, and its late answer is nobody’s', async () => {
  const made = await opened();
  const tells = job('j3');
  made.press('Find the object');
  await made.begins('j3', 'Searching…');
  await settled();
  made.press('Cancel');
  await settled();
  assert.ok(
    requests.some((request) => request.path === '/api/jobs/j3/cancel' && request.method === 'POST'),
  );
  assert.equal(made.part('work').hidden, true);
  assert.equal(sessionStorage.getItem(FINDING), null);
  made.press('Whole image');
  await tells({ status: 'done', result: { mask_id: 'm7' } });
  assert.deepEqual(made.kinds(), ['whole']);
});

test('a search that begins after it was cancelled, or for another image, is ended', async () => {
  const made = await opened();
  job('j4');
  job('j5');
  made.press('Find the object');
  made.press('Cancel');
  await made.begins('j4');
  made.press('Find the object');
  made.python(opening('b2'));
  await made.begins('j5');
  await settled();
  const cancelled = requests.filter((request) => /j[45]\/cancel$/.test(request.path));
  assert.equal(cancelled.length, 2);
  assert.equal(made.part('work').hidden, true);
});

test('a search goes on while the page is loaded again', async () => {
  sessionStorage.setItem(FINDING, JSON.stringify({ job: 'j6', image_id: 'a1' }));
  const other = await stage();
  other.python(opening('b2'));
  assert.equal(other.part('work').hidden, true);
  const tells = job('j6');
  const made = await stage();
  made.python(opening());
  assert.equal(made.part('work').hidden, false);
  await tells({ status: 'done', result: { mask_id: 'm8' } });
  assert.deepEqual(made.marks(), [{ type: 'stored', mask_id: 'm8' }]);
  made.answers('M1 1');
  const again = await stage();
  again.python(opening());
  assert.equal(again.part('work').hidden, true);
});

// ── points ───────────────────────────────────────────────────────────────────────────────────────

test('a point is a mark once it is cut out, by the segmenter that did it', async () => {
  const made = await opened();
  const tells = job('p1');
  made.press('Point to add');
  made.drag([[20, 30]]);
  const point = { type: 'point', x: 20, y: 30, inside: true };
  assert.deepEqual(made.searches, [['points', { image_id: 'a1', marks: [point] }]]);
  assert.deepEqual(made.values, []);
  assert.equal(made.root.querySelectorAll('.th-stage-point.white').length, 1);
  await made.begins('p1');
  await tells({ status: 'done', result: { segmenter: 'sam-vit-b' } });
  assert.deepEqual(made.marks(), [{ ...point, by: 'sam-vit-b' }]);
  made.answers('M1 1');
  // With Alt it is the other kind; a click beside the image is none.
  const again = job('p2');
  made.drag([[500, 30]]);
  assert.equal(made.searches.length, 1);
  made.drag([[40, 50]], { altKey: true });
  await made.begins('p2');
  await again({ status: 'done', result: { segmenter: 'sam-vit-b' } });
  assert.deepEqual(
    made.marks().map((mark) => mark.inside),
    [true, false],
  );
  made.answers('M2 2');
  assert.equal(made.root.querySelectorAll('.th-stage-point').length, 2);
  // Strokes work on top, and Undo goes back one by one.
  made.key('p');
  made.drag([[10, 10]]);
  made.press('Undo');
  assert.deepEqual(made.kinds(), ['point', 'point']);
  made.press('Undo');
  assert.deepEqual(made.kinds(), ['point']);
  made.press('Undo');
  made.answers('');
  assert.deepEqual(made.kinds(), []);
  assert.equal(made.root.querySelectorAll('.th-stage-point').length, 0);
});

test('Undo takes back a point that is not cut out yet, and a refusal does too', async () => {
  const made = await opened();
  job('p3');
  made.key('o');
  made.drag([[20, 30]]);
  assert.equal(made.button('Undo').disabled, false);
  await made.begins('p3');
  await settled();
  made.press('Undo');
  await settled();
  assert.equal(requests.at(-1).path, '/api/jobs/p3/cancel');
  assert.equal(made.root.querySelectorAll('.th-stage-point').length, 0);
  assert.equal(made.button('Undo').disabled, true);
  made.drag([[20, 30]]);
  await made.refuses('Download sam-vit-b first.');
  assert.equal(made.part('message-text').textContent, 'Download sam-vit-b first.');
  assert.equal(made.root.querySelectorAll('.th-stage-point').length, 0);
  assert.deepEqual(made.values, []);
});

// ── what was found ───────────────────────────────────────────────────────────────────────────────

test('boxes, parts and answers are listed, and drawn on the image', async () => {
  const made = await opened({ found: FOUND });
  const panel = made.root.querySelector('.th-found');
  assert.equal(panel.hidden, false);
  assert.match(panel.textContent, /Detected: jar.*variant Paper/);
  const [first, second] = made.part('boxes').querySelectorAll('rect.white');
  // A box that reaches over the edge ends there.
  assert.deepEqual(
    ['x', 'y', 'width', 'height'].map((name) => Number(first.getAttribute(name))),
    [0, 5, 60, 45],
  );
  assert.equal(second.getAttribute('x'), '150');
  const tags = [...made.part('tags').children];
  assert.deepEqual(
    tags.map((tag) => tag.textContent),
    ['1 jar 0.91', '2 jar 0.52'],
  );
  // A box at the right has its words at its right end, so that they stay on the image.
  assert.equal(tags[0].style.left, '0%');
  assert.equal(tags[1].style.right, '5%');
  assert.equal(ticks(made, 'Boxes in the mask').length, 2);
  assert.ok(ticks(made, 'Boxes in the mask').every((tick) => tick.checked));
  assert.match(list(made, 'Excluded parts').textContent, /neck4\.0%.*Not detected: rim$/);
  const rows = list(made, 'Excluded parts').querySelectorAll('.th-found-row');
  assert.deepEqual(
    [...rows].map((row) => row.hidden),
    [false, true],
  );
  made.python({ found: '', seq: 0 });
  assert.equal(panel.hidden, true);
  assert.equal(made.part('boxes').children.length, 0);
});

test('what a person overrides is a mark, and rows stay while Python answers', async () => {
  const made = await opened({ found: FOUND });
  const [first] = ticks(made, 'Boxes in the mask');
  first.click();
  const override = { type: 'override', step: 'box', index: 0, use: false };
  assert.deepEqual(made.marks(), [override]);
  const boxes = [{ ...FOUND.boxes[0], used: false, by_hand: true }, FOUND.boxes[1]];
  made.answers('M1 1', { found: { ...FOUND, boxes } });
  assert.equal(ticks(made, 'Boxes in the mask')[0], first);
  assert.equal(first.checked, false);
  assert.ok(first.closest('.th-found-row').classList.contains('by-hand'));
  assert.equal(made.part('boxes').querySelectorAll('g.unused').length, 1);
  ticks(made, 'Excluded parts')[0].click();
  assert.deepEqual(made.marks()[1], {
    ...{ type: 'override', step: 'negative', index: 0, use: false },
  });
  const choice = list(made, 'In the image?').querySelector('select');
  choice.value = 'no';
  choice.dispatchEvent(new window.Event('change'));
  assert.deepEqual(made.marks()[2], {
    ...{ type: 'override', step: 'presence', index: 0, answer: 'no' },
  });
  made.answers('M2 2', { found: FOUND });
  assert.equal(choice.value, '');
  made.press('Undo');
  made.press('Undo');
  assert.deepEqual(made.marks(), [override]);
});

test('names of objects are text, whatever is in them', async () => {
  const name = '<img src=x onerror=alert(1)>';
  const boxes = [{ ...FOUND.boxes[0], label: name }];
  const made = await opened({ found: { ...FOUND, object: name, boxes } });
  assert.equal(made.root.querySelector('.th-found img'), null);
  assert.equal(made.part('tags').querySelector('img'), null);
  assert.equal(made.root.querySelector('.th-found-name').textContent, '1 ' + name);
});
