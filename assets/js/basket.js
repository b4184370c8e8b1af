// The basket of prompts: one for the whole page, kept in this browser, shared by the widgets that
// put in and take out. An item is { source, id, text, hexes, task }.
const basket = (window.thBasket ||= (() => {
  let items = new Map();
  const watchers = new Set();
  const key = (item) => item.source + ' ' + item.id;
  try {
    for (const item of JSON.parse(localStorage.getItem('th-basket') || '[]')) {
      if (item && typeof item.source === 'string' && typeof item.id === 'string') items.set(key(item), item);
    }
  } catch (error) { items = new Map(); /* unreadable: an empty basket is what is true now */ }
  function changed() {
    // Words and swatches of a huge basket would overflow what browsers keep; ids are enough then.
    const full = items.size <= 2000;
    const kept = [...items.values()].map((item) => full ? item : { source: item.source, id: item.id });
    try { localStorage.setItem('th-basket', JSON.stringify(kept)); } catch (error) { /* it still holds until the page closes */ }
    watchers.forEach((call) => call());
  }
  return {
    has: (item) => items.has(key(item)),
    size: () => items.size,
    items: () => [...items.values()],
    refs: () => [...items.values()].map((item) => [item.source, item.id]),
    toggle(item) { if (!items.delete(key(item))) items.set(key(item), item); changed(); },
    add(many) { many.forEach((item) => { if (!items.has(key(item))) items.set(key(item), item); }); changed(); },
    replace(many) { items = new Map(many.map((item) => [key(item), item])); changed(); },
    clear() { items = new Map(); changed(); },
    watch(call) { watchers.add(call); return () => watchers.delete(call); },
  };
})());

// The rule by which pictures and prompts are marked everywhere on this tab.
if (!window.thRule) { try { window.thRule = localStorage.getItem('th-rule') || 'paper'; } catch (error) { window.thRule = 'paper'; } }

// Small helpers that the widgets of this tab share.
function make(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}
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
  if (!answer.ok) throw new Error((data && data.error) || 'The app answered ' + answer.status + '.');
  return data;
}
function send(url, body, extra) {
  return ask(url, { method: 'POST', headers: { 'X-TrueHue': '1', 'Content-Type': 'application/json', ...(extra || {}) }, body: JSON.stringify(body) });
}
