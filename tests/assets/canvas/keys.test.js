import assert from 'node:assert/strict';
import { test } from 'node:test';

import { load } from '../page.js';

const { keys } = await load('canvas/keys');

const [node, side, stage, button, hex] = ['div', 'div', 'div', 'button', 'input'].map((name) =>
  document.createElement(name),
);
side.className = 'cv-side';
stage.tabIndex = 0;
side.append(button, hex);
node.append(stage, side);
document.body.append(node);

const seen = [];
const hands = { at: null, space: false, shift: false, hover: () => seen.push(hands.shift) };
const view = { stage, cursor: null, mark: () => {}, reveal: () => {} };
const tools = [];
const sketch = { width: 8, height: 8 };
const canvas = { node, view, hands, sketch, tools: {}, setTool: (tool) => tools.push(tool) };
keys({ ...canvas, endStroke: () => {} }, new AbortController().signal);

/** Sends a key to what has the focus. Gives back whether the browser may do its own with it. */
const send = (type, key, shiftKey = false) =>
  document.activeElement.dispatchEvent(
    new KeyboardEvent(type, { key, shiftKey, bubbles: true, cancelable: true }),
  );

const enter = (pointerType) =>
  stage.dispatchEvent(Object.assign(new Event('pointerenter'), { pointerType }));

test('the space bar moves the drawing while the pointer is on it, and presses no button', () => {
  for (const target of [button, hex]) {
    target.focus();
    hands.at = {};
    assert.equal(send('keydown', ' '), false);
    assert.equal(hands.space, true);
    assert.equal(send('keyup', ' '), false);
    assert.equal(hands.space, false);
  }
  hands.at = null;
  for (const target of [button, hex]) {
    target.focus();
    assert.equal(send('keydown', ' '), true);
    assert.equal(hands.space, false);
  }
});

test('a pointer that comes to the drawing brings the keys from a field of color', () => {
  hex.focus();
  send('keydown', 'a');
  enter('touch');
  assert.equal(document.activeElement, hex);
  assert.deepEqual(tools, []);
  enter('mouse');
  assert.equal(document.activeElement, stage);
  assert.equal(view.cursor, null);
  send('keydown', 'a');
  assert.deepEqual(tools, ['alike']);
});

test('Shift is seen at once, and still held when a later hover comes', () => {
  seen.length = 0;
  send('keydown', 'Shift', true);
  hands.hover();
  send('keyup', 'Shift');
  assert.deepEqual(seen, [true, true, false]);
});
