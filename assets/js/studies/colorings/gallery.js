// All colorings of one concept: images, colors, participants, and their status.
import { arrange, make, many, options, put } from '../../shared/dom.js';
import { ask } from '../../shared/http.js';
import { button, card, decimal, nothing, problemLine, whole } from '../parts.js';
import { studyView, onView, openStudy, publishStudies } from '../view.js';
import { coloringCard } from './coloring_card.js';
import { colorStrip } from './histogram.js';

const AGAIN_MS = 1200;
const FLAG = '△ ';

/** As the beginning of a sentence. @param {string} text */
const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/**
 * @param {HTMLElement} box
 * @param {import('../study.js').Current} current
 */
export function galleryView(box, current) {
  const part = card(
    'Gallery',
    'All colorings of one concept. A discarded coloring does not count; you can include it again.',
  );
  const line = problemLine();
  const bar = make('div', 'th-colorings-chooser');
  const select = make('select');
  const before = button('‹', () => step(-1));
  const after = button('›', () => step(1));
  const about = make('div', 'th-colorings-concept');
  const grid = make('div', 'th-colorings-gallery');
  const said = make('span', 'th-soft');
  /** @type {any[]} */
  let concepts = [];
  let timer;
  let request = 0;
  let rendered = '';

  select.setAttribute('aria-label', 'Concept');
  before.setAttribute('aria-label', 'Previous concept');
  after.setAttribute('aria-label', 'Next concept');
  said.setAttribute('role', 'status');
  bar.append(before, select, after, said);
  part.body.append(bar, line, about, grid);
  select.addEventListener('change', () => go(select.value));

  function go(id) {
    studyView.concept = id;
    publishStudies();
    load();
  }
  function step(by) {
    const index = concepts.findIndex((concept) => concept.case === studyView.concept);
    const next = concepts[(index + by + concepts.length) % concepts.length];
    if (next) go(next.case);
  }
  function choices() {
    options(
      select,
      concepts.map((concept) => ({
        id: concept.case,
        name:
          (concept.flagged ? FLAG : '') +
          concept.words +
          ' · ' +
          whole(concept.before?.colorings ?? concept.colorings) +
          (concept.before?.emd_lab === null || concept.before === undefined
            ? ''
            : ' · EMD ' + decimal(concept.before.emd_lab, 1)),
      })),
      studyView.concept || '',
    );
  }
  /** @param {any} concept @param {any[]} rows */
  function summary(concept, rows) {
    const node = make('div', 'th-colorings-head');
    const text = make('p');
    const firsts = rows.filter((row) => row.purpose === 'trial');
    const left = firsts.filter((row) => row.kept === false).length;
    text.append(
      make('b', '', concept.words),
      ': ' + many(firsts.length, 'coloring') + (left ? ', ' + left + ' excluded' : '') + '. ',
    );
    if (concept.before) {
      const { emd_lab: emd, why } = concept.before;
      text.append(
        emd === null || emd === undefined
          ? sentence(why || '')
          : 'Mean EMD between two colorings ' + decimal(emd, 1) + ' ΔE*ab',
        concept.after && concept.after.emd_lab !== null && concept.after.emd_lab !== emd
          ? ', included only ' + decimal(concept.after.emd_lab, 1)
          : '',
        '. ',
      );
      if (concept.flagged)
        text.append(
          make(
            'span',
            'th-colorings-flag',
            FLAG + 'flagged: among the concepts with the least consensus.',
          ),
        );
    }
    node.append(text);
    if (concept.colors?.length) {
      const strip = make('div', 'th-colorings-of-people');
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
  /** @param {any} message @param {any} answer */
  function draw(message, answer) {
    const concept = concepts.find((item) => item.case === studyView.concept);
    const rows = answer.colorings.filter((row) => row.purpose !== 'training');
    put(said, answer.status === 'computing' ? answer.progress?.words || 'Measuring…' : '');
    choices();
    const now = JSON.stringify([concept, rows]);
    if (now === rendered) return;
    rendered = now;
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
    const mine = ++request;
    try {
      const message = await ask(`${current.address}/quality`);
      if (mine !== request) return;
      if (message.quality) concepts = message.quality.concepts;
      else if (!concepts.length)
        concepts = (await ask(`${current.address}/colorings/progress`)).concepts;
      if (mine !== request) return;
      if (!concepts.length) {
        arrange(box, [
          nothing('No colorings yet', 'Colorings appear here as participants submit them.', [
            button('Open Live', () => openStudy(current.study.id, 'live')),
          ]),
        ]);
        return;
      }
      if (!concepts.some((concept) => concept.case === studyView.concept)) {
        studyView.concept = concepts[0].case;
        publishStudies();
      }
      const answer = await ask(
        `${current.address}/colorings?case=${encodeURIComponent(studyView.concept || '')}`,
      );
      if (mine !== request) return;
      line.say('');
      draw(message, answer);
      arrange(box, [part.node]);
      if (message.status === 'computing' || answer.status === 'computing')
        timer = setTimeout(load, AGAIN_MS);
    } catch (error) {
      if (mine !== request) return;
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
