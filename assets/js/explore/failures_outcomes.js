// Filters of outcomes while two runs are in front: they show every outcome, so these filters are
// off, and come back with the images.
import { explore } from './view.js';

const EVERY = { status: '', cause: '', found_l2: '' };

/** @param {{ comparing: (on: boolean) => void }} bar */
export function outcomeFilters(bar) {
  let before = null;
  return {
    off() {
      const { status, cause, found_l2, runs } = explore.slice;
      before ||= { status, cause, found_l2, runs };
      Object.assign(explore.slice, EVERY);
      bar.comparing(true);
    },
    // What was chosen before stands again, unless the slice is another one by now.
    on(restore) {
      if (restore) Object.assign(explore.slice, before);
      before = null;
      bar.comparing(false);
    },
  };
}
