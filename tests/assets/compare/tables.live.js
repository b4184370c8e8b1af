import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as live from '../live.js';

const { button, choose, field, link, says, settled, shown, textOf, until } = live;

history.replaceState({}, '', '?tab=compare&view=modifiers');
const room = live.rooms('Compare');
await live.widget('compare/switch');
const views = {};
for (const name of ['modifiers', 'tables', 'guidance'])
  views[name] = (await live.widget(`compare/${name}`)).element.querySelector('.th-numbers');
const { openCompare } = await live.load('compare/view');
const { explore } = await live.load('explore/view');
const row = (table, name) =>
  [...table.querySelectorAll('tbody tr')].find((node) => textOf(node).includes(name));
const card = (name) => document.querySelector(`[data-figure="${name}"]`);
const traces = (name) => card(name)?.querySelector('.th-figure').drawn?.data || [];
const csv = async (node) => (await (await fetch(node.getAttribute('href'))).text()).trim();

test('without a run the views lead to one', async () => {
  if (!live.value.empty) return;
  const empty = views.modifiers.querySelector('.th-numbers-empty');
  await says(empty, 'No concept run yet');
  assert.match(textOf(empty), /runs start --set concepts/);
  assert.equal(views.modifiers.querySelectorAll('.th-numbers-printed').length, 3);
  // Beside a printed row stands why ours is not it: here, the command that would make a run.
  views.modifiers.querySelector('.th-numbers-printed .th-why').click();
  const gap = await until(() => views.modifiers.querySelector('.th-gap code'));
  assert.match(textOf(gap), /runs start --protocol colorconceptbench --model flux.1-dev/);
  button(empty, 'Start a run').click();
  assert.deepEqual([explore.view, explore.runSet], ['runs', 'concepts']);
  assert.equal(room(), 'Explore');
});
if (live.value.empty) process.exit();

test('work that ended before the page heard of it is taken in', async () => {
  const box = views.modifiers;
  const fill = box.querySelector('.th-numbers-fill');
  await until(() => shown(fill));
  fill.click();
  assert.equal(fill.getAttribute('aria-disabled'), 'true');
  const { jobs } = await until(async () => {
    const now = await (await fetch('/api/jobs')).json();
    return now.jobs.length && now.jobs.every((job) => !job.active) && now;
  });
  assert.equal(jobs.length, 1);
  // The list of work comes now, for the first time.
  await live.widget('page/header');
  await says(box.querySelector('.th-job-words'), 'measured and saved');
  await until(() => fill.hidden);
});

test('modifiers that are ignored or overdone are seen, of people from either file', async () => {
  const box = views.modifiers;
  for (const name of ['Our palettes', 'Our ratings (ratings)']) {
    choose(field(box, 'People'), name);
    await says(box.querySelector('.th-numbers-people'), name.split(' (')[0]);
    const table = box.querySelector('.th-modifiers-table');
    await says(() => row(table, 'modifier-ignored'), 'inertia');
    await says(() => row(table, 'modifier-overshot'), 'over-correction');
    await says(() => row(table, 'renderer, none'), 'precise adaptation');
    await until(() => JSON.stringify(traces('modifiers-plane')).length > 100);
  }
  assert.match(link(), /view=modifiers&people=set:[0-9a-f]{16}$/);
});

test('a limit is moved: nothing is overdone any more, and the link says so', async () => {
  const box = views.modifiers;
  const limit = field(box, 'Over-correction above');
  limit.value = '90';
  limit.dispatchEvent(new window.Event('change'));
  const table = box.querySelector('.th-modifiers-table');
  await until(() => !textOf(row(table, 'modifier-overshot')).includes('over-correction'));
  assert.match(link(), /high=90/);
  button(box, 'Default limits').click();
  await until(() => textOf(row(table, 'modifier-overshot')).includes('over-correction'));
  assert.ok(!link().includes('high'));
});

test('the plane leaves as a drawing on white and as its numbers', async () => {
  button(card('modifiers-plane'), 'SVG').click();
  await until(() => live.downloads.length === 1);
  assert.equal(live.downloads[0].name, 'truehue-modifiers-plane.svg');
  const saved = JSON.stringify(window.Plotly.saved);
  assert.ok(!saved.includes('var(--'));
  assert.ok(saved.includes('Precise adaptation'));
  assert.equal(window.Plotly.saved.layout.paper_bgcolor, '#ffffff');
  const numbers = await csv(button(card('modifiers-plane'), 'CSV'));
  assert.equal(numbers.split('\n').length, 19);
});

test('a number lists its concepts, worst first, and its link lists them again', async () => {
  openCompare('tables', {});
  const box = views.tables;
  const table = await until(() => box.querySelector('.th-numbers-ours'));
  const best = await until(() =>
    [...table.querySelectorAll('button')].find((node) =>
      /Earth mover.*best/.test(node.getAttribute('aria-label')),
    ),
  );
  assert.match(textOf(best), /★/);
  const cell = row(table, 'modifier-ignored').querySelector(
    "[data-cell$='/visual state/photo/emd_lab']",
  );
  cell.click();
  const list = box.querySelector('.th-tables-concepts');
  await until(() => list.querySelectorAll('li').length === 6);
  const values = [...list.querySelectorAll('li b')].map((node) => Number(textOf(node)));
  assert.deepEqual(
    values,
    [...values].sort((item, other) => other - item),
  );
  const address = link();
  assert.match(address, /cell=/);
  assert.match(await csv(box.querySelector('.th-tables-csv')), /modifier-overshot/);
  assert.equal(box.querySelectorAll('.th-numbers-printed').length, 2);
  openCompare('tables', {});
  await until(() => list.hidden);
  const values_ = Object.fromEntries(new URLSearchParams(address));
  delete values_.tab;
  delete values_.view;
  openCompare('tables', values_);
  await until(() => shown(list) && list.querySelectorAll('li').length === 6);
  const first = list.querySelector('li button');
  first.click();
  const opened = /view=concept&concept=concept-[0-9]{4}-(unripe|rotten)&d=set:[0-9a-f]{16},run:/;
  assert.match(link(), opened);
  assert.ok(link().includes(textOf(first).split(' ')[0]));
});

test('guidance has a row for every scale of a run, and a run fewer is in the link', async () => {
  openCompare('guidance', {});
  const box = views.guidance;
  // The colors of each scale for itself are measured on request.
  const fill = box.querySelector('.th-numbers-fill');
  await until(() => shown(fill));
  fill.click();
  const figure = await until(() => card('guidance-guidance'));
  await until(() => fill.hidden && shown(figure.querySelector('.th-analysis-foot')));
  button(box, 'PCC').click();
  await until(() => /metric=pcc/.test(link()));
  button(figure, 'As a table').click();
  const rows = () => figure.querySelectorAll('tbody tr').length;
  await until(() => rows() === 6);
  assert.ok(shown(card('guidance-category').querySelector('.th-figure')));
  assert.match(textOf(box.querySelector('.th-numbers-published')), /no table of it/);
  box.querySelector('.th-numbers-runs button').click();
  await until(() => rows() === 4);
  assert.match(link(), /runs=[0-9a-f]{16},[0-9a-f]{16}/);
  await settled();
});

test('nothing went wrong unseen', () => assert.deepEqual(live.faults, []));
