// The tables below the figure: all numbers, reasons, differences question by question, and what was
// published.
import { make, options, put, table as drawTable } from '../shared/dom.js';
import { gapButton } from '../shared/gap.js';
import { ask } from '../shared/http.js';
import { interval, MARKS, number } from './figure.js';
import { namesOf } from './names.js';
import { askUrl, numberOf, openView, qa } from './view.js';

const NONE = '–';
const SMALLEST_P = 0.0001;
/** The two evaluations whose differences are shown, as long as both are. */
let chosenPair = '';

/**
 * A table of texts; a cell may be a node.
 * @param {string[]} columns
 * @param {(string | number | null | Node)[][]} rows
 * @param {string} label
 */
export function table(columns, rows, label) {
  const scroll = make('div', 'th-scroll');
  const cells = rows.map((row) => row.map((value) => value ?? NONE));
  scroll.tabIndex = 0;
  scroll.setAttribute('role', 'group');
  scroll.setAttribute('aria-label', 'Table: ' + label);
  scroll.append(drawTable('th-table th-vlm-table', columns, cells));
  return scroll;
}

function fold(title, nodes, open = false) {
  const box = make('details', 'th-card th-vlm-fold');
  box.append(make('summary', '', title), ...nodes);
  box.open = open;
  return box;
}

/**
 * Every number of everybody, also of who is no asking.
 * @param {Api.ResultsView} result
 */
export function allNumbers(result) {
  const names = namesOf(result.rows);
  const rows = [];
  const add = (title, who, tally, released = null) =>
    rows.push([
      title,
      who,
      tally.right + '/' + tally.asked,
      number(tally.percent),
      interval(tally) || NONE,
      number(released),
      number(tally.chance),
      tally.wrong,
      tally.unreadable,
      tally.truncated,
      tally.unanswered,
      tally.not_asked,
      MARKS[tally.mark]?.text ?? tally.mark,
    ]);
  // A mean of tasks has no counts of its own.
  const addMacro = (who, { percent, chance, ...range }, released = null) =>
    rows.push([
      'Macro',
      who,
      NONE,
      number(percent),
      interval(range) || NONE,
      number(released),
      number(chance),
      ...[null, null, null, null, null, ''],
    ]);
  const nameOf = (row) => numberOf(row.id) + ' ' + names.get(row.id);
  const reader = result.rows.some((row) => row.pixels) ? null : result.pixels;
  result.rows.forEach((row) => {
    const { released } = row;
    add('Micro', nameOf(row), row.micro, released?.micro);
    if (row.macro) addMacro(nameOf(row), row.macro, released?.macro);
    Object.entries(row.categories).forEach(([name, tally]) => add(name, nameOf(row), tally));
    if (row.robust) {
      add('Robust, as generated', nameOf(row), row.robust.as_made, released?.as_made);
      add('Robust, with all nine variants', nameOf(row), row.robust.complete, released?.complete);
    }
  });
  result.people.forEach((people) => {
    add('Micro', 'People: ' + people.title, people.micro);
    if (people.macro) addMacro('People: ' + people.title, people.macro);
  });
  result.set.tasks.forEach((task) => {
    result.rows.forEach((row) => {
      const released = row.released ? row.released.tasks[task.id] : null;
      if (row.tasks[task.id]) add(task.title, nameOf(row), row.tasks[task.id], released);
    });
    if (reader && reader.tasks[task.id]) add(task.title, 'Pixel reader', reader.tasks[task.id]);
    result.people.forEach((people) => {
      if (people.tasks[task.id]) add(task.title, 'People: ' + people.title, people.tasks[task.id]);
    });
  });
  const readers = [...new Set(result.rows.map((row) => row.parser))];
  const protocols = [...new Set(result.rows.map((row) => row.protocol))];
  const rules = result.rows
    .filter((row) => row.released)
    .map((row) => numberOf(row.id) + ' by ' + row.released.reader);
  const how = make(
    'p',
    'th-soft',
    'Accuracy over all evaluated questions, as published. Unreadable, truncated and missing answers count as incorrect and are also counted separately. ' +
      'Intervals: Wilson for shares, MOVER for the macro average. ' +
      (protocols.length ? 'Protocol: ' + protocols.join(', ') + '. ' : '') +
      (readers.length ? 'Read by parser ' + readers.join(' and ') + '. ' : '') +
      'As released: accuracy when ColorBench’s released code (' +
      result.released_commit +
      ') reads the same answers' +
      (rules.length ? ', ' + rules.join(', ') : '') +
      '; answers it cannot read count as incorrect.',
  );
  const columns = [
    'Task',
    'Answered by',
    'Correct',
    'Accuracy, %',
    '95% interval',
    'As released',
    'Chance',
    'Incorrect',
    'Unreadable',
    'Truncated',
    'Unanswered',
    'Pending',
    '',
  ];
  // A column in which nothing is to come takes the room of those that say something.
  const toCome = columns.indexOf('Pending');
  const shown = rows.some((row) => row[toCome]) ? () => true : (_, index) => index !== toCome;
  const lines = rows.map((row) => row.filter(shown));
  return fold('All numbers', [how, table(columns.filter(shown), lines, 'all numbers')]);
}

