// The browser of prompts: rows, filters, sets and the address that opens all of it again.
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';

import { answer, faults, load, press, requests, settled, type, widget } from '../page.js';
import { held, until } from '../until.js';

const { store } = await load('shared/state');
const { basket } = await load('shared/basket');

// ── the app ──────────────────────────────────────────────────────────────────────────────────────

const row = (n) => ({
  source: 'gencolorbench',
  id: 'p' + n,
  text: 'Prompt ' + n,
  task: 'cna',
  task_title: 'Colors by name',
  system: 'l2',
  targets: [{ object: 'mug', hex: '#ff0000' }],
  drawn: n === 1 ? 2 : 0,
  verdict: n === 2 ? 'pass' : '',
});
const value = (name, label = name, count = 3) => ({ value: name, label, count });
const FRUITS = ['apple', 'grape', 'papaya'];
const PLAIN = Array.from({ length: 12 }, (_, n) => 'thing ' + n);
const FACETS = [
  { name: 'task', title: 'Task', values: [value('moc', 'Several'), value('cna', 'By name', 0)] },
  { name: 'objects', title: 'Object', values: [...FRUITS, ...PLAIN].map((item) => value(item)) },
  { name: 'drawn', title: 'Images', values: [value('yes', 'Some'), value('no', 'None')] },
  { name: 'alone', title: 'One value', values: [value('only')] },
];
const SETS = [
  { id: 'gencolorbench', title: 'GenColorBench', count: 44464, description: 'The benchmark' },
  { id: 'mini', title: 'Mini', count: 2, description: '' },
  { id: 'own', title: 'to-go.txt', count: 2, description: '', imported: true },
];
const SELECTION = { name: 'two frisbees', count: 2 };
let total = 0;
let suggestions = {};
const searches = () => requests.filter((request) => request.path === '/api/prompts/search');
const sendRequest = (request) => new URLSearchParams(request.search);
const search = (request) => {
  const query = sendRequest(request);
  const offset = Number(query.get('offset'));
  const count = Math.max(0, Math.min(Number(query.get('limit')), total - offset));
  const rows = Array.from({ length: count }, (_, n) => row(offset + n));
  return query.get('facets') === '0'
    ? { rows }
    : { rows, total, of: 44464, facets: FACETS, suggestions, ms: 1.25 };
};

beforeEach(() => {
  answer('GET /api/prompts/sets', { sets: SETS, selections: [SELECTION] });
  answer('GET /api/prompts/search', search);
  total = 44464;
  suggestions = {};
  requests.length = 0;
  basket.clear();
  store.take('chosen');
});

// The request beside it, whose address both are in.
const { element: ask } = await widget('generate/prompt_source', { props: {} });
await widget('generate/generate_button');
let shown = null;

/** The browser as a page with this address opens it, with ten rows in sight. */
async function open(address = '/?tab=generate') {
  history.replaceState(null, '', address);
  if (shown) shown.remove();
  const { element } = await widget('generate/prompts');
  shown = element;
  const find = (selector) => element.querySelector(selector);
  Object.defineProperty(find('.th-list'), 'clientHeight', { value: 440 });
  const all = (selector) => [...element.querySelectorAll(selector)];
  const page = {
    element,
    find,
    all,
    list: find('.th-list'),
    rows: () => all('.th-row[data-prompt]'),
    row: (n) => find(`[data-prompt=p${n}]`),
    box: (n) => find(`[data-prompt=p${n}] input`),
    chips: () => all('.th-chip-button:not(.th-chip-clear)'),
    group: (name) => find(`[data-facet=${name}]`),
    tick: (name, text) =>
      [...find(`[data-facet=${name}]`).querySelectorAll('label')]
        .find((node) => node.querySelector('span:not(.th-swatches)').textContent === text)
        .querySelector('input'),
    matches: () => find('.th-matches').textContent,
    empty: () => (find('.th-list-empty').hidden ? '' : find('.th-list-empty').textContent),
    /** What one does, and the app's answer to it. */
    async after(act) {
      const before = searches().length;
      act();
      await until(() => searches().length > before, 'a search');
      await settled();
      await settled();
    },
  };
  await until(() => page.matches() || page.empty() !== 'Reading the prompts…', 'the first rows');
  await settled();
  return page;
}
const texts = (nodes) => nodes.map((node) => node.textContent);

