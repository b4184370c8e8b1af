// The wall: filters, pictures in a grid that the arrow keys go through, the large view, and two runs
// side by side.
import { make, many, options, put } from '../shared/dom.js';
import { ask } from '../shared/http.js';
import { places } from '../shared/links.js';
import { opener } from '../shared/opening.js';
import { store } from '../shared/state.js';
import { linkedAnalyses } from './analyses.js';
import { openInInspect, spoken, wallCard } from './card.js';
import { filterBar } from './filter_bar.js';
import { addressOfWall, otherRule, publishSlice, sliceQuery } from './filters.js';
import { largeView } from './large.js';
import { pairsView } from './pairs.js';
import { explore, onBack, restored } from './view.js';

/** @param {import('../shared/widget.js').Widget} widget */
export function mount(widget) {
  const { element } = widget;
  const openPicture = opener(widget);
  const wallRoot = element.querySelector('.th-wall');
  const find = (name) => wallRoot.querySelector(name);
  linkedAnalyses(find('.th-analyses'));
  const SORTS = [
    { id: 'delta_e00', name: 'ΔE00, largest first' },
    { id: 'delta_e00-up', name: 'ΔE00, smallest first' },
    { id: 'misfit', name: 'Misfit, largest first' },
    { id: 'prompt', name: 'In order of the prompts' },
    { id: 'recent', name: 'Latest first' },
  ];
  const BY_ITSELF = 600;
  const MOST_PAGES = 10;
  const MOST_WAITS = 15;
  const linked = restored('wall');
  const fresh = find('.th-wall-fresh');
  const grid = find('.th-wall-grid');
  const more = find('.th-wall-more');
  const count = find('.th-wall-count');
  const empty = find('.th-wall-empty');
  const list = find('.th-wall-list');
  let sort = SORTS.some((one) => one.id === linked.get('sort')) ? linked.get('sort') : SORTS[0].id;
  let items = [];
  let nodes = [];
  let total = null;
  let next = '';
  let asked = 0;
  let loading = null;
  let loaded = '';
  let stale = true;
  let current = 0;
  let waited = 0;

  // ── questions ──────────────────────────────────────────────────────────────────────────────
  function query(after) {
    const values = new URLSearchParams(sliceQuery());
    values.set('sort', sort);
    if (after) values.set('after', after);
    return '/api/explore/wall?' + values;
  }
  // Only the newest question counts: whoever filters twice sees the second answer.
  async function load() {
    const mine = ++asked;
    const first = !loaded;
    stale = false;
    loading = null;
    list.setAttribute('aria-busy', 'true');
    if (first) skeleton();
    try {
      const answer = await ask(query(''));
      if (mine !== asked) return;
      items = [];
      nodes = [];
      current = 0;
      grid.replaceChildren();
      loaded = 'yes';
      waited = 0;
      place(answer);
      list.removeAttribute('aria-busy');
      numbers(mine);
      await comeBack(mine);
    } catch (error) {
      if (mine !== asked || otherRule(error)) return;
      // A run that has just been drawn is put into storage within seconds.
      if (error.message.startsWith('No run is stored') && waited < MOST_WAITS) {
        waited += 1;
        tell('The pictures of this run are being stored…');
        setTimeout(() => {
          if (mine === asked && seenNow()) load();
        }, 1000);
        return;
      }
      list.removeAttribute('aria-busy');
      grid.replaceChildren();
      items = [];
      nodes = [];
      next = '';
      stale = true;
      more.hidden = true;
      put(count, 'Pictures');
      tell('The pictures cannot be shown. ' + error.message);
    }
  }
  function further() {
    if (!next || loading) return loading || Promise.resolve();
    const mine = asked;
    more.setAttribute('aria-disabled', 'true');
    loading = (async () => {
      try {
        const answer = await ask(query(next));
        if (mine === asked) place(answer);
      } catch (error) {
        if (mine === asked) tell('No more can be shown. ' + error.message);
      }
      if (mine === asked) {
        loading = null;
        more.setAttribute('aria-disabled', 'false');
      }
    })();
    return loading;
  }
  // The counts of all choices take longer than a page of pictures, and come after it.
  async function numbers(mine) {
    try {
      const answer = await ask('/api/explore/wall/facets?' + sliceQuery());
      if (mine !== asked) return;
      total = answer.total;
      fresh.hidden = true;
      bar.update(answer);
      tally();
    } catch (error) {
      if (mine === asked) put(count, 'Pictures: the counts cannot be shown. ' + error.message);
    }
  }
  function skeleton() {
    grid.replaceChildren(
      ...Array.from({ length: 12 }, () => {
        const node = make('div', 'th-wall-card th-wall-blank');
        node.append(make('div', 'th-wall-picture'));
        return node;
      }),
    );
    put(count, 'Pictures');
    tell('');
  }
  function tally() {
    put(count, total === null ? 'Pictures' : many(total, 'picture'));
    nodes.forEach((node, index) => {
      node.setAttribute('aria-posinset', String(index + 1));
      node.setAttribute('aria-setsize', String(total === null ? -1 : total));
    });
  }
  function tell(words) {
    put(empty, words);
    empty.hidden = !words;
  }
  function place(answer) {
    const made = answer.items.map((one) => wallCard(one));
    made.forEach((node, index) => {
      const at = items.length + index;
      node.addEventListener('click', () => {
        focusCard(at);
        open(at);
      });
    });
    items.push(...answer.items);
    nodes.push(...made);
    grid.append(...made);
    next = answer.next;
    more.hidden = !next;
    if (nodes.length) mark(current);
    tell(items.length ? explore.ruleProblem || '' : nothing(answer));
    tally();
  }
  function nothing(answer) {
    if (!answer.runs)
      return 'No run has results yet. Start one in Runs: its pictures appear here while they are drawn.';
    const status = { fail: 'fails', unscored: 'is unscored', pass: 'passes', '': 'is here' }[
      explore.slice.status
    ];
    return bar.inUse()
      ? 'Nothing ' +
          status +
          ' under these filters. Remove a filter above, or choose another status.'
      : 'Nothing ' + status + ' by this rule. Choose another status or rule.';
  }

  // ── the keyboard ───────────────────────────────────────────────────────────────────────────
  function mark(at) {
    nodes.forEach((node, index) => {
      const on = index === at;
      if (on !== (node.tabIndex === 0)) {
        node.tabIndex = on ? 0 : -1;
        if (on) node.setAttribute('aria-current', 'true');
        else node.removeAttribute('aria-current');
      }
    });
    current = at;
    if (items[at] && seenNow()) places.note({ picture: nameOf(items[at]) });
  }
  function focusCard(at) {
    mark(at);
    nodes[at].focus({ preventScroll: true });
    nodes[at].scrollIntoView({ block: 'nearest' });
  }
  async function go(to) {
    if (to >= nodes.length && next) await further();
    if (!nodes.length) return;
    focusCard(Math.max(0, Math.min(to, nodes.length - 1)));
  }
  function columns() {
    const top = nodes[0].offsetTop;
    const second = nodes.findIndex((node) => node.offsetTop > top);
    return second < 0 ? nodes.length : second;
  }
  function open(at) {
    if (items[at]) {
      current = at;
      light.open(items[at]);
    }
  }
  // ── places to come back to ─────────────────────────────────────────────────────────────────
  const nameOf = (one) => one.run_id + '.' + one.position;
  const isNamed = (name) => (one) => nameOf(one) === name;
  // The picture of an address, also where it is not among the first.
  async function indexOfName(name, mine) {
    for (let pages = 0; items.findIndex(isNamed(name)) < 0 && next && pages < MOST_PAGES; pages++) {
      await further();
      if (mine !== asked) return -1;
    }
    return items.findIndex(isNamed(name));
  }
  // After the pictures have come in: the one that was selected here, or the first one of a number
  // that was clicked, or the one that the address shows large.
  let wanted = {
    picture: places.memo().picture || '',
    large: linked.get('large') || '',
    focus: false,
  };
  async function comeBack(mine) {
    const { picture, focus } = wanted;
    const large = wanted.large || explore.openLarge || '';
    const first = explore.toPictures;
    explore.openLarge = '';
    wanted = { picture: '', large: '', focus: false };
    explore.toPictures = false;
    const name = large || (first ? '' : picture);
    const at = name ? await indexOfName(name, mine) : -1;
    if (mine !== asked || !nodes.length) return;
    if (large && at < 0) {
      tell('The picture of this link is not among these: its filters or its verdict have changed.');
      publish();
    }
    if (at >= 0) mark(at);
    if (first || (focus && at >= 0)) {
      nodes[current].focus({ preventScroll: true });
      nodes[current].scrollIntoView({ block: 'nearest' });
    }
    if (large && at >= 0) open(at);
  }
  onBack('wall', (query, memo) => {
    const back = query.get('sort') || SORTS[0].id;
    const large = query.get('large') || '';
    const same = back === sort;
    if (!same) {
      sort = back;
      sorts.value = sort;
      stale = true;
    }
    explore.wallLink = Object.fromEntries(
      ['sort', 'large', 'mode', 'a', 'b', 'cell', 'at'].map((name) => [
        name,
        query.get(name) || '',
      ]),
    );
    if (light.isOpen()) light.close();
    if (query.get('mode') === 'compare') {
      list.hidden = true;
      pairs.open({
        a: query.get('a') || '',
        b: query.get('b') || '',
        cell: query.get('cell') || '',
        at: query.get('at') || '',
      });
      return;
    }
    if (pairs.isOpen()) {
      pairs.close();
      list.hidden = false;
    }
    wanted = { picture: memo.picture || '', large, focus: true };
    // Where nothing has changed since, the pictures stand as they stood.
    setTimeout(() => {
      if (stale || !loaded || list.getAttribute('aria-busy')) {
        if (stale && seenNow()) load();
        return;
      }
      if (current >= 0 && items[current] && !large) wanted.picture = nameOf(items[current]);
      comeBack(asked);
    });
  });
  store.subscribe('settled', () => {
    if (seenNow() && nodes[current] === document.activeElement)
      nodes[current].scrollIntoView({ block: 'nearest' });
  });
  // The row of pictures in Inspect goes on here: back on the wall, its picture is the selected one.
  store.subscribe('film-at', (detail) => {
    const at = items.findIndex(isNamed(detail.name));
    if (at >= 0) mark(at);
  });
  grid.addEventListener('keydown', (event) => {
    if (!nodes.length || event.ctrlKey || event.metaKey || event.altKey) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const act = {
      ArrowRight: () => go(current + 1),
      j: () => go(current + 1),
      ArrowLeft: () => go(current - 1),
      k: () => go(current - 1),
      ArrowDown: () => go(current + columns()),
      ArrowUp: () => go(current - columns() < 0 ? current : current - columns()),
      Home: () => go(0),
      End: () => go(nodes.length - 1),
      Enter: () => open(current),
      ' ': () => open(current),
      i: () => inspect(items[current]),
      c: () => compare(items[current]),
      '?': keys,
    }[key];
    if (act) {
      event.preventDefault();
      act();
    }
  });
  const help = find('.th-keys');
  function keys() {
    if (!help.childElementCount) {
      const table = make('table', 'th-table');
      const body = make('tbody');
      const done = make('button', 'th-button', 'Close');
      [
        ['← → ↑ ↓, J, K', 'Go from picture to picture'],
        ['Enter', 'Open the large view'],
        ['← →', 'In it: the picture before and after'],
        ['+ − 0 1', 'Zoom in, out, the whole picture, one pixel for one'],
        ['M', 'In the large view: the mask'],
        ['A, D', 'In the large view: I agree, I disagree with the verdict'],
        ['I', 'Open in Inspect by this rule'],
        ['C', 'Compare with another run'],
        ['Esc', 'Close, and back to where you were'],
        ['?', 'These keys'],
      ].forEach(([name, what]) => {
        const row = make('tr');
        const head = make('th', 'th-row-name');
        head.append(make('kbd', '', name));
        row.append(head, make('td', '', what));
        body.append(row);
      });
      table.append(body);
      done.type = 'button';
      done.addEventListener('click', () => help.close());
      help.append(make('h3', '', 'Keys'), table, done);
    }
    if (!help.open) help.showModal();
  }
  find('.th-wall-help').addEventListener('click', keys);
  help.addEventListener('click', (event) => {
    if (event.target === help) help.close();
  });

  // ── the large view and the pairs ───────────────────────────────────────────────────────────
  const light = largeView(find('.th-light'), {
    has: (one, by) => {
      const at = items.indexOf(one) + by;
      return at >= 0 && (at < items.length || Boolean(next));
    },
    async neighbor(one, by) {
      const at = items.indexOf(one) + by;
      if (at >= items.length && next) await further();
      return at >= 0 ? items[at] : null;
    },
    shown(one) {
      const at = items.indexOf(one);
      if (at >= 0) mark(at);
      explore.wallLink = { ...explore.wallLink, large: nameOf(one) };
      explore.largeWords = spoken(one);
      publishSlice();
    },
    // Who goes on from the large view comes back to it; who closes it is on the wall again.
    closed(one, goesOn) {
      explore.wallLink = { ...explore.wallLink, large: '' };
      if (goesOn) return;
      if (nodes[current] && !pairs.isOpen()) focusCard(current);
      places.close(addressOfWall());
    },
    compare,
    keys,
    inspect,
  });
  // In Inspect, the row of pictures that one came through goes on.
  function inspect(one) {
    if (!one.image_id) return;
    store.set('film', { query: query('').split('?')[1], name: nameOf(one) });
    openInInspect(one, openPicture);
  }
  const pairs = pairsView(find('.th-compare'), { leave: leaveCompare, openPicture });
  function compare(one) {
    list.hidden = true;
    const [first, second] = explore.slice.runs;
    const a = one ? one.run_id : first || '';
    const b = [first, second].find((run) => run && run !== a) || '';
    pairs.open({ a, b, ...(one ? { at: String(one.position) } : {}) });
    // Its counts, those of the filters and the figures are of one age.
    numbersSoon();
    store.tell('fresh');
    find('.th-compare').scrollIntoView({ block: 'nearest' });
  }
  function leaveCompare() {
    pairs.close();
    list.hidden = false;
    explore.wallLink = { sort: sort === SORTS[0].id ? '' : sort };
    places.close(addressOfWall());
    if (stale || !loaded)
      load().then(() => find('.th-wall-compare').focus({ preventScroll: true }));
    else if (nodes[current]) focusCard(current);
  }
  find('.th-wall-compare').addEventListener('click', () => compare(null));

  // ── the whole ──────────────────────────────────────────────────────────────────────────────
  function publish() {
    explore.wallLink = { sort: sort === SORTS[0].id ? '' : sort };
    publishSlice();
  }
  const bar = filterBar(find('.th-wall-bar'), find('.th-wall-sectors'), find('.th-wall-chips'));
  const sorts = find('.th-wall-sort select');
  options(sorts, SORTS, sort);
  sorts.addEventListener('change', () => {
    sort = sorts.value;
    publish();
    load();
  });
  more.addEventListener('click', further);
  new IntersectionObserver(
    (seen) => {
      if (seen.some((entry) => entry.isIntersecting) && items.length < BY_ITSELF) further();
    },
    { rootMargin: '700px' },
  ).observe(more);
  // On a narrow page figures and pictures take turns.
  const parts = [...wallRoot.querySelectorAll('[data-part]')];
  function part(name) {
    wallRoot.dataset.part = name;
    parts.forEach((button) =>
      button.setAttribute('aria-pressed', String(button.dataset.part === name)),
    );
    window.dispatchEvent(new Event('resize'));
  }
  parts.forEach((button) => button.addEventListener('click', () => part(button.dataset.part)));
  part('pictures');

  const seenNow = () => !wallRoot.hidden && element.offsetParent !== null;
  store.subscribe('slice', (detail) => {
    bar.draw();
    stale = true;
    // A number elsewhere was clicked: its pictures are wanted, not pairs.
    if (pairs.isOpen() && detail && detail.open === 'wall') {
      pairs.close();
      list.hidden = false;
      publish();
    }
    if (pairs.isOpen()) {
      pairs.load();
      numbersSoon();
    } else if (seenNow()) load();
  });
  function numbersSoon() {
    numbers(++asked);
  }
  // A run at work brings more: they are offered, so that nothing moves under anyone's eyes.
  // One age for all: pictures, counts and figures are brought up to date together.
  function renew() {
    load();
    store.tell('fresh');
  }
  fresh.addEventListener('click', renew);
  async function look() {
    if (seenNow() && !document.hidden && loaded && !stale && total !== null && !pairs.isOpen()) {
      const mine = asked;
      try {
        // All statuses: a picture that passes changes the figures and the counts too.
        const now = (await ask('/api/explore/wall/count?' + sliceQuery({ status: '' }))).total;
        const before = bar.all();
        if (mine === asked && before !== null && now !== before) {
          if (items.length) {
            put(
              fresh,
              now > before
                ? (now - before).toLocaleString('en-US') + ' more: show'
                : 'Changed: show',
            );
            fresh.hidden = false;
          } else renew();
        }
      } catch {
        /* asked again: the app may be starting anew */
      }
    }
    if (element.isConnected) setTimeout(look, 4000);
  }
  setTimeout(look, 4000);
  function front() {
    wallRoot.hidden = explore.view !== 'wall';
    if (wallRoot.hidden || pairs.isOpen() || element.offsetParent === null) return;
    if (stale) load();
    else if (explore.toPictures && loaded && !list.getAttribute('aria-busy')) comeBack(asked);
  }
  store.subscribe('explore', front);
  new IntersectionObserver((seen) => {
    if (seen.some((entry) => entry.isIntersecting)) front();
  }).observe(element);
  if (linked.get('large')) explore.wallLink = { ...explore.wallLink, large: linked.get('large') };
  else explore.wallLink = { sort: sort === SORTS[0].id ? '' : sort };
  publishSlice();
  if (linked.get('mode') === 'compare') {
    list.hidden = true;
    pairs.open({
      a: linked.get('a') || '',
      b: linked.get('b') || '',
      cell: linked.get('cell') || '',
      at: linked.get('at') || '',
    });
    numbersSoon();
  }
  front();
}
