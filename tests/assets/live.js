// A page without a browser in front of the app itself: jsdom, the scripts, and real answers of the
// routes that tests/assets/live.py serves at TRUEHUE_LIVE. Figures are what plotly is given.
const { File: OwnFile, fetch: ownFetch } = globalThis;
const page = await import('./page.js');
export const { faults, load, media, press, settled, type } = page;

const ADDRESS = process.env.TRUEHUE_LIVE;
/** What the test in Python gives: the HTML of widgets by their names, and `value`. */
const { constants, ...values } = await (await ownFetch(ADDRESS + '/of-this-test')).json();
export const { html, value } = values;
// What stands in the head of every page.
const said = document.createElement('script');
said.type = 'application/json';
said.id = 'th-constants';
said.textContent = constants;
document.head.append(said);
/** What the page asked of the app: `{ method, path, search, status }` in order; 0 until it is answered. */
export const requests = [];
/** What would have been downloaded: `{ name, text() }`. */
export const downloads = [];

/** Has the test in Python do something, by its name. */
export async function step(name) {
  const answer = await ownFetch(`${ADDRESS}/of-this-test/${name}`, { method: 'POST' });
  if (!answer.ok) throw new Error(`The step ${name} failed: ${await answer.text()}`);
}

const holds = new Map();
/** Holds the next answer of this path back, until what is returned is called. */
export function hold(path) {
  let release;
  holds.set(path, new Promise((done) => (release = done)));
  return release;
}

globalThis.fetch = window.fetch = async (url, { signal, ...options } = {}) => {
  const { pathname, search } = new URL(url, location.href);
  const request = { method: options.method || 'GET', path: pathname, search, status: 0, signal };
  requests.push(request);
  const held = holds.get(pathname);
  holds.delete(pathname);
  const answer = await ownFetch(ADDRESS + pathname + search, options);
  // All of it is here before it counts as answered, so that the page needs no time for it then.
  const body = await answer.arrayBuffer();
  await held;
  request.status = answer.status;
  return new Response(body.byteLength ? body : null, answer);
};

// ── what a browser has and jsdom has not ─────────────────────────────────────────────────────────

globalThis.CSS = { escape: String };
globalThis.scrollTo = window.scrollTo = () => {};
window.HTMLElement.prototype.setPointerCapture = () => {};
const watchers = new Set();
/** Tells all who wait for it whether what they watch is on the screen: all that is shown is. */
class Watcher {
  constructor(call) {
    this.call = call;
    this.seen = new Map();
  }
  observe(node) {
    this.seen.set(node, false);
    watchers.add(this);
  }
  unobserve(node) {
    this.seen.delete(node);
  }
  disconnect() {
    watchers.delete(this);
  }
  look() {
    const entries = [];
    for (const [target, before] of this.seen) {
      const isIntersecting = target.isConnected && target.offsetParent !== null;
      if (isIntersecting !== before) entries.push({ target, isIntersecting });
      this.seen.set(target, isIntersecting);
    }
    if (entries.length) this.call(entries);
  }
}
globalThis.IntersectionObserver = window.IntersectionObserver = Watcher;
setInterval(() => [...watchers].forEach((watcher) => watcher.look()), 10).unref();

const blobs = new Map();
URL.createObjectURL = window.URL.createObjectURL = (blob) => {
  const name = 'blob:' + (blobs.size + 1);
  blobs.set(name, blob);
  return name;
};
URL.revokeObjectURL = window.URL.revokeObjectURL = () => {};
const clickLink = window.HTMLAnchorElement.prototype.click;
window.HTMLAnchorElement.prototype.click = function click() {
  if (!this.download) {
    clickLink.call(this);
    return;
  }
  const blob = blobs.get(this.getAttribute('href'));
  downloads.push({ name: this.download, href: this.href, blob });
};

// Of plotly, what it is given; `node.drawn` keeps it.
window.Plotly = {
  async react(node, data, layout) {
    node.classList.add('js-plotly-plot');
    node.drawn = { data, layout };
    const axis = { _offset: 0, l2p: Number, p2l: Number };
    Object.assign(node, { _fullData: data, _fullLayout: { xaxis: axis, yaxis: axis } });
    node.on = (name, call) => {
      node.calls = { ...node.calls, [name]: call };
    };
  },
  async toImage(rendered, { format }) {
    window.Plotly.saved = rendered;
    return format === 'svg' ? 'data:image/svg+xml,<svg/>' : 'data:image/png;base64,';
  },
};
new window.MutationObserver((changes) => {
  for (const { addedNodes } of changes)
    for (const node of addedNodes) if (node.src?.includes('plotly')) node.onload();
}).observe(document.head, { childList: true });

