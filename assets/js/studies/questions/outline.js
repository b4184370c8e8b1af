// The preview of a study of questions: numbers by task, and a question as people see it.
import { make } from '../../shared/dom.js';
import { facts, whole } from '../parts.js';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** @param {any[]} tasks @param {boolean} [source] whether to say of how many */
export const taskWords = (tasks, source) =>
  tasks
    .map(
      (task) =>
        task.name +
        ' ' +
        whole(task.questions) +
        (source && task.of > task.questions ? ' of ' + whole(task.of) : ''),
    )
    .join(', ');

/** @param {Api.Outline} made what the form makes */
export function questionFacts(made) {
  const { set, tasks } = made.questions;
  return facts([
    ['Set', set.name],
    ['Questions', whole(made.cases.chosen) + ' of ' + whole(set.questions)],
    ['By task', taskWords(tasks, true)],
    ['Answers', whole(made.votes_wanted) + ', ' + made.votes_a_stimulus + ' per question'],
    ['Questions per person', whole(made.trials_a_person) + ', checks included'],
  ]);
}

/** @param {Api.Outline} made @param {any} form */
export function questionSample(made, form) {
  const { sample } = made.questions;
  const node = make('figure', 'th-study-sample th-questions-sample');
  const image = make('img');
  const answers = make('div', 'th-study-answers');
  image.src = sample.image;
  image.alt = 'Image of the question';
  image.loading = 'lazy';
  const yesNo = sample.form === 'binary';
  answers.append(
    ...sample.choices.map((text, index) => {
      const item = make('span');
      item.append(make('b', '', yesNo ? 'YN'[index] : LETTERS[index]), ' ' + text);
      return item;
    }),
    ...(form.skip ? [make('span', '', 'I cannot tell')] : []),
  );
  node.append(make('p', 'th-study-sample-words', sample.words), image, answers);
  return node;
}