// ── search and rows ──────────────────────────────────────────────────────────────────────────────

test('rows say what they are, what was drawn of them and what is in the basket', async () => {
  const page = await open();
  assert.equal(page.matches(), '44,464 prompts');
  assert.equal(page.rows().length, 14);
  assert.equal(page.list.getAttribute('aria-rowcount'), '44464');
  assert.match(page.row(1).textContent, /Prompt 1Colors by name · L2 · p12 images$/);
  assert.match(page.row(2).textContent, /✓ pass$/);
  page.box(1).click();
  assert.equal(page.box(1).checked, true);
  assert.deepEqual(basket.items()[0], {
    source: 'gencolorbench',
    id: 'p1',
    text: 'Prompt 1',
    task: 'cna',
    hexes: ['#ff0000'],
  });
  assert.equal(page.box(1).getAttribute('aria-label'), 'In the selection: Prompt 1');
  assert.equal(page.row(1).getAttribute('role'), 'row');
  assert.equal(page.row(1).querySelectorAll('[role=gridcell]').length, 2);
});

test('words are searched for once they are written, and the count says of how many', async () => {
  const page = await open();
  total = 27;
  await page.after(() => {
    for (const text of ['viv', 'vivid', 'vivid green']) type(page.find('.th-search'), text);
  });
  assert.equal(searches().length, 2);
  assert.equal(sendRequest(searches()[1]).get('q'), 'vivid green');
  assert.equal(page.matches(), '27 of 44,464 prompts');
  assert.equal(page.find('.th-add-all').textContent, 'Add all 27 to the selection');
  total = 1;
  await page.after(() => type(page.find('.th-sort'), 'hue'));
  assert.equal(page.find('.th-add-all').textContent, 'Add it to the selection');
  assert.match(location.search, /q=vivid%20green&sort=hue/);
  total = 0;
  await page.after(() => type(page.find('.th-search'), 'nonsense'));
  assert.match(page.empty(), /No prompt matches/);
  assert.equal(page.find('.th-add-all').disabled, true);
});

test('an answer to earlier words is passed over, and a refusal is said', async () => {
  const page = await open();
  const late = held();
  answer('GET /api/prompts/search', () => late.answer);
  await page.after(() => type(page.find('.th-search'), 'slow'));
  total = 5;
  answer('GET /api/prompts/search', search);
  await page.after(() => type(page.find('.th-search'), 'quick'));
  late.release({ ...search({ search: 'limit=100' }), total: 99 });
  await settled();
  assert.equal(page.matches(), '5 of 44,464 prompts');
  answer('GET /api/prompts/search', { error: 'The quote is open.' }, 400);
  await page.after(() => type(page.find('.th-search'), '"'));
  assert.equal(page.empty(), 'The quote is open.');
  assert.equal(page.rows().length, 0);
  assert.equal(page.matches(), '');
});

test('the list is walked by keys to its end', async () => {
  const page = await open();
  for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'Enter']) press(page.list, key);
  assert.equal(page.row(2).getAttribute('aria-selected'), 'true');
  assert.equal(page.list.getAttribute('aria-activedescendant'), page.row(2).id);
  assert.equal(store.get('chosen').id, 'p2');
  press(page.list, ' ');
  assert.equal(page.box(2).checked, true);
  await page.after(() => press(page.list, 'End'));
  assert.ok(page.row(44463));
  assert.equal(sendRequest(searches().at(-1)).get('offset'), '44400');
  press(page.list, 'PageUp');
  assert.ok(page.row(44451).classList.contains('th-row-current'));
  press(page.list, 'Home');
  assert.ok(page.row(0).classList.contains('th-row-current'));
  press(page.list, ' ');
  assert.deepEqual(
    basket.refs().map(([, id]) => id),
    ['p2', 'p0'],
  );
});

