// Progress of a study: answers, coverage, people. Polled every few seconds while visible.
import { arrange, duration, make, many, put } from '../shared/dom.js';
import { onTheme } from '../shared/figure.js';
import { ask } from '../shared/http.js';
import { clock } from './colorings/coloring_card.js';
import { coloringLive } from './colorings/live.js';
import { coverage, plot, votesOverTime } from './figures.js';
import {
  ago,
  bar,
  button,
  card,
  nothing,
  percent,
  problemLine,
  stageWords,
  stamp,
  time,
  whole,
} from './parts.js';
import { submissionsCard } from './submissions.js';
import { dataTable } from './table.js';
import { onView, openStudy } from './view.js';

const POLL_MS = 4000;
const HOUR_S = 3600;
const PACE_HOURS = 6;
const FIRST_PEOPLE = 40;
/** A number with what it is, and more below. */
function tile(name) {
  const node = make('div', 'th-study-tile');
  const value = make('b');
  const more = make('small');
  node.append(make('span', '', name), value, more);
  return {
    node,
    name: (text) => put(node.firstElementChild, text),
    set(text, message = '', after = null) {
      put(value, text);
      put(more, message);
      if (after) {
        node.querySelector('.th-bar')?.remove();
        node.append(after);
      }
    },
  };
}

/**
 * When it would be complete, from the answers of the last hours. What a stimulus has beyond what is
 * wanted of it is no progress; a skip is an answer too.
 * @param {Api.LiveView} live
 */
export function expectedEnd(live) {
  const { missing } = live;
  if (missing <= 0) return { text: 'Complete', words: 'all answers received' };
  if (live.state !== 'open') return { text: '–', words: 'the study takes no answers now' };
  const now = Date.parse(live.now);
  const recent = live.hours.filter(
    (hour) => now - Date.parse(hour.at) < PACE_HOURS * HOUR_S * 1000,
  );
  const answers = recent.reduce((sum, hour) => sum + hour.answers, 0);
  if (!answers) return { text: '–', words: 'no answers in the last ' + PACE_HOURS + ' hours' };
  // Hours that had begun when the first answer of them came: the study may be younger than the window.
  const first = recent.find((hour) => hour.answers);
  const seconds = Math.max(HOUR_S / 4, (now - Date.parse(first.at)) / 1000);
  const pace = answers / seconds;
  const end = new Date(now + (1000 * missing) / pace);
  const rate = pace * HOUR_S;
  return {
    text: 'in ' + duration(missing / pace),
    words:
      stamp(end.toISOString()) +
      ' at ' +
      (rate < 10 ? rate.toFixed(1) : whole(Math.round(rate))) +
      ' answers per hour',
  };
}

/**
 * Which answers do not count, and whether others can answer in their place; empty where all count.
 * @param {Api.LiveView} live
 */
function exclusionNote(live) {
  const excluded = live.excluded_answers;
  if (!excluded) return null;
  const to_replace = live.to_replace;
  const head =
    many(excluded, 'answer') +
    (live.excluded_people ? ' of ' + many(live.excluded_people, 'participant') : '') +
    (excluded === 1 ? ' is excluded.' : ' are excluded.');
  const more = !live.replaces_excluded
    ? 'They are not replaced. Turn on “Replace excluded participants” under Edit… to let others answer in their place.'
    : !to_replace
      ? 'They are replaced: every stimulus has all its answers.'
      : `Others can answer in their place${live.state === 'open' ? '' : ' once the study is open'}: ${many(to_replace, 'answer')} to replace.`;
  return { head, more };
}

/** @param {number} value */
const seconds = (value) => value.toFixed(1) + ' s';

const COLUMNS = [
  {
    name: 'Person',
    cell(person) {
      const text = person.label + (person.excluded ? ' (excluded)' : '');
      const node = make('span', 'th-study-name-of', text);
      if (!person.agent) return node;
      const flag = make('small', '', '⚑ may be a script');
      flag.title = 'Signs in how answers were entered. See People; nothing is decided by them.';
      node.append(' ', flag);
      return node;
    },
  },
  { name: 'Step', beside: true, cell: (person) => stageWords(person.stage) },
  {
    name: 'Trials',
    cell(person) {
      const node = make('span', 'th-study-progress');
      if (!person.trials) return '–';
      node.append(
        make('span', '', person.answered + ' of ' + person.trials),
        bar(person.answered, person.trials, 'Trials of ' + person.label),
      );
      return node;
    },
  },
  {
    name: 'Trials held',
    cell: (person) => {
      const node = make('span', 'th-study-held');
      node.dataset.until = person.held_until || '';
      return node;
    },
  },
  { name: 'Last active', cell: (person) => time(person.last_at) },
  { name: 'Joined', wide: true, cell: (person) => time(person.enrolled_at) },
  { name: 'Link', wide: true, cell: (person) => person.link || '–' },
  { name: 'Version', right: true, wide: true, cell: (person) => String(person.version) },
];

/**
 * How long the trials of a participant stay theirs; nothing where they hold none.
 * @param {string} until
 * @param {string} now
 */
