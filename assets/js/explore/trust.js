// Can the measure be trusted? A report of the diagnosis: rates with intervals, ROC, where it goes
// wrong, pictures; and running it again on this machine.
import { make, options, put, strip, swatches, touchingInWords } from '../shared/dom.js';
import { figure, onTheme } from '../shared/figure.js';
import { ask, send } from '../shared/http.js';
import { beginsWork, watchWork, workLine } from '../shared/jobs.js';
import { opener } from '../shared/opening.js';
import { store } from '../shared/state.js';
import { explore, ofLink, restored } from './view.js';

const SHOWN = 8;

// ── rates ────────────────────────────────────────────────────────────────────────────────────
function rateCell(rate, words) {
  const cell = make('td', 'th-rate');
  if (!rate) {
    cell.appendChild(make('span', 'th-soft', words || '–'));
    return cell;
  }
  const track = make('span', 'th-interval');
  const range = make('i');
  const at = make('b');
  range.style.left = rate.low + '%';
  range.style.width = Math.max(rate.high - rate.low, 0.4) + '%';
  at.style.left = rate.percent + '%';
  track.append(range, at);
  const numbers = make('span', 'th-rate-numbers');
  numbers.append(make('b', '', rate.text), make('small', '', rate.interval));
  cell.append(numbers, track);
  cell.title = rate.counts;
  return cell;
}

function wanted(one) {
  return {
    object: one.object,
    light: one.light,
    seed: one.seed,
    system: one.system,
    color: one.color,
    second: one.second,
    size: one.size,
  };
}

