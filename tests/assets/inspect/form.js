// The form of Inspect with the fields that Python has filled, in front of an app that answers when a
// test says so. Run by tests/tabs/inspect/test_cards.py.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { answer, faults, load, requests, settled, type, widget } from '../page.js';
import { until } from '../until.js';

const { html, value: views } = JSON.parse(process.env.TRUEHUE_PAGE);
const { store } = await load('shared/state');
const { openImage } = await load('shared/opening');

window.HTMLElement.prototype.setPointerCapture = () => {};
const catalog = new URL('../../../assets/js/picker/catalog.json', import.meta.url);
const css = ['css', 'CSS'];
const colors = [
  ['css', 'red', '#FF0000', 53.24, 80.09, 67.2],
  ['css', 'teal', '#008080', 48.26, -28.84, -8.47],
];
answer('GET ' + catalog.pathname, { systems: [css], colors });
answer('GET /api/examples', { examples: [], first: false });
answer('GET /api/inspect/labels', ({ search }) => ({ labels: search.slice(1) + ', rim' }));

const question = (more = {}) => ({
  ...{ object: '', target: '', rule: 'truehue', k: 0, neighbors_of: 'l3', relation: 'matches' },
  ...more,
});
const opening = (image_id, asked = {}) => ({
  stage: {
    ...{ image_id, image_url: `/media/images/${image_id}.png`, width: 20, height: 10, seq: 0 },
    ...{ image_name: image_id, notes: [], marks: [], outline: '', message: '', found: '' },
    ...{ value: { image_id, marks: [], seq: 0 }, mask_text: '' },
  },
  verdict: { view: views.unmarked, limits: '' },
  evidence: { view: '', image: '' },
  question: question(asked),
  labels: asked.object ? 'handle, rim' : '',
  data: image_id + ' is open',
});
/** The app's answer to marks: it repeats their number. */
const scored = ({ body }, view = views.unasked) => ({
  stage: { seq: body.seq, outline: 'M0 0', mask_text: 'A mask', message: '', found: '' },
  verdict: { view },
  evidence: { view: '', image: body.image_id },
  data: '1 image',
});
const sent = (kind) => requests.filter(({ path }) => path === '/api/inspect/' + kind);
const lastSent = (kind) => sent(kind).at(-1).body;

async function form(address = '/') {
  document.body.replaceChildren();
  sessionStorage.clear();
  store.take('opened');
  history.replaceState({}, '', address);
  answer('POST /api/inspect/score', (request) => scored(request));
  const made = await widget('inspect/form', {
    html: html['inspect/form'],
    props: { waiting: { status: 'waiting', reason: 'Open a photograph', link: '' } },
  });
  await settled();
  const part = (selector) => made.element.querySelector(selector);
  const radio = (group, value) => part(`#${group} [value="${value}"]`);
  const press = (name) =>
    [...part('#stage').querySelectorAll('button')]
      .find((node) => (node.getAttribute('aria-label') || node.textContent) === name)
      .click();
  return { ...made, part, radio, press, text: (selector) => part(selector).textContent };
}
async function opened(image = 'a1', asked = {}) {
  const made = await form();
  answer('POST /api/inspect/open', opening(image, asked));
  await openImage({ image });
  return made;
}

test('every field of the question scores again, with all the others', async () => {
  const made = await opened();
  let count = sent('score').length;
  const again = async (act, changed) => {
    act();
    await until(() => sent('score').length === count + 1);
    count += 1;
    for (const [name, value] of Object.entries(changed))
      assert.deepEqual(lastSent('score')[name], value, name);
    await settled();
  };
  const whole = { marks: [{ type: 'whole' }], image_id: 'a1', selects: true };
  await again(() => type(made.part('#object-name input'), 'jar'), {
    object: 'jar',
    selects: false,
  });
  await again(() => made.press('Whole image'), whole);
  await again(() => type(made.part('#object-name input'), 'mug'), {
    object: 'mug',
    selects: false,
  });
  await again(() => made.radio('relation', 'differs').click(), { relation: 'differs' });
  await again(() => made.radio('rule', 'released').click(), { rule: 'released' });
  await again(() => made.radio('neighbors-of', 'css').click(), { neighbors_of: 'css' });
  await again(() => made.part('#show-measured input').click(), { show_measured: false });
  const [number, slider] = made.part('#neighbors').querySelectorAll('input');
  number.value = '99';
  await again(() => number.dispatchEvent(new window.Event('input')), { k: 99 });
  slider.value = '7';
  await again(() => slider.dispatchEvent(new window.Event('input')), { k: 7 });
  assert.equal(number.value, '7');
  await again(() => made.part('#neighbors button').click(), { k: 0 });
  await again(() => type(made.part('#asked-color input'), '#008080'), { target: '#008080' });
  assert.equal(lastSent('score').object, 'mug');
  assert.equal(made.text('.th-stage-mask'), 'A mask');
});

