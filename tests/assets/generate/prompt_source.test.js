// What will be drawn: own words, the chosen prompt or the basket, and what is read of own words.
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';

import { answer, faults, load, press, requests, settled, type, widget } from '../page.js';
import { until } from '../until.js';

const { store } = await load('shared/state');
const { basket } = await load('shared/basket');
const ITEM = { source: 'mini', id: 'a', text: 'A red mug', hexes: ['#ff0000'] };
const others = (...ids) => ids.map((id) => ({ source: 'mini', id, text: 'Prompt ' + id }));

/** The form as a page with this address opens it. */
async function open(address = '/?tab=generate') {
  history.replaceState(null, '', address);
  document.body.replaceChildren();
  const ask = await widget('generate/prompt_source', { props: {} });
  const draw = await widget('generate/generate_button');
  const find = (selector) => ask.element.querySelector(selector);
  const tab = (mode) => find(`[data-mode=${mode}]`);
  return {
    ...ask,
    find,
    tab,
    draw,
    note: () => draw.element.querySelector('.th-request-note').textContent,
    mode: () => find('[aria-selected=true]').dataset.mode,
    listed: () => [...ask.element.querySelectorAll('.th-basket-list li span')].map(textOf),
    button: (text) =>
      [...ask.element.querySelectorAll('button')].find((node) => textOf(node) === text),
  };
}
const textOf = (node) => node.textContent;
/** As another tab of the browser writes the basket: this one hears of it by an event. */
function writeElsewhere(items) {
  localStorage.setItem('th-basket', JSON.stringify(items));
  window.dispatchEvent(new window.StorageEvent('storage', { key: 'th-basket' }));
}

beforeEach(() => {
  basket.clear();
  store.take('chosen');
  requests.length = 0;
});

// First: each form that was opened before would list them too.
test('a huge basket lists its first hundred and says how many more', async () => {
  const form = await open();
  basket.add(Array.from({ length: 1203 }, (_, n) => ({ source: 's', id: String(n) })));
  assert.equal(form.tab('basket').textContent, 'Selection · 1,203');
  const lines = form.element.querySelectorAll('.th-basket-list li');
  assert.equal(lines.length, 101);
  assert.equal(lines[100].textContent, 'and 1,103 prompts more');
});

test('a link says what to draw, also beside a chosen prompt', async () => {
  for (const mode of ['own', 'chosen', 'basket']) {
    const form = await open('/?tab=generate&set=mini&prompt=a&mode=' + mode);
    store.set('chosen', { ...ITEM, targets: [] }, { restored: true });
    assert.equal(form.mode(), mode);
    assert.deepEqual(form.props.value, { mode, prompts: mode === 'basket' ? 0 : 1 });
    assert.deepEqual(store.get('request').refs(), mode === 'chosen' ? [['mini', 'a']] : []);
    // A prompt that a person clicks is what is drawn, whatever the link says.
    store.set('chosen', { ...ITEM, targets: [] }, { restored: false });
    assert.equal(form.mode(), 'chosen');
  }
  const form = await open('/?tab=generate&mode=nothing');
  store.set('chosen', { ...ITEM, targets: [] }, { restored: true });
  assert.equal(form.mode(), 'chosen');
});

test('the chosen prompt stands there with its colors, and goes into the basket', async () => {
  const form = await open();
  assert.equal(form.mode(), 'own');
  assert.equal(form.find('.th-request-body').hidden, true);
  form.tab('chosen').click();
  assert.match(form.find('.th-request-body').textContent, /No prompt selected/);
  assert.match(form.note(), /Click a prompt/);
  store.set('chosen', {
    ...ITEM,
    targets: [
      { object: 'mug', color_label: 'red', hex: '#ff0000', role: 'main' },
      { object: 'saucer', color_label: 'red', hex: '#ff0000', role: 'reference' },
      { object: 'table', role: 'bystander' },
    ],
  });
  assert.equal(form.find('.th-request-text').textContent, 'A red mug');
  assert.deepEqual([...form.find('.th-request-targets').children].map(textOf), [
    'mug: red',
    'saucer: red (the same color, implied)',
    'table: must not take the color',
  ]);
  form.button('Add to the selection').click();
  assert.equal(form.mode(), 'basket');
  assert.deepEqual(basket.refs(), [['mini', 'a']]);
  press(form.tab('basket'), 'ArrowLeft');
  assert.equal(form.mode(), 'chosen');
  assert.equal(document.activeElement, form.tab('chosen'));
});

test('the first prompt put in is what is drawn; one of another tab is only counted', async () => {
  const form = await open();
  basket.toggle(ITEM);
  assert.equal(form.mode(), 'basket');
  assert.equal(form.tab('basket').textContent, 'Selection · 1');
  assert.deepEqual(store.get('request').refs(), [['mini', 'a']]);
  form.tab('own').click();
  writeElsewhere([ITEM, ...others('b')]);
  assert.equal(form.mode(), 'own');
  assert.equal(form.tab('basket').textContent, 'Selection · 2');
  writeElsewhere(others('b'));
  assert.equal(form.tab('basket').textContent, 'Selection · 1');
  // The next page opens with what is in the basket.
  assert.equal((await open()).mode(), 'basket');
});

test('a basket that was written in silence is read before it is written', async () => {
  const form = await open();
  localStorage.setItem('th-basket', JSON.stringify([{ ...ITEM, text: 'kept' }]));
  basket.toggle(others('b')[0]);
  assert.deepEqual(form.listed().filter(Boolean), ['kept', 'Prompt b']);
});

