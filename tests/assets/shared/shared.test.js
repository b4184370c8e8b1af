// What all rooms share: the store, nodes and numbers, the basket, cards of a verdict, and long work.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';

import { answer, faults, load, requests, settled } from '../page.js';

const JS = new URL('../../../assets/js/', import.meta.url);
answer('GET ' + new URL('picker/catalog.json', JS).pathname, { systems: [], colors: [] });
const { store } = await load('shared/state');
const textsOf = (node, selector) =>
  [...node.querySelectorAll(selector)].map((item) => item.textContent);

test('all modules load, and none needs the workbench for that', async () => {
  const names = readdirSync(JS, { recursive: true }).filter((name) => name.endsWith('.js'));
  assert.ok(names.length > 100);
  for (const name of names) await load(name.slice(0, -'.js'.length).replaceAll('\\', '/'));
});

test('the store keeps and tells', () => {
  const heard = [];
  const leave = store.subscribe('a', (detail) => heard.push(['first', detail]));
  store.subscribe('a', (detail) => heard.push(['second', detail]));
  store.set('a', 1);
  store.set('a', 2, 'news');
  store.tell('a', 3);
  assert.equal(store.get('a'), 2);
  leave();
  store.tell('a', 4);
  assert.deepEqual(heard, [
    ['first', 1],
    ['second', 1],
    ['first', 'news'],
    ['second', 'news'],
    ['first', 3],
    ['second', 3],
    ['second', 4],
  ]);
  assert.equal(store.take('a'), 2);
  assert.equal(store.get('a'), undefined);
});

test('a fault of one listener is not the others’', () => {
  const heard = [];
  store.subscribe('b', () => {
    throw new Error('a fault');
  });
  store.subscribe('b', () => heard.push('heard'));
  store.tell('b');
  assert.deepEqual(heard, ['heard']);
  assert.equal(faults.pop().message, 'a fault');
});

test('numbers and times are said in words', async () => {
  const { many, duration } = await load('shared/dom');
  assert.equal(many(1, 'picture'), '1 picture');
  assert.equal(many(1200, 'picture'), '1,200 pictures');
  assert.deepEqual([0.2, 90, 5400].map(duration), ['1 s', '2 min', '1.5 h']);
});

test('what stays is not taken out of its box', async () => {
  const { arrange, make } = await load('shared/dom');
  const box = make('div');
  const [a, b, c] = ['a', 'b', 'c'].map((text) => make('button', '', text));
  document.body.append(box);
  arrange(box, [a, b]);
  b.focus();
  let left = 0;
  b.addEventListener('blur', () => (left += 1));
  arrange(box, [c, b]);
  assert.equal(box.textContent, 'cb');
  assert.equal(document.activeElement, b);
  assert.equal(left, 0);
  box.remove();
});

test('what others say of a verdict stands there as theirs', async () => {
  const { judging } = await load('shared/verdict_actions');
  const own = { id: '1', answer: 'fail', reason: '', status: 'pass', agrees: false };
  const others = [{ answer: 'pass', reason: 'It is red.' }];
  const card = (answers) => {
    const about = { question: {}, status: 'pass', ruleName: 'paper', evidence: 'kept' };
    const { node } = judging({ ...about, answers });
    return [textsOf(node, 'p'), textsOf(node, 'button')];
  };
  const other = 'Another person says: it has the color. “It is red.”';
  assert.deepEqual(card({ judgment: null, others, others_total: 3 }), [
    [other, '2 more: Explore, Rule disagreements'],
    ['Agree', 'Disagree'],
  ]);
  assert.deepEqual(card({ judgment: own, others, others_total: 1 }), [
    ['You disagree: it does not have the color.', other],
    ['Change', 'Withdraw'],
  ]);
  assert.deepEqual(card(), [[], ['Agree', 'Disagree']]);
});

