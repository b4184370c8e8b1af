// Detects whether the participant sees this page, and this one alone.

let hiddenTotal = 0;
let hiddenAt = document.hidden ? performance.now() : 0;
/** @type {Set<(ms: number) => void>} */
const watchers = new Set();

document.addEventListener('visibilitychange', () => {
  const now = performance.now();
  if (document.hidden) hiddenAt = now;
  else if (hiddenAt) {
    const away = now - hiddenAt;
    hiddenTotal += away;
    hiddenAt = 0;
    watchers.forEach((watcher) => watcher(away));
  }
});

/** Milliseconds that this page was not visible, since it was opened. */
export function hiddenMs() {
  return hiddenTotal + (hiddenAt ? performance.now() - hiddenAt : 0);
}

/**
 * Calls with the milliseconds of each absence once it has ended.
 * @param {(ms: number) => void} watcher
 */
export function watchAbsence(watcher) {
  watchers.add(watcher);
}

const REPLY_MS = 120;

/**
 * The one tab of this link that is worked in. It is asked for once, and may be taken by another.
 * @param {string} name
 * @param {() => void} lost called when another tab takes it
 * @returns {{ taken: Promise<boolean>, take: () => void }} `taken`: whether another tab has it now
 */
export function onlyTab(name, lost) {
  const own = Math.random().toString(36).slice(2);
  const channel = new BroadcastChannel('truehue-study:' + name);
  let holding = false;
  /** @type {(taken: boolean) => void} */
  let reply = () => {};
  channel.onmessage = ({ data }) => {
    if (data.from === own) return;
    if (data.say === 'anybody' && holding) channel.postMessage({ say: 'here', from: own });
    if (data.say === 'here') reply(true);
    if (data.say === 'mine' && holding) {
      holding = false;
      lost();
    }
  };
  const used = new Promise((done) => {
    reply = done;
    channel.postMessage({ say: 'anybody', from: own });
    setTimeout(() => done(false), REPLY_MS);
  });
  const take = () => {
    holding = true;
    channel.postMessage({ say: 'mine', from: own });
  };
  return { taken: used, take };
}

/** What is known of the screen: facts, no names. */
export function display() {
  const matches = (/** @type {string} */ query) => matchMedia(query).matches;
  const gamut = ['rec2020', 'p3', 'srgb'].find((name) => matches(`(color-gamut: ${name})`));
  return {
    viewport: innerWidth + 'x' + innerHeight,
    screen: screen.width + 'x' + screen.height,
    dpr: devicePixelRatio,
    gamut: gamut || 'unknown',
    hdr: matches('(dynamic-range: high)'),
    touch: matches('(pointer: coarse)'),
  };
}
