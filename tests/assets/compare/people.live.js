import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as live from '../live.js';

const { button, field, give, says, settled, shown, textOf, type, until, value } = live;

history.replaceState({}, '', '?tab=compare&view=people');
const room = live.rooms('Compare');
await live.widget('compare/switch');
const { element } = await live.widget('compare/people');
const { openTab } = await live.load('shared/dom');
const { store } = await live.load('shared/state');
/** The question with which Inspect opens what was pressed. */
const inspected = async () => {
  await until(() => store.get('opened'));
  const { question, stage } = store.take('opened');
  // Inspect is in front; back to here.
  await until(() => room() === 'Inspect');
  openTab('Compare');
  return { ...question, mask: stage.marks[0]?.mask_id };
};
const view = element.querySelector('[data-compare-view]');
const { openCompare } = await live.load('compare/view');
const part = (name) => view.querySelector(`[data-part="${name}"]`);
const file = part('file');
const report = file.querySelector('.th-people-report');
const status = file.querySelector('.th-people-status');
const chosen = file.querySelector('input[type=file]');
const entry = (text) =>
  [...view.querySelectorAll('.th-people-set')].find((node) => textOf(node).includes(text));
const sets = async () => (await (await fetch('/api/compare/sets')).json()).sets;
const csv = (name, text) => [name, Buffer.from(text).toString('base64')];
const link = () => decodeURIComponent(location.search);
// As one comes to the view, with nothing of the test before.
const opened = async (values = {}) => {
  openCompare('concept', {});
  openCompare('people', values);
  await settled();
};

test('without people the page says where they can come from', async () => {
  await says(view.querySelector('.th-people-none'), 'were not published');
  await until(() => shown(view.querySelector('.th-people-empty')));
  const links = [...view.querySelectorAll('.th-people-formats a')];
  assert.equal(links.length, Object.keys(value.examples).length);
  for (const item of links) {
    assert.ok(item.hasAttribute('download'));
    const name = item.getAttribute('href').split('/').at(-1);
    const answer = await fetch(item.getAttribute('href'));
    const disposition = answer.headers.get('content-disposition');
    assert.ok(disposition.includes(`truehue-${name}`), disposition);
    const content = Buffer.from(await answer.arrayBuffer()).toString('base64');
    assert.equal(content, value.examples[name][1]);
  }
});

test('ratings are refused first, and taken by the button', async () => {
  give(chosen, ['mine.csv', value.examples['ratings.csv'][1]]);
  // A question, and no error.
  await says(report, 'What are these numbers?');
  assert.match(textOf(report.querySelector('.th-soft')), /^No row of mine.csv sums/);
  assert.equal(report.querySelector('.th-problem'), null);
  assert.throws(() => button(file, /^Store/));
  button(file, 'These are ratings: normalize them').click();
  await says(report, 'Read as ratings.');
  assert.equal(report.querySelectorAll('.th-people-row').length, 3);
  assert.deepEqual(await sets(), []); // only looked at
  assert.equal(field(file, 'Name').value, 'mine');
  field(file, 'Source').value = 'A lab, 2023';
  button(file, 'Store 3 concepts').click();
  const item = await until(() => entry('mine'));
  await says(item, 'ratings, normalized to sum 1');
  assert.match(textOf(item), /A lab, 2023/);
  assert.equal(textOf(item.querySelector('.th-people-badge')), 'people');
  assert.ok(!shown(view.querySelector('.th-people-none')));
  // Its concepts lie open, a strip of all bins each.
  const row = await until(() =>
    [...item.querySelectorAll('button.th-people-row')].find((each) =>
      textOf(each).includes('rotten banana'),
    ),
  );
  const strip = row.querySelectorAll('.th-people-strip i');
  assert.equal(strip.length, 71);
  assert.match(strip[0].title, /L\*/);
  const shares = [...strip].map((each) => Number(each.style.flexGrow));
  assert.ok(Math.abs(shares.reduce((sum, each) => sum + each) - 1) < 1e-6);
  // A concept opens where it can be compared, with this set as a source.
  const [stored] = await sets();
  row.click();
  assert.match(link(), /view=concept.*concept=concept-\d+-rotten/);
  assert.ok(link().includes('d=set:' + stored.set_id.slice(0, 16)));
  assert.ok(view.hidden);
});