test('the basket is kept in the browser', async () => {
  const { basket } = await load('shared/basket');
  const save = () => JSON.parse(localStorage.getItem('th-basket')).map((item) => item.id);
  const entry = { source: 's', id: '1', text: 'A red mug' };
  const messages = [];
  const leave = basket.watch((elsewhere) => messages.push(elsewhere));
  basket.toggle(entry);
  basket.add([entry, { source: 's', id: '2' }]);
  assert.deepEqual(save(), ['1', '2']);
  assert.deepEqual(basket.refs(), [
    ['s', '1'],
    ['s', '2'],
  ]);
  basket.drop([entry]);
  leave();
  assert.deepEqual(save(), ['2']);
  assert.deepEqual(messages, [false, false, false]);
  // What is there and cannot be read changes nothing; words that this page knows stay.
  basket.replace([entry]);
  localStorage.setItem('th-basket', 'nonsense');
  const news = new window.StorageEvent('storage', { key: 'th-basket' });
  window.dispatchEvent(news);
  assert.equal(basket.size(), 1);
  localStorage.setItem('th-basket', JSON.stringify([{ source: 's', id: '1' }, { id: 3 }, null]));
  window.dispatchEvent(news);
  assert.deepEqual(basket.items(), [entry]);
  basket.clear();
  assert.equal(basket.has(entry), false);
});

test('colors of a figure are the page’s', async () => {
  const { themed } = await load('shared/chart');
  const style = { getPropertyValue: (name) => ' #123 ' + name };
  const rendered = themed({ line: ['var(--th-ink)', 'var(--other)', 3, null] }, style);
  assert.deepEqual(rendered, { line: ['#123 --th-ink', 'var(--other)', 3, null] });
});

test('after a failure nothing more is sent', async () => {
  const { sendAll } = await load('shared/http');
  const started = [];
  const ended = [];
  const sending = sendAll([0, 1, 2, 3, 4, 5], async (number) => {
    started.push(number);
    await settled(number === 1 ? 0 : 20);
    if (number === 1) throw new Error('The disk is full.');
    ended.push(number);
  });
  await assert.rejects(sending, { message: 'The disk is full.' });
  assert.deepEqual(
    [started, ended],
    [
      [0, 1, 2],
      [0, 2],
    ],
  );
});

test('a refusal comes in words, with its field and status, and a session that ended is told', async () => {
  const { ask, send } = await load('shared/http');
  let ended = 0;
  document.addEventListener('th-signed-out', () => (ended += 1));
  answer('POST /api/x', { error: 'No.', field: 'name' }, 409);
  await assert.rejects(send('/api/x', { a: 1 }, { 'X-More': '2' }), {
    message: 'No.',
    field: 'name',
    status: 409,
  });
  assert.deepEqual(requests.at(-1).headers, {
    'X-TrueHue': '1',
    'Content-Type': 'application/json',
    'X-More': '2',
  });
  assert.equal(ended, 0);
  answer('GET /api/x', null, 401);
  await assert.rejects(ask('/api/x'), { message: 'The app answered 401.', field: '' });
  assert.equal(ended, 1);
  await assert.rejects(ask('/api/nothing'), /The app does not answer\. Is it still running\?/);
});

test('a view shows the work of its kind, and its end once', async () => {
  const { watchWork } = await load('shared/jobs');
  const box = document.createElement('div');
  const before = requests.length;
  const seen = [];
  const report = (...jobs) => store.set('work', jobs);
  const cells = (id, active) => ({ id, kind: 'cells', active });
  document.body.append(box);
  report(cells('a', false));
  watchWork(box, 'cells', (job, ended) => seen.push([job && job.id, ended]));
  report({ id: 'x', kind: 'export', active: true }, cells('b', true));
  box.hidden = true;
  report(cells('b', false));
  box.hidden = false;
  report(cells('b', false));
  report(cells('b', false));
  report(cells('c', false));
  report();
  box.remove();
  report(cells('d', false));
  document.body.append(box);
  report(cells('d', false));
  box.remove();
  assert.deepEqual(seen, [
    ['a', false],
    ['b', false],
    ['b', true],
    ['b', false],
    ['c', true],
    [null, false],
  ]);
  assert.equal(requests.length, before);
});
