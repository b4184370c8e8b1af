// Questions about the participant, all on one page: choices, numbers, texts and scales.

import { actions, button, card, make } from './frame.js';
import { addWords, say } from './words.js';

/** @type {Record<string, string>} */
const english = {
  survey_before_title: 'A few questions about you',
  survey_after_title: 'A few last questions',
  survey_optional: '(optional)',
  survey_other: 'In my own words:',
  survey_missing: 'Please answer this question.',
  survey_number: 'Please enter a number.',
  survey_low: 'Please enter {n} or more.',
  survey_high: 'Please enter {n} or less.',
};

/**
 * Asks, and gives back the answers by id once all that are required are there.
 * @param {Api.SurveyItem[]} items
 * @param {'before' | 'after'} part
 * @returns {Promise<Record<string, unknown>>}
 */
export async function survey(items, part) {
  await addWords(english, () => import('./survey_words_de.js'));
  return new Promise((done) => {
    const questions = items.map((item) => question(item));
    const send = () => {
      const wrong = questions.filter((entry) => !entry.check());
      if (wrong.length) wrong[0].focus();
      else done(Object.fromEntries(questions.map((entry) => [entry.id, entry.value()])));
    };
    const form = make('form', 'survey');
    form.noValidate = true;
    form.append(...questions.map((entry) => entry.node));
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      send();
    });
    const submit = button(say('continue'), 'primary', () => {});
    submit.type = 'submit';
    form.append(actions(submit));
    card('survey', say(`survey_${part}_title`), [form]);
  });
}

/**
 * One question: its node, its answer, and whether that is one.
 * @param {Api.SurveyItem} item
 */
function question(item) {
  const field = FIELDS[item.form](item);
  const node = make('fieldset', 'survey-item');
  const title = make('legend', '', item.text);
  const problem = make('p', 'problem');
  problem.id = `survey-${item.id}-problem`;
  problem.setAttribute('role', 'alert');
  if (!item.required) title.append(' ', make('small', 'small', say('survey_optional')));
  node.append(title, ...field.nodes, problem);
  const inputs = /** @type {HTMLElement[]} */ ([...node.querySelectorAll('input, textarea')]);
  const describe = (/** @type {string} */ text) => {
    problem.textContent = text;
    for (const input of inputs) {
      input.toggleAttribute('aria-invalid', Boolean(text));
      if (text) input.setAttribute('aria-describedby', problem.id);
      else input.removeAttribute('aria-describedby');
    }
  };
  node.addEventListener('input', () => problem.textContent && describe(missing()));
  const missing = () => {
    const value = field.value();
    const empty = value === null || value === '' || (Array.isArray(value) && !value.length);
    if (empty && item.required) return say('survey_missing');
    return empty ? '' : field.wrong?.(value) || '';
  };
  return {
    id: item.id,
    node,
    value: field.value,
    check() {
      describe(missing());
      return !problem.textContent;
    },
    focus: () => inputs[0].focus(),
  };
}

/**
 * @typedef {{ nodes: Node[], value: () => unknown, wrong?: (value: any) => string }} Field
 * @type {Record<string, (item: Api.SurveyItem) => Field>}
 */
const FIELDS = { single: choices, multiple: choices, scale, number, text };

/** @param {Api.SurveyItem} item */
function choices(item) {
  const type = item.form === 'single' ? 'radio' : 'checkbox';
  const list = make('div', 'survey-choices');
  const boxes = item.choices.map((text) => option(item.id, type, text));
  list.append(...boxes.map((entry) => entry.label));
  const own = item.other ? option(item.id, type, say('survey_other')) : null;
  const words = make('input');
  if (own) {
    words.type = 'text';
    words.maxLength = 200;
    words.setAttribute('aria-label', say('survey_other'));
    words.addEventListener('input', () => {
      own.box.checked = words.value !== '' || own.box.checked;
    });
    own.label.append(words);
    list.append(own.label);
  }
  return {
    nodes: [list],
    value() {
      /** @type {(number | string)[]} */
      const chosen = boxes.flatMap((entry, index) => (entry.box.checked ? [index] : []));
      if (own?.box.checked && words.value.trim()) chosen.push(words.value.trim());
      return item.form === 'multiple' ? chosen : (chosen[0] ?? null);
    },
  };
}

/** @param {string} id @param {string} type @param {string} text */
function option(id, type, text) {
  const label = make('label', 'survey-choice');
  const box = make('input');
  box.type = type;
  box.name = id;
  label.append(box, make('span', '', text));
  return { box, label };
}

/** @param {Api.SurveyItem} item */
function scale(item) {
  const list = make('div', 'survey-scale');
  const boxes = Array.from({ length: item.steps }, (_, index) =>
    option(item.id, 'radio', String(index + 1)),
  );
  const [first, last] = item.ends;
  if (first) boxes[0].box.setAttribute('aria-label', '1, ' + first);
  if (last) boxes[item.steps - 1].box.setAttribute('aria-label', `${item.steps}, ${last}`);
  list.append(...boxes.map((entry) => entry.label));
  const ends = make('p', 'small survey-ends');
  ends.setAttribute('aria-hidden', 'true');
  ends.append(make('span', '', first), make('span', '', last));
  return {
    nodes: first || last ? [list, ends] : [list],
    value: () => boxes.findIndex((entry) => entry.box.checked) + 1 || null,
  };
}

/** @param {Api.SurveyItem} item */
function number(item) {
  const input = make('input');
  input.type = 'text';
  input.inputMode = 'decimal';
  input.setAttribute('aria-label', item.text);
  const read = () => Number(input.value.trim().replace(',', '.'));
  return {
    nodes: [input],
    value: () => (input.value.trim() ? read() : null),
    wrong(value) {
      if (!Number.isFinite(value)) return say('survey_number');
      if (item.low !== null && value < item.low) return say('survey_low', { n: item.low });
      if (item.high !== null && value > item.high) return say('survey_high', { n: item.high });
      return '';
    },
  };
}

/** @param {Api.SurveyItem} item */
function text(item) {
  const input = make('textarea');
  input.rows = 2;
  input.maxLength = 2000;
  input.setAttribute('aria-label', item.text);
  return { nodes: [input], value: () => input.value.trim() };
}
