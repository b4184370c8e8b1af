// The practice of waiting participants: large sketches, to accept or to request again.
import { arrange, make, many, put } from '../../shared/dom.js';
import { ask, send } from '../../shared/http.js';
import { button, card, doing, nothing, problemLine, question, reasonField } from '../parts.js';
import { onView, openStudy } from '../view.js';
import { background, clock, comments, picture } from './coloring_card.js';

const POLL_MS = 6000;

/**
 * @param {HTMLElement} box
 * @param {import('../study.js').Current} current
 */
export function practiceView(box, current) {
  const line = problemLine();
  const said = make('p', 'th-study-said');
  const list = make('div', 'th-study-view');
  let timer;
  let request = 0;
  let rendered = '';
  said.setAttribute('role', 'status');

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
    const answer = async (value, reason = '') => {
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
      await load(true);
    };
    const buttons = make('div', 'th-study-buttons');
    const accept = doing('Accept', () => answer('accepted'), line, 'th-study-do');
    const again = button('Ask to practice again…', () => {
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
        act: () => answer('again', reason.input.value),
      });
    });
    accept.setAttribute('aria-label', 'Accept the practice of ' + person.label);
    again.setAttribute('aria-label', 'Ask ' + person.label + ' to practice again');
    buttons.append(accept, again);
    part.body.append(images, buttons);
    return part.node;
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
  /** @param {boolean} [own] whether it is asked for after one's own answer */
  async function load(own = false) {
    clearTimeout(timer);
    if (!box.isConnected || !onView('practice')) return;
    const mine = ++request;
    try {
      // Also where it is reviewed automatically: what cannot be drawn waits for somebody.
      const { review } = current.study.plan.practice;
      const message = await ask(`${current.address}/colorings/progress`);
      if (mine !== request) return;
      const people = message.practice_waiting;
      const now = JSON.stringify(people);
      line.say('');
      if (now !== rendered) {
        const rows = await Promise.all(
          people.map((person) =>
            ask(`${current.address}/colorings?participant=${person.participant}`),
          ),
        );
        if (mine !== request) return;
        rendered = now;
        // What was said of those before is not of those who come now.
        if (people.length && !own) put(said, '');
        list.replaceChildren(
          ...people.map((person, index) =>
            waiting(
              person,
              rows[index].colorings.filter((row) => person.positions.includes(row.position)),
            ),
          ),
        );
      }
      const text = current.study.plan.practice.words.length
        ? WORDS[review]
        : ['This study has no practice', 'Participants start with the sketches at once.'];
      arrange(
        box,
        people.length
          ? [
              line,
              make(
                'p',
                'th-study-headline',
                many(people.length, 'person').replace('persons', 'people') +
                  (people.length === 1 ? ' waits' : ' wait') +
                  ' for your review of the practice.',
              ),
              said,
              list,
            ]
          : [
              line,
              said,
              nothing(text[0], text[1], [
                button('Open Live', () => openStudy(current.study.id, 'live')),
              ]),
            ],
      );
    } catch (error) {
      if (mine !== request) return;
      line.say('The practice cannot be loaded. ' + error.message);
      arrange(box, [line, list]);
    }
    clearTimeout(timer);
    timer = setTimeout(() => load(), POLL_MS);
  }
  return {
    shown() {
      if (!box.children.length) box.append(make('p', 'th-soft', 'Reading…'));
      load();
    },
  };
}
