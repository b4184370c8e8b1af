// Questions for people: a set of questions, its tasks, and how many of each.
import { make, many, put } from '../../shared/dom.js';
import { fieldsOf, part } from '../form_fields.js';
import { linkButton, nothing, whole } from '../parts.js';

/** The tasks that are asked: those named, or all that people are. @param {any} set @param {any} form */
const askedOf = (set, form) =>
  set.tasks.filter((task) => (form.tasks.length ? form.tasks.includes(task.id) : task.people));

/**
 * What a form begins with: the set of the link, else the newest.
 * @param {any} materials
 * @param {string} set an id, or empty
 */
export function firstSet(materials, set) {
  const sets = materials.question_sets || [];
  const result = sets.find((item) => item.id === set) || sets[0];
  return result ? result.id : '';
}

/** @param {{ form: any, materials: any, changed: () => void }} given */
export function questionsPart({ form, materials, changed }) {
  const sets = materials.question_sets || [];
  const node = part(
    1,
    'Questions for people',
    'People answer the same questions about the same images as the models in VLMs.',
  );
  if (!sets.length) {
    const box = nothing(
      'No question set yet',
      'Generate one in VLMs in about a minute: questions about generated images whose correct answers are known. Or import the published ColorBench set, or a folder made with “truehue vlm make”.',
      [linkButton('Generate a set in VLMs', '?tab=vlm')],
    );
    box.dataset.field = 'question_set';
    node.append(box);
    return { node };
  }
  const about = make('p', 'th-study-hint');
  const groups = make('div', 'th-study-groups');
  const tasks = make('div', 'th-study-field');
  const source = fieldsOf(form, changed);
  const select = source.select(
    'question_set',
    'Question set',
    sets.map((item) => ({
      id: item.id,
      name: item.name + ', ' + many(item.questions, 'question'),
    })),
  );
  tasks.dataset.field = 'tasks';
  tasks.append(groups);
  form.tasks ||= [];
  if (!sets.some((item) => item.id === form.question_set)) form.question_set = sets[0].id;
  select.querySelector('select').value = form.question_set;
  select.querySelector('select').addEventListener('change', () => {
    form.tasks = [];
    draw();
  });

  function draw() {
    const set = sets.find((item) => item.id === form.question_set) || sets[0];
    const left = set.tasks.filter((task) => !task.people).map((task) => task.name);
    put(
      about,
      many(set.images, 'image') +
        ', SHA-256 ' +
        set.sha256.slice(0, 12) +
        (left.length
          ? '. Excluded unless you select it: ' +
            left.join(', ') +
            ', which the paper did not show to people.'
          : ''),
    );
    groups.replaceChildren(
      make('span', 'th-study-label', 'Tasks'),
      ...set.tasks.map((task) => {
        const label = make('label', 'th-study-chip');
        const tick = make('input');
        tick.type = 'checkbox';
        tick.checked = askedOf(set, form).includes(task);
        tick.addEventListener('change', () => {
          const before = askedOf(set, form).map((item) => item.id);
          const next = tick.checked
            ? [...before, task.id]
            : before.filter((name) => name !== task.id);
          if (!next.length) {
            tick.checked = true;
            return;
          }
          const usual = set.tasks.filter((item) => item.people).map((item) => item.id);
          const same = usual.length === next.length && usual.every((id) => next.includes(id));
          form.tasks = same ? [] : next;
          changed();
        });
        label.append(tick, make('span', '', task.name), make('small', '', whole(task.questions)));
        return label;
      }),
    );
  }
  draw();
  node.append(
    select,
    about,
    tasks,
    source.number('number', 'Max. questions per task', {
      hint: '0 for all; 50 in ColorBench. Sampled with the seed; a larger number keeps the smaller sample.',
    }),
  );
  return { node };
}
