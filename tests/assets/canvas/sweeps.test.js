import assert from 'node:assert/strict';
import { test } from 'node:test';

import { load } from '../page.js';

const { ColoringCanvas } = await load('canvas/canvas');
const { Forms } = await load('canvas/forms');
const { Layer } = await load('canvas/layer');
const { Regions } = await load('canvas/regions');
const { Strokes } = await load('canvas/strokes');
const { Sweeps } = await load('canvas/sweeps');
const { Uncolored } = await load('canvas/uncolored');

// jsdom has no paths.
globalThis.Path2D = class {
  arcs = 0;
  moveTo() {}
  arc() {
    this.arcs++;
  }
};

const WIDTH = 50;
const HEIGHT = 20;
const RED = '#aa1122';

/** Paper (1) around four boxes (2 to 5) in a row, with ink (0) between them. */
function labels() {
  const map = new Uint16Array(WIDTH * HEIGHT).fill(1);
  for (let y = 5; y < 15; y++)
    for (let x = 5; x < 45; x++)
      map[y * WIDTH + x] = x % 10 === 4 ? 0 : 2 + Math.floor((x - 5) / 10);
  return map;
}

function canvasOf(map = labels()) {
  const maps = Array(4).fill(map);
  const nothing = () => {};
  const canvas = {
    layer: new Layer(WIDTH, HEIGHT, maps),
    regions: new Regions(WIDTH, HEIGHT, maps, Array(4).fill(Math.max(...map))),
    view: { paint: nothing, mark: nothing },
    picker: { swatches: { used: nothing, undone: (color) => canvas.undone.push(color) } },
    undone: [],
    enabled: true,
    closing: 0,
    color: RED,
    done: [],
    said: [],
    colored: () => true,
    hasRoom: () => true,
    announce: nothing,
    percent: String,
    tell: (name, values) => name && canvas.said.push(values ? [name, values.n] : name),
    log: (action) => {
      canvas.done.push(action);
      canvas.actions.push(action);
    },
    endStroke: ColoringCanvas.prototype.endStroke,
    fillAlike: ColoringCanvas.prototype.fillAlike,
    fillPoints: ColoringCanvas.prototype.fillPoints,
    simply: ColoringCanvas.prototype.simply,
    hands: { hover: nothing },
    alike: ColoringCanvas.prototype.alike,
    tellNoRegion: ColoringCanvas.prototype.tellNoRegion,
    tellPaper: ColoringCanvas.prototype.tellPaper,
    background: { open: false },
    sketch: { width: WIDTH, height: HEIGHT },
    actions: [],
    lookalikes: { key: '', labels: [] },
  };
  canvas.forms = new Forms(canvas.regions);
  canvas.strokes = new Strokes(canvas);
  canvas.sweeps = new Sweeps(canvas);
  return canvas;
}

/** Which boxes, and the paper (P), have a color. */
const colored = ({ layer }) =>
  [...'P2345'].filter((name, i) => layer.colorAt(i ? 10 * i : 0, i ? 10 : 0)).join('');

/** Presses at the first place and moves to the others. */
function drag(canvas, [first, ...rest], clears = false) {
  canvas.sweeps.begin(...first, clears);
  for (const place of rest) canvas.sweeps.extend(...place);
  canvas.sweeps.end();
}

test('a drag fills what it enters, on its way too, as one action', () => {
  const canvas = canvasOf();
  drag(canvas, [
    [8, 10],
    [32, 10],
  ]);
  assert.equal(colored(canvas), '234');
  const [action] = canvas.done;
  assert.equal(canvas.done.length, 1);
  assert.deepEqual(
    { ...action, points: action.points.length },
    {
      do: 'fill_regions',
      points: 6,
      closing: 0,
      color: RED,
    },
  );
  const again = canvasOf();
  again.layer.apply(action);
  assert.equal(again.layer.checksum(), canvas.layer.checksum());
  canvas.layer.apply({ do: 'undo' });
  assert.equal(colored(canvas), '');
  canvas.layer.apply({ do: 'redo' });
  assert.equal(canvas.layer.checksum(), again.layer.checksum());
});

test('one region alone is a plain fill, and nothing is none', () => {
  const canvas = canvasOf();
  drag(canvas, [
    [8, 10],
    [9, 12],
  ]);
  drag(canvas, [[8, 10]]);
  drag(canvas, [[14, 10]]);
  assert.deepEqual(canvas.done, [{ do: 'fill', x: 8, y: 10, closing: 0, color: RED }]);
  assert.deepEqual(canvas.said, ['same', 'no_region']);
});

test('the paper around is filled by a drag that begins there alone', () => {
  const canvas = canvasOf();
  drag(canvas, [
    [8, 10],
    [8, 2],
    [18, 2],
    [18, 10],
  ]);
  assert.equal(colored(canvas), '23');
  drag(
    canvas,
    [
      [2, 10],
      [8, 10],
    ],
    true,
  );
  assert.equal(colored(canvas), '3');
  drag(canvas, [
    [2, 10],
    [8, 10],
  ]);
  assert.equal(colored(canvas), 'P23');
  // That is said each time: white is not seen there.
  canvas.simply('undo');
  drag(canvas, [[2, 10]]);
  assert.deepEqual(canvas.said, ['no_color', 'paper', 'paper']);
});

