// The prompt browser: search, facets with counts, all rows of a set in one list, and the basket.
// The rows are drawn only where they are seen; pages of them are fetched as one scrolls.
const ROW = 44, PAGE = 100;
const setBox = element.querySelector('.th-set'), search = element.querySelector('.th-search');
const sortBox = element.querySelector('.th-sort'), chips = element.querySelector('.th-chips');
const facetBox = element.querySelector('.th-facets'), list = element.querySelector('.th-list');
const space = element.querySelector('.th-list-space'), matches = element.querySelector('.th-matches');
const addAll = element.querySelector('.th-add-all'), empty = element.querySelector('.th-list-empty');
const facetButton = element.querySelector('.th-facets-toggle');
const state = { set: 'gencolorbench', q: '', sort: 'relevance', chosen: {}, prompt: '' };
let total = 0, pages = new Map(), current = -1, asked = 0, sets = [], opened = new Set(['task', 'objects', 'system']);
let waiting = null;

function query(offset) {
  const values = new URLSearchParams({ set: state.set, q: state.q, sort: state.sort, rule: window.thRule, offset, limit: PAGE });
  Object.entries(state.chosen).forEach(([name, chosen]) => chosen.forEach((value) => values.append('f', name + '=' + value)));
  return values;
}
function itemOf(row) { return { source: row.source, id: row.id, text: row.text, task: row.task, hexes: row.targets.filter((t) => t.hex).map((t) => t.hex) }; }

async function loadSets() {
  const data = await ask('/api/prompts/sets');
  sets = data.sets;
  setBox.replaceChildren(...sets.map((one) => {
    const option = make('option', '', one.title + ' · ' + one.count.toLocaleString('en-US'));
    option.value = one.id;
    return option;
  }));
  if (data.selections.length) {
    const group = make('optgroup');
    group.label = 'Saved selections';
    data.selections.forEach((one) => { const option = make('option', '', one.name + ' · ' + one.count.toLocaleString('en-US')); option.value = 'selection:' + one.name; group.appendChild(option); });
    setBox.appendChild(group);
  }
  if (![...setBox.options].some((option) => option.value === state.set)) state.set = sets[0].id;
  setBox.value = state.set;
  const set = sets.find((one) => one.id === state.set);
  setBox.title = set ? set.description : '';
}

async function refreshAll() {
  const mine = ++asked;
  pages = new Map();
  try {
    const data = await ask('/api/prompts/search?' + query(0));
    if (mine !== asked) return;
    total = data.total;
    pages.set(0, data.rows);
    list.scrollTop = 0;
    current = -1;
    showFacets(data.facets);
    matches.textContent = data.total === data.of ? many(data.of, 'prompt') : data.total.toLocaleString('en-US') + ' of ' + many(data.of, 'prompt');
    matches.title = 'Answered in ' + data.ms.toFixed(1) + ' ms';
    addAll.textContent = total === 1 ? 'Add it to the basket' : 'Add all ' + total.toLocaleString('en-US') + ' to the basket';
    addAll.disabled = !total;
    empty.hidden = total > 0;
    empty.textContent = 'No prompt matches. Take a filter away, or search for fewer words.';
  } catch (error) {
    if (mine !== asked) return;
    total = 0;
    empty.hidden = false;
    empty.textContent = error.message;
    matches.textContent = '';
  }
  space.style.height = total * ROW + 'px';
  showChips();
  draw();
  publish();
}
function soon() { clearTimeout(waiting); waiting = setTimeout(refreshAll, 120); }

async function fetchPage(page) {
  if (pages.has(page)) return;
  pages.set(page, null);
  const mine = asked;
  try {
    const values = query(page * PAGE);
    values.set('facets', '0');
    const data = await ask('/api/prompts/search?' + values);
    if (mine !== asked) return;
    pages.set(page, data.rows);
    draw();
  } catch (error) { pages.delete(page); }
}
function rowAt(index) { const page = pages.get(Math.floor(index / PAGE)); return page ? page[index % PAGE] : null; }

