// Parts of the participants' page that need no study: what waits to be sent, where pictures are
// laid, and the words of both languages.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { faults, load, settled } from '../page.js';
import { until } from '../until.js';

// A network that fails once, a study that stores one event of two, and a page that is opened again.
test('what is not confirmed is sent again, and what is refused stays refused', async () => {
  const { Outbox } = await load('participants/outbox');
  const sent = [];
  let failures = 1;
  const send = async (events) => {
    sent.push(events.map((event) => event.position));
    if (failures-- > 0) throw new Error('no network');
    const second = events.filter((event) => event.position === 1);
    return {
      stored: events.filter((event) => event.position !== 1).map((event) => event.id),
      refused: second.map((event) => ({ id: event.id, error: 'No.', code: 'bad' })),
    };
  };
  const open = () => new Outbox('p', send, () => {});
  const first = open();
  const stored = () => Object.keys(localStorage).filter((key) => key.startsWith(first.prefix));
  first.add('answer', 0, { value: 1 });
  await until(() => first.failing);
  assert.equal(first.waiting.length, 1);
  assert.equal(stored().length, 1);
  first.add('answer', 1, { value: 0 });
  await until(() => !first.waiting.length);
  await settled();
  assert.deepEqual(sent, [[0], [0, 1]]);
  const again = open();
  assert.equal(again.waiting.length, 0);
  assert.deepEqual(again.refused, [{ error: 'No.', code: 'bad' }]);
  assert.equal(stored().length, 1);
});

test('pictures are as large as the screen lets them, and stay where they are', async () => {
  const { arrangement } = await load('participants/layout');
  for (const [positions, width, height, name, side] of [
    [2, 1334, 560, 'below', 496],
    [2, 344, 450, 'rows', 221],
    [2, 700, 180, 'beside', 180],
    [4, 344, 520, 'below', 168],
    [1, 344, 400, 'below', 344],
  ]) {
    const free = arrangement(positions, { width, height }, 1);
    assert.deepEqual([free.name, free.width, free.height], [name, side, side]);
    // A bar of the browser that comes and goes does not move them.
    const held = arrangement(positions, { width, height: height - 30 }, 1, free.name);
    assert.equal(held.name, name);
  }
});

test('nothing was thrown on the way', () => assert.deepEqual(faults, []));
