// Opening an image, the marks on it, their undo, and the answers of Python. Run by test_stage.py.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { load, settled } from '../page.js';
import { choose, opened, opening, stage, uploads } from './stage.js';

const { store } = await load('shared/state');
const { withBox, marksBefore } = await load('stage/boxes');
const file = (name, type = 'image/png') => new window.File(['content'], name, { type });

function give(target, kind, carried) {
  const event = new window.Event(kind, { bubbles: true, cancelable: true });
  target.dispatchEvent(Object.assign(event, carried));
  return event;
}

// ── opening ──────────────────────────────────────────────────────────────────────────────────────

test('a chosen photograph is sent as it is, and its id goes to Python', async () => {
  const made = await stage();
  const news = [];
  const leave = store.subscribe('photograph', () => news.push('photograph'));
  choose(made, file('notes.txt', 'text/plain'), file('mug é.png'));
  leave();
  const sent = uploads.at(-1);
  assert.deepEqual([sent.method, sent.path], ['POST', '/api/images']);
  assert.deepEqual(sent.headers, { 'X-TrueHue': '1', 'X-File-Name': 'mug%20%C3%A9.png' });
  assert.equal(sent.body.name, 'mug é.png');
  assert.deepEqual(news, ['photograph']);
  assert.equal(made.part('progress').hidden, false);
  sent.answers(200, { image_id: 'a1' });
  assert.equal(made.part('progress').hidden, true);
  assert.deepEqual(made.sent, [['open', { image: 'a1' }]]);
  assert.deepEqual(made.values, []);
});

test('a file that cannot be read is named as text, and what was open stays', async () => {
  const made = await opened();
  choose(made, file('<img src=x onerror=alert(1)>.png'));
  uploads.at(-1).answers(400, { error: '<img src=x onerror=alert(1)>.png is no image.' });
  const message = made.part('message-text');
  assert.equal(message.textContent, '<img src=x onerror=alert(1)>.png is no image.');
  assert.equal(message.children.length, 0);
  assert.equal(made.part('message').hidden, false);
  assert.equal(made.part('progress').hidden, true);
  assert.equal(made.part('name').textContent, 'made.png');
  assert.deepEqual(made.sent, []);
  made.press('Close this message');
  assert.equal(made.part('message').hidden, true);
  choose(made, file('gone.png'));
  uploads.at(-1).fails();
  assert.match(message.textContent, /^gone.png did not reach the app/);
  choose(made, file('odd.png'));
  uploads.at(-1).answers(500, {});
  assert.match(message.textContent, /could not read odd.png \(answer 500\)/);
  // A good one after that takes the message away.
  choose(made, file('good.png'));
  uploads.at(-1).answers(200, { image_id: 'b2' });
  assert.equal(made.part('message').hidden, true);
});

test('of two photographs the later one is opened', async () => {
  const made = await stage();
  choose(made, file('first.png'));
  choose(made, file('second.png'));
  const [first, second] = uploads.slice(-2);
  assert.equal(first.aborted, true);
  first.answers(200, { image_id: 'a1' });
  assert.deepEqual(made.sent, []);
  second.answers(200, { image_id: 'b2' });
  assert.deepEqual(made.sent, [['open', { image: 'b2' }]]);
});

test('files come by paste, by drop, and from another tab', async () => {
  const made = await stage();
  const files = [file('carried é.png')];
  const before = uploads.length;
  assert.ok(give(document.body, 'paste', { clipboardData: { files } }).defaultPrevented);
  give(made.root, 'dragenter', { dataTransfer: { types: ['Files'], files } });
  assert.ok(made.root.classList.contains('dropping'));
  give(made.root, 'drop', { dataTransfer: { types: ['Files'], files } });
  assert.ok(!made.root.classList.contains('dropping'));
  store.set('dropped', files);
  assert.deepEqual(
    uploads.slice(before).map((upload) => upload.headers['X-File-Name']),
    Array(3).fill('carried%20%C3%A9.png'),
  );
  // A text that is dropped or pasted is no photograph.
  give(made.root, 'drop', { dataTransfer: { types: ['text/plain'], files: [] } });
  const field = document.body.appendChild(document.createElement('input'));
  give(field, 'paste', { clipboardData: { files } });
  assert.equal(uploads.length, before + 3);
});

