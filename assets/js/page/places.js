// Back and Forward to an image in Inspect: what the address says is opened there again, unless it is
// what stands there still.
import { places } from '../shared/links.js';
import { store } from '../shared/state.js';

/** @param {import('../shared/widget.js').Widget} widget */
export function mount({ props, trigger }) {
  let current = new URLSearchParams(location.search).get('image') ? location.search : '';
  store.subscribe('shown', (detail) => {
    if (!places.restoring() && (detail.query.get('tab') || 'inspect') === 'inspect')
      current = location.search;
  });
  store.subscribe('place', (detail) => {
    const query = detail.query;
    if (
      (query.get('tab') || 'inspect') !== 'inspect' ||
      !query.get('image') ||
      location.search === current
    )
      return;
    current = location.search;
    props.value = { query: Object.fromEntries(query), at: Date.now() };
    trigger('back');
  });
}