/**
 * Why there is no reading: what the parser and the models said, most often first.
 * @param {Api.ResultsView} result
 */
export function reasons(result) {
  const names = namesOf(result.rows);
  const rows = result.rows.flatMap((row) =>
    row.reasons.map((reason) => [
      reason.text,
      numberOf(row.id) + ' ' + names.get(row.id),
      reason.count,
    ]),
  );
  return rows.length
    ? [
        fold('Why answers are unreadable or missing', [
          table(['Reason', 'Evaluation', 'Answers'], rows, 'reasons'),
        ]),
      ]
    : [];
}

// The two that are compared come first, so that they are the two of the view.
/** @param {Api.EvaluationPair} item */
const reordered = (item) => [
  item.first,
  item.second,
  ...qa.evaluations.filter((id) => id !== item.first && id !== item.second),
];

/** @param {number | null} p */
function pWords(p) {
  if (p === null) return NONE;
  return p < SMALLEST_P ? '< ' + SMALLEST_P : String(Number(p.toPrecision(3)));
}

/**
 * Two evaluations at a time, question by question; what differs opens.
 * @param {Api.ResultsView} result
 */
export function differences(result) {
  if (!result.differences.length) return [];
  const names = namesOf(result.rows);
  const card = make('section', 'th-card th-vlm-card');
  const head = make('header');
  const body = make('div');
  const which = make('select');
  const nameOf = (id) => numberOf(id) + ' ' + (names.get(id) || '');
  /**
   * A count that opens the questions behind it.
   * @param {Api.EvaluationPair} item
   * @param {Api.DifferenceJson} row
   * @param {'first' | 'second'} only
   */
  function opening(item, row, only) {
    const count = row['only_' + only];
    if (!count || row.task === 'robust') return count;
    const button = make('button', 'th-vlm-plain', String(count));
    const task = row.task === 'micro' ? '' : row.task;
    button.type = 'button';
    button.title = 'Show these questions';
    button.addEventListener('click', () =>
      openView('differ', { evaluations: reordered(item), task, only, words: '' }),
    );
    return button;
  }
  function show() {
    const item = result.differences[Number(which.value) || 0];
    const see = make('button', 'th-button', 'Show the questions where they differ');
    see.type = 'button';
    see.addEventListener('click', () =>
      openView('differ', { evaluations: reordered(item), task: '', only: '', words: '' }),
    );
    body.replaceChildren(
      make(
        'p',
        'th-soft',
        'How much more often one evaluation is correct than the other, by task: ' +
          nameOf(item.second) +
          ' minus ' +
          nameOf(item.first) +
          ', in percentage points, over the questions that both answered. Newcombe’s interval; p from McNemar’s exact test, not corrected for multiple tasks.',
      ),
      table(
        [
          'Task',
          'Pairs',
          'Points',
          '95% interval',
          'Only ' + numberOf(item.first) + ' correct',
          'Only ' + numberOf(item.second) + ' correct',
          'p',
        ],
        item.rows.map((row) => [
          row.title,
          row.pairs,
          (row.points > 0 ? '+' : '') + number(row.points),
          row.low === null ? NONE : number(row.low) + ' to ' + number(row.high),
          opening(item, row, 'first'),
          opening(item, row, 'second'),
          pWords(row.p),
        ]),
        'differences',
      ),
      see,
    );
  }
  head.append(make('h3', '', 'Question by question'));
  options(
    which,
    result.differences.map((difference, index) => ({
      id: String(index),
      name: nameOf(difference.second) + ' minus ' + nameOf(difference.first),
    })),
    '0',
  );
  const pairOf = (item) => item.first + ' ' + item.second;
  const before = result.differences.findIndex((difference) => pairOf(difference) === chosenPair);
  which.value = String(Math.max(0, before));
  which.setAttribute('aria-label', 'Evaluations');
  if (result.differences.length > 1) head.append(which);
  which.addEventListener('change', () => {
    chosenPair = pairOf(result.differences[Number(which.value)]);
    show();
  });
  show();
  card.append(head, body);
  return [card];
}