test('Shift takes all between the last and this, in and out', async () => {
  const page = await open();
  const shift = (n) =>
    page.box(n).dispatchEvent(new window.MouseEvent('click', { bubbles: true, shiftKey: true }));
  const ids = () => basket.refs().map(([, id]) => id);
  page.box(1).click();
  shift(6);
  await settled();
  assert.deepEqual(ids(), ['p1', 'p2', 'p3', 'p4', 'p5', 'p6']);
  shift(3);
  await settled();
  assert.deepEqual(ids(), ['p1', 'p2']);
});

test('all that match are put into the basket', async () => {
  const page = await open();
  total = 3;
  await page.after(() => type(page.find('.th-search'), '"on a wooden table"'));
  answer('GET /api/prompts/matching', { items: [row(0), row(1), row(2)] });
  page.find('.th-add-all').click();
  await until(() => basket.size() === 3);
  assert.equal(sendRequest(requests.at(-1)).get('q'), '"on a wooden table"');
  assert.equal(ask.querySelector('[data-mode=basket]').textContent, 'Selection · 3');
  answer('GET /api/prompts/matching', { error: 'Too many.' }, 400);
  page.find('.th-add-all').click();
  await until(() => page.matches() === 'Too many.');
  assert.equal(page.find('.th-add-all').disabled, false);
});

test('rows stay in sight while their marks are asked for', async () => {
  const page = await open();
  const [first] = page.rows();
  const late = held();
  answer('GET /api/prompts/search', (request) => late.answer.then(() => search(request)));
  await page.after(() => store.tell('drawn'));
  assert.equal(sendRequest(searches().at(-1)).get('facets'), '0');
  assert.equal(page.rows().length, 14);
  late.release();
  await settled();
  assert.equal(page.rows()[0], first);
  // Where one filters by them, other rows match now.
  answer('GET /api/prompts/search', search);
  await page.after(() => page.tick('drawn', 'Some').click());
  await page.after(() => store.tell('drawn'));
  assert.equal(sendRequest(searches().at(-1)).get('facets'), null);
});

// ── filters ──────────────────────────────────────────────────────────────────────────────────────

test('filters keep focus, words and places while the counts change', async () => {
  const page = await open();
  assert.equal(page.group('alone'), null);
  assert.equal(page.group('task').open, true);
  assert.equal(page.group('task').querySelector('.th-facet-find').hidden, true);
  const objects = page.group('objects');
  const find = objects.querySelector('.th-facet-find');
  assert.equal(find.placeholder, 'Find among 15');
  type(find, 'ap');
  const shown = () =>
    texts([...objects.querySelectorAll('label:not([hidden]) span:not(.th-swatches)')]);
  assert.deepEqual(shown(), FRUITS);
  const tick = page.tick('objects', 'grape');
  const values = objects.querySelector('.th-facet-values');
  tick.focus();
  [values.scrollTop, page.find('.th-facets').scrollTop] = [20, 60];
  await page.after(() => tick.click());
  assert.deepEqual(sendRequest(searches().at(-1)).getAll('f'), ['objects=grape']);
  assert.equal(document.activeElement, tick);
  assert.equal(page.tick('objects', 'grape'), tick);
  assert.equal(tick.checked, true);
  assert.equal(find.value, 'ap');
  assert.deepEqual(shown(), FRUITS);
  assert.deepEqual([values.scrollTop, page.find('.th-facets').scrollTop], [20, 60]);
  assert.equal(objects.querySelector('summary b').textContent, '1');
  assert.deepEqual(texts(page.chips()), ['Object: grape  ✕']);
  await page.after(() => page.chips()[0].click());
  assert.equal(tick.checked, false);
  assert.equal(page.chips().length, 0);
  assert.equal(page.find('.th-chips').hidden, true);
});

test('each filter stands alone in the link, and older links held them in one', async () => {
  let page = await open();
  await page.after(() => page.tick('objects', 'apple').click());
  await page.after(() => page.tick('objects', 'grape').click());
  await page.after(() => page.tick('task', 'Several').click());
  const link = location.search;
  assert.match(link, /f=objects%3Dapple&f=objects%3Dgrape&f=task%3Dmoc/);
  const old = '?tab=generate&f=objects%3Dapple%7Cobjects%3Dgrape%7Ctask%3Dmoc';
  for (const address of [link, old]) {
    page = await open('/' + address);
    assert.equal(page.chips().length, 3);
    assert.deepEqual(sendRequest(searches().at(-1)).getAll('f'), [
      'objects=apple',
      'objects=grape',
      'task=moc',
    ]);
  }
  await page.after(() => page.find('.th-chip-clear').click());
  assert.deepEqual(sendRequest(searches().at(-1)).getAll('f'), []);
  assert.doesNotMatch(location.search, /f=/);
});

