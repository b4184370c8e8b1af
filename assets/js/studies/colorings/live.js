// Progress of a study of colorings: by concept and person, time, flags, the most useful next.
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
  const note = make('p', 'th-study-note');
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
  const two = make('div', 'th-study-two');
  let all = false;
  let rendered = '';
  two.append(worth.node, people.node);

  const link = (row) => {
    const node = button(
      row.words,
      () => openGallery(current.study.id, row.case),
      'th-colorings-link',
    );
    node.title = 'Show all colorings';
    return node;
  };
  const progress = (row) => {
    const node = make('span', 'th-study-progress');
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
      cell: (row) => (row.flagged ? make('span', 'th-colorings-flag', '△ flagged') : ''),
      heads: ['flagged'],
      values: (row) => [row.flagged],
    },
  ];
  const PEOPLE = [
    {
      name: 'Person',
      cell: (row) =>
        make('span', 'th-study-name-of', row.label + (row.excluded ? ' (excluded)' : '')),
      heads: ['number'],
      values: (row) => [row.number + 1],
    },
    {
      name: 'Sketches',
      cell(row) {
        if (row.practice_waiting) return 'practice awaits review';
        if (!row.trials) return row.practice ? 'practicing' : '–';
        const node = make('span', 'th-study-progress');
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
  const more = (message, rest) =>
    button('Show ' + whole(rest) + ' more', () => {
      all = true;
      rendered = '';
      /** @type {HTMLElement} */ (document.activeElement)?.blur();
      draw(message);
    });
  function tables(message) {
    const shown = all ? message.concepts : message.concepts.slice(0, FIRST);
    const next = message.concepts
      .filter((row) => row.worth)
      .sort((a, b) => a.worth - b.worth)
      .slice(0, WORTH);
    concepts.head.querySelector('.th-button')?.remove();
    concepts.head.append(csvButton('concepts', COLUMNS, message.concepts));
    concepts.body.replaceChildren(dataTable(COLUMNS, shown, 'Progress by concept', true));
    if (shown.length < message.concepts.length)
      concepts.body.append(more(message, message.concepts.length - shown.length));
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
            message.status === 'computing'
              ? 'Measuring the colorings…'
              : 'Available after the first colorings.',
          ),
    );
    people.head.querySelector('.th-button')?.remove();
    people.head.append(csvButton('people', PEOPLE, message.people));
    const persons = all ? message.people : message.people.slice(0, FIRST_PEOPLE);
    people.body.replaceChildren(dataTable(PEOPLE, persons, 'Sketches by person', true));
    if (persons.length < message.people.length)
      people.body.append(more(message, message.people.length - persons.length));
  }
  function draw(message) {
    const waiting = message.practice_waiting.length;
    note.hidden = !waiting && !message.mismatches.length && !message.recolors_open.length;
    const parts = [];
    if (waiting)
      parts.push(
        many(waiting, 'person').replace('persons', 'people') +
          (waiting === 1
            ? ' has finished the practice and waits'
            : ' have finished the practice and wait') +
          ' for your review.',
      );
    if (message.recolors_open.length)
      parts.push(
        many(message.recolors_open.length, 'second coloring') + ' requested, not submitted yet.',
      );
    if (message.mismatches.length)
      parts.push(
        many(message.mismatches.length, 'coloring') +
          (message.mismatches.length === 1 ? ' replayed here differs' : ' replayed here differ') +
          ' from the participant’s image: ' +
          message.mismatches
            .slice(0, 4)
            .map((mismatch) => mismatch.words + ' of participant ' + (mismatch.number + 1))
            .join(', ') +
          '.',
      );
    const now = JSON.stringify(message) + all;
    if (now === rendered) return;
    rendered = now;
    note.replaceChildren(
      parts.join(' '),
      ...(waiting
        ? [
            button(
              'Review the practice',
              () => openStudy(current.study.id, 'practice'),
              'th-study-small',
            ),
          ]
        : []),
    );
    const { median, low, high } = message.seconds;
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
            (message.skips ? ' ' + many(message.skips, 'word') + ' not known.' : '') +
            (message.second ? ' ' + many(message.second, 'second coloring') + '.' : ''),
    );
    // A press that has begun, or a focus, stays.
    if (![concepts, worth, people].some((item) => item.body.contains(document.activeElement)))
      tables(message);
    else rendered = '';
  }
  return {
    note,
    nodes: [two, concepts.node],
    async poll() {
      draw(await ask(`${current.address}/colorings/progress`));
    },
  };
}
