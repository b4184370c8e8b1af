// Can the measure be trusted? A report of the diagnosis: rates with intervals, ROC, where it goes
// wrong, images; and running it again on this machine.
import { make, options, put, strip } from '../shared/dom.js';
import { figure, onTheme } from '../shared/figure.js';
import { ask, send } from '../shared/http.js';
import { beginsWork, watchWork, workLine } from '../shared/jobs.js';
import { opener } from '../shared/opening.js';
import { store } from '../shared/state.js';
import { toast } from '../shared/toast.js';
import { examplesView } from './rule_accuracy_examples.js';
import { partsColumns } from './rule_accuracy_parts.js';
import { peopleTable, ratesTable, reliabilityTable } from './rule_accuracy_rates.js';
import { ringView } from './rule_accuracy_ring.js';
import { explore, ofLink, restored } from './view.js';

/** On a phone a legend inside would hide the curves. @param {any} chart */
function legendBelow(chart) {
  const height = 28 * chart.series.filter(({ name }) => name).length;
  return {
    ...chart,
    height: chart.height + height,
    margin: { ...chart.margin, b: chart.margin.b + height },
    legend: { orientation: 'v', x: 0, y: -0.2, xanchor: 'left', yanchor: 'top' },
  };
}

/** @param {import('../shared/widget.js').Widget} widget */
export function mount(widget) {
  const { element } = widget;
  const openPicture = opener(widget);
  const root = element.querySelector('.th-accuracy');
  const find = (name) => root.querySelector(name);
  const linked = restored('rule_accuracy');
  const state = {
    source: linked.get('source') || '',
    set: linked.get('set') || 'pooled',
    rule: linked.get('rule') || '',
    system: linked.get('system') || 'l2',
    what: linked.get('what') === 'false' ? 'false' : 'hit',
  };
  /** @type {Api.RuleAccuracyView | null} */
  let data = null;
  let request = 0;
  let every = '10';

  function tell() {
    ofLink('rule_accuracy', {
      source: data && data.source && data.reports[0].id !== data.source ? data.source : '',
      set: state.set === 'pooled' ? '' : state.set,
      rule: state.rule,
      system: state.system === 'l2' ? '' : state.system,
      what: state.what === 'hit' ? '' : state.what,
    });
  }
  async function load() {
    const mine = ++request;
    try {
      const answer = await ask(
        `/api/explore/report?${new URLSearchParams({ source: state.source, set: state.set })}`,
      );
      if (mine !== request) return;
      data = answer;
      draw();
    } catch (error) {
      empty('The report cannot be shown. ' + error.message);
    }
  }
  function empty(text, command) {
    const box = find('.th-accuracy-empty');
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
        'No report yet. Run the diagnosis below, or in a terminal, and copy its report.json to assets/diagnosis:',
        data.command,
      );
      tell();
      return;
    }
    empty('');
    state.source = data.source;
    state.set = data.set;
    if (!data.rows.some((row) => row.id === state.rule)) {
      if (state.rule) toast(`This report has no rule “${state.rule.slice(0, 40)}”.`);
      state.rule = data.rows[0].id;
    }
    if (!data.systems.some((system) => system.id === state.system))
      state.system = data.systems[0].id;
    const source = find('.th-accuracy-source');
    source.hidden = data.reports.length < 2;
    options(source.querySelector('select'), data.reports, data.source);
    strip(find('.th-accuracy-sets'), data.sets, state.set, (id) => {
      state.set = id;
      load();
    });
    put(find('.th-accuracy-words'), data.set_words);
    put(
      find('.th-accuracy-about'),
      data.name + ' · ' + data.about + '. Intervals are 95% (Wilson).',
    );
    find('.th-accuracy-table').replaceChildren(...ratesTable(data, state.rule, chooseRule));
    find('.th-accuracy-csv').href =
      `/api/explore/report.csv?${new URLSearchParams({ source: state.source, set: state.set })}`;
    find('.th-accuracy-reliability').replaceChildren(...reliabilityTable(data.traced.sets));
    put(find('.th-accuracy-people p:last-of-type'), data.people.words);
    find('.th-accuracy-people table').replaceChildren(...peopleTable(data.people.rows));
    rocs();
    parts();
    examples.draw(data, measuredRules(), state.rule);
    tell();
  }
  find('.th-accuracy-source select').addEventListener('change', (event) => {
    state.source = event.target.value;
    load();
  });
  function measuredRules() {
    return data.rows.filter((row) => Object.keys(row.cells).length);
  }
  function chooseRule(id) {
    state.rule = id;
    chosen();
  }
  const examples = examplesView(find('.th-accuracy-examples'), { openPicture, choose: chooseRule });
  function chosen() {
    root
      .querySelectorAll('.th-rule')
      .forEach((button) =>
        button.setAttribute('aria-pressed', String(button.dataset.rule === state.rule)),
      );
    parts();
    examples.draw(data, measuredRules(), state.rule);
    tell();
  }

  // ── ROC ──────────────────────────────────────────────────────────────────────────────────────
  function rocs() {
    const box = find('.th-accuracy-figures');
    data.systems.forEach((system) => {
      let card = box.querySelector('[data-system="' + system.id + '"]');
      if (!card) {
        card = make('div');
        card.dataset.system = system.id;
        const plot = make('div', 'th-figure');
        plot.setAttribute('role', 'img');
        plot.setAttribute('aria-label', 'True accept rate over false accept rate, ' + system.name);
        card.append(make('h4', '', system.name), plot);
        box.appendChild(card);
      }
      const chart = data.roc[system.id];
      figure(
        card.querySelector('.th-figure'),
        window.innerWidth > 620 ? chart : legendBelow(chart),
      );
    });
  }

  // ── where it goes wrong ──────────────────────────────────────────────────────────────────────
  function parts() {
    strip(find('.th-parts-system'), data.systems, state.system, (id) => {
      state.system = id;
      chosen();
    });
    root
      .querySelectorAll('[data-what]')
      .forEach((button) =>
        button.setAttribute('aria-pressed', String(button.dataset.what === state.what)),
      );
    find('.th-parts').replaceChildren(...partsColumns(data.breakdowns, measuredRules(), state));
  }
  root.querySelectorAll('[data-what]').forEach((button) =>
    button.addEventListener('click', () => {
      state.what = button.dataset.what;
      chosen();
    }),
  );

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
  beginsWork(start, find('.th-run-job'), () =>
    send('/api/explore/runs', { every: every === '1' ? 1 : 10 }),
  );
  watchWork(element, 'diagnosis', (job, ended) => {
    start.setAttribute('aria-disabled', String(Boolean(job && job.status === 'running')));
    showJob(job);
    if (ended && job.status === 'done') {
      state.source = job.result.report || '';
      load();
    }
  });

  const ring = ringView(element, find('.th-ring'));
  function front() {
    root.hidden = explore.view !== 'rule_accuracy';
    if (!root.hidden && !data) load();
    if (!root.hidden) ring.open();
  }
  store.subscribe('explore', front);
  onTheme(() => {
    if (data && data.reports.length) rocs();
    ring.redraw();
  });
  front();
}
