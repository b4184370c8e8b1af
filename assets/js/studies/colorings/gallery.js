// All colorings of one concept: pictures, their colors, whose, and what becomes of each.
import { arrange, make, many, options, put } from '../../shared/dom.js';
import { ask } from '../../shared/http.js';
import { button, card, decimal, nothing, problemLine, whole } from '../parts.js';
import { judge, onView, openStudy, publishJudge } from '../view.js';
import { coloringCard } from './coloring_card.js';
import { colorStrip } from './histogram.js';

const AGAIN_MS = 1200;
const FLAG = '△ ';

/** As the beginning of a sentence. @param {string} words */
const sentence = (words) => words.charAt(0).toUpperCase() + words.slice(1);

/**
 * @param {HTMLElement} box
 * @param {import('../study.js').Current} current
 */
export function galleryView(box, current) {
  const part = card('Gallery');
  const line = problemLine();
  const bar = make('div', 'th-jc-chooser');
  const select = make('select');
  const before = button('‹', () => step(-1));
  const after = button('›', () => step(1));
  const about = make('div', 'th-jc-concept');
  const grid = make('div', 'th-jc-gallery');
  const said = make('span', 'th-soft');
  /** @type {any[]} */
  let concepts = [];
  let timer;
  let asked = 0;
  let drawn = '';

  select.setAttribute('aria-label', 'Concept');
  before.setAttribute('aria-label', 'Previous concept');
  after.setAttribute('aria-label', 'Next concept');
  said.setAttribute('role', 'status');
  bar.append(before, select, after, said);
  part.body.append(bar, line, about, grid);
  select.addEventListener('change', () => go(select.value));

  function go(id) {
    judge.concept = id;
    publishJudge();
    load();
  }
  function step(by) {
    const at = concepts.findIndex((one) => one.case === judge.concept);
    const next = concepts[(at + by + concepts.length) % concepts.length];
    if (next) go(next.case);
  }
  function choices() {
    options(
      select,
      concepts.map((one) => ({
        id: one.case,
        name:
          (one.flagged ? FLAG : '') +
          one.words +
          ' · ' +
          whole(one.before?.colorings ?? one.colorings) +
          (one.before?.emd_lab === null || one.before === undefined
            ? ''
            : ' · EMD ' + decimal(one.before.emd_lab, 1)),
      })),
      judge.concept || '',
    );
  }
  /** @param {any} concept @param {any[]} rows */
  function summary(concept, rows) {
    const node = make('div', 'th-jc-head');
    const words = make('p');
    const firsts = rows.filter((row) => row.purpose === 'trial');
    const left = firsts.filter((row) => row.kept === false).length;
    words.append(
      make('b', '', concept.words),
      ': ' + many(firsts.length, 'coloring') + (left ? ', ' + left + ' excluded' : '') + '. ',
    );
    if (concept.before) {
      const { emd_lab: emd, why } = concept.before;
      words.append(
        emd === null || emd === undefined
          ? sentence(why || '')
          : 'Mean EMD between two colorings ' + decimal(emd, 1) + ' ΔE*ab',
        concept.after && concept.after.emd_lab !== null && concept.after.emd_lab !== emd
          ? ', included only ' + decimal(concept.after.emd_lab, 1)
          : '',
        '. ',
      );
      if (concept.flagged)
        words.append(
          make(
            'span',
            'th-jc-flag',
            FLAG + 'flagged: among the concepts with the least consensus.',
          ),
        );
    }
    node.append(words);
    if (concept.colors?.length) {
      const strip = make('div', 'th-jc-of-people');
      strip.append(
        make(
          'small',
          '',
          'People’s colors of this concept in 71 bins, over all included colorings',
        ),
        colorStrip(concept.colors, 'People’s colors of ' + concept.words),
      );
      node.append(strip);
    }
    return node;
  }
  /** @param {any} told @param {any} answer */
  function draw(told, answer) {
    const concept = concepts.find((one) => one.case === judge.concept);
    const rows = answer.colorings.filter((row) => row.purpose !== 'training');
    put(said, answer.status === 'computing' ? answer.progress?.words || 'Measuring…' : '');
    choices();
    const now = JSON.stringify([concept, rows]);
    if (now === drawn) return;
    drawn = now;
    about.replaceChildren(summary(concept, rows));
    const firsts = new Map(rows.map((row) => [row.participant + ' ' + row.position, row]));
    const seconds = new Set(
      rows
        .filter((row) => row.purpose === 'second')
        .map((row) => row.participant + ' ' + row.original),
    );
    grid.replaceChildren(
      ...rows.map((row) =>
        coloringCard(row, {
          address: current.address,
          again: load,
          line,
          first: row.purpose === 'second' ? firsts.get(row.participant + ' ' + row.original) : null,
          answered: seconds.has(row.participant + ' ' + row.position),
        }),
      ),
    );
    if (!rows.length)
      grid.append(
        nothing(
          'No colorings of this concept yet',
          'Concepts with the fewest colorings are assigned first.',
          [],
        ),
      );
  }
  async function load() {
    clearTimeout(timer);
    if (!box.isConnected || !onView('gallery')) return;
    const mine = ++asked;
    try {
      const told = await ask(current.address + '/quality');
      if (mine !== asked) return;
      if (told.quality) concepts = told.quality.concepts;
      else if (!concepts.length)
        concepts = (await ask(current.address + '/colorings/progress')).concepts;
      if (mine !== asked) return;
      if (!concepts.length) {
        arrange(box, [
          nothing('No colorings yet', 'Colorings appear here as participants submit them.', [
            button('Open Live', () => openStudy(current.study.id, 'live')),
          ]),
        ]);
        return;
      }
      if (!concepts.some((one) => one.case === judge.concept)) {
        judge.concept = concepts[0].case;
        publishJudge();
      }
      const answer = await ask(
        current.address + '/colorings?case=' + encodeURIComponent(judge.concept || ''),
      );
      if (mine !== asked) return;
      line.say('');
      draw(told, answer);
      arrange(box, [part.node]);
      if (told.status === 'computing' || answer.status === 'computing')
        timer = setTimeout(load, AGAIN_MS);
    } catch (error) {
      if (mine !== asked) return;
      line.say('The colorings cannot be shown. ' + error.message);
      arrange(box, [line]);
    }
  }
  return {
    shown() {
      if (!box.children.length) box.append(make('p', 'th-soft', 'Reading colorings…'));
      load();
    },
  };
}
