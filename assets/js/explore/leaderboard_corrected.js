// What the correction for the rule's errors is by, what it assumes, and the errors themselves.
import { make, put } from '../shared/dom.js';

/**
 * @param {HTMLElement} node
 * @param {Api.CorrectionJson} correction
 */
export function correctionText(node, correction) {
  node.hidden = !correction.words.length;
  const [words, errors] = [node.querySelector('div'), node.querySelector('details')];
  const texts = [...correction.words, ...correction.reasons];
  // The same words stay: a refresh takes no selection and no scroll.
  if (words.textContent !== texts.join(''))
    words.replaceChildren(...texts.map((text) => make('p', '', text)));
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
