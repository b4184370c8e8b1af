// A page without a browser, for tests of the page's scripts: jsdom's window, a widget as Gradio
// mounts it, and an app whose answers a test gives. Layout, canvas and focus order are a browser's
// (tests/browser/). Each file of tests has a process, and so a page, of its own.
import { readFileSync } from 'node:fs';

import { JSDOM } from 'jsdom';

const ASSETS = new URL('../../assets/', import.meta.url);
// What node has too, and jsdom accepts from its own window alone.
const OWN = /^(Event|EventTarget|CustomEvent|Abort|FormData|Blob|File|navigator|local|session)/;

const { window } = new JSDOM('<!doctype html><html lang="en"><title>TrueHue</title><body></body>', {
  url: 'http://127.0.0.1:7860/',
  pretendToBeVisual: true,
});
for (const name of Object.getOwnPropertyNames(window)) {
  if (/^\d+$/.test(name) || (name in globalThis && !OWN.test(name))) continue;
  Object.defineProperty(globalThis, name, {
    value: window[name],
    configurable: true,
    writable: true,
  });
}
globalThis.addEventListener = window.addEventListener.bind(window);
globalThis.removeEventListener = window.removeEventListener.bind(window);
globalThis.dispatchEvent = window.dispatchEvent.bind(window);
globalThis.reportError = (error) => faults.push(error);

/** What listeners threw, in the store or the page; a test that expects none asserts so. */
export const faults = [];
window.addEventListener('error', (event) => faults.push(event.error));

// ── what jsdom leaves out ────────────────────────────────────────────────────────────────────────

class Observer {
  constructor(call) {
    this.call = call;
  }
  observe() {}
  unobserve() {}
  disconnect() {}
}
globalThis.IntersectionObserver = window.IntersectionObserver = Observer;
globalThis.ResizeObserver = window.ResizeObserver = Observer;
/** Queries of media that hold; none to begin with: light, with motion, a wide screen. */
export const media = new Set();
globalThis.matchMedia = window.matchMedia = (query) => ({
  media: query,
  matches: media.has(query),
  addEventListener() {},
  removeEventListener() {},
});
window.Element.prototype.scrollIntoView = () => {};
window.Range.prototype.getBoundingClientRect = () => ({ width: 0 });
window.HTMLDialogElement.prototype.showModal ??= function showModal() {
  this.open = true;
};
window.HTMLDialogElement.prototype.close ??= function close() {
  this.open = false;
  this.dispatchEvent(new window.Event('close'));
};
const shown = (element) => element.isConnected && !element.closest('[hidden]');
Object.defineProperties(window.HTMLElement.prototype, {
  offsetParent: {
    get() {
      return shown(this) ? this.parentElement : null;
    },
  },
  innerText: {
    get() {
      return this.textContent;
    },
    set(text) {
      this.textContent = text;
    },
  },
});

// ── the app ──────────────────────────────────────────────────────────────────────────────────────

const answers = new Map();
/** What the page asked of the app: `{ method, path, search, body, headers }` in order. */
export const requests = [];

/**
 * What the app answers to 'GET /api/…' or 'POST /api/…' from now on: JSON, a text as it is, or a
 * function of the request that returns one; with `status` the answer of a refusal.
 */
export function answer(route, body, status = 200) {
  answers.set(route, { body, status });
}

globalThis.fetch = window.fetch = async (url, options = {}) => {
  const { pathname, search } = new URL(url, window.location.href);
  const method = options.method || 'GET';
  const body = typeof options.body === 'string' ? JSON.parse(options.body) : options.body;
  const request = { method, path: pathname, search, body, headers: options.headers || {} };
  requests.push(request);
  const result = answers.get(`${method} ${pathname}`);
  if (!result) throw new Error(`No answer is set for ${method} ${pathname}`);
  const value = typeof result.body === 'function' ? await result.body(request) : result.body;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return new Response(text, { status: result.status });
};

// ── widgets ──────────────────────────────────────────────────────────────────────────────────────

/** The module `assets/js/<name>.js`. */
export const load = (name) => import(new URL(`js/${name}.js`, ASSETS).href);

/** The texts of a language of the participants' page, by part. */
export const language = (tag) =>
  JSON.parse(readFileSync(new URL(`languages/${tag}.json`, ASSETS), 'utf8'));

/** The text of `assets/html/<name>.html`, with `values` in its places. */
export function template(name, values = {}) {
  const escaped = (text) => text.replace(/&/g, '&amp;').replace(/"/g, '&quot;');
  const file = readFileSync(new URL(`html/${name}.html`, ASSETS), 'utf8');
  const text = file.replace(/\{\{ (\w+) \}\}/g, (whole, key) =>
    key in values ? escaped(values[key]) : whole,
  );
  if (/\{[{%]/.test(text)) throw new Error(`${name}.html is filled by Python: give its values`);
  return text;
}

/**
 * A widget as Gradio mounts it: `set(name, value)` is Python's next answer, `sent` what went to
 * Python as `[event, data]`.
 */
export async function widget(name, { html = template(name), props = {} } = {}) {
  const element = document.createElement('div');
  element.innerHTML = html;
  document.body.append(element);
  const watched = [];
  const sent = [];
  const { mount } = await load(name);
  mount({
    element,
    props,
    trigger: (event, data) => sent.push([event, data]),
    watch: (names, call) => watched.push([[names].flat(), call]),
  });
  const set = (prop, value) => {
    props[prop] = value;
    for (const [names, call] of watched) if (names.includes(prop)) call();
  };
  return { element, props, sent, set };
}

/** Lets promises and timers that are due run. */
export const settled = (ms = 0) => new Promise((done) => setTimeout(done, ms));

/** Types into a field as a person does, and leaves it. */
export function type(field, text) {
  field.focus();
  field.value = text;
  field.dispatchEvent(new window.Event('input', { bubbles: true }));
  field.dispatchEvent(new window.Event('change', { bubbles: true }));
}

/** Presses a key on an element. */
export function press(element, key, more = {}) {
  const event = { key, bubbles: true, cancelable: true, ...more };
  return element.dispatchEvent(new window.KeyboardEvent('keydown', event));
}
