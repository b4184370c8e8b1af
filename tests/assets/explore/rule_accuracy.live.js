import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as live from '../live.js';

const { button, choose, field, link, says, settled, shown, textOf, until, value } = live;

history.replaceState({}, '', '?tab=explore&view=rule_accuracy&rule=released&what=false');
live.rooms('Explore');
await live.widget('explore/switch');
const trust = await live.widget('explore/rule_accuracy');
const audit = await live.widget('explore/disagreements');
const { openView } = await live.load('explore/view');
const { store } = await live.load('shared/state');
const box = trust.element.querySelector('.th-accuracy');
const agree = audit.element.querySelector('.th-disagreements');
const part = (name) => box.querySelector('.th-accuracy-' + name);
const table = () => box.querySelector('.th-accuracy-table tbody');
const pressed = (name) => button(box, name).getAttribute('aria-pressed') === 'true';

test('the shipped report is shown as it is', async () => {
  await until(() => table()?.querySelector('tr'));
  // As its link says.
  assert.ok(pressed('False accepts'));
  assert.equal(box.querySelector('[data-rule=released]').getAttribute('aria-pressed'), 'true');
  for (const [id, rates] of Object.entries(value.rates)) {
    const row = box.querySelector(`.th-accuracy-table [data-rule='${id}']`).closest('tr');
    assert.deepEqual([...row.querySelectorAll('.th-rate-numbers b')].map(textOf), rates);
  }
  // The paper's row; the path-traced sets have rows of that kind too.
  const published = [...box.querySelectorAll('.th-published')].find((node) =>
    textOf(node).includes('paper, as published'),
  );
  assert.match(textOf(published), /96\.46/);
  assert.match(textOf(published), /92\.00/);
  const cells = [...published.querySelectorAll('td')];
  assert.equal(cells.filter((cell) => /not published/.test(textOf(cell))).length, 3);
  // Two figures with an operating point for each rule.
  for (const system of ['l2', 'css']) {
    const { drawn } = box.querySelector(`[data-system=${system}] .th-figure`);
    assert.equal(drawn.data.filter((item) => item.showlegend !== false).length, value.rules);
  }
  const lights = box.querySelectorAll('.th-part[data-by=light] tbody tr');
  assert.equal(lights.length, value.lights);
});

test('a ring test shows its scorers with their certificates', async () => {
  const ring = box.querySelector('.th-ring');
  await until(() => shown(ring.querySelector('.th-ring-results')));
  const row = ring.querySelector('.th-ring-all tbody tr');
  assert.match(textOf(row), /other lab/);
  assert.match(row.querySelector('a').href, /ring\/0123456789ab\/other-lab\.html$/);
  await until(() => ring.querySelector('.th-ring-figure').drawn);
  assert.ok(shown(button(ring, 'Add answers…')));
  assert.match(ring.querySelector('.th-ring-zip').href, /0123456789ab\/set\.zip$/);
});

test('a link to a rule that the report lacks says so', async () => {
  const { restored } = await live.load('explore/view');
  restored('rule_accuracy').set('rule', 'zzz');
  const { element } = await live.widget('explore/rule_accuracy');
  await says(() => document.querySelector('.th-toast'), 'This report has no rule “zzz”.');
  assert.ok(element.querySelector('.th-accuracy-table [aria-pressed=true]'));
  element.remove();
});

test('sets, rules and systems are chosen, and the link says which', async () => {
  const first = textOf(table());
  const figure = box.querySelector('[data-system=css] .th-figure');
  assert.equal(figure.drawn.layout.legend.y, 0);
  window.innerWidth = 390;
  button(box, 'Held out').click();
  await says(part('words'), 'Not used when constants of truehue 1.0 were chosen');
  assert.notEqual(textOf(table()), first);
  // On a phone the legend lies below the curves.
  await until(() => figure.drawn.layout.legend.y < 0);
  window.innerWidth = 1024;
  box.querySelector('[data-rule=released]').click();
  button(box.querySelector('.th-parts-system'), 'CSS').click();
  button(box.querySelector('.th-parts-what'), 'True accepts').click();
  const wanted = '?tab=explore&view=rule_accuracy&set=held_out&rule=released&system=css';
  assert.equal(link(), wanted);
  assert.ok(pressed('Held out') && pressed('True accepts'));
});

test('an example is drawn again, and opens in Inspect with its rule', async () => {
  box.querySelector('[data-rule=paper]').click();
  const card = await until(() => box.querySelector('.th-example'));
  await until(() => card.querySelector('img').getAttribute('src'));
  const image = await fetch(card.querySelector('img').getAttribute('src'));
  assert.equal(image.headers.get('content-type'), 'image/png');
  card.querySelector('img').onload();
  assert.match(textOf(card), new RegExp(`${value.worst.delta_e00.toFixed(1)} ΔE00`));
  card.querySelector('button').click();
  await until(() => store.get('opened'));
  const { question } = store.take('opened').verdict.view;
  assert.deepEqual([question.object, question.rule], [value.worst.object, 'paper']);
  assert.match(question.image + question.mask, /^[0-9a-f]{128}$/);
});

