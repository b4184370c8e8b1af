// Two runs on the same prompts: pairwise passes, and the two images of a pair under one zoom.
import { headLine, make, options, put, tableBody } from '../shared/dom.js';
import { ask } from '../shared/http.js';
import {
  targetAndMeasured,
  targetLine,
  distanceOf,
  openInInspect,
  standInTag,
  statusWord,
} from './card.js';
import { publishSlice, sliceQuery } from './filters.js';
import { explore } from './view.js';
import { zoomTogether } from '../shared/zoom.js';

export function pairsView(box, { leave, openPicture, chosen }) {
  const find = (name) => box.querySelector('.th-compare-' + name);
  const CELLS = {
    both: 'Both pass',
    only_a: 'Only A passes',
    only_b: 'Only B passes',
    neither: 'Both fail',
  };
  const PAGE = 24;
  const state = { a: '', b: '', cell: '', at: '' };
  const pairBox = find('pair');
  const text = find('text');
  const level = make('span', 'th-light-level');
  /** @type {Api.RunPairsView | null} */
  let data = null;
  /** @type {Api.RunPairsView['pairs']} */
  let pairs = [];
  let position = 0;
  let request = 0;
  let ended = false;
  let pinned = false;

  // ── the two panes ──────────────────────────────────────────────────────────────────────────
  const zoom = zoomTogether((now) => {
    put(level, now.percent + '%');
    pairBox.dataset.zoom = now.zoom.toFixed(4);
  });
  const sides = ['A', 'B'].map((letter) => {
    const node = make('div', 'th-compare-side');
    const name = make('h4');
    const view = make('div', 'th-compare-view');
    const message = make('div', 'th-compare-said');
    node.dataset.side = letter.toLowerCase();
    node.append(name, view, message);
    find('panes').append(node);
    return { letter, name, words: message, pane: zoom.add(view) };
  });
  const tools = make('div', 'th-light-tools');
  [
    { label: '−', title: 'Smaller (-)', act: () => zoom.by(1 / 1.5) },
    { label: '+', title: 'Larger (+)', act: () => zoom.by(1.5) },
    { label: 'Fit', title: 'The whole image (0)', act: () => zoom.fit() },
    { label: '1:1', title: 'Actual pixels of A (1)', act: () => zoom.exact() },
  ].forEach(({ label, title, act }, index) => {
    const button = make('button', 'th-button', label);
    button.type = 'button';
    button.title = title;
    button.setAttribute('aria-label', title);
    button.addEventListener('click', act);
    tools.append(button);
    if (!index) tools.append(level);
  });
  const place = make('p', 'th-compare-place th-soft');
  place.setAttribute('role', 'status');
  const foot = make('div', 'th-compare-foot');
  foot.append(tools, place);
  pairBox.append(foot);

  /** @param {Api.ResultJson} item */
  function said(item) {
    const head = make('p', 'th-light-head');
    const colors = targetAndMeasured(item);
    const button = make('button', 'th-button', 'Open in Inspect');
    const target = targetLine('', item);
    const tag = standInTag(item);
    if (tag) target.append(' ', tag);
    head.append(
      statusWord(item.picture_status),
      make('span', 'th-failures-distance', distanceOf(item)),
    );
    button.type = 'button';
    button.disabled = !item.image_id;
    button.addEventListener('click', () => openInInspect(item, openPicture));
    return [
      ...(colors ? [colors] : []),
      head,
      target,
      make('p', 'th-failures-told', item.told || item.picture_reason),
      ...(item.cause_words ? [make('p', 'th-soft', 'Why: ' + item.cause_words)] : []),
      button,
    ];
  }
  function showPair() {
    const pair = pairs[position];
    pairBox.hidden = !pair;
    if (!pair) {
      state.at = '';
      tell();
      return;
    }
    put(text, pair[0].text);
    sides.forEach((side, index) => {
      const item = pair[index];
      side.pane.show(item.url, item.text, item.picture_reason, item.gone);
      side.words.replaceChildren(...said(item));
    });
    zoom.fit();
    const total = data.counts[state.cell] ?? data.counts.scored + data.counts.unscored;
    put(
      place,
      pinned
        ? 'From this pair'
        : 'Pair ' + (position + 1).toLocaleString('en-US') + ' of ' + total.toLocaleString('en-US'),
    );
    find('previous').setAttribute('aria-disabled', String(position === 0 && !pinned));
    find('next').setAttribute('aria-disabled', String(ended && position === pairs.length - 1));
    state.at = String(pair[0].position);
    tell();
  }
  async function step(by) {
    if (!pairs.length) return;
    // Before the pair that a link opened come those from the first on.
    if (position + by < 0) {
      if (pinned) {
        state.at = '';
        await load();
      }
      return;
    }
    if (position + by >= pairs.length && !ended) await further();
    if (position + by < pairs.length) {
      position += by;
      showPair();
    }
  }

  // ── questions ──────────────────────────────────────────────────────────────────────────────
  function query(more) {
    const values = new URLSearchParams(sliceQuery({ runs: [] }));
    Object.entries({ a: state.a, b: state.b, cell: state.cell, limit: PAGE, ...more }).forEach(
      ([name, value]) => {
        if (value) values.set(name, value);
      },
    );
    return values;
  }
  function problem(message) {
    put(find('empty'), message);
    find('empty').hidden = !message;
  }
  async function load() {
    const mine = ++request;
    box.setAttribute('aria-busy', 'true');
    if (!data) {
      find('sum').hidden = pairBox.hidden = true;
      problem('The pairs are being counted…');
    }
    try {
      const answer = await ask(`/api/explore/compare?${query({ at: state.at })}`);
      if (mine !== request) return;
      data = answer;
      pairs = answer.pairs;
      pinned = answer.pinned;
      position = 0;
      ended = !answer.next;
      draw();
    } catch (error) {
      if (mine !== request) return;
      pairs = [];
      pairBox.hidden = true;
      problem(error.message);
    }
    box.removeAttribute('aria-busy');
  }
  async function further() {
    const mine = request;
    try {
      const answer = await ask(`/api/explore/compare?${query({ after: data.next })}`);
      if (mine !== request) return;
      pairs.push(...answer.pairs);
      data.next = answer.next;
      ended = !answer.next;
    } catch (error) {
      if (mine === request) problem(error.message);
    }
  }

  // ── the table ──────────────────────────────────────────────────────────────────────────────
  function cellOf(cell) {
    const node = make('td', 'th-disagreements-cell');
    const button = make('button', '', data.counts[cell].toLocaleString('en-US'));
    button.type = 'button';
    button.dataset.cell = cell;
    button.setAttribute('aria-label', CELLS[cell] + ': ' + data.counts[cell]);
    button.title = CELLS[cell];
    button.setAttribute('aria-pressed', String(state.cell === cell));
    button.addEventListener('click', () => {
      state.cell = state.cell === cell ? '' : cell;
      state.at = '';
      load();
    });
    node.append(button);
    return node;
  }
  function table() {
    const focused =
      document.activeElement && document.activeElement.dataset
        ? document.activeElement.dataset.cell
        : '';
    const body = tableBody([
      [make('th', 'th-row-name', '✓ A passes'), cellOf('both'), cellOf('only_a')],
      [make('th', 'th-row-name', '✕ A fails'), cellOf('only_b'), cellOf('neither')],
    ]);
    body.prepend(headLine([make('td'), '✓ B passes', '✕ B fails']));
    find('table').replaceChildren(body);
    if (focused) {
      const again = box.querySelector('[data-cell="' + focused + '"]');
      if (again) again.focus({ preventScroll: true });
    }
  }
  function draw() {
    state.a = data.a;
    state.b = data.b;
    if (data.a && data.b) chosen(data.a, data.b);
    const runs = data.runs.map((run) => ({ id: run.id, name: run.label }));
    options(
      find('a'),
      runs.filter((run) => run.id !== data.b),
      data.a,
    );
    options(
      find('b'),
      runs.filter((run) => run.id !== data.a),
      data.b,
    );
    sides.forEach((side) =>
      put(
        side.name,
        side.letter +
          ' · ' +
          (runs.find((run) => run.id === state[side.letter.toLowerCase()]) || { name: '' }).name,
      ),
    );
    const some = runs.length > 1;
    find('sum').hidden = !some;
    if (some) {
      table();
      put(find('sentence'), data.sentence);
      put(find('test'), data.test);
    }
    problem(
      !some
        ? 'Two runs are needed to compare; ' +
            (runs.length ? 'one is stored' : 'none is stored') +
            '. Start another in Runs, with the same prompts and another model.'
        : pairs.length
          ? ''
          : data.empty,
    );
    showPair();
  }
  function tell() {
    explore.wallLink = { mode: 'compare', a: state.a, b: state.b, cell: state.cell, at: state.at };
    publishSlice();
  }
  ['a', 'b'].forEach((name) =>
    find(name).addEventListener('change', (event) => {
      state[name] = event.target.value;
      state.at = '';
      load();
    }),
  );
  find('swap').addEventListener('click', () => {
    [state.a, state.b] = [state.b, state.a];
    state.cell = { only_a: 'only_b', only_b: 'only_a' }[state.cell] || state.cell;
    if (pairs[position]) state.at = String(pairs[position][1].position);
    load();
  });
  find('back').addEventListener('click', leave);
  find('previous').addEventListener('click', () => step(-1));
  find('next').addEventListener('click', () => step(1));
  pairBox.addEventListener('keydown', (event) => {
    if (zoom.key(event) || event.ctrlKey || event.metaKey || event.altKey) return;
    const act = {
      ArrowRight: () => step(1),
      ArrowLeft: () => step(-1),
      j: () => step(1),
      k: () => step(-1),
      Escape: leave,
    }[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (act) {
      event.preventDefault();
      act();
    }
  });
  return {
    // What is to be compared: runs, a cell, and the pair to begin with.
    open(wanted) {
      Object.assign(state, { cell: '', at: '' }, wanted);
      box.hidden = false;
      return load().then(() => {
        pairBox.focus({ preventScroll: true });
        if (wanted.at) pairBox.scrollIntoView({ block: 'nearest' });
      });
    },
    close() {
      box.hidden = true;
      request += 1;
    },
    isOpen: () => !box.hidden,
    load: () => {
      state.at = '';
      return load();
    },
  };
}
