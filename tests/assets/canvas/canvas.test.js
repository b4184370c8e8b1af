import assert from 'node:assert/strict';
import { test } from 'node:test';

import { load } from '../page.js';

const { SPACES, hexOf, shadesOf, srgb1Of, widest } = await load('canvas/colors');
const { Forms } = await load('canvas/forms');
const { Hands } = await load('canvas/hands');
const { View } = await load('canvas/view');
const { hueTouch } = await load('canvas/hue_touch');
const { Layer } = await load('canvas/layer');
const { Regions } = await load('canvas/regions');
const { Uncolored } = await load('canvas/uncolored');

const [WIDTH, HEIGHT] = [50, 20];

/** Paper (1) around four boxes (2 to 5) in a row. */
function labels() {
  const map = new Uint16Array(WIDTH * HEIGHT).fill(1);
  for (let y = 5; y < 15; y++)
    for (let x = 5; x < 45; x++) map[y * WIDTH + x] = 2 + Math.floor((x - 5) / 10);
  return map;
}

/** Regions 1, 2, … where these conditions hold, on a map of this side. */
function regionsOf(side, ...forms) {
  const map = new Uint16Array(side * side);
  for (let i = 0; i < map.length; i++)
    map[i] = 1 + forms.findIndex((holds) => holds(i % side, Math.floor(i / side)));
  return new Regions(side, side, [map], [forms.length]);
}

test('regions of one form look alike, turned and mirrored too, and others of their size do not', () => {
  const within = (value, low, high) => value >= low && value < high;
  const arm = (x, y) => within(x, 0, 30) && within(y, 0, 30) && (x < 12 || y < 8);
  const area = 12 * 30 + 18 * 8;
  const regions = regionsOf(
    120,
    arm,
    (x, y) => arm(119 - x, y),
    (x, y) => arm(y - 60, x),
    (x, y) => within(x, 40, 40 + area / 21) && within(y, 60, 81),
    (x, y) => within(x, 40, 40 + area / 9) && within(y, 100, 109),
    (x, y) => (x - 100) ** 2 + (y - 70) ** 2 < area / Math.PI,
  );
  const forms = new Forms(regions);
  const alike = [2, 3, 4, 5, 6].map((label) => forms.resembles(0, 1, label));
  assert.deepEqual(alike, [true, true, false, false, false]);
  assert.ok(!forms.resembles(0, 4, 5));
  assert.ok(!forms.resembles(0, 6, 1));
});

test('the edge of a region is one line without steps', () => {
  const regions = regionsOf(60, (x, y) => (x - 30) ** 2 + (y - 30) ** 2 < 20 ** 2);
  const [edge, ...others] = regions.edges(0, 1);
  assert.deepEqual([others, edge.at(-1)], [[], edge[0]]);
  const away = edge.map(([x, y]) => Math.hypot(x - 30.5, y - 30.5));
  assert.ok(Math.max(...away) - Math.min(...away) < 1, String(away));
});

const CODE = 1 / 255;

test('the plane has a color of sRGB at each of its places, at all hues', () => {
  for (const space of Object.values(SPACES))
    for (let hue = 0; hue < 360; hue += 15)
      for (const up of [0, 0.2, 0.5, 0.8, 0.97, 1]) {
        const across = widest(space, up * space.most[0], hue);
        const srgb1 = space.toSrgb1([up * space.most[0], across, hue]);
        assert.ok(
          srgb1.every((c) => c > -CODE / 2 && c < 1 + CODE / 2),
          String([hue, up, srgb1]),
        );
        // It is the last one.
        const more = space.toSrgb1([up * space.most[0], across * 1.01 + 0.01, hue]);
        if (across < space.most[1]) assert.ok(more.some((c) => c < 0 || c > 1));
      }
});

test('what still needs a color is each region that has none, and never the paper', () => {
  const said = [];
  const maps = [labels()];
  const canvas = {
    layer: new Layer(WIDTH, HEIGHT, maps),
    regions: new Regions(WIDTH, HEIGHT, maps, [5]),
    sketch: { width: WIDTH, height: HEIGHT },
    closing: 0,
    actions: [],
    say: String,
    tell: (name) => said.push(name),
  };
  const does = (action) => {
    canvas.layer.apply(action);
    canvas.actions.push(action);
  };
  const uncolored = new Uncolored(canvas);
  const left = () => uncolored.left.map(({ label }) => label);
  assert.deepEqual(left(), [2, 3, 4, 5]);
  does({ do: 'fill', x: 18, y: 10, closing: 0, color: '#112233' });
  // A brush that went over a corner leaves the rest of the box.
  does({ do: 'stroke', points: [26, 6], diameter: 5, color: '#112233', within: null });
  assert.deepEqual(left(), [2, 4, 5]);
  assert.equal(uncolored.next(2, 1), undefined);
  uncolored.on = true;
  assert.deepEqual([uncolored.next(2, 1), uncolored.next(5, 1), uncolored.next(2, -1)], [4, 2, 5]);
  does({ do: 'undo' });
  does({ do: 'undo' });
  assert.deepEqual(left(), [2, 3, 4, 5]);
  assert.deepEqual([uncolored.none(), said], [false, []]);
  for (const x of [8, 18, 28, 38]) does({ do: 'fill', x, y: 10, closing: 0, color: '#112233' });
  assert.deepEqual([uncolored.none(), said], [true, ['bare_none']]);
});

