// The cards below the image, the choice of the rule, and the drawer of stored images. Run by
// tests/tabs/inspect/test_cards.py.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { answer, load, requests, settled, type, widget } from '../page.js';
import { until } from '../until.js';

const { value: views } = JSON.parse(process.env.TRUEHUE_PAGE);
const { store } = await load('shared/state');

// ── evidence ─────────────────────────────────────────────────────────────────────────────────────

test('the evidence lists names, differences, steps and measures', async () => {
  // Figures wait until they are on the screen, which they never are here.
  const view = { ...views.evidence, chromaticity: { layout: {} }, lightness: { layout: {} } };
  const made = await widget('inspect/evidence', { props: { view: '', image: '' } });
  const part = (name) => made.element.querySelector(name);
  assert.equal(part('.th-evidence').hidden, true);
  assert.equal(part('.th-fidelity').hidden, true);
  made.set('view', { ...view, measures: [{ name: 'Mean saturation', text: '0.3', title: 'HSV' }] });
  assert.equal(part('.th-evidence').hidden, false);
  assert.equal(part('.th-names-title').textContent, 'Names of the measured color');
  for (const system of view.names) {
    assert.ok(part('.th-names').textContent.includes(system.system));
    for (const row of system.rows) assert.ok(part('.th-names').textContent.includes(row.name));
  }
  const people = [...part('.th-names tbody').querySelectorAll('tr')].map((row) => row.textContent);
  const [survey] = view.people;
  assert.deepEqual(people, [
    survey.text,
    ...survey.rows.map(
      (row) => row.name + (row.target ? ' · the target' : '') + row.interval + row.percent,
    ),
  ]);
  assert.equal(part('.th-offsets-to').textContent, 'Measured minus ' + view.offsets.to);
  const rows = [...made.element.querySelectorAll('.th-offset')];
  assert.deepEqual(
    rows.map((row) => row.querySelector('.th-value').textContent),
    view.offsets.rows.map((row) => row.text),
  );
  // What is less lies left of the middle.
  rows.forEach((row, n) => {
    const left = parseFloat(row.querySelector('i').style.left);
    assert.equal(left < 50, view.offsets.rows[n].value < 0);
  });
  assert.equal(part('.th-steps').children.length, view.steps.length);
  assert.ok(part('.th-steps').textContent.includes(view.steps[0].title));
  assert.equal(part('.th-whole').hidden, false);
  assert.equal(part('.th-whole dd').title, 'HSV');
  assert.equal(part('.th-palette-part').hidden, false);
  // Two measured colors are on the screen, and the second says why it differs.
  assert.match(part('.th-palette-part').textContent, /Without regard to rule and target/);
  made.set('view', { ...view, offsets: null, colors: '', measures: [] });
  assert.equal(part('.th-difference').hidden, true);
  assert.equal(part('.th-palette-part').hidden, true);
  assert.equal(part('.th-whole').hidden, true);
  made.set('view', '');
  assert.equal(part('.th-evidence').hidden, true);
  made.set('image', 'a1');
  assert.equal(part('.th-fidelity').hidden, false);
  made.element.remove();
});

// ── stored images ────────────────────────────────────────────────────────────────────────────────

const image = (image_id, name) => ({
  ...{ image_id, name, width: 520, height: 400, source: 'upload' },
  ...{ url: `/media/images/${image_id}.png`, thumb: `/media/thumbs/${image_id}.webp` },
});
const stored = [image('n2', 'newer.png'), image('o1', 'older.png')];
const listing = (images, more = {}) =>
  answer('GET /api/images', {
    ...{ images, total: images.length, stored: stored.length, sources: { upload: 2 } },
    ...more,
  });
answer('GET /api/trash', { deleted: [], days: 30 });
listing(stored);

async function drawer() {
  document.body.replaceChildren();
  listing(stored);
  const made = await widget('inspect/library');
  const part = (name) => made.element.querySelector('.th-library-' + name);
  made.set('open', true);
  await settled();
  const items = () => [...part('grid').children];
  const dialog = made.element.querySelector('dialog');
  const button = (name) =>
    [...document.querySelectorAll('button')].find((node) => node.textContent === name);
  return { ...made, part, items, dialog, button };
}
const lastQuery = () =>
  new URLSearchParams(requests.filter((request) => request.path === '/api/images').at(-1).search);

