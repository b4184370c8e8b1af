// The basket of prompts: one for the whole page, kept in this browser, shared by the widgets that
// put in and take out. An item is { source, id, text, hexes, task }.
const basket = (window.thBasket ||= (() => {
  let items = new Map(), unwritten = false;
  const watchers = new Set();
  const key = (item) => item.source + ' ' + item.id;
  // Another tab of this browser may have written since. Its items may be ids alone; where this
  // page knows the words, it keeps them.
  function read() {
    if (unwritten) return;
    const found = new Map();
    try {
      for (const item of JSON.parse(localStorage.getItem('th-basket') || '[]')) {
        if (item && typeof item.source === 'string' && typeof item.id === 'string') found.set(key(item), item.text ? item : items.get(key(item)) || item);
      }
    } catch (error) { return; /* unreadable: what this page holds is what is true now */ }
    items = found;
  }
  function changed() {
    // Words and swatches of a huge basket would overflow what browsers keep; ids are enough then.
    const full = items.size <= 2000;
    const kept = [...items.values()].map((item) => full ? item : { source: item.source, id: item.id });
    try { localStorage.setItem('th-basket', JSON.stringify(kept)); unwritten = false; } catch (error) { unwritten = true; /* it still holds until the page closes */ }
    watchers.forEach((call) => call(false));
  }
  read();
  window.addEventListener('storage', (event) => {
    if (event.key !== 'th-basket' && event.key !== null) return;
    read();
    watchers.forEach((call) => call(true));
  });
  return {
    has: (item) => items.has(key(item)),
    size: () => items.size,
    items: () => [...items.values()],
    refs: () => [...items.values()].map((item) => [item.source, item.id]),
    // In or out by what this page showed when it was pressed.
    toggle(item) { const out = items.has(key(item)); read(); if (out) items.delete(key(item)); else items.set(key(item), item); changed(); },
    add(many) { read(); many.forEach((item) => { if (!items.has(key(item))) items.set(key(item), item); }); changed(); },
    replace(many) { items = new Map(many.map((item) => [key(item), item])); changed(); },
    drop(many) { read(); many.forEach((item) => items.delete(key(item))); changed(); },
    clear() { items = new Map(); changed(); },
    // The call is told whether the change came from another tab.
    watch(call) { watchers.add(call); return () => watchers.delete(call); },
  };
})());

// The rule by which pictures and prompts are marked everywhere on this tab.
const DEFAULT_RULE = '__DEFAULT_RULE__';
if (!window.thRule) { try { window.thRule = localStorage.getItem('th-rule') || DEFAULT_RULE; } catch (error) { window.thRule = DEFAULT_RULE; } }

// Small helpers that the widgets of this tab share.
function make(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}
// Puts nodes into a box in this order. What stays is not taken out in between: it keeps focus,
// scroll position, and a press that has begun.
function arrange(box, nodes) {
  const keep = new Set(nodes), focused = document.activeElement;
  [...box.childNodes].forEach((node) => { if (!keep.has(node)) node.remove(); });
  let at = box.firstChild;
  nodes.forEach((node) => { if (node === at) at = at.nextSibling; else box.insertBefore(node, at); });
  if (focused && focused !== document.activeElement && box.contains(focused)) focused.focus({ preventScroll: true });
}
function put(node, text) { if (node.textContent !== text) node.textContent = text; }
function many(number, noun) { return number.toLocaleString('en-US') + ' ' + noun + (number === 1 ? '' : 's'); }
function swatches(hexes) {
  const box = make('span', 'th-swatches');
  hexes.forEach((hex) => { const one = make('i'); one.style.background = hex; one.title = hex; box.appendChild(one); });
  return box;
}
async function ask(url, options) {
  let answer;
  try {
    answer = await fetch(url, options);
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new Error('The app does not answer. Is it still running?');
  }
  let data = null;
  try { data = await answer.json(); } catch (error) { /* the status tells */ }
  if (!answer.ok) throw Object.assign(new Error((data && data.error) || 'The app answered ' + answer.status + '.'), { field: (data && data.field) || '' });
  return data;
}
function send(url, body, extra) {
  return ask(url, { method: 'POST', headers: { 'X-TrueHue': '1', 'Content-Type': 'application/json', ...(extra || {}) }, body: JSON.stringify(body) });
}
// Who began a piece of work may cancel it, also after the page was loaded again.
function ownerOfWork() {
  let kept = window.thOwner || null;
  try { kept ||= localStorage.getItem('th-owner'); } catch (error) { /* a new one each time then */ }
  if (!/^[0-9a-f]{32}$/.test(kept || '')) {
    kept = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
    try { localStorage.setItem('th-owner', kept); } catch (error) { /* as above */ }
  }
  return (window.thOwner = kept);
}
// Arrow keys go through a row of tabs, as the role promises.
function arrowKeys(tabs) {
  tabs.forEach((tab, index) => tab.addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = tabs[(index + step + tabs.length) % tabs.length];
    next.focus();
    next.click();
  }));
}
