// What the correction for the rule's errors is by, what it assumes, and the errors themselves.
import { make, put } from '../shared/dom.js';

/**
 * @param {HTMLElement} node
 * @param {Api.CorrectionJson} correction
 */
export function correctionText(node, correction) {
  node.hidden = !correction.sentences.length;
  const [text, errors] = [node.querySelector('div'), node.querySelector('details')];
  const texts = [...correction.sentences, ...correction.reasons];
  // An equal text stays: a refresh takes no selection and no scroll.
  if (text.textContent !== texts.join(''))
    text.replaceChildren(...texts.map((sentence) => make('p', '', sentence)));
  errors.hidden = !correction.errors.length;
  const rows = correction.errors.map((row) => {
    const line = make('tr');
    const name = make('th', 'th-row-name', row.name);
    name.scope = 'row';
    line.append(name, make('td', '', row.hits), make('td', '', row.false_accepts));
    return line;
  });
  errors.querySelector('tbody').replaceChildren(...rows);
  put(errors.querySelector('summary'), 'How often the rule errs');
}
