// What the chosen askings score: a row for each of them in every task, with its interval, beside
// chance, the pixel reader and people; then all numbers, the published rows, and the differences.
import { make, many, options, put } from '../shared/dom.js';
import { askUrl, numberOf, openAsk, qa } from './view.js';

const NONE = '–';
const AXIS = [0, 25, 50, 75, 100];

const minus = (text) => text.replace(/-(?=\d)/g, '−');
const number = (value) => (value === null || value === undefined ? NONE : minus(value.toFixed(1)));
const interval = (tally) =>
  tally.low === null || tally.low === undefined
    ? ''
    : tally.low.toFixed(0) + '–' + tally.high.toFixed(0);

/**
 * The track of one line: 0 to 100 percent, chance as a dashed line, the interval, and the mark.
 * @param {any} tally
 * @param {string} mark what its dot looks like
 * @param {string} text in it
 * @param {number | null | undefined} chance
 */
function track(tally, mark, text, chance) {
  const box = make('span', 'th-qa-track');
  if (chance !== null && chance !== undefined) {
    const line = make('i', 'th-qa-chance');
    line.style.left = chance + '%';
    box.append(line);
  }
  if (tally.low !== null && tally.low !== undefined) {
    const range = make('i', 'th-qa-range');
    range.style.left = tally.low + '%';
    range.style.width = tally.high - tally.low + '%';
    box.append(range);
  }
  if (tally.percent !== null && tally.percent !== undefined) {
    const dot = make('b', 'th-qa-dot th-qa-dot-' + mark, text);
    dot.style.left = tally.percent + '%';
    box.append(dot);
  }
  return box;
}

/**
 * One line of the figure: who, the track, and the numbers.
 * @param {any} told `who` and its `number`, the `mark`, the `tally`, `chance`; `soft` is no asking
 */
function lane(told) {
  const { tally } = told;
  const row = make('div', 'th-qa-lane' + (told.soft ? ' th-qa-soft' : ''));
  const who = make('span', 'th-qa-who');
  const numbers = make('span', 'th-qa-figures');
  if (told.number) who.append(make('span', 'th-qa-number', told.number));
  who.append(make('span', '', told.who));
  who.title = told.title || told.who;
  numbers.append(make('b', '', number(tally.percent)), make('small', '', interval(tally)));
  if (tally.asked) {
    numbers.append(make('small', '', tally.right + '/' + tally.asked));
    const lost = [
      tally.unreadable ? tally.unreadable + ' unreadable' : '',
      tally.unanswered ? tally.unanswered + ' without an answer' : '',
      tally.not_asked ? tally.not_asked + ' to come' : '',
      tally.mark || '',
    ].filter(Boolean);
    if (lost.length) numbers.append(make('em', '', lost.join(', ')));
  }
  row.append(who, track(tally, told.mark, told.number || '', told.chance), numbers);
  return row;
}

function block(title, lanes, note) {
  const box = make('section', 'th-qa-block');
  const head = make('h4', '', title);
  if (note) head.append(make('small', '', note));
  box.append(head, ...lanes);
  return box;
}

const nameOf = (row) => row.name + ', ' + row.settings;