test('counts are taken by their own button, and labels become sets', async () => {
  await opened();
  const header = [...Array(71).keys()].join(',');
  const rest = ',0'.repeat(69);
  give(chosen, csv('counts.csv', `concept,${header}\nbanana,60,40${rest}\n`));
  const divide = 'These are counts or percent: divide them by their sum';
  await says(report, divide);
  button(file, divide).click();
  await says(report, 'Read as histograms.');
  button(file, 'Store 1 concept').click();
  await says(() => entry('counts'), 'histograms: shares of the UW-71 bins');
  // As the Concept view writes its shares.
  const shares =
    `concept,label,kind,method,people,${header}\n` +
    `banana,A run,pictures,extracted,0,1,0${rest}\n` +
    `banana,A lab,ratings,given,20,0.5,0.5${rest}\n`;
  give(chosen, csv('shares.csv', shares));
  await until(() => report.querySelectorAll('.th-people-row').length === 2);
  assert.match(textOf(report.querySelector('.th-people-row')), /A run/);
  button(file, 'Store 2 sets').click();
  await says(status, '2 sets stored');
  assert.match(textOf(status), /The file gives 0 people/);
  await until(() => entry('shares: A run'));
  const badge = entry('shares: A run').querySelector('.th-people-badge');
  assert.equal(textOf(badge), 'another measurement');
  assert.match(textOf(entry('shares: A lab')), /ratings, normalized to sum 1/);
});

test('files that cannot be read are named, and nothing of them can be stored', async () => {
  for (const [name, content] of value.bad) {
    give(chosen, [name, content]);
    await until(() => !report.hidden && textOf(report.querySelector('b')).includes(name));
    assert.notEqual(textOf(report.querySelector('.th-problem')), '');
    assert.throws(() => button(file, /^Store/));
    button(file, 'Choose another file').click();
    assert.ok(report.hidden);
  }
});

test('palettes are put away, stored, renamed, hidden and shown again', async () => {
  const before = (await sets()).length;
  const palettes = ['mine.csv', value.examples['palettes.csv'][1]];
  give(chosen, palettes);
  await says(report, 'Read as palettes.');
  button(file, 'Cancel').click();
  assert.match(textOf(status), /Nothing was stored/);
  assert.equal((await sets()).length, before);
  give(chosen, palettes);
  await until(() => !report.hidden && shown(file.querySelector('form')));
  field(file, 'Name').value = 'Our palettes';
  button(file, 'Another measurement').click();
  button(file, 'Store 3 concepts').click();
  const item = await until(() => entry('Our palettes'));
  assert.equal(textOf(item.querySelector('.th-people-badge')), 'another measurement');
  button(item, 'Rename').click();
  field(item, 'Name of the set').value = 'Their palettes';
  item.querySelector('form').requestSubmit();
  const renamed = await until(() => entry('Their palettes'));
  button(renamed, 'Hide').click();
  await until(() => !entry('Their palettes'));
  const hidden = view.querySelector('.th-people-hidden');
  assert.equal(textOf(hidden), 'Show hidden (1)');
  hidden.querySelector('input').click();
  button(await until(() => entry('Their palettes')), 'Show').click();
  await until(() => !shown(hidden));
  assert.ok(entry('Their palettes'));
});

test('one distribution asks for its concept, and offers one that is alike', async () => {
  give(chosen, ['one.csv', value.examples['one.csv'][1]]);
  const text = await until(() => {
    const node = view.querySelector('#th-people-one');
    return shown(node) && node;
  });
  assert.equal(field(file, 'Concept of this distribution'), text);
  type(text, 'bananna');
  const similar = await until(() =>
    [...file.querySelectorAll('.th-people-similar')].find((node) => textOf(node) === 'banana'),
  );
  similar.click();
  assert.equal(text.value, 'banana');
  button(file, 'Read it as this concept').click();
  await until(() => report.querySelectorAll('.th-people-row').length === 1);
  assert.match(textOf(report.querySelector('.th-people-row')), /banana/);
  button(file, 'Store 1 concept').click();
  await says(status, 'stored.');
});