test('what was converted is said as text, and controls wait for an image', async () => {
  const made = await stage();
  assert.equal(made.part('mask').textContent, 'No image is open');
  for (const name of ['Box', 'Whole image', 'Find the object', 'Zoom in', 'Undo', 'Redo'])
    assert.equal(made.button(name).disabled, true, name);
  const notes = ['Display P3 was converted to sRGB.', '<b>16 bits</b> became 8.'];
  made.python(opening('a1', { notes }));
  assert.deepEqual(
    [...made.part('notes').children].map((line) => line.textContent),
    notes,
  );
  assert.equal(made.part('notes').querySelector('b'), null);
  // Those that change colors stand below the image, without a pointer over the i.
  assert.equal(made.part('warnings').hidden, true);
  made.python({ warnings: ['Transparency was laid over white.'] });
  assert.equal(made.part('warnings').hidden, false);
  assert.equal(made.part('warnings').textContent, 'Transparency was laid over white.');
  assert.equal(made.part('size').textContent, '200 × 100');
  assert.equal(made.part('picture').getAttribute('src'), '/media/images/a1.png');
  assert.equal(made.part('mask').textContent, 'Nothing selected yet');
  for (const name of ['Box', 'Whole image', 'Find the object', 'Zoom in'])
    assert.equal(made.button(name).disabled, false, name);
  assert.equal(made.button('Exact mask').hidden, true);
  assert.deepEqual(made.values, []);
  made.press('Stored images');
  assert.deepEqual(made.sent, [['browse', undefined]]);
});

test('every control of the stage has a name, and says whether it is pressed', async () => {
  const made = await opened();
  for (const control of made.root.querySelectorAll('button, input, select')) {
    const name = control.getAttribute('aria-label') || control.textContent;
    assert.ok(name.trim(), control.outerHTML);
  }
  for (const tool of made.root.querySelectorAll('[data-tool]'))
    assert.equal(tool.getAttribute('aria-pressed'), String(tool.dataset.tool === 'box'));
});

test('a box elsewhere starts over, and one here says which strokes still count', async () => {
  const box = (...corners) => ({ type: 'box', box: corners });
  const stroke = { type: 'cut', radius: 4, points: [[30, 30]] };
  const first = [box(0, 0, 60, 60), stroke];
  assert.deepEqual(withBox(first, box(100, 0, 160, 60)), [box(100, 0, 160, 60)]);
  const larger = withBox(first, box(0, 0, 90, 60));
  assert.deepEqual(larger, [...first, box(0, 0, 90, 60)]);
  assert.deepEqual(marksBefore(larger), [stroke]);
  assert.deepEqual(marksBefore(first), []);
  assert.deepEqual(marksBefore([{ type: 'salient' }, stroke, box(50, 0, 90, 60)]), []);
  assert.deepEqual(marksBefore([...larger, { type: 'whole' }]), []);

  const made = await opened();
  made.python(opening('c3', { marks: larger }));
  assert.equal(made.part('before').hidden, false);
  assert.equal(made.part('before-text').textContent, '1 earlier stroke in this box counts.');
  made.press('Remove them');
  assert.deepEqual(made.values.at(-1).marks, [first[0], larger[2]]);
  assert.equal(made.part('before').hidden, true);
});

test('a second image starts over, and so does the same image again', async () => {
  const made = await opened();
  made.press('Whole image');
  made.answers('M0 0');
  assert.equal(made.button('Undo').disabled, false);
  made.python(opening('b2', { image_name: 'other.png' }));
  assert.equal(made.part('name').textContent, 'other.png');
  assert.equal(made.outline(), '');
  assert.equal(made.button('Undo').disabled, true);
  made.press('Whole image');
  made.answers('M0 0');
  assert.equal(made.outline(), 'M0 0');
  const value = { image_id: 'b2', marks: [], seq: 0, restored: 2 };
  made.python(opening('b2', { value }));
  assert.equal(made.outline(), '');
  assert.equal(made.button('Undo').disabled, true);
});

test('a link brings its marks, and they can be marked on', async () => {
  const box = { type: 'box', box: [1, 2, 30, 40] };
  const value = { image_id: 'a1', marks: [box], seq: 0, restored: 1 };
  const made = await opened({ value, marks: [box], outline: 'M1 1', mask_text: 'GrabCut · box' });
  assert.equal(made.outline(), 'M1 1');
  assert.equal(made.part('mask').textContent, 'GrabCut · box');
  made.press('Whole image');
  assert.deepEqual(made.kinds(), ['box', 'whole']);
});

// ── marks ────────────────────────────────────────────────────────────────────────────────────────

