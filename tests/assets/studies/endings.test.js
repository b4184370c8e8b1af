import assert from 'node:assert/strict';
import { test } from 'node:test';

import { fillFor } from '../../../assets/js/studies/form_endings.js';

const ENDINGS = { full: ['Full', ''], withdrawn: ['Withdrawn', ''] };
const SITE = {
  codes: ['completed', 'full'],
  url: 'https://app.example/?cc={code}',
  texts: { en: 'Go back.', de: 'Bitte zurück.' },
};

test('a site fills in a code for each ending that has one there, and its address and text', () => {
  const form = { language: 'de' };
  fillFor(form, ENDINGS, SITE);
  const codes = [form.completion.code, form.endings.full.code];
  for (const code of codes) assert.match(code, /^[A-HJ-NP-Z2-9]{8}$/);
  assert.notEqual(...codes);
  assert.equal(form.completion.url, SITE.url);
  assert.equal(form.completion.text, '');
  assert.equal(form.endings.full.text, 'Bitte zurück.');
  // Without a code there is no way back that names one.
  assert.deepEqual(form.endings.withdrawn, { code: '', url: '', text: 'Bitte zurück.' });
  assert.equal(form.returns_after_s, 10);
});

test('without a site everything is emptied', () => {
  const form = { language: 'en' };
  fillFor(form, ENDINGS, SITE);
  fillFor(form, ENDINGS);
  assert.deepEqual(form, {
    language: 'en',
    completion: { code: '', url: '', text: '' },
    endings: {},
    returns_after_s: null,
  });
});
