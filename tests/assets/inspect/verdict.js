// The card of a verdict, with the views that Python makes: colors, numbers, limits that are tried,
// what is copied, and the answers of people. Run by tests/tabs/inspect/test_cards.py.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { answer, load, press, requests, settled, type, widget } from '../page.js';

const { value: views } = JSON.parse(process.env.TRUEHUE_PAGE);
const { store } = await load('shared/state');
await load('shared/links');
// jsdom lays out nothing, so nothing is asked for with the eye.
window.HTMLElement.prototype.scrollIntoView = () => {};

async function card(view, more = {}) {
  document.body.replaceChildren();
  const made = await widget('inspect/verdict', { props: { view, limits: '', ...more } });
  const root = made.element.querySelector('.th-verdict');
  const part = (name) => root.querySelector(name);
  const text = (name) => part(name).textContent;
  const texts = (name) => [...root.querySelectorAll(name)].map((node) => node.textContent);
  const button = (name) =>
    [...root.querySelectorAll('button')].find((node) => node.textContent === name);
  return { ...made, root, part, text, texts, button };
}
const query = () => new URLSearchParams(window.location.search);
function slide(made, label, value) {
  const slider = made.root.querySelector(`[aria-label="Limit of ${label}"]`);
  slider.value = value ?? slider.max;
  slider.dispatchEvent(new window.Event('input'));
  return slider;
}

// ── what it says ─────────────────────────────────────────────────────────────────────────────────

test('a card without a verdict says what to do, and tells the colors', async () => {
  const made = await card(views.unasked);
  assert.equal(made.text('.th-waiting'), views.unasked.reason);
  assert.equal(made.text('.th-colors h2'), 'What color is it?');
  const first = made.part('.th-color');
  assert.deepEqual(
    [...first.querySelectorAll('dt')].map((node) => node.textContent),
    ['CSS', 'Level 1', 'Level 2', 'Level 3'],
  );
  const [row] = views.unasked.colors.rows;
  assert.ok(first.textContent.includes(row.lab));
  assert.ok(first.textContent.includes(row.hex));
  const terms = [...made.root.querySelectorAll('.th-color-names dt')];
  assert.match(
    terms.find((term) => term.textContent === 'Level 3').title,
    /^ISCC-NBS level 3: .*not quite neutral$/,
  );
  const { palette } = views.unasked.colors;
  assert.equal(made.root.querySelectorAll('.th-palette i').length, palette.length);
  assert.equal(made.part('.th-headline'), null);
  // The colors can be taken away before there is a verdict.
  const file = made.part('.th-colors-csv');
  assert.equal(decodeURIComponent(file.href.split(',')[1]), views.unasked.colors.csv);
  assert.ok(made.button('Copy link'));
  assert.ok(made.part('a[download^=mask]'));
  assert.equal(made.button('Copy JSON'), undefined);
  // Without a mask they are those of the whole image, said to be that.
  made.set('view', views.unmarked);
  assert.equal(made.part('a[download^=mask]'), null);
  assert.equal(made.text('.th-colors h2'), 'Colors of the whole image');
  assert.match(made.text('.th-reason'), /select the object for its own color/);
});

test('a verdict has its word, its reason, both colors, and a row for each number', async () => {
  const view = views.fails;
  const made = await card(view);
  assert.equal(made.text('.th-headline h2'), 'Fails');
  assert.equal(made.part('.th-verdict, .th-headline').parentElement.dataset.status, 'fail');
  assert.equal(made.text('.th-reason'), view.reason);
  const sides = [...made.part('.th-pair').children];
  assert.deepEqual(
    sides.map((side) => side.className.match(/th-swatch-(\w+)/)[1]),
    view.accepted ? ['asked', 'accepted', 'found'] : ['asked', 'found'],
  );
  for (const [side, title] of [
    ['asked', 'Target'],
    ['found', 'Measured'],
  ]) {
    const box = made.part('.th-swatch-' + side);
    const [r, g, b] = view[side].hex.match(/\w\w/g).map((part) => parseInt(part, 16));
    assert.equal(box.style.background, `rgb(${r}, ${g}, ${b})`);
    for (const text of [title, view[side].hex, view[side].lab, view[side].name])
      assert.ok(box.textContent.includes(text), text);
  }
  assert.deepEqual(
    [...made.root.querySelectorAll('.th-metric')].map((row) =>
      ['label', 'value', 'limit', 'state'].map(
        (name) => row.querySelector('.th-' + name).textContent,
      ),
    ),
    view.metrics.map((metric) => [
      ...[metric.label, metric.text, metric.limit_text],
      metric.value < metric.limit ? '✓ pass' : '✕ fail',
    ]),
  );
  // The address opens what is on screen, for what comes next too.
  assert.equal(window.location.search, view.link);
  made.set('view', views.truehue);
  assert.equal(window.location.search, views.truehue.link);
});

