// Models: what the view says of the numbers that the app gives it.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { answer, load, requests, settled } from '../page.js';

const { modelsView } = await load('vlm/models');
const { qa } = await load('vlm/view');

const score = (percent) => ({
  right: percent,
  asked: 100,
  percent,
  low: percent - 5,
  high: percent + 5,
});
const model = (name, language, vision, micro) => ({
  model: name,
  family: 'Qwen',
  language_b: language,
  vision_b: vision,
  language: '',
  vision: '',
  group: '',
  evaluations: {},
  scores: micro === null ? {} : { micro: score(micro) },
});
const VIEW = {
  protocol: 'truehue',
  protocols: ['truehue', 'colorbench-released'],
  columns: ['micro', 'robust'],
  titles: { micro: 'Overall', robust: 'Robust' },
  models: [
    model('Small', 2, 0.6, 40),
    model('Large', 7, null, 60),
    model('Unknown', null, null, null),
  ],
  correlations: [
    { size_of: 'L', task: 'micro', n: 4, rho: -0.8, p: 0.0004 },
    { size_of: 'L + V', task: 'micro', n: 2, rho: null, p: null },
  ],
  best: { micro: { '': { model: 'Large', percent: 60 } } },
  reasoning: [{ task: 'micro', mean: -1.5, median: -1.5, models: { Small: -4, Large: 1 } }],
  gray: [{ task: 'micro', mean: 0.25, median: 0.25, models: { Small: 0.25 } }],
  hard: [{ question_id: 'q1', task: 'micro', text: 'How many?', wrong: 2, models: 3 }],
  hard_count: 5,
  questions: 100,
  right_by_all: 7,
  left_out: ['Evaluation x was left out.'],
};

async function shown(view) {
  answer('GET /api/vlm/models', view);
  const box = document.createElement('div');
  document.body.append(box);
  const models = modelsView(box);
  await models.load(true);
  await settled();
  return { box, models };
}
const rows = (box, label) =>
  [...box.querySelector(`[aria-label="Table: ${label}"]`).querySelectorAll('tbody tr')].map(
    (line) => [...line.cells].map((cell) => cell.textContent),
  );
const pick = (box, name, value) => {
  const field = [...box.querySelectorAll('label')].find((item) =>
    item.textContent.startsWith(name),
  );
  const select = field.querySelector('select');
  select.value = value;
  select.dispatchEvent(new window.Event('change'));
};

test('only models whose sizes are all known are in the figure, and all are in the table', async () => {
  const { box } = await shown(VIEW);
  const about = () => box.querySelector('svg.th-vlm-scaling').getAttribute('aria-label');
  assert.match(about(), /: 1 model\./);
  assert.match(box.querySelector('.th-vlm-rho').textContent, /needs four models/);
  pick(box, 'Size of', 'L');
  assert.match(about(), /: 2 models\./);
  const words = box.querySelector('.th-vlm-rho').textContent;
  assert.equal(words, 'Spearman’s ρ = −0.80, p < 0.001, 4 models.');
  assert.deepEqual(
    rows(box, 'models').map((cells) => cells[0]),
    ['Small', 'Large', 'Unknown'],
  );
  assert.deepEqual(rows(box, 'models')[2].slice(2), ['–', '–', '–', '–']);
});

test('effects have their sign and range, gray in percent', async () => {
  const { box } = await shown(VIEW);
  assert.deepEqual(rows(box, 'What reasoning changes'), [
    ['Overall', '2', '−1.5', '−1.5', '−4.0 to +1.0'],
  ]);
  assert.deepEqual(rows(box, 'What gray images change'), [
    ['Overall', '1', '+25.0', '+25.0', '+25.0 to +25.0'],
  ]);
  assert.match(
    box.textContent,
    /5 of 100 questions; all models are right on 7\. The hardest one is listed/,
  );
  assert.match(box.textContent, /Evaluation x was left out\./);
});

test('another protocol is asked for, and a late answer does not replace a newer one', async () => {
  const { box, models } = await shown(VIEW);
  pick(box, 'Protocol', 'colorbench-released');
  await settled();
  assert.match(requests.at(-1).search, /protocol=colorbench-released/);
  let resolve;
  const slow = new Promise((done) => (resolve = done));
  answer('GET /api/vlm/models', () => slow);
  qa.set = 'first';
  const first = models.load(false);
  answer('GET /api/vlm/models', { ...VIEW, models: [] });
  qa.set = 'second';
  await models.load(false);
  resolve(VIEW);
  await first;
  assert.match(box.textContent, /No model was evaluated on this set yet/);
});
