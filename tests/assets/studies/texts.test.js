// Texts that nobody changed follow the language, and are stored with it.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { type } from '../page.js';

const { questionPart } = await import('../../../assets/js/studies/form_texts.js');

const texts = (word) => ({
  ...{ title: `${word} title`, question: `${word}?`, instructions: `${word}.` },
  ...{ consent: `${word} consent`, examples: [{ text: word, good: true, image_id: '' }] },
});
const preset = { id: 'colorings', material: 'images', texts: { en: texts('a'), de: texts('b') } };
const presets = {
  languages: { en: 'English', de: 'Deutsch' },
  wording: { en: {}, de: {} },
  survey: { presets: [] },
};

test('the choice of a language is stored with its texts, but for those that were changed', () => {
  const form = {
    ...texts('a'),
    ...{ language: 'en', instructions: 'Mine.', wording: {}, survey: { before: [], after: [] } },
  };
  const stored = [];
  const node = questionPart({
    ...{ form, preset, presets, again: () => {} },
    changed: () => stored.push(structuredClone(form)),
  });
  document.body.replaceChildren(node);
  type(node.querySelector('[name="language"]'), 'de');
  assert.deepEqual(stored.at(-1), { ...form, ...texts('b'), instructions: 'Mine.' });
  assert.equal(stored.at(-1).language, 'de');
});