/** @param {import('../shared/widget.js').Widget} widget */
export function mount(widget) {
  const { element } = widget;
  const openPicture = opener(widget);
  const root = element.querySelector('.th-trust');
  const find = (name) => root.querySelector(name);
  const linked = restored('trust');
  const state = {
    source: linked.get('source') || '',
    set: linked.get('set') || 'pooled',
    rule: linked.get('rule') || '',
    system: linked.get('system') || 'l2',
    what: linked.get('what') === 'false' ? 'false' : 'hit',
  };
  let data = null;
  let asked = 0;
  let every = '10';

  function tell() {
    ofLink('trust', {
      source: data && data.source && data.reports[0].id !== data.source ? data.source : '',
      set: state.set === 'pooled' ? '' : state.set,
      rule: state.rule,
      system: state.system === 'l2' ? '' : state.system,
      what: state.what === 'hit' ? '' : state.what,
    });
  }
  async function load() {
    const mine = ++asked;
    try {
      const answer = await ask(
        '/api/explore/report?' + new URLSearchParams({ source: state.source, set: state.set }),
      );
      if (mine !== asked) return;
      data = answer;
      draw();
    } catch (error) {
      empty('The report cannot be shown. ' + error.message);
    }
  }
  function empty(text, command) {
    const box = find('.th-trust-empty');
    box.hidden = !text;
    box.replaceChildren(
      ...(text ? [make('p', '', text)] : []),
      ...(command ? [make('code', '', command)] : []),
    );
    root.classList.toggle('th-without', Boolean(text));
  }
  function draw() {
    if (!data.reports.length) {
      empty(
        'No report is here yet: nothing can be said of the rules. Run the diagnosis below, or in a terminal, and put its report.json into assets/diagnosis:',
        data.command,
      );
      tell();
      return;
    }
    empty('');
    state.source = data.source;
    state.set = data.set;
    if (!data.rows.some((row) => row.id === state.rule)) state.rule = data.rows[0].id;
    if (!data.systems.some((one) => one.id === state.system)) state.system = data.systems[0].id;
    const source = find('.th-trust-source');
    source.hidden = data.reports.length < 2;
    options(source.querySelector('select'), data.reports, data.source);
    strip(find('.th-trust-sets'), data.sets, state.set, (id) => {
      state.set = id;
      load();
    });
    put(find('.th-trust-words'), data.set_words);
    put(find('.th-trust-about'), data.name + ' · ' + data.about + '. Intervals are 95% (Wilson).');
    table();
    rocs();
    parts();
    examples();
    tell();
  }
  find('.th-trust-source select').addEventListener('change', (event) => {
    state.source = event.target.value;
    load();
  });
  function heads() {
    const top = make('tr');
    const below = make('tr');
    const name = make('th', '', 'Rule');
    name.rowSpan = 2;
    top.appendChild(name);
    data.systems.forEach((system) => {
      const head = make('th', 'th-group', system.name);
      head.colSpan = 2;
      top.appendChild(head);
      below.append(make('th', 'th-group', 'Hits, %'), make('th', '', 'False accepts, %'));
    });
    const unscored = make('th', 'th-group', 'Unscored');
    unscored.rowSpan = 2;
    unscored.title =
      'Verdicts that could not be given. They stay in the counts: as not hit, and as not accepted.';
    top.appendChild(unscored);
    const head = make('thead');
    head.append(top, below);
    return head;
  }
  function line(row, name, soft) {
    const node = make('tr', soft ? 'th-beside' : '');
    const head = make('th', 'th-row-name');
    head.scope = 'row';
    head.appendChild(name);
    node.appendChild(head);
    data.systems.forEach((system) => {
      const cell = row.cells[system.id];
      const empty = row.cells[system.id] === undefined ? '' : '–';
      const hit = rateCell(cell && cell.hit, empty);
      const accepted = rateCell(cell && cell.false, empty);
      hit.classList.add('th-group');
      node.append(hit, accepted);
    });
    const unscored = make(
      'td',
      'th-group th-count',
      row.unscored === null ? '' : row.unscored.toLocaleString('en-US'),
    );
    node.appendChild(unscored);
    return node;
  }
  function table() {
    const body = make('tbody');
    data.rows.forEach((row) => {
      const name = make('span');
      const button = make('button', 'th-rule', row.name);
      button.type = 'button';
      button.title = [row.description, row.parameters].filter(Boolean).join('\n');
      button.setAttribute('aria-pressed', String(row.id === state.rule));
      button.dataset.rule = row.id;
      button.addEventListener('click', () => {
        state.rule = row.id;
        chosen();
      });
      name.append(button, make('small', 'th-soft', row.version));
      if (row.stale) name.appendChild(make('small', 'th-stale', row.stale));
      body.appendChild(line(row, name));
      const other =
        data.beside &&
        data.beside.rows.find((one) => one.id === row.id && Object.keys(one.cells).length);
      if (other) {
        const words = make('span');
        words.appendChild(make('small', 'th-soft', data.beside.name));
        if (other.stale) words.appendChild(make('small', 'th-stale', other.stale));
        body.appendChild(line(other, words, true));
      }
    });
    body.appendChild(published());
    data.traced.sets.forEach((set) => {
      const top = make('tr', 'th-published');
      const words = make('th', 'th-row-name');
      words.colSpan = 2 + 2 * data.systems.length;
      words.scope = 'rowgroup';
      words.append(make('b', '', set.name), make('small', 'th-soft', ' ' + set.words));
      words.style.whiteSpace = 'normal';
      top.appendChild(words);
      body.appendChild(top);
      set.rows.forEach((row) => {
        const name = make('span');
        name.append(make('span', '', row.name + ' '), make('small', 'th-soft', row.version));
        body.appendChild(line(row, name));
      });
    });
    reliability();
    find('.th-trust-table').replaceChildren(heads(), body);
  }
  function reliability() {
    const head = make('thead');
    const top = make('tr');
    const body = make('tbody');
    ['Pictures', 'Verdict', 'Confidence from', 'Verdicts', 'Said, %', 'Right, %'].forEach((name) =>
      top.appendChild(make('th', '', name)),
    );
    head.appendChild(top);
    data.traced.sets.forEach((set) =>
      set.calibration.forEach((bin) => {
        const row = make('tr');
        [
          set.name,
          bin.status,
          bin.from,
          bin.verdicts.toLocaleString('en-US'),
          bin.said,
          bin.right,
        ].forEach((text) => row.appendChild(make('td', '', text)));
        body.appendChild(row);
      }),
    );
    find('.th-trust-reliability').replaceChildren(head, body);
  }
  function published() {
    const node = make('tr', 'th-published');
    const head = make('th', 'th-row-name');
    const name = make('span');
    head.scope = 'row';
    name.append(
      make('b', '', 'paper, as published'),
      make('small', 'th-soft', 'on the authors’ own renders'),
    );
    name.title = [...new Set(data.published.map((one) => one.source))].join('\n');
    head.appendChild(name);
    node.appendChild(head);
    data.systems.forEach((system) => {
      const found = data.published.find((one) => one.system === system.id);
      const hit = make('td', 'th-rate th-group');
      const numbers = make('span', 'th-rate-numbers');
      numbers.append(make('b', '', found ? found.hit : '–'), make('small', '', 'no interval'));
      hit.appendChild(numbers);
      hit.title = found ? found.source : '';
      node.append(hit, make('td', 'th-rate th-soft', 'not published'));
    });
    node.appendChild(make('td', 'th-group th-count th-soft', 'not published'));
    return node;
  }
  function chosen() {
    root
      .querySelectorAll('.th-rule')
      .forEach((button) =>
        button.setAttribute('aria-pressed', String(button.dataset.rule === state.rule)),
      );
    parts();
    examples();
    tell();
  }

  // ── ROC ──────────────────────────────────────────────────────────────────────────────────────
  function rocs() {
    const box = find('.th-trust-figures');
    data.systems.forEach((system) => {
      let card = box.querySelector('[data-system="' + system.id + '"]');
      if (!card) {
        card = make('div');
        card.dataset.system = system.id;
        const plot = make('div', 'th-figure');
        plot.setAttribute('role', 'img');
        plot.setAttribute('aria-label', 'Hits over false accepts, ' + system.name);
        card.append(make('h4', '', system.name), plot);
        box.appendChild(card);
      }
      figure(card.querySelector('.th-figure'), data.roc[system.id]);
    });
  }

  // ── where it goes wrong ──────────────────────────────────────────────────────────────────────
  function shaded(rate, rule) {
    const cell = make(
      'td',
      rule === state.rule ? 'th-heat th-of-rule' : 'th-heat',
      rate ? rate.text : '–',
    );
    if (!rate) return cell;
    const wrong = state.what === 'hit' ? 100 - rate.percent : rate.percent;
    // Not darker, so that the number is read on every shade, light and dark (4.5 to 1).
    cell.style.setProperty('--wrong', (Math.min(100, wrong) * 0.33).toFixed(1) + '%');
    cell.title = rate.counts + ', ' + rate.interval + '%';
    return cell;
  }
  function parts() {
    const rules = data.rows.filter((row) => Object.keys(row.cells).length);
    strip(find('.th-parts-system'), data.systems, state.system, (id) => {
      state.system = id;
      chosen();
    });
    root
      .querySelectorAll('[data-what]')
      .forEach((button) =>
        button.setAttribute('aria-pressed', String(button.dataset.what === state.what)),
      );
    const cards = data.breakdowns
      .filter((one) => one.rows.length)
      .map((one) => {
        const card = make('div', 'th-part');
        const table = make('table', 'th-table');
        const head = make('tr');
        const body = make('tbody');
        card.dataset.by = one.by;
        head.appendChild(make('th', '', one.name));
        rules.forEach((row) =>
          head.appendChild(make('th', row.id === state.rule ? 'th-of-rule' : '', row.name)),
        );
        one.rows.forEach((part) => {
          const line = make('tr');
          const name = make('th', 'th-row-name');
          name.scope = 'row';
          if (part.swatches.length) name.appendChild(swatches(part.swatches));
          name.appendChild(make('span', '', part.label));
          line.appendChild(name);
          rules.forEach((row) => {
            const cell = (part.cells[row.id] || {})[state.system];
            line.appendChild(shaded(cell ? cell[state.what] : null, row.id));
          });
          body.appendChild(line);
        });
        const top = make('thead');
        top.appendChild(head);
        table.append(top, body);
        card.appendChild(table);
        return card;
      });
    // Two columns of about equal height: the short table of each pair comes first.
    const columns = [
      ['light', 'object'],
      ['lightness', 'hue'],
    ].map((names) => {
      const column = make('div', 'th-parts-column');
      column.append(
        ...names.map((by) => cards.find((card) => card.dataset.by === by)).filter(Boolean),
      );
      return column;
    });
    find('.th-parts').replaceChildren(...columns.filter((column) => column.childElementCount));
  }
  root.querySelectorAll('[data-what]').forEach((button) =>
    button.addEventListener('click', () => {
      state.what = button.dataset.what;
      chosen();
    }),
  );

  function systemName(id) {
    const found = data.systems.find((one) => one.id === id);
    return found ? found.name : id;
  }

  // ── pictures ─────────────────────────────────────────────────────────────────────────────────
  const measured = new Map();
  let turn = 0;
  function card(one) {
    /** @type {any} */
    const node = make('article', 'th-example');
    const button = make('button', 'th-shot-picture');
    const picture = make('img');
    const words = make('div', 'th-example-words');
    const what = one.object + ', ' + one.color + ', ' + one.light + ' light';
    button.type = 'button';
    button.title = 'Open in Inspect';
    button.setAttribute('aria-label', 'Open in Inspect: ' + what + ', asked for ' + one.asked);
    picture.alt = '';
    const waits = make('span', 'th-soft', 'Drawing …');
    button.append(picture, waits);
    button.addEventListener('click', async () => {
      button.setAttribute('aria-busy', 'true');
      try {
        const kept = await send('/api/explore/example', {
          ...wanted(one),
          rule: state.rule,
          asked: one.asked,
        });
        openPicture({
          opened: kept.image_id,
          mask: kept.mask,
          object: kept.object,
          target: kept.target,
          rule: kept.rule,
        });
      } catch (error) {
        words.replaceChildren(make('p', 'th-problem', error.message));
      }
      button.removeAttribute('aria-busy');
    });
    const distance = one.delta_e00 === null ? 'unscored' : one.delta_e00.toFixed(1) + ' ΔE00';
    const colors = make('div', 'th-example-colors');
    // What stands in the report is there at once; what the rule found is measured again.
    const compare = (found) => {
      const row = [
        {
          role: one.kind === 'missed' ? 'asked, true' : 'asked',
          hex: one.asked_hex,
          name: one.asked,
        },
        ...(one.kind === 'missed' ? [] : [{ role: 'true', hex: one.true_hex, name: one.color }]),
        ...(found ? [{ role: 'found', hex: found, name: '' }] : []),
      ];
      colors.replaceChildren(touchingInWords(row));
    };
    compare('');
    words.append(
      colors,
      make('b', '', distance),
      make(
        'span',
        '',
        one.kind === 'missed' ? one.color : 'asked ' + one.asked + ', is ' + one.color,
      ),
      make(
        'small',
        'th-soft',
        systemName(one.system) +
          ', ' +
          one.object +
          ', ' +
          one.light +
          ' light' +
          (one.second ? ', second material ' + one.second : ''),
      ),
    );
    node.append(button, words);
    node.picture = () =>
      new Promise((/** @type {(value?: unknown) => void} */ done) => {
        picture.onload = () => {
          waits.remove();
          done();
        };
        picture.onerror = () => {
          put(waits, 'This picture could not be drawn.');
          done();
        };
        picture.src = '/api/explore/picture.png?' + new URLSearchParams(wanted(one));
      });
    node.detail = async () => {
      const key = JSON.stringify([wanted(one), one.asked, node.rule]);
      try {
        if (!measured.has(key))
          measured.set(
            key,
            await ask(
              '/api/explore/example?' +
                new URLSearchParams({ ...wanted(one), rule: node.rule, asked: one.asked }),
            ),
          );
        const found = measured.get(key);
        const now = found.delta_e00 === null ? 'unscored' : found.delta_e00.toFixed(1) + ' ΔE00';
        compare(found.found);
        words.title = found.reason;
        if (now !== distance) words.appendChild(make('small', 'th-stale', 'now ' + now));
      } catch (error) {
        words.appendChild(make('p', 'th-problem', error.message));
      }
    };
    node.rule = state.rule;
    return node;
  }
  // One picture after the other, and only while somebody looks: each is drawn anew.
  let looking = false;
  async function fill(cards, mine) {
    for (const step of ['picture', 'detail']) {
      for (const one of cards) {
        if (mine !== turn || !looking) return;
        if (one.dataset[step]) continue;
        one.dataset[step] = 'there';
        await one[step]();
      }
    }
  }
  let cards = [];
  function examples() {
    const mine = ++turn;
    const rules = data.rows.filter((row) => Object.keys(row.cells).length);
    strip(
      find('.th-examples-rule'),
      rules.map((row) => ({ id: row.id, name: row.name })),
      state.rule,
      (id) => {
        state.rule = id;
        chosen();
      },
    );
    put(
      find('.th-examples-words'),
      data.drawable
        ? 'The clearest cases of the whole set, of many objects, drawn again as they were. Found, asked and true color touch. A click opens a picture in Inspect with its exact mask.'
        : 'These pictures are not the renderer’s: they cannot be drawn again here.',
    );
    const all = data.drawable ? data.examples[state.rule] || [] : [];
    const groups = [
      ['missed', 'Missed: it has the asked color and does not pass'],
      ['false accept', 'Falsely accepted: it does not have the asked color and passes'],
    ];
    cards = [];
    find('.th-examples').replaceChildren(
      ...groups.map(([kind, title]) => {
        const group = make('section');
        const grid = make('div', 'th-example-grid');
        const list = all.filter((one) => one.kind === kind).map(card);
        group.dataset.kind = kind;
        group.appendChild(make('h4', '', title));
        const show = (some) => {
          grid.append(...some);
          cards.push(...some);
        };
        show(list.slice(0, SHOWN));
        group.appendChild(
          list.length ? grid : make('p', 'th-soft', 'None among the pictures of this report.'),
        );
        if (list.length > SHOWN) {
          const more = make('button', 'th-button', 'Show all ' + list.length);
          more.type = 'button';
          more.addEventListener('click', () => {
            more.remove();
            show(list.slice(SHOWN));
            fill(cards, mine);
          });
          group.appendChild(more);
        }
        return group;
      }),
    );
    fill(cards, mine);
  }
  new IntersectionObserver((seen) => {
    const now = seen.some((entry) => entry.isIntersecting);
    if (now === looking) return;
    looking = now;
    if (looking) fill(cards, turn);
  }).observe(find('.th-trust-examples'));

  // ── run it again ─────────────────────────────────────────────────────────────────────────────
  const showJob = workLine(find('.th-run-job'));
  const start = find('.th-run-start');
  const sizes = [...root.querySelectorAll('[data-every]')];
  sizes.forEach((button) => {
    button.setAttribute('aria-pressed', String(button.dataset.every === every));
    button.addEventListener('click', () => {
      every = button.dataset.every;
      sizes.forEach((other) => other.setAttribute('aria-pressed', String(other === button)));
    });
  });
  beginsWork(start, find('.th-run-job'), () => send('/api/explore/runs', { every: Number(every) }));
  watchWork(element, 'diagnosis', (job, ended) => {
    start.setAttribute('aria-disabled', String(Boolean(job && job.status === 'running')));
    showJob(job);
    if (ended && job.status === 'done') {
      state.source = job.result.report || '';
      load();
    }
  });

  function front() {
    root.hidden = explore.view !== 'trust';
    if (!root.hidden && !data) load();
  }
  store.subscribe('explore', front);
  onTheme(() => {
    if (data && data.reports.length) rocs();
  });
  front();
}
