import assert from 'node:assert/strict';
import { test } from 'node:test';

import { load, template } from '../page.js';

const SET = 'ab'.repeat(16);
const task = (id, questions, people = true) => ({ id, name: id, questions, people });
const materials = {
  question_sets: [
    { id: '1'.repeat(32), name: 'Newest', questions: 4, images: 4, sha256: 'f00d', tasks: [] },
    {
      id: SET,
      name: 'Ten easy ones',
      questions: 10,
      images: 10,
      sha256: 'ab'.repeat(32),
      tasks: [task('plates', 4), task('counting', 5), task('extraction', 1, false)],
    },
  ],
};

// A link from Ask, in its short form.
history.replaceState(null, '', '/?tab=studies&new=questions&set=' + SET);
window.scrollTo = () => {};
document.body.innerHTML = template('studies/studies');
const { studyView, openStudy, publishStudies } = await load('studies/view');
const { firstSet, questionsPart } = await load('studies/questions/choose');

test('a link from Ask opens the form of questions with its set', () => {
  assert.deepEqual([studyView.screen, studyView.preset, studyView.set], ['new', 'questions', SET]);
  publishStudies();
  assert.equal(location.search, `?tab=studies&view=new&preset=questions&set=${SET}`);
  assert.equal(firstSet(materials, studyView.set), SET);
  assert.equal(firstSet(materials, 'gone'), materials.question_sets[0].id);
  assert.equal(firstSet({}, SET), '');
});

test('a study is published without the set of the form before it', () => {
  openStudy('cd'.repeat(16), 'results');
  assert.equal(location.search, `?tab=studies&study=${'cd'.repeat(16)}&view=results`);
});

test('what people were not asked in the paper is left out until it is ticked', () => {
  const form = { question_set: SET, tasks: [], number: 0 };
  let changes = 0;
  const { node } = questionsPart({ form, materials, changed: () => changes++ });
  document.body.append(node);
  const select = node.querySelector('select');
  assert.equal(select.value, SET);
  assert.match(node.textContent, /Excluded unless you select it: extraction/);
  const ticks = () => [...node.querySelectorAll('[data-field=tasks] input')];
  const ticked = () => ticks().map((tick) => tick.checked);
  assert.deepEqual(ticked(), [true, true, false]);
  ticks()[2].click();
  assert.deepEqual(form.tasks, ['plates', 'counting', 'extraction']);
  ticks()[0].click();
  assert.deepEqual(form.tasks, ['counting', 'extraction']);
  ticks()[1].click();
  // One is left, and stays.
  ticks()[2].click();
  assert.deepEqual(form.tasks, ['extraction']);
  assert.deepEqual(ticked(), [false, false, true]);
  assert.equal(changes, 3);
});

test('without a set the form leads to Ask', () => {
  const form = { question_set: '', tasks: [] };
  const { node } = questionsPart({ form, materials: {}, changed() {} });
  assert.match(node.textContent, /No question set yet/);
  assert.equal(node.querySelector('a').getAttribute('href'), '?tab=vlm');
});
