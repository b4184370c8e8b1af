import assert from 'node:assert/strict';
import { test } from 'node:test';

import { meanColor } from '../../../assets/js/canvas/reference.js';

test('a color of an image is the mean of its light, without what is transparent', () => {
  const pixels = ['ff0000ff', '000000ff', 'ffffffff', '00ff0000'];
  const data = Uint8ClampedArray.from(Buffer.from(pixels.join(''), 'hex'));
  const image = { width: 4, height: 1, data };
  assert.equal(meanColor(image, 0, 0, 1), '#ff0000');
  // Half of the light of white is #bcbcbc, and not #808080.
  assert.equal(meanColor({ width: 2, height: 1, data: data.slice(4, 12) }, 0, 0, 3), '#bcbcbc');
  assert.equal(meanColor(image, 3, 0, 1), null);
  assert.equal(meanColor(image, 3, 0, 3), '#ffffff');
});
