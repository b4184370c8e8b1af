// Questions about the participant before and after the trials.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { faults } from '../page.js';
import { Page, Study, until } from './study.js';

const item = (id, form, more = {}) => ({
  ...{ id, form, text: `About ${id}?`, choices: [], other: false, required: false },
  ...{ low: null, high: null, steps: 5, ends: ['', ''] },
  ...more,
});
const BEFORE = [
  item('age', 'number', { required: true, low: 18, high: 120 }),
  item('gender', 'single', { choices: ['Woman', 'Man'], other: true }),
  item('tools', 'multiple', { choices: ['Ink', 'Paint', 'Screen'] }),
  item('sure', 'scale', { ends: ['not', 'very'] }),
  item('why', 'text'),
];

/** Writes into a field as a person does. */
function write(field, value) {
  field.value = value;
  field.dispatchEvent(new Event('input', { bubbles: true }));
}
const sent = (study) =>
  study.events.filter(({ kind }) => kind === 'survey').map(({ body }) => body);
const submit = (screen) =>
  screen.querySelector('form').dispatchEvent(new Event('submit', { cancelable: true }));

test('what is required is asked for again, and all answers are sent', async () => {
  const study = new Study({ survey: { before: BEFORE, after: [] } });
  study.stage = 'survey';
  study.ends = { survey: 'trials' };
  const page = await Page.open();
  await page.at('consent');
  page.press('I agree');
  await page.asksOtherTabs();
  const screen = await page.at('survey');
  const field = (name) =>
    screen.querySelectorAll('fieldset')[BEFORE.findIndex((i) => i.id === name)];
  assert.equal(screen.querySelector('h1').textContent, 'A few questions about you');
  assert.equal(field('age').querySelector('legend').textContent, 'About age?');
  assert.match(field('why').querySelector('legend').textContent, /\(optional\)$/);
  const age = field('age').querySelector('input');
  for (const [value, problem] of [
    ['', 'Please answer this question.'],
    ['abc', 'Please enter a number, such as 12 or 12.5.'],
    ['50,000', 'Please enter a number, such as 12 or 12.5.'],
    ['0x20', 'Please enter a number, such as 12 or 12.5.'],
    ['17', 'Please enter 18 or more.'],
    ['121', 'Please enter 120 or less.'],
  ]) {
    write(age, value);
    submit(screen);
    assert.equal(field('age').querySelector('.problem').textContent, problem);
    assert.equal(document.activeElement, age);
    assert.equal(age.getAttribute('aria-describedby'), 'survey-age-problem');
    assert.equal(age.getAttribute('aria-invalid'), 'true');
  }
  // What is mended is not complained of any longer.
  write(age, '33,5');
  assert.equal(field('age').querySelector('.problem').textContent, '');
  assert.equal(age.getAttribute('aria-invalid'), null);
  assert.match(field('age').textContent, /18 to 120/);
  assert.match(screen.textContent, /Questions without “\(optional\)” need an answer/);
  assert.deepEqual([age.required, field('why').querySelector('textarea').required], [true, false]);
  // Who chooses to write has to write, and words choose their choice.
  const own = field('gender').querySelector('input[type=text]');
  own.previousElementSibling.querySelector('input').click();
  submit(screen);
  assert.equal(field('gender').querySelector('.problem').textContent, 'Please write your answer.');
  assert.equal(document.activeElement, own);
  write(field('gender').querySelector('input[type=text]'), 'my own');
  for (const index of [0, 2]) field('tools').querySelectorAll('input')[index].click();
  field('sure').querySelectorAll('input')[3].click();
  assert.equal(field('sure').querySelectorAll('input')[4].getAttribute('aria-label'), '5, very');
  assert.equal(field('sure').querySelector('.survey-ends').textContent, '1: not5: very');
  write(field('why').querySelector('textarea'), ' because ');
  submit(screen);
  await page.at('instructions');
  await until(() => sent(study).length);
  assert.deepEqual(sent(study), [
    {
      part: 'before',
      answers: { age: 33.5, gender: 'my own', tools: [0, 2], sure: 4, why: 'because' },
    },
  ]);
  // Who has answered is not screened where nothing is looked at.
  assert.deepEqual(study.told('screening'), []);
});

test('the last questions come after the trials, once', async () => {
  const study = new Study({ trials: 1, survey: { before: [], after: [BEFORE[1]] } });
  const page = await Page.open();
  await page.begins();
  await page.answers([0]);
  const screen = await page.at('survey');
  assert.equal(screen.querySelector('h1').textContent, 'A few last questions');
  submit(screen);
  await page.at('comment');
  page.press('Undo');
  await page.sees(0);
  await page.answers([0]);
  await page.at('comment');
  page.press('Finish');
  await page.at('finished');
  assert.deepEqual(sent(study), [{ part: 'after', answers: { gender: null } }]);
  assert.deepEqual(faults, []);
});

test('a survey that the study did not take is asked for again', async () => {
  const study = new Study({ trials: 1, survey: { before: [], after: [BEFORE[1]] } });
  study.refuses = {
    survey: { error: 'Too many.', code: 'too many' },
    finish: { error: 'The last questions come first.', code: 'survey' },
  };
  const page = await Page.open();
  await page.begins();
  await page.answers([0]);
  submit(await page.at('survey'));
  await page.at('comment');
  page.press('Finish');
  submit(await page.at('survey'));
  await page.at('comment');
  page.press('Finish');
  await page.at('finished');
  assert.deepEqual(
    sent(study).map(({ part }) => part),
    ['after'],
  );
});
