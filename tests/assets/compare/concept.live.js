import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as live from '../live.js';

const { button, field, give, link, press, says, settled, shown, textOf, until, value } = live;

history.replaceState({}, '', '?tab=compare&view=concept');
const room = live.rooms('Compare');
await live.widget('compare/switch');
const { element } = await live.widget('compare/concept');
const { store } = await live.load('shared/state');
/** What Inspect is to show next. */
const opened = async () => {
  await until(() => store.get('opened'));
  return store.take('opened');
};
const view = element.querySelector('.th-concept');
const { compare, openCompare } = await live.load('compare/view');
const { explore } = await live.load('explore/view');
const part = (name) => view.querySelector('.th-concept-' + name);
const parts = (name) => [...view.querySelectorAll('.th-concept-' + name)];
const figure = (name) => view.querySelector(`[data-figure="${name}"]`);
const render = (name) => figure(name).querySelector('.th-figure').drawn;
const dropped = part('drop').querySelector('input');
const rows = () => [...view.querySelectorAll('.th-concept-table tbody tr')];
const sources = () => parts('source');
// The earth mover's distance of a pair.
const emd = (row) => row.querySelectorAll('td')[1].querySelector('b');
const labels = () => parts('source-label').map(textOf);
const { YELLOW, BROWN } = value;

/** Waits until so many distributions stand side by side, and all about them is there. */
async function current(count) {
  await until(
    () => sources().length === count,
    () => `${count} sources: ${textOf(part('sources'))}`,
  );
  await until(() => !view.classList.contains('th-concept-busy'));
  await settled(20);
}
/** Shows what a link says, as Back or another page with that link does, to its end. */
async function follow(address) {
  const values = Object.fromEntries(new URLSearchParams(address));
  delete values.tab;
  delete values.view;
  await live.answered('/api/compare/view', () => openCompare('concept', values));
  await until(() => !view.classList.contains('th-concept-busy'));
  await settled(20);
}
function search(text) {
  const box = view.querySelector('[type=search]');
  box.value = text;
  box.dispatchEvent(new window.Event('input', { bubbles: true }));
  return box;
}
async function pool(files) {
  const before = sources().length;
  give(dropped, ...files);
  await current(before + files.length);
  button(view, `Pool these ${files.length} images into one row`).click();
  button(view, 'Pool them').click();
  await current(before + 1);
}
const order = (node, other) => node.compareDocumentPosition(other) & 4;

test('where nothing is here yet, it says what to do first', async () => {
  await until(() => shown(part('start')));
  assert.ok(shown(button(view, 'Start a concept run')));
  await until(() => parts('concept').length > 80);
});

test('two photographs in one drop are compared whole, and what moves comes first', async () => {
  assert.ok(shown(part('drop')));
  give(dropped, ...value.jars);
  await current(2);
  assert.match(textOf(sources()[0]), /red jar/);
  assert.match(textOf(sources()[0]), /Background included\./);
  assert.equal(view.querySelectorAll('[role=alert]:not([hidden])').length, 0);
  await until(() => rows().length === 1);
  assert.match(textOf(emd(rows()[0])), /^\d+\.\d$/);
  const moves = button(part('between'), 'Flow');
  assert.equal(moves.getAttribute('aria-pressed'), 'true');
  assert.ok(order(figure('mirrored'), figure('histograms')));
  // The list of concepts is folded. No interval: said once.
  assert.ok(!shown(part('list')));
  assert.ok(button(view, 'Choose a concept'));
  await says(
    part('notes'),
    'No bootstrap: nothing can be resampled. red jar.png is a single image. ' +
      'blue jar.png is a single image.',
  );
  assert.equal(part('notes').querySelectorAll('p').length, 1);
  // The command begins with another method, so its numbers differ.
  assert.match(textOf(part('method-note')), /add --method extracted for these/);
  assert.ok(parts('span').every((item) => !textOf(item)));
});