test('one state is asked for at a time, the newest next, and no older answer is shown', async () => {
  const made = await opened();
  const waiting = [];
  answer('POST /api/inspect/score', (request) => new Promise((go) => waiting.push([request, go])));
  const before = sent('score').length;
  made.press('Whole image');
  await until(() => waiting.length === 1);
  made.radio('rule', 'paper').click();
  made.radio('rule', 'released').click();
  await settled();
  assert.equal(sent('score').length, before + 1);
  waiting[0][1](scored(waiting[0][0], { ...views.fails, title: 'Of an older question' }));
  await until(() => waiting.length === 2);
  assert.equal(lastSent('score').rule, 'released');
  assert.doesNotMatch(made.text('#verdict'), /Of an older question/);
  // What is opened meanwhile is what stands there.
  answer('POST /api/inspect/open', opening('b2'));
  await openImage({ image: 'b2' });
  waiting[1][1](scored(waiting[1][0], views.fails));
  await settled();
  assert.equal(made.part('#verdict .th-headline'), null);
  assert.equal(made.text('.th-stage-name'), 'b2');
});

test('a link fills the form, and one that cannot be opened says why', async () => {
  const asked = { object: 'mug', target: 'css:red', rule: 'paper-centred', k: 3 };
  answer('POST /api/inspect/link', opening('a1', { ...asked, relation: 'differs' }));
  const made = await form('/?tab=inspect&image=a1&k=3');
  assert.deepEqual(lastSent('link').query, { tab: 'inspect', image: 'a1', k: '3' });
  assert.equal(made.part('#object-name input').value, 'mug');
  assert.equal(made.part('#asked-color input').value, 'red');
  assert.equal(made.radio('rule', 'paper-centred').checked, true);
  assert.equal(made.radio('relation', 'differs').checked, true);
  assert.equal(made.part('#neighbors input').value, '3');
  assert.equal(made.part('#negative-labels input').value, 'handle, rim');
  const count = sent('link').length;
  await form('/?tab=inspect');
  assert.equal(sent('link').length, count);
  answer('POST /api/inspect/link', { error: 'This link cannot be opened. It is gone.' }, 400);
  const other = await form('/?image=f0');
  assert.match(other.text('.th-stage-message-text'), /^This link cannot be opened/);
  assert.equal(other.text('#verdict h2'), 'Not scored');
});

test('a photograph comes without the question, a stored image with its last', async () => {
  const made = await opened('a1', { object: 'mug', target: 'css:teal', rule: 'paper' });
  answer('POST /api/inspect/open', opening('b2', { rule: 'paper' }));
  await openImage({ image: 'b2' });
  const { rule, object, target } = lastSent('open');
  assert.deepEqual([rule, object, target], ['paper', undefined, undefined]);
  assert.equal(made.part('#object-name input').value, '');
  assert.equal(made.part('#asked-color input').value, '');
  // The drawer opens each time that it is asked for.
  const image = { image_id: 'c3', name: 'c3.png', width: 9, height: 9, source: 'upload' };
  answer('GET /api/images', { images: [image], total: 1, stored: 1, sources: { upload: 1 } });
  answer('GET /api/trash', { deleted: [], days: 30 });
  const drawer = made.part('dialog.th-library');
  for (let time = 0; time < 2; time += 1) {
    made.press('Stored images');
    await until(() => made.part('.th-library-item'));
    assert.equal(drawer.open, true);
    drawer.close();
  }
  made.part('.th-library-item').click();
  await settled();
  assert.deepEqual([lastSent('open').image, lastSent('open').last], ['c3', true]);
});

test('a target that was given stays for all photographs that follow, until one has its own', async () => {
  const made = await opened();
  type(made.part('#asked-color input'), '#008080');
  await until(() => lastSent('score').target === '#008080');
  globalThis.XMLHttpRequest = class {
    upload = {};
    status = 200;
    responseText = '{"image_id": "d4"}';
    open() {}
    setRequestHeader() {}
    send() {
      this.onload();
    }
  };
  async function drop(target) {
    const count = sent('open').length;
    answer('POST /api/inspect/open', opening('d' + count, { target }));
    store.set('dropped', [new File(['x'], 'photograph.png', { type: 'image/png' })]);
    await until(() => sent('open').length === count + 1);
    await settled();
    return lastSent('open').target;
  }
  assert.equal(await drop('#008080'), '#008080');
  assert.equal(await drop('css:red'), '#008080');
  assert.equal(await drop(''), undefined);
});