function figure(found) {
  const box = make('div', 'th-qa-figure');
  const axis = make('div', 'th-qa-axis');
  const human = found.published.find((row) => row.people);
  const scale = make('span', 'th-qa-track');
  AXIS.forEach((value) => {
    const tick = make('i', '', String(value));
    tick.style.left = value + '%';
    scale.append(tick);
  });
  axis.append(make('span', 'th-soft', 'percent right'), scale, make('span'));
  box.append(axis);
  // `pick` takes the numbers of an asking, or of a study of people, as both say them.
  const lanesOf = (pick, chance, task) => {
    const lanes = found.rows
      .map((row) => ({ row, tally: pick(row) }))
      .filter((one) => one.tally)
      .map(({ row, tally }) =>
        lane({
          who: row.name,
          title: nameOf(row),
          number: numberOf(row.id),
          mark: 'asking',
          tally,
          chance: tally.chance ?? chance,
        }),
      );
    const shown = found.rows.some((row) => row.pixels);
    const pixels = !shown && task && found.pixels && found.pixels.tasks[task];
    if (pixels)
      lanes.push(lane({ who: 'Pixel reader', mark: 'pixels', tally: pixels, chance, soft: true }));
    found.people.forEach((people) => {
      const tally = pick(people);
      if (tally)
        lanes.push(
          lane({
            who: 'People: ' + people.title,
            title: people.title + ', ' + many(people.participants, 'participant'),
            mark: 'people',
            tally,
            chance,
          }),
        );
    });
    const printed = task && human ? human.tasks[task] : null;
    if (printed !== null && printed !== undefined)
      lanes.push(
        lane({
          who: 'People (published)',
          title: human.note + ': other questions, as printed',
          mark: 'published',
          tally: { percent: printed },
          chance,
          soft: true,
        }),
      );
    if (!lanes.length)
      lanes.push(
        lane({ who: 'Chance', mark: 'none', tally: { percent: chance }, chance, soft: true }),
      );
    return lanes;
  };
  const chance = (value) =>
    value === null || value === undefined ? '' : 'chance ' + value.toFixed(0);
  found.set.tasks.forEach((task) => {
    const guess = found.chance.tasks[task.id];
    box.append(
      block(
        task.title,
        lanesOf((row) => row.tasks[task.id], guess, task.id),
        chance(guess),
      ),
    );
  });
  if (found.rows.length || found.people.length) {
    box.append(
      block(
        'All questions (micro average)',
        lanesOf((row) => row.micro, found.chance.micro, ''),
        chance(found.chance.micro),
      ),
    );
    if (found.rows.some((row) => row.macro))
      box.append(
        block(
          'Mean of the tasks (macro average)',
          lanesOf((row) => row.macro, null, ''),
          'every task of the same weight',
        ),
      );
    if (found.rows.some((row) => row.robust))
      box.append(
        block(
          'Robust',
          lanesOf((row) => row.robust && row.robust.as_made, null, ''),
          'seeds right with all their variants',
        ),
      );
  }
  return box;
}

/**
 * A table of texts.
 * @param {string[]} columns
 * @param {(string | number | null)[][]} rows
 * @param {string} label
 */
function table(columns, rows, label) {
  const scroll = make('div', 'th-scroll');
  const node = make('table', 'th-table th-qa-table');
  const head = make('thead');
  const line = make('tr');
  const body = make('tbody');
  columns.forEach((name) => {
    const cell = make('th', '', name);
    cell.scope = 'col';
    line.append(cell);
  });
  head.append(line);
  rows.forEach((row) => {
    const one = make('tr');
    row.forEach((value, at) => {
      const cell = make(at ? 'td' : 'th', '', value === null ? NONE : String(value));
      if (!at) /** @type {HTMLTableCellElement} */ (cell).scope = 'row';
      one.append(cell);
    });
    body.append(one);
  });
  node.append(head, body);
  scroll.tabIndex = 0;
  scroll.setAttribute('role', 'group');
  scroll.setAttribute('aria-label', 'Table: ' + label);
  scroll.append(node);
  return scroll;
}

function fold(title, nodes, open) {
  const box = make('details', 'th-card th-qa-fold');
  box.append(make('summary', '', title), ...nodes);
  box.open = Boolean(open);
  return box;
}

function link(text, path, values) {
  const node = make('a', 'th-button th-qa-csv', text);
  node.href = askUrl(path, values);
  return node;
}

