import assert from 'node:assert/strict';
import { test } from 'node:test';

import { load } from '../page.js';

test('every text of the canvas is there in German', async () => {
  const { english } = await load('canvas/words');
  const { words } = await load('canvas/words_de');
  assert.deepEqual(Object.keys(words).sort(), Object.keys(english).sort());
});
