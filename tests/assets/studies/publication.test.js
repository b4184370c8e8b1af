// The card of the public results page: who can publish when, the link, images, and withdrawing.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { answer, requests, settled } from '../page.js';

const { publicationCard } = await import('../../../assets/js/studies/publication.js');

const published = { url: '/results/abc', images: false, published_at: '2026-11-01', shown: true };
const study = { id: 's1', title: 'Reds', state: 'closed', can: { publish: true } };

function shown(more = {}) {
  const current = {
    address: '/api/studies/s1',
    study: { ...study, publication: null, ...more },
    reload: async () => {},
  };
  const copied = [];
  const card = publicationCard(current, async (url) => void copied.push(url));
  document.body.replaceChildren(card.node);
  card.show();
  return { current, card, copied, text: () => card.node.textContent };
}
const named = (name) =>
  [...document.querySelectorAll('button, a.th-button')].find((node) => node.textContent === name);
const posted = () => requests.filter(({ method }) => method === 'POST').at(-1);

test('a study is closed before its results can be published, and by its owner', () => {
  const open = shown({ state: 'open' });
  assert.match(open.text(), /Close the study first/);
  assert.equal(named('Publish results'), undefined);
  const other = shown({ can: { publish: false } });
  assert.match(other.text(), /Only the study’s owner and admins/);
  assert.equal(named('Publish results'), undefined);
  // Whoever may not withdraw it can still read it.
  shown({ can: { publish: false }, publication: published });
  assert.match(named('Open the page').href, /\/results\/abc$/);
  assert.equal(named('Withdraw…'), undefined);
  assert.equal(document.querySelector('input'), null);
});

test('results are published, copied, shown with images, and withdrawn', async () => {
  answer('POST /api/studies/s1/publish', ({ body: { images } }) => ({
    publication: { ...published, images },
  }));
  answer('POST /api/studies/s1/unpublish', { publication: null });
  const { copied, text } = shown();
  named('Publish results').click();
  await settled(20);
  assert.deepEqual(posted().body, { images: false });
  const url = new URL('/results/abc', location.href).href;
  assert.equal(document.querySelector('.th-study-urls code').textContent, url);
  assert.match(text(), /public under this link/);
  named('Copy').click();
  assert.deepEqual(copied, [url]);
  document.querySelector('input').click();
  await settled(20);
  assert.deepEqual(posted().body, { images: true });
  assert.match(text(), /shows images now/);
  named('Withdraw…').click();
  await settled(5);
  assert.match(document.querySelector('dialog').textContent, /dead at once/);
  named('Withdraw').click();
  await settled(20);
  assert.match(text(), /not public any more/);
  assert.ok(named('Publish results'));
});

test('of a study that is open again it says that the page is off', () => {
  const { text } = shown({ state: 'open', publication: { ...published, shown: false } });
  assert.match(text(), /the page is off/);
  assert.equal(named('Open the page'), undefined);
  assert.ok(named('Withdraw…'));
});

test('a refusal is said, and the box is as it was', async () => {
  answer('POST /api/studies/s1/publish', { error: 'Not yours.' }, 403);
  const { text } = shown({ publication: published });
  const box = /** @type {HTMLInputElement} */ (document.querySelector('input'));
  box.click();
  await settled(20);
  assert.match(text(), /Not yours\./);
  assert.equal(box.checked, false);
});
