// The color picker with a small catalog: what is typed, picked by keys and mouse, and set by Python.
// The reading of all names is held against Python's in test_reading.py.
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';

import { answer, faults, load, press, settled, widget } from '../page.js';

const CATALOG = {
  systems: [
    ['css', 'CSS Color Level 4'],
    ['l2', 'ISCC-NBS level 2'],
    ['l3', 'ISCC-NBS level 3'],
    ['l1', 'ISCC-NBS level 1'],
  ],
  colors: [
    ['css', 'hotpink', '#FF69B4', 65.4819, 64.2528, -10.6493],
    ['css', 'pink', '#FFC0CB', 83.5848, 24.1519, 3.3271],
    ['css', 'teal', '#008080', 48.2561, -28.8403, -8.4727],
    ['l2', 'Pink', '#E68697', 66.602, 38.6277, 7.0284],
    ['l2', 'Bluish green', '#43BDB8', 70.2104, -34.3541, -7.4139],
    ['l2', 'Purplish blue', '#4F47C6', 38.2803, 40.2048, -65.2747],
    ['l2', 'Purplish pink', '#E589BF', 68.2491, 42.2619, -13.056],
    ['l2', 'Purplish red', '#BA2B77', 43.5054, 61.4766, -8.706],
    ['l3', 'Deep pink', '#E66980', 60.3241, 50.586, 11.2458],
    ['l3', 'Pinkish gray', '#C7B6BD', 75.6203, 7.2733, -1.3497],
    ['l3', 'Grayish blue', '#54687F', 43.2382, -1.4927, -15.2052],
    ['l3', 'Vivid red', '#D51C3C', 46.0463, 67.8918, 32.0876],
    ['l3', 'Vivid reddish orange', '#E83B1B', 52.245, 64.3627, 56.4634],
    ['l1', 'Pink', '#E68697', 66.602, 38.6277, 7.0284],
    ['l1', 'Blue', '#3B74C0', 48.544, 6.5861, -45.3057],
  ],
  forms: 'Write it so.',
};
const address = new URL('../../../assets/js/picker/catalog.json', import.meta.url);
answer('GET ' + address.pathname, CATALOG);

const FIRST = 'Vivid reddish orange';
const ORANGE = 'rgb(232, 59, 27)';
let picker;

/** A picker that begins with a value; `changes` are the values that go to Python. */
async function open(value) {
  const props = { label: 'Target color', value };
  const mounted = await widget('picker/picker', { props });
  const find = (part) => mounted.element.querySelector('.th-picker-' + part);
  const input = find('input');
  const all = (selector) => [...mounted.element.querySelectorAll(selector)];
  return {
    ...mounted,
    props,
    find,
    input,
    options: () => all('[role=option]'),
    names: () => all('[role=option] .th-picker-name').map((item) => item.textContent),
    selected: () => all('[aria-selected=true]').map((item) => item.id),
    line: () => find('line').textContent,
    color: () => find('swatch').style.background,
    changes: () => mounted.sent.map(([event, data]) => [event, data.value].join(' ')),
    write(text) {
      input.focus();
      input.value = text;
      input.dispatchEvent(new window.Event('input', { bubbles: true }));
    },
  };
}

beforeEach(async () => {
  document.body.replaceChildren();
  localStorage.clear();
  picker = await open('l3:' + FIRST);
});

test('it shows the value that it starts with', async () => {
  assert.equal(picker.find('label').textContent, 'Target color');
  assert.equal(picker.find('label').htmlFor, picker.input.id);
  assert.equal(picker.input.value, FIRST);
  assert.equal(picker.find('tag').textContent, 'L3 ·\u00a0#E83B1B');
  assert.equal(
    picker.line().replaceAll('\u00a0', ' '),
    'Vivid reddish orange · ISCC-NBS level 3 · #E83B1B · L* 52.2 · a* 64.36 · b* 56.46',
  );
  assert.equal(picker.color(), ORANGE);
  assert.deepEqual(picker.sent, []);
  const empty = await open('');
  assert.deepEqual([empty.input.value, empty.line(), empty.color()], ['', '', '']);
  assert.ok(empty.find('swatch').classList.contains('none'));
});

