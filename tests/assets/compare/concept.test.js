import assert from 'node:assert/strict';
import { test } from 'node:test';

import { answer, settled, widget } from '../page.js';
import { until } from '../until.js';

test('where the bins do not come, the page says so and draws nothing', async () => {
  const failed = [];
  process.on('unhandledRejection', (error) => failed.push(error));
  answer('GET /api/compare/concepts', { concepts: [], here: null });
  answer('GET /api/compare/bins', { error: 'Your session has ended.' }, 401);
  const { element } = await widget('compare/concept');
  const problem = element.querySelector('.th-concept-list-problem');
  await until(() => !problem.hidden);
  await settled(20);
  assert.equal(problem.textContent, 'Your session has ended.');
  assert.deepEqual(failed, []);
});