function allNumbers(found) {
  const columns = [
    'Task',
    'Who',
    'Right',
    'Percent',
    '95% interval',
    'Chance',
    'Wrong',
    'Unreadable',
    'Unanswered',
    'To come',
    '',
  ];
  /** @type {(string | number | null)[][]} */
  const rows = [];
  const add = (title, who, tally) =>
    rows.push([
      title,
      who,
      tally.right + '/' + tally.asked,
      number(tally.percent),
      interval(tally) || NONE,
      number(tally.chance),
      tally.wrong,
      tally.unreadable,
      tally.unanswered,
      tally.not_asked,
      tally.mark,
    ]);
  found.set.tasks.forEach((task) =>
    found.rows.forEach((row) => {
      if (row.tasks[task.id])
        add(task.title, numberOf(row.id) + ' ' + row.name, row.tasks[task.id]);
    }),
  );
  found.rows.forEach((row) => {
    const who = numberOf(row.id) + ' ' + row.name;
    add('Micro', who, row.micro);
    if (row.macro)
      rows.push([
        'Macro',
        who,
        NONE,
        number(row.macro.percent),
        interval(row.macro),
        number(row.macro.chance),
        null,
        null,
        null,
        null,
        '',
      ]);
    if (row.robust) {
      add('Robust, as made', who, row.robust.as_made);
      add('Robust, with all nine variants', who, row.robust.complete);
    }
  });
  const values = { set: qa.set, askings: qa.askings.join(',') };
  const saves = make('p', 'th-qa-saves');
  saves.append(
    link('Scores as CSV', '/results.csv', values),
    link('Answers as CSV', '/answers.csv', values),
  );
  const how = make(
    'p',
    'th-soft',
    'Right among all that were asked, as published: what cannot be read and what has no answer count as wrong, and are counted. ' +
      'Intervals: Wilson for shares, MOVER for the macro average. Read by parser ' +
      found.parser +
      '.',
  );
  return fold('All numbers', [how, table(columns, rows, 'all numbers'), saves]);
}

function why(found) {
  const rows = found.rows.flatMap((row) =>
    row.reasons.map((one) => [one.text, numberOf(row.id) + ' ' + row.name, one.count]),
  );
  return rows.length
    ? [
        fold('Why answers could not be read, or are not there', [
          table(['Reason', 'Who', 'Answers'], rows, 'reasons'),
        ]),
      ]
    : [];
}

function differences(found) {
  if (!found.differences.length) return [];
  const card = make('section', 'th-card th-qa-card');
  const head = make('header');
  const body = make('div');
  const which = make('select');
  const called = (id) => {
    const row = found.rows.find((one) => one.id === id);
    return numberOf(id) + ' ' + (row ? row.name : '');
  };
  head.append(make('h3', '', 'Question by question'));
  const show = () => {
    const one = found.differences[Number(which.value) || 0];
    const see = make('button', 'th-button', 'See the questions where they differ');
    see.type = 'button';
    see.addEventListener('click', () => openAsk('differ', { askings: reordered(one) }));
    body.replaceChildren(
      make(
        'p',
        'th-soft',
        called(one.second) +
          ' less ' +
          called(one.first) +
          ', in percentage points, over the questions that both were asked. Interval by Newcombe, p by McNemar’s exact test; nothing is corrected for many tasks.',
      ),
      table(
        [
          'Task',
          'Pairs',
          'Points',
          '95% interval',
          'Only ' + called(one.first),
          'Only ' + called(one.second),
          'p',
        ],
        one.rows.map((row) => [
          row.title,
          row.pairs,
          (row.points > 0 ? '+' : '') + number(row.points),
          row.low === null ? NONE : number(row.low) + ' to ' + number(row.high),
          row.only_first,
          row.only_second,
          row.p === null ? NONE : Number(row.p.toPrecision(3)),
        ]),
        'differences',
      ),
      see,
    );
  };
  options(
    which,
    found.differences.map((one, at) => ({
      id: String(at),
      name: called(one.second) + ' less ' + called(one.first),
    })),
    '0',
  );
  which.setAttribute('aria-label', 'Which two');
  if (found.differences.length > 1) head.append(which);
  which.addEventListener('change', show);
  show();
  card.append(head, body);
  return [card];
}

// The two that are compared come first, so that they are the two of the view.
const reordered = (one) => [
  one.first,
  one.second,
  ...qa.askings.filter((id) => id !== one.first && id !== one.second),
];