test('colored sheets become a set without their paper, by their makers', async () => {
  button(view, 'Images of a concept').click();
  assert.match(link(), /bring=pictures/);
  const box = part('pictures');
  box.querySelector('[data-mask=stored]').click();
  give(box.querySelector('input[type=file]'), ...value.sheets);
  const cards = () => [...box.querySelectorAll('.th-people-preview')];
  await until(() => cards().length === 3);
  await says(() => cards()[0], 'No mask of these pixels is stored');
  const node = view.querySelector('#th-people-words');
  assert.equal(field(box, 'Concept shown'), node);
  node.focus();
  node.value = 'rotten ban';
  node.dispatchEvent(new window.Event('input', { bubbles: true }));
  const list = box.querySelector('[role=listbox]');
  await until(() => shown(list) && /rotten banana/.test(textOf(list)));
  live.press(node, 'ArrowDown');
  live.press(node, 'Enter');
  assert.equal(node.value, 'rotten banana');
  button(box, 'Without white paper').click();
  await says(() => cards()[0], 'Without the white paper, 3');
  // The answer to the first choice comes last, and changes nothing.
  const plan = '/api/compare/sets/pictures-plan/';
  const session = live.requests
    .find((request) => request.path.startsWith(plan))
    .path.slice(plan.length);
  const release = live.hold(plan + session);
  button(box, 'People').click();
  live.choose(field(box, 'Contributors are read from'), 'name');
  await says(() => cards()[0], 'by p1');
  release();
  await until(() =>
    live.requests.every((request) => request.path !== plan + session || request.status),
  );
  await settled();
  assert.match(textOf(cards()[0]), /by p1/);
  await until(() => textOf(box.querySelector('.th-people-store')) === 'Store 2 of 3 images');
  button(box, 'Store 2 of 3 images').click();
  const message = box.querySelector('.th-people-report');
  await says(message, 'rotten banana, 2 images: stored with 2 images');
  assert.match(textOf(message.querySelector('li')), /p3_banana.png/);
  const stored = (await sets()).find((one) => one.type === 'pictures');
  assert.deepEqual([stored.contributors, stored.of_people], [2, true]);
  const item = await until(() => entry('rotten banana, 2 images'));
  await until(() => item.querySelectorAll('.th-people-preview').length === 2);
  // A picture of the set opens in Inspect with its mask.
  item.querySelector('.th-people-preview').click();
  const { image, mask, object } = await inspected();
  assert.match(image + mask, /^[0-9a-f]{128}$/);
  assert.equal(object, 'rotten banana');
  button(message, 'Compare now').click();
  assert.ok(link().includes('d=pictures:' + stored.set_id.slice(0, 16)));
});

test('pictures without a mask wait for Inspect', async () => {
  await opened({ bring: 'pictures' });
  const box = part('pictures');
  box.querySelector('[data-mask=stored]').click();
  const before = (await sets()).length;
  give(box.querySelector('input[type=file]'), value.plain);
  await until(() => textOf(box.querySelector('.th-people-store')) === 'Store them for Inspect');
  type(view.querySelector('#th-people-words'), 'blue moon');
  button(box, 'Store them for Inspect').click();
  const node = box.querySelector('.th-people-report');
  await says(node, 'there is no set');
  assert.equal((await sets()).length, before);
  button(node, 'Select in Inspect').click();
  assert.equal((await inspected()).object, 'blue moon');
});

test('one image goes straight to its histogram; one that is none is told of', async () => {
  await opened({ bring: 'image' });
  const box = part('image');
  const images = box.querySelector('input[type=file]');
  give(images, ['no.png', Buffer.from('no').toString('base64')]);
  await says(box.querySelector('.th-people-status'), 'no.png is not an image');
  assert.match(link(), /view=people/);
  give(images, value.any);
  await until(() => /view=concept.*d=image:[0-9a-f]{16}/.test(link()));
  assert.equal(room(), 'Compare');
});

test('nothing went wrong unseen', () => assert.deepEqual(live.faults, []));
