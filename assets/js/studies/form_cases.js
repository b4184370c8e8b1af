// The cases of a study: types of them, and single ones.
import { make, many, put } from '../shared/dom.js';
import { send } from '../shared/http.js';
import { API } from './choices.js';
import { fold } from './form_fields.js';
import { problemLine, whole } from './parts.js';

const WAIT_MS = 300;
const LISTED = 200;

/**
 * @param {any} form
 * @param {() => void} changed
 */
export function casesOf(form, changed) {
  const groups = make('div', 'th-study-groups');
  const result = make('p', 'th-study-hint');
  const single = make('div', 'th-study-cases');
  const line = problemLine();
  let timer;
  let request = 0;
  let key = '';
  // What cases come from; what else the form holds may be half written.
  const sources = () => {
    const { preset, kind, models, people, extraction, pictures, variants } = form;
    return { preset, kind, models, people, extraction, pictures, variants };
  };

  async function readCases() {
    const now = JSON.stringify([form.models, form.people, form.extraction]);
    if (now === key) return;
    const mine = ++request;
    if (!form.models.length) {
      key = now;
      drawGroups({ groups: [], total: 0 });
      return;
    }
    try {
      const answer = await send(`${API}/cases`, {
        ...sources(),
        words: '',
        offset: 0,
        limit: 1,
      });
      if (mine !== request) return;
      key = now;
      drawGroups(answer);
    } catch {
      if (mine === request) drawGroups({ groups: [], total: 0 }); // the outline says what is wrong
    }
    if (box.open) listCases();
  }
  function drawGroups(answer) {
    put(result, answer.total ? many(answer.total, 'case') + ' of these models.' : '');
    const names = answer.groups.map((group) => group.group);
    form.groups = form.groups.filter((name) => names.includes(name));
    groups.hidden = names.length < 2;
    groups.replaceChildren(
      make('span', 'th-study-label', 'Types of cases'),
      ...answer.groups.map(({ group, cases }) => {
        const label = make('label', 'th-study-chip');
        const tick = make('input');
        tick.type = 'checkbox';
        tick.checked = !form.groups.length || form.groups.includes(group);
        tick.addEventListener('change', () => {
          const before = form.groups.length ? form.groups : names;
          const next = tick.checked ? [...before, group] : before.filter((name) => name !== group);
          if (!next.length) {
            tick.checked = true;
            return;
          }
          form.groups = next.length === names.length ? [] : next;
          changed();
        });
        label.append(
          tick,
          make('span', '', group || 'no category'),
          make('small', '', whole(cases)),
        );
        return label;
      }),
    );
  }
  const search = make('input');
  const items = make('div', 'th-study-case-list');
  const chosenWords = make('p', 'th-study-hint');
  search.type = 'search';
  search.placeholder = 'Search: rotten mango…';
  search.setAttribute('aria-label', 'Search cases');
  chosenWords.setAttribute('role', 'status');
  function sayChosen() {
    put(
      chosenWords,
      form.cases.length
        ? many(form.cases.length, 'case') +
            ' selected; the study samples the number above from them.'
        : 'None selected: all cases that every model has.',
    );
  }
  async function listCases() {
    const mine = ++request;
    try {
      const answer = await send(`${API}/cases`, {
        ...sources(),
        groups: form.groups,
        words: search.value,
        offset: 0,
        limit: LISTED,
      });
      if (mine !== request) return;
      line.say('');
      items.replaceChildren(
        ...answer.cases.map((item) => {
          const label = make('label');
          const tick = make('input');
          tick.type = 'checkbox';
          tick.checked = form.cases.includes(item.id);
          tick.disabled = !item.complete && !tick.checked;
          tick.addEventListener('change', () => {
            form.cases = tick.checked
              ? [...form.cases, item.id]
              : form.cases.filter((id) => id !== item.id);
            sayChosen();
            changed();
          });
          label.append(tick, make('span', '', item.words));
          if (!item.complete)
            label.append(
              make('small', '', item.models.length + ' of ' + form.models.length + ' models'),
            );
          else if (item.group) label.append(make('small', '', item.group));
          return label;
        }),
        ...(answer.total > answer.cases.length
          ? [
              make(
                'p',
                'th-soft',
                whole(answer.total - answer.cases.length) + ' more: search for them.',
              ),
            ]
          : []),
      );
      sayChosen();
    } catch (error) {
      if (mine === request) line.say(error.message);
    }
  }
  search.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(listCases, WAIT_MS);
  });
  single.append(search, line, items, chosenWords);

  const box = fold('Choose single cases', single);
  single.dataset.field = 'cases';
  box.addEventListener('toggle', () => {
    if (box.open) listCases();
  });
  return {
    groups,
    found: result,
    fold: box,
    /** Other models may have other cases. */
    soon() {
      clearTimeout(timer);
      timer = setTimeout(readCases, WAIT_MS);
    },
  };
}
