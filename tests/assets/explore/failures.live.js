import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as live from '../live.js';

const { button, choose, link, press, says, settled, shown, textOf, until, value } = live;

history.replaceState({}, '', '?tab=explore&view=failures&status=all&fig=confusion,hues');
live.rooms('Explore');
await live.widget('explore/switch');
const { element } = await live.widget('explore/failures');
const board = (await live.widget('explore/leaderboard')).element.querySelector('.th-leaderboard');
const { explore } = await live.load('explore/view');
const { store } = await live.load('shared/state');
const box = element.querySelector('.th-failures');
const part = (name) => box.querySelector('.th-failures-' + name);
const cards = () => [...box.querySelectorAll('article.th-failures-card')];
const light = box.querySelector('dialog.th-light');
const status = (id) => part('status').querySelector(`[data-id="${id}"]`);
const count = (node) => Number(/([\d,]+)$/.exec(textOf(node))[1].replace(',', ''));
const picker = (name) => box.querySelector(`.th-picker[data-field=${name}]`);
const analysis = (name) =>
  until(() => {
    const node = box.querySelector(`.th-analysis[data-figure=${name}]`);
    const ready = node && !node.hasAttribute('aria-busy') && node.querySelector('.th-figure').drawn;
    return ready && node;
  }, name);
/** The number of pictures that the wall says it has; waits until it is another than before. */
const imageNodes = async (wanted) => {
  const pattern = wanted === undefined ? /^[\d,]+ image/ : new RegExp(`^${wanted} image`);
  await says(part('count'), pattern);
  return Number(textOf(part('count')).split(' ')[0].replace(',', ''));
};
/** Opens a link, as Back and Forward do, and waits for the answer to a question of this path. */
async function follow(address, path = '/api/explore/failures/facets') {
  live.hand();
  const go = () => {
    history.pushState({}, '', address);
    store.tell('place', { query: new URLSearchParams(location.search), memo: {} });
  };
  if (path) await live.answered(path, go);
  else go();
}

test('a row of a figure narrows the wall, is marked, and a second press takes it back', async () => {
  const all = await imageNodes(value.pictures);
  const hues = await analysis('hues');
  button(hues, 'As a table').click();
  const first = hues.querySelector('tbody button');
  const { pick } = first.dataset;
  const stands = (node) => textOf(node.querySelector('.th-analysis-stands'));
  const before = stands(hues);
  const confusion = await analysis('confusion');
  const ofAll = stands(confusion);
  first.focus();
  first.click();
  await until(() => /sector=\d+|sector=neutral/.test(link()));
  await until(() => !textOf(part('count')).startsWith(`${all} `));
  assert.ok((await imageNodes()) < all);
  const chosen = () => hues.querySelector(`tbody button[data-pick='${pick}']`);
  await until(() => chosen()?.getAttribute('aria-pressed') === 'true');
  assert.equal(document.activeElement, chosen());
  // It stands on as much as before, so that another hue can be taken; the other figure does not.
  assert.equal(stands(hues), before);
  await until(() => stands(confusion) !== ofAll);
  chosen().click();
  await imageNodes(all);
  assert.ok(!link().includes('sector='));
  await until(() => stands(confusion) === ofAll);
});

test('a part of a figure opens the pictures of one run, and both runs stay in it', async () => {
  const names = box.querySelector('.th-analyses-names');
  button(names, 'Categories').click();
  const figure = await analysis('categories');
  button(figure, 'As a table').click();
  const row = [...figure.querySelectorAll('tbody tr')].find((node) =>
    /, overall, /.test(node.querySelector('button')?.getAttribute('aria-label') || ''),
  );
  const plot = figure.querySelector('.th-figure');
  const runs = () => JSON.stringify(plot.drawn).match(/model-[ab]/g).length;
  const before = runs();
  const point = { customdata: Number(row.querySelector('button').dataset.pick) };
  plot.calls.plotly_click({ points: [point] });
  const opened = /runs=[0-9a-f]{16}&task=cna&system=l2,l3,css&category=/;
  await until(() => opened.test(link()));
  await until(() => !textOf(part('count')).startsWith(`${value.pictures} `));
  const source = await imageNodes();
  await analysis('categories');
  await settled(50);
  assert.equal(runs(), before);
  const address = link();
  await analysis('categories');
  plot.calls.plotly_click({ points: [point] });
  await imageNodes(value.pictures);
  await follow(address);
  await imageNodes(source);
  await follow('?tab=explore&view=failures&status=all&fig=drift');
  await imageNodes(value.pictures);
});

