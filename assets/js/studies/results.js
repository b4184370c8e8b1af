// Results of votes: strengths with intervals, wins, reliability; before and after exclusion.
import { arrange, make } from '../shared/dom.js';
import {
  KINDS,
  button,
  cautionLine,
  decimal,
  nothing,
  percent,
  problemLine,
  stamp,
  whole,
} from './parts.js';
import { questionCards } from './questions/results.js';
import { exclusionWords, resultsOf } from './results_of.js';
import { groupChoice } from './survey_results.js';
import { byType, matrix, ranked, reliability, strengths, switched } from './results_parts.js';
import { onView, openStudy } from './view.js';

/**
 * @param {HTMLElement} box
 * @param {import('./study.js').Current} current
 */
export function resultsView(box, current) {
  const results = resultsOf(current);
  const line = problemLine();
  const top = make('section', 'th-card th-study-sum');
  const lead = make('p', 'th-study-lead');
  const text = make('p', 'th-soft');
  const body = make('div', 'th-study-view');
  const caution = cautionLine();
  const group = groupChoice(results);
  /** Of those whose answers count. @param {Api.ComputedResults} data */
  const cautionOf = (data) => (data.same ? data.everybody : data.included).caution;
  let rendered = '';
  text.setAttribute('role', 'status');
  top.append(lead, caution.node, text, group.node);

  function parts(data) {
    const { kind } = data.study;
    const made = [];
    if (kind === 'pairs') {
      made.push(strengths(data));
      if (data.everybody.against.length)
        made.push(
          switched(
            data,
            'Pairwise win rates',
            'How often people preferred the model in the row over the model in the column. A tie counts as half a win.',
            (summary) => matrix(summary, 'wins'),
          ),
        );
    }
    if (kind === 'ratings')
      made.push(
        ranked(
          data,
          'Ratings',
          'How people rated each model on average, from 0 to 10. Intervals: 95% over resampled participants.',
          (s) => s.ratings,
          (item) => item.mean,
          {
            file: 'ratings',
            line: [0, 10],
            format: (value) => decimal(value),
            axis: { title: 'mean rating', format: '.2f', range: [0, 10] },
            more: [
              {
                name: 'Ratings',
                right: true,
                cell: (row) => whole(row.included.ratings),
                values: (row) => [row.included.ratings],
              },
            ],
          },
        ),
      );
    if (kind === 'best-of')
      made.push(
        ranked(
          data,
          'First choices',
          'How often people chose each model as the best of those shown.',
          (s) => s.first_choices,
          (item) => item.share,
          {
            file: 'first-choices',
            line: [0, 1],
            format: (value) => percent(value, 1),
            axis: { title: 'share of first choices', format: '.0%', range: [0, 1] },
            more: [
              {
                name: 'Times',
                right: true,
                cell: (row) => whole(row.included.count),
                values: (row) => [row.included.count],
              },
            ],
          },
        ),
      );
    if (kind === 'questions') made.push(...questionCards(data));
    const types = byType(data);
    if (types) made.push(types);
    made.push(reliability(data));
    const caution = cautionOf(data);
    if (caution)
      made.forEach((part) => {
        const tag = make('span', 'th-leaderboard-tag', 'few people');
        tag.title = caution;
        part.head.querySelector('h3').after(tag);
      });
    return made.map((part) => part.node);
  }
  function show() {
    if (!onView('results')) return;
    const data = results.group ? results.narrowed : results.data;
    line.say(results.failed ? results.words : '');
    group.draw();
    if (!data) {
      lead.textContent = results.failed ? '' : results.words;
      text.textContent = '';
      caution.say('');
      // Whoever chose a group that cannot be shown chooses another.
      arrange(box, results.failed && !results.group ? [line] : [line, top]);
      return;
    }
    if (!data.everybody.answers) {
      arrange(box, [
        line,
        nothing(
          'No answers yet',
          current.study.kind === 'questions'
            ? 'Accuracy by task, compared with chance, and every question appear here after the first answers, before and after exclusion.'
            : 'Model strengths, agreement and your metrics’ accuracy appear here after the first answers, before and after exclusion.',
          [button('Open Live', () => openStudy(current.study.id, 'live'))],
        ),
      ]);
      return;
    }
    const who = data.same ? data.everybody : data.included;
    caution.say(cautionOf(data));
    lead.replaceChildren(
      exclusionWords(data) + ' ',
      make('b', '', whole(who.answers) + ' answers'),
      ' of ' + whole(who.wanted) + ' needed answers count. ',
    );
    if (!data.same || data.excluded.participants) {
      const people = button(
        'Show the people',
        () => openStudy(current.study.id, 'people'),
        'th-study-small',
      );
      lead.append(people);
    }
    text.textContent = [
      results.words,
      KINDS[data.study.kind],
      'computed ' + stamp(data.computed_at),
      [
        whole(data.replicates) + ' resamples',
        ...data.fewer_replicates.map(
          (fewer_Replicate) => fewer_Replicate.name + ' ' + whole(fewer_Replicate.replicates),
        ),
      ].join(', '),
      ...data.notes,
      data.erased ? data.erased + ' erased at their own request' : '',
    ]
      .filter(Boolean)
      .join(' · ');
    const now = data.key + document.body.className;
    if (now !== rendered) {
      rendered = now;
      body.replaceChildren(...parts(data));
    }
    arrange(box, [line, top, body]);
  }
  results.watch(show);
  return {
    shown() {
      results.look();
      show();
    },
  };
}