test('another rule of the card is chosen, and a chosen variant is in sight', async () => {
  const made = await opened();
  answer('POST /api/inspect/score', (request) => scored(request, views.fails));
  made.press('Whole image');
  await until(() => made.part('.th-other'));
  const [other] = views.fails.others;
  made.part('.th-other').click();
  await until(() => lastSent('score').rule === other.id);
  assert.equal(made.radio('rule', other.id).checked, true);
  const radios = [...made.part('#rule').querySelectorAll('input')];
  assert.equal(new Set(radios.map((radio) => radio.name)).size, 1);
  const more = made.part('.th-rule-more');
  const folded = made.part('.th-rule-variants');
  made.radio('rule', 'truehue').click();
  assert.equal(folded.hidden, true);
  more.click();
  assert.equal(folded.hidden, false);
  assert.equal(more.getAttribute('aria-expanded'), 'true');
  more.click();
  assert.equal(folded.hidden, true);
  made.radio('rule', 'paper-centred').click();
  assert.equal(folded.hidden, false);
  assert.equal(more.disabled, true);
});

test('what the app refuses is said, and the stage waits no longer', async () => {
  const made = await opened();
  answer('POST /api/inspect/score', { error: 'You may look, not add.' }, 403);
  made.press('Whole image');
  await until(() => made.part('.th-stage').getAttribute('aria-busy') === 'false');
  assert.equal(made.text('.th-stage-message-text'), 'You may look, not add.');
  assert.equal(made.text('#verdict h2'), 'Not scored');
  assert.equal(made.text('.th-stage-name'), 'a1');
});

test('a proxy in place of the app is no refusal: the same is asked again', async () => {
  const made = await opened();
  const count = sent('score').length;
  answer('POST /api/inspect/score', { error: 'Starting' }, 503);
  made.press('Whole image');
  await until(() => sent('score').length === count + 1);
  made.radio('rule', 'paper').click();
  await settled();
  assert.equal(made.part('.th-stage').getAttribute('aria-busy'), 'true');
  answer('POST /api/inspect/score', (request) => scored(request));
  await until(() => made.text('.th-stage-mask') === 'A mask');
  // The app has not heard of the marks yet, so they are still a selection.
  const { marks, rule, selects } = lastSent('score');
  assert.deepEqual([marks, rule, selects], [[{ type: 'whole' }], 'paper', true]);
});

test('an image that names its number of neighbors, none, is opened with it', async () => {
  const made = await opened('a1', { k: 3 });
  assert.equal(made.part('#neighbors input').value, '3');
  await openImage({ image: 'b2' });
  assert.equal(lastSent('open').k, 3);
  await openImage({ image: 'b2', k: 0 });
  assert.equal(lastSent('open').k, 0);
});

test('an object is found with the folded settings, which follow object and variant', async () => {
  const made = await opened();
  answer('POST /api/inspect/find', { error: 'Its weights are missing.' }, 400);
  type(made.part('#object-name input'), 'jar');
  const negatives = made.part('#negative-labels input');
  await until(() => negatives.value === 'object=jar&variant=truehue, rim');
  const released = made.radio('mask-variant', 'released');
  released.click();
  const [box, negative] = ['#box-threshold input', '#negative-threshold input'].map(made.part);
  assert.deepEqual([box.value, negative.value], [released.dataset.box, released.dataset.negative]);
  await until(() => negatives.value === 'object=jar&variant=released, rim');
  // Labels that a person has edited stay.
  type(negatives, 'lid');
  made.radio('mask-variant', 'paper').click();
  released.click();
  const detector = made.part('#detector input');
  const [first, second] = [...made.part('#detector datalist').options];
  assert.equal(detector.value, first.value);
  // While nothing is typed all choices are offered, and what was chosen stays.
  detector.focus();
  assert.deepEqual([detector.value, detector.placeholder], ['', first.value]);
  detector.blur();
  assert.equal(detector.value, first.value);
  detector.focus();
  detector.value = second ? second.value : 'hub:owner/name';
  detector.blur();
  box.value = '';
  made.press('Find the object');
  await settled();
  const asked = lastSent('find');
  assert.equal(asked.detector, second ? second.dataset.id : 'hub:owner/name');
  assert.deepEqual(
    [asked.image_id, asked.object_name, asked.variant, asked.presence, asked.box_threshold],
    ['a1', 'jar', 'released', '', null],
  );
  assert.equal(asked.negatives, 'lid');
  assert.equal(made.text('.th-stage-message-text'), 'Its weights are missing.');
  assert.deepEqual(faults, []);
});
