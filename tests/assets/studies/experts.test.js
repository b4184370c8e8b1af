// Experts by name in the results of a study: who is how far, agreement, comments, and who is assigned.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { answer, requests, settled } from '../page.js';

window.history.replaceState({}, '', '?tab=studies');
const { expertsCard } = await import('../../../assets/js/studies/colorings/experts.js');

const view = {
  ...{ status: 'ready', reviewers: 2, named: true, may_review: false, sent_back: 1 },
  experts: [
    { name: 'Eve', named: true, open: true, done: 34, left: 86, sent_back: 1, yes: 17 },
    { name: 'Ben', named: true, open: false, done: 0, left: 120, sent_back: 0, yes: 0 },
  ],
  accounts: [
    { id: 'e1', name: 'Eve', role: 'expert', named: true },
    { id: 'a1', name: 'Ann', role: 'admin', named: false },
  ],
  pairs: [
    { first: 'Eve', second: 'Ben', colorings: 40, equal: 0.9, kappa: 0.62 },
    { first: 'Eve', second: 'Ann', colorings: 3, equal: 1, kappa: null },
  ],
  comments: [
    {
      ...{ name: 'Eve', case: 'c1', words: 'pear', position: 2, value: 'inconsistent' },
      ...{ participant: 'p', number: 0, label: 'Participant 1' },
      ...{ comment: 'Too <dark>', at: '2026-11-29T10:00:00+00:00' },
    },
  ],
};
answer('GET /api/studies/s1/experts', view);
const told = [];
const card = expertsCard({ address: '/api/studies/s1', study: { id: 's1' } }, (now) =>
  told.push(now.may_review),
);
document.body.append(card.node);
const text = () => card.node.textContent.replaceAll(/\s+/g, ' ');

test('the card says who is how far, how two agree, and what was written', async () => {
  await card.load();
  assert.deepEqual(told, [false]);
  assert.match(text(), /2 experts per coloring, assigned by name/);
  assert.match(text(), /1 coloring sent back to experts/);
  assert.match(text(), /34 of 120/);
  assert.match(text(), /Ben \(account closed\)/);
  assert.match(text(), /Eve and Ben4090%0\.62/);
  assert.match(text(), /“Too <dark>”/);
  assert.match(text(), /Eve, no to pear by Participant 1/);
});

test('experts are assigned in a dialog', async () => {
  answer('POST /api/studies/s1/experts', { ...view, reviewers: 1, sent_back: 0 });
  [...card.node.querySelectorAll('button')]
    .find((node) => node.textContent === 'Assign experts…')
    .click();
  const dialog = document.querySelector('dialog[open]');
  const boxes = [...dialog.querySelectorAll('input[type=checkbox]')];
  assert.deepEqual(
    boxes.map((box) => box.checked),
    [true, false],
  );
  boxes[1].click();
  dialog.querySelector('#th-colorings-overlap').value = '1';
  [...dialog.querySelectorAll('button')].find((node) => node.textContent === 'Assign').click();
  await settled(10);
  const { body } = requests.find(({ method }) => method === 'POST');
  assert.deepEqual(body, { experts: ['e1', 'a1'], reviewers: 1 });
  assert.match(text(), /1 expert per coloring/);
  assert.equal(document.querySelector('dialog[open]'), null);
});
