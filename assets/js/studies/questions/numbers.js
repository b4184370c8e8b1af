// Answers per question, people, and checks.
import { make } from '../../shared/dom.js';
import { fieldsOf, fold, missedChecksField, part, row, screeningFields } from '../form_fields.js';

/**
 * @param {{ form: any, changed: () => void }} given
 * @returns {{ node: HTMLElement, outlined: () => void }}
 */
export function questionNumbers({ form, changed }) {
  const node = part(
    3,
    'Numbers',
    'How many answers each question needs, and which checks participants get.',
  );
  const source = fieldsOf(form, changed);
  const allowed = make('div', 'th-study-checks');
  allowed.append(
    source.check(
      'skip',
      'Allow “I cannot tell”',
      'Counts as an answer, as not correct, and is reported separately.',
    ),
  );
  node.append(
    row(
      source.number('votes', 'Answers per question', { hint: 'Each from a different person.' }),
      source.number('trials', 'Questions per participant', {
        hint: 'Maximum, balanced over tasks, without checks.',
      }),
      source.number('repeats', 'Repeated questions', {
        hint: 'The same question again, to measure consistency.',
      }),
      source.number('attention', 'Attention checks', {
        hint: 'The text says which letter to choose.',
      }),
      missedChecksField(source),
    ),
    allowed,
    fold('Screening', ...screeningFields(source)),
  );
  return { node, outlined() {} };
}