test('tiny regions are counted from the start, and next when nothing else is left', () => {
  const map = new Uint16Array(200 * 200).fill(1);
  for (let y = 20; y < 180; y++) for (let x = 20; x < 180; x++) map[y * 200 + x] = x < 100 ? 2 : 3;
  for (const i of [0, 1, 200]) map[50 * 200 + 50 + i] = 4;
  const layer = new Layer(200, 200, [map]);
  const regions = new Regions(200, 200, [map], [4]);
  const canvas = {
    layer,
    regions,
    sketch: { width: 200, height: 200 },
    closing: 0,
    actions: [],
    say: (name, { n, tiny } = {}) => `${n} + ${tiny} tiny`,
  };
  const uncolored = new Uncolored(canvas);
  const left = () => uncolored.left.map(({ label }) => label);
  const fill = (x, y = 90) =>
    canvas.actions.push(layer.apply({ do: 'fill', x, y, closing: 0, color: '#112233' }));
  assert.deepEqual([left(), uncolored.text()], [[2, 3], '2 + 1 tiny']);
  fill(30);
  assert.deepEqual([left(), uncolored.text()], [[3], '1 + 1 tiny']);
  fill(150);
  assert.deepEqual([left(), uncolored.text()], [[4], '0 + 1 tiny']);
  fill(50, 50);
  assert.deepEqual([left(), uncolored.text()], [[], '0']);
});

test('a finger that scrolls from the hues leaves the color as it is', () => {
  const listeners = {};
  const hues = [];
  const hue = { value: '30', addEventListener: (name, call) => (listeners[name] = call) };
  const picker = { hue, touched: false, hueAt: (x) => x, turnTo: (x) => hues.push(x) };
  hueTouch(picker);
  const drag = (end, ...places) => {
    const [[clientX, clientY]] = places;
    listeners.pointerdown({ pointerType: 'touch', clientX, clientY });
    hue.value = String(clientX);
    places.forEach(([x, y], i) => {
      const type = i < places.length - 1 ? 'touchmove' : end;
      listeners[type]({ type, changedTouches: [{ clientX: x, clientY: y }] });
    });
    assert.equal(picker.touched, false);
  };
  drag('touchend', [100, 50], [103, 20], [180, 10]);
  drag('touchcancel', [100, 50], [102, 46]);
  assert.deepEqual([hue.value, hues], ['30', []]);
  drag('touchend', [100, 50], [101, 52]);
  drag('touchend', [100, 50], [120, 55], [140, 20]);
  assert.deepEqual(hues, [101, 120]);
});

/** A canvas on a stage of one CSS pixel a pixel, and what a finger did on it. */
function stageOf(fitted) {
  const done = [];
  const listeners = {};
  const stage = {
    addEventListener: (name, call) => (listeners[name] = call),
    setPointerCapture: () => {},
    focus: () => {},
    append: () => {},
    dataset: {},
  };
  const sweeps = {
    rests: true,
    begin: (x, y) => done.push(['sweep', x, y]),
    extend: (x, y) => done.push(['on', x, y]),
    end: () => done.push(['end']),
    cancel: () => done.push(['cancel']),
  };
  const canvas = {
    enabled: true,
    tool: 'fill',
    sweeps,
    strokes: { rests: false },
    fill: (x, y) => done.push(['fill', x, y]),
    pick: (x, y) => done.push(['pick', x, y]),
    simply: (name) => done.push([name]),
    view: {
      stage,
      fitted,
      pixel: ({ clientX, clientY }) => [clientX, clientY],
      mark: () => {},
      pan: () => done.push(['pan']),
    },
  };
  const hands = new Hands(canvas);
  const send = (type, clientX, clientY, pointerId = 1, timeStamp = 0) =>
    listeners[type]({
      ...{ type, clientX, clientY, pointerId, timeStamp, pointerType: 'touch' },
      ...{ button: 0, buttons: 1, preventDefault: () => {} },
    });
  return { canvas, done, hands, send };
}

