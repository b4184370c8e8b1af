// An image of a concept has no target color: its colors are compared with people's, in Compare.
import { make, openTab } from '../shared/dom.js';
import { store } from '../shared/state.js';

/**
 * The button from an image's card to its concept in Compare.
 * @param {{ concept: string }} item
 */
export function compareConcept(item) {
  const button = make('button', 'th-link', 'Compare its colors');
  button.type = 'button';
  button.addEventListener('click', () => {
    // A tab that was never opened has no script yet: it takes up the wish when it starts.
    store.set('wish', { concept: item.concept });
    openTab('Compare');
  });
  return button;
}
