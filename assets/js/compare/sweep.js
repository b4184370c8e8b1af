// The saturation sweep of stored photographs, in a dialog of its own.
import { conceptCard } from './analyses.js';
import { make, many, put } from '../shared/dom.js';
import { ask } from '../shared/http.js';

/** So many photographs are taken at once. */
export const MAX_PHOTOGRAPHS = 24;

/**
 * Opens the dialog and measures.
 * @param {string[]} images whole ids
 */
export async function openSweep(images) {
  const dialog = /** @type {HTMLDialogElement} */ (make('dialog', 'th-library th-sweep'));
  const header = make('header');
  const close = /** @type {HTMLButtonElement} */ (make('button', 'th-button', 'Close'));
  const status = make('p', 'th-soft');
  const query = new URLSearchParams({ images: images.join(',') });
  const stop = new AbortController();
  close.type = 'button';
  status.setAttribute('role', 'status');
  header.append(make('b', '', 'Saturation sweep'), close);
  dialog.setAttribute('aria-label', 'Saturation sweep');
  dialog.append(header, status);
  close.addEventListener('click', () => dialog.close());
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close();
  });
  dialog.addEventListener('close', () => {
    stop.abort();
    dialog.remove();
  });
  document.body.append(dialog);
  dialog.showModal();
  put(status, 'Measuring ' + many(images.length, 'photograph') + ' at nine saturations…');
  try {
    const chart = await ask(`/api/compare/sweep?${query}`, { signal: stop.signal });
    const card = conceptCard(() => `/api/compare/sweep.csv?${query}`);
    put(status, '');
    status.hidden = true;
    dialog.append(card.node);
    await card.show(chart);
  } catch (error) {
    if (!stop.signal.aborted) put(status, error.message);
  }
}
