import assert from 'node:assert/strict';
import { test } from 'node:test';

import { faults } from '../page.js';
import { Page, Study, pass, until } from './study.js';

const notice = (page) =>
  [...page.root.querySelectorAll('.notice')].find((node) => !node.hidden)?.textContent ?? '';
const positions = (study) => study.told('answer').map(([, position]) => position);

test('without a network answers wait, the page is not left by mistake, and none is lost', async () => {
  const study = new Study({ trials: 6 });
  const page = await Page.open();
  await page.begins();
  await page.answers([0]);
  await page.sees(1);
  await until(() => study.events.length === 1);
  study.online = false;
  await page.answers([1, 2, 3, 4]);
  await page.sees(5);
  assert.match(notice(page), /Not sent yet: 4 answers/);
  const leaving = new Event('beforeunload', { cancelable: true });
  dispatchEvent(leaving);
  assert.ok(leaving.defaultPrevented);
  study.online = true;
  dispatchEvent(new Event('online'));
  await until(() => study.events.length === 5);
  await until(() => !notice(page));
  const free = new Event('beforeunload', { cancelable: true });
  dispatchEvent(free);
  assert.ok(!free.defaultPrevented);
  await page.answers([5]);
  await page.finishes();
  assert.deepEqual(positions(study), [0, 1, 2, 3, 4, 5]);
});

test('whoever comes back goes on with what was not sent', async () => {
  const study = new Study({ trials: 5 });
  let page = await Page.open();
  await page.begins();
  await page.answers([0, 1]);
  await page.sees(2);
  await until(() => study.events.length === 2);
  study.online = false;
  await page.answers([2, 3]);
  await page.sees(4);
  study.online = true;
  page = await Page.open(); // the page before was left, and could still send what waited
  await page.asksOtherTabs();
  assert.match((await page.at('again')).textContent, /4 of 5 are done/);
  page.press('Continue');
  await page.answers([4]);
  await page.at('comment');
  // Whoever leaves the page now has finished.
  page = await Page.open();
  await page.asksOtherTabs();
  assert.match((await page.at('finished')).textContent, /C1A9/);
  assert.deepEqual(positions(study), [0, 1, 2, 3, 4]);
  page = await Page.open();
  await page.asksOtherTabs();
  assert.match((await page.at('finished')).textContent, /C1A9/);
});

test('practice is not counted to who comes back', async () => {
  const study = new Study({ trials: 3, practice: { count: 1 } });
  let page = await Page.open();
  await page.begins();
  await page.answers([0, 1]);
  await until(() => study.events.filter(({ kind }) => kind === 'answer').length === 2);
  page = await Page.open();
  await page.asksOtherTabs();
  assert.match((await page.at('again')).textContent, /1 of 2 are done/);
});

test('whoever comes back before the last answer is stored goes on once it is', async () => {
  const study = new Study({ trials: 2 });
  let page = await Page.open();
  await page.begins();
  await page.answers([0]);
  await page.sees(1);
  await until(() => study.events.length === 1);
  study.losing = true;
  await page.answers([1]);
  page = await Page.open();
  await page.asksOtherTabs();
  await page.at('again');
  page.press('Continue');
  await page.at('trials');
  pass(300);
  assert.match(page.text, /Saving/);
  study.losing = false;
  dispatchEvent(new Event('online'));
  await page.finishes();
  assert.deepEqual(positions(study), [0, 1]);
});

test('what waits in the browser counts as answered, also where nothing could be sent', async () => {
  const study = new Study({ trials: 3 });
  let page = await Page.open();
  await page.begins();
  await until(() => study.enrolled);
  const ways = study.events;
  study.online = false;
  await page.answers([0, 1]);
  await page.sees(2);
  const opened = Page.open(); // nothing was sent when the page before was left
  await new Promise(setImmediate);
  assert.deepEqual(ways, []);
  page = await opened;
  await page.at('no-answer');
  study.online = true;
  dispatchEvent(new Event('online'));
  await page.asksOtherTabs();
  // It was read before, in this tab.
  await page.sees(2);
  await until(() => study.events.length === 2);
  await page.answers([2]);
  await page.finishes();
  assert.deepEqual(positions(study), [0, 1, 2]);
});

test('a refused answer is said and asked again', async () => {
  const study = new Study({ trials: 3 });
  const page = await Page.open();
  await page.begins();
  study.refuses.answer = { error: 'No such trial.', code: 'no trial' };
  page.key('1');
  await until(() => /1 answer was not accepted: No such trial\./.test(notice(page)));
  await page.sees(1);
  page.key('1');
  await page.sees(0);
  page.key('2');
  await page.answers([2]);
  await page.at('comment');
  await until(() => !notice(page));
  await page.finishes();
  assert.deepEqual(study.told('answer'), [
    ['answer', 1, 0],
    ['answer', 0, 1],
    ['answer', 2, 0],
  ]);
});

test('the last answer is taken back and stays stored', async () => {
  const study = new Study({ trials: 3 });
  const page = await Page.open();
  await page.begins();
  assert.equal(page.button('Undo').getAttribute('aria-disabled'), 'true');
  page.key('u');
  await page.answers([0, 1]);
  await page.sees(2);
  page.key('Backspace');
  await page.sees(1);
  assert.match(page.find('header').textContent, /Undone/);
  await page.answers([1, 2], '2');
  await page.at('comment');
  page.press('Undo');
  await page.answers([2], 's');
  await page.finishes();
  assert.deepEqual(study.told('answer', 'undo'), [
    ['answer', 0, 0],
    ['answer', 1, 0],
    ['undo', 1, undefined],
    ['answer', 1, 1],
    ['answer', 2, 1],
    ['undo', 2, undefined],
    ['answer', 2, null],
  ]);
});

