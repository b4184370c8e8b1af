// One concept and its distributions side by side.
import { make, many, put, table } from '../shared/dom.js';
import { onTheme } from '../shared/figure.js';
import { ask, send } from '../shared/http.js';
import { opener } from '../shared/opening.js';
import { store } from '../shared/state.js';
import { conceptChooser } from './concept_chooser.js';
import { conceptControls } from './concept_controls.js';
import { dropField } from './concept_drop.js';
import { linkedFigures, percent } from './concept_figures.js';
import {
  DEFAULTS,
  MAX_SOURCES,
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
  const part = (name) => box.querySelector('.th-concept-' + name);
  /** @type {Record<string, any>} */
  const state = { concept: '', words: '', d: [], ...DEFAULTS };
  let known = null;
  /** @type {Api.ConceptView | null} */
  let view = null;
  /** @type {Api.ConceptChoices | null} */
  let chosen = null;
  let current = null;
  let request = 0;
  let started = null;
  let stale = false;
  // Images that were on the page before the concept was chosen.
  let guests = [];
  // Whether the concept is the one that the room opens with: what is dropped takes its place.
  let example = false;

  const chooser = conceptChooser(box, (next) => go({ ...next, d: null }));
  const controls = conceptControls(box, { go, pair: () => state.pair, place: arrange });
  const figures = linkedFigures(box, { tell: sharesOf, open: openBin });
  const sources = sourceList(box, {
    bins: () => known.bins,
    changed: (d) => go({ d }),
    mark: (item) => mark(item),
    pool: (rows) => drop.pool(rows),
  });
  const mark = markDialog(box, {
    keep: (source, next) => go({ d: state.d.map((item) => (item === source ? next : item)) }),
    // Without a mask in the link its newest is taken: coming back, that is the one made there.
    inspect(item) {
      state.d = state.d.map((source) => (source === item.source ? source.split('/')[0] : source));
      publish(true);
      openPicture({
        image: item.image.image_id,
        mask: item.image.mask_id,
        object: chosen ? chosen.words : '',
      });
    },
  });
  const drop = dropField(box, {
    concept: () => (chosen && !example ? chosen.words : ''),
    room: () => MAX_SOURCES - (example ? 0 : state.d.length),
    // A file may hold other concepts than the one on the page: then the first of the file is opened.
    async add(full, made) {
      // As the choices write them: one that stands here is not offered again.
      const list = full.map((item) => item.replace(/^(\w+:[0-9a-f]{16})[0-9a-f]+/, '$1'));
      await concepts();
      if (example && !made) {
        example = false;
        chooser.begin();
        go({ concept: '', words: '', d: list });
        return;
      }
      const other = made && chosen && !(await holds(list[0]));
      if (made && (!chosen || other)) {
        go({
          concept: made.concept,
          words: made.concept ? '' : made.words,
          d: [...(chosen ? [] : state.d), ...list],
        });
        return;
      }
      go({ d: [...state.d, ...list].slice(0, MAX_SOURCES) });
    },
    pooled(singles, made) {
      go({
        ...(chosen ? {} : { concept: made.concept, words: made.concept ? '' : made.words }),
        d: [
          ...state.d.filter((item) => !singles.includes(item)),
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
    const result = await ask(`/api/compare/choices?${query({})}`);
    return result.choices.some(
      (choice) => choice.source === source || source.startsWith(choice.source),
    );
  }
  async function begin() {
    started ||= ask('/api/compare/bins').then((answer) => {
      known = answer;
      figures.bins(known.bins);
      numbers = numbersTable(box, {
        bins: known.bins,
        metrics: known.metrics,
        inspectBin: openBin,
        choose: (pair) => go({ pair: arrange(pair.a) + '-' + arrange(pair.b) }),
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
  function arrange(source) {
    return state.d.indexOf(source);
  }
  async function concepts() {
    try {
      const answer = await ask('/api/compare/concepts');
      current = answer.here;
      chooser.fill(answer.concepts);
      problem('');
    } catch (error) {
      problem(error.message);
    }
  }
  function problem(text) {
    put(part('list-problem'), text);
    part('list-problem').hidden = !text;
  }

  // ── what is asked for changes ────────────────────────────────────────────────────────────────
  async function go(next) {
    const other =
      ('concept' in next || 'words' in next) &&
      (next.concept !== state.concept || (next.words || '') !== state.words);
    const saved = state.d;
    if (other && state.concept) example = false;
    Object.assign(state, next);
    state.words ||= '';
    state.d ||= [];
    if (!('steps' in next) && !state.d.includes(state.steps)) state.steps = '';
    const mine = ++request;
    try {
      await begin();
      const corrections = takeUsual(state, known);
      if (corrections.length) drop.say(corrections.join(' '), true);
      if (state.concept || state.words) {
        if (other || !chosen || next.d === null || next.fresh || stale) {
          stale = false;
          const answer = await ask(`/api/compare/choices?${query({})}`);
          if (mine !== request) return;
          chosen = answer;
          chooser.show(answer);
          part('generate').hidden = !answer.concept;
          if (next.d === null) {
            const { rows, own, left } = rowsOfConcept(saved, answer);
            state.d = rows;
            guests = own.map((item) => item.split('/')[0]);
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
        part('generate').hidden = true;
      }
      delete state.fresh;
      sources.choices(chosen ? chosen.choices : []);
      await load(mine);
    } catch (error) {
      if (mine !== request) return;
      delete state.fresh;
      problem(error.message);
      publish();
    }
  }
  async function load(mine) {
    publish();
    const something = Boolean(chosen) || state.d.length > 0;
    box.classList.add('th-concept-busy');
    try {
      view = something ? await ask(`/api/compare/view?${viewQuery(state)}`) : null;
    } finally {
      if (mine === request) box.classList.remove('th-concept-busy');
    }
    if (mine !== request) return;
    problem('');
    // Of a pair that is not there any more, the first two are shown.
    if (view) {
      state.pair = view.pair.join('-');
      publish();
    }
    await draw(mine);
    // The server measures images for a second at a time.
    if (
      mine === request &&
      view &&
      view.distributions.some((distribution) => distribution.measuring)
    )
      await load(mine);
  }
  async function draw(mine) {
    const there = readyOf(view);
    const several = there.length > 1;
    part('start').hidden =
      Boolean(view) ||
      Boolean(current && (current.people || current.runs || current.sets || current.images));
    front(several && there.length === 2);
    part('no-people').hidden =
      !chosen ||
      chosen.choices.some((choice) => choice.kind === 'people') ||
      there.some((item) => item.kind && !item.pictures);
    ['histograms', 'palettes', 'steps'].forEach((name) => {
      part(name).hidden = !there.length;
    });
    part('numbers').hidden = !several;
    part('pair').hidden = !several;
    part('planes').hidden = !(view && view.flow);
    moves.draw(view ? view.flow : null);
    chooser.rows(view ? view.distributions.length : 0);
    sources.draw(view ? view.distributions : [], chosen ? chosen.words : '', guests);
    part('method-label').hidden = part('method-note').hidden = !there.some((item) => item.pictures);
    if (!view) return;
    controls.draw(state, known.sorts, view.between);
    part('weights').href = '/api/compare/weights.csv?' + viewQuery(state);
    part('numbers-csv').href = '/api/compare/numbers.csv?' + viewQuery(state);
    if (several) {
      controls.pair(view, there);
      const [first, second] = view.pair;
      const labels = Object.fromEntries(
        view.distributions.map((distribution) => [distribution.source, distribution.label]),
      );
      const pair = [first, second].sort().join('-');
      numbers.draw(
        view.pairs,
        (item) => [arrange(item.a), arrange(item.b)].sort().join('-') === pair,
        labels,
      );
      intervals(mine);
    }
    steps.draw(there, chosen ? chosen.words : '', state.steps);
    await figures.draw({ ...view.figures, flow: view.flow && view.flow.figure });
  }
  // What is dropped comes first where no concept was chosen, and of two alone what moves does.
  function front(two) {
    const others = part('beside');
    const order = two
      ? ['pair', 'numbers', 'histograms', 'palettes']
      : ['histograms', 'numbers', 'pair', 'palettes'];
    box.classList.toggle('th-concept-empty', !view);
    if (chosen) {
      if (part('choose').nextElementSibling !== others) part('choose').after(others);
    } else if (box.firstElementChild !== others) box.prepend(others);
    if (part('start').nextElementSibling !== part(order[0]))
      part('start').after(...order.map(part));
  }
  async function intervals(mine) {
    // One pair after the other, the one on the page first.
    const front = (item) =>
      [arrange(item.a), arrange(item.b)].sort().join('-') === [...view.pair].sort().join('-');
    for (const pair of [...view.pairs].sort(
      (item, other) => Number(front(other)) - Number(front(item)),
    )) {
      try {
        const answer = await ask(
          `/api/compare/intervals?${query({ d: [pair.a, pair.b].join(',') })}`,
        );
        if (mine !== request) return;
        numbers.interval(answer);
      } catch (error) {
        if (mine === request) numbers.problem(error.message);
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
    const rows = readyOf(view).map((item) => [
      item.letter,
      make('td', 'th-concept-tip-label', item.label),
      percent(item.weights[bin]),
    ]);
    return [table('', [], rows)];
  }
  function openBin(bin) {
    if (view) openImages(bin, readyOf(view), chosen ? chosen.words : '');
  }

  // ── hands ────────────────────────────────────────────────────────────────────────────────────
  saveButtons(box, async (name, format) => {
    const text = (chosen ? chosen.words : 'images').replace(/[^a-z0-9]+/gi, '-');
    try {
      await figures.save(name, 'truehue-' + text + '-' + name, format);
    } catch (error) {
      problem('Saving the figure failed: ' + error.message);
    }
  });
  copiesLink(part('link'));
  box
    .querySelectorAll('.th-concept-go-people')
    .forEach((button) => button.addEventListener('click', () => openCompare('people')));
  box
    .querySelectorAll('.th-concept-go-run')
    .forEach((button) => button.addEventListener('click', () => openConceptRun()));
  part('generate').addEventListener('click', () => openConceptRun(chosen.words));
  box
    .querySelectorAll('.th-concept-go-own')
    .forEach((button) =>
      button.addEventListener('click', () => box.querySelector('.th-concept-drop input').click()),
    );
  onTheme(() => figures.again());
  store.subscribe('compare-sets', () => {
    current = null;
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
        const mine = request;
        try {
          await begin();
          chooser.begin();
          drop.say('Looking for something to show…');
          const { concept } = await send('/api/compare/example', {});
          drop.say('');
          if (mine !== request) return;
          example = Boolean(concept);
          if (example) go({ concept, d: null, fresh: true });
          else await draw(request);
        } catch (error) {
          if (mine === request) problem(error.message);
        }
      }
    },
  });
}
