// The practice of waiting participants, one after the other: to accept or to request again, by key.
import { arrange, make, many, put } from '../../shared/dom.js';
import { ask, send } from '../../shared/http.js';
import { ago, button, card, nothing, problemLine, question, reasonField } from '../parts.js';
import { onView, openStudy } from '../view.js';
import { background, clock, comments, picture } from './coloring_card.js';

const POLL_MS = 6000;
const TYPING = 'input, textarea, select, [contenteditable], dialog[open]';

/** How notices go out that people wait; nothing where none do. @param {Api.NoticesJson | null} notices */
function noticeWords(notices) {
  if (!notices) return '';
  const ways = notices.ways.join(' and ');
  if (notices.problem)
    return `△ The last notice that people wait failed. ${notices.problem} Tell the person who runs this TrueHue.`;
  const last = notices.sent_at ? `, last ${ago(notices.sent_at)}` : '';
  return `A notice goes out by ${ways} when people wait, at most every ${notices.minutes} minutes${last}.`;
}

/**
 * @param {HTMLElement} box
 * @param {import('../study.js').Current} current
 */
export function practiceView(box, current) {
  const line = problemLine();
  const said = make('p', 'th-study-said');
  const headline = make('p', 'th-study-headline');
  const list = make('div', 'th-study-view');
  const notice = make('p', 'th-soft th-colorings-notice');
  /** Who waits, the first of whom is on screen. @type {any[]} */
  let people = [];
  /** Answered here, and maybe not yet known as such to the study. @type {Set<string>} */
  const answered = new Set();
  /** Colorings by participant and round: the next ones are fetched while one is looked at. */
  const fetched = new Map();
  let timer;
  let request = 0;
  let rendered = '';
  let failed = false;
  said.setAttribute('role', 'status');

  const keyOf = (person) => person.participant + ' ' + person.round;
  /** @param {any} person */
  function coloringsOf(person) {
    const key = keyOf(person);
    if (!fetched.has(key))
      fetched.set(
        key,
        ask(`${current.address}/colorings?participant=${person.participant}`).then(
          ({ colorings }) => {
            const rows = colorings.filter((row) => person.positions.includes(row.position));
            rows.forEach((row) => (new Image().src = row.picture));
            return rows;
          },
        ),
      );
    return fetched.get(key);
  }

  /** @param {any} person @param {any[]} rows */
  function waiting(person, rows) {
    const part = card(
      person.label,
      (person.round > 1 ? 'Round ' + person.round + '. ' : '') + 'Awaiting your review.',
    );
    const images = make('div', 'th-colorings-practice');
    rows.forEach((row) => {
      const figure = make('figure');
      const caption = make('figcaption');
      caption.append(
        make('b', '', row.words),
        make('small', '', clock(row.seconds) + ' · ' + many(row.actions, 'step')),
        ...background(row),
        ...comments(row),
      );
      figure.append(picture(row, row.words + ', practice of ' + person.label), caption);
      images.append(figure);
    });
    person.skipped.forEach((item) => {
      const figure = make('figure');
      const caption = make('figcaption');
      const drawing = make('span', 'th-colorings-picture');
      const image = make('img');
      image.src = '/api/colorize/sketches/' + item.sketch + '.png?side=512';
      image.alt = 'No color on it';
      drawing.append(image);
      caption.append(
        make('b', '', item.words),
        make(
          'small',
          '',
          item.reason === 'unknown-word' ? 'Skipped: word not known' : 'Skipped: another reason',
        ),
      );
      figure.append(drawing, caption);
      images.append(figure);
    });
    const buttons = make('div', 'th-study-buttons');
    const accept = button('Accept (Y)', () => answer(person, 'accepted'), 'th-study-do');
    const again = button('Ask to practice again… (N)', () => askAgain(person));
    const others = people.length > 1;
    const back = button('← Previous', () => turn(-1));
    const next = button('Next →', () => turn(1));
    for (const item of [back, next]) item.disabled = !others;
    accept.setAttribute('aria-label', 'Accept the practice of ' + person.label);
    again.setAttribute('aria-label', 'Ask ' + person.label + ' to practice again');
    buttons.append(accept, again, back, next);
    part.body.append(images, buttons);
    return part.node;
  }
  /** @param {any} person */
  function askAgain(person) {
    const reason = reasonField(
      'What to change',
      'The participant reads this before practicing again.',
    );
    question({
      title: 'Ask ' + person.label + ' to practice again?',
      body: [
        make(
          'p',
          '',
          'They color the blank practice sketches again. Their first practice stays stored.',
        ),
        reason.box,
      ],
      action: 'Ask to practice again',
      act: () => answer(person, 'again', reason.input.value),
    });
  }
  /** Goes on to the next at once; who could not be answered comes back. */
  async function answer(person, value, reason = '') {
    answered.add(keyOf(person));
    people = people.filter((item) => item !== person);
    line.say('');
    show();
    try {
      await send(`${current.address}/practice`, {
        participant: person.participant,
        value,
        reason,
        position: person.positions.at(-1),
      });
      put(
        said,
        person.label + (value === 'accepted' ? ' continues.' : ' was asked to practice again.'),
      );
    } catch (error) {
      answered.delete(keyOf(person));
      line.say(person.label + ' was not answered. ' + error.message);
      load();
    }
  }
  /** @param {1 | -1} step */
  function turn(step) {
    if (people.length < 2) return;
    if (step === 1) people.push(people.shift());
    else people.unshift(people.pop());
    show();
  }
  document.addEventListener('keydown', (event) => {
    if (!people.length || !onView('practice') || !box.isConnected) return;
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    const { target } = event;
    if (document.querySelector('dialog[open]')) return;
    if (target instanceof Element && target.closest(TYPING)) return;
    /** @type {Record<string, () => unknown>} */
    const acts = {
      y: () => answer(people[0], 'accepted'),
      n: () => askAgain(people[0]),
      arrowright: () => turn(1),
      arrowleft: () => turn(-1),
    };
    const act = acts[event.key.toLowerCase()];
    // Arrows on the tabs go from tab to tab.
    if (!act || (target instanceof Element && target.closest('[role=tablist]'))) return;
    event.preventDefault();
    act();
  });
  // A researcher who does something else sees in the browser's tab how many participants wait.
  function tellTitle() {
    const plain = document.title.replace(/^\(\d+\) /, '');
    document.title = people.length ? `(${people.length}) ${plain}` : plain;
  }
  async function show() {
    const [person, second] = people;
    const { review } = current.study.plan.practice;
    tellTitle();
    if (!person) {
      rendered = '';
      const text = current.study.plan.practice.words.length
        ? WORDS[review]
        : ['This study has no practice', 'Participants start with the sketches at once.'];
      const live = button('Open Live', () => openStudy(current.study.id, 'live'));
      arrange(box, [line, said, nothing(text[0], text[1], [live]), notice]);
      return;
    }
    put(
      headline,
      people.length === 1
        ? '1 person waits for your review of the practice.'
        : many(people.length, 'person').replace('persons', 'people') +
            ' wait for your review of the practice.',
    );
    arrange(box, [line, headline, said, list, notice]);
    const now = JSON.stringify([person, people.length > 1]);
    if (now === rendered) return;
    rendered = now;
    const mine = ++request;
    try {
      const rows = await coloringsOf(person);
      if (mine !== request) return;
      list.replaceChildren(waiting(person, rows));
      if (second) coloringsOf(second).catch(() => fetched.delete(keyOf(second)));
    } catch (error) {
      fetched.delete(keyOf(person));
      rendered = '';
      if (mine === request) line.say('The practice cannot be loaded. ' + error.message);
    }
  }
  const WORDS = {
    none: [
      'The practice of this study is not reviewed',
      'Participants continue as soon as they have colored it, as set in the plan.',
    ],
    automatic: [
      'The practice is reviewed automatically',
      'Each practice sketch must be colored with more than one action.',
    ],
    researcher: [
      'No practice to review',
      'Participants who have colored the practice sketches appear here and wait until you accept the practice or ask for it again.',
    ],
  };
  async function load() {
    clearTimeout(timer);
    if (!box.isConnected || !onView('practice')) return;
    try {
      // Also where it is reviewed automatically: what cannot be drawn waits for somebody.
      const { practice_waiting: all, notices } = await ask(`${current.address}/colorings/progress`);
      put(notice, noticeWords(notices));
      notice.dataset.problem = notices?.problem ? 'true' : '';
      const open = all.filter((person) => !answered.has(keyOf(person)));
      const order = people.map(keyOf);
      const place = (person) => {
        const index = order.indexOf(keyOf(person));
        return index < 0 ? order.length : index;
      };
      // Who is on screen stays there; who came since is last.
      people = open.sort((one, other) => place(one) - place(other));
      if (failed) line.say('');
      failed = false;
      await show();
    } catch (error) {
      failed = true;
      line.say('The practice cannot be loaded. ' + error.message);
      arrange(box, [line, list]);
    }
    clearTimeout(timer);
    timer = setTimeout(load, POLL_MS);
  }
  return {
    shown() {
      if (!box.children.length) box.append(make('p', 'th-soft', 'Reading…'));
      load();
    },
  };
}
