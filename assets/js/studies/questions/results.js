// People's accuracy on questions: by task with chance, by question, by person.
import { make } from '../../shared/dom.js';
import { button, card, percent, whole } from '../parts.js';
import { ranked } from '../results_parts.js';
import { csvButton, dataTable } from '../table.js';

const LISTED = 20;
const share = (value) => percent(value, 1);

/**
 * The rows of a summary: all questions, each task, and the mean of the tasks.
 * @param {Api.SummaryJson} summary
 */
function rowsOf({ questions }) {
  const { overall, tasks, macro } = questions;
  const named = (item) => ({ ...item, model: item.name });
  const several = tasks.length > 1;
  return [
    ...tasks.map(named),
    ...(several ? [named(overall)] : []),
    ...(several && macro ? [named(macro)] : []),
  ];
}

/** Chance of a row, as a mark on its line. @param {any} item */
const lineOf = (item) => (item.chance === null ? [0, 1] : [0, 1, item.chance]);

/** @param {Api.ComputedResults} data */
function byTask(data) {
  const part = ranked(
    data,
    'Accuracy',
    'How often people answered correctly, by task. “Cannot tell” counts as not correct. With 95% intervals; the tick is chance level.',
    rowsOf,
    (item) => item.share,
    {
      first: 'Task',
      below: true,
      file: 'share-right',
      line: lineOf,
      markOf: (item) => item.chance,
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
          cell: ({ included: item }) => {
            if (item.answers === undefined) return '–';
            const node = make('span', '', whole(item.answers));
            node.title = whole(item.questions) + ' questions, ' + whole(item.people) + ' people';
            return node;
          },
          heads: ['answers', 'questions', 'people', 'interval_over'],
          values: ({ included: item }) => [item.answers, item.questions, item.people, item.over],
        },
      ],
    },
  );
  const text = [...new Set(rowsOf(data.included).map((item) => item.over_words))].filter(Boolean);
  part.body.append(make('p', 'th-soft', 'Intervals: ' + text.join('; ') + '.'));
  return part;
}

/** How often each choice was taken, the right one marked. @param {any} row */
function choices(row) {
  const node = make('span', 'th-questions-choices');
  row.choices.forEach((choice, index) => {
    const count = row.counts[index];
    const item = make('span', index === row.right ? 'th-questions-right' : '');
    item.append(make('b', '', choice.letter), ' ' + choice.text + ' ', make('b', '', whole(count)));
    if (index === row.right) item.append(' ✓');
    item.dataset.none = String(!count);
    node.append(item);
  });
  if (row.skips) node.append(make('span', '', 'cannot tell ' + whole(row.skips)));
  return node;
}

/** The picture of a question, small. @param {any} row */
function imageNode(row) {
  const image = make('img', 'th-questions-thumb');
  image.src = '/media/thumbs/' + row.image + '.png?side=256';
  image.alt = '';
  image.loading = 'lazy';
  return image;
}

/** Every question with its answers, the ones that few got right first. @param {Api.ComputedResults} data */
function byQuestion(data) {
  const { answers } = data.included.questions;
  const rows = data.asked
    .map((item) => {
      const { counts, skips } = answers[item.case];
      const source = counts.reduce((sum, count) => sum + count, skips);
      return {
        ...item,
        counts,
        skips,
        of: source,
        share: source ? counts[item.right] / source : null,
      };
    })
    .filter((item) => item.of);
  rows.sort((a, b) => a.share - b.share || b.of - a.of);
  const part = card(
    'Question by question',
    'Questions with the most incorrect answers come first.',
  );
  const columns = [
    {
      name: 'Question',
      cell: (row) => {
        const node = make('span', 'th-questions-question');
        const text = make('span');
        text.append(make('b', '', row.words), make('small', '', row.task));
        node.append(imageNode(row), text);
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
        row.choices.map((choice, index) => choice.letter + ' ' + row.counts[index]).join('; '),
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
    made.classList.add('th-questions-table');
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

/** Everybody's own share. @param {Api.ComputedResults} data */
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
  part.body.firstElementChild?.classList.add('th-study-narrow');
  return part;
}

/** @param {Api.ComputedResults} data */
export const questionCards = (data) => [byTask(data), byQuestion(data), byPerson(data)];
