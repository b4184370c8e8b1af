// One concept and its distributions side by side.
import { make, many, put } from '../shared/dom.js';
import { onTheme } from '../shared/figure.js';
import { ask } from '../shared/http.js';
import { opener } from '../shared/opening.js';
import { store } from '../shared/state.js';
import { conceptChooser } from './concept_chooser.js';
import { conceptControls } from './concept_controls.js';
import { dropField } from './concept_drop.js';
import { linkedFigures, percent } from './concept_figures.js';
import {
  DEFAULTS,
  MOST_SOURCES,
  conceptQuery,
  linkOf,
  ofLink,
  rowsOfConcept,
  takeUsual,
  viewQuery,
} from './concept_link.js';
import { markDialog } from './concept_mark.js';
import { movesList, numbersTable } from './concept_numbers.js';
import { copiesLink, saveButtons } from './concept_saves.js';
import { readyOf, sourceList } from './concept_sources.js';
import { extractionSteps, imagesOfBin } from './concept_steps.js';
import { compare, compareView, ofCompareLink, openCompare, openConceptRun } from './view.js';

/** @param {import('../shared/widget.js').Widget} widget */
export function mount(widget) {
  const { element } = widget;
  const openPicture = opener(widget);
  const box = element.querySelector('[data-compare-view]');
  const part = (name) => box.querySelector('.th-cc-' + name);
  /** @type {Record<string, any>} */
  const state = { concept: '', words: '', d: [], ...DEFAULTS };
  let known = null;
  let view = null;
  let chosen = null;
  let here = null;
  let asked = 0;
  let started = null;
  let stale = false;
  // Images that were on the page before the concept was chosen.
  let guests = [];

  const chooser = conceptChooser(box, (next) => go({ ...next, d: null }));
  const controls = conceptControls(box, { go, pair: () => state.pair, place });
  const figures = linkedFigures(box, { tell: sharesOf, open: openBin });
  const sources = sourceList(box, {
    bins: () => known.bins,
    changed: (d) => go({ d }),
    mark: (one) => mark(one),
    pool: (rows) => drop.pool(rows),
  });
  const mark = markDialog(box, {
    keep: (source, next) => go({ d: state.d.map((one) => (one === source ? next : one)) }),
    // Without a mask in the link its newest is taken: coming back, that is the one made there.
    inspect(one) {
      state.d = state.d.map((source) => (source === one.source ? source.split('/')[0] : source));
      publish(true);
      openPicture({
        opened: one.image.image_id,
        mask: one.image.mask_id,
        object: chosen ? chosen.words : '',
      });
    },
  });
  const drop = dropField(box, {
    concept: () => (chosen ? chosen.words : ''),
    room: () => MOST_SOURCES - state.d.length,
    // A file may hold other concepts than the one on the page: then the first of the file is opened.
    async add(full, made) {
      // As the choices write them: one that stands here is not offered again.
      const list = full.map((one) => one.replace(/^(\w+:[0-9a-f]{16})[0-9a-f]+/, '$1'));
      await concepts();
      const other = made && chosen && !(await holds(list[0]));
      if (made && (!chosen || other)) {
        go({
          concept: made.concept,
          words: made.concept ? '' : made.words,
          d: [...(chosen ? [] : state.d), ...list],
        });
        return;
      }
      go({ d: [...state.d, ...list].slice(0, MOST_SOURCES) });
    },
    pooled(singles, made) {
      go({
        ...(chosen ? {} : { concept: made.concept, words: made.concept ? '' : made.words }),
        d: [
          ...state.d.filter((one) => !singles.includes(one)),
          made.source.replace(/^(\w+:[0-9a-f]{16})[0-9a-f]+/, '$1'),
        ],
        fresh: true,
      });
    },
  });
  const openImages = imagesOfBin(box, { bins: () => known.bins, ask: query, openPicture });
  const steps = extractionSteps(box, {
    openPicture,
    bins: () => known.bins,
    ask: query,
    chose(source) {
      state.steps = source;
      publish();
    },
  });
  let numbers = null;
  let moves = null;

  // ── questions ────────────────────────────────────────────────────────────────────────────────
  function query(more) {
    return conceptQuery(state, more);
  }
  async function holds(source) {
    const found = await ask('/api/compare/choices?' + query({}));
    return found.choices.some((one) => one.source === source || source.startsWith(one.source));
  }
  async function begin() {
    started ||= ask('/api/compare/bins').then((answer) => {
      known = answer;
      figures.bins(known.bins);
      numbers = numbersTable(box, {
        bins: known.bins,
        metrics: known.metrics,
        inspectBin: openBin,
        choose: (pair) => go({ pair: place(pair.a) + '-' + place(pair.b) }),
      });
      moves = movesList(box, {
        bins: known.bins,
        hover: (bin) => figures.mark(bin, null),
        open: openBin,
      });
      controls.methods(known.methods, state.method);
    });
    started.catch(() => {
      started = null;
    });
    await started;
  }
  function place(source) {
    return state.d.indexOf(source);
  }
  async function concepts() {
    try {
      const answer = await ask('/api/compare/concepts');
      here = answer.here;
      chooser.fill(answer.concepts);
      problem('');
    } catch (error) {
      problem(error.message);
    }
  }
  function problem(words) {
    put(part('list-problem'), words);
    part('list-problem').hidden = !words;
  }

  // ── what is asked for changes ────────────────────────────────────────────────────────────────
  async function go(next) {
    const other =
      ('concept' in next || 'words' in next) &&
      (next.concept !== state.concept || (next.words || '') !== state.words);
    const kept = state.d;
    Object.assign(state, next);
    state.words ||= '';
    state.d ||= [];
    if (!('steps' in next) && !state.d.includes(state.steps)) state.steps = '';
    const mine = ++asked;
    try {
      await begin();
      const corrections = takeUsual(state, known);
      if (corrections.length) drop.say(corrections.join(' '), true);
      if (state.concept || state.words) {
        if (other || !chosen || next.d === null || next.fresh || stale) {
          stale = false;
          const answer = await ask('/api/compare/choices?' + query({}));
          if (mine !== asked) return;
          chosen = answer;
          chooser.show(answer);
          part('generate').hidden = !answer.concept;
          if (next.d === null) {
            const { rows, own, left } = rowsOfConcept(kept, answer);
            state.d = rows;
            guests = own.map((one) => one.split('/')[0]);
            state.pair = DEFAULTS.pair;
            if (left)
              drop.say(
                'At most six distributions fit: ' +
                  many(left, 'image') +
                  (left === 1 ? ' was' : ' were') +
                  ' not added.',
                true,
              );
          }
        }
      } else {
        chosen = null;
        guests = [];
      }
      delete state.fresh;
      sources.choices(chosen ? chosen.choices : []);
      await load(mine);
    } catch (error) {
      if (mine !== asked) return;
      delete state.fresh;
      problem(error.message);
      publish();
    }
  }
  async function load(mine) {
    publish();
    const something = Boolean(chosen) || state.d.length > 0;
    box.classList.add('th-cc-busy');
    try {
      view = something ? await ask('/api/compare/view?' + viewQuery(state)) : null;
    } finally {
      if (mine === asked) box.classList.remove('th-cc-busy');
    }
    if (mine !== asked) return;
    problem('');
    // Of a pair that is not there any more, the first two are shown.
    if (view) {
      state.pair = view.pair.join('-');
      publish();
    }
    await draw(mine);
    // The server measures images for a second at a time.
    if (mine === asked && view && view.distributions.some((one) => one.measuring)) await load(mine);
  }
  async function draw(mine) {
    const there = readyOf(view);
    const several = there.length > 1;
    part('start').hidden =
      Boolean(view) || Boolean(here && (here.people || here.runs || here.sets || here.images));
    front(several && there.length === 2);
    part('no-people').hidden =
      !chosen ||
      chosen.choices.some((one) => one.kind === 'people') ||
      there.some((one) => one.kind && !one.pictures);
    ['histograms', 'palettes', 'steps'].forEach((name) => {
      part(name).hidden = !there.length;
    });
    part('numbers').hidden = !several;
    part('pair').hidden = !several;
    part('planes').hidden = !(view && view.flow);
    moves.draw(view ? view.flow : null);
    chooser.rows(view ? view.distributions.length : 0);
    sources.draw(view ? view.distributions : [], chosen ? chosen.words : '', guests);
    part('method-label').hidden = !there.some((one) => one.pictures);
    if (!view) return;
    controls.draw(state, known.sorts, view.between);
    part('weights').href = '/api/compare/weights.csv?' + viewQuery(state);
    part('numbers-csv').href = '/api/compare/numbers.csv?' + viewQuery(state);
    if (several) {
      controls.pair(view, there);
      const [first, second] = view.pair;
      const labels = Object.fromEntries(view.distributions.map((one) => [one.source, one.label]));
      const pair = [first, second].sort().join('-');
      numbers.draw(
        view.pairs,
        (one) => [place(one.a), place(one.b)].sort().join('-') === pair,
        labels,
      );
      intervals(mine);
    }
    steps.draw(there, chosen ? chosen.words : '', state.steps);
    await figures.draw({ ...view.figures, flow: view.flow && view.flow.figure });
  }
  // What is dropped comes first where no concept was chosen, and of two alone what moves does.
  function front(two) {
    const beside = part('beside');
    const order = two
      ? ['pair', 'numbers', 'histograms', 'palettes']
      : ['histograms', 'numbers', 'pair', 'palettes'];
    box.classList.toggle('th-cc-empty', !view);
    if (chosen) {
      if (part('choose').nextElementSibling !== beside) part('choose').after(beside);
    } else if (box.firstElementChild !== beside) box.prepend(beside);
    if (part('start').nextElementSibling !== part(order[0]))
      part('start').after(...order.map(part));
  }
  async function intervals(mine) {
    // One pair after the other, the one on the page first.
    const front = (one) =>
      [place(one.a), place(one.b)].sort().join('-') === [...view.pair].sort().join('-');
    for (const pair of [...view.pairs].sort(
      (one, other) => Number(front(other)) - Number(front(one)),
    )) {
      try {
        const answer = await ask(
          '/api/compare/intervals?' + query({ d: [pair.a, pair.b].join(',') }),
        );
        if (mine !== asked) return;
        numbers.interval(answer);
      } catch (error) {
        if (mine === asked) numbers.problem(error.message);
        return;
      }
    }
  }
  function publish(open) {
    ofCompareLink('concept', linkOf(state, open ? null : view));
  }

  // ── bins ─────────────────────────────────────────────────────────────────────────────────────
  // The shares of a bin in all that are shown, for its name tag.
  function sharesOf(bin) {
    const table = make('table');
    readyOf(view).forEach((one) => {
      const row = make('tr');
      row.append(
        make('th', '', one.letter),
        make('td', 'th-cc-tip-label', one.label),
        make('td', '', percent(one.weights[bin])),
      );
      table.append(row);
    });
    return [table];
  }
  function openBin(bin) {
    if (view) openImages(bin, readyOf(view), chosen ? chosen.words : '');
  }

  // ── hands ────────────────────────────────────────────────────────────────────────────────────
  saveButtons(box, async (name, format) => {
    const words = (chosen ? chosen.words : 'images').replace(/[^a-z0-9]+/gi, '-');
    try {
      await figures.save(name, 'truehue-' + words + '-' + name, format);
    } catch (error) {
      problem('Saving the figure failed: ' + error.message);
    }
  });
  copiesLink(part('link'));
  box
    .querySelectorAll('.th-cc-go-people')
    .forEach((button) => button.addEventListener('click', () => openCompare('people')));
  box
    .querySelectorAll('.th-cc-go-run')
    .forEach((button) => button.addEventListener('click', () => openConceptRun()));
  part('generate').addEventListener('click', () => openConceptRun(chosen.words));
  box
    .querySelectorAll('.th-cc-go-own')
    .forEach((button) =>
      button.addEventListener('click', () => box.querySelector('.th-cc-drop input').click()),
    );
  onTheme(() => figures.again());
  store.subscribe('compare-sets', () => {
    here = null;
    stale = true;
    if (box.offsetParent !== null) concepts();
  });

  // Dropped beside the field, anywhere in the room: the same as into it.
  store.subscribe('dropped-here', (detail) => {
    if (compare.view !== 'concept') openCompare('concept');
    drop.took(detail.files);
  });
  compareView(element, 'concept', {
    async shown() {
      const values = compare.values.concept;
      await concepts();
      const next = ofLink(values);
      if (next.concept || next.words || next.d) go({ ...next, fresh: true });
      else {
        const mine = asked;
        try {
          await begin();
          chooser.begin();
          await draw(asked);
        } catch (error) {
          if (mine === asked) problem(error.message);
        }
      }
    },
  });
}