test('a box around each thing, by keyboard: then the things alone count', async () => {
  const distance = () => Number(textOf(emd(rows()[0])));
  const whole = distance();
  const dialog = part('mark');
  for (const letter of 'AB') {
    button(view, `Select the object in ${letter}`).click();
    await until(() => dialog.open);
    const stage = dialog.querySelector('[role=group]');
    assert.equal(document.activeElement, stage);
    const left = Number(field(dialog, 'Left').value);
    press(stage, 'ArrowRight');
    assert.equal(field(dialog, 'Left').value, String(left + 10));
    const right = Number(field(dialog, 'Right').value);
    press(stage, 'ArrowLeft', { shiftKey: true });
    assert.equal(field(dialog, 'Right').value, String(right - 10));
    for (const [name, number] of Object.entries(value.box)) {
      field(dialog, name).value = String(number);
      field(dialog, name).dispatchEvent(new window.Event('change'));
    }
    await until(() => button(dialog, 'Use this box').disabled);
    await says(dialog.querySelector('[role=status]'), 'GrabCut · box');
    button(dialog, 'Use this box').click();
    await until(() => sources().some((item) => textOf(item).includes('GrabCut · box')));
    const source = sources()['AB'.indexOf(letter)];
    assert.ok(source);
    await until(() => textOf(sources()['AB'.indexOf(letter)]).includes('GrabCut · box'));
    await until(() => !view.classList.contains('th-concept-busy'));
  }
  await until(() => distance() > whole);
  const address = link();
  const marked = distance();
  await follow(address);
  await current(2);
  assert.match(textOf(sources()[1]), /GrabCut · box/);
  await until(() => rows().length === 1 && distance() === marked);
  // Inspect marks finer: the row takes its newest mask when one comes back.
  button(view, 'Change the selection in A').click();
  button(dialog, 'Select in Inspect').click();
  assert.match((await opened()).stage.image_id, /^[0-9a-f]{64}$/);
  assert.ok(!link().split('d=')[1].split(',')[0].includes('/'));
  for (const letter of 'BA') button(view, `Remove ${letter}`).click();
  await current(0);
});

test('a concept is found by typing, and without people that is said', async () => {
  const box = search('banan');
  assert.equal(part('list').querySelectorAll('.th-concept-concept').length, 6);
  press(box, 'Enter');
  await says(part('words'), /^banana$/);
  await until(() => !shown(part('start')));
  await says(part('no-people'), 'No colors from people for this concept');
});

test('a file of ratings is taken once it is said what its numbers are', async () => {
  give(dropped, value.ratings);
  button(view, 'Add').click();
  const normalize = 'These are ratings: normalize them';
  await says(part('said'), normalize);
  button(view, normalize).click();
  await current(1);
  assert.match(textOf(sources()[0]), /ratings, normalized/);
  assert.ok(!shown(part('no-people')));
});

test('images are a row each, until they are pooled into one', async () => {
  await pool(value.yellow);
  await pool(value.brown);
  assert.match(textOf(sources()[2]), /3 images/);
});

test('histograms have the colors of the bins, and every pair its numbers', async () => {
  const { data } = render('histograms');
  assert.ok(JSON.stringify(data).toLowerCase().includes(value.bins[YELLOW].hex.toLowerCase()));
  assert.equal(rows().length, 3);
  await until(() =>
    /^[\d.]+ to [\d.]+$/.test(textOf(rows()[2].querySelectorAll('.th-concept-span')[1])),
  );
  await says(part('notes'), 'is not resampled');
  const heading = [...view.querySelectorAll('.th-concept-table thead th')].find((node) =>
    textOf(node).startsWith('EMD'),
  );
  assert.match(heading.title, /Σ mass × distance.*equation 2/s);
});

