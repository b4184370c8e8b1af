// What the views over many concepts share: their questions and link, what is missing and the work
// that fills it, cards of figures, published tables. Needs figure.js, compare_shared.js.
import { make, many, options, put, strip, swatches } from '../shared/dom.js';
import { figure, onTheme, saveTitled } from '../shared/figure.js';
import { ask, send } from '../shared/http.js';
import { beginsWork, watchWork, workLine } from '../shared/jobs.js';
import { store } from '../shared/state.js';
import { compare, compareView, ofCompareLink, openCompare, openConceptRun } from './view.js';

// A view: `defaults` are its questions by name, with what stands for the usual answer; `draw(data)`
// shows an answer. Returns its state and what it is asked with.
export function analysisView(element, name, defaults, draw) {
  const find = (words) => element.querySelector(words);
  const state = { ...defaults };
  const api = '/api/compare/analyses/';
  let data = null;
  let asked = 0;
  const part = (given) =>
    Object.fromEntries(
      Object.entries(given).filter(([key, value]) => value !== '' && value !== defaults[key]),
    );
  const query = (more) => new URLSearchParams({ ...part(state), ...(more || {}) }).toString();
  function take() {
    Object.keys(defaults).forEach((key) => {
      state[key] = compare.values[name][key] ?? defaults[key];
    });
  }
  async function load() {
    const mine = ++asked;
    find('.th-an').setAttribute('aria-busy', 'true');
    try {
      const answer = await ask(api + name + '?' + query());
      if (mine !== asked) return;
      data = answer;
      problem('');
      frame();
      draw(data);
      ofCompareLink(name, part(state));
    } catch (error) {
      if (mine === asked) problem('This cannot be shown. ' + error.message);
    } finally {
      if (mine === asked) find('.th-an').removeAttribute('aria-busy');
    }
  }
  function problem(text) {
    const node = find('.th-an-problem');
    const usual = Object.keys(part(state)).length > 0;
    put(node, text);
    node.hidden = !text;
    find('.th-an-waiting').hidden = Boolean(data || text);
    // A link to what is not here any more: the usual questions can be asked all the same.
    const back = find('.th-an-usual');
    back.hidden = !text || !usual;
  }
  find('.th-an-usual').addEventListener('click', () => {
    Object.assign(state, defaults);
    load();
  });
  function set(changes) {
    Object.assign(state, changes);
    load();
  }

  // ── the questions that every view asks ─────────────────────────────────────────────────────
  const bar = find('.th-an-bar');
  const rows = new Map();
  // A labelled control, made once; the view's own ones stand behind the shared ones.
  function control(key, label, make_) {
    let row = rows.get(key);
    if (!row) {
      row = make('div', 'th-an-control');
      const words = make('span', 'th-soft', label);
      const inner = make_();
      words.id = 'th-an-' + name + '-' + key;
      inner.setAttribute('aria-labelledby', words.id);
      row.append(words, inner);
      rows.set(key, row);
      bar.appendChild(row);
    }
    return row.lastChild;
  }
  function choose(key, label, choices) {
    const box = control(key, label, () => {
      const made = make('span', 'th-strip');
      made.setAttribute('role', 'group');
      return made;
    });
    strip(box, choices, state[key] || (choices[0] || {}).id, (id) => set({ [key]: id }));
    box.parentNode.hidden = choices.length < 2;
    return box;
  }
  function pick(key, label, choices, chosen) {
    const box = control(key, label, () => {
      const made = make('select');
      made.addEventListener('change', () => set({ [key]: made.value }));
      return made;
    });
    options(box, choices, chosen === undefined ? state[key] : chosen);
    box.parentNode.hidden = !choices.length;
    return box;
  }
  // Runs go in and out one by one; none chosen stands for all.
  function runs(list) {
    const box = control('runs', 'Runs', () => {
      const made = make('span', 'th-an-runs');
      made.setAttribute('role', 'group');
      return made;
    });
    box.parentNode.hidden = list.length < 2;
    const signature = JSON.stringify(list);
    if (box.dataset.made !== signature) {
      box.dataset.made = signature;
      box.replaceChildren(
        ...list.map((run) => {
          const button = make('button', '', run.name);
          button.type = 'button';
          button.title = run.facts;
          button.dataset.id = run.id;
          button.addEventListener('click', () => {
            const every = list.map((one) => one.id);
            const now = state.runs ? state.runs.split(',') : every;
            const next = every.filter((id) => (id === run.id) !== now.includes(id));
            set({ runs: next.length === every.length || !next.length ? '' : next.join(',') });
          });
          return button;
        }),
      );
    }
    const on = state.runs ? state.runs.split(',') : list.map((one) => one.id);
    [...box.children].forEach((button) =>
      button.setAttribute('aria-pressed', String(on.includes(button.dataset.id))),
    );
  }
  function frame() {
    const it = data.frame;
    const empty = find('.th-an-empty');
    empty.hidden = !it.empty;
    bar.hidden = Boolean(it.empty && it.empty.act === 'runs');
    if (it.empty) {
      put(empty.querySelector('h3'), it.empty.title);
      put(empty.querySelector('p'), it.empty.text);
      const act = empty.querySelector('button');
      put(act, it.empty.button);
      act.hidden = !it.empty.button;
      act.dataset.act = it.empty.act;
      put(empty.querySelector('code'), it.empty.command);
      empty.querySelector('code').hidden = !it.empty.command;
    }
    pick('people', 'People', it.people.choices, it.people.chosen);
    put(find('.th-an-people'), it.people.words);
    find('.th-an-people').hidden = !it.people.words;
    pick('method', 'Colors of a concept', it.methods, it.method);
    if (it.guidances) pick('guidance', 'Guidance', it.guidances, it.guidance);
    runs(it.runs);
    missing(it.cells);
  }
  find('.th-an-empty button').addEventListener('click', (event) =>
    goTo(event.currentTarget.dataset.act),
  );
  function goTo(act) {
    if (act === 'people') {
      openCompare('people');
      return;
    }
    openConceptRun();
  }

  // ── cells that are not there yet, and the work that makes them ─────────────────────────────
  const job = find('.th-an-job');
  const start = find('.th-an-fill');
  const showJob = workLine(job);
  let running = false;
  let seen = 0;
  function missing(cells) {
    find('.th-an-cells').hidden = !cells.missing && !running && !cells.without;
    put(find('.th-an-have'), cells.words);
    put(start, cells.button);
    start.hidden = !cells.missing || running;
  }
  beginsWork(start, job, () =>
    send(api + 'cells', {
      method: data.frame.method,
      guidance: data.frame.cells.guidance,
      runs: data.frame.cells.runs,
    }),
  );
  watchWork(element, 'cells', (now, ended) => {
    const before = running;
    running = Boolean(now && now.status === 'running');
    start.setAttribute('aria-disabled', String(running));
    showJob(now);
    if (running) find('.th-an-cells').hidden = false;
    // What is measured meanwhile comes into the numbers now and then.
    const often = running && Date.now() - seen > 5000;
    if (data && (ended || (before && !running) || often)) {
      seen = Date.now();
      load();
    }
  });

  store.subscribe('runs', () => {
    if (data && compare.view === name) load();
  });
  onTheme(() => {
    if (data && compare.view === name) draw(data);
  });
  compareView(element, name, {
    shown() {
      take();
      load();
    },
  });
  return { state, find, set, load, query, api, choose, pick, control, data: () => data };
}

