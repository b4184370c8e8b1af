import assert from 'node:assert/strict';
import { test } from 'node:test';

import { language, load } from '../page.js';

const { Swatches } = await load('canvas/swatches');

const texts = language('en').canvas;
const COLORS = ['#000001', '#000002', '#000003', '#000004', '#000005', '#000006', '#000007'];

/** Swatches of a person, and the colors that were taken from them. */
function swatchesOf(person) {
  const taken = [];
  const canvas = {
    color: null,
    tell: () => {},
    say: (name, values) => texts[name].replace(/\{(\w+)\}/g, (_, key) => values[key]),
  };
  const shade = () => document.createElement('button');
  const swatches = new Swatches(canvas, person, (color) => taken.push(color), [shade(), shade()]);
  return { swatches, taken };
}

/** Waits for what is loaded to show palettes. */
async function shown({ imported }) {
  while (!imported.querySelector('.cv-add')) await new Promise(setImmediate);
}

const labels = (box) =>
  [...box.querySelectorAll('button')].map((node) => node.getAttribute('aria-label'));

test('the last colors keep their places, also in the next drawing', () => {
  const { swatches, taken } = swatchesOf('anna');
  for (const color of COLORS.slice(0, 3)) swatches.used(color);
  assert.deepEqual(labels(swatches.lasts), COLORS.slice(0, 3));
  swatches.used(COLORS[0]);
  assert.deepEqual(labels(swatches.lasts), COLORS.slice(0, 3));
  const next = swatchesOf('anna').swatches;
  assert.deepEqual(labels(next.lasts), COLORS.slice(0, 3));
  for (const color of COLORS.slice(3)) next.used(color);
  // The one that was not used for longest makes room.
  assert.deepEqual(labels(next.lasts), [COLORS[0], COLORS[6], ...COLORS.slice(2, 6)]);
  swatches.lasts.querySelector('button').click();
  assert.deepEqual(taken, [COLORS[0]]);
  assert.deepEqual(labels(swatchesOf('ben').swatches.lasts), []);
});

test('the next color takes the place of one that was undone', () => {
  const { swatches } = swatchesOf('emil');
  for (const color of COLORS.slice(0, 6)) swatches.used(color);
  swatches.undone(COLORS[5]);
  assert.deepEqual(labels(swatches.lasts), COLORS.slice(0, 6));
  swatches.used(COLORS[6]);
  assert.deepEqual(labels(swatches.lasts), [...COLORS.slice(0, 5), COLORS[6]]);
});

test('a key keeps its color while one works', () => {
  const { swatches, taken } = swatchesOf('dora');
  const colors = Array.from({ length: 9 }, (_, n) => '#00010' + n);
  for (const color of colors.slice(0, 8)) swatches.used(color);
  for (let n = 1; n <= 8; n++) {
    swatches.takeUsed(n);
    swatches.used(colors[n - 1]);
  }
  assert.deepEqual(taken, colors.slice(0, 8));
  assert.deepEqual(labels(swatches.recents), colors.slice(0, 8));
  assert.equal(swatches.recents.children[7].title, colors[7] + ' (8)');
  assert.equal(swatches.recents.children[7].dataset.key, '8');
  // The ninth takes the place of the one that was not used for longest, which comes after the row.
  swatches.used(colors[8]);
  swatches.takeUsed(1);
  assert.equal(taken.at(-1), colors[8]);
  const row = [colors[8], ...colors.slice(1, 8), colors[0]];
  assert.deepEqual(labels(swatches.recents), row);
  assert.equal(swatches.recents.children[8].title, colors[0]);
  assert.equal(swatches.recents.children[8].dataset.key, undefined);
});

test('the focus stays on the color that was pressed', () => {
  const { swatches } = swatchesOf('carla');
  document.body.append(swatches.recents);
  for (const color of COLORS.slice(0, 2)) swatches.used(color);
  swatches.recents.querySelector('button').focus();
  swatches.used(COLORS[0]);
  assert.equal(document.activeElement?.getAttribute('aria-label'), COLORS[0]);
  swatches.recents.remove();
});

test('a palette of a file is there again in the next drawing, and can be removed', async () => {
  const { swatches, taken } = swatchesOf('anna');
  const open = async (name, text) => {
    const content = new TextEncoder().encode(text);
    const file = { name, size: content.length, arrayBuffer: async () => content.buffer };
    Object.defineProperty(swatches.file, 'files', { value: [file], configurable: true });
    const before = swatches.problem.textContent;
    swatches.file.dispatchEvent(new Event('change'));
    while (swatches.problem.textContent === before) await new Promise(setImmediate);
  };
  await open('mine.txt', '#112233 Night\n#445566\n');
  assert.equal(swatches.problem.textContent, '2 colors.');
  await open('diary.txt', 'Dear diary');
  assert.equal(swatches.problem.textContent, 'diary.txt: There is no color in it.');
  const next = swatchesOf('anna').swatches;
  await Promise.all([shown(swatches), shown(next)]);
  for (const { imported } of [swatches, next])
    assert.deepEqual(labels(imported).slice(1), ['Night, #112233', '#445566']);
  // They stand after the last colors, but those that are among these.
  swatches.used('#445566');
  const row = labels(swatches.lasts);
  assert.deepEqual([row.length, row.indexOf('#445566') < 6, row[6]], [7, true, '#112233']);
  swatches.imported.querySelector('.cv-swatches button').click();
  assert.deepEqual(taken, ['#112233']);
  next.imported.querySelector('.cv-add').click();
  assert.deepEqual(labels(next.imported), []);
  assert.deepEqual(labels(swatchesOf('anna').swatches.imported), []);
});
