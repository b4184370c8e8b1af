// Published rows: each says why the shown evaluations are not it.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { answer, load, requests } from '../page.js';
import { until } from '../until.js';

const { judging, published } = await load('vlm/tables');
const { qa } = await load('vlm/view');

const row = (name, group, table, people = false) => ({
  name,
  group,
  table,
  note: `Table ${table}`,
  people,
  tasks: { color_counting: 40 },
  overall: 50,
  macro: null,
  robust: null,
  doubts: {},
});
const result = {
  set: { tasks: [{ id: 'color_counting', title: 'Color Counting', count: 3 }] },
  published: [
    row('GPT-4o', 'Proprietary', '1'),
    row('Human Evaluation', 'Human', '1', true),
    row('Text-only', '< 7B', '9'),
  ],
};
const gap = {
  name: 'gpt-4o · plain',
  sentence: '',
  columns: [{ id: 'Overall', short: 'Overall', part: '' }],
  missing: { Overall: '-22.1' },
  rows: [
    { name: 'parser', sentence: '', ours: '2', theirs: 'released', cells: { Overall: '-15.0' } },
  ],
  runs: [],
  command: '',
};

function shown() {
  const box = document.createElement('div');
  box.append(...published(result));
  document.body.replaceChildren(box);
  return [...box.querySelectorAll('.th-why')];
}

test('every row has the button, that of people too', () => {
  assert.deepEqual(
    shown().map((button) => button.getAttribute('aria-label')),
    [
      'Why not the paper’s number? GPT-4o, Proprietary',
      'Why not the paper’s number? Human Evaluation, Human',
      'Why not the paper’s number? Text-only, < 7B',
    ],
  );
});

test('the row below has the shares of what is shown, and a second click closes it', async () => {
  qa.set = 'colorbench';
  qa.evaluations = ['a', 'b'];
  answer('GET /api/vlm/gap', { gaps: [gap] });
  const [button] = shown();
  button.click();
  await until(() => document.querySelector('.th-gap table'));
  assert.equal(
    requests.at(-1).search,
    '?set=colorbench&askings=a,b&table=1&group=Proprietary&row=GPT-4o',
  );
  const lines = [...document.querySelectorAll('.th-gap tbody tr')].map((line) =>
    [...line.cells].map((cell) => cell.textContent),
  );
  assert.deepEqual(lines, [
    ['Printed less yours', '−22.1'],
    ['parser2 → released', '−15.0'],
  ]);
  button.click();
  assert.equal(document.querySelector('.th-gap'), null);
});

test('without an evaluation of the model there is the command', async () => {
  const none = { ...gap, name: '', columns: [], missing: {}, rows: [], sentence: 'None is shown:' };
  answer('GET /api/vlm/gap', { gaps: [{ ...none, command: 'truehue reproduce colorbench' }] });
  shown()[0].click();
  await until(() => document.querySelector('.th-gap code'));
  assert.match(document.querySelector('.th-gap').textContent, /None is shown:truehue reproduce/);
});

test('the rows of GenColorBench beside a judge have it too', async () => {
  const id = 'gencolorbench-table2';
  const table = { id, title: 'Table 2', note: '', published: true, columns: ['model', 'MCQ L2'] };
  const ours = { ...table, id: 'accuracy', published: false, rows: [['Q1', '50.0']] };
  const tables = [ours, { ...table, rows: [['Qwen2-VL-7B', '43.4']] }];
  const judge = { ready: true, reports: [{ asking: 'a', title: 'm', note: '', tables }] };
  document.body.replaceChildren(...judging({ judge }, async () => {}));
  qa.set = 'renders';
  answer('GET /api/vlm/judge-gap', { gaps: [gap] });
  const [button, ...others] = document.querySelectorAll('.th-why');
  assert.equal(others.length, 0);
  button.click();
  await until(() => document.querySelector('.th-gap table'));
  const asked = new URLSearchParams(requests.at(-1).search);
  assert.deepEqual(Object.fromEntries(asked), {
    set: 'renders',
    asking: 'a',
    table: id,
    row: 'Qwen2-VL-7B',
  });
});