function draw() {
  const first = Math.max(0, Math.floor(list.scrollTop / ROW) - 4);
  const last = Math.min(total, Math.ceil((list.scrollTop + list.clientHeight) / ROW) + 4);
  for (let page = Math.floor(first / PAGE); page <= Math.floor(Math.max(first, last - 1) / PAGE); page++) if (total) fetchPage(page);
  const nodes = [];
  for (let index = first; index < last; index++) nodes.push(rowNode(index, rowAt(index)));
  space.replaceChildren(...nodes);
}
function rowNode(index, row) {
  const node = make('div', 'th-row');
  node.style.top = index * ROW + 'px';
  node.id = 'th-row-' + index;
  if (!row) { node.appendChild(make('span', 'th-row-text th-soft', '…')); return node; }
  node.setAttribute('role', 'option');
  node.setAttribute('aria-selected', String(row.id === state.prompt));
  node.classList.toggle('th-row-current', index === current);
  node.dataset.prompt = row.id;
  const box = make('input');
  box.type = 'checkbox';
  box.checked = basket.has(row);
  box.tabIndex = -1;
  box.setAttribute('aria-label', 'In the basket: ' + row.text);
  box.addEventListener('click', (event) => { event.stopPropagation(); basket.toggle(itemOf(row)); });
  const text = make('span', 'th-row-text', row.text);
  text.title = row.text;
  const about = make('small', 'th-row-about', [row.task_title, row.system.toUpperCase(), row.id].filter(Boolean).join(' · '));
  const words = make('span', 'th-row-words');
  words.append(text, about);
  const drawn = make('small', 'th-row-state', row.verdict ? ({ pass: '✓ pass', fail: '✕ fail', unscored: '– unscored' })[row.verdict] : row.drawn ? many(row.drawn, 'image') : '');
  node.append(box, swatches(row.targets.filter((t) => t.hex).map((t) => t.hex)), words, drawn);
  node.addEventListener('click', () => { current = index; choose(row); });
  return node;
}
function choose(row) {
  state.prompt = row.id;
  window.thChosen = { ...itemOf(row), targets: row.targets };
  document.dispatchEvent(new CustomEvent('th-chosen'));
  draw();
  publish();
}

let titles = {};
function showFacets(facets) {
  titles = Object.fromEntries(facets.map((facet) => [facet.name, { title: facet.title, labels: Object.fromEntries(facet.values.map((value) => [value.value, value.label])) }]));
  facetBox.replaceChildren(...facets.filter((facet) => facet.values.length > 1 || (state.chosen[facet.name] || []).length).map((facet) => {
    const chosen = state.chosen[facet.name] || [];
    const box = make('details', 'th-facet');
    box.dataset.facet = facet.name;
    box.open = opened.has(facet.name) || chosen.length > 0;
    box.addEventListener('toggle', () => { if (box.open) opened.add(facet.name); else opened.delete(facet.name); });
    const head = make('summary', '', facet.title);
    if (chosen.length) head.appendChild(make('b', '', String(chosen.length)));
    box.appendChild(head);
    const values = make('div', 'th-facet-values');
    if (facet.values.length > 12) {
      const find = make('input', 'th-facet-find');
      find.type = 'search';
      find.placeholder = 'Find among ' + facet.values.length;
      find.setAttribute('aria-label', 'Find in ' + facet.title);
      find.addEventListener('input', () => {
        const wanted = find.value.trim().toLowerCase();
        values.querySelectorAll('label').forEach((label) => { label.hidden = !label.textContent.toLowerCase().includes(wanted); });
      });
      box.appendChild(find);
    }
    facet.values.forEach((value) => {
      const label = make('label');
      const tick = make('input');
      tick.type = 'checkbox';
      tick.checked = chosen.includes(value.value);
      tick.addEventListener('change', () => {
        const now = new Set(state.chosen[facet.name] || []);
        if (tick.checked) now.add(value.value); else now.delete(value.value);
        state.chosen[facet.name] = [...now];
        refreshAll();
      });
      label.append(tick);
      if (value.hex) label.append(swatches([value.hex]));
      label.append(make('span', '', value.label), make('small', '', value.count.toLocaleString('en-US')));
      label.classList.toggle('th-none', !value.count);
      values.appendChild(label);
    });
    box.appendChild(values);
    return box;
  }));
}
function showChips() {
  const nodes = [];
  Object.entries(state.chosen).forEach(([name, values]) => values.forEach((value) => {
    const known = titles[name] || { title: name, labels: {} };
    const chip = make('button', 'th-chip-button', known.title + ': ' + (known.labels[value] || value) + '  ✕');
    chip.type = 'button';
    chip.title = 'Take this filter away';
    chip.addEventListener('click', () => { state.chosen[name] = values.filter((other) => other !== value); refreshAll(); });
    nodes.push(chip);
  }));
  if (nodes.length > 1) {
    const all = make('button', 'th-chip-button th-chip-clear', 'Clear all filters');
    all.type = 'button';
    all.addEventListener('click', () => { state.chosen = {}; refreshAll(); });
    nodes.push(all);
  }
  chips.replaceChildren(...nodes);
  chips.hidden = !nodes.length;
}

