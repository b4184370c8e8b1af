// What participants answered about themselves: counts, and a choice that narrows the results.
import { make, options } from '../shared/dom.js';
import { card, percent, whole } from './parts.js';

/**
 * A choice of the answer that *Results* is narrowed to; hidden where enough participants gave none.
 * @param {import('./results_of.js').Results} results
 */
export function groupChoice(results) {
  const box = make('label', 'th-study-group');
  const select = make('select');
  box.append('Participants ', select);
  select.addEventListener('change', () => results.narrow(select.value));
  let known = '';
  return {
    node: box,
    draw() {
      const groups = results.data?.groups || [];
      const choices = groups.map(({ id, name, people }) => ({
        id,
        name: `${name} (${whole(people)})`,
      }));
      const { group } = results;
      // A link may name a group that there is not any more.
      if (group && !groups.some(({ id }) => id === group)) choices.push({ id: group, name: group });
      box.hidden = !choices.length;
      const now = JSON.stringify([choices, group]);
      if (now === known) return;
      known = now;
      options(select, [{ id: '', name: 'All' }, ...choices], group);
    },
  };
}

/** The answers of all participants as counts; nobody's words. @param {Api.ComputedResults} data */
export function surveyCard(data) {
  const box = card(
    'About the participants',
    'Counts of all who answered, without what they wrote in their own words. The table “survey” has the answers.',
  );
  const list = make('div', 'th-study-survey-counts');
  for (const item of data.survey) {
    const answers = whole(item.people) + (item.people === 1 ? ' answer' : ' answers');
    const node = make('section');
    node.append(make('h4', '', item.text), make('p', 'th-soft', answers));
    if (item.median !== null)
      node.append(line('median', `${item.median} (${item.low} to ${item.high})`));
    for (const count of item.counts)
      node.append(
        line(count.text, `${whole(count.people)} · ${percent(count.people / (item.people || 1))}`),
      );
    list.append(node);
  }
  box.body.append(list);
  return box.node;
}

/** @param {string} text @param {string} value */
function line(text, value) {
  const node = make('p', 'th-study-survey-count');
  node.append(make('span', '', text), make('b', '', value));
  return node;
}
