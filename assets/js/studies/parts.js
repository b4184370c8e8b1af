// Small pieces that every screen of Studies shows: buttons that wait, states, numbers with intervals.
import { make, put } from '../shared/dom.js';

/** States of a study: a shape beside each word, so that no color has to tell them apart. */
const STATES = {
  draft: { shape: '○', word: 'Draft' },
  open: { shape: '▸', word: 'Open' },
  paused: { shape: '‖', word: 'Paused' },
  closed: { shape: '■', word: 'Closed' },
};
/** What is answered, in words. */
export const KINDS = {
  pairs: 'Pairs',
  ratings: 'Ratings, 0 to 10',
  'best-of': 'Best of four',
  colorings: 'Colorings',
  questions: 'Questions',
};
/** What a case is called, where it has a better name. */
export const CASE = { colorings: 'concept', questions: 'question' };
export const MATERIALS = {
  distributions: 'Color distributions',
  images: 'Images',
  sketches: 'Sketches',
};

/** Where a participant is: a shape beside each word. */
const STAGES = {
  enrolled: ['○', 'Joined'],
  consent: ['○', 'Reading the consent'],
  survey: ['◔', 'Survey'],
  screening: ['◔', 'Screening'],
  trials: ['▸', 'Answering'],
  answering: ['▸', 'Answering'],
  away: ['‖', 'Away'],
  finished: ['●', 'Finished'],
  answered: ['●', 'All answered, Finish not pressed'],
  withdrawn: ['×', 'Withdrew'],
  screened_out: ['×', 'Screened out'],
  failed_checks: ['×', 'Failed checks'],
  timed_out: ['×', 'Timed out'],
};

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const KEPT_MS = 10000;

/**
 * @param {string} text
 * @param {() => unknown} press
 * @param {string} [more] classes
 */
export function button(text, press, more = '') {
  const node = make('button', ('th-button ' + more).trim(), text);
  node.type = 'button';
  node.addEventListener('click', () => {
    if (node.getAttribute('aria-disabled') !== 'true') press();
  });
  return node;
}

/**
 * A line for what was refused, hidden until there is something.
 * @returns {HTMLElement & { say: (text: string) => void }}
 */
export function problemLine() {
  const node = make('p', 'th-problem');
  node.hidden = true;
  node.setAttribute('role', 'alert');
  return Object.assign(node, {
    say(text) {
      put(node, text);
      node.hidden = !text;
    },
  });
}

/**
 * A button that does one thing at a time and says above `line` what was refused.
 * @param {string} text
 * @param {() => Promise<unknown>} act
 * @param {{ say: (text: string) => void }} line
 * @param {string} [more] classes
 */
export function doing(text, act, line, more) {
  const node = button(
    text,
    async () => {
      node.setAttribute('aria-disabled', 'true');
      line.say('');
      try {
        await act();
      } catch (error) {
        line.say(error.message);
      }
      node.removeAttribute('aria-disabled');
    },
    more,
  );
  return node;
}

/**
 * A link that looks like a button.
 * @param {string} text
 * @param {string} href
 * @param {boolean} [file] whether it is a file to keep
 */
export function linkButton(text, href, file) {
  const node = make('a', 'th-button', text);
  node.href = href;
  if (file) node.download = '';
  return node;
}

/** The word and shape of a state. @param {string} state */
export function stateMark(state) {
  const { shape, word } = STATES[state] || { shape: '·', word: state };
  const node = make('span', 'th-study-state');
  const mark = make('i', '', shape);
  node.dataset.state = state;
  mark.setAttribute('aria-hidden', 'true');
  node.append(mark, make('span', '', word));
  return node;
}

/**
 * A bar of how far something is.
 * @param {number} done
 * @param {number} total
 * @param {string} label
 */
export function bar(done, total, label) {
  const node = make('div', 'th-bar');
  const fill = make('i');
  const share = total ? Math.min(100, (100 * done) / total) : 0;
  node.setAttribute('role', 'progressbar');
  node.setAttribute('aria-valuemin', '0');
  node.setAttribute('aria-valuemax', '100');
  node.setAttribute('aria-valuenow', String(Math.floor(share)));
  node.setAttribute('aria-label', label);
  fill.style.width = share + '%';
  node.append(fill);
  return node;
}

/**
 * Names and values in two columns; values are text or nodes.
 * @param {[string, string | Node | null | undefined][]} list
 */
export function facts(list) {
  const node = make('dl', 'th-study-facts');
  list.forEach(([name, value]) => {
    if (value === null || value === undefined || value === '') return;
    const cell = make('dd');
    cell.append(value);
    node.append(make('dt', '', name), cell);
  });
  return node;
}

/** "1,234". @param {number} value */
export const whole = (value) => value.toLocaleString('en-US').replace('-', '−');

/**
 * "62.4%"; a dash where there is none.
 * @param {number | null | undefined} share
 * @param {number} [digits]
 */
export function percent(share, digits = 0) {
  return share === null || share === undefined ? '–' : (100 * share).toFixed(digits) + '%';
}

/** A number of two decimals with a true minus. @param {number | null | undefined} value */
export function decimal(value, digits = 2) {
  if (value === null || value === undefined) return '–';
  const text = value.toFixed(digits);
  return Number(text) ? text.replace('-', '−') : text.replace('-', '');
}

/** How long ago, in words. @param {string | null | undefined} iso */
export function ago(iso) {
  if (!iso) return '–';
  const seconds = (Date.now() - Date.parse(iso)) / 1000;
  if (seconds < 10) return 'just now';
  if (seconds < MINUTE) return Math.round(seconds) + ' s ago';
  if (seconds < HOUR) return Math.round(seconds / MINUTE) + ' min ago';
  if (seconds < DAY) return Math.round(seconds / HOUR) + ' h ago';
  if (seconds < 14 * DAY) return Math.round(seconds / DAY) + ' d ago';
  return iso.slice(0, 10);
}

