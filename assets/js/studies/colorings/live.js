// How far a study of colorings is: by concept and person, time, flags, and what is worth most next.
import { make, many, put } from '../../shared/dom.js';
import { ask } from '../../shared/http.js';
import { bar, button, card, whole } from '../parts.js';
import { csvButton, dataTable } from '../table.js';
import { openGallery, openStudy } from '../view.js';
import { clock } from './coloring_card.js';
import { SURE } from './quality_parts.js';

const WORTH = 8;
const FIRST = 40;
const FIRST_PEOPLE = 12;

/** @param {import('../study.js').Current} current */
export function coloringLive(current) {
  const note = make('p', 'th-jd-note');
  // Until there is something to say: an empty one is a frame around nothing.
  note.hidden = true;
  const worth = card(
    'Most useful next colorings',
    'One more coloring of the first concepts reduces uncertainty most.',
  );
  const concepts = card('Concepts');
  const people = card(
    'Sketches by person',
    'How many sketches each participant colored, how long they took, and flags.',
  );
  const two = make('div', 'th-jd-two');
  let all = false;
  let drawn = '';
  two.append(worth.node, people.node);

  const link = (row) => {
    const node = button(row.words, () => openGallery(current.study.id, row.case), 'th-jc-link');
    node.title = 'Show all colorings';
    return node;
  };
  const progress = (row) => {
    const node = make('span', 'th-jd-progress');
    node.append(
      make('span', '', row.colorings + ' of ' + row.wanted),
      bar(row.colorings, row.wanted, 'Colorings of ' + row.words),
    );
    return node;
  };
  const COLUMNS = [
    {
      name: 'Concept',
      cell: link,
      heads: ['concept', 'case', 'category'],
      values: (row) => [row.words, row.case, row.group],
    },
    {
      name: 'Colorings',
      cell: progress,
      heads: ['colorings', 'wanted'],
      values: (row) => [row.colorings, row.wanted],
    },
    {
      name: 'Time',
      right: true,
      title: 'Median active time per sketch',
      cell: (row) => clock(row.seconds.median),
      heads: ['seconds_median'],
      values: (row) => [row.seconds.median],
    },
    {
      name: 'Word not known',
      right: true,
      cell: (row) => (row.skips ? whole(row.skips) : '–'),
      heads: ['skips'],
      values: (row) => [row.skips],
    },
    SURE,
    {
      name: '',
      cell: (row) => (row.flagged ? make('span', 'th-jc-flag', '△ flagged') : ''),
      heads: ['flagged'],
      values: (row) => [row.flagged],
    },
  ];
  const PEOPLE = [
    {
      name: 'Person',
      cell: (row) => make('span', 'th-jd-name-of', row.label + (row.excluded ? ' (excluded)' : '')),
      heads: ['number'],
      values: (row) => [row.number + 1],
    },
    {
      name: 'Sketches',
      cell(row) {
        if (row.practice_waiting) return 'practice awaits review';
        if (!row.trials) return row.practice ? 'practicing' : '–';
        const node = make('span', 'th-jd-progress');
        node.append(
          make('span', '', row.colorings + ' of ' + row.trials),
          bar(row.colorings, row.trials, 'Sketches of ' + row.label),
        );
        return node;
      },
      heads: ['colorings', 'trials', 'second'],
      values: (row) => [row.colorings, row.trials, row.second],
    },
    {
      name: 'Time',
      right: true,
      cell: (row) => clock(row.seconds.median),
      heads: ['seconds_median'],
      values: (row) => [row.seconds.median],
    },
    {
      name: 'Flagged',
      right: true,
      title: 'Colorings of concepts with the least consensus',
      cell: (row) => (row.flagged ? whole(row.flagged) : '–'),
      heads: ['flagged'],
      values: (row) => [row.flagged],
    },
  ];
  const more = (told, rest) =>
    button('Show ' + whole(rest) + ' more', () => {
      all = true;
      drawn = '';
      /** @type {HTMLElement} */ (document.activeElement)?.blur();
      draw(told);
    });
  function tables(told) {
    const shown = all ? told.concepts : told.concepts.slice(0, FIRST);
    const next = told.concepts
      .filter((row) => row.worth)
      .sort((a, b) => a.worth - b.worth)
      .slice(0, WORTH);
    concepts.head.querySelector('.th-button')?.remove();
    concepts.head.append(csvButton('concepts', COLUMNS, told.concepts));
    concepts.body.replaceChildren(dataTable(COLUMNS, shown, 'Progress by concept', true));
    if (shown.length < told.concepts.length)
      concepts.body.append(more(told, told.concepts.length - shown.length));
    worth.body.replaceChildren(
      next.length
        ? dataTable(
            [COLUMNS[0], COLUMNS[1], COLUMNS[4]],
            next,
            'Concepts by the value of the next coloring',
            true,
          )
        : make(
            'p',
            'th-soft',
            told.status === 'computing'
              ? 'Measuring the colorings…'
              : 'Available after the first colorings.',
          ),
    );
    people.head.querySelector('.th-button')?.remove();
    people.head.append(csvButton('people', PEOPLE, told.people));
    const persons = all ? told.people : told.people.slice(0, FIRST_PEOPLE);
    people.body.replaceChildren(dataTable(PEOPLE, persons, 'Sketches by person', true));
    if (persons.length < told.people.length)
      people.body.append(more(told, told.people.length - persons.length));
  }
  function draw(told) {
    const waiting = told.practice_waiting.length;
    note.hidden = !waiting && !told.mismatches.length && !told.recolors_open.length;
    const words = [];
    if (waiting)
      words.push(
        many(waiting, 'person').replace('persons', 'people') +
          (waiting === 1
            ? ' has finished the practice and waits'
            : ' have finished the practice and wait') +
          ' for your review.',
      );
    if (told.recolors_open.length)
      words.push(
        many(told.recolors_open.length, 'second coloring') + ' requested, not submitted yet.',
      );
    if (told.mismatches.length)
      words.push(
        many(told.mismatches.length, 'coloring') +
          (told.mismatches.length === 1 ? ' replayed here differs' : ' replayed here differ') +
          ' from the participant’s image: ' +
          told.mismatches
            .slice(0, 4)
            .map((one) => one.words + ' of participant ' + (one.number + 1))
            .join(', ') +
          '.',
      );
    const now = JSON.stringify(told) + all;
    if (now === drawn) return;
    drawn = now;
    note.replaceChildren(
      words.join(' '),
      ...(waiting
        ? [
            button(
              'Review the practice',
              () => openStudy(current.study.id, 'practice'),
              'th-jd-small',
            ),
          ]
        : []),
    );
    const { median, low, high } = told.seconds;
    put(
      concepts.head.querySelector('.th-soft') || concepts.head.appendChild(make('span', 'th-soft')),
      median === null
        ? ''
        : 'Median time per sketch: ' +
            clock(median) +
            ' (half of them ' +
            clock(low) +
            ' to ' +
            clock(high) +
            ').' +
            (told.skips ? ' ' + many(told.skips, 'word') + ' not known.' : '') +
            (told.second ? ' ' + many(told.second, 'second coloring') + '.' : ''),
    );
    // A press that has begun, or a focus, stays.
    if (![concepts, worth, people].some((one) => one.body.contains(document.activeElement)))
      tables(told);
    else drawn = '';
  }
  return {
    note,
    nodes: [two, concepts.node],
    async poll() {
      draw(await ask(current.address + '/colorings/progress'));
    },
  };
}