test('a drag changes only what looks like the region where it began', () => {
  const canvas = canvasOf();
  const [GREEN, BLUE] = ['#118833', '#2244aa'];
  const row = [8, 18, 28, 38].map((x) => [x, 10]);
  const colors = () => row.map(([x, y]) => canvas.layer.colorAt(x, y));
  const fill = (box, color) =>
    canvas.layer.apply({ do: 'fill', x: row[box][0], y: 10, closing: 0, color });
  const stroke = (box, color, diameter) =>
    canvas.layer.apply({ do: 'stroke', points: row[box], diameter, color, within: 0 });
  // From an uncolored one: what has a color stays; a few strokes are no color of a region.
  fill(1, GREEN);
  stroke(2, BLUE, 3);
  drag(canvas, row);
  assert.deepEqual(colors(), [RED, GREEN, RED, RED]);
  // From a colored one, also where a stroke lies on it: its color alone, and not what has none.
  fill(1, null);
  fill(2, BLUE);
  stroke(0, GREEN, 3);
  canvas.color = GREEN;
  drag(canvas, row);
  assert.deepEqual(colors(), [GREEN, null, BLUE, GREEN]);
  // From one that has the color in hand: on into what has none.
  drag(canvas, row);
  assert.deepEqual(colors(), [GREEN, GREEN, BLUE, GREEN]);
  // Where no color has half of a region, the pixel under the hand says which.
  fill(0, null);
  stroke(0, RED, 9);
  stroke(0, BLUE, 5);
  canvas.color = '#ddcc00';
  drag(canvas, row);
  assert.deepEqual(colors(), ['#ddcc00', GREEN, '#ddcc00', GREEN]);
  // Clear takes what it enters.
  drag(canvas, row, true);
  assert.deepEqual(colors(), [null, null, null, null]);
});

test('a second finger takes back what the first began', () => {
  const canvas = canvasOf();
  canvas.sweeps.begin(8, 10, false);
  assert.ok(canvas.sweeps.rests);
  canvas.sweeps.extend(20, 10);
  assert.ok(!canvas.sweeps.rests);
  canvas.sweeps.cancel();
  assert.equal(colored(canvas), '');
  assert.equal(canvas.layer.coloredShare, 0);
  assert.deepEqual(canvas.done, []);
});

test('all that look like a region are filled in one step', () => {
  const canvas = canvasOf();
  canvas.fillAlike(8, 10, false);
  assert.equal(colored(canvas), '2345');
  canvas.layer.apply({ do: 'undo' });
  canvas.layer.apply({ do: 'fill', x: 8, y: 10, closing: 0, color: '#00ff00' });
  canvas.layer.apply({ do: 'fill', x: 38, y: 10, closing: 0, color: '#00ff00' });
  // A brush that went over a line makes no other region of it.
  const points = [14, 10, 16, 10];
  canvas.layer.apply({ do: 'stroke', points, diameter: 3, color: '#0000ff', within: null });
  canvas.fillAlike(8, 10, false);
  assert.equal(canvas.layer.colorAt(38, 10), RED);
  assert.equal(canvas.layer.colorAt(28, 10), null);
  canvas.fillAlike(38, 10, true);
  assert.equal(colored(canvas), '');
  // Of the empty ones, those of another size stay.
  canvas.fillAlike(0, 0, false);
  assert.equal(colored(canvas), 'P');
  canvas.fillAlike(0, 0, false);
  assert.deepEqual(canvas.said, [
    ['alike_filled', 4],
    ['alike_filled_color', 2],
    ['alike_cleared', 2],
    ['alike_form', 1],
    'paper',
    'same',
  ]);
  assert.ok(canvas.done.every((action) => action.do === 'fill_regions'));
});

