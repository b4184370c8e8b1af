// The Studies tab: its screens, one visible at a time.
import { store } from '../shared/state.js';
import { studyForm } from './form.js';
import { studyList } from './list.js';
import { studyScreen } from './study.js';
import { isSeen, studyView, publishStudies } from './view.js';

/** @param {import('../shared/widget.js').Widget} widget */
export function mount({ element }) {
  const boxes = [...element.querySelectorAll('[data-screen]')];
  const box = (name) => boxes.find((item) => item.dataset.screen === name);
  const screens = {
    list: studyList(box('list')),
    new: studyForm(box('new')),
    study: studyScreen(box('study')),
  };
  function front() {
    boxes.forEach((item) => {
      item.hidden = item.dataset.screen !== studyView.screen;
    });
    if (isSeen()) screens[studyView.screen].shown();
  }
  store.subscribe('study-view', front);
  document.addEventListener('visibilitychange', front);
  let seen = false;
  new IntersectionObserver(() => {
    const now = isSeen();
    if (now && !seen) {
      front();
      publishStudies();
    }
    seen = now;
  }).observe(element);
  front();
}
