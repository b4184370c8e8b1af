import assert from 'node:assert/strict';
import { test } from 'node:test';

import { faults } from '../page.js';
import { Page, Study, pass, until } from './study.js';

const COLORS = ['#202020', '#ff0000', '#00ff00', '#0000ff', '#ffffff'];

test('strips have areas by weight, all in one order', async () => {
  const weights = [
    [0.1, 0.4, 0, 0.2, 0.3],
    [0, 0.25, 0.5, 0.25, 0],
  ];
  const reference = [0.2, 0.2, 0.2, 0.2, 0.2];
  const shown = weights.map((weight) => ({ images: [], weights: weight }));
  new Study({
    material: 'distributions',
    colors: COLORS,
    trials: [{ places: shown, reference }],
  });
  const page = await Page.open();
  await page.begins();
  const strips = [...page.root.querySelectorAll('.strip svg')].map((strip) =>
    [...strip.children].map((part) => [
      part.getAttribute('fill'),
      Number(part.getAttribute('x')) / 10_000,
      Number(part.getAttribute('width')) / 10_000,
    ]),
  );
  assert.equal(strips.length, 3);
  for (const [strip, shares] of strips.map((item, n) => [item, [reference, ...weights][n]])) {
    const wanted = COLORS.map((color, n) => [color, shares[n]]).filter(([, share]) => share);
    for (const [color, share] of wanted)
      assert.ok(Math.abs(strip.find(([fill]) => fill === color)[2] - share) < 1e-4);
    assert.equal(strip.length, wanted.length);
    // One begins where the one before ends.
    strip.reduce((end, [, x, width]) => (assert.ok(Math.abs(x - end) < 1e-4), x + width), 0);
  }
  const order = strips[0].map(([color]) => color);
  for (const strip of strips) {
    const positions = strip.map(([color]) => order.indexOf(color));
    assert.deepEqual(
      positions,
      [...positions].sort((a, b) => a - b),
    );
  }
  assert.deepEqual(order.slice(-2), ['#202020', '#ffffff'], 'what has no hue is at the end');
});

test('pictures are looked at closely together, and the next ones are whole again', async () => {
  const study = new Study({ trials: 2 });
  HTMLElement.prototype.getBoundingClientRect = () => ({
    left: 0,
    top: 0,
    width: 400,
    height: 200,
  });
  const page = await Page.open();
  await page.begins();
  const frame = page.find('.frame');
  const moved = () => {
    const all = [...page.root.querySelectorAll('.frame img')].map((node) => node.style.transform);
    assert.equal(all.length, 2);
    assert.equal(new Set(all).size, 1, 'both show the same part');
    return all[0];
  };
  const point = (name, clientX, clientY) =>
    frame.dispatchEvent(
      Object.assign(new MouseEvent(name, { clientX, clientY, bubbles: true }), { pointerId: 1 }),
    );
  assert.equal(moved(), '');
  page.key('z');
  assert.equal(moved(), 'translate(-75%, -75%) scale(2.5)');
  assert.equal(page.button('Zoom').getAttribute('aria-pressed'), 'true');
  point('pointerdown', 200, 100);
  point('pointermove', 300, 100);
  point('pointerup', 300, 100);
  assert.equal(moved(), 'translate(-50%, -75%) scale(2.5)');
  page.key('ArrowRight');
  assert.equal(moved(), 'translate(-75%, -75%) scale(2.5)');
  const wheel = { deltaY: -300, clientX: 200, clientY: 100, cancelable: true };
  assert.ok(!frame.dispatchEvent(new WheelEvent('wheel', wheel)), 'the page does not scroll');
  assert.ok(Number(/scale\((.+)\)/.exec(moved())[1]) > 4);
  for (let tap = 0; tap < 2; tap++) {
    point('pointerdown', 200, 100);
    point('pointerup', 200, 100);
    pass(100);
  }
  assert.equal(moved(), '');
  // Arrows choose where nothing is looked at closely.
  page.key('ArrowRight');
  await page.sees(1);
  assert.equal(moved(), '');
  page.key('2');
  await page.finishes();
  assert.deepEqual(study.told('answer'), [
    ['answer', 0, 1],
    ['answer', 1, 1],
  ]);
  assert.deepEqual(
    study.events.filter((item) => item.kind === 'answer').map((item) => item.body.display.zoomed),
    [true, false],
  );
});

const question = (text, form, choices) => ({
  words: text,
  form,
  choices,
  image: 'i',
  places: undefined,
});

test('questions are answered by the letters of their choices', async () => {
  const study = new Study({
    kind: 'questions',
    material: 'questions',
    trials: [
      question('Which color?', 'multiple-choice', ['Red', 'Green', 'Blue']),
      question('Is it red?', 'binary', ['yes', 'no']),
      question('How many?', 'multiple-choice', ['1', '2', '3', '4']),
    ],
  });
  let page = await Page.open();
  await page.begins();
  const options = () =>
    [...page.root.querySelectorAll('.option')]
      .filter((node) => !node.hidden)
      .map((node) => node.textContent);
  assert.deepEqual(options(), ['ARed', 'BGreen', 'CBlue']);
  page.key('s');
  await page.sees(1);
  assert.deepEqual(options(), ['YYes', 'NNo']);
  page.key('u');
  await page.sees(0);
  page.key('c');
  await page.sees(1);
  page.key('n');
  await page.sees(2);
  // Whoever counts four presses 4, and would have given the fourth answer.
  page.key('4');
  page.key('e');
  await until(() => study.events.length === 4);
  page = await Page.open();
  await page.asksOtherTabs();
  assert.match((await page.at('again')).textContent, /2 of 3 are done/);
  page.press('Continue');
  await page.sees(2);
  page.root.querySelectorAll('.option')[1].click();
  await page.finishes();
  assert.deepEqual(study.told('answer', 'undo'), [
    ['answer', 0, null],
    ['undo', 0, undefined],
    ['answer', 0, 2],
    ['answer', 1, 1],
    ['answer', 2, 1],
  ]);
});

test('nothing was thrown meanwhile', () => assert.deepEqual(faults, []));
