// The figure of scores: a line for everybody in every task, with its interval, beside chance, the
// pixel reader and people. It is a list that can be read; figure_file.js makes an image of it.
import { make, many } from '../shared/dom.js';
import { numberOf, openView } from './view.js';
import { namesOf } from './names.js';

export const AXIS = [0, 25, 50, 75, 100];
const NONE = '–';
export const MARKS = {
  'n.s. vs chance': {
    text: 'n.s. vs chance',
    title: 'Not significantly different from chance: the 95% interval includes it',
  },
  'below chance': {
    text: 'below chance',
    title: 'Below chance: all of the 95% interval lies below it',
  },
  'at the ceiling': { text: 'upper bound', title: 'At the upper bound: its interval reaches 100' },
};

const known = (value) => value !== null && value !== undefined;

/** @param {number | null | undefined} value */
export const number = (value) => (known(value) ? value.toFixed(1).replace('-', '−') : NONE);

/** @param {any} tally */
export const interval = (tally) =>
  known(tally.low) ? tally.low.toFixed(0) + '–' + tally.high.toFixed(0) : '';

/**
 * @typedef {object} Lane one line of the figure
 * @property {string} who
 * @property {string} title all that is to be said of who it is
 * @property {string} number of an asking, else ''
 * @property {'asking' | 'pixels' | 'people' | 'published' | 'none'} mark
 * @property {any} tally with `percent`, `low`, `high`, and counts where it has them
 * @property {number | null | undefined} chance in percent
 *
 * @typedef {object} Block what all lines of one task stand below
 * @property {string} title
 * @property {string} note
 * @property {string | null} task whose questions it opens: '' is all, null none
 * @property {Lane[]} lanes
 */

/**
 * All of the figure, from what the app answered: the averages first, then task by task.
 * @param {Api.ResultsView} result
 * @param {(id: string) => string} [numbered] the number of an asking
 * @returns {Block[]}
 */
export function figureBlocks(result, numbered = numberOf) {
  const names = namesOf(result.rows);
  const human = result.published.find((row) => row.people);
  // The reader of pixels stands beside the others, unless it is one of them.
  const reader = result.rows.some((row) => row.pixels) ? null : result.pixels;
  /**
   * @param {(row: any) => any} pick the numbers of an asking, or of a study of people
   * @param {number | null | undefined} chance
   * @param {string} task
   */
  function lanes(pick, chance, task) {
    /** @type {Lane[]} */
    const out = [];
    result.rows.forEach((row) => {
      const tally = pick(row);
      if (!tally) return;
      out.push({
        who: names.get(row.id) || row.name,
        title: row.name + ', ' + row.settings,
        number: numbered(row.id),
        mark: 'asking',
        tally,
        chance: tally.chance ?? chance,
      });
    });
    const read = task && reader && reader.tasks[task];
    if (read)
      out.push({
        who: 'Pixel reader',
        title: 'A pixel-reading baseline, not a language model',
        number: '',
        mark: 'pixels',
        tally: read,
        chance,
      });
    result.people.forEach((people) => {
      const tally = pick(people);
      if (!tally) return;
      const title = people.title + ', ' + many(people.participants, 'participant');
      out.push({
        who: 'People: ' + people.title,
        title,
        number: '',
        mark: 'people',
        tally,
        chance,
      });
    });
    const printed = task && human ? human.tasks[task] : null;
    if (known(printed))
      out.push({
        who: 'People (published)',
        title: human.note + ': other questions, as printed',
        number: '',
        mark: 'published',
        tally: { percent: printed },
        chance,
      });
    if (!out.length)
      out.push({
        who: 'Chance',
        title: 'Random guessing among the allowed answers',
        number: '',
        mark: 'none',
        tally: { percent: chance },
        chance,
      });
    return out;
  }
  const guess = (value) => (known(value) ? 'chance ' + value.toFixed(0) : '');
  /** @type {Block[]} */
  const blocks = [];
  // Who was asked a part of the set has the chance of that part.
  const own = new Set(result.rows.map((row) => guess(row.micro.chance)).filter(Boolean));
  if (result.rows.length || result.people.length)
    blocks.push({
      title: 'All questions (micro average)',
      note: own.size > 1 ? 'each compared with chance on the same questions' : [...own][0] || '',
      task: '',
      lanes: lanes((row) => row.micro, result.chance.micro, ''),
    });
  if ([...result.rows, ...result.people].some((row) => row.macro))
    blocks.push({
      title: 'Mean of the tasks (macro average)',
      note: 'every evaluated task has the same weight',
      task: null,
      lanes: lanes((row) => row.macro, null, ''),
    });
  if (result.rows.some((row) => row.robust))
    blocks.push({
      title: 'Robust',
      note: 'seeds correct with all their variants',
      task: null,
      lanes: lanes((row) => row.robust && row.robust.as_made, null, ''),
    });
  result.set.tasks.forEach((task) => {
    const chance = result.chance.tasks[task.id];
    blocks.push({
      title: task.title,
      note: guess(chance),
      task: task.id,
      lanes: lanes((row) => row.tasks[task.id], chance, task.id),
    });
  });
  return blocks;
}