test('two figures at a time, and the link names them', async () => {
  const drift = await analysis('drift');
  button(drift, 'Each color').click();
  const names = box.querySelector('.th-analyses-names');
  button(names, 'Rules').click();
  assert.match(link(), /fig=drift,rules&by=colors/);
  button(names, 'Measured colors').click();
  await until(() => box.querySelectorAll('.th-analysis').length === 2);
  assert.match(link(), /fig=rules,found/);
  const result = await analysis('found');
  button(result, 'SVG').click();
  await until(() => live.downloads.length === 1);
  assert.equal(live.downloads[0].name, 'truehue-found-truehue.svg');
  const saved = JSON.stringify(window.Plotly.saved);
  assert.ok(!saved.includes('var(--'));
  assert.match(saved, /Objects: which colors are measured most often\?/);
  const csv = await (await fetch(button(result, 'CSV').getAttribute('href'))).text();
  assert.match(csv, /^rule,unscored_are,category,found_l2,/);
  button(names, 'Measured colors').click();
  await until(() => box.querySelectorAll('.th-analysis').length === 1);
  button(await analysis('rules'), 'Rule disagreements').click();
  assert.match(link(), /view=disagreements/);
});

test('a selection without measured colors says so', async () => {
  const answer = await fetch('/api/explore/figures/drift?by=colors&sector=0');
  const color = encodeURIComponent((await answer.json()).picks[0].color);
  await follow(`?tab=explore&view=failures&status=all&fig=confusion&sector=180&color=${color}`);
  const empty = await until(() => box.querySelector('.th-analysis-empty:not([hidden])'));
  await says(empty, 'Nothing was measured in this selection');
  assert.ok(!shown(box.querySelector('.th-analysis-foot')));
  button(box, 'Clear all').click();
  await analysis('confusion');
  await until(() => empty.hidden);
});

test('filters narrow the wall and its link, one by one', async () => {
  const { total: fails } = await (await fetch('/api/explore/failures/facets?status=fail')).json();
  // All filters were just cleared, so that no question need follow.
  await follow('?tab=explore&view=failures', '');
  await imageNodes(fails);
  await until(() => box.querySelector('.th-hue'));
  await until(() => textOf(status('fail')) === `✕ Fail ${fails}`);
  assert.ok(!shown(box.querySelector('.th-hue')));
  button(box, 'More filters').click();
  const hue = box.querySelector('.th-hue:not(.th-none)');
  const within = count(hue.querySelector('small'));
  hue.click();
  await imageNodes(within);
  const chips = () => [...part('chips').querySelectorAll('.th-chip-button')];
  assert.match(textOf(chips()[0]), /Target hue/);
  // An object that is found by typing.
  const objects = picker('object');
  objects.querySelector('button').click();
  const option = objects.querySelectorAll('[role=option]')[1];
  const name = textOf(option.querySelector('.th-picker-label'));
  const ofIt = count(option.querySelector('small'));
  const search = objects.querySelector('input');
  assert.equal(document.activeElement, search);
  search.value = name;
  search.dispatchEvent(new window.Event('input', { bubbles: true }));
  assert.match(textOf(objects.querySelector('[role=option] .th-picker-label')), new RegExp(name));
  press(search, 'Enter');
  await imageNodes(ofIt);
  assert.equal(document.activeElement, objects.querySelector('button'));
  assert.equal(chips().length, 3);
  assert.match(textOf(chips()[0]), new RegExp(`Object: ${name}`));
  await until(() => cards().length === ofIt);
  // The link opens the same, and a chip is taken away there.
  const address = link();
  button(box, 'Clear all').click();
  await imageNodes(fails);
  await follow(address);
  await imageNodes(ofIt);
  part('chips').querySelector('[data-field=object]').click();
  await imageNodes(within);
  button(box, 'Clear all').click();
  await imageNodes(fails);
});