test('the chosen pair says what moves, and back when the two are swapped', async () => {
  rows()[2].querySelector('button').click();
  await until(
    () =>
      rows()[2].querySelector('.th-concept-pair-button').getAttribute('aria-pressed') === 'true',
  );
  const first = () => part('moves-list').querySelector('li');
  const there = `100.0% from ${value.bins[YELLOW].name} to ${value.bins[BROWN].name}`;
  await says(first, there);
  assert.match(textOf(first()), new RegExp(`${value.distance.toFixed(1)} CIELAB`));
  assert.equal(render('flow').layout.shapes.length, 1);
  button(view, 'Swap the two').click();
  await says(first, `100.0% from ${value.bins[BROWN].name} to ${value.bins[YELLOW].name}`);
  button(view, 'Swap the two').click();
  await says(first, there);
});

test('a bin is named and marked in all figures by the arrow keys, and lists its images', async () => {
  const tip = part('tip');
  const pair = figure('mirrored');
  pair.focus();
  for (
    let index = 0;
    index < 71 && textOf(tip.querySelector('b')) !== value.bins[YELLOW].name;
    index += 1
  )
    press(pair, 'ArrowRight');
  assert.match(textOf(tip), new RegExp(`Bin ${YELLOW} · ${value.bins[YELLOW].hex}`));
  assert.match(textOf(tip.querySelectorAll('tr')[1]), /B.*100\.0%/);
  assert.equal(figure('histograms').querySelectorAll('.th-concept-column').length, 1);
  assert.equal(figure('map').querySelectorAll('.th-concept-ring').length, 1);
  press(pair, 'Enter');
  const dialog = view.querySelector('dialog[aria-label="Images of a bin"]');
  await until(() => dialog.querySelectorAll('.th-concept-picture').length === 4);
  assert.match(textOf(dialog), /4 of 4 images have pixels closest to this bin/);
  assert.match(textOf(dialog), /Imported as numbers: there are no images to show\./);
  dialog.querySelector('.th-concept-picture').click();
  assert.match((await opened()).stage.image_id, /^[0-9a-f]{64}$/);
  assert.ok(!dialog.open);
  press(pair, 'Escape');
  assert.ok(tip.hidden);
});

test('what moves is drawn as ribbons, and the bins are a choice in the link', async () => {
  const ribbons = () =>
    render('mirrored').layout.shapes.filter((shape) => shape.type === 'path').length;
  button(part('between'), 'Flow').click();
  await until(() => ribbons() > 0);
  button(part('between'), 'Overlay').click();
  await until(() => link().includes('between=bins'));
  await until(() => ribbons() === 0);
});

test('figures and tables come as files', async () => {
  const save = (format) => view.querySelector(`.th-concept-${format}[data-of="flow"]`).click();
  save('svg');
  await until(() => live.downloads.length === 1);
  save('png');
  await until(() => live.downloads.length === 2);
  assert.deepEqual(
    live.downloads.map((download) => download.name),
    ['truehue-banana-flow.svg', 'truehue-banana-flow.png'],
  );
  const { layout } = window.Plotly.saved;
  assert.equal(layout.paper_bgcolor, '#ffffff');
  assert.ok(!JSON.stringify(window.Plotly.saved).includes('var(--'));
  const table = async (name) => {
    const answer = await fetch(button(view, name).getAttribute('href'));
    const disposition = answer.headers.get('content-disposition');
    const lines = (await answer.text()).trim().split(/\r?\n/);
    const cells = (line) => [...line.matchAll(/(?:"([^"]*)"|([^",]*))(?:,|$)/g)];
    const [head, ...rest] = lines.map((line) => cells(line).map((cell) => cell[1] ?? cell[2]));
    return { disposition, head, lines: rest };
  };
  const numbers = await table('Metrics as CSV');
  assert.match(numbers.disposition, /truehue-banana-numbers\.csv/);
  assert.equal(numbers.lines.length, 3);
  const printed = numbers.lines[2][numbers.head.indexOf('emd')];
  assert.ok(Math.abs(Number(printed) - value.distance) < 1e-6, printed);
  const shares = await table('Shares as CSV');
  assert.match(shares.disposition, /truehue-banana-histograms\.csv/);
  assert.ok(shares.head.includes(value.bins[YELLOW].hex));
});