test('tiny regions are filled like the neighbor of their longest border, in one step', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const side = 200;
  // Paper (1) around a left (2), a right (3) and a lower box (4) that touch each other.
  const map = new Uint16Array(side * side).fill(1);
  for (let y = 20; y < 180; y++)
    for (let x = 20; x < 180; x++) map[y * side + x] = y >= 100 ? 4 : x < 100 ? 2 : 3;
  const put = (label, ...points) => points.forEach(([x, y]) => (map[y * side + x] = label));
  put(5, [99, 50], [99, 51], [100, 50]); // more of it is in the left box
  put(6, [110, 99], [111, 99], [112, 99]); // five sides at the right box, three at the lower one
  put(7, [140, 50]); // within a tiny one
  put(9, [139, 50], [141, 50], [140, 49], [140, 51]);
  put(8, [18, 60], [19, 60], [20, 60]); // five sides at the paper, three at the left box
  const maps = Array(4).fill(map);
  const canvas = Object.assign(canvasOf(), {
    layer: new Layer(side, side, maps),
    regions: new Regions(side, side, maps, Array(4).fill(9)),
    sketch: { width: side, height: side },
    say: String,
  });
  const uncolored = new Uncolored(canvas);
  const tiny = () =>
    [
      [99, 50],
      [111, 99],
      [140, 50],
      [20, 60],
    ].map((at) => canvas.layer.colorAt(...at));
  uncolored.fillTiny();
  assert.deepEqual([canvas.said, canvas.done], [[['tiny_bare', 0]], []]);
  const [LEFT, RIGHT, LOWER] = ['#aa0000', '#00aa00', '#0000aa'];
  const fill = (x, y, color) => {
    const action = { do: 'fill', x, y, closing: 0, color };
    canvas.log(action, canvas.layer.apply(action));
  };
  fill(40, 50, LEFT);
  fill(150, 50, RIGHT);
  fill(50, 150, LOWER);
  uncolored.fillTiny();
  assert.deepEqual(tiny(), [LEFT, RIGHT, RIGHT, LEFT]);
  const filled = canvas.layer.checksum();
  // Rings show these regions for a moment, unless something else is done.
  const rings = [];
  const line = (path) => rings.push(path.arcs);
  canvas.view.overlay(line, 1);
  assert.deepEqual(rings, [5]);
  uncolored.update();
  assert.equal(canvas.view.overlay, null);
  // As plain fills, which a replay does alike.
  assert.deepEqual(
    canvas.done.slice(3).map(({ do: kind, color, points }) => [kind, color, points.length / 2]),
    [
      ['fill_regions', LEFT, 2],
      ['fill_regions', RIGHT, 3],
    ],
  );
  const replayed = () => {
    const again = new Layer(side, side, maps);
    canvas.done.forEach((action) => again.apply(action));
    return again.checksum();
  };
  assert.equal(replayed(), filled);
  canvas.simply('undo');
  assert.deepEqual(tiny(), [null, null, null, null]);
  assert.equal(canvas.layer.colorAt(40, 50), LEFT);
  canvas.simply('redo');
  assert.equal(canvas.layer.checksum(), filled);
  assert.deepEqual(canvas.undone, []);
  // After another action instead, undo takes that one alone.
  canvas.simply('undo');
  fill(99, 50, LOWER);
  fill(111, 99, LOWER);
  canvas.simply('undo');
  assert.equal(canvas.layer.colorAt(99, 50), LOWER);
  assert.equal(replayed(), canvas.layer.checksum());
  canvas.simply('redo');
  uncolored.fillTiny();
  assert.deepEqual(tiny(), [LOWER, LOWER, RIGHT, LEFT]);
  uncolored.fillTiny();
  assert.deepEqual(canvas.said.slice(1), [
    ['tiny_filled', 5],
    ['tiny_filled', 3],
    ['tiny_none', 0],
  ]);
  // The paper has a color, too: a tip gets the color of the box that it ends.
  fill(0, 0, '#eeeeee');
  canvas.layer.apply({ do: 'fill', x: 20, y: 60, closing: 0, color: null });
  canvas.actions.push('clears');
  uncolored.fillTiny();
  assert.equal(canvas.layer.colorAt(20, 60), LEFT);
  assert.ok(canvas.view.overlay);
  context.mock.timers.tick(4_000);
  assert.equal(canvas.view.overlay, null);
  // Beside them, Uncolored has rings of its own.
  uncolored.on = true;
  canvas.layer.apply({ do: 'fill', x: 20, y: 60, closing: 0, color: null });
  canvas.actions.push('clears');
  uncolored.fillTiny();
  context.mock.timers.tick(4_000);
  assert.ok(canvas.view.overlay);
});

test('a straight stroke comes from where the last one ended', () => {
  const canvas = Object.assign(canvasOf(), { diameter: 3, within: false });
  const { strokes } = canvas;
  const draws = (straight, ...points) => {
    const [[x, y], ...others] = points;
    strokes.begin(x, y, false, straight);
    for (const point of others) strokes.extend(...point);
    strokes.end();
    return canvas.done.at(-1).points;
  };
  assert.deepEqual(draws(true, [8, 2]), [8, 2]);
  assert.deepEqual(draws(false, [10, 2], [20, 2]), [10, 2, 20, 2]);
  assert.deepEqual(draws(true, [40, 17]), [20, 2, 40, 17]);
  // Inside the lines around its beginning.
  canvas.within = true;
  draws(false, [8, 10]);
  assert.deepEqual(draws(true, [28, 10]), [8, 10, 28, 10]);
  assert.deepEqual([canvas.layer.colorAt(12, 10), canvas.layer.colorAt(18, 10)], [RED, null]);
  // Ink is where it would come from, and it says so, though the click is past the drawing.
  strokes.last = [14, 10];
  assert.equal(strokes.begin(60, 10, false, true), false);
  assert.deepEqual(canvas.said, ['no_region']);
  // The stroke before is gone with Undo, and with the only one of a color that color.
  canvas.within = false;
  draws(false, [10, 2], [20, 2]);
  canvas.simply('undo');
  canvas.color = '#123456';
  draws(false, [10, 2], [20, 2]);
  canvas.simply('undo');
  assert.deepEqual(canvas.undone, ['#123456']);
  assert.deepEqual(draws(true, [46, 17]), [46, 17]);
});
