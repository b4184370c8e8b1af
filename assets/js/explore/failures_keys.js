// The keys of the wall, in a dialog that is filled when it is first shown.
import { make, table } from '../shared/dom.js';

const KEYS = [
  ['← → ↑ ↓, J, K', 'Go from image to image'],
  ['Enter', 'Open the large view'],
  ['← →', 'In the large view: previous and next image'],
  ['+ − 0 1', 'Zoom in, zoom out, whole image, actual pixels'],
  ['M', 'In the large view: the mask'],
  ['A, D', 'In the large view: agree or disagree with the verdict'],
  ['I', 'Open in Inspect by this rule'],
  ['C', 'Compare with another run'],
  ['Esc', 'Close, and back to where you were'],
  ['?', 'These keys'],
];

/**
 * @param {Found} dialog
 * @returns {() => void} what shows it
 */
export function keysDialog(dialog) {
  function fill() {
    const done = make('button', 'th-button', 'Close');
    const rows = KEYS.map(([name, label]) => {
      const head = make('th', 'th-row-name');
      head.append(make('kbd', '', name));
      return [head, label];
    });
    done.type = 'button';
    done.addEventListener('click', () => dialog.close());
    dialog.append(make('h3', '', 'Keys'), table('th-table', [], rows), done);
  }
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close();
  });
  return () => {
    if (!dialog.childElementCount) fill();
    if (!dialog.open) dialog.showModal();
  };
}