// ── hands and eyes ───────────────────────────────────────────────────────────────────────────────

/** A widget with the HTML that Python gives it, or that of its file. */
export const widget = (name, props = {}) =>
  page.widget(name, { props, ...(html[name] === undefined ? {} : { html: html[name] }) });

/** The tabs of the page's rooms, as Gradio draws them, with one in front. */
export function rooms(front, names = ['Inspect', 'Explore', 'Compare', 'Studies']) {
  const bar = document.createElement('div');
  bar.id = 'th-tabs';
  for (const name of names) {
    const tab = document.createElement('button');
    tab.setAttribute('role', 'tab');
    tab.textContent = name;
    tab.addEventListener('click', () => {
      for (const child of bar.children) child.setAttribute('aria-selected', String(child === tab));
    });
    tab.setAttribute('aria-selected', String(name === front));
    bar.append(tab);
  }
  document.body.append(bar);
  return () => bar.querySelector('[aria-selected=true]').textContent;
}

const describe = (node) => node.textContent.replace(/\s+/g, ' ').trim();

/** The text of a node, with single spaces. */
export const textOf = (node) => (node ? describe(node) : '');

// After one wait in vain the others are short: what follows stands on what did not come.
let patience_ms = 60_000;

/** Waits until a condition holds, which is looked at between all else; returns what it found. */
export async function until(condition, label = String(condition)) {
  const end = Date.now() + patience_ms;
  for (;;) {
    const result = await condition();
    if (result) return result;
    if (Date.now() > end) {
      patience_ms = 500;
      throw new Error(`It did not come to this: ${typeof label === 'function' ? label() : label}`);
    }
    await settled(10);
  }
}

/** Waits until a node says this: a text that it holds, or a pattern. */
export const says = (find, wanted) =>
  until(
    () => {
      const text = textOf(typeof find === 'function' ? find() : find);
      return wanted instanceof RegExp ? wanted.test(text) : text.includes(wanted);
    },
    () => `${wanted} in “${textOf(typeof find === 'function' ? find() : find)}”`,
  );

/** Does something, and waits for the answer to a question of this path that it asks. */
export async function answered(path, act) {
  const from = requests.length;
  await act();
  const now = () => requests.slice(from);
  await until(() => now().some((item) => item.path === path && item.status), `${path} is asked`);
  await settled(20);
}

/** Whether it is on the page for somebody to see. */
export const shown = (node) => Boolean(node) && node.offsetParent !== null;

/** The button in a box with this name: its text, or what is read out for it. */
export function button(box, name) {
  const fits = (text) => (name instanceof RegExp ? name.test(text) : text === name);
  const node = [...box.querySelectorAll('button, a, [role=button], summary')].find(
    (item) => shown(item) && (fits(describe(item)) || fits(item.getAttribute('aria-label') || '')),
  );
  if (!node) throw new Error(`No button ${name} in “${describe(box).slice(0, 300)}”`);
  return node;
}

/** The field in a box with this label. */
export function field(box, name) {
  const named = [...box.querySelectorAll('input, select, textarea')].find((node) => {
    const label = node.getAttribute('aria-labelledby');
    const text =
      [...(node.labels || [])].map(describe).join(' ') || node.getAttribute('aria-label');
    return (text || (label && textOf(document.getElementById(label))) || '').startsWith(name);
  });
  if (!named) throw new Error(`No field ${name} in “${describe(box).slice(0, 300)}”`);
  return named;
}

/** Chooses an option by its value, or by its text. */
export function choose(select, wanted) {
  const option = [...select.options].find((item) => item.value === wanted || item.text === wanted);
  if (!option) throw new Error(`No option ${wanted} of ${[...select.options].map((o) => o.text)}`);
  select.value = option.value;
  for (const name of ['input', 'change'])
    select.dispatchEvent(new window.Event(name, { bubbles: true }));
}

/** Gives files to a field; each is `[name, content]`, the content as base64. */
export function give(input, ...files) {
  const made = files.map(([name, content]) => new OwnFile([Buffer.from(content, 'base64')], name));
  Object.defineProperty(input, 'files', { value: made, configurable: true });
  input.dispatchEvent(new window.Event('change', { bubbles: true }));
}

/**
 * A key that a person presses: what scripts send is none (`isTrusted`), and after Back the address
 * stays as it is until somebody does something.
 */
export function hand() {
  const inner = (item) =>
    item[Object.getOwnPropertySymbols(item).find((s) => s.description === 'impl')];
  const event = inner(new window.KeyboardEvent('keydown', { key: 'F13', bubbles: true }));
  event.isTrusted = true;
  inner(document.body)._dispatch(event);
}

/** The page's address of what is shown, as a link. */
export const link = () => location.search;