test('one mark is one value, and only the answer to the latest is shown', async () => {
  const made = await opened();
  made.drag([
    [80, 75],
    [100, 80],
    [20.5, 10],
  ]);
  assert.equal(made.values.length, 1);
  assert.deepEqual(made.values[0], {
    image_id: 'a1',
    marks: [{ type: 'box', box: [20.5, 10, 80, 75] }],
    seq: 1,
  });
  assert.equal(made.part('status').textContent, 'Measuring…');
  assert.equal(made.root.getAttribute('aria-busy'), 'true');
  made.key('w');
  assert.deepEqual(made.kinds(), ['box', 'whole']);
  made.python({ outline: 'M of the box', seq: 1 });
  assert.equal(made.outline(), '');
  assert.equal(made.part('status').textContent, 'Measuring…');
  made.answers('M of all');
  assert.equal(made.outline(), 'M of all');
  assert.equal(made.part('status').textContent, '');
  assert.equal(made.root.getAttribute('aria-busy'), 'false');
  assert.equal(made.values.length, 2);
  assert.equal(made.part('veil').getAttribute('d'), 'M0 0h200v100h-200zM of all');
});

test('marks go back and forth by buttons and by keys', async () => {
  const made = await opened();
  made.press('Whole image');
  made.press('Brush');
  made.drag([
    [5, 5],
    [25, 5],
  ]);
  assert.deepEqual(made.kinds(), ['whole', 'brush']);
  made.press('Undo');
  assert.deepEqual(made.kinds(), ['whole']);
  made.key('Z', { ctrlKey: true, shiftKey: true });
  assert.deepEqual(made.kinds(), ['whole', 'brush']);
  made.key('z', { ctrlKey: true });
  made.key('y', { ctrlKey: true });
  assert.deepEqual(made.kinds(), ['whole', 'brush']);
  made.press('Clear the selection');
  assert.deepEqual(made.kinds(), []);
  made.answers('');
  assert.equal(made.button('Clear the selection').disabled, true);
  made.press('Undo');
  made.press('Undo');
  made.press('Undo');
  assert.deepEqual(made.kinds(), []);
  assert.equal(made.button('Undo').disabled, true);
  made.press('Redo');
  assert.equal(made.button('Redo').disabled, false);
  // Another mark: what was undone is gone.
  made.press('Whole image');
  assert.equal(made.button('Redo').disabled, true);
  assert.equal(new Set(made.values.map((value) => value.seq)).size, made.values.length);
});

test('strokes have the size of the brush and go where the pointer went', async () => {
  const made = await opened();
  made.part('brush-size').value = '8';
  made.key('c');
  made.drag([
    [10, 10],
    [10.1, 10],
    [12.5, 10],
    [12.5, 20.25],
  ]);
  assert.deepEqual(made.marks(), [
    {
      type: 'cut',
      radius: 4,
      points: [
        [10, 10],
        [12.5, 10],
        [12.5, 20.25],
      ],
    },
  ]);
  assert.equal(made.root.querySelectorAll('.th-stage-ink.black').length, 1);
  made.answers('M1 1');
  assert.equal(made.part('live').children.length, 0);
});

test('marks that make no mask stay to be seen, with the reason', async () => {
  const made = await opened();
  made.key('p');
  made.drag([[50, 50]]);
  made.answers('', { message: 'The mask is a single pixel: mark at least 2 pixels.' });
  assert.match(made.part('message-text').textContent, /^The mask is a single pixel/);
  assert.equal(made.part('message').hidden, false);
  assert.equal(made.part('live').children.length, 1);
  made.press('Undo');
  made.answers('');
  assert.equal(made.part('message').hidden, true);
  assert.equal(made.part('live').children.length, 0);
});

test('a drag of no size is no box', async () => {
  const made = await opened();
  made.drag([[60, 60]]);
  assert.equal(made.part('status').textContent, 'Drag to draw a box around the object.');
  assert.equal(made.values.length + made.part('live').children.length, 0);
});

test('what the mask starts from is marked, and an exact mask can be taken', async () => {
  const made = await opened({ exact_mask_id: 'm1' });
  assert.equal(made.button('Exact mask').hidden, false);
  made.press('Exact mask');
  assert.deepEqual(made.marks(), [{ type: 'stored', mask_id: 'm1' }]);
  assert.equal(made.button('Exact mask').getAttribute('aria-current'), 'true');
  made.press('Whole image');
  assert.equal(made.button('Exact mask').hasAttribute('aria-current'), false);
  assert.equal(made.button('Whole image').getAttribute('aria-current'), 'true');
});

test('at overlay zero nothing lies over the image', async () => {
  const made = await opened();
  made.part('veil-size').value = '0';
  made.part('veil-size').dispatchEvent(new window.Event('input'));
  assert.equal(made.part('veil').style.fillOpacity, '0');
  for (const name of ['hatch', 'boxes', 'tags']) assert.equal(made.part(name).style.opacity, '0');
});

