// A canvas whose question about the background cannot be loaded.
import assert from 'node:assert/strict';
import { register } from 'node:module';
import { test } from 'node:test';

import { load, settled } from '../page.js';

const OFFLINE = `export async function load(url, context, next) {
  if (url.includes('/canvas/background.js')) throw new TypeError('Failed to fetch');
  return next(url, context);
}`;
register('data:text/javascript,' + encodeURIComponent(OFFLINE));

const context = new Proxy({}, { get: () => () => context, set: () => true });
HTMLCanvasElement.prototype.getContext = () => context;
HTMLImageElement.prototype.decode = async () => {};
globalThis.ImageData = class {};
globalThis.Path2D = class {};
performance.measure = () => {};

const { ColoringCanvas, VERSION } = await load('canvas/canvas');
const { Easel } = await load('participants/easel');

test('a sketch can be colored although nobody can be asked about its background', async () => {
  // Version, width, height, maps; of each map its regions, then label and length.
  const regions = Uint8Array.from([1, 8, 8, 4, ...[1, 1, 64, 1, 1, 64, 1, 1, 64, 1, 1, 64]]);
  globalThis.fetch = async () => new Response(regions);
  const done = [];
  const canvas = new ColoringCanvas({
    sketch: { id: 's', width: 8, height: 8, closing: 0, ink: 'ink.png', regions: 'regions' },
    texts: {},
    concept: 'a red apple',
    onAction: (action) => done.push(action.do),
  });
  document.body.append(canvas.node);
  await Promise.race([canvas.ready, settled(1_000)]);
  assert.ok(canvas.enabled);
  assert.equal(canvas.background, null);
  canvas.setColor('#c02030');
  canvas.fill(4, 4, false);
  assert.deepEqual(done, ['fill']);
  assert.equal(canvas.coloredShare(), 1);
  await settled();
  canvas.destroy();
});

test('a drawing begins with the color of the one before where that is kept', () => {
  const sketch = { id: 's', width: 8, height: 8, closing: 0, ink: 'ink.png', regions: 'regions' };
  const begun = (keepsColor) => new ColoringCanvas({ sketch, texts: {}, keepsColor });
  begun(true).picker.take('#5d8a3c');
  const [next, neutral] = [begun(true), begun(false)];
  assert.deepEqual([next.color, next.picker.hex.value], ['#5d8a3c', '#5d8a3c']);
  assert.deepEqual([neutral.color, neutral.picker.hex.value], [null, '']);
  for (const study of [{}, { keep_color: true }]) {
    let put = null;
    const trial = { position: 0, words: 'an apple', ask_background: false, sketch };
    const easel = new Easel(trial, 'p', { put: (node) => (put = node), acted: () => {} }, study);
    easel.open([]);
    assert.equal(put.querySelector('.cv-hex').value, study.keep_color ? '#5d8a3c' : '');
    easel.close();
  }
  for (const canvas of [next, neutral]) canvas.destroy();
});

test('an answer tells the version of the canvas, and what was said of the background before', () => {
  localStorage.setItem('truehue-background:p:0', '{"asked":1,"undone":0,"part":true}');
  const sketch = { position: 0, words: 'a red apple', ask_background: true };
  const { answer } = new Easel(sketch, 'p', {}, {});
  assert.equal(answer.display.canvas, VERSION);
  assert.deepEqual(answer.background, { asked: 1, undone: 0, part: true });
});
