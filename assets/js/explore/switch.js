// The switch between the views of Explore.
import { arrowKeys } from '../shared/dom.js';
import { store } from '../shared/state.js';
import { explore, openView, publishExplore } from './view.js';

/** @param {import('../shared/widget.js').Widget} widget */
export function mount({ element }) {
  const tabs = [...element.querySelectorAll('[data-view]')];
  function show() {
    tabs.forEach((tab) => {
      const on = tab.dataset.view === explore.view;
      tab.setAttribute('aria-selected', String(on));
      tab.tabIndex = on ? 0 : -1;
    });
    publishExplore();
  }
  tabs.forEach((tab) => tab.addEventListener('click', () => openView(tab.dataset.view)));
  arrowKeys(tabs);
  store.subscribe('explore', show);
  new IntersectionObserver((seen) => {
    if (seen.some((entry) => entry.isIntersecting)) publishExplore();
  }).observe(element);
  openView(explore.view);
}
