import assert from 'node:assert/strict';
import { test } from 'node:test';

import { load } from '../page.js';

const { largePng, smoother } = await load('canvas/sharp');

const SIDE = 64;
const FINER = 3;
const [RED, BLUE] = [0xff0000ff, 0xffff0000];

globalThis.ImageData = class {
  constructor(...values) {
    const data = typeof values[0] === 'number' ? null : values.shift();
    this.data = data || new Uint8ClampedArray(4 * values[0] * values[1]);
  }
};

/** The finer pixels of a layer with a color each where something holds, and the layer. */
function finer(...parts) {
  const values = new Uint32Array(SIDE * SIDE);
  for (const [color, holds] of parts)
    for (let i = 0; i < values.length; i++)
      if (holds(i % SIDE, Math.floor(i / SIDE))) values[i] = color;
  const image = smoother({ values, width: SIDE, height: SIDE }, FINER)(0, 0, SIDE, SIDE);
  return { values, pixels: image && new Uint32Array(image.data.buffer) };
}

/** How far down, in pixels of the layer, a column of finer pixels ends to be red. */
function ends(pixels) {
  const width = FINER * SIDE;
  return Array.from({ length: width }, (_, x) => {
    let red = 0;
    for (let y = 0; y < width; y++) red += (pixels[y * width + x] >>> 24) / 255;
    return red / FINER;
  });
}

test('an edge has no steps, at any slope', () => {
  for (const slope of [0, 0.1, 0.25, 0.6, 1]) {
    const line = (x) => 0.4 + slope * (x - SIDE / 2) + SIDE / 2;
    const { pixels } = finer([RED, (x, y) => y + 0.5 < line(x + 0.5)]);
    const list = ends(pixels).slice(FINER * 8, -FINER * 8);
    const away = list.map((end, n) => end - line(8 + (n + 0.5) / FINER));
    const range = Math.max(...away) - Math.min(...away);
    // Steps of whole pixels are almost one pixel high.
    assert.ok(range < 0.45, `${slope}: ${range}`);
  }
});

test('between two colors nothing is transparent, and away from the edge each is what it was', () => {
  const { values, pixels } = finer([RED, () => true], [BLUE, (x, y) => x + 2 * y > 90]);
  let mixed = 0;
  for (let i = 0; i < pixels.length; i++) {
    const [x, y] = [i % (FINER * SIDE), Math.floor(i / (FINER * SIDE))].map((n) => n / FINER);
    const own = values[Math.floor(y) * SIDE + Math.floor(x)];
    assert.equal(pixels[i] >>> 24, 255);
    assert.equal((pixels[i] >>> 8) & 255, 0);
    if (Math.abs(x + 2 * y - 90) > 8) assert.equal(pixels[i], own);
    mixed += Number(pixels[i] !== own);
  }
  assert.ok(mixed > 100);
});

test('what is thin keeps its pixels, and what has one color is left to be as it is', () => {
  const { values, pixels } = finer(
    [RED, (x, y) => y === 30 || (x === 10 && y === 10)],
    [BLUE, (x, y) => x - y === 20 || x - y === 21],
  );
  for (let i = 0; i < pixels.length; i++) {
    const [x, y] = [i % (FINER * SIDE), Math.floor(i / (FINER * SIDE))];
    const own = values[Math.floor(y / FINER) * SIDE + Math.floor(x / FINER)];
    assert.equal(pixels[i], own);
  }
  assert.equal(finer([RED, () => true]).pixels, null);
});

test('a large file has the colors of the click, whatever is filled while it is prepared', async () => {
  const values = new Uint32Array(SIDE * SIDE).map((_, i) => (i % SIDE < SIDE / 2 ? RED : BLUE));
  const edges = [];
  const { getContext, toBlob } = HTMLCanvasElement.prototype;
  HTMLCanvasElement.prototype.getContext = () => ({
    drawImage() {},
    fillRect() {},
    putImageData: (_, x, y) => edges.push([x / FINER, y / FINER]),
  });
  HTMLCanvasElement.prototype.toBlob = (done) => done('file');
  const image = { data: new Uint8ClampedArray(values.buffer) };
  const file = largePng({ ink: {}, layer: {}, image, width: SIDE, height: SIDE });
  values.fill(RED, SIDE * (SIDE / 2));
  assert.equal(await file, 'file');
  Object.assign(HTMLCanvasElement.prototype, { getContext, toBlob });
  // The edge between both goes down all of it.
  const rows = [0, 16, 32, 48].flatMap((y) => [16, 32].map((x) => [x, y]));
  assert.deepEqual(edges, rows);
});
