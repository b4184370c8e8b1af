import assert from 'node:assert/strict';
import { test } from 'node:test';

import { answer, language, load, settled, template, widget } from '../page.js';

const HTML = template('colorize/colorize', {
  canvas_texts: JSON.stringify(language('en').canvas),
});

const { sideCards } = await load('colorize/side_cards');
const { colorize } = await load('colorize/view');
const { store } = await load('shared/state');

test('another drawing begins without the colors of the one before', async () => {
  const box = document.createElement('div');
  box.innerHTML = HTML;
  const cards = sideCards(box);
  answer('GET /api/compare/bins', { bins: [], orders: { hue: [] } });
  const red = { name: 'Red', hex: '#B3202A', lab: 'L* 39.2', share: 1 };
  cards.show({
    words: 'apple',
    colored: 0.5,
    colors: { listed: [red], more: 0 },
    against: [],
    of: { people: 1, others: 0 },
    metrics: [],
  });
  await settled();
  assert.match(box.querySelector('.th-colorize-chosen').textContent, /#B3202A/);
  assert.equal(
    box.querySelector('.th-colorize-against-count').textContent,
    '1 distribution of “apple”',
  );
  cards.clear();
  assert.equal(box.querySelector('.th-colorize-chosen'), null);
  assert.equal(box.querySelector('.th-colorize-share').textContent, '');
  assert.equal(box.querySelector('.th-colorize-against-count').textContent, '');
  assert.equal(box.querySelector('.th-colorize-headline').textContent, '');
});

test('a drawing that comes after Back is not opened', async () => {
  answer('GET /api/colorize/sketches', { bases: [], stored: [], colors: {} });
  answer('GET /api/colorize/kept', { kept: [] });
  let come;
  answer('GET /api/colorize/sketch', () => new Promise((done) => (come = done)));
  const { element } = await widget('colorize/colorize', { html: HTML });
  const begin = element.querySelector('.th-colorize-begin');
  colorize.drawing = 'concept-0041';
  store.tell('colorize-back');
  colorize.drawing = '';
  store.tell('colorize-back');
  come({ id: 's', words: 'apple', width: 8, height: 8 });
  await settled(20);
  assert.equal(begin.hidden, false);
  assert.equal(element.querySelector('.th-colorize-desk').hidden, true);
  assert.equal(element.querySelector('.th-colorize-problem').textContent, '');
});