test('what could not be drawn says why; nothing at all says what to change', async () => {
  status('unscored').click();
  await until(() => link().includes('status=unscored'));
  await until(() => status('unscored').getAttribute('aria-pressed') === 'true');
  const cause = picker('cause');
  await until(() => shown(cause));
  cause.querySelector('button').click();
  const none = await until(() =>
    [...cause.querySelectorAll('[role=option]')].find((node) => /no image/.test(textOf(node))),
  );
  none.click();
  await until(() => cards()[0] && shown(cards()[0].querySelector('.th-failures-picture')));
  await says(
    () => cards()[0].querySelector('.th-failures-picture'),
    /^The model ran out of memory: give it a smaller size\.$/,
  );
  status('pass').click();
  const text =
    'Nothing passes under these filters. Remove a filter above, or choose another status.';
  await says(part('empty'), text);
  assert.match(link(), /view=failures&cause=no-image&status=pass/);
  await follow('?tab=explore&view=failures&object=unicorn', '/api/explore/failures');
  await says(part('empty'), "No result has the object 'unicorn'");
  part('chips').querySelector('[data-field=object]').click();
  await until(() => cards().length > 0 && !part('chips').querySelector('[data-field=object]'));
});

test('the keyboard goes from card to large view to Inspect', async () => {
  await follow('?tab=explore&view=failures&rule=released&task=coa');
  await until(() => picker('task') && cards().length > 3 && explore.slice.task === 'coa');
  await imageNodes();
  await until(() => cards().length > 3);
  cards()[0].focus();
  const key = (name) => press(document.activeElement, name);
  key('ArrowRight');
  assert.equal(document.activeElement, cards()[1]);
  key('j');
  assert.equal(document.activeElement, cards()[2]);
  assert.equal(cards()[2].getAttribute('aria-current'), 'true');
  key('Enter');
  await until(() => light.open);
  const spoken = (index) => cards()[index].getAttribute('aria-label');
  assert.equal(light.getAttribute('aria-label'), spoken(2));
  assert.match(link(), /large=/);
  // Every rule stands there, of every object.
  await until(
    () => light.querySelectorAll('.th-light-line').length === 2 * value.rules,
    () => textOf(light),
  );
  press(light, 'm');
  await until(() => light.querySelectorAll('.th-pane-mask path').length === 2);
  await says(light.querySelector('.th-light-mask'), 'of the image');
  press(light, 'm');
  await until(() => !light.querySelector('.th-pane-mask'));
  press(light, 'ArrowRight');
  await until(() => light.getAttribute('aria-label') === spoken(3));
  // The address opens the large view again.
  const address = link();
  let back = false;
  window.addEventListener('popstate', () => (back = true), { once: true });
  button(light, 'Close (Esc)').click();
  await until(() => back && !light.open && !link().includes('large='));
  await follow(address, '');
  await until(() => light.open && light.getAttribute('aria-label') === spoken(3));
  press(light, 'i');
  await until(() => store.get('opened'));
  const { question } = store.take('opened').verdict.view;
  assert.match(question.image, /^[0-9a-f]{64}$/);
  assert.equal(question.rule, 'released');
  assert.ok(textOf(cards()[3].querySelector('.th-failures-asked')).startsWith(question.object));
  assert.match(store.get('film').query, /rule=released&task=coa/);
});

test('two runs stand side by side, pair by pair, and the link opens the same pair', async () => {
  await follow('?tab=explore&view=failures');
  await until(() => explore.slice.task === '' && cards().length > 3);
  await imageNodes();
  cards()[0].focus();
  press(cards()[0], 'c');
  const pair = box.querySelector('.th-compare-pair');
  await until(() => pair.querySelectorAll('img').length === 2);
  assert.match(textOf(part('status').querySelector('[aria-pressed=true]')), /All/);
  assert.ok(part('status').querySelector('button').disabled);
  await until(() => part('chips').querySelectorAll('[data-field=runs]').length === 2);
  assert.match(textOf(part('note')), /Two runs show every outcome/);
  const cell = box.querySelector('[data-cell=only_a]');
  const total = count(cell);
  assert.ok(total > 3);
  cell.click();
  const arrange = () => textOf(pair.querySelector('.th-compare-place'));
  await until(() => arrange() === `Pair 1 of ${total}`);
  press(pair, 'ArrowRight');
  await until(() => arrange() === `Pair 2 of ${total}`);
  const side = (name) => pair.querySelector(`[data-side=${name}] .th-status`);
  await until(() => textOf(side('a')) === '✓ Pass' && textOf(side('b')) === '✕ Fail');
  assert.match(textOf(box.querySelector('.th-compare-sentence')), /pairs with two scores/);
  const text = textOf(pair.querySelector('.th-compare-text'));
  await until(() => link().includes('cell=only_a'));
  const address = link();
  press(pair, 'Escape');
  await until(() => !shown(pair) && !link().includes('mode='));
  assert.ok(!part('status').querySelector('button').disabled);
  assert.equal(part('chips').querySelectorAll('[data-field=runs]').length, 0);
  await follow(address, '');
  await until(() => shown(pair) && textOf(pair.querySelector('.th-compare-text')) === text);
  await until(
    () => box.querySelector('[data-cell=only_a]').getAttribute('aria-pressed') === 'true',
  );
  button(box, 'Back to the images').click();
  await until(() => !shown(pair));
});

