// The list of keys, above the canvas.
import { button, make } from './nodes.js';

/** Keys of which a language has its own names. */
const NAMED = /Ctrl|Shift|Delete|Space/g;

/** Keys, and the words of what they do. */
const KEYS = [
  ['F', 'fill_help'],
  ['A', 'alike_help'],
  ['Shift+Enter', 'alike'],
  ['N', 'next'],
  ['Shift+N', 'before'],
  ['B', 'brush'],
  ['E', 'eraser'],
  ['R', 'region_help'],
  ['Delete', 'region_help'],
  ['I', 'pick_help'],
  ['H', 'hand'],
  ['Space', 'space'],
  [', .', 'shades'],
  ['C', 'choose'],
  ['1 – 8', 'recent_keys'],
  ['[ ]', 'size_help'],
  ['L', 'within'],
  ['G', 'gaps'],
  ['Ctrl+Z', 'undo'],
  ['Ctrl+Shift+Z', 'redo'],
  ['+ − 0', 'zoom'],
  ['O', 'original_alt'],
  ['U', 'bare_help'],
  ['T', 'tiny_help'],
];

/** @param {import('./canvas.js').ColoringCanvas} canvas */
export function help(canvas) {
  const rows = KEYS.map(([key, name]) =>
    make(
      'div',
      {},
      make(
        'dt',
        {},
        make(
          'kbd',
          {},
          key.replace(NAMED, (name) => canvas.say('key_' + name)),
        ),
      ),
      make('dd', {}, canvas.say(name)),
    ),
  );
  const sheet = make(
    'dialog',
    { class: 'cv-help', 'aria-label': canvas.say('keys') },
    make('h2', {}, canvas.say('keys')),
    make('dl', {}, ...rows),
    make('p', {}, canvas.say('canvas_keys')),
    button(canvas.say('close_keys'), () => sheet.close()),
  );
  sheet.addEventListener('close', () => {
    sheet.remove();
    canvas.view.stage.focus({ preventScroll: true });
  });
  canvas.node.append(sheet);
  sheet.showModal();
}