test('stored images are listed newest first, and one click opens one', async () => {
  const made = await drawer();
  assert.equal(made.dialog.open, true);
  assert.deepEqual(
    made.items().map((item) => item.textContent),
    ['newer.png520 × 400 · upload', 'older.png520 × 400 · upload'],
  );
  assert.equal(made.part('status').textContent, '2 of 2');
  // The image of an archive may not have come with it.
  made.items()[0].querySelector('img').dispatchEvent(new window.Event('error'));
  assert.match(made.items()[0].textContent, /^No pixels stored/);
  made.items()[1].click();
  assert.equal(made.dialog.open, false);
  assert.deepEqual(made.sent, [['open', { image: 'o1' }]]);
});

test('words and origin narrow the list, and more are asked for', async () => {
  const made = await drawer();
  listing([stored[1]], { total: 3 });
  type(made.part('search'), 'old');
  await until(() => lastQuery()?.get('words') === 'old' && made.items().length === 1);
  assert.equal(made.part('more').hidden, false);
  made.part('more').click();
  await settled();
  assert.equal(lastQuery().get('offset'), '1');
  assert.equal(made.items().length, 2);
  listing([], { total: 0 });
  made.part('source').value = 'upload';
  made.part('source').dispatchEvent(new window.Event('change'));
  await settled();
  assert.equal(lastQuery().get('source'), 'upload');
  assert.equal(made.part('status').textContent, 'None of 2 stored images fits.');
  answer('GET /api/images', { error: 'The disk is gone.' }, 500);
  made.part('source').dispatchEvent(new window.Event('change'));
  await settled();
  assert.match(made.part('status').textContent, /could not be listed. The disk is gone\./);
});

test('chosen images are deleted and put back', async () => {
  const made = await drawer();
  const news = [];
  const leave = store.subscribe('drawn', () => news.push('drawn'));
  made.button('Select').click();
  assert.equal(made.part('bar').hidden, false);
  assert.equal(made.part('delete').getAttribute('aria-disabled'), 'true');
  made.part('delete').click();
  made.items()[1].click();
  assert.equal(made.items()[1].getAttribute('aria-pressed'), 'true');
  assert.equal(made.part('chosen').textContent, '1 image chosen');
  assert.deepEqual(made.sent, [], 'it is chosen, not opened');
  answer('POST /api/trash', { id: 't1', words: 'older.png, with 1 mask and 8 verdicts' });
  answer('POST /api/trash/t1/restore', {});
  const deleted = { id: 't1', words: 'older.png', at: '2026-01-01T12:00:00Z' };
  answer('GET /api/trash', { deleted: [deleted], days: 30 });
  listing([stored[0]]);
  made.part('delete').click();
  await settled();
  const [sent] = requests.filter(
    (request) => request.path === '/api/trash' && request.method === 'POST',
  );
  assert.deepEqual(sent.body, { kind: 'image', ids: ['o1'] });
  assert.match(
    made.part('told').textContent,
    /^Deleted: older.png, with 1 mask and 8 verdicts\.Undo/,
  );
  assert.equal(made.items().length, 1);
  assert.equal(made.part('trash').hidden, false);
  listing(stored);
  made.button('Undo').click();
  await settled();
  assert.equal(made.items().length, 2);
  assert.equal(news.length, 2);
  leave();
});

test('what was deleted is taken off the disk by a second press alone', async () => {
  const made = await drawer();
  answer('POST /api/trash/t1/purge', {});
  const purged = () => requests.filter((request) => request.path.endsWith('/purge')).length;
  const line = made.part('trash').querySelectorAll('li')[1];
  line.lastChild.click();
  await settled();
  assert.equal(purged(), 0);
  assert.match(line.lastChild.textContent, /^Click again/);
  answer('GET /api/trash', { deleted: [], days: 30 });
  line.lastChild.click();
  await settled();
  assert.equal(purged(), 1);
  assert.equal(made.part('trash').hidden, true);
});

test('a refusal to delete is said', async () => {
  const made = await drawer();
  made.button('Select').click();
  made.items()[0].click();
  answer('POST /api/trash', { error: 'You may look, not delete.' }, 403);
  made.part('delete').click();
  await settled();
  assert.equal(
    made.part('told').querySelector('[role=alert]').textContent,
    'You may look, not delete.',
  );
  assert.equal(made.items().length, 2);
});