// Opens a concept with the sources that a number was made from.
export function openConcept(it) {
  openCompare('concept', it);
}

// ── a card of one figure ─────────────────────────────────────────────────────────────────────
const FIGURE_TITLE_PX = 64;
// `given` of an answer: title, words, figure, empty, stands, columns, lines, opens, more, name.
export function figureCard(csv) {
  const node = make('section', 'th-card th-analysis th-an-figure');
  const head = make('header');
  const title = make('h3');
  const words = make('p', 'th-soft th-analysis-words');
  const plot = make('div', 'th-figure');
  const empty = make('p', 'th-analysis-empty');
  const table = make('div', 'th-scroll th-analysis-table');
  const stands = make('p', 'th-soft th-analysis-stands');
  const foot = make('div', 'th-analysis-foot');
  const asTable = make('button', 'th-button', 'As a table');
  const svg = make('button', 'th-button', 'SVG');
  const png = make('button', 'th-button', 'PNG');
  const file = make('a', 'th-button', 'CSV');
  let data = null;
  let listed = false;
  let heard = false;
  [asTable, svg, png].forEach((button) => {
    button.type = 'button';
  });
  asTable.setAttribute('aria-pressed', 'false');
  svg.title = 'The figure as SVG, on white';
  png.title = 'The figure as PNG, on white, two pixels for one';
  file.title = 'The numbers of the figure';
  plot.setAttribute('role', 'img');
  head.append(title);
  foot.append(asTable, svg, png, file);
  node.append(head, words, plot, empty, table, stands, foot);
  function rows() {
    table.hidden = !(listed && data && data.lines.length);
    if (table.hidden) {
      table.replaceChildren();
      return;
    }
    const made = make('table', 'th-table');
    const top = make('thead');
    const names = make('tr');
    const body = make('tbody');
    data.columns.forEach((column) => {
      const cell = make('th', '', column);
      cell.scope = 'col';
      names.append(cell);
    });
    top.append(names);
    data.lines.forEach((line) => {
      const row = make('tr');
      const first = make('th');
      const opens = line.open === null || line.open === undefined ? null : data.opens[line.open];
      first.scope = 'row';
      if (opens) {
        const button = make('button', 'th-rule', line.cells[0]);
        button.type = 'button';
        button.addEventListener('click', () => openConcept(opens));
        first.append(button);
      } else first.append(line.cells[0]);
      if (line.hexes && line.hexes.length) first.prepend(swatches(line.hexes));
      row.append(first, ...line.cells.slice(1).map((text) => make('td', '', text)));
      body.append(row);
    });
    made.append(top, body);
    table.replaceChildren(
      made,
      ...(data.more ? [make('p', 'th-soft', many(data.more, 'row') + ' more in the CSV.')] : []),
    );
  }
  asTable.addEventListener('click', () => {
    listed = !listed;
    asTable.setAttribute('aria-pressed', String(listed));
    rows();
  });
  [
    { button: svg, format: 'svg' },
    { button: png, format: 'png' },
  ].forEach(({ button, format }) =>
    button.addEventListener('click', async () => {
      if (!data || button.getAttribute('aria-disabled') === 'true') return;
      button.setAttribute('aria-disabled', 'true');
      try {
        await saveFigure(plot, data, format);
      } catch (error) {
        put(stands, 'The ' + format.toUpperCase() + ' could not be made: ' + error.message);
      }
      button.removeAttribute('aria-disabled');
    }),
  );
  async function show(given) {
    data = given;
    node.dataset.figure = data.name;
    put(title, data.title);
    put(words, data.words);
    title.title = words.title = data.source || '';
    put(empty, data.empty);
    put(stands, data.stands);
    file.href = csv();
    empty.hidden = !data.empty;
    plot.hidden = stands.hidden = foot.hidden = Boolean(data.empty);
    rows();
    if (data.empty) return;
    plot.setAttribute('aria-label', data.title + ' The numbers are in the table.');
    await figure(plot, data.figure);
    if (heard || !plot.on) return;
    heard = true;
    plot.on('plotly_click', (event) => {
      const at = event.points[0].customdata;
      if (typeof at === 'number' && data.opens[at]) openConcept(data.opens[at]);
    });
  }
  return { node, head, show };
}
async function saveFigure(plot, data, format) {
  const width = Math.max(plot.clientWidth, 640);
  const lines = (
    data.stands.match(new RegExp('.{1,' + Math.floor(width / 6) + '}(\\s|$)', 'g')) || []
  ).map((line) => line.trim());
  const title = { text: data.title, lines, height: FIGURE_TITLE_PX + 15 * lines.length };
  await saveTitled(data.figure, title, width, 'truehue-' + data.name, format);
}