test('mashed and held keys answer once', async () => {
  const study = new Study({ trials: 4 });
  const page = await Page.open();
  await page.begins();
  for (let press = 0; press < 12; press++) {
    page.key('1');
    pass(12);
    await new Promise(setImmediate);
  }
  await page.sees(1);
  page.key('2');
  for (let press = 0; press < 6; press++) {
    pass(60);
    page.key('2', { repeat: true });
    await new Promise(setImmediate);
  }
  await page.sees(2);
  await until(() => study.events.length === 2);
  assert.deepEqual(study.told('answer'), [
    ['answer', 0, 0],
    ['answer', 1, 1],
  ]);
  const [{ body }] = study.events;
  assert.equal(body.response_ms, 230);
});

test('ten is typed as one and zero', async () => {
  const study = new Study({ trials: 5, kind: 'ratings' });
  const page = await Page.open();
  await page.begins();
  const typed = [['1', '0'], ['1'], ['0'], ['7'], ['1', 'Enter']];
  for (const [position, keys] of typed.entries()) {
    await page.sees(position);
    for (const key of keys) {
      page.key(key);
      pass(100);
    }
    pass(600);
  }
  await page.finishes();
  assert.deepEqual(
    study.told('answer').map(([, , value]) => value),
    [10, 1, 0, 7, 1],
  );
});

test('a person stops for good, and not by a key meant for something else', async () => {
  const study = new Study();
  let page = await Page.open();
  await page.begins();
  await page.answers([0]);
  await page.sees(1);
  page.press('Stop');
  assert.ok(page.find('dialog').open);
  page.key('2');
  page.press('Continue');
  await page.sees(1);
  page.press('Stop');
  page.press('Withdraw');
  await page.at('withdrawn');
  await until(() => study.stage === 'withdrawn');
  assert.deepEqual(
    study.events.map((item) => item.kind),
    ['answer', 'withdrawal'],
  );
  page = await Page.open();
  await page.asksOtherTabs();
  await page.at('withdrawn');
});

test('a study that takes nobody says why', async () => {
  for (const state of ['draft', 'paused', 'closed']) {
    const study = new Study();
    study.state = state;
    const page = await Page.open();
    await page.at(state);
    assert.ok(!study.enrolled);
  }
});

test('a link that leads nowhere says so', async () => {
  const study = new Study();
  history.replaceState(null, '', '/study/x');
  const { answer } = await import('../page.js');
  answer('GET /study/x/state', { error: 'There is no such study.' }, 404);
  const page = await Page.open();
  await page.at('unknown');
  assert.ok(!study.enrolled);
});

test('a German study is in German, but for words of its own', async () => {
  new Study({ language: 'de', wording: { agree: 'Ja, gern' } });
  const page = await Page.open();
  await page.at('consent');
  page.press('Ja, gern');
  await page.asksOtherTabs();
  assert.match((await page.at('instructions')).textContent, /Ihre Aufgabe/);
});

test('what the study refuses is said in its language, and can be tried again', async () => {
  const study = new Study({ language: 'de' });
  const { answer } = await import('../page.js');
  const refusal = { error: 'Too many people have started from your network.', code: 'many' };
  answer('POST /study/link/enroll', refusal, 429);
  const page = await Page.open();
  await page.at('consent');
  page.press('Ich stimme zu');
  assert.match((await page.at('no-answer')).textContent, /viele Personen aus Ihrem Netzwerk/);
  assert.ok(!study.enrolled);
});

test('without agreement nobody is enrolled', async () => {
  const study = new Study();
  const page = await Page.open();
  await page.at('consent');
  page.press('I do not agree');
  await page.at('declined');
  assert.ok(!study.enrolled);
  page.press('Back to the text');
  await page.at('consent');
});

test('a second tab takes over', async () => {
  new Study();
  const page = await Page.open();
  await page.begins();
  const other = await Page.open({ beside: true });
  await other.asksOtherTabs();
  await other.at('twice');
  other.press('Continue here');
  await page.at('moved');
  await other.sees(0);
});

test('time away is noted, and is not time to answer', async () => {
  const study = new Study({ trials: 1 });
  const page = await Page.open();
  await page.begins();
  for (const hidden of [true, false]) {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden });
    document.dispatchEvent(new Event('visibilitychange'));
    pass(300);
  }
  page.key('1');
  await page.finishes();
  const [away, answer] = study.events;
  assert.deepEqual([away.kind, away.position, away.body.ms], ['away', 0, 300]);
  assert.equal(answer.body.display.hidden_ms, 300);
});

test('whoever is faster than anybody reads why there is no code', async () => {
  const study = new Study({ trials: 2 });
  study.withheld = true;
  const page = await Page.open();
  await page.begins();
  await page.answers([0, 1]);
  const end = await page.finishes();
  assert.match(end.textContent, /faster than is possible for a person/);
  assert.equal(end.querySelector('a, output'), null);
});

test('the question is text, whatever is in it', async () => {
  new Study({ question: '<img src=x onerror=alert(1)>', trials: 1 });
  const page = await Page.open();
  await page.begins();
  assert.equal(page.find('h1').textContent, '<img src=x onerror=alert(1)>');
});

test('nothing was thrown meanwhile', () => assert.deepEqual(faults, []));
