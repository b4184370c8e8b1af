// The leaderboard: accuracy of every run by task, and the paper's Table 4 below it, apart.
import { DEFAULT_RULE } from '../shared/constants.js';
import { arrange, make, put, strip } from '../shared/dom.js';
import { ask } from '../shared/http.js';
import { store } from '../shared/state.js';
import { otherRule, setSlice } from './filters.js';
import { liveLimits } from './limits.js';
import { explore, ofLink, onBack, openView, restored } from './view.js';

const BUSY_MS = 3000;
const CALM_MS = 10000;

function value(one, by) {
  if (by === 'name') return one.name;
  if (by === 'unscored') return one.unscored ? one.unscored.count : null;
  const cell = one.cells[by];
  return cell ? cell.percent : null;
}

function partNames(one) {
  const found = new Map();
  Object.values(one.cells).forEach((cell) =>
    cell.parts.forEach((part) => found.set(part.id, part)),
  );
  return [...found.values()];
}

/** @param {import('../shared/widget.js').Widget} widget */
export function mount({ element }) {
  const root = element.querySelector('.th-board');
  const find = (name) => root.querySelector(name);
  const linked = restored('board');
  const state = {
    systems: linked.get('systems') || 'averaged',
    unscored: linked.get('unscored') || 'left-out',
    sort: linked.get('sort') || '-average',
    limits: linked.get('limits') || '',
    open: new Set(),
  };
  let data = null;
  let asked = 0;
  let waiting = 0;
  let timer = null;
  let shownRule = '';
  let scale = 100;

  function query() {
    return new URLSearchParams({
      rule: explore.slice.rule,
      systems: state.systems,
      unscored: state.unscored,
      ...(state.limits ? { limits: state.limits } : {}),
    });
  }
  function tell() {
    ofLink('board', {
      rule: explore.slice.rule === DEFAULT_RULE ? '' : explore.slice.rule,
      systems: state.systems === 'averaged' ? '' : state.systems,
      unscored: state.unscored === 'left-out' ? '' : state.unscored,
      sort: state.sort === '-average' ? '' : state.sort,
      limits: state.limits,
    });
  }
  async function load() {
    const mine = ++asked;
    clearTimeout(timer);
    waiting++;
    try {
      const answer = await ask('/api/explore/board?' + query());
      if (mine !== asked) return;
      data = answer;
      problem(explore.ruleProblem || '');
      draw();
    } catch (error) {
      if (mine === asked && !otherRule(error))
        problem('The leaderboard cannot be shown. ' + error.message);
    } finally {
      waiting--;
    }
    if (mine === asked && seen() && element.isConnected)
      timer = setTimeout(load, data && data.busy ? BUSY_MS : CALM_MS);
  }
  const seen = () => !root.hidden && !document.hidden && element.offsetParent !== null;
  // Where nothing has changed but what is in front: no second question while one is on its way.
  function look() {
    if (seen() && !waiting) load();
  }
  function problem(text) {
    put(find('.th-board-problem'), text);
    find('.th-board-waiting').hidden = Boolean(data || text);
    find('.th-board-problem').hidden = !text;
  }
  function draw() {
    shownRule = data.rule.id;
    strip(find('.th-board-rules'), data.choices.rules, data.rule.id, (id) => {
      state.limits = '';
      setSlice({ rule: id });
    });
    limits.draw(data.limits);
    strip(find('.th-board-systems'), data.choices.systems, state.systems, (id) => {
      state.systems = id;
      load();
    });
    strip(find('.th-board-policies'), data.choices.unscored, state.unscored, (id) => {
      state.unscored = id;
      load();
    });
    const some = data.groups.length > 0;
    const cells = data.groups.flatMap((group) =>
      group.rows.flatMap((one) => Object.values(one.cells)),
    );
    scale = Math.min(
      100,
      25 * Math.ceil(Math.max(1, ...cells.map((cell) => cell.high || cell.percent || 0)) / 25),
    );
    root.classList.toggle('th-no-run', !some);
    const empty = find('.th-board-empty');
    empty.hidden = some;
    put(empty.querySelector('h3'), data.without ? 'No picture yet' : 'No run yet');
    put(
      empty.querySelector('p'),
      'A run draws or takes in the pictures of many prompts and judges every one. Its row stands here as soon as its first pictures are in, and fills while it goes on.' +
        (data.without ? ' ' + data.without : ''),
    );
    table();
    put(
      find('.th-board-about'),
      data.about +
        ' The line below a number runs from 0 to ' +
        scale +
        '%.' +
        (data.without ? ' ' + data.without : ''),
    );
    find('.th-board-csv').href = '/api/explore/board.csv?' + query();
    published();
    tell();
  }
  find('.th-board-empty .th-button').addEventListener('click', () => openView('runs'));

  // ── nodes that stay while their numbers change: a refresh takes neither focus nor place ──────
  const kept = new Map();
  function keep(key, create) {
    let node = kept.get(key);
    if (!node) {
      node = create();
      kept.set(key, node);
    }
    return node;
  }
  // ── live limits: counted again for who moves them, in the link, and never stored ─────────────
  const limits = liveLimits(find('.th-board-limits'), find('.th-board-moved'), (text) => {
    state.limits = text;
    load();
  });
  function row(key, className) {
    return keep(key, () => make('tr', className));
  }
  function widths(table) {
    if (table.querySelector('colgroup')) return;
    const group = make('colgroup');
    ['name', ...data.columns.map(() => 'number'), 'unscored'].forEach((kind) =>
      group.appendChild(make('col', 'th-col-' + kind)),
    );
    table.prepend(group);
  }

  // ── the head: every column sorts ─────────────────────────────────────────────────────────────
  function heads() {
    const line = row('head');
    arrange(
      line,
      [
        ['name', 'Run', 'By name'],
        ...data.columns.map((one) => [one.id, one.short, one.name]),
        ['unscored', 'Unscored', 'Pictures without a pass or a fail, of all pictures of the run'],
      ].map(([id, name, title]) => {
        const head = keep('head ' + id, () => {
          const node = make('th');
          const button = make('button', 'th-sort');
          node.scope = 'col';
          button.type = 'button';
          button.addEventListener('click', () => {
            const first = id === 'name' ? id : '-' + id;
            const other = id === 'name' ? '-' + id : id;
            state.sort = state.sort === first ? other : first;
            table();
            tell();
          });
          node.appendChild(button);
          return node;
        });
        const button = head.firstChild;
        const by = state.sort.replace('-', '') === id;
        head.classList.toggle('th-named', Boolean(title) && id !== 'name' && id !== 'unscored');
        if (head.lastChild === button) head.append(make('small', 'th-soft th-head-words'));
        put(head.lastChild, id === 'unscored' || id === 'name' ? '' : title);
        put(button, name + (by ? (state.sort[0] === '-' ? ' ↓' : ' ↑') : ''));
        button.title = title;
        head.setAttribute(
          'aria-sort',
          by ? (state.sort[0] === '-' ? 'descending' : 'ascending') : 'none',
        );
        return head;
      }),
    );
    return line;
  }
  function sorted(rows) {
    const by = state.sort.replace('-', '');
    const sign = state.sort[0] === '-' ? -1 : 1;
    return [...rows].sort((one, other) => {
      const a = value(one, by);
      const b = value(other, by);
      if (a === null || b === null) return Number(a === null) - Number(b === null);
      return sign * (by === 'name' ? a.localeCompare(b) : a - b);
    });
  }

  // ── the rows ─────────────────────────────────────────────────────────────────────────────────
  function table() {
    const head = keep('thead', () => make('thead'));
    const node = find('.th-board-top .th-board-table');
    arrange(head, [heads()]);
    const bodies = data.groups.map((group) => {
      const body = keep('group ' + group.id, () => make('tbody'));
      const title = row('title ' + group.id, 'th-board-group');
      const cell = keep('title cell ' + group.id, () => {
        const made = make('th');
        made.colSpan = data.columns.length + 2;
        made.scope = 'rowgroup';
        made.append(make('b'), make('small'));
        title.appendChild(made);
        return made;
      });
      put(cell.firstChild, group.name);
      put(cell.lastChild, group.words);
      arrange(body, [title, ...sorted(group.rows).flatMap((one) => lines(one))]);
      return body;
    });
    widths(node);
    arrange(node, [node.querySelector('colgroup'), head, ...bodies]);
  }
  function lines(one) {
    const line = row('run ' + one.id, 'th-board-run');
    const parts = partNames(one);
    const name = nameCell(one);
    arrange(line, [
      name,
      ...data.columns.map((column) => numberCell(one, column, one.cells[column.id], '')),
      unscoredCell(one),
    ]);
    const below = parts.map((part) => {
      const node = row('part ' + one.id + ' ' + part.id, 'th-board-part');
      const head = keep('part name ' + one.id + ' ' + part.id, () => {
        const made = make('th', '', part.name);
        made.scope = 'row';
        return made;
      });
      arrange(node, [
        head,
        ...data.columns.map((column) => {
          const cell = one.cells[column.id];
          const found = cell && cell.parts.find((each) => each.id === part.id);
          return numberCell(one, column, found, part.id);
        }),
        keep('part end ' + one.id + ' ' + part.id, () => make('td')),
      ]);
      return node;
    });
    return [
      line,
      ...below,
      ...(state.open.has(one.id) && one.unscored && one.unscored.count ? [why(one)] : []),
    ];
  }
  function nameCell(one) {
    const cell = keep('name ' + one.id, () => {
      const node = make('th', 'th-board-name');
      const bar = make('div', 'th-bar');
      node.scope = 'row';
      bar.setAttribute('role', 'progressbar');
      bar.setAttribute('aria-valuemin', '0');
      bar.setAttribute('aria-valuemax', '100');
      bar.appendChild(make('i'));
      node.append(
        make('b'),
        make('small'),
        make('small', 'th-board-beside'),
        bar,
        make('small', 'th-board-progress'),
      );
      return node;
    });
    const [name, facts, beside, bar, words] = cell.children;
    const progress = one.progress;
    put(name, one.name);
    name.title = one.name;
    put(facts, one.facts);
    put(beside, [one.said, one.beside].filter(Boolean).join(' · '));
    beside.hidden = !beside.textContent;
    bar.hidden = words.hidden = !progress;
    if (progress) {
      bar.firstChild.style.width = progress.percent + '%';
      bar.setAttribute('aria-valuenow', String(progress.percent));
      bar.setAttribute('aria-label', one.name + ': ' + progress.words);
      put(words, progress.words);
      words.title = progress.title;
    }
    return cell;
  }
  // Opens the wall with exactly what a number was made from, without other filters.
  function openPictures(changes) {
    const others = Object.keys(explore.slice).filter((name) => name !== 'rule' && name !== 'runs');
    const none = Object.fromEntries(others.map((name) => [name, '']));
    setSlice({ ...none, rule: data.rule.id, ...changes }, { open: 'wall' });
  }
  // The filters of a cell's pictures, as they are now: a cell stays while its numbers change.
  function opened(run, column, system) {
    const one = data.groups.flatMap((group) => group.rows).find((each) => each.id === run);
    const cell = one && one.cells[column];
    const found = cell && system ? cell.parts.find((part) => part.id === system) : cell;
    return found ? found.opens : {};
  }
  function numberCell(one, column, rate, system) {
    const key = 'cell ' + one.id + ' ' + column.id + ' ' + system;
    const cell = keep(key, () => {
      const node = make('td', 'th-board-cell');
      const button = make('button');
      const numbers = make('span', 'th-board-numbers');
      const track = make('span', 'th-interval');
      const none = make('span', 'th-board-none');
      button.type = 'button';
      numbers.append(make('span', 'th-unseen'), make('b'), make('small'));
      track.append(make('i'), make('b'));
      button.append(numbers, track, make('small', 'th-board-note'));
      button.addEventListener('click', () =>
        openPictures({ runs: [one.id], status: 'fail', ...opened(one.id, column.id, system) }),
      );
      none.append(make('span', '', '–'), make('small'));
      node.append(button, none);
      return node;
    });
    const [button, none] = cell.children;
    const number = rate && rate.percent !== null;
    button.hidden = !number;
    none.hidden = Boolean(number) || Boolean(system && column.id === 'average');
    cell.dataset.column = column.id;
    if (!number) {
      put(none.lastChild, rate && rate.note ? rate.note : '');
      none.title = rate
        ? rate.title
        : one.said || 'The run has no such prompts' + (one.progress ? ' yet' : '');
      return cell;
    }
    const [numbers, track, note] = button.children;
    const [range, at] = track.children;
    put(
      numbers.children[0],
      [one.name, system.toUpperCase(), column.name].filter(Boolean).join(', ') + ', percent: ',
    );
    put(numbers.children[1], rate.text);
    put(numbers.lastChild, rate.interval);
    cell.classList.toggle('th-best', Boolean(rate.best));
    range.hidden = rate.low === null;
    const place = (percent) => ((100 * percent) / scale).toFixed(2) + '%';
    range.style.left = place(rate.low);
    range.style.width = place(rate.high - rate.low);
    at.style.left = place(rate.percent);
    put(note, rate.note || '');
    note.hidden = !rate.note;
    cell.classList.toggle('th-in-part', Boolean(rate.note));
    button.title =
      rate.title + (rate.best ? ' · the highest of these runs' : '') + '\nOpens the failures';
    return cell;
  }

  // ── unscored, and why ────────────────────────────────────────────────────────────────────────
  function unscoredCell(one) {
    const cell = keep('unscored ' + one.id, () => {
      const node = make('td', 'th-board-cell th-board-unscored');
      const button = make('button');
      const numbers = make('span', 'th-board-numbers');
      button.type = 'button';
      numbers.append(
        make('span', 'th-unseen'),
        make('b'),
        make('span', 'th-unseen', ' unscored pictures, '),
      );
      button.append(numbers, make('small'), make('span', 'th-unseen'));
      button.addEventListener('click', () => {
        if (!state.open.delete(one.id)) state.open.add(one.id);
        table();
      });
      node.appendChild(button);
      return node;
    });
    const button = cell.firstChild;
    const found = one.unscored;
    const some = Boolean(found && found.count);
    button.hidden = !found;
    if (!found) return cell;
    put(button.firstChild.children[0], one.name + ', ');
    put(button.firstChild.children[1], found.text);
    put(button.children[1], found.words);
    put(button.lastChild, some ? ', show why' : '');
    button.disabled = !some;
    button.title = some
      ? found.causes.map((cause) => cause.text + ' ' + cause.name).join('\n')
      : 'Every picture has a pass or a fail';
    button.setAttribute('aria-expanded', String(some && state.open.has(one.id)));
    return cell;
  }
  function why(one) {
    const line = row('why ' + one.id, 'th-board-why');
    const cell = keep('why cell ' + one.id, () => {
      const node = make('td');
      const box = make('div');
      node.colSpan = data.columns.length + 2;
      box.appendChild(make('span', 'th-soft'));
      node.appendChild(box);
      line.appendChild(node);
      return node;
    });
    const box = cell.firstChild;
    put(box.firstChild, one.unscored.text + ' unscored:');
    arrange(box, [
      box.firstChild,
      ...one.unscored.causes.map((cause) => {
        const button = keep('why ' + one.id + ' ' + cause.id, () => {
          const made = make('button', 'th-board-cause');
          made.type = 'button';
          made.append(make('b'), make('span'), make('small'));
          made.addEventListener('click', () =>
            openPictures({ runs: [one.id], status: 'unscored', cause: cause.id }),
          );
          return made;
        });
        put(button.children[0], cause.text);
        put(button.children[1], cause.name);
        put(button.children[2], cause.tasks);
        button.title = 'Opens these pictures';
        return button;
      }),
    ]);
    return line;
  }

  // ── Table 4 of the paper: a table of its own, in the order in which it is printed ────────────
  function published() {
    const found = data.published;
    const card = find('.th-board-published');
    card.hidden = false;
    put(card.querySelector('h3'), found.title);
    const how = find('.th-published-how');
    if (!how.firstChild) {
      const link = make('a');
      link.target = '_blank';
      link.rel = 'noreferrer';
      how.append(link, make('span'), make('b'));
    }
    put(how.children[0], found.source);
    how.children[0].href = found.url;
    put(how.children[1], ': ' + found.how + ' ');
    put(how.children[2], found.told);
    put(find('.th-published-notes'), found.notes.join(' '));
    const made = JSON.stringify(found.rows);
    const node = find('.th-published-table');
    if (node.dataset.made === made) return;
    node.dataset.made = made;
    const head = make('thead');
    const top = make('tr');
    const body = make('tbody');
    top.append(
      ...['Model', ...data.columns.map((one) => one.short)].map((name) => {
        const one = make('th', '', name);
        one.scope = 'col';
        return one;
      }),
      make('td'),
    );
    head.appendChild(top);
    found.rows.forEach((one) => {
      const line = make('tr', one.here.length ? 'th-published-here' : '');
      const name = make('th', 'th-board-name');
      name.scope = 'row';
      name.append(make('b', '', one.name), make('small', '', one.facts));
      if (one.here.length) {
        const here = make(
          'small',
          'th-published-runs',
          'yours, above: ' + one.here.join(', ') + (one.here_note ? '. ' : ''),
        );
        if (one.here_note) here.appendChild(make('i', '', one.here_note));
        name.appendChild(here);
      }
      line.append(
        name,
        ...data.columns.map((column) => {
          const cell = one.cells[column.id];
          const node = make('td', 'th-published-cell', cell ? cell.text : '–');
          if (cell && cell.doubt) {
            node.appendChild(make('sup', '', '?'));
            node.title = cell.doubt;
          }
          return node;
        }),
      );
      line.appendChild(make('td'));
      body.appendChild(line);
    });
    node.replaceChildren(head, body);
    widths(node);
  }

  function front() {
    root.hidden = explore.view !== 'board';
    look();
  }
  onBack('board', (query) => {
    const before = JSON.stringify([state.systems, state.unscored, state.sort, state.limits]);
    Object.assign(state, {
      limits: query.get('limits') || '',
      systems: query.get('systems') || 'averaged',
      unscored: query.get('unscored') || 'left-out',
      sort: query.get('sort') || '-average',
    });
    if (JSON.stringify([state.systems, state.unscored, state.sort, state.limits]) !== before)
      data = null;
    else tell();
  });
  store.subscribe('explore', front);
  store.subscribe('slice', () => {
    if (explore.slice.rule === shownRule) return;
    state.limits = '';
    if (seen()) load();
  });
  document.addEventListener('visibilitychange', look);
  new IntersectionObserver(look).observe(element);
  front();
}
