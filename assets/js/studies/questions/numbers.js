// How often each question is answered, by whom, and what is checked.
import { make } from '../../shared/dom.js';
import { fieldsOf, fold, part, row } from '../form_fields.js';

/**
 * @param {{ form: any, changed: () => void }} given
 * @returns {{ node: HTMLElement, outlined: () => void }}
 */
export function questionNumbers({ form, changed }) {
  const node = part(
    3,
    'Numbers',
    'How often each question is answered, and what people get besides.',
  );
  const of = fieldsOf(form, changed);
  const allowed = make('div', 'th-jd-checks');
  allowed.append(
    of.check(
      'skip',
      '“I cannot tell” may be answered',
      'It is one of the answers wanted, counts as not right, and is counted by itself.',
    ),
  );
  node.append(
    row(
      of.number('votes', 'Answers per question', { hint: 'Each of another person.' }),
      of.number('trials', 'Questions per participant', {
        hint: 'At most, as many of each task; checks come on top.',
      }),
      of.number('repeats', 'Repeated questions', { hint: 'The same again: consistency.' }),
      of.number('attention', 'Attention checks', { hint: 'Words say which letter to choose.' }),
    ),
    allowed,
    fold(
      'Screening',
      row(
        of.check(
          'screening.plates',
          'Color-vision plates',
          'Four numbers in dots, made here; what was read is recorded.',
        ),
        of.check(
          'screening.patches',
          'Dark and light patches',
          'Whether the screen hides shadows or highlights.',
        ),
      ),
    ),
  );
  return { node, outlined() {} };
}