/**
 * A published number; one that does not fit the others of its table is marked.
 * @param {number | null | undefined} value
 * @param {string} [doubt] why not
 */
function printed(value, doubt) {
  if (!doubt) return number(value);
  const cell = make('span', '', number(value));
  cell.append(make('sup', '', '†'));
  cell.title = doubt;
  return cell;
}

/**
 * The name of a printed row, and why ours is not it.
 * @param {string} name
 * @param {string} label
 * @param {() => Promise<Api.GapsView>} load
 */
function printedName(name, label, load) {
  const cell = make('span', '', name);
  cell.append(gapButton(label, async () => (await load()).gaps));
  return cell;
}

/** @param {Api.PublishedScores} row */
function publishedName({ table, group, name }) {
  return printedName(name, [name, group].filter(Boolean).join(', '), () => {
    const shown = { set: qa.set, askings: qa.evaluations.join(','), parser: qa.parser };
    return ask(askUrl('/gap', { ...shown, table, group, row: name }));
  });
}

/**
 * The published rows, table by table, never mixed with ours.
 * @param {Api.ResultsView} result
 */
export function published(result) {
  if (!result.published.length) return [];
  const tasks = result.set.tasks.filter((task) =>
    result.published.some((row) => row.tasks[task.id] !== undefined),
  );
  const nodes = [...new Set(result.published.map((row) => row.note))].flatMap((note) => {
    const rows = result.published.filter((row) => row.note === note);
    const columns = ['Model', 'Group', ...tasks.map((task) => task.title), 'Overall', 'Robust'];
    const named = [
      ...tasks.map((task) => [task.id, task.title]),
      ['overall', 'Overall'],
      ['robust', 'Robust'],
    ];
    const doubts = rows.flatMap((row) =>
      named
        .filter(([id]) => row.doubts[id])
        .map(([id, title]) => row.name + ', ' + row.group + ', ' + title + ': ' + row.doubts[id]),
    );
    /** @type {Node[]} */
    const out = [
      make('h4', '', note + ' (published)'),
      table(
        columns,
        rows.map((row) => [
          publishedName(row),
          row.group,
          ...tasks.map((task) => printed(row.tasks[task.id], row.doubts[task.id])),
          printed(row.overall, row.doubts.overall),
          printed(row.robust, row.doubts.robust),
        ]),
        note,
      ),
    ];
    if (doubts.length) {
      const why = make('details', 'th-vlm-doubts');
      const list = make('ul');
      list.append(...doubts.map((text) => make('li', '', text)));
      why.append(make('summary', '', '† inconsistent with other published numbers'), list);
      out.push(why);
    }
    return out;
  });
  return [fold('As published', nodes)];
}

/**
 * A model as judge: its answers about renders of known color, beside those of the pixel rules.
 * @param {Api.ResultsView} result
 * @param {(say: (text: string) => void) => Promise<void>} judge has the rules judge the renders
 */
export function judging(result, judge) {
  if (!result.judge) return [];
  if (!result.judge.ready) {
    const card = make('section', 'th-card th-vlm-card');
    const press = make('button', 'th-button', 'Score the renders with the rules');
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
      make('h3', '', 'Model and pixel rules on the same colors'),
      make(
        'p',
        'th-soft',
        'The color of each render is known. Score the renders with the pixel rules to compare them with the model, as in GenColorBench’s Table 2.',
      ),
      press,
      said,
    );
    return [card];
  }
  return result.judge.reports.map((report) => {
    const named =
      (table) =>
      ([row, ...cells]) => [
        printedName(row, row, () =>
          ask(askUrl('/judge-gap', { set: qa.set, asking: report.asking, table, row })),
        ),
        ...cells,
      ];
    // The first is the answer; those behind it fold away.
    const nodes = report.tables.map((item, index) => {
      const box = index ? make('details', 'th-vlm-judged') : make('div', 'th-vlm-judged');
      const name = item.title + (item.published ? ' (published)' : '');
      box.append(
        index ? make('summary', '', name) : make('h4', '', name),
        make('p', 'th-soft', item.note),
        table(item.columns, item.published ? item.rows.map(named(item.id)) : item.rows, item.title),
      );
      return box;
    });
    const title = numberOf(report.asking) + ' ' + report.title + ', compared with the pixel rules';
    return fold(title, nodes, result.judge.reports.length === 1);
  });
}
