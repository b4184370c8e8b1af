import assert from 'node:assert/strict';
import { test } from 'node:test';

import { type } from '../page.js';

const { surveyPart, translateSurvey } = await import('../../../assets/js/studies/form_survey.js');

const item = (text, choices) => ({
  ...{ id: 'age', text, form: 'single', choices, other: false, required: false },
  ...{ personal: false, low: null, high: null, steps: 7, ends: ['', ''] },
});
const AGE = {
  name: 'Age band',
  items: { en: item('How old?', ['18 to 24', '25 or older']), de: item('Wie alt?', ['18', '25']) },
};
const presets = { survey: { forms: { single: 'One choice', text: 'Text' }, presets: [AGE] } };

function made(form = { language: 'en' }) {
  let changes = 0;
  const node = surveyPart({ form, presets, changed: () => (changes += 1) }, 5);
  document.body.replaceChildren(node);
  const [before, after] = node.querySelectorAll('.th-study-survey');
  const add = (page, value) => type(page.querySelector('header select'), value);
  return { form, node, before, after, add, changes: () => changes };
}
const items = (page) => [...page.querySelectorAll('.th-study-survey-item')];
const field = (entry, name) => entry.querySelector(`[name="${name}"]`);
const press = (entry, text) =>
  [...entry.querySelectorAll('button')].find((button) => button.textContent === text).click();

test('questions are taken from a list, changed, moved and removed', () => {
  const { form, before, after, add, changes } = made();
  assert.equal(before.querySelector('ol').hidden, true);
  add(before, '1');
  add(before, '2');
  assert.deepEqual(
    form.survey.before.map(({ id, text }) => [id, text]),
    [
      ['age', 'How old?'],
      ['question', ''],
    ],
  );
  const [first, second] = items(before);
  assert.equal(field(first, 'choices').value, '18 to 24\n25 or older');
  type(field(first, 'choices'), '18 to 30\n\n 31 or older \n');
  assert.deepEqual(form.survey.before[0].choices, ['18 to 30', '31 or older']);
  assert.deepEqual(AGE.items.en.choices, ['18 to 24', '25 or older']);
  type(field(second, 'form'), 'text');
  assert.equal(field(second, 'choices'), null);
  // The same question twice has a column of its own.
  add(after, '1');
  assert.equal(form.survey.after[0].id, 'age_2');
  press(second, '↑');
  assert.deepEqual(
    form.survey.before.map(({ id }) => id),
    ['question', 'age'],
  );
  press(items(before)[0], 'Remove');
  assert.equal(items(before).length, 1);
  assert.ok(changes() > 5);
  // Each field has a label of its own.
  const labels = [...document.querySelectorAll('label')];
  for (const label of labels)
    if (label.htmlFor) assert.ok(document.getElementById(label.htmlFor), label.htmlFor);
  const ids = [...document.querySelectorAll('[id]')].map((node) => node.id);
  assert.equal(new Set(ids).size, ids.length);
});

test('questions that nobody changed follow the language', () => {
  const survey = { before: [structuredClone(AGE.items.en), item('Mine?', ['a', 'b'])], after: [] };
  translateSurvey(survey, presets, 'en', 'de');
  assert.deepEqual(
    survey.before.map(({ text }) => text),
    ['Wie alt?', 'Mine?'],
  );
});
