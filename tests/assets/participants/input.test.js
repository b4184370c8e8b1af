import assert from 'node:assert/strict';
import { test } from 'node:test';

import { InputLog } from '../../../assets/js/participants/input_log.js';
import { faults } from '../page.js';
import { Page, Study, pass, until } from './study.js';

const BOX = { left: 300, top: 100, width: 100, height: 40 };
const at = (clientX, clientY, timeStamp, more = {}) => ({
  clientX,
  clientY,
  timeStamp,
  pointerType: 'mouse',
  isTrusted: true,
  ...more,
});

/** The last press of the mouse at a place, after it moved along steps `[x, y, time]`. */
function pressed(steps, [x, y, time], log = new InputLog()) {
  for (const step of steps) log.moved([at(...step)], false);
  log.down(at(x, y, time), BOX);
  log.up({ timeStamp: time + 80 });
  return log.take().at(-1);
}

test('a jump is one step of the whole way, to the very center', () => {
  const log = new InputLog();
  pressed([[10, 120, 0]], [10, 120, 10], log);
  const press = pressed([[350, 120, 900]], [350, 120, 900], log);
  assert.deepEqual(press, {
    by: 'mouse',
    off: 0,
    distance: 340,
    length: 340,
    jump: 340,
    bend: 0,
    moves: 1,
    rest: 0,
    took: 0,
    held: 80,
  });
  assert.deepEqual(log.take(), [], 'a press is told once');
});

test('a press where the mouse never went is a jump as well', () => {
  const log = new InputLog();
  pressed([[10, 120, 0]], [10, 120, 10], log);
  assert.equal(pressed([], [350, 120, 900], log).jump, 340);
});

test('a line at one speed is straight and level, and a hand is neither', () => {
  const line = Array.from({ length: 41 }, (_, i) => [10 + 8 * i, 120, 10 * i]);
  const ruled = pressed(line, [330, 120, 401]);
  assert.deepEqual(
    [ruled.distance, ruled.bend, ruled.even, ruled.late, ruled.took, ruled.rest],
    [320, 0, 0, 0.25, 400, 1],
  );
  const hand = Array.from({ length: 81 }, (_, i) => {
    const t = i / 80;
    const s = t ** 3 * (10 - 15 * t + 6 * t * t);
    return [10 + 320 * s, 120 + 12 * Math.sin(Math.PI * s), 8 * i];
  });
  const curved = pressed(hand, [330, 120, 760]);
  assert.ok(curved.bend > 11 && curved.bend < 13);
  assert.ok(curved.even > 0.6);
  assert.ok(curved.late >= 0.35);
  assert.equal(curved.rest, 120);
});

test('a rest begins another movement, and short ways say nothing', () => {
  const log = new InputLog();
  log.moved([at(0, 0, 0), at(900, 500, 100)], false);
  log.moved([at(905, 500, 900)], false);
  const press = pressed([[910, 500, 910]], [910, 500, 950], log);
  assert.equal(press.distance, undefined);
  log.left();
  assert.equal(pressed([], [10, 10, 2000], log).jump, undefined, 'it comes back anywhere');
});

test('what is dragged is no way to a press', () => {
  const log = new InputLog();
  pressed([[10, 10, 0]], [10, 10, 5], log);
  log.moved([at(500, 500, 50)], true);
  assert.equal(pressed([[502, 501, 400]], [502, 501, 420], log).distance, undefined);
});

test('a key that answers is told with the next answer, once it was let go', () => {
  const log = new InputLog();
  log.keyDown({ code: 'Digit1', timeStamp: 100, isTrusted: true });
  assert.deepEqual(log.take(), []);
  log.keyUp({ code: 'Digit1', timeStamp: 190.4 });
  log.keyDown({ code: 'Digit2', timeStamp: 900, isTrusted: true });
  assert.deepEqual(log.take(), [{ by: 'key', held: 90 }]);
});

test('a click without a press is of a script, or of a screen reader', () => {
  const log = new InputLog();
  log.click({ timeStamp: 50, isTrusted: true });
  log.down(at(1, 1, 5_000, { pointerType: 'touch' }), undefined);
  log.up({ timeStamp: 5_080 });
  log.click({ timeStamp: 5_081, isTrusted: true });
  log.click({ timeStamp: 5_082, isTrusted: false });
  assert.deepEqual(log.take(), [
    { by: 'none' },
    { by: 'touch', held: 80 },
    { by: 'none', trusted: false },
  ]);
});

test('of many presses an even sample is kept', () => {
  const log = new InputLog();
  for (let i = 0; i < 1_000; i++) {
    log.down(at(i, 0, 100 * i, { pointerType: 'pen' }), undefined);
    log.up({ timeStamp: 100 * i + (i % 90) });
  }
  const presses = log.take();
  assert.ok(presses.length > 5 && presses.length <= 12);
});

const recorded = async (study) => {
  const page = await Page.open();
  await page.at('consent');
  const said = /programs that answer in place of people/.test(page.text);
  page.press('I agree');
  await page.asksOtherTabs();
  await page.at('instructions');
  page.press('Start');
  for (const position of [0, 1]) {
    await page.sees(position);
    page.key('1', { code: 'Digit1' });
    pass(70);
    document.body.dispatchEvent(new KeyboardEvent('keyup', { code: 'Digit1', bubbles: true }));
  }
  await page.finishes();
  await until(() => study.events.length === 3);
  return [said, study.events.map(({ kind, body }) => [kind, body.input])];
};

test('the page records and says so where a study does, and only there', async () => {
  const [said, events] = await recorded(new Study({ trials: 2, record_input: true }));
  assert.ok(said);
  const script = { by: 'none', trusted: false };
  const key = { by: 'key', trusted: false, held: 70 };
  assert.deepEqual(events, [
    ['answer', [script]],
    ['answer', [key]],
    ['finish', [key, script]],
  ]);
  const [silent, plain] = await recorded(new Study({ trials: 2 }));
  assert.ok(!silent);
  assert.deepEqual(
    plain.map(([, input]) => input),
    [undefined, undefined, undefined],
  );
});

test('nothing was thrown meanwhile', () => assert.deepEqual(faults, []));
