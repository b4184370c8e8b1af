import assert from 'node:assert/strict';
import { test } from 'node:test';

import { load } from '../page.js';

const { csvOf, span, spanHeads } = await load('studies/table');
const { expectedEnd } = await load('studies/live');

test('a table as CSV has all decimals and no formula', () => {
  const columns = [
    { name: 'model', cell: () => '', values: (row) => [row.model] },
    { name: '', cell: () => '' },
    { name: 'x', cell: () => '', heads: spanHeads('x'), values: (row) => span(row.x) },
  ];
  const x = { value: -0.123456789, low: null, high: 1 };
  const rows = [
    { model: '=cmd()', x },
    { model: 'a "b", c', x },
  ];
  assert.deepEqual(csvOf(columns, rows).split('\r\n'), [
    'model,x,x_low,x_high',
    "'=cmd(),-0.123456789,,1",
    '"a ""b"", c",-0.123456789,,1',
    '',
  ]);
});

test('the end is expected from the last hours', () => {
  const live = {
    state: 'open',
    answers: 100,
    wanted: 200,
    missing: 100,
    now: '2026-01-01T12:00:00Z',
    hours: [
      { at: '2026-01-01T01:00:00Z', answers: 900 },
      { at: '2026-01-01T10:00:00Z', answers: 60 },
      { at: '2026-01-01T11:00:00Z', answers: 40 },
    ],
  };
  const few = [{ at: '2026-01-01T01:00:00Z', answers: 9 }];
  for (const [changes, text, message] of [
    [{}, 'in 2.0 h', 'at 50 answers per hour'],
    [{ answers: 200 }, 'in 2.0 h', 'at 50 answers per hour'],
    [{ missing: 0 }, 'Complete', 'all answers'],
    [{ state: 'paused' }, '–', 'takes no answers'],
    [{ hours: few }, '–', 'no answers in the last'],
  ]) {
    const details = expectedEnd({ ...live, ...changes });
    assert.equal(details.text, text, JSON.stringify(changes));
    assert.ok(details.words.includes(message), details.words);
  }
});
