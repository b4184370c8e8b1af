import assert from 'node:assert/strict';
import { test } from 'node:test';

import { answer, load, requests, settled, widget } from '../page.js';

const { store } = await load('shared/state');

const byRules = (paper, truehue) => [
  { rule: 'paper', ...paper },
  { rule: 'truehue', ...truehue },
];
const object = (name, request, paper, truehue, mask = 'm-' + name) => ({
  object: name,
  color: request.relation === 'matches',
  asked: request,
  mask,
  verdicts: byRules(paper, truehue),
});
const PASS = { status: 'pass', step: 'color', reason: 'It has the asked color.' };
const TOOK = { status: 'fail', step: 'color', reason: 'The plate took the color.' };
const ABSENT = { status: 'fail', step: 'presence', reason: 'The apple is not in the picture.' };
const pink = { hex: '#ffc0cb', value: 'css:pink', label: 'Pink', relation: 'matches' };
const notPink = { ...pink, relation: 'differs' };
const red = { hex: '#ff0000', value: 'css:red', label: 'Red', relation: 'matches' };
const image = {
  image_id: 'i',
  status: 'drawn',
  thumb: '/t.png',
  width: 8,
  height: 8,
  about: 'seed 0',
  details: '',
  notes: [],
};
const items = [
  {
    ...image,
    drawing_id: 'plate',
    text: 'A pink apple on a white plate',
    targets: [object('apple', pink, PASS, PASS), object('plate', notPink, PASS, TOOK)],
    verdicts: byRules(
      { status: 'pass', reason: 'By paper: the apple has the asked color.', short: '' },
      { status: 'fail', reason: "By truehue: the plate took the apple's color.", short: '' },
    ),
  },
  {
    ...image,
    drawing_id: 'fruit',
    text: 'A red banana and a red apple',
    targets: [object('banana', red, PASS, PASS), object('apple', red, ABSENT, ABSENT, '')],
    verdicts: byRules(
      { status: 'fail', reason: ABSENT.reason, short: '' },
      { status: 'fail', reason: ABSENT.reason, short: 'apple: absent' },
    ),
  },
];
const models = [{ id: 'reference-renderer', name: 'Renderer', count: 2 }];
answer('GET /api/drawings', ({ search }) => {
  const wanted = new URLSearchParams(search).get('verdict');
  const shown = items.filter((item) => !wanted || item.verdicts[1].status === wanted);
  return { items: shown, total: shown.length, models };
});

const gallery = await widget('generate/gallery', { props: { rules: ['paper', 'truehue'] } });
store.tell('drawn');
await settled();
const card = (name) => gallery.element.querySelector(`[data-drawing=${name}]`);
const says = (name) => card(name).querySelector('.th-shot-verdict').textContent;
const badges = (name) => [...card(name).querySelectorAll('.th-badge')].map((b) => b.textContent);
const choose = (rule) => {
  const box = gallery.element.querySelector('.th-gallery-rule');
  box.value = rule;
  box.dispatchEvent(new Event('change'));
};

test('a card says the verdict by the chosen rule, in few words where there are some', () => {
  choose('truehue');
  assert.equal(says('plate'), "✕ FailBy truehue: the plate took the apple's color.");
  assert.equal(says('fruit'), '✕ Failapple: absent');
  choose('paper');
  assert.equal(says('plate'), '✓ PassBy paper: the apple has the asked color.');
  assert.equal(says('fruit'), '✕ FailThe apple is not in the picture.');
  choose('truehue');
});

test('the title has the step of each object, and each object its own verdict', () => {
  const line = card('fruit').querySelector('.th-shot-verdict');
  assert.equal(
    line.title,
    'banana: pass at the step “color”. It has the asked color.\n' +
      'apple: fail at the step “presence”. The apple is not in the picture.',
  );
  assert.deepEqual(badges('fruit'), ['pass', 'fail']);
  const plate = card('plate').querySelectorAll('.th-shot-target')[1];
  assert.match(plate.title, /^plate, must not be Pink: The plate took the color\.\npaper pass, /);
});

test('the filter asks for one status, by the rule', async () => {
  items[0].verdicts[1].status = 'pass';
  gallery.element.querySelector('[data-filter=fail]').click();
  await settled();
  assert.match(requests.at(-1).search, /verdict=fail.*rule=truehue/);
  assert.equal(card('plate'), null);
  assert.ok(card('fruit'));
});

test('an object opens in Inspect with its mask and what was asked of it', async () => {
  const answered = { stage: {}, verdict: {}, evidence: {}, question: {} };
  answer('POST /api/inspect/open', answered);
  const [banana, apple] = card('fruit').querySelectorAll('.th-shot-target');
  banana.click();
  assert.deepEqual(requests.at(-1).body, {
    image: 'i',
    object: 'banana',
    target: 'css:red',
    relation: 'matches',
    mask: 'm-banana',
  });
  assert.equal(requests.at(-1).path, '/api/inspect/open');
  await settled();
  // A room that was never in front takes it up when it starts.
  assert.deepEqual(store.take('opened'), answered);
  apple.click();
  assert.equal('mask' in requests.at(-1).body, false);
  // What cannot be opened is said, and goes by itself.
  answer('POST /api/inspect/open', { error: 'Nothing is stored under the image id.' }, 404);
  banana.click();
  await settled();
  const message = document.querySelector('.th-toast');
  assert.equal(message.getAttribute('role'), 'alert');
  assert.match(message.textContent, /^Nothing is stored under the image id/);
  message.querySelector('button').click();
  assert.equal(document.querySelector('.th-toast'), null);
  assert.equal(store.get('opened'), undefined);
});