test('a number that does not judge has no limit to move and no mark', async () => {
  const made = await card(views.truehue);
  assert.deepEqual(made.texts('.th-metric:not(.th-told) .th-label'), ['Mismatch score']);
  assert.equal(made.root.querySelectorAll('.th-told').length, 3);
  assert.deepEqual(made.texts('.th-reported'), [views.truehue.reported]);
  assert.ok(made.part('.th-reported + .th-told'));
  assert.equal(made.root.querySelectorAll('input[type=range]').length, 1);
  assert.equal(made.part('.th-told .th-state').textContent, '');
  assert.match(made.text('.th-confidence'), /^confidence (over )?\d+% · /);
  assert.deepEqual(made.texts('.th-in-light'), [views.truehue.measured_on, views.truehue.light]);
  assert.equal(made.text('.th-swatch-accepted b'), 'Under this light');
});

test('a color that must not be there is told as matching or differing', async () => {
  const made = await card(views.differs);
  assert.deepEqual(
    made.texts('.th-state'),
    views.differs.metrics.map((metric) =>
      metric.value < metric.limit ? '✕ matches' : '✓ differs',
    ),
  );
  assert.equal(made.text('.th-swatch-asked b'), 'Must not be');
  assert.ok(made.button('Disagree'));
});

test('what cannot be judged, or is not in the image, is said', async () => {
  const made = await card(views.unread);
  assert.equal(made.text('.th-headline h2'), 'Not scored');
  assert.match(made.text('.th-reason'), /Vivid reddish orange/);
  assert.equal(made.part('.th-metrics'), null);
  made.set('view', {
    ...views.fails,
    absent: 'You answered that there is no jar.',
    truth: 'True.',
  });
  assert.equal(made.text('.th-absent'), 'You answered that there is no jar.');
  assert.equal(made.text('.th-truth'), 'True.');
});

test('text is never markup', async () => {
  const made = await card({ ...views.fails, reason: '<img src=x onerror=alert(1)>' });
  assert.equal(made.part('.th-reason img'), null);
  assert.equal(made.text('.th-reason'), '<img src=x onerror=alert(1)>');
});

test('another rule is one click away', async () => {
  const made = await card(views.fails);
  const [other] = views.fails.others;
  const line = made.part('.th-other');
  for (const text of [other.name, other.title.toLowerCase(), other.text])
    assert.ok(line.textContent.includes(text), text);
  assert.equal(made.root.querySelectorAll('.th-other').length, views.fails.others.length);
  line.click();
  assert.deepEqual(made.sent.at(-1), ['rule', other.id]);
});

test('where rules disagree the card says why', async () => {
  const audit = { sentence: 'truehue passes, paper fails.', reasons: [['Shade', 'It is dark.']] };
  const made = await card({ ...views.fails, audit });
  assert.match(made.root.textContent, /The rules disagree: truehue passes, paper fails\..*ShadeIt/);
});

// ── what is taken away ───────────────────────────────────────────────────────────────────────────

test('JSON and link are copied, and where that is refused it is said', async () => {
  const copied = [];
  const clipboard = { writeText: async (text) => copied.push(text) };
  Object.defineProperty(navigator, 'clipboard', { value: clipboard, configurable: true });
  const made = await card(views.fails);
  made.button('Copy JSON').click();
  await settled();
  assert.equal(made.text('.th-copy-json'), 'Copied');
  assert.equal(JSON.parse(copied[0]).evidence_id, views.fails.evidence_id);
  made.button('Copy link').click();
  await settled();
  assert.equal(copied[1], 'http://127.0.0.1:7860/' + views.fails.link);
  clipboard.writeText = async () => Promise.reject(new Error('closed'));
  document.execCommand = () => false;
  made.set('view', { ...views.fails });
  made.button('Copy JSON').click();
  await settled();
  assert.equal(made.text('.th-copy-json'), 'Press Ctrl+C');
  assert.equal(document.querySelector('body > textarea'), null);
});