// ── tables of a two-line heading ─────────────────────────────────────────────────────────────
// `groups`: [{ name, styles: [{ name, columns: [{ id, name, title }] }] }]
export function groupedHead(groups, first) {
  const top = make('thead');
  const kinds = make('tr');
  const styles = make('tr');
  const names = make('tr');
  const cell = (text, across, title) => {
    const made = make('th', '', text);
    made.colSpan = across;
    made.scope = across > 1 ? 'colgroup' : 'col';
    if (title) made.title = title;
    return made;
  };
  const corner = make('th', 'th-an-corner', first);
  corner.rowSpan = 3;
  corner.scope = 'col';
  kinds.append(corner);
  groups.forEach((group) => {
    const across = group.styles.reduce((sum, style) => sum + style.columns.length, 0);
    const head = cell(group.name, across);
    head.classList.add('th-an-first');
    kinds.append(head);
    group.styles.forEach((style, at) => {
      const head = cell(style.name, style.columns.length);
      head.classList.add(at ? 'th-an-next' : 'th-an-first');
      styles.append(head);
      style.columns.forEach((column, place) => {
        const name = cell(column.name, 1, column.title);
        if (!place) name.classList.add(at ? 'th-an-next' : 'th-an-first');
        names.append(name);
      });
    });
  });
  top.append(kinds, styles, names);
  return top;
}
// The columns of such a heading in their order, with the class of the line before each.
export function groupedColumns(groups) {
  return groups.flatMap((group) =>
    group.styles.flatMap((style, at) =>
      style.columns.map((column, place) => ({
        ...column,
        line: place ? '' : at ? 'th-an-next' : 'th-an-first',
      })),
    ),
  );
}
// A table of the paper: as printed, in its own order, and with no button in it.
function publishedCard(found) {
  const node = make('article', 'th-an-printed' + (found.groups.length > 1 ? ' th-an-wide' : ''));
  const head = make('header');
  const how = make('p', 'th-soft');
  const link = make('a', '', found.source);
  head.append(make('h4', '', found.title), make('span', 'th-board-tag', 'as published'));
  link.href = found.url;
  link.target = '_blank';
  link.rel = 'noreferrer';
  how.append(found.url ? link : make('span', '', found.source), make('span', '', ': ' + found.how));
  const table = make('table', 'th-table th-an-table');
  const body = make('tbody');
  const scroll = make('div', 'th-scroll');
  const columns = groupedColumns(found.groups);
  found.rows.forEach((one) => {
    const row = make('tr');
    const name = make('th', 'th-board-name');
    name.scope = 'row';
    name.append(make('b', '', one.name));
    if (one.here.length) {
      const here = make('small', '', 'yours, above: ' + one.here.join(', '));
      here.title = one.note;
      name.append(here);
    }
    row.append(
      name,
      ...columns.map((column) => {
        const cell = one.cells[column.id] || { text: '–' };
        const made = make('td', column.line, cell.text);
        if (cell.doubt) {
          made.appendChild(make('sup', '', '?'));
          made.title = cell.doubt;
        }
        return made;
      }),
    );
    body.append(row);
  });
  table.append(groupedHead(found.groups, found.first), body);
  scroll.append(table);
  node.append(
    head,
    how,
    scroll,
    ...(found.notes.length ? [make('p', 'th-soft', found.notes.join(' '))] : []),
  );
  return node;
}
// Where there is nothing of ours yet, they are folded: what to do first stands alone.
export function publishedTables(box, published, folded) {
  const made = JSON.stringify([published, Boolean(folded)]);
  if (box.dataset.made === made) return;
  box.dataset.made = made;
  const tables = make('div', 'th-an-prints');
  tables.append(...published.tables.map(publishedCard));
  const words = [
    make('p', 'th-soft', published.told),
    tables,
    ...(published.after ? [make('p', 'th-soft', published.after)] : []),
  ];
  if (!folded) {
    box.replaceChildren(make('h3', '', published.title), ...words);
    return;
  }
  const fold = make('details');
  const head = make('summary');
  head.append(make('h3', '', published.title));
  fold.append(head, ...words);
  box.replaceChildren(fold);
}
