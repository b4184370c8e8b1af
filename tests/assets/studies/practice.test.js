// The review of practice: one person after the other, by key, the next one at once.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { answer, press, requests, settled } from '../page.js';

window.history.replaceState({}, '', '?tab=studies');
const { studyView } = await import('../../../assets/js/studies/view.js');
const { practiceView } = await import('../../../assets/js/studies/colorings/practice.js');

Object.assign(studyView, { screen: 'study', study: 's1', view: 'practice' });
const root = document.createElement('div');
root.className = 'th-studies';
document.body.append(root);

const person = (n, more = {}) => ({
  ...{ participant: 'p' + n, number: n, label: 'Participant ' + (n + 1), round: 1 },
  ...{ positions: [0, 1, 2], skipped: [] },
  ...more,
});
const colorings = [0, 1, 2].map((position) => ({
  ...{ position, words: 'pear ' + position, seconds: 40, actions: 5, comments: [] },
  ...{ background: null, picture: `/p${position}.png`, layer: '' },
}));
let waiting = [0, 1, 2].map((n) => person(n));
let notices = null;
answer('GET /api/studies/s1/colorings/progress', () => ({ practice_waiting: waiting, notices }));
answer('GET /api/studies/s1/colorings', {
  colorings: [...colorings, { ...colorings[0], position: 7 }],
});
answer('POST /api/studies/s1/practice', {});

const box = document.createElement('div');
root.append(box);
const current = {
  address: '/api/studies/s1',
  study: { id: 's1', plan: { practice: { review: 'researcher', words: ['pear'] } } },
};
const title = () => box.querySelector('h3')?.textContent;
const posted = () => requests.filter(({ method }) => method === 'POST').map(({ body }) => body);
const key = async (name) => {
  press(document.body, name);
  await settled(5);
};

test('practice is accepted and asked for again by key, and the next one is there at once', async () => {
  document.title = 'Study · TrueHue';
  practiceView(box, current).shown();
  await settled(30);
  assert.equal(title(), 'Participant 1');
  assert.equal(box.querySelectorAll('.th-colorings-practice figure').length, 3);
  assert.match(box.textContent, /3 people wait for your review/);
  assert.equal(document.title, '(3) Study · TrueHue');
  // The next person's sketches are on their way already.
  const of = requests.filter(({ path }) => path.endsWith('/colorings'));
  assert.deepEqual(
    of.map(({ search }) => search),
    ['?participant=p0', '?participant=p1'],
  );
  await key('y');
  assert.equal(title(), 'Participant 2');
  assert.match(box.textContent, /Participant 1 continues\./);
  assert.deepEqual(posted().at(-1), {
    ...{ participant: 'p0', value: 'accepted', reason: '', position: 2 },
  });
  await key('ArrowRight');
  assert.equal(title(), 'Participant 3');
  await key('ArrowLeft');
  assert.equal(title(), 'Participant 2');
  await key('n');
  const dialog = document.querySelector('dialog[open]');
  assert.match(dialog.textContent, /Ask Participant 2 to practice again\?/);
  // Keys are for the dialog now.
  await key('y');
  assert.equal(posted().length, 1);
  dialog.querySelector('textarea, input').value = 'Color all of it.';
  [...dialog.querySelectorAll('button')]
    .find((button) => button.textContent === 'Ask to practice again')
    .click();
  await settled(5);
  assert.deepEqual(posted().at(-1), {
    ...{ participant: 'p1', value: 'again', reason: 'Color all of it.', position: 2 },
  });
  assert.equal(title(), 'Participant 3');
  assert.equal(document.title, '(1) Study · TrueHue');
});

test('who could not be answered comes back, and the end says that nobody waits', async () => {
  waiting = [person(2)];
  answer('POST /api/studies/s1/practice', { error: 'The disk is full.' }, 503);
  await key('y');
  await settled(10);
  assert.match(box.textContent, /Participant 3 was not answered\. The disk is full\./);
  assert.equal(title(), 'Participant 3');
  answer('POST /api/studies/s1/practice', {});
  await key('y');
  assert.match(box.textContent, /No practice to review/);
  assert.equal(document.title, 'Study · TrueHue');
});

test('whether a notice goes out is said, and why one did not', async () => {
  const view = practiceView(box, current);
  notices = { ways: ['webhook', 'command'], minutes: 10, sent_at: null, problem: '' };
  view.shown();
  await settled(20);
  assert.match(box.textContent, /goes out by webhook and command when people wait/);
  assert.match(box.textContent, /at most every 10 minutes\./);
  notices = { ...notices, problem: 'The webhook answered 500.' };
  view.shown();
  await settled(20);
  assert.match(box.textContent, /△ The last notice .* failed\. The webhook answered 500\./);
});