test('a finger that rests aims, and in a drawing looked at closer it fills as it moves', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const [whole, closer, picking] = [stageOf(true), stageOf(false), stageOf(false)];
  picking.canvas.tool = 'pick';
  for (const { send } of [whole, closer]) {
    send('pointerdown', 10, 10);
    context.mock.timers.tick(300);
    send('pointermove', 40, 12);
    send('pointerup', 40, 12);
  }
  assert.deepEqual(whole.done, [['fill', 40, 12]]);
  assert.deepEqual(closer.done, [['sweep', 10, 10], ['on', 40, 12], ['end']]);
  picking.send('pointerdown', 10, 10);
  picking.send('pointermove', 40, 12);
  picking.send('pointerup', 40, 12);
  // Without a rest a drag fills, or moves what is looked at closer; a second finger fills nothing.
  for (const { done, send } of [whole, closer]) {
    done.length = 0;
    send('pointerdown', 10, 10);
    send('pointermove', 40, 12);
    send('pointerup', 40, 12);
    send('pointerdown', 10, 10);
    context.mock.timers.tick(300);
  }
  whole.send('pointerdown', 60, 10, 2, 400);
  whole.send('pointerup', 60, 10, 2, 900);
  assert.deepEqual(whole.done, [['sweep', 10, 10], ['on', 40, 12], ['end']]);
  assert.deepEqual(closer.done, [['pan'], ['sweep', 10, 10]]);
  assert.deepEqual(picking.done, [['pick', 40, 12]]);
});

test('a finger that taps the paper beside the region that is marked fills that one', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const { canvas, done, hands, send } = stageOf(true);
  const tap = (x, y, rests = 0, marked = { x: 30, y: 10 }) => {
    hands.marked = marked;
    send('pointerdown', x, y);
    context.mock.timers.tick(rests);
    send('pointerup', x, y);
    return done.pop().slice(1);
  };
  // The paper is 1, a small region in it 3, and below the 20th row is another.
  const isSmall = (x, y) => Math.max(Math.abs(x - 30), Math.abs(y - 10)) < 3;
  const labelAt = (x, y) => (isSmall(x, y) ? 3 : y < 20 ? 1 : 2);
  canvas.layer = { labelAt, colorAt: () => null };
  canvas.regions = { surround: () => [0, 1, 0, 0] };
  canvas.view.scale = 1;
  assert.deepEqual(tap(45, 12), [30, 10]);
  assert.deepEqual(tap(70, 12), [70, 12]); // too far
  assert.deepEqual(tap(30, 25), [30, 25]); // another region
  assert.deepEqual(tap(45, 12, 300), [45, 12]); // who rests has aimed
  assert.deepEqual(tap(45, 12, 0, { x: 50, y: 12 }), [45, 12]); // the paper itself was marked
});

test('the middle of an enlarged drawing stays there when the stage changes its size', () => {
  const view = new View(512, 512, () => {});
  view.mark = () => {};
  const middle = (clientWidth, clientHeight) => {
    for (const [name, value] of Object.entries({ clientWidth, clientHeight }))
      Object.defineProperty(view.stage, name, { value, configurable: true });
    view.layOut();
    return view.pixel({ clientX: clientWidth / 2, clientY: clientHeight / 2 });
  };
  middle(800, 600);
  view.zoom(4);
  view.pan(-120, 90);
  const before = middle(800, 600);
  assert.deepEqual(middle(1440, 900), before);
  assert.deepEqual(middle(390, 700), before);
  view.fit();
  assert.deepEqual(middle(800, 600), middle(1440, 900)); // the whole one is in the middle
});

test('what Shift would fill is seen while it is held, also once forms can be compared', () => {
  const { canvas, hands } = stageOf(true);
  let alike = [];
  canvas.layer = { labelAt: () => 1, colorAt: () => null };
  canvas.alike = () => alike;
  hands.at = { clientX: 10, clientY: 10, buttons: 0, shiftKey: false };
  hands.shift = true;
  hands.hover();
  alike = [2, 3];
  hands.hover();
  assert.deepEqual(canvas.view.region.others, [2, 3]);
  hands.shift = false;
  hands.hover();
  assert.deepEqual(canvas.view.region.others, []);
});

test('a tap of two fingers is undo, and one of three redo', () => {
  const { done, send } = stageOf(true);
  for (const fingers of [2, 3]) {
    for (let id = 1; id <= fingers; id++) send('pointerdown', 20 * id, 10, id);
    for (let id = 1; id <= fingers; id++) send('pointerup', 20 * id, 10, id, 90);
  }
  assert.deepEqual(done, [['undo'], ['redo']]);
});

test('shades go from dark to light at one hue, and the color itself is one of them', () => {
  const lch = [50, 60, 30];
  const color = hexOf(SPACES.lch.toSrgb1(lch));
  const shades = shadesOf(lch, color);
  assert.deepEqual(
    shades.map((shade) => shade.lch),
    [12, 24, 36, 50, 60, 72, 84, 96].map((light) => [light, 60, 30]),
  );
  assert.equal(shades[3].hex, color);
  assert.equal(shadesOf([100, 0, 0], '#ffffff')[7].hex, '#ffffff');
  for (const { hex, lch } of shades) {
    const [light, , hue] = SPACES.lch.ofSrgb1(srgb1Of(hex));
    assert.ok(Math.abs(light - lch[0]) < 0.6, hex);
    assert.ok(Math.abs(hue - 30) < 6, hex);
  }
});
