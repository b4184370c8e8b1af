// The prompt browser: search, facets with counts, all rows of a set in one list, and the basket.
import { basket } from '../shared/basket.js';
import { many } from '../shared/dom.js';
import { ask, send } from '../shared/http.js';
import { rule } from '../shared/rule.js';
import { store } from '../shared/state.js';
import { showChips, showSuggestions } from './prompt_chips.js';
import { promptFacets } from './prompt_facets.js';
import { PAGE, itemOf, promptRows } from './prompt_rows.js';
import { promptSets } from './prompt_sets.js';

// Names come from addresses: without a prototype, no name is taken already.
function none() {
  return Object.create(null);
}

/** @param {import('../shared/widget.js').Widget} widget */
export function mount({ element }) {
  const search = element.querySelector('.th-search');
  const sortBox = element.querySelector('.th-sort');
  const matches = element.querySelector('.th-matches');
  const addAll = element.querySelector('.th-add-all');
  const empty = element.querySelector('.th-list-empty');
  const facetButton = element.querySelector('.th-facets-toggle');
  const state = { set: 'gencolorbench', q: '', sort: 'relevance', chosen: none(), prompt: '' };
  let facets = [];
  let total = 0;
  let request = 0;
  let waiting = null;

  const sets = promptSets(element, { now: () => state.set, open: openSet });
  const filters = promptFacets(element.querySelector('.th-facets'), {
    chosen: (name) => state.chosen[name] || [],
    choose: filterBy,
  });
  const rows = promptRows(element.querySelector('.th-list'), {
    question: () => request,
    async rowsOf(page) {
      const values = query(page * PAGE);
      values.set('facets', '0');
      return (await ask(`/api/prompts/search?${values}`)).rows;
    },
    isChosen: (row) => row.id === state.prompt,
    choose: (row) => choosePrompt(row, false),
  });

  // ── questions ──────────────────────────────────────────────────────────────────────────────
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
  function openSet(id) {
    state.set = id;
    state.chosen = none();
    filters.forget();
    sets.show();
    refresh();
  }
  function filterBy(name, values) {
    state.chosen[name] = values;
    refresh();
  }
  // ``stay``: what is on screen keeps its place until its rows arrive anew.
  async function refresh(stay = false) {
    const mine = ++request;
    const first = stay ? rows.firstPage() : 0;
    const absence = sets.absence();
    if (absence) {
      nothing(absence);
      showFacets([]);
    } else
      try {
        const data = await ask(`/api/prompts/search?${query(first * PAGE)}`);
        if (mine !== request) return;
        total = data.total;
        if (stay) rows.renew(total, first, data.rows);
        else rows.fill(total, data.rows);
        showFacets(data.facets);
        suggest(data.suggestions || {});
        matches.textContent =
          data.total === data.of
            ? many(data.of, 'prompt')
            : data.total.toLocaleString('en-US') + ' of ' + many(data.of, 'prompt');
        matches.title = 'Found in ' + data.ms.toFixed(1) + ' ms';
        addAll.textContent =
          total === 1
            ? 'Add it to the selection'
            : 'Add all ' + total.toLocaleString('en-US') + ' to the selection';
        addAll.disabled = !total;
        empty.hidden = total > 0;
        empty.textContent = 'No prompt matches. Remove a filter, or search for fewer words.';
      } catch (error) {
        if (mine !== request) return;
        nothing(error.message);
      }
    showChips(element.querySelector('.th-chips'), state.chosen, facets, {
      choose: filterBy,
      clear() {
        state.chosen = none();
        refresh();
      },
    });
    rows.layOut();
    publish();
  }
  function nothing(text) {
    suggest({ facets: [] });
    total = 0;
    rows.clear();
    empty.hidden = false;
    empty.textContent = text;
    matches.textContent = '';
    addAll.textContent = 'Add all to the selection';
    addAll.disabled = true;
  }
  function showFacets(list) {
    facets = list;
    filters.draw(facets);
  }
  function suggest(result) {
    showSuggestions(element.querySelector('.th-suggest'), result, {
      search(text) {
        state.q = search.value = text;
        refresh();
      },
      filter(name, value, rest) {
        state.chosen[name] = [...new Set([...(state.chosen[name] || []), value])];
        state.q = search.value = rest;
        refresh();
      },
    });
  }
  // The prompt that is drawn next; ``restored``: by a link, not by a click.
  function choosePrompt(row, restored) {
    state.prompt = row.id;
    store.set('chosen', { ...itemOf(row), targets: row.targets }, { restored });
    rows.draw();
    publish();
  }

  // ── the link ───────────────────────────────────────────────────────────────────────────────
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
      const provided = values.getAll('f');
      const parts = provided.length === 1 ? provided[0].split('|') : provided;
      (parts.every((part) => /^\w+=/.test(part)) ? parts : provided)
        .filter((part) => part.includes('='))
        .forEach((part) => {
          const index = part.indexOf('=');
          (state.chosen[part.slice(0, index)] ||= []).push(part.slice(index + 1));
        });
      state.prompt = values.get('prompt') || '';
    }
    search.value = state.q;
    sortBox.value = state.sort;
    empty.hidden = false;
    empty.textContent = 'Reading the prompts…';
    try {
      await sets.load();
    } catch (error) {
      empty.textContent = error.message;
      return;
    }
    await refresh();
    if (state.prompt) {
      try {
        const result = await send('/api/prompts/resolve', {
          refs: [[state.set, state.prompt]],
          rule: rule(),
        });
        if (result.rows.length) choosePrompt(result.rows[0], true);
      } catch (error) {
        matches.textContent = error.message;
      }
    }
  }

  // ── hands ──────────────────────────────────────────────────────────────────────────────────
  search.addEventListener('input', () => {
    state.q = search.value;
    clearTimeout(waiting);
    waiting = setTimeout(refresh, 120);
  });
  sortBox.addEventListener('change', () => {
    state.sort = sortBox.value;
    refresh();
  });
  facetButton.addEventListener('click', () => {
    facetButton.setAttribute(
      'aria-expanded',
      String(element.querySelector('.th-prompts').classList.toggle('th-show-facets')),
    );
  });
  addAll.addEventListener('click', async () => {
    addAll.disabled = true;
    try {
      const data = await ask(`/api/prompts/matching?${query(0)}`);
      basket.add(data.items);
    } catch (error) {
      matches.textContent = error.message;
    }
    addAll.disabled = !total;
  });
  element.querySelector('.th-import-prompts').addEventListener('click', () => {
    store.tell('import', { kind: 'prompts' });
  });

  // ── news ───────────────────────────────────────────────────────────────────────────────────
  store.subscribe('sets', async (detail) => {
    const open = detail && detail.open;
    try {
      await sets.load();
    } catch (error) {
      matches.textContent = error.message;
      return;
    }
    if (!open) {
      refresh(true);
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
    filters.forget();
    sets.show();
    refresh();
  });
  // New images change the marks of rows, not which rows are where, unless one filters by them.
  // Rows on screen keep their place and words until the new ones are here.
  let marking = null;
  function marked() {
    if (marking) return;
    marking = setTimeout(() => {
      marking = null;
      if (state.chosen.drawn || state.chosen.verdict) refresh(true);
      else rows.mark();
    }, 600);
  }
  restore();
}
