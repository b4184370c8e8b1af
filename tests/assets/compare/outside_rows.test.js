import assert from 'node:assert/strict';
import { mock, test } from 'node:test';

import { answer, load, requests } from '../page.js';

const { outsideRows } = await load('compare/outside_rows');
const IMAGES = { model: 'a/b', words: '2 images of concepts have no row.', button: 'Add the row' };
const MOVES = { id: 'r', moves: true, trouble: '', words: '1 of 2 images', done: 1, total: 2 };

/** A view with the line of a model whose button was pressed; each poll comes with `poll`. */
async function pressed(t) {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.after(() => mock.timers.reset());
  answer('POST /api/runs', { runs: ['r'] });
  answer('GET /api/runs', { runs: [MOVES] });
  const box = document.createElement('div');
  document.body.append(box);
  t.after(() => box.remove());
  const ended = [];
  const show = outsideRows(box, async (run) => void ended.push(run));
  show([IMAGES]);
  box.querySelector('button').click();
  const turn = () => new Promise((done) => setImmediate(done));
  const poll = async () => {
    for (let i = 0; i < 5; i++) await turn();
    mock.timers.tick(1000);
    for (let i = 0; i < 5; i++) await turn();
  };
  await poll();
  return { box, ended, show, poll, words: box.querySelector('span') };
}

test('a lost request does not end the wait for a run', async (t) => {
  const { box, ended, poll, words } = await pressed(t);
  assert.equal(words.textContent, '1 of 2 images');
  answer('GET /api/runs', { error: 'Busy.' }, 503);
  await poll();
  assert.equal(words.textContent, '1 of 2 images');
  answer('GET /api/runs', { runs: [{ ...MOVES, moves: false, done: 2 }] });
  await poll();
  assert.deepEqual([ended, box.children.length], [['r'], 0]);
});

test('where the app stays away, the line says so', async (t) => {
  const { box, poll, words } = await pressed(t);
  answer('GET /api/runs', { error: 'Busy.' }, 503);
  for (let i = 0; i < 8; i++) await poll();
  assert.equal(words.textContent, 'Busy.');
  assert.equal(box.querySelector('button').hidden, false);
});

test('nothing is asked once the view was left', async (t) => {
  const { box, ended, poll } = await pressed(t);
  box.remove();
  await poll();
  const count = requests.length;
  for (let i = 0; i < 3; i++) await poll();
  assert.deepEqual([requests.length, ended], [count, []]);
});

test('the count of images is shown anew, except while their run goes on', async (t) => {
  const { box, show, words } = await pressed(t);
  const other = { ...IMAGES, model: 'c/d' };
  show([IMAGES, other]);
  show([
    { ...IMAGES, words: '3 images' },
    { ...other, words: '3 images' },
  ]);
  assert.equal(words.textContent, '1 of 2 images');
  assert.equal(box.lastChild.firstChild.textContent, '3 images');
});
