// Questions to the study behind this page's link.

import { sayRefusal } from './texts.js';

/** What the study refused, in its words. `status` is 0 where nothing answered at all. */
export class Refusal extends Error {
  /**
   * @param {string} text
   * @param {number} status
   * @param {any} [data] the whole answer
   * @param {number} [waitS] seconds after which the server wants to be asked again
   */
  constructor(text, status, data, waitS) {
    super(text);
    this.status = status;
    this.data = data || {};
    this.waitS = waitS || 0;
  }

  /** Whether the same question may well be answered later. */
  get passing() {
    return !this.status || this.status === 408 || this.status === 429 || this.status >= 500;
  }
}

const PATIENCE_MS = 20_000;

/** The address of the link, without what stands behind it. */
function address() {
  const state = document.getElementById('study')?.dataset.state;
  return (state || location.pathname).replace(/\/state(\?.*)?$/, '');
}

const OUTSIDE_NAMES = [
  ...['prolific_pid', 'study_id', 'session_id'],
  ...['workerid', 'assignmentid', 'hitid', 'survey_code'],
];

/** What a recruiting site wrote behind the link, such as `PROLIFIC_PID`, in small letters. */
export function external() {
  const entries = [...new URLSearchParams(location.search)].map(([name, value]) => [
    name.toLowerCase(),
    value.slice(0, 200),
  ]);
  return Object.fromEntries(entries.filter(([name]) => OUTSIDE_NAMES.includes(name)));
}

/**
 * Where the study and the participant are.
 * @returns {Promise<Answer<`/study/${string}/state`>>}
 */
export function askState() {
  return ask(`/state${location.search}`);
}

/**
 * Sends JSON to an address below the link.
 * @template {string} Path
 * @param {Path} path
 * @param {Sent<`/study/${string}${Path}`>[0]} body
 * @param {boolean} [last] whether the page may be gone before the answer comes
 * @returns {Promise<Sent<`/study/${string}${Path}`>[1]>}
 */
export function send(path, body, last) {
  return ask(path, body, last);
}

/**
 * The JSON behind an address below the link; with a body it is sent there.
 * @param {string} path
 * @param {unknown} [body]
 * @param {boolean} [last] whether the page may be gone before the answer comes
 * @returns {Promise<any>}
 */
async function ask(path, body, last) {
  /** @type {RequestInit} */
  const options = { signal: AbortSignal.timeout(PATIENCE_MS) };
  if (body !== undefined) {
    options.method = 'POST';
    options.headers = { 'X-TrueHue': '1', 'Content-Type': 'application/json' };
    options.body = JSON.stringify(body);
    options.keepalive = last;
  }
  let answer;
  let data = null;
  try {
    answer = await fetch(address() + path, options);
    data = await answer.json();
  } catch {
    // An answer that ends in the middle is none, unless its status says enough.
    if (!answer || answer.ok) throw new Refusal('', 0);
  }
  if (answer.ok) return data;
  const waitS = Number(answer.headers.get('Retry-After')) || 0;
  throw new Refusal(sayRefusal(data || {}) || String(answer.status), answer.status, data, waitS);
}

/**
 * The sketches that were colored, and what was done on one.
 * @returns {Promise<{ sketches: (Api.SketchTrial & { changeable: boolean })[] }>}
 */
export const askGlance = () => ask('/glance');
/**
 * @param {number} position
 * @returns {Promise<{ actions: import('../canvas/actions.js').Action[] }>}
 */
export const askActions = (position) => ask('/actions/' + position);

/**
 * Where an image of a trial lies: exact, or scaled down to what is enough.
 * @param {string} id
 * @param {number} [side] pixels of its longer side
 */
export function picture(id, side) {
  return address() + '/images/' + encodeURIComponent(id) + '.png' + (side ? '?side=' + side : '');
}

/** @param {number} index */
export function plate(index) {
  return address() + '/plates/' + index + '.png';
}

/** Where a field with a square that hardly differs lies. @param {string} name */
export function patch(name) {
  return address() + '/patches/' + name + '.png';
}

/**
 * Where a sketch lies: its lines, and what a click fills.
 * @param {string} id
 */
export function sketchFiles(id) {
  const start = address() + '/sketches/' + encodeURIComponent(id);
  return { ink: start + '.png', regions: start + '.regions' };
}
