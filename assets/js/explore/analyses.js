// The linked analyses: figures of the slice beside the wall. Choosing a part of one narrows the
// slice; each figure looks at everything but its own choice, so that another one can be made.
import { arrange, make, put, strip } from '../shared/dom.js';
import { figure, onTheme } from '../shared/figure.js';
import { figureCard } from '../shared/figure_card.js';
import { ask } from '../shared/http.js';
import { places } from '../shared/links.js';
import { store } from '../shared/state.js';
import { publishSlice, setSlice, sliceQuery } from './filters.js';
import { explore, onBack, openView, restored } from './view.js';

/** @param {HTMLElement} box */
export function linkedAnalyses(box) {
  const NAMES = [
    ['categories', 'Categories'],
    ['basic', 'Basic names'],
    ['modifiers', 'By modifier'],
    ['confusion', 'Confusion matrix'],
    ['drift', 'Color shift'],
    ['found', 'Measured colors'],
    ['hues', 'Hue and chroma'],
    ['rules', 'Rules'],
  ];
  const AT_ONCE = 2;
  const linked = restored('failures');
  const known = NAMES.map(([name]) => name);
  let shown = (linked.get('fig') || '')
    .split(',')
    .filter((name) => known.includes(name))
    .slice(0, AT_ONCE);
  if (!shown.length) shown = ['categories'];
  // How a figure is drawn, such as rows of the category map, by its parameter's name.
  const ways = { rows: linked.get('rows') || '', by: linked.get('by') || '' };
  const cards = new Map();

  // ── the choice of figures ──────────────────────────────────────────────────────────────────
  const chooser = make('div', 'th-strip th-analyses-names');
  chooser.setAttribute('role', 'group');
  chooser.setAttribute('aria-label', 'Figures, two at a time');
  NAMES.forEach(([name, text]) => {
    const button = make('button', '', text);
    button.type = 'button';
    button.dataset.figure = name;
    button.addEventListener('click', () => {
      if (!shown.includes(name)) shown = [...shown, name].slice(-AT_ONCE);
      else if (shown.length > 1) shown = shown.filter((item) => item !== name);
      else return;
      arranged();
      publish();
    });
    chooser.append(button);
  });
  function publish() {
    explore.figureLink = { fig: shown.join(',') === 'categories' ? '' : shown.join(','), ...ways };
    publishSlice();
  }
  function arranged() {
    [...chooser.children].forEach((button) =>
      button.setAttribute('aria-pressed', String(shown.includes(button.dataset.figure))),
    );
    shown.forEach((name) => {
      if (!cards.has(name)) cards.set(name, card(name));
    });
    arrange(box, [chooser, ...shown.map((name) => cards.get(name).node)]);
    shown.forEach((name) => cards.get(name).need());
  }

  // ── one figure ─────────────────────────────────────────────────────────────────────────────
  function card(name) {
    const choices = make('span', 'th-strip');
    const published = make('section', 'th-analysis-published');
    const publishedTitle = make('h4');
    const publishedWords = make('p', 'th-soft');
    const publishedPlot = make('div', 'th-figure');
    const audit = make('button', 'th-button', 'Rule disagreements');
    const drawn = figureCard({
      csv: () => '/api/explore/figures/' + name + '.csv?' + query(),
      file: ({ rule }) => 'truehue-' + name + '-' + rule,
      fit: narrowed,
      choose,
    });
    const { node, stands } = drawn;
    /** @type {Api.FigureView | null} */
    let data = null;
    let stale = true;
    let request = 0;
    // What the slice was before a part of this figure was chosen, to go back to.
    let before = null;
    node.dataset.figure = name;
    audit.type = 'button';
    audit.title = 'Stored images that two rules have scored, side by side';
    audit.hidden = name !== 'rules';
    choices.setAttribute('role', 'group');
    choices.setAttribute('aria-label', 'How the figure is shown');
    stands.setAttribute('role', 'status');
    publishedPlot.setAttribute('role', 'img');
    drawn.head.append(choices);
    drawn.foot.append(audit);
    published.append(publishedTitle, publishedWords, publishedPlot);
    node.append(published);

    // A part of a figure that is chosen is a place of its own, to come back from.
    const narrow = (changes) => {
      places.went();
      setSlice(changes);
    };
    const equal = (value, now) =>
      Array.isArray(value) ? value.join(',') === now.join(',') : value === now;
    const used = (pick) =>
      Object.entries(pick).every(([field, value]) => equal(value, explore.slice[field]));
    function choose(index) {
      const pick = data.picks[index];
      if (!pick) return;
      if (used(pick)) {
        const back = Object.fromEntries(
          Object.keys(pick).map((field) => [field, (before || {})[field] ?? '']),
        );
        // A rule there is always.
        if (!back.rule) delete back.rule;
        before = null;
        narrow(back);
        return;
      }
      // One choice after another goes back to what was before the first, in one step.
      const fields = [...new Set([...Object.keys(pick), ...Object.keys(before || {})])];
      const saved = before || {};
      before = Object.fromEntries(
        fields.map((field) => [field, field in saved ? saved[field] : explore.slice[field]]),
      );
      const others = Object.fromEntries(
        Object.keys(saved)
          .filter((field) => !(field in pick))
          .map((field) => [field, saved[field]]),
      );
      narrow({ ...others, ...pick });
    }
    function query() {
      const values = new URLSearchParams(sliceQuery());
      if (before && 'runs' in before) values.set('among', before.runs.join(',') || '*');
      if (name === 'categories' && ways.rows) values.set('rows', ways.rows);
      if (name === 'drift' && ways.by) values.set('by', ways.by);
      return values.toString();
    }
    function need() {
      // A choice that was taken back elsewhere is none to go back from.
      if (before && data && !data.picks.some(used)) before = null;
      stale = true;
      if (visible()) load();
    }
    async function load() {
      const mine = ++request;
      stale = false;
      node.setAttribute('aria-busy', 'true');
      try {
        const answer = await ask(`/api/explore/figures/${name}?${query()}`);
        if (mine !== request) return;
        data = answer;
        await draw();
      } catch (error) {
        if (mine !== request) return;
        data = null;
        tell('The figure cannot be shown. ' + error.message);
      }
      if (mine === request) node.removeAttribute('aria-busy');
    }
    function tell(reason) {
      drawn.tell(reason);
      published.hidden = true;
    }
    async function draw() {
      strip(choices, data.options, data.value || (data.options[0] || { id: '' }).id, (id) => {
        ways[data.option] = ways[data.option] === id ? '' : id;
        publish();
        need();
      });
      await drawn.show(data);
      published.hidden = !data.published;
      if (data.published) {
        put(publishedTitle, data.published.title);
        put(publishedWords, data.published.words);
        publishedTitle.title = publishedWords.title = data.published.source;
        publishedPlot.setAttribute('aria-label', data.published.title);
        figure(publishedPlot, data.published.figure);
      }
    }
    audit.addEventListener('click', () => openView('disagreements'));
    return {
      node,
      need,
      again: () => {
        if (stale && visible()) load();
      },
      redraw: () => {
        if (data && !data.empty && visible()) draw();
      },
      spoil: () => {
        stale = true;
      },
    };
  }

  // Where names would cover each other, their swatches have to do.
  function narrowed(chart, width) {
    if (width >= 420 || !chart.across || chart.across.length < 20) return chart;
    return { ...chart, x: { ...chart.x, showticklabels: false } };
  }
  // ── the whole ──────────────────────────────────────────────────────────────────────────────
  onBack('failures', (query) => {
    const wanted = (query.get('fig') || 'categories')
      .split(',')
      .filter((name) => known.includes(name))
      .slice(0, AT_ONCE);
    const before = JSON.stringify([shown, ways]);
    if (wanted.length) shown = wanted;
    Object.assign(ways, { rows: query.get('rows') || '', by: query.get('by') || '' });
    if (JSON.stringify([shown, ways]) === before) return;
    explore.figureLink = { fig: shown.join(',') === 'categories' ? '' : shown.join(','), ...ways };
    arranged();
  });
  const visible = () => box.offsetParent !== null && explore.view === 'failures';
  const each = (call) =>
    shown.forEach((name) => {
      if (cards.has(name)) call(cards.get(name));
    });
  store.subscribe('slice', () => {
    cards.forEach((item) => item.spoil());
    each((item) => item.need());
  });
  // Runs that moved on bring other numbers: the figures take them up together with the images.
  store.subscribe('fresh', () => {
    cards.forEach((item) => item.spoil());
    each((item) => item.again());
  });
  store.subscribe('explore', () => each((item) => item.again()));
  new IntersectionObserver((seen) => {
    if (seen.some((entry) => entry.isIntersecting)) each((item) => item.again());
  }).observe(chooser);
  onTheme(() => each((item) => item.redraw()));
  explore.figureLink = { fig: shown.join(',') === 'categories' ? '' : shown.join(','), ...ways };
  arranged();
}
