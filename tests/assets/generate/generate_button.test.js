import assert from 'node:assert/strict';
import { test } from 'node:test';

import { load, widget } from '../page.js';

const { store } = await load('shared/state');
const draw = await widget('generate/generate_button');
const button = draw.element.querySelector('.th-primary');
const note = draw.element.querySelector('.th-request-note');

test('without prompts the note says how to get some, and the button sends nothing', () => {
  store.set('request', { mode: 'basket', prompts: 0, refs: () => [] });
  assert.equal(button.getAttribute('aria-disabled'), 'true');
  assert.match(note.textContent, /check boxes of the list/);
  button.click();
  assert.deepEqual(draw.sent, []);
});

test('one press sends one request, until its answer has come', () => {
  store.set('request', { mode: 'basket', prompts: 2, refs: () => ['a', 'b'] });
  button.click();
  button.click();
  const [[event, data]] = draw.sent;
  assert.equal(draw.sent.length, 1);
  assert.equal(event, 'draw');
  assert.deepEqual(data.refs, ['a', 'b']);
  draw.set('view', { answered: data.at, note: '2 images' });
  assert.equal(button.getAttribute('aria-disabled'), 'false');
  button.click();
  assert.equal(draw.sent.length, 2);
});

test('the address keeps the list, the mode and the open pair', () => {
  store.set('browse', { q: 'red' });
  store.set('pair', 'd9');
  store.set('request', { mode: 'basket', prompts: 2, refs: () => ['a', 'b'] });
  const values = Object.fromEntries(new URLSearchParams(window.location.search));
  assert.deepEqual(values, { tab: 'generate', q: 'red', mode: 'basket', pair: 'd9' });
});

test('what cannot be read is marked where it stands', () => {
  const field = document.createElement('div');
  field.id = 'generate-seed';
  field.innerHTML = '<input>';
  document.body.append(field);
  draw.set('view', {
    problem: 'The seed is no number.',
    fields: { seed: 'The seed is no number.' },
  });
  assert.equal(field.firstChild.getAttribute('aria-invalid'), 'true');
  assert.equal(field.firstChild.title, 'The seed is no number.');
  assert.ok(note.classList.contains('th-problem'));
  draw.set('view', {});
  assert.equal(field.firstChild.hasAttribute('aria-invalid'), false);
});
