// The wall: filters, images in a grid that the arrow keys go through, the large view, and two runs
// side by side.
import { options, put } from '../shared/dom.js';
import { ask } from '../shared/http.js';
import { places } from '../shared/links.js';
import { opener } from '../shared/opening.js';
import { store } from '../shared/state.js';
import { toast } from '../shared/toast.js';
import { linkedAnalyses } from './analyses.js';
import { openInInspect, spoken } from './card.js';
import { filterBar } from './filter_bar.js';
import { addressOfFailures, otherRule, publishSlice, sliceQuery } from './filters.js';
import { largeView } from './large.js';
import { pairsView } from './pairs.js';
import { explore, onBack, restored } from './view.js';
import { keysDialog } from './failures_keys.js';
import { outcomeFilters } from './failures_outcomes.js';
import { nameOf, resultImages } from './failures_images.js';

const SORTS = [
  { id: 'delta_e00', name: 'ΔE00, largest first' },
  { id: 'delta_e00-up', name: 'ΔE00, smallest first' },
  { id: 'misfit', name: 'Mismatch score, largest first' },
  { id: 'prompt', name: 'In order of the prompts' },
  { id: 'recent', name: 'Latest first' },
];
const MAX_WAITS = 15;

/** @param {import('../shared/widget.js').Widget} widget */
export function mount(widget) {
  const { element } = widget;
  const openPicture = opener(widget);
  const wallRoot = element.querySelector('.th-failures');
  const find = (name) => wallRoot.querySelector(name);
  linkedAnalyses(find('.th-analyses'));
  const linked = restored('failures');
  const fresh = find('.th-failures-fresh');
  const list = find('.th-failures-list');
  // Orders by measures come with the first answer; which there are, the server knows.
  let sort = linked.get('sort') || SORTS[0].id;
  let request = 0;
  let loaded = false;
  let stale = true;
  let waited = 0;

  const images = resultImages(list, {
    question: () => request,
    query,
    words: (answer, some) => (some ? explore.ruleProblem || '' : nothing(answer)),
    selected(item) {
      if (seenNow()) places.note({ picture: nameOf(item) });
    },
    open: (item) => light.open(item),
    keys: { i: inspect, c: compare, '?': () => keys() },
  });
  const keys = keysDialog(find('.th-keys'));

  // ── questions ──────────────────────────────────────────────────────────────────────────────
  function query(after) {
    const values = new URLSearchParams(sliceQuery());
    values.set('sort', sort);
    if (after) values.set('after', after);
    return values;
  }
  // Only the newest question counts: whoever filters twice sees the second answer.
  async function load() {
    const mine = ++request;
    stale = false;
    images.wait(!loaded);
    try {
      const answer = await ask(`/api/explore/failures?${query('')}`);
      if (mine !== request) return;
      loaded = true;
      waited = 0;
      offerSorts(answer.sorts);
      images.fill(answer);
      numbers(mine);
      await comeBack(mine);
    } catch (error) {
      if (mine !== request || otherRule(error)) return;
      // A link may name an order that there is not.
      if (error.message.startsWith('There is no order') && sort !== SORTS[0].id) {
        toast(`This link names no order “${sort.slice(0, 40)}”.`);
        sort = sorts.value = SORTS[0].id;
        publish();
        load();
        return;
      }
      // A run that has just been drawn is put into storage within seconds.
      if (error.message.startsWith('No run is stored') && waited < MAX_WAITS) {
        waited += 1;
        images.tell('The images of this run are being stored…');
        setTimeout(() => {
          if (mine === request && seenNow()) load();
        }, 1000);
        return;
      }
      stale = true;
      images.fail('The images cannot be shown. ' + error.message);
    }
  }
  // The counts of all choices take longer than a page of images, and come after it.
  async function numbers(mine) {
    try {
      const answer = await ask(`/api/explore/failures/facets?${sliceQuery()}`);
      if (mine !== request) return;
      fresh.hidden = true;
      bar.update(answer);
      images.count(answer.total);
    } catch (error) {
      if (mine === request)
        images.uncounted('Images: the counts cannot be shown. ' + error.message);
    }
  }
  function nothing(answer) {
    if (!answer.runs)
      return 'No run has results yet. Start one in Runs: its images appear here while they are generated.';
    const status = { fail: 'fails', unscored: 'is unscored', pass: 'passes', '': 'is stored' }[
      explore.slice.status
    ];
    return bar.inUse()
      ? 'Nothing ' +
          status +
          ' under these filters. Remove a filter above, or choose another status.'
      : 'Nothing ' + status + ' by this rule. Choose another status or rule.';
  }

  // ── places to come back to ─────────────────────────────────────────────────────────────────
  // After the images have come in: the one that was selected here, or the first one of a number
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
    const index = name ? await images.reach(name) : -1;
    if (mine !== request || images.isEmpty()) return;
    if (large && index < 0) {
      images.tell(
        'The image of this link is not among these: its filters or its verdict have changed.',
      );
      publish();
    }
    if (index >= 0) images.mark(index);
    if (first || (focus && index >= 0)) images.focusCurrent();
    if (large && index >= 0) images.openAt(index);
  }
  onBack('failures', (query, memo) => {
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
      outcomes.off();
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
      outcomes.on(false);
    }
    wanted = { picture: memo.picture || '', large, focus: true };
    // Where nothing has changed since, the images stand as they stood.
    setTimeout(() => {
      if (stale || !loaded || images.isWaiting()) {
        if (stale && seenNow()) load();
        return;
      }
      const selected = images.selected();
      if (selected && !large) wanted.picture = nameOf(selected);
      comeBack(request);
    });
  });
  store.subscribe('settled', () => {
    if (seenNow()) images.settle();
  });
  // The row of images in Inspect goes on here: back on the wall, its image is the selected one.
  store.subscribe('film-at', (detail) => {
    const index = images.indexOfName(detail.name);
    if (index >= 0) images.mark(index);
  });
  find('.th-failures-help').addEventListener('click', keys);

  // ── the large view and the pairs ───────────────────────────────────────────────────────────
  const light = largeView(find('.th-light'), {
    has: images.hasNeighbor,
    neighbor: images.neighbor,
    shown(item) {
      images.select(item);
      explore.wallLink = { ...explore.wallLink, large: nameOf(item) };
      explore.largeWords = spoken(item);
      publishSlice();
    },
    // Who goes on from the large view comes back to it; who closes it is on the wall again.
    closed(item, goesOn) {
      explore.wallLink = { ...explore.wallLink, large: '' };
      if (goesOn) return;
      if (!pairs.isOpen()) images.refocus();
      places.close(addressOfFailures());
    },
    compare,
    keys,
    inspect,
  });
  // In Inspect, the row of images that one came through goes on.
  /** @param {Api.ResultJson} item */
  function inspect(item) {
    if (!item.image_id) return;
    store.set('film', { query: query('').toString(), name: nameOf(item) });
    openInInspect(item, openPicture);
  }
  const pairs = pairsView(find('.th-compare'), { leave: leaveCompare, openPicture, chosen });
  // The filter bar and the figures are of the two runs that are compared.
  function chosen(...runs) {
    if (explore.slice.runs.join() === runs.join()) return;
    explore.slice.runs = runs;
    bar.draw();
    numbersSoon();
    store.tell('fresh');
  }
  /** @param {Api.ResultJson} item */
  function compare(item) {
    list.hidden = true;
    const [first, second] = explore.slice.runs;
    const a = item ? item.run_id : first || '';
    const b = [first, second].find((run) => run && run !== a) || '';
    outcomes.off();
    pairs.open({ a, b, ...(item ? { at: String(item.position) } : {}) });
    // Its counts, those of the filters and the figures are of one age.
    numbersSoon();
    store.tell('fresh');
    find('.th-compare').scrollIntoView({ block: 'nearest' });
  }
  function leaveCompare() {
    pairs.close();
    list.hidden = false;
    outcomes.on(true);
    explore.wallLink = { sort: sort === SORTS[0].id ? '' : sort };
    places.close(addressOfFailures());
    store.tell('fresh');
    if (stale || !loaded)
      load().then(() => find('.th-failures-compare').focus({ preventScroll: true }));
    else {
      images.refocus();
      numbersSoon();
    }
  }
  find('.th-failures-compare').addEventListener('click', () => compare(null));

  // ── the whole ──────────────────────────────────────────────────────────────────────────────
  function publish() {
    explore.wallLink = { sort: sort === SORTS[0].id ? '' : sort };
    publishSlice();
  }
  const bar = filterBar(
    find('.th-failures-bar'),
    find('.th-failures-sectors'),
    find('.th-failures-chips'),
  );
  const outcomes = outcomeFilters(bar);
  const sorts = find('.th-failures-sort select');
  function offerSorts(ofMeasures) {
    const all = [...SORTS, ...ofMeasures];
    if (sorts.options.length !== all.length) options(sorts, all, sort);
    sorts.value = sort;
  }
  offerSorts([]);
  sorts.addEventListener('change', () => {
    sort = sorts.value;
    publish();
    load();
  });
  // On a narrow page figures and images take turns.
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
    const goes = detail && detail.open === 'failures';
    if (pairs.isOpen() && !goes) outcomes.off();
    bar.draw();
    stale = true;
    takeOrder();
    // A number elsewhere was clicked: its images are wanted, not pairs.
    if (pairs.isOpen() && goes) {
      pairs.close();
      list.hidden = false;
      outcomes.on(false);
      publish();
    }
    if (pairs.isOpen()) {
      pairs.load();
      numbersSoon();
    } else if (seenNow()) load();
  });
  function numbersSoon() {
    numbers(++request);
  }
  // A run at work brings more: they are offered, so that nothing moves under anyone's eyes.
  // One age for all: images, counts and figures are brought up to date together.
  function renew() {
    load();
    store.tell('fresh');
  }
  fresh.addEventListener('click', renew);
  async function look() {
    if (
      seenNow() &&
      !document.hidden &&
      loaded &&
      !stale &&
      images.isCounted() &&
      !pairs.isOpen()
    ) {
      const mine = request;
      try {
        // All statuses: an image that passes changes the figures and the counts too.
        const now = (await ask(`/api/explore/failures/count?${sliceQuery({ status: '' })}`)).total;
        const before = bar.all();
        if (mine === request && before !== null && now !== before) {
          if (!images.isEmpty()) {
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
        /* asked again: the app may be starting again */
      }
    }
    if (element.isConnected) setTimeout(look, 4000);
  }
  setTimeout(look, 4000);
  // A measure of a run was clicked: its images stand in that order.
  function takeOrder() {
    if (!explore.wallSort) return;
    sort = explore.wallSort;
    explore.wallSort = '';
    stale = true;
    publish();
  }
  function front() {
    wallRoot.hidden = explore.view !== 'failures';
    if (!wallRoot.hidden) takeOrder();
    if (wallRoot.hidden || pairs.isOpen() || element.offsetParent === null) return;
    if (stale) load();
    else if (explore.toPictures && loaded && !images.isWaiting()) comeBack(request);
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
    outcomes.off();
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
