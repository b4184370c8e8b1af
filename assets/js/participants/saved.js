// Shows whether all answers are saved: by the study, and until then in this browser.

import { setSaved, setUnsent, setWarning } from './frame.js';
import { reasons } from './unsent.js';
import { say } from './texts.js';

const QUIET_MS = 2_000;
let late = 0;
let unsaved = false;
/** @type {() => void} */
let heard = () => {};

/**
 * Calls each time that what was done begins to wait for long.
 * @param {() => void} call
 */
export function onUnsaved(call) {
  heard = call;
}

/** @param {import('./outbox.js').Outbox} outbox */
export function tellSaved(outbox) {
  clearTimeout(late);
  const { waiting, failing, unkept } = outbox;
  setUnsent(0, reasons(outbox));
  const before = unsaved;
  unsaved = false;
  if (!waiting.length) {
    setSaved('saved', say('saved'), '');
    return;
  }
  const age = Date.now() - waiting[0].client_ms;
  if (failing || age >= QUIET_MS) {
    setSaved('unsaved', say('unsaved'), say('unsaved_text'));
    if (unkept) setWarning(say('unkept'));
    unsaved = true;
    if (!before && !unkept) heard();
  } else {
    setSaved('saving', say('saving_now'), '');
    late = setTimeout(() => tellSaved(outbox), QUIET_MS - age);
  }
}
