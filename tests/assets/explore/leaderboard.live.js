import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as live from '../live.js';

const { button, link, says, shown, textOf, until } = live;

history.replaceState({}, '', '?tab=explore');
live.rooms('Explore');
await live.widget('explore/switch');
const board = (await live.widget('explore/leaderboard')).element.querySelector('.th-leaderboard');
const { openView } = await live.load('explore/view');
const run = () => board.querySelector('.th-leaderboard-run');
/** The leaderboard asks again, as when the page is looked at again. */
const look = () => document.dispatchEvent(new window.Event('visibilitychange'));

test('without a run there is the paper, and a run is a press away', async () => {
  const empty = board.querySelector('.th-leaderboard-empty');
  await says(empty, 'No run yet');
  assert.match(link(), /view=leaderboard$/);
  assert.equal(board.querySelectorAll('.th-published-table tbody tr').length, 9);
  // Where nothing was run, the row says which command would; a second press closes it.
  const why = board.querySelector('.th-published-table .th-why');
  assert.equal(why.getAttribute('aria-expanded'), 'false');
  why.click();
  await says(board.querySelector('.th-gap'), 'truehue reproduce gencolorbench --table 4 --models');
  assert.equal(why.getAttribute('aria-expanded'), 'true');
  why.click();
  assert.equal(board.querySelector('.th-gap'), null);
  button(empty, 'Start a run').click();
  assert.match(link(), /view=runs/);
  openView('leaderboard');
});

test('half of a run stands there with its progress; the rest leaves the focus', async () => {
  await live.step('half');
  look();
  await until(run);
  await says(run().querySelector('.th-leaderboard-progress'), '50% generated');
  assert.ok(!shown(board.querySelector('.th-leaderboard-empty')));
  const cell = [...run().querySelectorAll('button')].find((node) =>
    textOf(node).includes('Color name accuracy'),
  );
  cell.focus();
  assert.equal(document.activeElement, cell);
  const before = textOf(cell);
  await live.step('rest');
  look();
  await until(() => !shown(run().querySelector('.th-bar')));
  assert.equal(document.activeElement, cell);
  assert.ok(cell.isConnected);
  assert.notEqual(textOf(cell), before);
  const group = textOf(board.querySelector('.th-leaderboard-group'));
  assert.match(group, /9 prompts · a part of its 9,854/);
  assert.match(textOf(run().querySelector('[data-column=average]')), /1 of 5 tasks/);
});

test('the correction for the errors of the rule stands beside the number, and says how', async () => {
  const told = board.querySelector('.th-leaderboard-correction');
  assert.ok(!shown(told));
  const raw = textOf(run().querySelector('[data-column=cna] .th-leaderboard-numbers'));
  const meaning = board.querySelector('.th-leaderboard-corrections').nextElementSibling;
  await says(meaning, 'The share of images that the rule passes');
  button(board, 'in plain light').click();
  await until(() => textOf(meaning) !== 'The share of images that the rule passes');
  await until(() => shown(told));
  const lead = [...told.querySelectorAll(':scope > ul > li')].map(textOf);
  assert.match(lead[0], /^Quote the raw number/);
  assert.match(
    lead[1],
    /^Of objects of known color in plain light, truehue missed 0\.0% .*Most intervals widen/,
  );
  assert.match(lead.at(-1), /^Do not compare models/);
  assert.match(
    textOf(board.querySelector('.th-leaderboard-key')),
    /^\d.*with the rule's errors taken out/s,
  );
  const folded = told.querySelector('details');
  assert.ok(!folded.open);
  assert.match(textOf(folded), /assumes.*works back/s);
  assert.match(textOf(folded.querySelector('tbody')), /L2.*n 406/s);
  const cell = run().querySelector('[data-column=cna]');
  assert.equal(textOf(cell.querySelector('.th-leaderboard-numbers')), raw);
  assert.match(
    textOf(cell.querySelector('.th-leaderboard-corrected')),
    /^(corrected\s*[\d.]+|too uncertain)/,
  );
  assert.match(link(), /corrected=rendered/);
  assert.match(board.querySelector('.th-leaderboard-csv').href, /corrected=rendered/);
});

test('without any average the first column with numbers sorts, and its head says so', async () => {
  const { effectiveOrder } = await live.load('explore/leaderboard_table');
  const sorted = board.querySelector('[aria-sort=descending]');
  assert.match(textOf(sorted), /^CNA ↓/);
  const rows = [{ cells: { cna: { percent: 1 }, average: { percent: null } } }];
  const columns = [{ id: 'cna' }, { id: 'average' }];
  assert.equal(effectiveOrder('average', columns, rows), 'cna');
  rows[0].cells.average.percent = 1;
  assert.equal(effectiveOrder('average', columns, rows), 'average');
});

test('the card of a whole run makes the study in which people check it, and links to it', async () => {
  const { element } = await live.widget('explore/runs');
  openView('runs');
  await until(() => element.querySelector('.th-run-panel'));
  const form = element.querySelector('.th-run-panel');
  const images = form.querySelector('[name=n]');
  const make = button(form, 'Make the study');
  images.value = 'many';
  make.click();
  await says(form, 'The number of images');
  images.value = '4';
  make.click();
  await says(form, /images at random \(seed 0\) of .* Open the study/);
  const study = form.querySelector('a').getAttribute('href');
  assert.match(study, /^\?tab=studies&study=[0-9a-f]{32}$/);
  await until(() => element.querySelector('.th-run-people a'));
  assert.equal(element.querySelector('.th-run-people a').getAttribute('href'), study);
});

test('nothing went wrong unseen', () => assert.deepEqual(live.faults, []));
