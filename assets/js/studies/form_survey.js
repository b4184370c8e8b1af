// Questions about participants in the form of a study, before and after the trials.
import { make } from '../shared/dom.js';
import { fieldsOf, part, row } from './form_fields.js';
import { button } from './parts.js';

const PARTS = { before: 'Before the trials', after: 'After the trials' };
const CHOICES = ['single', 'multiple'];

/** A question that nobody has written yet. */
const EMPTY = {
  text: '',
  form: 'single',
  choices: [],
  other: false,
  required: false,
  personal: false,
  low: null,
  high: null,
  steps: 7,
  ends: ['', ''],
};

/**
 * @param {{ form: any, presets: Api.PresetsView, changed: () => void }} given
 * @param {number} number of the part
 */
export function surveyPart({ form, presets, changed }, number) {
  const node = part(
    number,
    'Questions about participants',
    'Such as age, profession or screen. Say in the consent text what you ask, and why.',
  );
  form.survey ||= {};
  for (const name of Object.keys(PARTS)) form.survey[name] ||= [];
  const pages = Object.keys(PARTS).map((name) => page(form, presets, name, changed));
  pages[0].dataset.field = 'survey';
  node.append(...pages);
  return node;
}

/**
 * Takes questions that nobody changed into another language.
 * @param {any} survey
 * @param {Api.PresetsView} presets
 * @param {string} before
 * @param {string} now
 */
export function translateSurvey(survey, presets, before, now) {
  const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
  for (const name of Object.keys(PARTS))
    survey[name] = (survey[name] || []).map((item) => {
      const preset = presets.survey.presets.find(({ items }) => same(items[before], item));
      return preset?.items[now] ? structuredClone(preset.items[now]) : item;
    });
}

/** An id that no other question has. @param {any} survey @param {string} wanted */
function freeId(survey, wanted) {
  const taken = new Set([...survey.before, ...survey.after].map((item) => item.id));
  if (!taken.has(wanted)) return wanted;
  let count = 2;
  while (taken.has(`${wanted}_${count}`)) count += 1;
  return `${wanted}_${count}`;
}

/** The questions of one page. */
function page(form, presets, name, changed) {
  const box = make('section', 'th-study-survey');
  const list = make('ol', 'th-study-survey-items');
  const items = form.survey[name];
  const add = make('select');
  add.setAttribute('aria-label', 'Add a question ' + PARTS[name].toLowerCase());
  const names = [
    'Add a question…',
    ...presets.survey.presets.map((preset) => preset.name),
    'Your own question',
  ];
  add.replaceChildren(...names.map((text, index) => new Option(text, String(index))));
  add.addEventListener('change', () => {
    const preset = presets.survey.presets[Number(add.value) - 1];
    const item = preset
      ? preset.items[form.language] || preset.items.en
      : { ...EMPTY, id: 'question' };
    items.push({ ...structuredClone(item), id: freeId(form.survey, String(item.id)) });
    add.value = '0';
    draw();
    changed();
    if (!preset) list.lastElementChild?.querySelector('input')?.focus();
  });
  function move(from, to) {
    items.splice(to, 0, ...items.splice(from, 1));
    draw();
    changed();
    /** @type {HTMLElement} */ (list.children[to]).focus();
  }
  function entry(item, index) {
    const line = make('li', 'th-study-survey-item');
    line.tabIndex = -1;
    line.dataset.field = `survey.${name}.${index}`;
    const prefix = `survey-${name}-${index}-`;
    const source = fieldsOf(item, changed, prefix);
    const details = make('div', 'th-study-survey-details');
    const answerForm = source.select(
      'form',
      'Answer',
      Object.entries(presets.survey.forms).map(([id, text]) => ({ id, name: text })),
    );
    answerForm.querySelector('select').addEventListener('change', fill);
    function fill() {
      details.replaceChildren();
      if (CHOICES.includes(item.form)) {
        const lines = { choices: item.choices.join('\n') };
        const choices = fieldsOf(
          lines,
          () => {
            item.choices = lines.choices
              .split('\n')
              .map((text) => text.trim())
              .filter(Boolean);
            changed();
          },
          prefix,
        );
        details.append(
          choices.text('choices', 'Choices, one a line', {
            rows: Math.max(3, item.choices.length),
          }),
          source.check('other', 'Participants may answer in their own words'),
        );
      }
      if (item.form === 'number')
        details.append(row(source.number('low', 'Smallest'), source.number('high', 'Largest')));
      if (item.form === 'scale') {
        const ends = { first: item.ends[0], last: item.ends[1] };
        const texts = fieldsOf(
          ends,
          () => {
            item.ends = [ends.first, ends.last];
            changed();
          },
          prefix,
        );
        details.append(
          row(
            source.number('steps', 'Steps', { empty: 7 }),
            texts.text('first', 'At the first step', { placeholder: 'not at all' }),
            texts.text('last', 'At the last step', { placeholder: 'very much' }),
          ),
        );
      }
    }
    fill();
    const tools = make('div', 'th-study-buttons');
    const label = () => item.text || 'question ' + (index + 1);
    const tool = (text, words, act, possible = true) => {
      const made = button(text, act, 'th-study-small');
      made.setAttribute('aria-label', `${words} “${label()}”`);
      made.title = words;
      made.disabled = !possible;
      return made;
    };
    tools.append(
      tool('↑', 'Move up', () => move(index, index - 1), index > 0),
      tool('↓', 'Move down', () => move(index, index + 1), index < items.length - 1),
      tool('Remove', 'Remove', () => {
        items.splice(index, 1);
        draw();
        changed();
        add.focus();
      }),
    );
    line.append(
      source.text('text', 'Question'),
      row(answerForm, source.text('id', 'Column in exports')),
      details,
      row(
        source.check('required', 'Required'),
        source.check(
          'personal',
          'Personal data',
          'Left out of anonymous exports, as all words of participants are.',
        ),
      ),
      tools,
    );
    return line;
  }
  function draw() {
    list.replaceChildren(...items.map(entry));
    list.hidden = !items.length;
  }
  draw();
  const head = make('header');
  head.append(make('h4', '', PARTS[name]), add);
  box.append(head, list);
  return box;
}