// ── the leaderboard ──────────────────────────────────────────────────────────────────────────────

const runs = () => [...board.querySelectorAll('.th-leaderboard-run')];
const line = (name) =>
  runs().find((run) => textOf(run.querySelector('.th-leaderboard-name b')) === name);
const column = (name, id) => line(name).querySelector(`[data-column=${id}]`);
const named = (text) =>
  [...board.querySelectorAll('.th-leaderboard-cell button')].find((node) =>
    textOf(node).startsWith(text),
  );
const rows = async (query = '') => {
  const { groups } = await (await fetch('/api/explore/leaderboard' + query)).json();
  return groups.flatMap((group) => group.rows);
};
const failures = (title) => {
  const [, passes, all] = /(\d+) of (\d+) scored/.exec(title);
  return Number(all) - Number(passes);
};

test('the leaderboard shows every number, and sorts by each', async () => {
  await follow('?tab=explore&view=leaderboard&systems=each', '/api/explore/leaderboard');
  await until(() => shown(board) && runs().length === 2);
  const result = await rows('?systems=each');
  await until(() => board.querySelector('.th-leaderboard-part'));
  for (const item of result)
    for (const id of ['cna', 'coa', 'moc', 'ica', 'ncu', 'average']) {
      const cell = textOf(column(item.label, id));
      assert.ok(cell.includes(item.cells[id].text), `${item.label} ${id}: ${cell}`);
      assert.ok(cell.includes(item.cells[id].interval), `${item.label} ${id}: ${cell}`);
    }
  const sorted = [...result].sort((a, b) => b.cells.cna.percent - a.cells.cna.percent);
  const names = () => runs().map((run) => textOf(run.querySelector('.th-leaderboard-name b')));
  const head = () => button(board.querySelector('.th-leaderboard-table thead'), /^CNA/);
  head().click();
  assert.deepEqual(
    names(),
    sorted.map((item) => item.label),
  );
  head().click();
  assert.deepEqual(names(), sorted.map((item) => item.label).reverse());
  assert.match(link(), /systems=each&sort=cna$/);
});

test('what has no score says why, and its pictures are a press away', async () => {
  const [item] = await rows();
  button(line(item.label), /show why$/).click();
  const cause = button(board.querySelector('.th-leaderboard-why'), /generation failed/);
  cause.click();
  assert.ok(link().includes(`view=failures&runs=${item.id}&cause=no-image`), link());
  await imageNodes();
});

test("a color system's number opens its failures alone, a mean those of its systems", async () => {
  await follow('?tab=explore&view=leaderboard&systems=each', '/api/explore/leaderboard');
  const [item] = await rows('?systems=each');
  const l3 = item.cells.coa.parts.find((each) => each.id === 'l3');
  await until(() => named(`${item.name}, L3, Color-object association`));
  named(`${item.name}, L3, Color-object association`).click();
  assert.ok(link().includes(`view=failures&runs=${item.id}&task=coa&system=l3`), link());
  await imageNodes(failures(l3.title));
  await until(() => document.activeElement === cards()[0]);
  await follow('?tab=explore&view=leaderboard', '/api/explore/leaderboard');
  await until(() => named(`${item.name}, Color name accuracy`));
  named(`${item.name}, Color name accuracy`).click();
  assert.match(link(), /task=cna&system=l2,l3,css/);
  await imageNodes(failures(item.cells.cna.title));
  const chip = part('chips').querySelector('[data-field=system]');
  assert.match(textOf(chip), /Color system: L2, L3, CSS/);
  chip.click();
  await until(() => !link().includes('system='));
});

