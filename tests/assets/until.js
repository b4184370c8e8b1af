// What tests of the scripts wait with: for a condition, never for a time.
import { settled } from './page.js';

const TURNS = 12_000;

// What the page does again and again, such as asking for the queue, keeps no process alive.
for (const name of ['setTimeout', 'setInterval']) {
  const begin = globalThis[name];
  globalThis[name] = (call, ms = 0, ...more) => {
    const timer = begin(call, ms, ...more);
    if (ms >= 400) timer.unref();
    return timer;
  };
}

/** Lets the page go on until `done` is true; fails where it never becomes so. */
export async function until(done, label = String(done)) {
  for (let turn = 0; turn < TURNS; turn++) {
    if (done()) return;
    await settled(turn < 20 ? 0 : 5);
  }
  throw new Error(`It did not come to this: ${label}`);
}

/** A promise and what settles it: an answer of the app that a test holds back. */
export function held() {
  let release;
  const answer = new Promise((done) => {
    release = done;
  });
  return { answer, release };
}