/**
 * The track of one line: 0 to 100 percent, chance as a dashed line, the interval, and the mark.
 * @param {Lane} lane
 */
function track({ tally, mark, number: text, chance }) {
  const box = make('span', 'th-vlm-track');
  if (known(chance)) {
    const line = make('i', 'th-vlm-chance');
    line.style.left = chance + '%';
    box.append(line);
  }
  if (known(tally.low)) {
    const range = make('i', 'th-vlm-range');
    range.style.left = tally.low + '%';
    range.style.width = tally.high - tally.low + '%';
    box.append(range);
  }
  if (known(tally.percent)) {
    const dot = make('b', 'th-vlm-dot th-vlm-dot-' + mark, text);
    dot.style.left = tally.percent + '%';
    box.append(dot);
  }
  // The numbers beside it say the same.
  box.setAttribute('aria-hidden', 'true');
  return box;
}

/** @param {any} tally */
function notes(tally) {
  const box = make('span', 'th-vlm-notes');
  const mark = MARKS[tally.mark];
  const counted = [
    [tally.unreadable, 'unreadable'],
    [tally.truncated, 'truncated'],
    [tally.unanswered, 'unanswered'],
    [tally.not_asked, 'pending'],
  ].filter(([count]) => count);
  if (mark) {
    const tag = make('em', 'th-vlm-tag', mark.text);
    tag.title = mark.title;
    box.append(tag);
  }
  if (counted.length)
    box.append(make('span', '', counted.map(([count, label]) => count + ' ' + label).join(', ')));
  return box;
}

/** @param {Lane} lane */
function line(lane) {
  const { tally } = lane;
  const soft = ['pixels', 'published', 'none'].includes(lane.mark);
  const row = make('li', 'th-vlm-lane' + (soft ? ' th-vlm-soft' : ''));
  const who = make('span', 'th-vlm-who');
  const numbers = make('span', 'th-vlm-figures');
  if (lane.number) who.append(make('span', 'th-vlm-number', lane.number));
  who.append(make('span', '', lane.who));
  who.title = lane.title;
  const range = make('small', '', interval(tally));
  range.title = '95% interval';
  numbers.append(
    make('b', '', number(tally.percent)),
    range,
    make('small', '', tally.asked ? tally.right + '/' + tally.asked : ''),
  );
  row.append(who, track(lane), numbers, notes(tally));
  return row;
}

/** @param {Block} message */
function block(message) {
  const box = make('section', 'th-vlm-block');
  const head = make('h4');
  const list = make('ul', 'th-vlm-lanes');
  if (message.task === null) head.append(message.title);
  else {
    const open = make('button', 'th-vlm-plain', message.title);
    open.type = 'button';
    open.title = 'Show its questions';
    open.addEventListener('click', () =>
      openView('questions', { task: message.task, outcome: '', words: '' }),
    );
    head.append(open);
  }
  if (message.note) head.append(make('small', '', message.note));
  list.append(...message.lanes.map(line));
  box.append(head, list);
  return box;
}

/**
 * The figure as nodes.
 * @param {Block[]} blocks
 */
export function figure(blocks) {
  const box = make('div', 'th-vlm-figure');
  const axis = make('div', 'th-vlm-axis');
  const scale = make('span', 'th-vlm-track');
  AXIS.forEach((value) => {
    const tick = make('i', '', String(value));
    tick.style.left = value + '%';
    scale.append(tick);
  });
  axis.setAttribute('aria-hidden', 'true');
  axis.append(make('span', 'th-soft', 'accuracy (%)'), scale);
  box.append(axis, ...blocks.map(block));
  return box;
}
