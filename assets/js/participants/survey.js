// Questions about the participant, all on one page: choices, numbers, texts and scales.

import { actions, button, card, make } from './frame.js';
import { say } from './texts.js';

/**
 * Asks, and gives back the answers by id once all that are required are there.
 * @param {Api.SurveyItem[]} items
 * @param {'before' | 'after'} part
 * @returns {Promise<Record<string, unknown>>}
 */
export async function survey(items, part) {
  return new Promise((done) => {
    const questions = items.map((item) => question(item));
    const send = () => {
      const wrong = questions.filter((entry) => !entry.check());
      if (wrong.length) wrong[0].focus();
      else done(Object.fromEntries(questions.map((entry) => [entry.id, entry.value()])));
    };
    const form = make('form', 'survey');
    form.noValidate = true;
    const both = items.some((item) => item.required) && items.some((item) => !item.required);
    if (both) form.append(make('p', 'small', say('survey_needed')));
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
  if (!item.required) title.append(' ', make('small', 'small', say('survey_optional')));
  node.append(title, ...field.nodes, problem);
  const inputs = /** @type {any[]} */ ([...node.querySelectorAll('input, textarea')]);
  // A choice of several is required of all together, which HTML cannot say.
  for (const input of inputs)
    if (item.required && input.type !== 'checkbox' && input !== field.own) input.required = true;
  const describe = (/** @type {string} */ text) => {
    problem.textContent = text;
    for (const input of inputs) {
      if (text) input.setAttribute('aria-invalid', 'true');
      else input.removeAttribute('aria-invalid');
      if (text) input.setAttribute('aria-describedby', problem.id);
      else input.removeAttribute('aria-describedby');
    }
  };
  node.addEventListener('input', () => problem.textContent && describe(missing()));
  const missing = () => {
    if (field.own && !field.own.value.trim() && field.choosesOwn?.()) return say('survey_write');
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
    focus: () => (field.choosesOwn?.() && field.own ? field.own : inputs[0]).focus(),
  };
}

/**
 * @typedef {{ nodes: Node[], value: () => unknown, wrong?: (value: any) => string,
 *   own?: HTMLInputElement, choosesOwn?: () => boolean }} Field `own`: where participants write what
 *   is no choice
 * @type {Record<string, (item: Api.SurveyItem) => Field>}
 */
const FIELDS = { single: choices, multiple: choices, scale, number, text };

/** @param {Api.SurveyItem} item */
function choices(item) {
  const type = item.form === 'single' ? 'radio' : 'checkbox';
  const list = make('div', 'survey-choices');
  const boxes = item.choices.map((text) => option(item.id, type, text));
  list.append(...boxes.map((entry) => entry.label));
  const other = item.other ? option(item.id, type, say('survey_other')) : null;
  const ownText = make('input');
  if (other) {
    ownText.type = 'text';
    ownText.maxLength = 200;
    ownText.setAttribute('aria-label', say('survey_other'));
    ownText.addEventListener('input', () => {
      other.box.checked = ownText.value !== '' || other.box.checked;
    });
    const line = make('div', 'survey-own');
    line.append(other.label, ownText);
    list.append(line);
  }
  return {
    nodes: [list],
    own: other ? ownText : undefined,
    choosesOwn: () => Boolean(other?.box.checked),
    value() {
      /** @type {(number | string)[]} */
      const chosen = boxes.flatMap((entry, index) => (entry.box.checked ? [index] : []));
      if (other?.box.checked && ownText.value.trim()) chosen.push(ownText.value.trim());
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
  // With their numbers: a long scale has two lines on a phone.
  ends.append(
    make('span', '', first && '1: ' + first),
    make('span', '', last && item.steps + ': ' + last),
  );
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
  // One separator and three digits may be thousands, or thousandths: nobody can tell.
  const isNumber = /^[-+]?\d+([.,](\d{1,2}|\d{4,}))?$/;
  const read = () => {
    const typed = input.value.trim();
    return isNumber.test(typed) ? Number(typed.replace(',', '.')) : NaN;
  };
  const { low, high } = item;
  const range = make('p', 'small');
  if (low !== null && high !== null) range.textContent = say('survey_range', { low, high });
  return {
    nodes: range.textContent ? [range, input] : [input],
    value: () => (input.value.trim() ? read() : null),
    wrong(value) {
      if (!Number.isFinite(value)) return say('survey_number');
      if (low !== null && value < low) return say('survey_low', { n: low });
      if (high !== null && value > high) return say('survey_high', { n: high });
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
