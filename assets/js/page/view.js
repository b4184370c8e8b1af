// What the app says of itself: its data folder, the account, notices and jobs. Each answer is the
// page's 'page'.
import { ask } from '../shared/http.js';
import { store } from '../shared/state.js';

let looked = 0;

/** Asks for it. The first list of jobs comes with it (work.js). */
export async function look() {
  looked = Date.now();
  const view = await ask('/api/page');
  store.set('page', view);
  return view;
}

/**
 * Asks again where something may have changed: images come from the queue, which no script of the
 * page waits for, and what a run has brought meanwhile is seen with the next look into Explore.
 */
export function follow() {
  const again = () => look().catch(() => {}); // the next event brings it
  store.subscribe('drawn', again);
  store.subscribe('runs', again);
  store.subscribe('explore', () => {
    if (Date.now() - looked > 5000) again();
  });
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) again();
  });
}
