// The page of experts: a list with counts, one coloring after the other by key, comments, and what
// was sent back.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { answer, press, requests, settled, type } from '../page.js';

const A = 'a'.repeat(32);
const B = 'b'.repeat(32);
const item = (n, more = {}) => ({
  ...{ id: String(n).repeat(32), words: 'pear ' + n, picture: `/p${n}.png` },
  ...{ histogram: [0.25, 0.75], comment: '', returned: null },
  bins: [
    { hex: '#c82020', name: 'red' },
    { hex: '#208a3a', name: 'green' },
  ],
  ...more,
});
const view = (more) => ({
  ...{ status: 'ready', title: 'Fruit', item: item(1), previous: null, done: 34, left: 86 },
  ...{ upcoming: null, sent_back: 0, reviewers: 3, scope: 'all', ...more },
});
answer('GET /api/reviews', {
  studies: [
    { id: A, title: 'Fruit', done: 34, left: 86, sent_back: 2 },
    { id: B, title: 'Sea', done: 5, left: 0, sent_back: 0 },
  ],
  may_review: true,
  may_see_studies: false,
});
answer(`GET /api/studies/${A}/review`, view({}));

document.body.innerHTML =
  '<button data-surround="light"></button><button data-surround="dark"></button>' +
  '<main id="review"></main>';
await import('../../../assets/js/studies/review.js');
const page = document.querySelector('#review');
const text = () => page.textContent.replaceAll(/\s+/g, ' ');
const posted = () => requests.filter(({ method }) => method === 'POST').map(({ body }) => body);
const named = (name) =>
  [...page.querySelectorAll('button')].find((node) => node.getAttribute('aria-label') === name);
const key = async (name, target = document.body) => {
  press(target, name);
  await settled(5);
};

test('the list says how many wait, and opens one study', async () => {
  await settled(10);
  assert.match(text(), /86 colorings wait for you/);
  assert.match(text(), /34 of 120 reviewed, 2 sent back to you/);
  assert.match(text(), /5 of 5 reviewed/);
  assert.equal(document.title, '(86) Review');
  await key('y'); // nothing is on screen to answer
  assert.deepEqual(posted(), []);
  named('Review: Fruit').click();
  await settled(10);
  assert.equal(location.search, '?study=' + A);
  assert.match(text(), /34 of 120 reviewed/);
  assert.match(text(), /Are these the colors of pear 1\?/);
  assert.equal(document.title, '(86) Fruit · Review');
  assert.equal(page.querySelectorAll('.th-colorings-bar-of').length, 2);
});

test('a coloring is answered by key, with a comment that C writes', async () => {
  answer(
    `POST /api/studies/${A}/review`,
    view({ item: item(2), previous: item(1), done: 35, left: 85 }),
  );
  await key('c');
  const comment = page.querySelector('textarea');
  assert.equal(document.activeElement, comment);
  type(comment, ' Too dark. ');
  await key('y', comment); // a letter of the comment, and no answer
  assert.deepEqual(posted(), []);
  await key('Enter', comment);
  assert.notEqual(document.activeElement, comment);
  await key('n');
  assert.deepEqual(posted().at(-1), { item: '1'.repeat(32), value: 'no', comment: 'Too dark.' });
  assert.match(text(), /35 of 120 reviewed/);
  assert.equal(comment.value, '', 'the next coloring has no comment yet');
  answer(
    `POST /api/studies/${A}/review`,
    view({ item: item(1, { comment: 'Too dark.' }), done: 34, left: 86 }),
  );
  await key('u');
  assert.deepEqual(posted().at(-1), { item: '1'.repeat(32), value: 'back', comment: '' });
  assert.equal(comment.value, 'Too dark.');
});

test('what was sent back shows the note and the answer from before', async () => {
  const returned = { value: 'no', note: 'Look at the <b>stem</b>.' };
  answer(`POST /api/studies/${A}/review`, view({ item: item(3, { returned }), sent_back: 1 }));
  await key('y');
  assert.match(text(), /1 sent back to you/);
  assert.match(text(), /You answered no\. The researcher writes: Look at the <b>stem<\/b>\./);
  answer(`POST /api/studies/${A}/review`, view({ item: item(4) }));
  await key('y');
  assert.equal(page.querySelector('.review-returned'), null);
});

test('an answer that was not saved is said, and the coloring stays', async () => {
  answer(`POST /api/studies/${A}/review`, { error: 'The disk is full.' }, 503);
  page.querySelector('textarea').value = 'Which stem?';
  await key('y');
  assert.match(text(), /The answer was not saved\. The disk is full\./);
  assert.match(text(), /pear 4/);
  assert.equal(page.querySelector('textarea').value, 'Which stem?', 'nor is the comment lost');
  answer(`POST /api/studies/${A}/review`, { error: 'Sign in.' }, 401);
  await key('y');
  assert.match(text(), /Your session has ended\. Reload the page to sign in again\./);
});

test('what is written before the app has answered is of the next coloring', async () => {
  let done;
  answer(`POST /api/studies/${A}/review`, () => new Promise((now) => (done = now)));
  await key('y');
  const comment = page.querySelector('textarea');
  assert.equal(posted().at(-1).comment, 'Which stem?');
  comment.value = 'A new one';
  done(view({ item: item(5, { comment: 'older' }) }));
  await settled(5);
  assert.match(text(), /pear 5/);
  assert.equal(comment.value, 'A new one');
  comment.value = '';
});

test('what was written of a coloring that changed is not said of the next', async () => {
  answer(`POST /api/studies/${A}/review`, { error: 'This coloring was changed.' }, 404);
  answer(`GET /api/studies/${A}/review`, view({ item: item(6), previous: item(5) }));
  const comment = page.querySelector('textarea');
  comment.value = 'Of pear 5';
  await key('y');
  await settled(5);
  assert.match(text(), /pear 6/);
  assert.equal(comment.value, '');
});

test('an unfinished comment on a coloring waits while the one before is undone', async () => {
  const comment = page.querySelector('textarea');
  comment.value = 'Half a';
  answer(`POST /api/studies/${A}/review`, view({ item: item(5), previous: null }));
  await key('u');
  assert.match(text(), /pear 5/);
  assert.equal(comment.value, '');
  answer(`POST /api/studies/${A}/review`, view({ item: item(6), previous: item(5) }));
  await key('y');
  assert.equal(comment.value, 'Half a');
  comment.value = '';
});

test('the end says so, and Back leads to the list', async () => {
  answer(
    `POST /api/studies/${A}/review`,
    view({ item: null, previous: item(4), done: 120, left: 0 }),
  );
  await key('y');
  assert.match(text(), /All reviewed\. Thank you\./);
  assert.equal(document.title, 'Fruit · Review');
  history.back();
  await settled(30);
  assert.match(text(), /86 colorings wait for you/);
  document.querySelector('[data-surround=light]').click();
  assert.equal(localStorage.getItem('th-surround'), 'light');
});