// The address opens this view again; what to draw is added by the request beside it.
function publish() {
  const values = {};
  if (state.set !== 'gencolorbench') values.set = state.set;
  if (state.q) values.q = state.q;
  if (state.sort !== 'relevance') values.sort = state.sort;
  const chosen = Object.entries(state.chosen).flatMap(([name, list]) => list.map((value) => name + '=' + value));
  if (chosen.length) values.f = chosen.join('|');
  if (state.prompt) values.prompt = state.prompt;
  window.thBrowse = values;
  document.dispatchEvent(new CustomEvent('th-browse'));
}
async function restore() {
  const values = new URLSearchParams(location.search);
  if (values.get('tab') === 'generate') {
    state.set = values.get('set') || state.set;
    state.q = values.get('q') || '';
    const sort = values.get('sort') || 'relevance';
    state.sort = [...sortBox.options].some((option) => option.value === sort) ? sort : 'relevance';
    (values.get('f') || '').split('|').filter((part) => part.includes('=')).forEach((part) => {
      const at = part.indexOf('=');
      (state.chosen[part.slice(0, at)] ||= []).push(part.slice(at + 1));
    });
    state.prompt = values.get('prompt') || '';
  }
  search.value = state.q;
  sortBox.value = state.sort;
  empty.hidden = false;
  empty.textContent = 'Reading the prompts…';
  try { await loadSets(); } catch (error) { empty.textContent = error.message; return; }
  await refreshAll();
  if (state.prompt) {
    try {
      const found = await send('/api/prompts/resolve', { refs: [[state.set, state.prompt]], rule: window.thRule });
      if (found.rows.length) choose(found.rows[0]);
    } catch (error) { matches.textContent = error.message; }
  }
}

list.addEventListener('scroll', draw);
new ResizeObserver(draw).observe(list);
list.addEventListener('keydown', (event) => {
  if (!['ArrowDown', 'ArrowUp', 'PageDown', 'PageUp', 'Home', 'End', ' ', 'Enter'].includes(event.key) || !total) return;
  event.preventDefault();
  const row = rowAt(current);
  if (event.key === ' ') { if (row) basket.toggle(itemOf(row)); return; }
  if (event.key === 'Enter') { if (row) choose(row); return; }
  const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 12, PageUp: -12, Home: -total, End: total }[event.key];
  current = Math.min(total - 1, Math.max(0, current + step));
  if (current * ROW < list.scrollTop) list.scrollTop = current * ROW;
  if ((current + 1) * ROW > list.scrollTop + list.clientHeight) list.scrollTop = (current + 1) * ROW - list.clientHeight;
  list.setAttribute('aria-activedescendant', 'th-row-' + current);
  draw();
});
search.addEventListener('input', () => { state.q = search.value; soon(); });
sortBox.addEventListener('change', () => { state.sort = sortBox.value; refreshAll(); });
setBox.addEventListener('change', () => { state.set = setBox.value; state.chosen = {}; const set = sets.find((one) => one.id === state.set); setBox.title = set ? set.description : ''; refreshAll(); });
facetButton.addEventListener('click', () => { element.querySelector('.th-prompts').classList.toggle('th-show-facets'); });
addAll.addEventListener('click', async () => {
  addAll.disabled = true;
  try {
    const data = await ask('/api/prompts/matching?' + query(0));
    basket.add(data.items);
  } catch (error) { matches.textContent = error.message; }
  addAll.disabled = !total;
});
element.querySelector('.th-import-prompts').addEventListener('click', () => { document.dispatchEvent(new CustomEvent('th-import', { detail: { kind: 'prompts' } })); });
document.addEventListener('th-sets', async (event) => {
  if (event.detail && event.detail.open) { state.set = event.detail.open; state.chosen = {}; state.q = search.value = ''; }
  await loadSets();
  refreshAll();
});
document.addEventListener('th-rule', marked);
document.addEventListener('th-drawn', () => { if (element.offsetParent !== null) marked(); });
document.addEventListener('th-show', (event) => { Object.assign(state, { q: '', chosen: {} }, event.detail); search.value = state.q; setBox.value = state.set; refreshAll(); });
// New pictures change the marks of rows, not which rows are where, unless one filters by them.
let marking = null;
function marked() {
  clearTimeout(marking);
  marking = setTimeout(() => {
    if (state.chosen.drawn || state.chosen.verdict) { refreshAll(); return; }
    const keep = [...pages.keys()];
    pages = new Map();
    keep.slice(-3).forEach(fetchPage);
    draw();
  }, 600);
}
basket.watch(draw);
restore();
