// The switch between the views of Compare.
import { arrowKeys } from '../shared/dom.js';
import { store } from '../shared/state.js';
import { compare, openCompare, publishCompare } from './view.js';

/** @param {import('../shared/widget.js').Widget} widget */
export function mount({ element }) {
  const tabs = [...element.querySelectorAll('[data-view]')];
  function show() {
    tabs.forEach((tab) => {
      const on = tab.dataset.view === compare.view;
      tab.setAttribute('aria-selected', String(on));
      tab.tabIndex = on ? 0 : -1;
    });
    publishCompare();
  }
  tabs.forEach((tab) => tab.addEventListener('click', () => openCompare(tab.dataset.view)));
  arrowKeys(tabs);
  store.subscribe('compare', show);
  new IntersectionObserver((seen) => {
    if (seen.some((entry) => entry.isIntersecting)) publishCompare();
  }).observe(element);
  // What was wished for before the views were there, whoever had loaded their script by then.
  const wish = store.take('wish');
  if (wish) openCompare('concept', wish);
  else openCompare(compare.view);
  // Back and Forward: the view and what it showed.
  store.subscribe('place', (detail) => {
    const query = detail.query;
    if (query.get('tab') !== 'compare') return;
    const view = query.get('view');
    const values = Object.fromEntries(
      [...query].filter(([name]) => name !== 'tab' && name !== 'view'),
    );
    openCompare(compare.values[view] ? view : 'concept', values);
  });
  // Another tab of the page asks for something to be compared.
  store.subscribe('wish', () => openCompare('concept', store.take('wish')));
}
