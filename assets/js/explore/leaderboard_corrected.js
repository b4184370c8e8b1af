// What the correction for the rule's errors is, and folded below it what it assumes, why numbers are
// missing, and the errors themselves.
import { make, put } from '../shared/dom.js';

/**
 * An equal text stays: a refresh takes no selection and no scroll.
 * @param {Element} node
 * @param {string[]} texts
 * @param {'li' | 'p'} tag
 */
function sentences(node, texts, tag) {
  if (node.textContent !== texts.join(''))
    node.replaceChildren(...texts.map((text) => make(tag, '', text)));
}

/**
 * @param {HTMLElement} node
 * @param {Api.CorrectionJson} correction
 */
export function correctionText(node, correction) {
  const [lead, folded] = [node.querySelector('ul'), node.querySelector('details')];
  const text = folded.querySelector('div');
  const texts = [...correction.sentences, ...correction.reasons];
  node.hidden = !correction.lead.length;
  sentences(lead, correction.lead, 'li');
  folded.hidden = !texts.length && !correction.errors.length;
  put(
    folded.querySelector('summary'),
    correction.reasons.length
      ? 'What this assumes, how often the rule errs, and why numbers are missing'
      : 'What this assumes, and how often the rule errs',
  );
  sentences(text, texts, 'p');
  folded.querySelector('.th-scroll').hidden = folded.querySelector(':scope > p').hidden =
    !correction.errors.length;
  const rows = correction.errors.map((row) => {
    const line = make('tr');
    const name = make('th', 'th-row-name', row.name);
    name.scope = 'row';
    line.append(name, make('td', '', row.hits), make('td', '', row.false_accepts));
    return line;
  });
  folded.querySelector('tbody').replaceChildren(...rows);
}