test('the rule is one for all views, and the paper stays apart', async () => {
  await follow('?tab=explore&view=leaderboard', '/api/explore/leaderboard');
  const rules = board.querySelector('.th-leaderboard-rules');
  button(rules, 'released').click();
  await until(() => /view=leaderboard&rule=released$/.test(link()));
  const [item] = await rows('?rule=released');
  await until(() => textOf(column(item.label, 'cna')).includes(item.cells.cna.text));
  const apart = board.querySelector('.th-leaderboard-published');
  await says(apart, 'published under paper');
  assert.match(textOf(apart), /Do not compare your numbers above with these/);
  // Its only buttons ask why a number is not the printed one: no row can be sorted or opened.
  assert.equal(apart.querySelectorAll('button:not(.th-why)').length, 0);
  assert.equal(apart.querySelectorAll('.th-published-table tbody tr').length, 9);
  const csv = button(board, 'This table as CSV').getAttribute('href');
  const answer = await fetch(csv);
  assert.match(answer.headers.get('content-disposition'), /truehue-leaderboard\.csv/);
  assert.ok((await answer.text()).includes(item.name));
  document.querySelector('[data-view=failures]').click();
  assert.match(link(), /view=failures&(.*&)?rule=released/);
  await follow('?tab=explore&view=leaderboard&rule=nope', '/api/explore/leaderboard');
  await says(board.querySelector('.th-leaderboard-problem'), 'No rule is called "nope"');
  assert.match(
    textOf(board.querySelector('.th-leaderboard-problem')),
    /Shown by the rule truehue instead\./,
  );
  await until(() => textOf(rules.querySelector('[aria-pressed=true]')) === 'truehue');
  assert.match(link(), /view=leaderboard$/);
});

test("Back brings a rule's own limits, and a choice made right after it counts", async () => {
  await follow(
    '?tab=explore&view=leaderboard&rule=paper&limits=delta_e00:8',
    '/api/explore/leaderboard',
  );
  const pressed = () => textOf(board.querySelector('.th-leaderboard-rules [aria-pressed=true]'));
  await until(() => pressed() === 'paper');
  assert.match(link(), /rule=paper&limits=delta_e00:8$/);
  const policies = board.querySelector('.th-leaderboard-policies');
  await follow('?tab=explore&view=leaderboard', '');
  policies.querySelector('[aria-pressed=false]').click();
  await until(() => /view=leaderboard&unscored=/.test(link()));
  await follow('?tab=explore&view=leaderboard', '/api/explore/leaderboard');
  assert.match(link(), /view=leaderboard$/);
});

test('images are measured, and stand in the order of a measure', async () => {
  await live.widget('page/header');
  const card = board.querySelector('.th-leaderboard-measures');
  await until(() => card.querySelector('tbody tr'));
  button(card, 'Score the images').click();
  await says(() => card, 'Every image is scored.');
  const cell = () =>
    card.querySelector('tbody tr').querySelectorAll('.th-leaderboard-cell button')[1];
  await until(() => cell() && Number(textOf(cell().querySelector('b'))) > 0);
  cell().click();
  const shots = () => [...box.querySelectorAll('.th-failures-distance')].map(textOf);
  await until(() => /ΔSat/.test(shots()[0]));
  const values = shots()
    .slice(0, 8)
    .map((shot) => Number(shot.split(' ')[1]));
  assert.deepEqual(
    values,
    [...values].sort((item, other) => other - item),
  );
  assert.match(link(), /sort=delta_sat/);
  choose(part('sort').querySelector('select'), 'prompt');
  await until(() => /sort=prompt/.test(link()));
});

test('a link to an unknown order shows the usual one, and says so', async () => {
  await follow('?tab=explore&view=failures&sort=zzz', '/api/explore/failures/facets');
  await says(() => document.querySelector('.th-toast'), 'This link names no order “zzz”.');
  await until(() => cards().length);
  assert.equal(part('sort').querySelector('select').value, 'delta_e00');
  await until(() => !/sort=/.test(link()));
});

test('nothing went wrong unseen', () => assert.deepEqual(live.faults, []));
