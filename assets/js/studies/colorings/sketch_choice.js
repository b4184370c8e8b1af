// A sketch that can be chosen for a concept: its entry, display and comparison.
import { make } from '../../shared/dom.js';

/**
 * A sketch as the app lists it.
 * @typedef {{ key: string, shows: string, picture: string, source: string, warnings: string[] }} SketchChoice
 */

/** @param {string} text as the app compares them */
export const normal = (text) =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[_\-\u2010-\u2015\u2212\s]+/g, ' ')
    .trim();

/** A drawing on white. @param {SketchChoice | undefined} sketch */
export function paper(sketch) {
  const node = make('span', 'th-colorings-paper');
  if (!sketch) {
    node.dataset.empty = '';
    node.append(make('small', '', 'no sketch yet'));
    return node;
  }
  const image = make('img');
  image.src = sketch.picture;
  image.alt = ''; // the words stand beside it
  image.loading = 'lazy';
  node.append(image);
  return node;
}
