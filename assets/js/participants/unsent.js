// Shows the unsent answers, once that lasts or failed.

import { setUnsent } from './frame.js';
import { sayRefusal } from './texts.js';

const QUIET_MS = 2_000;
let late = 0;

/** @param {import('./outbox.js').Outbox} outbox */
export function tellUnsent(outbox) {
  clearTimeout(late);
  const waiting = outbox.waiting.filter((event) => event.kind === 'answer');
  const age = waiting.length ? Date.now() - waiting[0].client_ms : 0;
  const quiet = !outbox.failing && age < QUIET_MS;
  setUnsent(quiet ? 0 : waiting.length, reasons(outbox));
  if (quiet && waiting.length) late = setTimeout(() => tellUnsent(outbox), QUIET_MS - age);
}

/**
 * Why the study did not take what was said.
 * @param {import('./outbox.js').Outbox} outbox
 */
export function reasons(outbox) {
  return outbox.refused.map(sayRefusal);
}
