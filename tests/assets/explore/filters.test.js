import assert from 'node:assert/strict';
import { test } from 'node:test';

import { load } from '../page.js';

const { DEFAULT_RULE } = await load('shared/constants');
const { otherRule } = await load('explore/filters');
const { explore } = await load('explore/view');

test('a rule that is missing gives way, and a later choice does not', () => {
  const missing = new Error('No rule is called "nope". Known rules: paper, truehue.');
  explore.slice.rule = 'paper';
  assert.equal(otherRule(missing), false);
  assert.equal(explore.slice.rule, 'paper');
  explore.slice.rule = 'nope';
  assert.equal(otherRule(missing), true);
  assert.equal(explore.slice.rule, DEFAULT_RULE);
  assert.match(explore.ruleProblem, /^No rule is called "nope"/);
});
