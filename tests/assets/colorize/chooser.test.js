import assert from 'node:assert/strict';
import { test } from 'node:test';

import { answer, language, load, template } from '../page.js';

const { chooser } = await load('colorize/chooser');
const { keepDraft } = await load('colorize/drafts');

const base = (id, words, category) => ({ id, words, category, drawing: true, modifiers: [] });
const stored = { id: 's2', words: 'cat', category: 'Animals', starter: true };
answer('GET /api/colorize/sketches', {
  bases: [
    base('d1', 'bird', 'Animals'),
    base('d2', 'cat', 'Animals'),
    base('d3', 'apple', 'Fruits'),
    base('d4', 'dog', 'Animals'),
  ],
  stored: [stored],
  colors: {},
});
const row = (sketch, words, mine = true) => ({
  ...{ id: 'k-' + sketch, words, mine, sketch_id: sketch, thumb: '/kept/' + sketch },
  ...{ at: new Date().toISOString(), actions: 3, files: {} },
});
const draft = (values) => ({
  ...{ key: 's1', kept: '', drawing: 'd1', sketch: 's1', words: 'bird', at: Date.now(), count: 2 },
  ...{ thumb: 'data:,bird', ...values },
});

const page = document.createElement('div');
page.innerHTML = template('colorize/colorize', {
  canvas_texts: JSON.stringify(language('en').canvas),
});
const box = page.querySelector('.th-colorize-begin');
const opened = [];
const drawings = chooser(box, { open: (values) => opened.push(values), bring: () => {} });
const tiles = () =>
  [...box.querySelectorAll('button.th-colorize-tile')].map((tile) => [
    tile.querySelector('b').textContent,
    tile.querySelector('img').getAttribute('src'),
  ]);

test('the list shows started and saved drawings in their colors, each once', async () => {
  keepDraft(draft({ done: false }), [{ do: 'clear' }]);
  await drawings.show();
  drawings.saved([row('s2', 'cat'), row('s4', 'dog', false)]);
  assert.deepEqual(tiles(), [
    ['bird', 'data:,bird'],
    ['cat', '/kept/s2'],
    ['apple', '/api/colorize/starter/d3.svg'],
    ['dog', '/api/colorize/starter/d4.svg'],
  ]);
  [...box.querySelectorAll('button.th-colorize-tile')].slice(0, 3).forEach((tile) => tile.click());
  assert.deepEqual(opened, [
    { drawing: 'd1', sketch: '', words: 'bird' },
    { kept: 'k-s2', words: 'cat' },
    { drawing: 'd3', sketch: '', words: 'apple' },
  ]);
});

test('the next drawing is the first after this one that is not saved, started or not', async () => {
  const next = async (id, drawing) => (await drawings.next({ id, drawing }))?.words;
  assert.equal(await next('s1', 'd1'), 'apple');
  assert.equal(await next('s4', 'd4'), 'bird');
  // Only what was typed to find one is no list to go through.
  box.querySelector('.th-colorize-search').value = 'cat';
  assert.equal(await next('s2', ''), 'apple');
  // A draft that was saved as it is is finished, and a started one again once that is deleted.
  keepDraft(draft({ key: 's2', drawing: 'd2', sketch: 's2', words: 'cat', done: true }), []);
  assert.equal(await next('s1', 'd1'), 'apple');
  drawings.saved([]);
  assert.equal(await next('s1', 'd1'), 'cat');
});
