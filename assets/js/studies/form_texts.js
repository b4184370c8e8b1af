// Participants' texts: question, instructions, consent, pages around.
import { make, put } from '../shared/dom.js';
import { examplesField } from './colorings/guide.js';
import { fieldsOf, fold, part, row } from './form_fields.js';
import { translateSurvey } from './form_survey.js';

/**
 * @param {{ form: any, preset: any, presets: any, changed: () => void, again: () => void }} given
 *   `again` draws the form anew: another language has other words
 */
export function questionPart({ form, preset, presets, changed, again }) {
  const node = part(2, 'Texts for participants', '');
  const source = fieldsOf(form, changed);
  const colored = preset.material === 'sketches';
  const languages = Object.entries(presets.languages).map(([id, name]) => ({
    id,
    name: String(name),
  }));
  const language = source.select('language', 'Language', languages);
  const before = form.language;
  language.querySelector('select').addEventListener('change', () => {
    // Words that nobody changed follow the language.
    const [old, now] = [preset.texts?.[before], preset.texts?.[form.language]];
    ['title', 'question', 'instructions', 'consent'].forEach((name) => {
      if (old && now && form[name] === old[name]) form[name] = now[name];
    });
    translateSurvey(form.survey, presets, before, form.language);
    if (old && old.examples && JSON.stringify(form.examples) === JSON.stringify(old.examples))
      form.examples = structuredClone(now.examples);
    // The choice of the language was stored before its words were there.
    changed();
    again();
  });
  node.append(
    row(source.text('title', 'Title', { hint: 'Participants see the title.' }), language),
  );
  if (preset.id === 'free')
    node.append(
      source.strip(
        'kind',
        'Question',
        Object.entries(presets.kinds).map(([id, name]) => ({
          id,
          name: String(name).split(':')[0],
          title: String(name),
        })),
      ),
    );
  node.append(
    source.text('question', 'Question', {
      placeholder: 'In which image …?',
      hint: colored ? 'Shown above every sketch.' : 'Shown above every trial.',
    }),
    source.text('instructions', 'Instructions', {
      rows: colored ? 8 : 4,
      hint: 'Shown once, before the trials.',
    }),
    ...(colored ? [examplesField({ form, changed })] : []),
  );
  const message = presets.wording?.[form.language] || {};
  const list = make('div', 'th-study-wording');
  const other = fold(
    'Other texts on the page',
    make(
      'p',
      'th-study-hint',
      'Empty fields keep the default. TrueHue fills in the parts in braces.',
    ),
    list,
  );
  form.wording ||= {};
  // There are a hundred of them, which few studies touch.
  other.addEventListener('toggle', () => {
    if (list.children.length) return;
    const own = fieldsOf(form.wording, changed);
    list.append(...Object.entries(message).map(([name, text]) => own.text(name, String(text))));
  });
  list.dataset.field = 'wording';
  other.hidden = !Object.keys(message).length;
  node.append(
    fold(
      'Pages before and after',
      source.text('intro', 'Page before', {
        rows: 3,
        hint: 'Between consent and instructions; empty for none.',
      }),
      source.text('outro', 'Page after', { rows: 3, hint: 'Thanks and a contact.' }),
    ),
    other,
  );
  return node;
}

const EXCERPT = 60;

/** A place in brackets, cut where a word ends. @param {string} text */
const excerpt = (text) =>
  text.length > EXCERPT ? text.slice(0, EXCERPT).replace(/\s+\S*$/, '') + ' …]' : text;

/** @param {{ form: any, changed: () => void }} given */
export function consentPart({ form, changed }) {
  const node = part(
    4,
    'Consent',
    'Participants must agree before the first trial. A changed text becomes a new version.',
  );
  const left = make('p', 'th-study-hint');
  const source = fieldsOf(form, () => {
    brackets();
    changed();
  });
  function brackets() {
    const match = (form.consent || '').match(/\[[^\]]*\]/g) || [];
    put(
      left,
      match.length
        ? 'To be filled in before the study can open: ' +
            match.map((text) => excerpt(text)).join(', ')
        : '',
    );
    left.hidden = !match.length;
  }
  node.append(
    source.text('consent', 'Consent text', { rows: 12 }),
    left,
    source.check(
      'record_input',
      'Record how answers are entered, to recognize scripts',
      'A few numbers per answer on mouse, keys and touches. The page says so below the consent text.',
    ),
  );
  brackets();
  return node;
}