test('a value with a bar in it is one filter', async () => {
  const page = await open('/?tab=generate&f=objects%3Da%7Cb');
  assert.deepEqual(texts(page.chips()), ['Object: a|b  ✕']);
  assert.match(location.search, /f=objects%3Da%7Cb(&|$)/);
});

test('filters of any name can be taken away', async () => {
  const names = ['__proto__', 'constructor', 'toString'];
  answer('GET /api/prompts/search', { error: 'There is no facet “x”.' }, 400);
  const page = await open('/?tab=generate' + names.map((name) => `&f=${name}%3Dx`).join(''));
  for (const name of names) {
    const [chip] = page.chips();
    assert.equal(chip.textContent, name + ': x  ✕');
    assert.match(page.empty(), /There is no facet/);
    if (name === 'toString') answer('GET /api/prompts/search', search);
    await page.after(() => chip.click());
  }
  assert.equal(page.chips().length, 0);
  assert.equal(page.matches(), '44,464 prompts');
});

test('words lead to filters and other spellings', async () => {
  const page = await open();
  const fruits = { facet: 'objects', value: 'apple', title: 'Object', label: 'apple' };
  suggestions = { instead: 'purple', facets: [{ ...fruits, count: 1200, rest: 'purple' }] };
  await page.after(() => type(page.find('.th-search'), 'purpel apple'));
  const [spelling, filter] = page.all('.th-suggest button');
  assert.deepEqual(texts([spelling, filter]), ['“purple”', 'Object: apple (1,200)']);
  await page.after(() => spelling.click());
  assert.equal(page.find('.th-search').value, 'purple');
  await page.after(() => page.all('.th-suggest button')[1].click());
  assert.equal(sendRequest(searches().at(-1)).get('q'), 'purple');
  assert.deepEqual(sendRequest(searches().at(-1)).getAll('f'), ['objects=apple']);
  suggestions = {};
  await page.after(() => type(page.find('.th-search'), 'apple'));
  assert.equal(page.find('.th-suggest').hidden, true);
});

// ── sets and links ───────────────────────────────────────────────────────────────────────────────

test('a link brings back search, filters and the chosen prompt', async () => {
  answer('POST /api/prompts/resolve', { rows: [row(2)] });
  const news = [];
  const leave = store.subscribe('chosen', (detail) => news.push(detail.restored));
  const page = await open('/?tab=generate&q=vivid&sort=hue&f=task%3Dmoc&prompt=p2&mode=chosen');
  await until(() => store.get('chosen'));
  // A link's prompt is told from one that was clicked: what the link says to draw goes before it.
  page.row(2).click();
  assert.deepEqual(news, [true, false]);
  leave();
  assert.equal(page.find('.th-search').value, 'vivid');
  assert.equal(page.find('.th-sort').value, 'hue');
  const query = sendRequest(searches()[0]);
  assert.deepEqual(
    ['q', 'sort', 'f', 'set'].map((name) => query.get(name)),
    ['vivid', 'hue', 'task=moc', 'gencolorbench'],
  );
  assert.deepEqual(requests.at(-1).body.refs, [['gencolorbench', 'p2']]);
  assert.equal(ask.querySelector('.th-request-text').textContent, 'Prompt 2');
  assert.equal(page.row(2).getAttribute('aria-selected'), 'true');
  const link = 'q=vivid&sort=hue&f=task%3Dmoc&prompt=p2&mode=chosen';
  assert.equal(location.search, '?tab=generate&' + link);
  // A prompt that is gone leaves the request as it is, an order that is none the first one.
  answer('POST /api/prompts/resolve', { rows: [] });
  store.take('chosen');
  const other = await open('/?tab=generate&prompt=gone&sort=nonsense');
  await until(() => requests.at(-1).path === '/api/prompts/resolve');
  await settled();
  assert.equal(store.get('chosen'), undefined);
  assert.equal(other.find('.th-sort').value, 'relevance');
});

