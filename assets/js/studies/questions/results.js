// What people got right of questions: by task with chance beside it, question by question, by person.
import { make } from '../../shared/dom.js';
import { button, card, percent, whole } from '../parts.js';
import { ranked } from '../results_parts.js';
import { csvButton, dataTable } from '../table.js';

const LISTED = 20;
const share = (value) => percent(value, 1);

/** The rows of a summary: all questions, each task, and the mean of the tasks. @param {any} summary */
function rowsOf({ questions }) {
  const { overall, tasks, macro } = questions;
  const named = (one) => ({ ...one, model: one.name });
  const several = tasks.length > 1;
  return [
    ...tasks.map(named),
    ...(several ? [named(overall)] : []),
    ...(several && macro ? [named(macro)] : []),
  ];
}

/** Chance of a row, as a mark on its line. @param {any} one */
const lineOf = (one) => (one.chance === null ? [0, 1] : [0, 1, one.chance]);

/** @param {any} data */
function byTask(data) {
  const part = ranked(
    data,
    'Accuracy',
    'How often people answered correctly, by task. “Cannot tell” counts as not correct. With 95% intervals; the mark is chance.',
    rowsOf,
    (one) => one.share,
    {
      first: 'Task',
      below: true,
      file: 'share-right',
      line: lineOf,
      markOf: (one) => one.chance,
      format: share,
      axis: { title: 'accuracy', format: '.0%', range: [0, 1] },
      more: [
        {
          name: 'Chance',
          right: true,
          title: 'Accuracy of random guessing',
          cell: (row) => share(row.included.chance),
          heads: ['chance'],
          values: (row) => [row.included.chance],
        },
        {
          name: 'Without skips',
          right: true,
          title: 'Accuracy without “cannot tell” answers',
          cell: (row) => (row.included.told ? share(row.included.told.value) : '–'),
          heads: ['told', 'told_low', 'told_high'],
          values: ({ included: { told } }) =>
            told ? [told.value, told.low, told.high] : ['', '', ''],
        },
        {
          name: '“Cannot tell”',
          right: true,
          cell: (row) => (row.included.answers ? whole(row.included.skips) : '–'),
          heads: ['skips'],
          values: (row) => [row.included.skips],
        },
        {
          name: 'Answers',
          right: true,
          title: 'Number of questions and people',
          cell: ({ included: one }) => {
            if (one.answers === undefined) return '–';
            const node = make('span', '', whole(one.answers));
            node.title = whole(one.questions) + ' questions, ' + whole(one.people) + ' people';
            return node;
          },
          heads: ['answers', 'questions', 'people', 'interval_over'],
          values: ({ included: one }) => [one.answers, one.questions, one.people, one.over],
        },
      ],
    },
  );
  const words = [...new Set(rowsOf(data.included).map((one) => one.over_words))].filter(Boolean);
  part.body.append(make('p', 'th-soft', 'Intervals: ' + words.join('; ') + '.'));
  return part;
}

/** How often each choice was taken, the right one marked. @param {any} row */
function choices(row) {
  const node = make('span', 'th-jq-choices');
  row.choices.forEach((choice, place) => {
    const count = row.counts[place];
    const one = make('span', place === row.right ? 'th-jq-right' : '');
    one.append(make('b', '', choice.letter), ' ' + choice.text + ' ', make('b', '', whole(count)));
    if (place === row.right) one.append(' ✓');
    one.dataset.none = String(!count);
    node.append(one);
  });
  if (row.skips) node.append(make('span', '', 'cannot tell ' + whole(row.skips)));
  return node;
}

/** The picture of a question, small. @param {any} row */
function picture(row) {
  const image = make('img', 'th-jq-thumb');
  image.src = '/media/thumbs/' + row.image + '.png?side=256';
  image.alt = '';
  image.loading = 'lazy';
  return image;
}

/** Every question with its answers, the ones that few got right first. @param {any} data */
function byQuestion(data) {
  const { answers } = data.included.questions;
  const rows = data.asked
    .map((one) => {
      const { counts, skips } = answers[one.case];
      const of = counts.reduce((sum, count) => sum + count, skips);
      return { ...one, counts, skips, of, share: of ? counts[one.right] / of : null };
    })
    .filter((one) => one.of);
  rows.sort((a, b) => a.share - b.share || b.of - a.of);
  const part = card(
    'Question by question',
    'Questions with the most incorrect answers come first.',
  );
  const columns = [
    {
      name: 'Question',
      cell: (row) => {
        const node = make('span', 'th-jq-question');
        const words = make('span');
        words.append(make('b', '', row.words), make('small', '', row.task));
        node.append(picture(row), words);
        return node;
      },
      heads: ['question', 'task', 'words'],
      values: (row) => [row.case, row.task, row.words],
    },
    {
      name: 'Answers',
      cell: choices,
      heads: ['answers', 'right'],
      values: (row) => [
        row.choices.map((one, at) => one.letter + ' ' + row.counts[at]).join('; '),
        row.choices[row.right].letter,
      ],
    },
    {
      name: 'Correct',
      right: true,
      cell: (row) => percent(row.share) + ' of ' + whole(row.of),
      heads: ['share_right', 'number', 'skips'],
      values: (row) => [row.share, row.of, row.skips],
    },
  ];
  const draw = (some) => {
    const made = dataTable(columns, some, 'Answers to every question', true);
    made.classList.add('th-jq-table');
    return made;
  };
  let table = draw(rows.slice(0, LISTED));
  part.head.append(csvButton('questions', columns, rows));
  part.body.append(table);
  if (rows.length > LISTED) {
    const more = button('All ' + whole(rows.length) + ' questions', () => {
      const all = draw(rows);
      table.replaceWith(all);
      table = all;
      more.remove();
    });
    part.body.append(more);
  }
  return part;
}

/** Everybody's own share. @param {any} data */
function byPerson(data) {
  const rows = data.included.questions.by_person;
  const part = card(
    'By participant',
    'How often each included participant answered correctly. Participants are anonymous.',
  );
  const columns = [
    {
      name: 'Person',
      cell: (row) => 'Participant ' + (row.number + 1),
      heads: ['participant'],
      values: (row) => [row.number + 1],
    },
    {
      name: 'Correct',
      right: true,
      cell: (row) => percent(row.answers ? row.right / row.answers : null, 1),
      heads: ['right'],
      values: (row) => [row.right],
    },
    {
      name: 'Answers',
      right: true,
      cell: (row) => whole(row.answers),
      values: (row) => [row.answers],
    },
    {
      name: '“Cannot tell”',
      right: true,
      cell: (row) => whole(row.skips),
      heads: ['skips'],
      values: (row) => [row.skips],
    },
  ];
  part.head.append(csvButton('people', columns, rows));
  part.body.append(dataTable(columns, rows, 'Accuracy of each participant'));
  part.body.firstElementChild?.classList.add('th-jd-narrow');
  return part;
}

/** @param {any} data */
export const questionCards = (data) => [byTask(data), byQuestion(data), byPerson(data)];