function published(found) {
  if (!found.published.length) return [];
  const tasks = found.set.tasks.filter((task) =>
    found.published.some((row) => row.tasks[task.id] !== undefined),
  );
  const nodes = [...new Set(found.published.map((row) => row.note))].flatMap((note) => [
    make('h4', '', note + ' (published)'),
    table(
      ['Model', ...tasks.map((task) => task.title), 'Overall (micro)', 'Robust'],
      found.published
        .filter((row) => row.note === note)
        .map((row) => [
          row.name,
          ...tasks.map((task) => number(row.tasks[task.id])),
          number(row.overall),
          number(row.robust),
        ]),
      note,
    ),
  ]);
  return [fold('As published', nodes)];
}

// A model as judge: its answers about renders of known color, beside those of the pixel rules.
function judging(found, judge) {
  if (!found.judge) return [];
  if (!found.judge.ready) {
    const card = make('section', 'th-card th-qa-card');
    const press = make('button', 'th-button', 'Have the rules judge the renders');
    const said = make('p', 'th-soft');
    press.type = 'button';
    said.setAttribute('role', 'status');
    press.addEventListener('click', async () => {
      press.disabled = true;
      try {
        await judge((text) => put(said, text));
      } catch (error) {
        put(said, error.message);
        press.disabled = false;
      }
    });
    card.append(
      make('h3', '', 'A model as judge of color'),
      make(
        'p',
        'th-soft',
        'The color of each render is known. Once the pixel rules have judged them too, answers stand beside theirs, as in GenColorBench’s Table 2.',
      ),
      press,
      said,
    );
    return [card];
  }
  return found.judge.reports.map((report) => {
    const nodes = report.tables.map((one, at) => {
      const box = make(at ? 'details' : 'div', 'th-qa-judged');
      const title = one.title + (one.published ? ' (published)' : '');
      box.append(
        make(at ? 'summary' : 'h4', '', title),
        make('p', 'th-soft', one.note),
        table(one.columns, one.rows, one.title),
      );
      return box;
    });
    return fold(
      numberOf(report.asking) + ' ' + report.title + ', beside the pixel rules',
      nodes,
      found.judge.reports.length === 1,
    );
  });
}

/**
 * Draws the results into a box.
 * @param {HTMLElement} box
 * @param {any} found what the app answered
 * @param {(say: (text: string) => void) => Promise<void>} judge has the rules judge the renders
 */
export function drawResults(box, found, judge) {
  const card = make('section', 'th-card th-qa-card');
  const legend = make('p', 'th-qa-legend');
  const open = new Set(
    [...box.querySelectorAll('details[open] > summary')].map((node) => node.textContent),
  );
  if (!found.rows.length)
    card.append(
      make(
        'p',
        'th-qa-lead',
        'Nobody’s answers are shown. Ask a model at the left, or tick who was asked; meanwhile this is what guessing and reading the pixels get right.',
      ),
    );
  found.rows.forEach((row) => {
    const one = make('span');
    const more = row.status === 'finished' ? '' : ' · ' + row.words;
    one.append(
      make('span', 'th-qa-number', numberOf(row.id)),
      make('b', '', row.name),
      make('span', 'th-soft', row.settings + more),
    );
    legend.append(one);
  });
  card.append(legend, figure(found));
  const how = make('p', 'th-soft th-qa-key');
  how.textContent =
    'Line: 95% interval. Dashed: chance. ◇ the reader of pixels, which is no language model. □ people of your own studies, ○ people as published.';
  card.append(how, ...found.notes.map((text) => make('p', 'th-soft', text)));
  const nodes = [card, ...differences(found), ...judging(found, judge)];
  if (found.rows.length) nodes.push(allNumbers(found), ...why(found));
  nodes.push(...published(found));
  nodes.forEach((node) => {
    const summary = node.querySelector(':scope > summary');
    if (summary && open.has(summary.textContent)) node.setAttribute('open', '');
  });
  box.replaceChildren(...nodes);
}
