// The prompt browser: search, facets with counts, all rows of a set in one list, and the basket.
// The rows are drawn only where they are seen; pages of them are fetched as one scrolls.
import { basket } from '../shared/basket.js';
import { arrange, make, many, put, swatches } from '../shared/dom.js';
import { ask, send } from '../shared/http.js';
import { rule } from '../shared/rule.js';
import { store } from '../shared/state.js';

const ROW = 44;
const PAGE = 100;

// Names come from addresses: without a prototype, no name is taken already.
function none() {
  return Object.create(null);
}

function itemOf(row) {
  return {
    source: row.source,
    id: row.id,
    text: row.text,
    task: row.task,
    hexes: row.targets.filter((t) => t.hex).map((t) => t.hex),
  };
}

const SELECTION = 'selection:';

/** @param {import('../shared/widget.js').Widget} widget */
export function mount({ element }) {
  const setBox = element.querySelector('.th-set');
  const search = element.querySelector('.th-search');
  const sortBox = element.querySelector('.th-sort');
  const chips = element.querySelector('.th-chips');
  const facetBox = element.querySelector('.th-facets');
  const list = element.querySelector('.th-list');
  const space = element.querySelector('.th-list-space');
  const matches = element.querySelector('.th-matches');
  const addAll = element.querySelector('.th-add-all');
  const empty = element.querySelector('.th-list-empty');
  const facetButton = element.querySelector('.th-facets-toggle');
  const removeButton = element.querySelector('.th-set-remove');
  const confirmBox = element.querySelector('.th-confirm');
  const state = { set: 'gencolorbench', q: '', sort: 'relevance', chosen: none(), prompt: '' };
  let total = 0;
  let pages = new Map();
  let current = -1;
  let asked = 0;
  let sets = [];
  const opened = new Set(['task', 'objects', 'system']);
  let waiting = null;

  function query(offset) {
    const values = new URLSearchParams({
      set: state.set,
      q: state.q,
      sort: state.sort,
      rule: rule(),
      offset: String(offset),
      limit: String(PAGE),
    });
    Object.entries(state.chosen).forEach(([name, chosen]) =>
      chosen.forEach((value) => values.append('f', name + '=' + value)),
    );
    return values;
  }

  async function loadSets() {
    const data = await ask('/api/prompts/sets');
    sets = data.sets;
    setBox.replaceChildren(
      ...sets.map((one) => {
        const option = make('option', '', one.title + ' · ' + one.count.toLocaleString('en-US'));
        option.value = one.id;
        return option;
      }),
    );
    if (data.selections.length) {
      const group = make('optgroup');
      group.label = 'Saved selections';
      data.selections.forEach((one) => {
        const option = make('option', '', one.name + ' · ' + one.count.toLocaleString('en-US'));
        option.value = 'selection:' + one.name;
        group.appendChild(option);
      });
      setBox.appendChild(group);
    }
    showSet();
  }
  function here() {
    return [...setBox.options].some((option) => option.value === state.set && !option.disabled);
  }
  function setName() {
    const set = sets.find((one) => one.id === state.set);
    return set
      ? set.title
      : state.set.startsWith(SELECTION)
        ? state.set.slice(SELECTION.length)
        : state.set;
  }
  // A set that a link names stays named where it is not here; another one is not shown in its place.
  function showSet() {
    [...setBox.options].filter((option) => option.disabled).forEach((option) => option.remove());
    if (!here()) {
      const option = new Option('Not here: ' + setName(), state.set);
      option.disabled = true;
      setBox.prepend(option);
    }
    setBox.value = state.set;
    const set = sets.find((one) => one.id === state.set);
    setBox.title = set ? set.description : '';
    removeButton.hidden = !here() || !(state.set.startsWith(SELECTION) || (set && set.imported));
  }
  function openSet(id) {
    state.set = id;
    state.chosen = none();
    groups.clear();
    showSet();
    refreshAll();
  }

  function nothing(text) {
    showSuggestions({ facets: [], instead: [] });
    list.setAttribute('aria-rowcount', '0');
    total = 0;
    pages = new Map();
    empty.hidden = false;
    empty.textContent = text;
    matches.textContent = '';
    addAll.textContent = 'Add all to the basket';
    addAll.disabled = true;
  }
  // ``stay``: what is on screen keeps its place until its rows arrive anew.
  async function refreshAll(stay) {
    const mine = ++asked;
    const from = stay === true ? visible()[0] : 0;
    if (!here()) {
      nothing(
        'There is no ' +
          (state.set.startsWith(SELECTION) ? 'selection' : 'set') +
          ' “' +
          setName() +
          '” here. Choose another one above.',
      );
      showFacets([]);
    } else
      try {
        const data = await ask('/api/prompts/search?' + query(from * PAGE));
        if (mine !== asked) return;
        total = data.total;
        if (stay === true) {
          keepVisible();
          visible().forEach((page) => {
            if (page !== from) fetchPage(page, true);
          });
        } else {
          pages = new Map();
          list.scrollTop = 0;
          current = -1;
        }
        pages.set(from, data.rows);
        showFacets(data.facets);
        showSuggestions(data.suggestions || {});
        list.setAttribute('aria-rowcount', String(total));
        matches.textContent =
          data.total === data.of
            ? many(data.of, 'prompt')
            : data.total.toLocaleString('en-US') + ' of ' + many(data.of, 'prompt');
        matches.title = 'Answered in ' + data.ms.toFixed(1) + ' ms';
        addAll.textContent =
          total === 1
            ? 'Add it to the basket'
            : 'Add all ' + total.toLocaleString('en-US') + ' to the basket';
        addAll.disabled = !total;
        empty.hidden = total > 0;
        empty.textContent = 'No prompt matches. Take a filter away, or search for fewer words.';
      } catch (error) {
        if (mine !== asked) return;
        nothing(error.message);
      }
    space.style.height = total * ROW + 'px';
    showChips();
    draw();
    publish();
  }
  function soon() {
    clearTimeout(waiting);
    waiting = setTimeout(refreshAll, 120);
  }

  // The pages of the list that are on screen.
  function visible() {
    const first = Math.floor(list.scrollTop / ROW / PAGE);
    const last = Math.floor((list.scrollTop + list.clientHeight) / ROW / PAGE);
    return [...new Set([first, last])];
  }
  function keepVisible() {
    const seen = visible();
    [...pages.keys()].forEach((page) => {
      if (!seen.includes(page)) pages.delete(page);
    });
  }
  // ``again``: the rows that are there stay until the new ones are.
  async function fetchPage(page, again) {
    if (pages.has(page) && again !== true) return;
    if (!pages.has(page)) pages.set(page, null);
    const mine = asked;
    try {
      const values = query(page * PAGE);
      values.set('facets', '0');
      const data = await ask('/api/prompts/search?' + values);
      if (mine !== asked) return;
      pages.set(page, data.rows);
      draw();
    } catch {
      if (!pages.get(page)) pages.delete(page);
    }
  }
  function rowAt(index) {
    const page = pages.get(Math.floor(index / PAGE));
    return page ? page[index % PAGE] : null;
  }

  function draw() {
    const first = Math.max(0, Math.floor(list.scrollTop / ROW) - 4);
    const last = Math.min(total, Math.ceil((list.scrollTop + list.clientHeight) / ROW) + 4);
    for (
      let page = Math.floor(first / PAGE);
      page <= Math.floor(Math.max(first, last - 1) / PAGE);
      page++
    )
      if (total) fetchPage(page);
    const nodes = [];
    const kept = new Map();
    for (let index = first; index < last; index++) {
      const row = rowAt(index);
      const name = row ? row.source + ' ' + row.id : '';
      const before = rows.get(index);
      const one = before && before.name === name ? before : rowNode(index, row, name);
      one.update(row);
      kept.set(index, one);
      nodes.push(one.node);
    }
    rows = kept;
    arrange(space, nodes);
  }
  let rows = new Map();
  function rowNode(index, first, name) {
    const node = make('div', 'th-row');
    node.style.top = index * ROW + 'px';
    node.id = 'th-row-' + index;
    if (!first) {
      node.appendChild(make('span', 'th-row-text th-soft', '…'));
      return { node, name, update() {} };
    }
    let row = first;
    node.setAttribute('role', 'row');
    node.setAttribute('aria-rowindex', String(index + 1));
    node.dataset.prompt = row.id;
    // The list has the keys; a press is the pointer's, with Shift for all between the last and this.
    const box = make('input');
    box.type = 'checkbox';
    box.tabIndex = -1;
    box.setAttribute('aria-label', 'In the basket: ' + row.text);
    box.addEventListener('mousedown', (event) => {
      event.preventDefault();
      list.focus({ preventScroll: true });
    });
    box.addEventListener('click', (event) => {
      event.stopPropagation();
      take(index, row, event.shiftKey);
    });
    const text = make('span', 'th-row-text', row.text);
    text.title = row.text;
    const about = make(
      'small',
      'th-row-about',
      [row.task_title, row.system.toUpperCase(), row.id].filter(Boolean).join(' · '),
    );
    const words = make('span', 'th-row-words');
    words.append(text, about);
    const drawn = make('small', 'th-row-state');
    const tick = make('span', 'th-row-cell');
    const rest = make('span', 'th-row-cell th-row-rest');
    [tick, rest].forEach((cell) => cell.setAttribute('role', 'gridcell'));
    tick.appendChild(box);
    rest.append(swatches(row.targets.filter((t) => t.hex).map((t) => t.hex)), words, drawn);
    node.append(tick, rest);
    node.addEventListener('click', () => {
      current = index;
      list.setAttribute('aria-activedescendant', node.id);
      choose(row);
    });
    return {
      node,
      name,
      update(now) {
        row = now;
        const held = basket.has(row);
        if (box.checked !== held) box.checked = held;
        node.setAttribute('aria-selected', String(row.id === state.prompt));
        node.classList.toggle('th-row-current', index === current);
        put(
          drawn,
          row.verdict
            ? { pass: '✓ pass', fail: '✕ fail', unscored: '– unscored' }[row.verdict]
            : row.drawn
              ? many(row.drawn, 'image')
              : '',
        );
      },
    };
  }
  // In or out of the basket; with ``range`` as the last one, all rows between.
  let lastTaken = -1;
  async function take(index, row, range) {
    const from = lastTaken;
    lastTaken = index;
    current = index;
    if (!range || from < 0 || from === index) {
      basket.toggle(itemOf(row));
      return;
    }
    const first = Math.min(from, index);
    const last = Math.max(from, index);
    const mine = asked;
    for (let page = Math.floor(first / PAGE); page <= Math.floor(last / PAGE); page++)
      if (!pages.get(page)) await fetchPage(page, true);
    if (mine !== asked) return;
    const items = [];
    for (let at = first; at <= last; at++) {
      const one = rowAt(at);
      if (one) items.push(itemOf(one));
    }
    if (basket.has(itemOf(row))) basket.drop(items);
    else basket.add(items);
    draw();
  }
  // ``restored``: by a link, not by a click.
  function choose(row, restored) {
    state.prompt = row.id;
    const item = { ...itemOf(row), targets: row.targets };
    store.set('chosen', item, { restored: restored === true });
    draw();
    publish();
  }

  let titles = new Map();
  const groups = new Map();
  function showFacets(facets) {
    titles = new Map(
      facets.map((facet) => [
        facet.name,
        {
          title: facet.title,
          labels: new Map(facet.values.map((value) => [value.value, value.label])),
        },
      ]),
    );
    const shown = facets.filter(
      (facet) => facet.values.length > 1 || (state.chosen[facet.name] || []).length,
    );
    const scrolled = facetBox.scrollTop;
    arrange(
      facetBox,
      shown.map((facet) => {
        if (!groups.has(facet.name)) groups.set(facet.name, facetGroup(facet));
        return groups.get(facet.name).box;
      }),
    );
    shown.forEach((facet) => groups.get(facet.name).update(facet));
    facetBox.scrollTop = scrolled;
  }
  // One group of filters; it stays the same box while its values and their counts change.
  function facetGroup({ name, title }) {
    const box = make('details', 'th-facet');
    const head = make('summary', '', title);
    const number = make('b');
    const find = make('input', 'th-facet-find');
    const values = make('div', 'th-facet-values');
    const labels = new Map();
    let before = 0;
    box.dataset.facet = name;
    box.open = opened.has(name);
    box.addEventListener('toggle', () => {
      if (box.open) opened.add(name);
      else opened.delete(name);
    });
    head.appendChild(number);
    find.type = 'search';
    find.setAttribute('aria-label', 'Find in ' + title);
    find.addEventListener('input', narrow);
    box.append(head, find, values);
    function narrow() {
      const wanted = find.value.trim().toLowerCase();
      labels.forEach(({ label }) => {
        label.hidden = !label.textContent.toLowerCase().includes(wanted);
      });
    }
    function one(value) {
      const label = make('label');
      const tick = make('input');
      const count = make('small');
      tick.type = 'checkbox';
      tick.addEventListener('change', () => {
        const now = new Set(state.chosen[name] || []);
        if (tick.checked) now.add(value.value);
        else now.delete(value.value);
        state.chosen[name] = [...now];
        refreshAll();
      });
      label.append(tick);
      if (value.hex) label.append(swatches([value.hex]));
      label.append(make('span', '', value.label), count);
      return { label, tick, count };
    }
    function update(facet) {
      const chosen = state.chosen[name] || [];
      const scrolled = values.scrollTop;
      if (chosen.length && !before) box.open = true;
      before = chosen.length;
      put(number, chosen.length ? String(chosen.length) : '');
      number.hidden = !chosen.length;
      find.hidden = facet.values.length <= 12 && !find.value;
      find.placeholder = 'Find among ' + facet.values.length;
      const now = facet.values.map((value) => {
        if (!labels.has(value.value)) labels.set(value.value, one(value));
        const { label, tick, count } = labels.get(value.value);
        tick.checked = chosen.includes(value.value);
        put(count, value.count.toLocaleString('en-US'));
        label.classList.toggle('th-none', !value.count);
        return label;
      });
      arrange(values, now);
      narrow();
      values.scrollTop = scrolled;
    }
    return { box, update };
  }
  // What the words may mean beside themselves: filters, and words that are written so.
  const suggest = element.querySelector('.th-suggest');
  function showSuggestions({ instead, facets }) {
    const nodes = [];
    function offer(text, title, press) {
      const button = make('button', 'th-suggest-button', text);
      button.type = 'button';
      button.title = title;
      button.addEventListener('click', press);
      nodes.push(button);
    }
    if (instead) {
      nodes.push(make('span', '', 'Did you mean'));
      offer('“' + instead + '”', 'Search for this instead', () => {
        state.q = search.value = instead;
        refreshAll();
      });
    }
    if ((facets || []).length)
      nodes.push(make('span', '', nodes.length ? 'or the filter' : 'As a filter'));
    (facets || []).forEach((one) =>
      offer(
        one.title + ': ' + one.label + ' (' + one.count.toLocaleString('en-US') + ')',
        'Tick this filter, and search for the other words',
        () => {
          state.chosen[one.facet] = [...new Set([...(state.chosen[one.facet] || []), one.value])];
          state.q = search.value = one.rest;
          refreshAll();
        },
      ),
    );
    suggest.replaceChildren(...nodes);
    suggest.hidden = !nodes.length;
  }
  function showChips() {
    const nodes = [];
    Object.entries(state.chosen).forEach(([name, values]) =>
      values.forEach((value) => {
        const known = titles.get(name) || { title: name, labels: new Map() };
        const chip = make(
          'button',
          'th-chip-button',
          known.title + ': ' + (known.labels.get(value) || value) + '  ✕',
        );
        chip.type = 'button';
        chip.title = 'Take this filter away';
        chip.addEventListener('click', () => {
          state.chosen[name] = values.filter((other) => other !== value);
          refreshAll();
        });
        nodes.push(chip);
      }),
    );
    if (nodes.length > 1) {
      const all = make('button', 'th-chip-button th-chip-clear', 'Clear all filters');
      all.type = 'button';
      all.addEventListener('click', () => {
        state.chosen = none();
        refreshAll();
      });
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
    const chosen = Object.entries(state.chosen).flatMap(([name, list]) =>
      list.map((value) => name + '=' + value),
    );
    if (chosen.length) values.f = chosen;
    if (state.prompt) values.prompt = state.prompt;
    store.set('browse', values);
    store.tell('browse');
  }
  async function restore() {
    const values = new URLSearchParams(location.search);
    if (values.get('tab') === 'generate') {
      state.set = values.get('set') || state.set;
      state.q = values.get('q') || '';
      const sort = values.get('sort') || 'relevance';
      state.sort = [...sortBox.options].some((option) => option.value === sort)
        ? sort
        : 'relevance';
      // Links once held all filters in one f, joined by |, which a value may hold itself.
      const given = values.getAll('f');
      const parts = given.length === 1 ? given[0].split('|') : given;
      (parts.every((part) => /^\w+=/.test(part)) ? parts : given)
        .filter((part) => part.includes('='))
        .forEach((part) => {
          const at = part.indexOf('=');
          (state.chosen[part.slice(0, at)] ||= []).push(part.slice(at + 1));
        });
      state.prompt = values.get('prompt') || '';
    }
    search.value = state.q;
    sortBox.value = state.sort;
    empty.hidden = false;
    empty.textContent = 'Reading the prompts…';
    try {
      await loadSets();
    } catch (error) {
      empty.textContent = error.message;
      return;
    }
    await refreshAll();
    if (state.prompt) {
      try {
        const found = await send('/api/prompts/resolve', {
          refs: [[state.set, state.prompt]],
          rule: rule(),
        });
        if (found.rows.length) choose(found.rows[0], true);
      } catch (error) {
        matches.textContent = error.message;
      }
    }
  }

  list.addEventListener('scroll', draw);
  new ResizeObserver(draw).observe(list);
  list.addEventListener('keydown', (event) => {
    if (
      !['ArrowDown', 'ArrowUp', 'PageDown', 'PageUp', 'Home', 'End', ' ', 'Enter'].includes(
        event.key,
      ) ||
      !total
    )
      return;
    event.preventDefault();
    const row = rowAt(current);
    if (event.key === ' ') {
      if (row) take(current, row, event.shiftKey);
      return;
    }
    if (event.key === 'Enter') {
      if (row) choose(row);
      return;
    }
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 12, PageUp: -12, Home: -total, End: total }[
      event.key
    ];
    current = Math.min(total - 1, Math.max(0, current + step));
    if (current * ROW < list.scrollTop) list.scrollTop = current * ROW;
    if ((current + 1) * ROW > list.scrollTop + list.clientHeight)
      list.scrollTop = (current + 1) * ROW - list.clientHeight;
    list.setAttribute('aria-activedescendant', 'th-row-' + current);
    draw();
  });
  search.addEventListener('input', () => {
    state.q = search.value;
    soon();
  });
  sortBox.addEventListener('change', () => {
    state.sort = sortBox.value;
    refreshAll();
  });
  setBox.addEventListener('change', () => openSet(setBox.value));
  facetButton.addEventListener('click', () => {
    facetButton.setAttribute(
      'aria-expanded',
      String(element.querySelector('.th-prompts').classList.toggle('th-show-facets')),
    );
  });
  removeButton.addEventListener('click', () => {
    const saved = state.set.startsWith(SELECTION);
    confirmBox.querySelector('b').textContent = 'Remove “' + setName() + '”?';
    confirmBox.querySelector('p').textContent = saved
      ? 'The selection leaves the list of sets. Its prompts and their pictures stay.'
      : 'The imported set leaves the list, and its prompts can no longer be found or drawn. Pictures that were drawn of them stay.';
    confirmBox.querySelector('.th-problem').hidden = true;
    confirmBox.showModal();
  });
  confirmBox.querySelector('.th-confirm-no').addEventListener('click', () => confirmBox.close());
  confirmBox.querySelector('.th-confirm-yes').addEventListener('click', async () => {
    const yes = confirmBox.querySelector('.th-confirm-yes');
    const problem = confirmBox.querySelector('.th-problem');
    const id = state.set;
    yes.disabled = true;
    try {
      if (id.startsWith(SELECTION))
        await send('/api/selections/remove', { name: id.slice(SELECTION.length) });
      else await send('/api/prompts/sets/hide', { set_id: id });
      confirmBox.close();
      setBox.focus();
      store.tell('sets', { open: sets[0].id });
    } catch (error) {
      problem.textContent = error.message;
      problem.hidden = false;
    }
    yes.disabled = false;
  });
  addAll.addEventListener('click', async () => {
    addAll.disabled = true;
    try {
      const data = await ask('/api/prompts/matching?' + query(0));
      basket.add(data.items);
    } catch (error) {
      matches.textContent = error.message;
    }
    addAll.disabled = !total;
  });
  element.querySelector('.th-import-prompts').addEventListener('click', () => {
    store.tell('import', { kind: 'prompts' });
  });
  store.subscribe('sets', async (detail) => {
    const open = detail && detail.open;
    try {
      await loadSets();
    } catch (error) {
      matches.textContent = error.message;
      return;
    }
    if (!open) {
      refreshAll(true);
      return;
    }
    state.q = search.value = '';
    openSet(open);
  });
  store.subscribe('rule', marked);
  store.subscribe('drawn', () => {
    if (element.offsetParent !== null) marked();
  });
  store.subscribe('show', (detail) => {
    const { set, chosen, ...rest } = detail;
    Object.assign(state, { q: '' }, rest);
    search.value = state.q;
    state.set = set || state.set;
    state.chosen = Object.assign(none(), chosen);
    groups.clear();
    showSet();
    refreshAll();
  });
  // New pictures change the marks of rows, not which rows are where, unless one filters by them.
  // Rows on screen keep their place and words until the new ones are here.
  let marking = null;
  function marked() {
    if (marking) return;
    marking = setTimeout(() => {
      marking = null;
      if (state.chosen.drawn || state.chosen.verdict) {
        refreshAll(true);
        return;
      }
      keepVisible();
      visible()
        .filter((page) => page * PAGE < total)
        .forEach((page) => fetchPage(page, true));
    }, 600);
  }
  basket.watch(draw);
  restore();
}
