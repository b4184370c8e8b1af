// The form of a new study: what it refuses stays said until it is mended.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { answer, load, settled, template } from '../page.js';
import { held, until } from '../until.js';

// The summary follows the form after a moment: here as soon as the test lets it.
const WAIT_MS = 400;
const waiting = [];
const begin = globalThis.setTimeout;
globalThis.setTimeout = (call, ms, ...more) =>
  ms === WAIT_MS ? waiting.push(call) : begin(call, ms, ...more);

globalThis.CSS ??= { escape: (text) => text };

const preset = {
  ...{ id: 'colorings', material: 'sketches', kind: 'colorings', name: 'Colorings' },
  ...{ form: { votes: 1, trials: 1, practice: { number: 1 } }, texts: { en: {} } },
};
const presets = {
  ...{ presets: [preset], languages: { en: 'English' }, wording: { en: {} } },
  ...{ survey: { presets: [] }, endings: {}, sites: [] },
};
answer('GET /api/studies/presets', presets);
answer('GET /api/studies/materials', {});

test('a missing choice stays said when the concepts are read only after it', async () => {
  history.replaceState(null, '', '/?tab=studies&view=new&preset=colorings');
  window.scrollTo = () => {};
  document.body.innerHTML = template('studies/studies');
  const concepts = held();
  answer('GET /api/studies/concepts', () => concepts.answer);
  const { studyForm } = await load('studies/form');
  const box = document.querySelector('[data-screen=new]');
  studyForm(box).shown();
  const button = () =>
    [...box.querySelectorAll('button')].find((item) => item.textContent === 'Create the draft');
  await until(button, 'the form');
  button().click();
  const refusal = () => box.querySelector('[data-field=concepts] .th-study-wrong')?.textContent;
  await until(refusal, 'the refusal');
  concepts.release({ others: [], things: [] });
  await until(() => waiting.length, 'concepts were read');
  waiting.pop()();
  await settled();
  assert.equal(refusal(), 'Choose the concepts to color.');
});