test('it names the colors of the same name in other systems', async () => {
  picker = await open('css:pink');
  assert.match(
    picker.line(),
    /^pink · CSS Color Level 4 · #FFC0CB · .* · another color in: ISCC-NBS level 2, type l2:Pink$/,
  );
  picker.write('xyz:pink');
  assert.match(picker.line(), /write css:, l2:, l3:, l1: before the name\.$/);
});

test('a color is picked by keyboard', () => {
  picker.write('gr blu');
  assert.deepEqual(picker.names(), ['Bluish green', 'Grayish blue']);
  assert.equal(picker.input.getAttribute('aria-expanded'), 'true');
  press(picker.input, 'ArrowDown');
  press(picker.input, 'ArrowDown');
  const [first, second] = picker.options();
  assert.equal(picker.input.getAttribute('aria-activedescendant'), second.id);
  assert.deepEqual(picker.selected(), [second.id]);
  press(picker.input, 'ArrowUp');
  assert.deepEqual(picker.selected(), [first.id]);
  press(picker.input, 'Enter');
  assert.equal(picker.find('popup').hidden, true);
  assert.equal(picker.input.value, 'Bluish green');
  assert.equal(picker.color(), 'rgb(67, 189, 184)');
  assert.deepEqual(picker.changes(), ['input l2:Bluish green']);
  assert.equal(picker.props.value, 'l2:Bluish green');
  // The same again is no change.
  picker.write('bluish green');
  press(picker.input, 'Enter');
  assert.equal(picker.sent.length, 1);
});

test('names that are it come first, then those that begin with it, then those that hold it', () => {
  picker.write('pink');
  const rows = picker.options().map((option) =>
    [...option.children]
      .slice(1, 3)
      .map((cell) => cell.textContent)
      .join(' '),
  );
  assert.deepEqual(rows, [
    'pink CSS',
    'Pink L2',
    'Pink L1',
    'Pinkish gray L3',
    'Deep pink L3',
    'Purplish pink L2',
    'hotpink CSS',
  ]);
});

test('a color is picked by mouse, and the first of the list by Enter alone', () => {
  picker.write('l2:purplish');
  assert.equal(picker.options().length, 3);
  const [, , pink] = picker.options();
  pink.dispatchEvent(new window.Event('mousemove', { bubbles: true }));
  assert.deepEqual(picker.selected(), [pink.id]);
  pink.click();
  assert.equal(picker.input.value, 'Purplish pink');
  picker.write('viv reddish or');
  press(picker.input, 'Enter');
  assert.deepEqual(picker.changes(), ['input l2:Purplish pink', 'input l3:' + FIRST]);
  assert.ok(picker.line().startsWith(FIRST + ' · '));
  // Where it stands for several names, the line says which one was taken.
  picker.write('purpl');
  press(picker.input, 'Enter');
  assert.match(picker.line(), /^First of 3 names with “purpl”: Purplish \w+ · /);
});

test('Escape goes back', () => {
  picker.write('teal');
  assert.equal(picker.color(), 'rgb(0, 128, 128)');
  press(picker.input, 'Escape');
  assert.equal(picker.input.value, FIRST);
  assert.equal(picker.find('popup').hidden, true);
  assert.equal(picker.color(), ORANGE);
  assert.deepEqual(picker.sent, []);
});

test('the arrow opens the names of its own system; an empty field all, the last ones first', () => {
  press(picker.input, 'ArrowDown');
  assert.equal(picker.options().length, CATALOG.colors.filter(([item]) => item === 'l3').length);
  const [chosen] = picker.selected();
  assert.match(document.getElementById(chosen).textContent, /Vivid reddish orange/);
  picker.write('teal');
  press(picker.input, 'Enter');
  picker.write('');
  assert.equal(picker.line(), 'Still in use: teal.');
  picker.input.click();
  assert.equal(picker.names()[0], 'teal');
  assert.equal(picker.options().length, 1 + 2 + CATALOG.colors.length);
  const headings = [...picker.element.querySelectorAll('.th-picker-heading')];
  assert.deepEqual(
    headings.map((heading) => heading.textContent),
    ['Recent', 'Basic names · ISCC-NBS level 1', 'All names'],
  );
});