test('what two rules say differently is counted, filtered and opened', async () => {
  openView('disagreements');
  const sentence = agree.querySelector('.th-disagreements-sentence');
  await until(() => textOf(sentence));
  choose(field(agree, 'Rule B'), 'released');
  await until(() => [...field(agree, 'Rule A').options].some((option) => option.value === 'paper'));
  choose(field(agree, 'Rule A'), 'paper');
  await says(sentence, 'Of 6 questions scored by both, paper and released');
  const cell = (name) => agree.querySelector(`[data-cell=${name}]`);
  const number = (name) => Number(textOf(cell(name)));
  const names = ['both', 'neither', 'first', 'second', 'unscored'];
  assert.equal(
    names.reduce((sum, name) => sum + number(name), 0),
    6,
  );
  const apart = number('first') + number('second');
  assert.ok(apart > 0);
  assert.match(
    textOf(sentence),
    new RegExp(`disagree on ${apart}: [\\d.]+% \\(95%: [\\d.]+–[\\d.]+; .* narrow\\)`),
  );
  const cards = () => [...agree.querySelectorAll('.th-pair-card')];
  await until(() => cards().length === apart);
  await until(() => {
    const why = textOf(cards()[0].querySelector('.th-pair-why'));
    return /Target guidance|Gray pixels|Other pixels/.test(why);
  });
  cell('both').focus();
  const both = number('both');
  cell('both').click();
  await until(() => cards().length === both);
  assert.equal(document.activeElement, cell('both'));
  cell('both').click();
  await until(() => cards().length === apart);
  const said = cards()[0].querySelectorAll('.th-pair-said')[1];
  said.click();
  await until(() => store.get('opened'));
  assert.equal(store.take('opened').question.rule, 'released');
  choose(field(agree, 'Color system'), 'css');
  await says(sentence, 'Of 2 questions');
  choose(field(agree, 'Rule B'), 'truehue');
  await says(sentence, 'paper and truehue');
  assert.match(link(), /view=disagreements&a=paper&b=truehue&system=css$/);
});

test('stored images are scored from here', async () => {
  choose(field(agree, 'Color system'), '');
  choose(field(agree, 'Rule B'), 'released');
  await until(() => /released/.test(textOf(agree.querySelector('.th-disagreements-sentence'))));
  await live.widget('page/header');
  button(agree, 'Score stored images by paper and released').click();
  await says(
    agree.querySelector('.th-disagreements-job .th-job'),
    '0 images scored, 6 had all verdicts before',
  );
  await settled();
});

test('a report is made here, once however often it is asked for, and is shown', async () => {
  openView('rule_accuracy');
  const start = button(box, 'Run');
  const job = box.querySelector('.th-run-job .th-job');
  const started = () =>
    live.requests.filter(
      (request) => request.method === 'POST' && request.path === '/api/explore/runs',
    );
  button(box, 'All colors').click();
  start.click();
  start.click();
  assert.equal(start.getAttribute('aria-disabled'), 'true');
  await until(() => shown(job) && job.dataset.status === 'running');
  assert.equal(started().length, 1);
  assert.ok(!box.querySelector('[role=alert]:not([hidden])'));
  button(job, 'Cancel').click();
  await says(job, 'Cancelled. Finished images are saved');
  button(box, 'Every 10th color').click();
  await until(() => start.getAttribute('aria-disabled') === 'false');
  start.click();
  await says(job, 'Done in');
  await says(part('about'), 'This machine');
  assert.match(textOf(part('about')), /every 10th color/);
  assert.equal(box.querySelectorAll('.th-beside').length, value.rules);
  assert.match(textOf(box.querySelector('.th-beside')), /Shipped with TrueHue/);
  assert.match(link(), /source=every-10/);
  choose(field(box, 'Report'), 'shipped');
  await until(() => /This machine, /.test(textOf(box.querySelector('.th-beside'))));
});

test('a report of another version of a rule says so; without one, how to make it', async () => {
  await live.step('stale');
  choose(field(box, 'Report'), 'every-10');
  await until(() => /source=/.test(link()));
  choose(field(box, 'Report'), 'shipped');
  await until(() => textOf(box.querySelector('.th-stale')) === value.stale);
  await live.step('none');
  choose(field(box, 'Report'), 'every-10');
  await says(part('empty'), 'No report yet');
  assert.equal(textOf(part('empty').querySelector('code')), 'python -m truehue diagnose --out DIR');
  assert.ok(box.classList.contains('th-without'));
});

test('a link to an unknown rule says so', async () => {
  openView('disagreements');
  const other = field(agree, 'Rule A');
  other.append(new Option('nobody', 'nobody'));
  choose(other, 'nobody');
  await says(agree.querySelector('.th-disagreements-empty'), 'No rule is called');
});

test('nothing went wrong unseen', () => assert.deepEqual(live.faults, []));
