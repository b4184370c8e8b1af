// The list of keys, above the canvas.
import { button, make } from './nodes.js';

/** Keys, and the words of what they do. */
const KEYS = [
  ['F', 'fill'],
  ['A', 'alike_help'],
  ['B', 'brush'],
  ['E', 'eraser'],
  ['R', 'region_help'],
  ['I', 'pick_help'],
  ['H', 'hand'],
  [', .', 'shades'],
  ['C', 'choose'],
  ['1 – 9', 'recent_keys'],
  ['[ ]', 'size_help'],
  ['L', 'within'],
  ['G', 'gaps'],
  ['Ctrl+Z', 'undo'],
  ['Ctrl+Shift+Z', 'redo'],
  ['+ − 0', 'zoom'],
  ['O', 'original_alt'],
  ['U', 'bare_help'],
];

/** @param {import('./canvas.js').ColoringCanvas} canvas */
export function help(canvas) {
  const rows = KEYS.map(([key, name]) =>
    make(
      'div',
      {},
      make('dt', {}, make('kbd', {}, key.replace('Ctrl', canvas.say('ctrl')))),
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
