// Rules against people: agreement of each rule with people's judgments, and their list.
import { make, put, strip, swatches } from '../shared/dom.js';
import { ask, send } from '../shared/http.js';
import { answerWords } from '../shared/verdict_actions.js';
import { opener } from '../shared/opening.js';
import { store } from '../shared/state.js';
import { explore } from './view.js';

const requirementOf = (item) => (item.relation === 'differs' ? 'forbidden: ' : 'target: ');
const MARKS = { pass: '✓', fail: '✕', unscored: '–' };

/** @param {import('../shared/widget.js').Widget} widget */
export function mount(widget) {
  const { element } = widget;
  const openPicture = opener(widget);
  const root = element.querySelector('.th-people-verdicts');
  const find = (name) => root.querySelector(name);
  let data = null;
  let request = 0;
  let only = '';
  let rows = [];

  async function load(offset) {
    const mine = ++request;
    try {
      const answer = await ask(`/api/judgments?${new URLSearchParams({ offset, only })}`);
      if (mine !== request) return;
      data = answer;
      rows = offset ? [...rows, ...data.judgments] : data.judgments;
      draw();
    } catch (error) {
      if (mine === request) {
        put(find('.th-judgments-empty'), 'The answers cannot be shown. ' + error.message);
        find('.th-judgments-empty').hidden = false;
      }
    }
  }
  function draw() {
    const none = !data.rules.length;
    find('.th-judgments-sum').hidden = none;
    find('.th-judgments-bar').hidden = none;
    const empty = find('.th-judgments-empty');
    put(
      empty,
      none
        ? 'No agreements or disagreements yet. Open an image in Inspect or in the large view of Failures and press D (“Disagree”).'
        : rows.length
          ? ''
          : 'None of these.',
    );
    empty.hidden = !empty.textContent;
    table();
    find('.th-judgments-list').replaceChildren(...rows.map(line));
    find('.th-judgments-more').hidden = rows.length >= data.total;
    strip(
      find('.th-judgments-only'),
      [
        { id: '', name: 'All' },
        { id: 'disagree', name: 'Disagreements' },
      ],
      only,
      (id) => {
        only = id;
        load(0);
      },
    );
  }
  function table() {
    const head = make('tr');
    [
      ['Rule', ''],
      ['Agrees with people', ''],
      ['Too strict', 'Fails images that people say have the color'],
      ['Too lenient', 'Passes images that people say do not have the color'],
      ['Unscored', 'It measured nothing'],
    ].forEach(([text, title]) => {
      const cell = make('th', '', text);
      cell.scope = 'col';
      if (title) cell.title = title;
      head.appendChild(cell);
    });
    const body = make('tbody');
    body.append(
      head,
      ...data.rules.map((row) => {
        const node = make('tr');
        const name = make('th', 'th-row-name', row.name + ' ' + row.version);
        const scored = row.agree + row.too_strict + row.too_lenient;
        name.scope = 'row';
        node.append(
          name,
          make('td', '', row.agree + ' of ' + scored + (row.share ? ', ' + row.share : '')),
          make('td', '', String(row.too_strict)),
          make('td', '', String(row.too_lenient)),
          make('td', '', String(row.unscored)),
        );
        return node;
      }),
    );
    find('.th-judgments-table').replaceChildren(body);
  }
  /** @param {Api.JudgmentJson} item */
  function line(item) {
    const node = make('li', 'th-judgments-item');
    const text = make('div');
    if (item.stored) {
      const button = make('button', 'th-shot-picture');
      const image = make('img');
      button.type = 'button';
      button.title = 'Open in Inspect';
      button.setAttribute('aria-label', 'Open in Inspect: ' + (item.object || 'image'));
      image.src = item.thumb;
      image.loading = 'lazy';
      image.alt = '';
      button.appendChild(image);
      button.addEventListener('click', () =>
        openPicture({
          image: item.image_id,
          mask: item.mask,
          object: item.object,
          target: item.target,
          relation: item.relation,
          rule: item.rule,
        }),
      );
      node.appendChild(button);
    } else node.appendChild(make('span', 'th-judgments-gone', 'deleted'));
    const head = make('p', 'th-pair-head');
    if (item.hex) head.appendChild(swatches([item.hex]));
    head.append(
      make('b', '', item.object || 'object'),
      make('span', 'th-soft', item.color ? requirementOf(item) + item.color : ''),
    );
    const verb = (item.agrees ? 'agree' : 'disagree') + (item.mine ? '' : 's');
    const said = make(
      'p',
      '',
      (item.mine ? 'You ' : 'Another person ') +
        verb +
        ' with ' +
        item.rule_name +
        ' ' +
        item.version +
        ' (' +
        MARKS[item.status] +
        ' ' +
        item.status +
        '): ' +
        answerWords(item.answer, item) +
        '.',
    );
    text.append(head, said);
    if (item.reason) text.appendChild(make('p', 'th-judgments-reason', '“' + item.reason + '”'));
    text.appendChild(
      make(
        'small',
        'th-soft',
        item.statuses.map((rule) => MARKS[rule.status] + ' ' + rule.name).join('  ') +
          ' · ' +
          new Date(item.at).toLocaleDateString('en-US', { dateStyle: 'medium' }),
      ),
    );
    node.append(text);
    if (item.mine) node.append(takeBack(item));
    return node;
  }
  /** @param {Api.JudgmentJson} item */
  function takeBack(item) {
    const back = make('button', 'th-button', 'Undo');
    back.type = 'button';
    back.addEventListener('click', async () => {
      try {
        await send(`/api/judgments/${item.id}/withdraw`, {});
        load(0);
      } catch (error) {
        put(back, error.message);
      }
    });
    return back;
  }
  find('.th-judgments-more').addEventListener('click', () => load(rows.length));
  function front() {
    root.hidden = explore.view !== 'disagreements';
    if (!root.hidden) load(0);
  }
  store.subscribe('explore', front);
  store.subscribe('judged', () => {
    if (!root.hidden) load(0);
  });
  new IntersectionObserver((seen) => {
    if (seen.some((entry) => entry.isIntersecting) && !root.hidden && data) load(0);
  }).observe(element);
  front();
}