test('the link opens all of it again', async () => {
  const address = link();
  const cells = rows().map(textOf);
  await follow(address);
  await current(3);
  await says(() => part('moves-list').querySelector('li'), `${value.distance.toFixed(1)} CIELAB`);
  assert.equal(rows().length, cells.length);
  assert.equal(link(), address);
});

test('a sibling is one click away, and what there is not of it is said', async () => {
  button(part('siblings'), 'rotten').click();
  await says(part('words'), /^rotten banana$/);
  await current(0);
  assert.match(textOf(part('choices')), /No data for this concept yet/);
});

test('a concept comes with its rows beside images of ones own', async () => {
  give(dropped, ...value.jars);
  await current(2);
  button(view, 'Choose another concept').click();
  press(search('mango'), 'Enter');
  await says(part('words'), /^mango$/);
  await current(3);
  assert.deepEqual(labels(), ['ratings', 'red jar.png', 'blue jar.png']);
  assert.match(textOf(part('guests')), /2 of your images are also shown with mango\./);
  // Quicker than the answers: each press is of the rows as they stand by then.
  const quick = (name) => [button(view, name), button(view, name)].forEach((item) => item.click());
  quick('Move A down');
  await until(() => labels().join() === 'red jar.png,blue jar.png,ratings');
  quick('Move C up');
  await until(() => labels().join() === 'ratings,red jar.png,blue jar.png');
  button(view, 'Remove them').click();
  await current(1);
  assert.deepEqual(labels(), ['ratings']);
  button(view, 'Remove A').click();
  await current(0);
  await says(part('nothing'), 'Nothing is shown. Add a distribution of mango');
});

test('what is gone is told where it stood, and can be removed', async () => {
  await follow('?concept=concept-0060&d=set:0123456789abcdef,image:00000000');
  await current(2);
  const alert = sources()[0].querySelector('[role=alert]');
  assert.equal(textOf(alert), "There is no set '0123456789abcdef'.");
  button(sources()[0], 'Remove A').click();
  await current(1);
  assert.ok(!link().includes('0123456789abcdef'));
});

test('the steps of an extraction open a picture in Inspect', async () => {
  await follow('?words=plum&d=');
  await says(part('words'), /^plum$/);
  await pool(value.plums);
  const steps = part('steps');
  await says(steps, 'dominant colors within ΔE00 ≤ 12');
  assert.equal(steps.querySelectorAll('.th-concept-group').length, 1);
  assert.equal(steps.querySelectorAll('.th-concept-merge .th-concept-strip').length, 2);
  steps.querySelector('.th-concept-picture').click();
  assert.equal((await opened()).question.object, 'plum');
});

test('a run of a concept, or of all, is a press away', async () => {
  part('go-run').click();
  assert.deepEqual([explore.view, explore.runSet, explore.runConcepts], ['runs', 'concepts', '']);
  assert.equal(room(), 'Explore');
  press(search('mango'), 'Enter');
  await says(part('words'), /^mango$/);
  await until(() => !part('generate').hidden);
  part('generate').click();
  assert.equal(explore.runConcepts, 'mango');
  assert.equal(compare.view, 'concept');
});

test('a link with too much shows the first six, and says what it leaves out', async () => {
  const many = [...Array(8).keys()].map((item) => `image:${String(item).padStart(16, '0')}`);
  await follow(`?d=${many}&method=none&sort=none`);
  await current(6);
  const said = textOf(part('said'));
  assert.match(said, /has 8 distributions\. The first six/);
  assert.match(said, /There is no method “none”, which the link requests/);
  assert.match(said, /There is no order of bins “none”/);
  assert.ok(!link().includes('none'));
});

test('nothing went wrong unseen', () => assert.deepEqual(live.faults, []));
