import assert from 'node:assert/strict';
import { test } from 'node:test';

import { load } from '../page.js';

const { csvOf, span, spanHeads } = await load('studies/table');
const { expectedEnd } = await load('studies/live');
const { firstMaterials } = await load('studies/form_materials');

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

test('the models that a form begins with have a prompt set in common', () => {
  const run = (id, set_name) => ({ source: 'run:' + id, set_name });
  const model = (source) => ({ name: source, sources: [source] });
  const first = (runs, more = [], kind = 'pairs') =>
    firstMaterials(
      { material: 'images', kind, form: { number: 0 } },
      {
        runs,
        suggested: {
          images: [...runs.map(({ source }) => model(source)), ...more.map(model)],
          people: [],
        },
      },
    ).models.map(({ name }) => name);
  const runs = [run(1, 'concepts'), run(2, 'mini'), run(3, 'css'), run(4, 'mini')];
  assert.deepEqual(first(runs, ['pictures:5']), ['run:2', 'run:4']);
  const four = [5, 6, 7, 8].map((id) => run(id, 'four'));
  assert.deepEqual(first([...runs, ...four], [], 'best-of'), ['run:5', 'run:6', 'run:7', 'run:8']);
  // Where no two are of one set, nothing says which go together.
  assert.deepEqual(first(runs.slice(0, 2), ['pictures:5']), ['run:1', 'run:2', 'pictures:5']);
});
