// The experts who review a study by name: who, how far, how they agree, and what they wrote.
import { make, many } from '../../shared/dom.js';
import { ask, send } from '../../shared/http.js';
import {
  bar,
  button,
  card,
  decimal,
  percent,
  problemLine,
  question,
  time,
  whole,
} from '../parts.js';
import { csvButton, dataTable } from '../table.js';
import { openGallery } from '../view.js';

const FIRST = 20;
const ANSWERS = { consistent: 'yes', inconsistent: 'no' };

/**
 * @param {import('../study.js').Current} current
 * @param {(view: Api.ExpertsView) => void} known what the app answers
 * @returns {{ node: HTMLElement, load: () => Promise<void> }}
 */
export function expertsCard(current, known) {
  const part = card('Experts by name');
  const lead = make('p');
  const line = problemLine();
  const body = make('div');
  /** @type {Api.ExpertsView | null} */
  let view = null;
  let rendered = '';
  part.head.append(button('Assign experts…', () => view && assign(view)));
  part.body.append(lead, line, body);

  /** @param {Api.ExpertsView} now */
  function assign(now) {
    const list = make('fieldset', 'th-colorings-experts');
    const field = make('div', 'th-study-field');
    const label = make('label', '', 'Experts per coloring');
    const number = make('input');
    list.append(make('legend', '', 'Experts'));
    const boxes = now.accounts.map((account) => {
      const row = make('label', 'th-study-check');
      const box = make('input');
      box.type = 'checkbox';
      box.value = account.id;
      box.checked = account.named;
      row.append(box, ' ' + account.name + (account.role === 'admin' ? ' (admin)' : ''));
      list.append(row);
      return box;
    });
    number.id = 'th-colorings-overlap';
    number.inputMode = 'numeric';
    number.value = String(now.reviewers);
    label.htmlFor = number.id;
    field.append(label, number);
    question({
      title: 'Who reviews the colorings?',
      body: [
        make(
          'p',
          '',
          now.accounts.length
            ? 'Each coloring goes to so many of these experts, and all get equally many. Nobody chosen: any expert reviews, whoever comes first.'
            : 'No account can review yet. An admin makes one on the server: truehue admin add NAME --role expert',
        ),
        list,
        field,
      ],
      action: 'Assign',
      act: async () => {
        const chosen = boxes.filter((box) => box.checked).map((box) => box.value);
        take(
          await send(`${current.address}/experts`, {
            experts: chosen,
            reviewers: Number(number.value),
          }),
        );
      },
    });
  }

  /** @param {Api.ExpertsView} now */
  function words(now) {
    const link = make('code', '', location.origin + '/review');
    const parts = now.named
      ? [
          many(now.reviewers, 'expert') + ' per coloring, assigned by name. They sign in at ',
          link,
          ' and see their reviews alone.',
        ]
      : [
          'Any expert reviews: the first ' +
            (now.reviewers === 1 ? 'one' : whole(now.reviewers)) +
            ' of each coloring. They sign in at ',
          link,
          '.',
        ];
    lead.replaceChildren(...parts);
    if (now.sent_back)
      lead.append(' ' + many(now.sent_back, 'coloring') + ' sent back to experts.');
  }

  /** @param {Api.ExpertsView} now */
  function people(now) {
    return dataTable(
      [
        {
          name: 'Expert',
          cell: (row) => row.name + (row.open || !row.named ? '' : ' (account closed)'),
          values: (row) => [row.name],
        },
        {
          name: 'Reviewed',
          cell(row) {
            const node = make('div', 'th-colorings-expert-progress');
            if (row.left === null || (!now.named && !row.left)) node.append(whole(row.done));
            else
              node.append(
                whole(row.done) + ' of ' + whole(row.done + row.left),
                bar(row.done, row.done + row.left, 'Reviewed by ' + row.name),
              );
            return node;
          },
          heads: ['done', 'left'],
          values: (row) => [row.done, row.left],
        },
        {
          name: 'Yes',
          right: true,
          cell: (row) => (row.done ? percent(row.yes / row.done) : '–'),
          heads: ['yes'],
          values: (row) => [row.yes],
        },
        {
          name: 'Sent back',
          right: true,
          cell: (row) => whole(row.sent_back),
          values: (row) => [row.sent_back],
        },
      ],
      now.experts,
      'Experts',
    );
  }

  /** @type {import('../table.js').Column[]} */
  const PAIRS = [
    {
      name: 'Two experts',
      cell: (row) => row.first + ' and ' + row.second,
      heads: ['first', 'second'],
      values: (row) => [row.first, row.second],
    },
    {
      name: 'Colorings',
      title: 'That both reviewed',
      right: true,
      cell: (row) => whole(row.colorings),
      values: (row) => [row.colorings],
    },
    {
      name: 'Equal',
      title: 'Share of equal answers',
      right: true,
      cell: (row) => percent(row.equal),
      values: (row) => [row.equal],
    },
    {
      name: 'Cohen’s κ',
      title: 'Agreement beyond chance, at most 1',
      right: true,
      cell(row) {
        const node = make('span', '', decimal(row.kappa));
        if (row.kappa === null) node.title = 'Both gave the same answer to all.';
        return node;
      },
      heads: ['kappa'],
      values: (row) => [row.kappa],
    },
  ];

  /** @param {Api.ExpertComment[]} rows */
  function comments(rows) {
    const node = make('ul', 'th-colorings-comments');
    node.append(
      ...rows.slice(0, FIRST).map((row) => {
        const item = make('li');
        const about = make('p', 'th-soft');
        about.append(
          row.name + ', ' + ANSWERS[row.value] + ' to ',
          button(row.words, () => openGallery(current.study.id, row.case), 'th-colorings-link'),
          ' by ' + row.label + ', ',
          time(row.at),
        );
        item.append(make('p', 'th-colorings-comment', '“' + row.comment + '”'), about);
        return item;
      }),
    );
    return node;
  }

  /** @param {Api.ExpertsView} answer */
  function take(answer) {
    view = answer;
    line.say('');
    known(answer);
    const now = JSON.stringify(answer);
    if (now === rendered) return;
    rendered = now;
    words(answer);
    const parts = [];
    if (answer.experts.length) parts.push(people(answer));
    if (answer.pairs.length) {
      const head = make('div', 'th-colorings-subhead');
      head.append(
        make('h4', '', 'Agreement of two experts'),
        csvButton('experts-agreement', PAIRS, answer.pairs),
      );
      parts.push(head, dataTable(PAIRS, answer.pairs, 'Agreement of two experts'));
    }
    if (answer.comments.length) {
      parts.push(make('h4', '', 'Comments'), comments(answer.comments));
      if (answer.comments.length > FIRST)
        parts.push(
          make(
            'p',
            'th-soft',
            whole(answer.comments.length - FIRST) + ' more are in the export, in review_comments.',
          ),
        );
    }
    body.replaceChildren(...parts);
  }
  return {
    node: part.node,
    async load() {
      try {
        take(await ask(`${current.address}/experts`));
      } catch (error) {
        line.say('The experts cannot be shown. ' + error.message);
      }
    },
  };
}