export function heldWords(until, now) {
  const left = (Date.parse(until) - Date.parse(now)) / 1000;
  return left > 0 ? 'for ' + clock(left) : '–';
}

/**
 * How many hold trials and have answered nothing yet, and when the first of them are released; empty
 * where nobody does.
 * @param {Api.LiveView} live
 */
export function undecidedWords(live) {
  const undecided = live.people.filter((person) => person.held_until && !person.begun);
  if (!undecided.length) return '';
  const first = undecided.map((person) => person.held_until).sort()[0];
  return (
    many(undecided.length, 'participant') +
    (undecided.length === 1 ? ' has' : ' have') +
    ' answered nothing yet. Without activity, the next trials are released in ' +
    clock((Date.parse(first) - Date.parse(live.now)) / 1000) +
    '.'
  );
}

/**
 * @param {HTMLElement} box
 * @param {import('./study.js').Current} current
 */
export function liveView(box, current) {
  const line = problemLine();
  const full = make('p', 'th-study-note');
  const excluded = make('p', 'th-study-note');
  const start = make('section', 'th-card th-study-start');
  const tiles = make('section', 'th-card th-study-tiles');
  const grid = make('div', 'th-study-two');
  const overTime = card(
    'Answers over time',
    'How many answers came in each hour (bars, left), and in total up to the target (line, right).',
  );
  const loads = card(
    'Coverage',
    'How many stimuli have how many answers. Those right of the dashed line are complete.',
  );
  const people = card('People');
  const undecided = make('p', 'th-soft');
  const prolific = submissionsCard(current);
  const said = make('span', 'th-soft');
  const hours = plot('Answers hour by hour');
  const none = make('p', 'th-soft');
  const load = plot('How many stimuli have how many answers');
  const all = {
    votes: tile('Answers'),
    stimuli: tile('Complete stimuli'),
    people: tile('People'),
    gone: tile('Dropouts'),
    time: tile('Median answer'),
    unsure: tile('Ties and skips'),
    end: tile('Expected end'),
  };
  const colored = current.study.kind === 'colorings';
  const ofQuestions = current.study.kind === 'questions';
  const more = colored ? coloringLive(current) : null;
  let timer;
  let request = 0;
  let data = null;
  let whole_ = false;
  let rendered = '';

  if (colored) {
    all.stimuli.name('Complete concepts');
    all.time.name('Median sketch');
    all.unsure.name('Words not known');
    put(
      loads.node.querySelector('.th-soft'),
      'How many concepts have how many answers. Those right of the dashed line are complete.',
    );
  } else if (ofQuestions) {
    all.stimuli.name('Complete questions');
    all.unsure.name('“Cannot tell”');
  }
  said.setAttribute('role', 'status');
  people.head.append(said);
  people.body.before(undecided);
  tiles.append(...Object.values(all).map((item) => item.node));
  tiles.setAttribute('aria-label', 'Progress');
  overTime.body.append(none, hours);
  loads.body.append(load);
  grid.append(overTime.node, loads.node);

  function begin() {
    const { study } = current;
    const { id } = study;
    const open = study.links.some((link) => !link.revoked_at);
    if (study.state === 'draft')
      return nothing(
        'This study is not open yet',
        'Preview it as a participant, open it above, and create a link. ' +
          (colored ? 'Colorings' : 'Votes') +
          ', coverage and people then appear here.',
        [button('Show the plan', () => openStudy(id, 'plan'))],
      );
    if (!open)
      return nothing('No link yet', 'Participants join by a link. Create one and send it out.', [
        button('Create a link', () => openStudy(id, 'links'), 'th-study-do'),
      ]);
    return nothing(
      'No answers yet',
      study.state === 'open'
        ? 'The study is open. The first ' +
            (colored ? 'coloring' : 'vote') +
            ' appears here after a few seconds.'
        : 'The study is ' + study.state + ' and has no answers.',
      [button('Show the links', () => openStudy(id, 'links'))],
    );
  }
  function figures() {
    put(
      none,
      data.hours.length
        ? ''
        : data.answers
          ? 'No answers in the last 48 hours.'
          : 'No answers yet. The chart starts with the first answer.',
    );
    hours.hidden = !data.hours.length;
    if (data.hours.length) votesOverTime(hours, data.hours, data.wanted, data.answers, data.now);
    coverage(load, data.load, current.study.plan.votes, colored);
    hours.setAttribute(
      'aria-label',
      'Answers per hour, including excluded ones: ' +
        whole(data.answers) +
        ' of ' +
        whole(data.wanted) +
        ' so far.',
    );
    load.setAttribute(
      'aria-label',
      'Coverage: ' +
        data.load
          .map((item) => item.stimuli + ' stimuli with ' + item.answers + ' answers')
          .join(', ') +
        '.',
    );
  }
  /** Who came and found no place, in words; nothing where nobody did. */
  function fullWords() {
    const away = data.turned_away;
    full.hidden = !away;
    if (!away) return;
    full.replaceChildren(
      make('b', '', 'Full: ' + many(away.visits, 'visit') + ' turned away'),
      ' since ' +
        stamp(away.first_at) +
        (away.visits > 1 ? ', the last ' + ago(away.last_at) : '') +
        '. All answers are complete or reserved for active participants. ' +
        'A place becomes free when a participant stops or is inactive for ' +
        duration(current.study.plan.abandoned_after_s) +
        ' (' +
        duration(current.study.plan.unanswered_after_s) +
        ' before the first answer)' +
        '. (Counted since TrueHue started; reloading the page counts again.)',
    );
  }
  function exclusions() {
    const note = exclusionNote(data);
    excluded.hidden = !note;
    if (note) excluded.replaceChildren(make('b', '', note.head), ' ' + note.more);
  }
  function draw() {
    fullWords();
    exclusions();
    const empty = !data.participants;
    if (empty) start.replaceChildren(begin());
    arrange(
      box,
      empty
        ? [line, full, start]
        : more
          ? [
              line,
              full,
              excluded,
              more.note,
              tiles,
              ...more.nodes,
              prolific.node,
              grid,
              people.node,
            ]
          : [line, full, excluded, tiles, prolific.node, grid, people.node],
    );
    if (empty) return;
    const reasons = [
      [data.withdrawn, 'withdrew'],
      [data.abandoned, 'abandoned'],
      [data.screened_out, 'screened out'],
      [data.failed_checks, 'failed checks'],
      [data.timed_out, 'timed out'],
    ];
    const gone = reasons.reduce((sum, [count]) => sum + Number(count), 0);
    const end = expectedEnd(data);
    all.votes.set(
      whole(data.answers - data.excluded_answers),
      'of ' + whole(data.wanted) + ' needed · ' + percent(data.share, 1),
      bar(data.wanted - data.missing, data.wanted, 'Answers'),
    );
    all.stimuli.set(
      whole(data.complete_stimuli),
      'of ' + whole(data.stimuli),
      bar(data.complete_stimuli, data.stimuli, 'Complete stimuli'),
    );
    all.people.set(
      whole(data.participants),
      data.finished +
        ' finished · ' +
        data.active +
        (data.state === 'closed' ? ' not finished' : ' active now'),
    );
    all.gone.set(
      whole(gone),
      reasons
        .filter(([count], index) => count || index < 2)
        .map((part) => part.join(' '))
        .join(' · '),
    );
    all.time.set(
      data.median_ms === null ? '–' : (colored ? clock : seconds)(data.median_ms / 1000),
      colored
        ? 'from first view to answer'
        : ['questions', 'ratings'].includes(current.study.kind)
          ? 'from image display to answer'
          : 'from display of all images to answer',
    );
    if (colored) all.unsure.set(whole(data.skips), 'sketches skipped for this reason');
    else
      all.unsure.set(
        percent(data.answers ? (data.ties + data.skips) / data.answers : null),
        ofQuestions
          ? many(data.skips, 'answer') + ' of all'
          : many(data.ties, 'tie') + ' · ' + many(data.skips, 'skip'),
      );
    all.end.set(end.text, end.words);
    put(said, 'as of ' + stamp(data.now).slice(11));
    const figured = JSON.stringify([data.hours, data.load]);
    if (figured !== rendered) {
      rendered = figured;
      figures();
    }
    const text = undecidedWords(data);
    undecided.hidden = !text;
    put(undecided, text);
    persons();
    for (const node of people.body.querySelectorAll('.th-study-held'))
      put(node, heldWords(/** @type {HTMLElement} */ (node).dataset.until, data.now));
  }
  function persons() {
    const rows = [...data.people].sort((a, b) => (b.last_at || '').localeCompare(a.last_at || ''));
    const shown = whole_ ? rows : rows.slice(0, FIRST_PEOPLE);
    const now = JSON.stringify(shown) + Math.floor(Date.now() / 10000);
    if (people.body.dataset.shown === now || people.body.contains(document.activeElement)) return;
    people.body.dataset.shown = now;
    const more = rows.length - shown.length;
    people.body.replaceChildren(
      dataTable(COLUMNS, shown, 'Participants, most recently active first', true),
      ...(more
        ? [
            button('Show ' + whole(more) + ' more', () => {
              whole_ = true;
              /** @type {HTMLElement} */ (document.activeElement)?.blur();
              persons();
            }),
          ]
        : []),
    );
  }
  async function poll() {
    clearTimeout(timer);
    if (!box.isConnected || !onView('live')) return;
    const mine = ++request;
    try {
      /** @type {Api.LiveView} */
      const now = await ask(`${current.address}/live`);
      if (mine !== request) return;
      line.say('');
      data = now;
      if (now.state !== current.study.state) current.reload();
      draw();
      await more?.poll();
      // Live does not wait for Prolific.
      prolific.poll().catch(() => {});
      if (mine !== request) return;
    } catch (error) {
      if (mine !== request) return;
      line.say(
        'Live data cannot be loaded now. ' +
          error.message +
          ' Answers are still stored. Trying again…',
      );
      arrange(box, [line, ...[...box.children].filter((node) => node !== line)]);
    }
    clearTimeout(timer);
    timer = setTimeout(poll, POLL_MS);
  }
  onTheme(() => {
    if (data && data.participants && onView('live')) figures();
  });
  return { shown: poll };
}