test('a saturation sweep is measured of the chosen images, with its numbers as a table', async () => {
  const made = await drawer();
  window.Plotly = { react: async () => {} };
  made.button('Select').click();
  made.items()[0].click();
  made.items()[1].click();
  answer('GET /api/compare/sweep', {
    ...{ name: 'sweep', title: 'Saturation', words: '', source: '', empty: '', stands: '' },
    ...{
      columns: ['Measure', '0.2'],
      lines: [{ cells: ['ΔSat', '1.5'], hexes: [], pick: null }],
      opens: [],
      more: 0,
    },
    figure: { series: [] },
  });
  made.button('Saturation sweep').click();
  await settled();
  assert.equal(new URLSearchParams(requests.at(-1).search).get('images'), 'n2,o1');
  const sweep = document.querySelector('dialog.th-sweep');
  assert.equal(sweep.open, true);
  made.button('As a table').click();
  assert.deepEqual(
    [...sweep.querySelectorAll('tbody tr > *')].map((cell) => cell.textContent),
    ['ΔSat', '1.5'],
  );
  const close = [...sweep.querySelectorAll('button')].find((node) => node.textContent === 'Close');
  close.click();
  assert.equal(document.querySelector('dialog.th-sweep'), null);
  answer('GET /api/compare/sweep', { error: 'A gray image has no saturation.' }, 400);
  made.button('Saturation sweep').click();
  await settled();
  assert.match(
    document.querySelector('dialog.th-sweep').textContent,
    /A gray image has no saturation\./,
  );
});

// ── the page around it ───────────────────────────────────────────────────────────────────────────

test('the gray around images and the theme of the page are kept in this browser', async () => {
  localStorage.clear();
  document.body.replaceChildren();
  const root = document.documentElement.style;
  const first = await widget('page/header');
  const chosen = (made) => made.element.querySelector('.th-surround [aria-pressed=true]').dataset;
  assert.equal(chosen(first).surround, 'middle');
  assert.equal(root.getPropertyValue('--th-surround'), '#777777');
  first.element.querySelector('[data-surround=dark]').click();
  first.element.querySelector('.th-theme').click();
  // The page is loaded again.
  first.element.remove();
  document.body.classList.remove('dark');
  root.removeProperty('--th-surround');
  const again = await widget('page/header');
  assert.equal(chosen(again).surround, 'dark');
  assert.equal(root.getPropertyValue('--th-surround'), '#262626');
  assert.ok(document.body.classList.contains('dark'));
  again.element.querySelector('.th-theme').click();
  assert.ok(!document.body.classList.contains('dark'));
  // What the data folder holds is asked for where something was generated.
  const data = again.element.querySelector('.th-data');
  const view = { data: 'data · 1 image · 8 verdicts', account: '', backup: false };
  answer('GET /api/page', { ...view, notices: [], jobs: { jobs: [], version: 0 } });
  store.tell('drawn');
  await settled();
  assert.equal(data.textContent, 'data · 1 image · 8 verdicts');
});

test('what people say of verdicts is listed with who was right', async () => {
  document.body.replaceChildren();
  const entry = {
    ...{ object: 'jar', color: 'tomato', relation: 'matches', hex: '#FF6347', reason: 'So low.' },
    ...{ stored: true, image_id: 'n2', thumb: 'x', rule_name: 'paper', version: '1.0' },
    ...{ status: 'fail', answer: 'pass', agrees: false, mine: true, at: '2026-01-01T12:00:00Z' },
    statuses: [{ status: 'fail', name: 'paper' }],
  };
  const rule = { agree: 0, too_strict: 1, too_lenient: 0, unscored: 0, version: '1.0' };
  const rules = ['paper', 'truehue'].map((name) => ({ ...rule, rule: name, name }));
  answer('GET /api/judgments', { judgments: [entry], rules, total: 1 });
  const { explore } = await load('explore/view');
  explore.view = 'disagreements';
  const made = await widget('explore/judgments');
  await settled();
  const [item] = made.element.querySelectorAll('.th-judgments-item');
  assert.match(item.textContent, /You disagree with paper 1\.0.*it has the color.*So low\./);
  assert.equal(made.element.querySelectorAll('.th-judgments-table tr').length, 3);
});