test('all colors of the mask are asked of Compare', async () => {
  const made = await card(views.fails);
  const tab = document.createElement('div');
  tab.id = 'th-tabs';
  tab.innerHTML = '<button role="tab" aria-selected="false">Compare</button>';
  document.body.append(tab);
  let clicked = 0;
  tab.firstChild.addEventListener('click', () => (clicked += 1));
  made.button('Color distribution').click();
  const shown = new URLSearchParams(views.fails.link);
  const wish = 'image:' + shown.get('image') + '/' + shown.get('mask');
  assert.deepEqual(store.take('wish'), { d: wish });
  assert.equal(clicked, 1);
});

// ── limits that are tried ────────────────────────────────────────────────────────────────────────

test('limits move, and the verdict stays the rule’s', async () => {
  const made = await card(views.fails);
  assert.match(made.text('.th-yours-words'), /^Would pass with (a limit|limits) of/);
  assert.equal(made.part('.th-yours-badge').hidden, true);
  for (const metric of views.fails.metrics) slide(made, metric.label);
  const wide = views.fails.alternatives.some((way) =>
    views.fails.metrics.every((metric) => way[metric.name] < 3 * metric.limit),
  );
  assert.match(made.text('.th-yours-words'), wide ? /^✓ it would pass/ : /^✕ it would fail/);
  assert.equal(made.part('.th-yours-badge').hidden, false);
  assert.equal(made.text('.th-headline h2'), 'Fails');
  assert.equal(made.root.querySelectorAll('.th-moved').length, views.fails.metrics.length);
  assert.match(query().get('limits'), /delta_e00:15/);
  const slider = slide(made, 'ΔE00', '0.1');
  assert.match(slider.getAttribute('aria-valuetext'), /^0\.1, yours; the rule uses 5\.0/);
  assert.match(made.text('.th-yours-words'), /^✕ it would fail/);
  assert.deepEqual(made.sent, [], 'nothing is asked of the app');
  made.button('Limits of the rule').click();
  assert.equal(made.part('.th-yours-badge').hidden, true);
  assert.equal(query().get('limits'), null);
});

test('a number passes strictly below its limit, and the hint names the least that does', async () => {
  const metric = {
    ...views.fails.metrics[1],
    name: 'delta_e00',
    label: 'ΔE00',
    value: 6,
    limit: 5,
  };
  const view = { ...views.fails, metrics: [metric], alternatives: [{ delta_e00: 6 }] };
  const made = await card(view);
  assert.equal(made.text('.th-yours-words'), 'Would pass with a limit of ΔE00 6.1.');
  slide(made, 'ΔE00', '6');
  assert.match(made.text('.th-yours-words'), /^✕ it would fail/);
  slide(made, 'ΔE00', '6.1');
  assert.match(made.text('.th-yours-words'), /^✓ it would pass/);
  assert.equal(made.text('.th-limit'), 'limit 6.1');
  assert.equal(made.text('.th-state'), '✓ pass');
  // Of a color that must not be there it is the other way round.
  const other = await card({
    ...view,
    relation: 'differs',
    metrics: [{ ...metric, value: 3 }],
    alternatives: [{ delta_e00: 3 }],
  });
  assert.equal(other.text('.th-yours-words'), 'Would pass with a limit of ΔE00 3.0 or less.');
});

test('limits of a link come with it once, and end with another image', async () => {
  const made = await card(views.fails, { limits: 'delta_e00:8,other:3' });
  assert.equal(made.part('.th-yours-badge').hidden, false);
  assert.equal(query().get('limits'), 'delta_e00:8');
  made.set('view', { ...views.fails });
  assert.equal(query().get('limits'), 'delta_e00:8');
  made.set('view', { ...views.fails, link: views.fails.link.replace(/image=\w+/, 'image=ffff') });
  assert.equal(query().get('limits'), null);
});

// ── answers of people ────────────────────────────────────────────────────────────────────────────

const said = (path) =>
  requests
    .filter((request) => request.path === path && request.method === 'POST')
    .map((request) => request.body);

