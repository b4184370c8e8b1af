import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as live from '../live.js';

const { give, link, settled, textOf, until, value } = live;

history.replaceState({}, '', '?tab=compare&view=concept');
live.rooms('Compare');
await live.widget('compare/switch');
const { element } = await live.widget('compare/concept');
const view = element.querySelector('.th-concept');
const part = (name) => view.querySelector('.th-concept-' + name);
const labels = () => [...view.querySelectorAll('.th-concept-source-label')].map(textOf);

test('the room opens with people’s ratings of a concept, beside a few renders', async () => {
  await until(() => labels().length === 2);
  assert.equal(textOf(part('words')), 'banana');
  assert.match(labels()[0], /UW-71 association ratings/);
  assert.match(textOf(part('sources')), /ratings, normalized/);
  assert.match(labels()[1], /three renders of a banana/);
  await until(() => view.querySelector('[data-figure="flow"] .th-figure')?.drawn);
  assert.match(link(), /concept=concept-\d+&d=set:/);
});

test('photographs that are dropped take the place of the example', async () => {
  const dropped = part('drop').querySelector('input');
  give(dropped, value.photograph);
  await until(() => labels().length === 1 && /photograph/.test(labels()[0]));
  await settled(20);
  assert.equal(textOf(part('words')), '1 image');
  // The figures come first: the list of concepts is folded, and there is none to generate.
  assert.equal(part('browse').hidden, true);
  assert.equal(part('generate').hidden, true);
  assert.doesNotMatch(link(), /concept=/);
});