test('a set that is not here is named, and another one is not shown in its place', async () => {
  for (const [named, said] of [
    ['no-such-set', 'There is no set “no-such-set”'],
    ['selection:of another machine', 'There is no selection “of another machine”'],
  ]) {
    const page = await open('/?tab=generate&set=' + encodeURIComponent(named));
    assert.ok(page.empty().startsWith(said), page.empty());
    assert.equal(searches().length, 0);
    assert.equal(page.rows().length, 0);
    assert.equal(page.find('.th-add-all').disabled, true);
    assert.equal(page.find('.th-set option:disabled').value, named);
    await page.after(() => type(page.find('.th-set'), 'mini'));
    assert.equal(page.empty(), '');
    assert.equal(page.find('.th-set option:disabled'), null);
    assert.equal(sendRequest(searches()[0]).get('set'), 'mini');
    assert.match(location.search, /set=mini/);
    requests.length = 0;
  }
});

test('a set and a selection are removed after a question', async () => {
  const page = await open('/?tab=generate&set=own');
  const remove = page.find('.th-set-remove');
  const dialog = page.find('dialog');
  const title = () => dialog.querySelector('b').textContent;
  assert.equal(remove.hidden, false);
  remove.click();
  assert.ok(dialog.open);
  assert.equal(title(), 'Remove “to-go.txt”?');
  page.find('.th-confirm-no').click();
  assert.equal(dialog.open, false);
  remove.click();
  answer('POST /api/prompts/sets/hide', { error: 'It is being drawn.' }, 400);
  page.find('.th-confirm-yes').click();
  await until(() => !dialog.querySelector('.th-problem').hidden);
  assert.equal(dialog.querySelector('.th-problem').textContent, 'It is being drawn.');
  answer('POST /api/prompts/sets/hide', {});
  answer('GET /api/prompts/sets', { sets: SETS.slice(0, 2), selections: [SELECTION] });
  await page.after(() => page.find('.th-confirm-yes').click());
  assert.equal(dialog.open, false);
  assert.deepEqual(requests.find((request) => request.path.endsWith('/hide')).body, {
    set_id: 'own',
  });
  assert.equal(page.find('.th-set').value, 'gencolorbench');
  assert.equal(page.find('[value=own]'), null);
  assert.equal(remove.hidden, true);

  await page.after(() => type(page.find('.th-set'), 'selection:two frisbees'));
  remove.click();
  assert.equal(title(), 'Remove “two frisbees”?');
  answer('POST /api/selections/remove', {});
  answer('GET /api/prompts/sets', { sets: SETS.slice(0, 2), selections: [] });
  await page.after(() => page.find('.th-confirm-yes').click());
  assert.deepEqual(requests.find((request) => request.path.endsWith('/remove')).body, {
    name: 'two frisbees',
  });
  assert.equal(page.find('.th-set').value, 'gencolorbench');
  assert.equal(page.find('optgroup'), null);
});

test('a new set is opened, and what another room shows is searched for', async () => {
  const page = await open();
  const imported = [];
  store.subscribe('import', (detail) => imported.push(detail.kind));
  page.find('.th-import-prompts').click();
  assert.deepEqual(imported, ['prompts']);
  type(page.find('.th-search'), 'mug');
  await page.after(() => store.tell('sets', { open: 'own' }));
  assert.equal(page.find('.th-search').value, '');
  assert.equal(sendRequest(searches().at(-1)).get('set'), 'own');
  await page.after(() => store.tell('show', { set: 'mini', chosen: { task: ['moc'] }, q: 'cup' }));
  const query = sendRequest(searches().at(-1));
  assert.deepEqual([query.get('set'), query.get('q'), query.get('f')], ['mini', 'cup', 'task=moc']);
  assert.equal(page.find('.th-search').value, 'cup');
  page.find('.th-facets-toggle').click();
  assert.equal(page.find('.th-facets-toggle').getAttribute('aria-expanded'), 'true');
  assert.ok(page.find('.th-prompts').classList.contains('th-show-facets'));
});

test('nothing was thrown on the way', async () => {
  await settled();
  assert.deepEqual(faults, []);
});