test('an emptied basket says why nothing is drawn, and comes back', async () => {
  const form = await open();
  basket.add(others('a', 'b', 'c'));
  form.button('Clear selection').click();
  assert.equal(form.tab('basket').textContent, 'Selection');
  assert.match(form.note(), /check boxes of the list/);
  assert.match(form.find('.th-request-body').textContent, /Selection cleared: 3 prompts/);
  assert.equal(form.draw.element.querySelector('button').getAttribute('aria-disabled'), 'true');
  form.button('Undo').click();
  assert.equal(form.tab('basket').textContent, 'Selection · 3');
  form.find('.th-basket-out').click();
  assert.deepEqual(basket.refs(), [
    ['mini', 'b'],
    ['mini', 'c'],
  ]);
  basket.clear();
  assert.match(form.find('.th-request-body').textContent, /The selection is empty/);
});

test('a selection is saved under a name, with what was left out of it', async () => {
  const form = await open();
  let news = 0;
  store.subscribe('sets', () => (news += 1));
  basket.add(others('a', 'b'));
  const said = () => form.find('[role=status]').textContent;
  const save = async (saved, status) => {
    answer('POST /api/selections', saved, status);
    type(form.find('form input'), 'two of them');
    form.button('Save').click();
    await until(() => !form.button('Save').disabled && said());
  };
  await save({ name: 'two of them', count: 2, missing: 0 });
  assert.deepEqual(requests[0].body, {
    name: 'two of them',
    refs: [
      ['mini', 'a'],
      ['mini', 'b'],
    ],
  });
  assert.equal(requests[0].headers['X-TrueHue'], '1');
  assert.equal(said(), 'Saved as “two of them” with 2 prompts: it is in the list of prompt sets.');
  await save({ name: 'one', count: 1, missing: 1 });
  assert.match(said(), /with 1 prompt:.* 1 prompt is no longer available and was left out\./);
  await save({ name: 'one', count: 1, missing: 2 });
  assert.match(said(), / 2 prompts are no longer available and were left out\./);
  assert.equal(news, 3);
  await save({ error: 'There is such a name.' }, 400);
  assert.equal(said(), 'There is such a name.');
  assert.ok(form.find('.th-problem'));
  assert.equal(news, 3);
  // A name that is being typed stays when the basket changes, what was said of another basket goes.
  basket.toggle(ITEM);
  assert.equal(form.find('form input').value, 'two of them');
  assert.equal(said(), '');
});

// ── what is read of own words ────────────────────────────────────────────────────────────────────

async function reading(t) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  document.body.replaceChildren();
  const field = document.createElement('div');
  field.id = 'generate-text';
  field.innerHTML = '<textarea>A blue unicorn</textarea>';
  document.body.append(field);
  const view = {
    text: 'A blue unicorn',
    judged: [{ object: 'unicorn', label: 'blue', hex: '#0000ff' }],
    notes: ['A cube stands in for the unicorn.'],
    hand: '',
    more: 0,
  };
  const props = { value: { object: false, target: false }, view };
  const read = await widget('generate/reading', { props });
  const text = field.firstChild;
  return {
    ...read,
    view,
    // A timer that begins another one: second after second.
    pass(seconds) {
      for (let second = 0; second < seconds; second++) t.mock.timers.tick(1000);
    },
    box: read.element.querySelector('.th-reading'),
    write(message) {
      text.value = message;
      text.dispatchEvent(new window.Event('input', { bubbles: true }));
    },
  };
}

test('what is judged stands below the words, and a hand can be taken back', async (t) => {
  const read = await reading(t);
  assert.equal(
    read.element.querySelector('.th-reading-judged').textContent,
    'Will be scored for: blue unicorn',
  );
  assert.equal(read.element.querySelector('li').textContent, 'A cube stands in for the unicorn.');
  const hand = read.element.querySelector('.th-reading-hand');
  assert.equal(hand.hidden, true);
  const judged = [...read.view.judged, { object: 'book', label: 'red', hex: '#ff0000' }];
  read.set('view', { ...read.view, judged, more: 1200, hand: 'You set the color manually.' });
  assert.match(read.element.textContent, /blue unicorn, red book and 1,200 more/);
  assert.equal(hand.hidden, false);
  assert.equal(hand.querySelector('span').textContent, 'You set the color manually.');
  read.props.value = { object: true, target: true };
  hand.querySelector('button').click();
  assert.deepEqual(read.props.value, { object: false, target: false });
  assert.deepEqual(read.sent, [['follow', undefined]]);
});

test('what was read of an earlier text is dimmed, and a lost answer is asked for again', async (t) => {
  const read = await reading(t);
  const busy = () => read.box.getAttribute('aria-busy');
  read.write('A green dog');
  t.mock.timers.tick(599);
  assert.equal(busy(), null);
  t.mock.timers.tick(1);
  assert.equal(busy(), 'true');
  assert.deepEqual(read.sent, []);
  read.pass(6);
  assert.deepEqual(read.sent, [
    ['again', undefined],
    ['again', undefined],
  ]);
  read.set('view', { ...read.view, text: 'A green dog' });
  assert.equal(busy(), null);
  read.pass(30);
  assert.equal(read.sent.length, 2);
  // Three times without an answer are enough, and the text that was read is never dimmed.
  read.write('A dog');
  read.pass(30);
  read.write('A green dog');
  assert.equal(busy(), null);
  read.pass(30);
  assert.equal(read.sent.length, 5);
});

test('nothing was thrown on the way', async () => {
  await settled();
  assert.deepEqual(faults, []);
});