test('six digits are picked as soon as they are whole', () => {
  picker.write('#0a8c3');
  assert.match(picker.line(), /has 5/);
  assert.deepEqual(picker.sent, []);
  picker.write('#0a8c3f');
  assert.deepEqual(picker.changes(), ['input #0A8C3F']);
  assert.equal(picker.find('tag').textContent, '#0A8C3F');
  assert.equal(picker.color(), 'rgb(10, 140, 63)');
  assert.equal(picker.input.value, '#0a8c3f');
  picker.input.blur();
  assert.equal(picker.input.value, '#0A8C3F');
});

test('three digits and triples wait for Enter or for leaving', () => {
  picker.write('#f80');
  assert.equal(picker.color(), 'rgb(255, 136, 0)');
  assert.deepEqual(picker.sent, []);
  press(picker.input, 'Enter');
  picker.write('1, 2, 3');
  assert.equal(picker.color(), 'rgb(1, 2, 3)');
  assert.equal(picker.sent.length, 1);
  picker.input.blur();
  assert.deepEqual(picker.changes(), ['input #FF8800', 'input #010203']);
  assert.equal(picker.input.value, '#010203');
});

test('a wrong value says what is wrong, and the last one stays in use', () => {
  picker.write('#E83G1B');
  assert.match(picker.line(), /Digit 4 of the hex color is “G”/);
  picker.write('12, 300, 4');
  assert.match(picker.line(), /The green is 300/);
  picker.input.blur();
  assert.equal(picker.input.getAttribute('aria-invalid'), 'true');
  assert.match(picker.line(), /Still in use: Vivid reddish orange\.$/);
  assert.deepEqual(picker.sent, []);
  assert.equal(picker.props.value, 'l3:' + FIRST);
});

test('an unknown name offers the nearest, and takes none by itself', () => {
  picker.write('vivd red');
  assert.match(picker.line(), /^No color is called “vivd red”\. Names spelled alike: Vivid red/);
  assert.equal(picker.names()[0], 'Vivid red');
  press(picker.input, 'Enter');
  assert.deepEqual(picker.sent, []);
  picker.write('vivd red');
  press(picker.input, 'ArrowDown');
  press(picker.input, 'Enter');
  assert.deepEqual(picker.changes(), ['input l3:Vivid red']);
  picker.write('5R 5/14');
  assert.equal(picker.line(), 'No color is called “5R 5/14”. Write it so.');
});

test('Python sets the value, and what it may be is text', () => {
  picker.set('value', 'css:teal');
  assert.equal(picker.input.value, 'teal');
  assert.equal(picker.find('tag').textContent, 'CSS ·\u00a0#008080');
  picker.set('value', 'rgb(1, 2, 300)');
  assert.match(picker.line(), /The blue is 300/);
  assert.equal(picker.input.getAttribute('aria-invalid'), 'true');
  picker.set('value', '<img src=x onerror=alert(1)>${alert(1)}');
  assert.match(picker.line(), /^No color is called “<img src=x onerror=alert\(1\)>/);
  assert.equal(picker.element.querySelector('img'), null);
  picker.set('label', 'Albedo');
  assert.equal(picker.find('label').textContent, 'Albedo');
  assert.deepEqual(picker.sent, []);
});

test('the eyedropper’s color goes to the picker that it is for', async () => {
  const { store } = await load('shared/state');
  picker.element.id = 'asked-color';
  store.tell('ask-color', { picker: 'other', text: '#010203' });
  store.tell('ask-color', { picker: 'asked-color', text: 'nonsense' });
  assert.deepEqual(picker.sent, []);
  store.tell('ask-color', { picker: 'asked-color', text: '#010203' });
  assert.deepEqual(picker.changes(), ['input #010203']);
});

test('nothing was thrown on the way', async () => {
  await settled();
  assert.deepEqual(faults, []);
});