/** "2026-11-23 09:14" in the reader's own time. @param {string | null | undefined} iso */
export function stamp(iso) {
  if (!iso) return '–';
  const index = new Date(iso);
  const two = (number) => String(number).padStart(2, '0');
  const day = [index.getFullYear(), two(index.getMonth() + 1), two(index.getDate())].join('-');
  return day + ' ' + two(index.getHours()) + ':' + two(index.getMinutes());
}

/** A time as how long ago, with its date at hand. @param {string | null | undefined} iso */
export function time(iso) {
  const node = make('time', '', ago(iso));
  if (iso) {
    node.dateTime = iso;
    node.title = stamp(iso);
  }
  return node;
}

/**
 * A number with its interval below, on a line from `from` to `to`.
 * @param {{ value: number | null, low: number | null, high: number | null, why: string }} number
 * @param {(value: number | null) => string} format
 * @param {[number, number, number?]} [line] from, to, and where a mark stands
 */
export function rated(number, format, line) {
  const node = make('span', 'th-study-rated');
  const text = make('span', 'th-rate-numbers');
  const { value, low, high, why } = number;
  // Where everybody gave the same, resampling them shows no width: that is no interval.
  const known = low !== null && high !== null && low !== high;
  text.append(make('b', '', format(value)));
  if (known) text.append(make('small', '', format(low) + ' to ' + format(high)));
  node.append(text);
  if (why) node.title = why;
  else if (!known && value !== null)
    node.title = 'All answers are the same, so resampling gives no interval.';
  if (!line || value === null) return node;
  const [from, to, mark] = line;
  const arrange = (position) => 100 * Math.min(1, Math.max(0, (position - from) / (to - from)));
  const track = make('span', 'th-interval');
  if (mark !== undefined) {
    const middle = make('u');
    middle.style.left = arrange(mark) + '%';
    track.append(middle);
  }
  if (known && low !== null && high !== null) {
    const range = make('i');
    range.style.left = arrange(low) + '%';
    range.style.width = arrange(high) - arrange(low) + '%';
    track.append(range);
  }
  const index = make('b');
  index.style.left = arrange(value) + '%';
  track.append(index);
  node.append(track);
  return node;
}

/**
 * Hands text over as a file.
 * @param {string} name
 * @param {string} text
 * @param {string} [type]
 */
export function download(name, text, type = 'text/csv') {
  const link = make('a');
  link.download = name;
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MS);
}

/** A part of the page with its heading. @param {string} title @param {string} [text] */
export function card(title, text) {
  const node = make('section', 'th-card');
  const head = make('header');
  const body = make('div', 'th-study-body');
  head.append(make('h3', '', title));
  if (text) head.append(make('span', 'th-soft', text));
  node.append(head, body);
  return { node, head, body };
}

/**
 * Says what is not there, and what to do about it.
 * @param {string} title
 * @param {string} text
 * @param {Node[]} [actions]
 */
export function nothing(title, text, actions = []) {
  const node = make('div', 'th-study-nothing');
  node.append(make('h3', '', title), make('p', '', text));
  if (actions.length) {
    const line = make('div', 'th-study-buttons');
    line.append(...actions);
    node.append(line);
  }
  return node;
}

/** A line that says how far numbers are to be trusted, hidden where there is nothing to say. */
export function cautionLine() {
  const node = make('p', 'th-study-caution');
  return {
    node,
    /** @param {string | undefined} text */
    say(text) {
      node.hidden = !text;
      node.replaceChildren(make('b', '', 'Few people.'), ' ' + (text || ''));
    },
  };
}

/**
 * Asks before what cannot be taken back. `body` may hold fields, `problem` a refusal.
 * @param {{ title: string, body: Node[], action: string, act: () => Promise<unknown> }} question
 */
export function question({ title, body, action, act }) {
  const dialog = make('dialog', 'th-study-dialog');
  const heading = make('h3', '', title);
  const line = problemLine();
  const foot = make('div', 'th-study-buttons');
  const back = button('Cancel', () => dialog.close());
  const done = doing(
    action,
    async () => {
      await act();
      dialog.close();
    },
    line,
    'th-study-do',
  );
  heading.id = 'th-study-question';
  dialog.setAttribute('aria-labelledby', heading.id);
  foot.append(done, back);
  dialog.append(heading, ...body, line, foot);
  dialog.addEventListener('close', () => dialog.remove());
  (document.querySelector('.th-studies') || document.body).append(dialog);
  dialog.showModal();
  return dialog;
}

/**
 * A field for the reason of something.
 * @param {string} label
 * @param {string} hint
 */
export function reasonField(label, hint) {
  const box = make('div', 'th-study-field');
  const text = make('label', '', label);
  const input = make('input');
  const about = make('p', 'th-study-hint', hint);
  input.id = 'th-study-reason';
  input.maxLength = 300;
  text.htmlFor = input.id;
  about.id = 'th-study-reason-hint';
  input.setAttribute('aria-describedby', about.id);
  box.append(text, input, about);
  return { box, input };
}

/** The shape and the words of a stage. @param {string} stage */
export const stageOf = (stage) => STAGES[stage] || ['·', stage];

/** @param {string} stage */
export function stageWords(stage) {
  const [shape, text] = stageOf(stage);
  const node = make('span', 'th-study-stage');
  const mark = make('i', '', shape);
  mark.setAttribute('aria-hidden', 'true');
  node.append(mark, make('span', '', text));
  return node;
}
