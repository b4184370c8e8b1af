import assert from 'node:assert/strict';
import { test } from 'node:test';

import { faults } from '../page.js';
import { Page, Study, pass, until } from './study.js';

const SITE = 'https://app.example/complete?cc=';
const back = (code) => ({ text: 'Please go back.', code, url: SITE + code });

/** The addresses that a page went to by its last button. */
function visited() {
  const addresses = [];
  document.addEventListener('click', (event) => {
    const link = event.target.closest?.('a.primary');
    if (!link) return;
    event.preventDefault();
    addresses.push(link.href);
  });
  return addresses;
}

test('whoever does nothing after the last answer has finished, but not while writing', async () => {
  for (const writes of [false, true]) {
    const study = new Study({ trials: 1 });
    const page = await Page.open();
    await page.begins();
    await page.answers([0]);
    await page.at('comment');
    pass(50_000);
    const text = page.find('#comment');
    if (writes) text.value = 'Half a sen';
    text.dispatchEvent(new KeyboardEvent('keydown', { bubbles: true }));
    pass(50_000);
    assert.equal(study.stage, 'trials');
    pass(11_000);
    if (writes) {
      pass(600_000);
      assert.equal(study.stage, 'trials');
      // Leaving finishes, and does not send what nobody has sent.
      dispatchEvent(new Event('pagehide'));
    }
    assert.match((await page.at('finished')).textContent, /C1A9/);
    assert.deepEqual(
      study.events.map(({ kind }) => kind),
      ['answer', 'finish'],
    );
  }
});

test('an answer that is taken back is not finished by waiting', async () => {
  const study = new Study({ trials: 1 });
  const page = await Page.open();
  await page.begins();
  await page.answers([0]);
  await page.at('comment');
  page.press('Undo');
  await page.sees(0);
  pass(120_000);
  dispatchEvent(new Event('pagehide'));
  assert.deepEqual(
    study.events.map(({ kind }) => kind),
    ['answer', 'undo'],
  );
});

test('the way back is gone by itself, unless somebody stays', async () => {
  const study = new Study({ trials: 1, returns_after_s: 10 });
  study.backs = { finished: { code: 'PAID', url: SITE + 'PAID' } };
  let page = await Page.open();
  let addresses = visited();
  await page.begins();
  await page.answers([0]);
  await page.finishes();
  for (let second = 0; second < 4; second++) pass(1000);
  assert.match(page.text, /returned to the site in 6 seconds/);
  page.press('Stay here');
  for (let second = 0; second < 20; second++) pass(1000);
  assert.deepEqual(addresses, []);
  assert.ok(!page.button('Stay here'));
  page = await Page.open();
  addresses = visited();
  await page.asksOtherTabs();
  await page.at('finished');
  for (let second = 0; second < 11; second++) pass(1000);
  assert.deepEqual(addresses, [SITE + 'PAID']);
});

test('each end that the study tells has its words, its code and its way back', async () => {
  for (const stage of ['screened_out', 'failed_checks', 'timed_out']) {
    const study = new Study({ trials: 3 });
    study.backs = { [stage]: back(stage) };
    study.ends = { answer: stage };
    const page = await Page.open();
    await page.begins();
    page.key('1');
    const screen = await page.at(stage);
    assert.ok(screen.querySelector('h1').textContent.length > 5);
    assert.match(screen.textContent, /Please go back\./);
    assert.equal(screen.querySelector('.code').textContent, stage);
    assert.equal(screen.querySelector('a.primary').href, SITE + stage);
    assert.ok(page.find('header').hidden, 'nothing is left to stop');
  }
});

test('whoever stops gets what the study then tells', async () => {
  const study = new Study();
  study.backs = { withdrawn: back('LEFT') };
  const page = await Page.open();
  await page.begins();
  page.press('Stop');
  page.press('Withdraw');
  await until(() => page.find('.code')?.textContent === 'LEFT');
});

test('with a pass mark the screening is judged before anything else is shown', async () => {
  for (const passes of [true, false]) {
    const study = new Study({ screens_out: true });
    study.stage = 'screening';
    study.ends = { screening: passes ? 'trials' : 'screened_out' };
    study.online = true;
    const page = await Page.open();
    await page.at('consent');
    page.press('I agree');
    await page.asksOtherTabs();
    await page.at(passes ? 'instructions' : 'screened_out');
    assert.deepEqual(
      study.events.map(({ kind }) => kind),
      ['screening'],
    );
  }
});

test('whoever takes no part learns what to do', async () => {
  const study = new Study();
  study.endings = { no_consent: back('NONE'), full: back('FULL') };
  let page = await Page.open();
  await page.at('consent');
  page.press('I do not agree');
  const declined = await page.at('declined');
  assert.equal(declined.querySelector('.code').textContent, 'NONE');
  page.press('Back to the text');
  await page.at('consent');
  for (const state of ['full', 'closed', 'paused']) {
    study.state = state;
    page = await Page.open();
    const screen = await page.at(state);
    assert.equal(Boolean(screen.querySelector('.code')), state !== 'paused');
  }
});

test('the time limit stands beside the consent', async () => {
  new Study({ time_limit_s: 1500 });
  const page = await Page.open();
  assert.match((await page.at('consent')).textContent, /Time limit: 25 min/);
});

test('a study that fills while somebody reads the consent tells them what to do', async () => {
  const study = new Study();
  const { answer } = await import('../page.js');
  const page = await Page.open();
  await page.at('consent');
  answer('POST /study/link/enroll', { error: 'Full.', code: 'full' }, 409);
  study.state = 'full';
  study.endings = { full: back('FULL') };
  page.press('I agree');
  assert.equal((await page.at('full')).querySelector('.code').textContent, 'FULL');
});

test('what still waited at the end is no complaint, and the open dialog goes with it', async () => {
  const study = new Study({ trials: 4 });
  study.backs = { failed_checks: back('CHECKS') };
  const page = await Page.open();
  await page.begins();
  study.online = false;
  await page.answers([0, 1]);
  await page.sees(2);
  page.press('Stop');
  assert.ok(page.find('dialog').open);
  study.ends = { answer: 'failed_checks' };
  study.refuses = { undo: { error: 'The study has ended for you.', code: 'done' } };
  study.online = true;
  dispatchEvent(new Event('online'));
  await page.at('failed_checks');
  assert.ok(!page.find('dialog').open);
  const notices = [...page.root.querySelectorAll('.notice')].filter((node) => !node.hidden);
  assert.deepEqual(notices.map((node) => node.textContent).filter(Boolean), []);
});

test('somebody in a study that is closed gets what its end gives', async () => {
  const study = new Study();
  study.enrolled = true;
  study.state = 'closed';
  study.backs = { trials: back('FULL') };
  const page = await Page.open();
  await page.asksOtherTabs();
  assert.equal((await page.at('closed')).querySelector('.code').textContent, 'FULL');
});

test('nothing was thrown meanwhile', () => assert.deepEqual(faults, []));