test('pixels that were left out are hatched, and the legend says which', async () => {
  const made = await opened();
  made.press('Whole image');
  made.answers('M1 1', { measured_url: 'data:image/png;base64,AA', hatched: 'left-out' });
  assert.equal(made.part('hatch').hidden, false);
  assert.equal(made.part('legend').hidden, false);
  assert.equal(made.part('legend').querySelector('.left-out').hidden, false);
  assert.equal(made.part('legend').querySelector('.negative').hidden, true);
  made.press('Undo');
  made.answers('', { measured_url: '', hatched: '' });
  assert.equal(made.part('hatch').hidden, true);
  assert.equal(made.part('legend').hidden, true);
});

// ── keys ─────────────────────────────────────────────────────────────────────────────────────────

test('keys choose tools and the size of the brush', async () => {
  const made = await opened();
  const tools = { k: 'keep', c: 'cut', p: 'brush', e: 'erase', i: 'point-in', o: 'point-out' };
  for (const [key, tool] of Object.entries({ ...tools, q: 'pick', b: 'box' })) {
    made.key(key);
    const pressed = [...made.root.querySelectorAll('[data-tool][aria-pressed=true]')];
    assert.deepEqual(
      pressed.map((item) => item.dataset.tool),
      [tool],
    );
  }
  const size = made.part('brush-size');
  const before = Number(size.value);
  made.key(']');
  assert.ok(Number(size.value) > before);
  made.key('[');
  made.key('[');
  assert.ok(Number(size.value) < before);
});

test('keys that are typed into a field, or under a dialog, are none of the stage', async () => {
  const made = await opened();
  const field = document.body.appendChild(document.createElement('input'));
  for (const key of 'wekf') made.key(key, {}, field);
  made.key('z', { ctrlKey: true }, field);
  const dialog = document.body.appendChild(document.createElement('dialog'));
  dialog.showModal();
  made.key('w');
  dialog.close();
  made.key('w', { altKey: true });
  assert.deepEqual([made.values, made.sent], [[], []]);
  assert.equal(made.button('Box').getAttribute('aria-pressed'), 'true');
});

test('a box is drawn by keyboard, and said', async () => {
  const made = await opened();
  const scroll = made.part('scroll');
  const press = (key, more) => made.key(key, more, scroll);
  const status = made.part('status');
  made.button('Box').click();
  assert.equal(document.activeElement, scroll);
  press('ArrowLeft');
  assert.equal(status.textContent.startsWith('Box'), false);
  press('Enter');
  assert.match(status.textContent, /^Box 80 × 40 pixels, from 60, 30 to 140, 70\. Arrows/);
  for (const [key, shiftKey] of [
    ['ArrowLeft', false],
    ['ArrowUp', false],
    ['ArrowRight', true],
    ['ArrowDown', true],
  ])
    press(key, { shiftKey });
  assert.equal(status.textContent, 'Box 82 × 42 pixels, from 58, 28 to 140, 70.');
  press('Escape');
  assert.equal(status.textContent, 'Cancelled.');
  assert.deepEqual(made.values, []);
  press('Enter');
  // It stays on the image.
  for (let step = 0; step < 80; step += 1) press('ArrowRight');
  press('Enter');
  assert.deepEqual(made.marks(), [{ type: 'box', box: [120, 30, 200, 70] }]);
  assert.equal(status.getAttribute('role'), 'status');
});

test('a stroke and a point are set by keyboard', async () => {
  const made = await opened();
  const press = (key, more) => made.key(key, more, made.part('scroll'));
  made.key('e');
  press('Enter');
  press('ArrowUp');
  assert.equal(made.part('status').textContent, 'At 100, 48.');
  press('Enter');
  assert.deepEqual(made.marks()[0].points, [[100.5, 48.5]]);
  made.key('o');
  press('Enter');
  press('Enter');
  const [, data] = made.searches.at(-1);
  assert.deepEqual(data.marks.at(-1), { type: 'point', x: 100.5, y: 50.5, inside: false });
});

// ── a connection that is lost ────────────────────────────────────────────────────────────────────

test('marks without an answer are sent again after the page was loaded again', async () => {
  const made = await opened();
  made.press('Whole image');
  const saved = { ...sessionStorage };
  const loaded = async (image) => {
    const again = await stage();
    again.python(opening(image));
    await settled();
    return again;
  };
  assert.deepEqual((await loaded('b2')).values, [], 'those of another image are put nowhere');
  Object.assign(sessionStorage, saved);
  const again = await loaded('a1');
  assert.deepEqual(again.marks(), made.marks());
  again.answers('M0 0');
  assert.deepEqual((await loaded('a1')).values, []);
});