test('a verdict is kept by key, deleted, and put back', async () => {
  const made = await card(views.fails);
  const news = [];
  const leave = store.subscribe('drawn', () => news.push('drawn'));
  assert.equal(made.text('.th-kept-state'), 'Not saved');
  const { rule } = views.fails.question;
  answer('POST /api/verdicts', { evidence: { [rule]: 'e1' } });
  answer('POST /api/trash', { id: 't1', count: 6, words: '6 verdicts' });
  answer('POST /api/trash/t1/restore', {});
  press(document.body, 'v');
  await settled();
  assert.deepEqual(said('/api/verdicts'), [views.fails.question]);
  assert.equal(made.text('.th-kept-state'), 'Saved');
  assert.equal(news.length, 1);
  made.button('Delete').click();
  await settled();
  assert.deepEqual(said('/api/trash').at(-1), { kind: 'verdict', ids: ['e1'], all_rules: true });
  assert.equal(made.text('.th-kept-state'), 'Not saved');
  assert.match(made.text('.th-undo'), /The verdicts of 6 rules were deleted/);
  made.button('Undo').click();
  await settled();
  assert.equal(made.text('.th-kept-state'), 'Saved');
  leave();
});

test('one disagrees with a reason, changes it, and takes it back', async () => {
  const made = await card(views.fails);
  press(document.body, 'd');
  await settled();
  const form = made.part('.th-judging-form');
  assert.equal(document.activeElement, form.querySelector('textarea'));
  // The opposite of what the verdict says stands there.
  assert.equal(form.querySelector('input:checked').value, 'pass');
  assert.match(form.querySelector('input:checked').parentElement.textContent, /It has the color/);
  // Letters that are typed there are no keys of the card.
  press(form.querySelector('textarea'), 'v');
  assert.equal(said('/api/verdicts').length, 1);
  type(form.querySelector('textarea'), 'The sun was low.');
  const mine = { id: 'j1', status: 'fail', answer: 'pass', agrees: false };
  answer('POST /api/judgments', { ...mine, reason: 'The sun was low.' });
  form.dispatchEvent(new window.Event('submit', { cancelable: true }));
  await settled();
  const { answer: values, reason } = said('/api/judgments')[0];
  assert.deepEqual([values, reason], ['pass', 'The sun was low.']);
  assert.equal(made.text('.th-judging-said'), 'You disagree: it has the color. “The sun was low.”');
  assert.equal(made.text('.th-kept-state'), 'Saved');
  made.button('Change').click();
  await settled();
  press(made.part('.th-judging-form'), 'Escape');
  answer('POST /api/judgments/j1/withdraw', {});
  made.button('Withdraw').click();
  await settled();
  assert.equal(made.part('.th-judging-said'), null);
  press(document.body, 'a');
  await settled();
  assert.equal(said('/api/judgments')[1].answer, 'fail');
});

test('keys are the card’s only where nothing is typed and no dialog is open', async () => {
  const made = await card(views.fails);
  const field = document.body.appendChild(document.createElement('input'));
  field.focus();
  press(field, 'd');
  field.blur();
  press(document.body, 'd', { ctrlKey: true });
  const dialog = document.body.appendChild(document.createElement('dialog'));
  dialog.showModal();
  press(document.body, 'd');
  await settled();
  assert.equal(made.part('.th-judging-form'), null);
});

test('a kept verdict shows one’s own answer and those of others', async () => {
  answer('GET /api/judgments/of', {
    judgment: { id: 'j1', status: 'fail', answer: 'fail', agrees: true, reason: '' },
    others: [{ answer: 'pass', reason: '<b>No</b>' }],
    others_total: 3,
  });
  const made = await card({ ...views.fails, kept: true });
  await settled();
  assert.equal(made.text('.th-judging-said'), 'You agree: it does not have the color.');
  const [other, more] = made.texts('.th-judging-other');
  assert.equal(other, 'Another person says: it has the color. “<b>No</b>”');
  assert.match(more, /^2 more/);
  const request = new URLSearchParams(requests.at(-1).search);
  assert.equal(request.get('mask'), views.fails.question.mask);
});

test('what the app refuses is said below the card', async () => {
  const made = await card(views.fails);
  answer('POST /api/verdicts', { error: 'You may look, not keep.' }, 403);
  made.button('Save result').click();
  await settled();
  assert.equal(made.text('.th-judging [role=alert]'), 'You may look, not keep.');
  assert.equal(made.text('.th-kept-state'), 'Not saved');
});
