// One question, large: its image pixel by pixel, choices, construction, and all answers.
import { make, put, strip } from '../shared/dom.js';
import { askUrl, numberOf, qa } from './view.js';

export const OUTCOMES = {
  right: { sign: '✓', word: 'correct' },
  wrong: { sign: '✗', word: 'incorrect' },
  unreadable: { sign: '?', word: 'unreadable' },
  truncated: { sign: '…', word: 'truncated' },
  unanswered: { sign: '–', word: 'no answer' },
  none: { sign: '·', word: 'pending' },
};
const LONG = 900;
/** How much of an answer a list shows. */
export const SHORT = 320;
const VERSIONS = { colored: 'In color', gray: 'Grayscale', black: 'Blank (black)' };

/**
 * @typedef {object} Told who an asking is, beside what it answered
 * @property {string} name
 * @property {string} settings
 * @property {string} image which version of the image it saw
 */

/**
 * A reading in words: a letter with what it stands for.
 * @param {Api.QuestionJson} question
 * @param {string} reading
 */
function readingWords(question, reading) {
  const choice = question.choices.find((item) => item.letter === reading);
  return choice ? reading + ', ' + choice.text : reading;
}

/**
 * The image of a question: one of its pixels is a whole number of the screen's.
 * @param {Api.QuestionJson} question
 * @param {number} max CSS pixels that there is room for
 */
function exactImage(question, max) {
  const image = make('img', 'th-vlm-exact');
  const fit = () => {
    const dpr = window.devicePixelRatio || 1;
    const longest = Math.max(question.width, question.height) || 1;
    const times = Math.max(1, Math.floor((max * dpr) / longest));
    image.style.width = (question.width * times) / dpr + 'px';
    image.style.height = (question.height * times) / dpr + 'px';
    image.dataset.times = String(times);
  };
  image.src = askUrl('/images/' + qa.set + '/' + question.image + '.png');
  image.alt = 'The image of this question';
  image.draggable = false;
  fit();
  return image;
}

function chip(hex) {
  const box = make('i', 'th-vlm-chip');
  box.style.background = hex;
  box.title = hex;
  return box;
}

/** @param {Api.QuestionJson} question */
function choices(question) {
  const list = make('ol', 'th-vlm-choices');
  question.choices.forEach((choice) => {
    const item = make('li');
    const right = choice.letter === question.answer;
    const said = question.answers.filter((answer) => answer.reading === choice.letter);
    item.classList.toggle('th-vlm-right', right);
    item.append(make('b', '', choice.letter));
    if (choice.hex) item.append(chip(choice.hex));
    item.append(make('span', 'th-vlm-choice', choice.text));
    if (right) item.append(make('small', 'th-vlm-tag', 'correct answer'));
    said.forEach((entry) => item.append(make('span', 'th-vlm-number', numberOf(entry.asking))));
    list.append(item);
  });
  return list;
}

/**
 * What one asking came to on a question.
 * @param {Api.AnswerJson} answer
 * @param {Api.QuestionJson} question
 * @param {Told | undefined} message
 * @param {number} [max] characters that are shown at once, the last ones of more
 */
export function answerCard(answer, question, message, max = LONG) {
  const box = make('article', 'th-vlm-answer');
  const head = make('header');
  const outcome = OUTCOMES[answer.outcome] || OUTCOMES.none;
  box.dataset.outcome = answer.outcome;
  head.append(
    make('span', 'th-vlm-number', numberOf(answer.asking)),
    make('b', '', message ? message.name : answer.name),
    make('span', 'th-vlm-outcome', outcome.sign + ' ' + outcome.word),
  );
  if (message) head.title = message.settings;
  box.append(head);
  if (answer.outcome === 'none') return box;
  if (answer.outcome !== 'unanswered') {
    const text = make('blockquote', 'th-vlm-said', answer.words || '(an empty text)');
    if (answer.words.length > max) {
      const all = make('details', 'th-vlm-long');
      all.append(
        make(
          'summary',
          '',
          'The last of ' + answer.words.length.toLocaleString('en-US') + ' characters; show all',
        ),
      );
      all.append(make('blockquote', 'th-vlm-said', answer.words));
      text.textContent = '… ' + answer.words.slice(-max);
      box.append(text, all);
    } else box.append(text);
  }
  const read =
    answer.reading === null ? answer.reason : 'Read as: ' + readingWords(question, answer.reading);
  const line = make('p', 'th-vlm-read', read);
  line.title = 'By parser ' + answer.parser;
  box.append(line);
  return box;
}

/** @param {Api.QuestionJson['facts']} rows */
function facts(rows) {
  const list = make('dl', 'th-vlm-known');
  rows.forEach(([label, text]) => {
    const value = make('dd');
    // Codes stand beside a square of their color.
    text.split(/(#[0-9a-f]{6})/i).forEach((piece, index) => {
      if (index % 2) value.append(chip(piece));
      value.append(piece);
    });
    list.append(make('dt', '', label), value);
  });
  return list;
}

const ANSWERS = { yes: 'Yes', no: 'No' };

/**
 * @param {Api.PeopleAnswers} people
 * @param {Api.QuestionJson} question
 */
function peopleLine(people, question) {
  const values = Object.entries(people.given)
    .map(([letter, count]) => letter + ' ' + count)
    .join(', ');
  const skipped = people.skipped ? ', ' + people.skipped + ' could not tell' : '';
  const line = make('p', 'th-vlm-read');
  put(
    line,
    people.title + ': ' + people.right + ' of ' + people.of + ' correct (' + values + skipped + ')',
  );
  line.title = question.text;
  return line;
}

/**
 * The prompts as they were sent, each once, with the numbers of who got it.
 * @param {Api.QuestionJson} question
 */
function prompts(question) {
  /** @type {Map<string, string[]>} */
  const sent = new Map();
  question.answers.forEach((answer) => {
    if (answer.prompt)
      sent.set(answer.prompt, [...(sent.get(answer.prompt) || []), numberOf(answer.asking)]);
  });
  return [...sent].map(([prompt, numbers]) => {
    const fold = make('details', 'th-vlm-long');
    const whose = sent.size > 1 ? ' to ' + numbers.join(' and ') : '';
    fold.append(
      make('summary', '', 'The prompt as sent' + whose),
      make('blockquote', 'th-vlm-said', prompt),
    );
    return fold;
  });
}

/**
 * Which version of the image is shown, where not everybody saw the colored one.
 * @param {Api.QuestionJson} question
 * @param {HTMLImageElement} image
 * @param {Map<string, Told>} message
 */
function versions(question, image, message) {
  const seen = question.answers.map((answer) => message.get(answer.asking)?.image || 'colored');
  const there = Object.keys(VERSIONS).filter((id) => id === 'colored' || seen.includes(id));
  if (there.length < 2) return [];
  const box = make('span', 'th-strip th-vlm-version');
  const numbers = (id) =>
    question.answers
      .filter((answer, index) => seen[index] === id)
      .map((answer) => numberOf(answer.asking));
  const choose = (version) => {
    image.src = askUrl('/images/' + qa.set + '/' + question.image + '.png', { version });
    strip(
      box,
      there.map((id) => ({
        id,
        name: VERSIONS[id],
        title: numbers(id).length ? 'As ' + numbers(id).join(' and ') + ' saw it' : '',
      })),
      version,
      choose,
    );
  };
  box.setAttribute('role', 'group');
  box.setAttribute('aria-label', 'Version of the image');
  choose('colored');
  return [box];
}

/**
 * All of one question, as nodes: image at the left, words at the right.
 * @param {Api.QuestionJson} question
 * @param {number} max CSS pixels for the image
 * @param {Map<string, Told>} message by asking
 */
export function questionNodes(question, max, message) {
  const left = make('div', 'th-vlm-picture');
  const right = make('div', 'th-vlm-text');
  const scroll = make('div', 'th-vlm-frame');
  const image = exactImage(question, max);
  scroll.append(image);
  scroll.tabIndex = 0;
  scroll.setAttribute('role', 'group');
  scroll.setAttribute('aria-label', 'Image, pixel by pixel');
  const times = Number(image.dataset.times);
  left.append(
    scroll,
    make(
      'p',
      'th-soft',
      question.width +
        ' × ' +
        question.height +
        ' pixels' +
        (times > 1
          ? ', each ' + times + ' × ' + times + ' of the screen’s'
          : ', each one of the screen’s'),
    ),
    ...versions(question, image, message),
  );
  right.append(
    make(
      'p',
      'th-soft',
      question.title + (question.variant ? ' · variant ' + question.variant : ''),
    ),
    make('h3', 'th-vlm-question', question.text),
  );
  if (question.choices.length) right.append(choices(question));
  else {
    const line = make('p', 'th-vlm-read');
    line.append('Correct answer: ', make('b', '', ANSWERS[question.answer] || question.answer));
    right.append(line);
  }
  question.answers.forEach((answer) =>
    right.append(answerCard(answer, question, message.get(answer.asking))),
  );
  if (question.pixels && !question.answers.some((answer) => answer.kind === 'baseline')) {
    const pixels = question.pixels;
    const outcome = OUTCOMES[pixels.outcome] || OUTCOMES.none;
    right.append(
      make(
        'p',
        'th-vlm-read',
        'Pixel reader: ' +
          (pixels.reading === null
            ? pixels.reason
            : readingWords(question, pixels.reading) + ' (' + outcome.word + ')'),
      ),
    );
  }
  question.people.forEach((people) => right.append(peopleLine(people, question)));
  if (question.facts.length) right.append(make('h4', '', 'Ground truth'), facts(question.facts));
  right.append(...prompts(question));
  right.append(make('p', 'th-soft th-vlm-id', question.id));
  return [left, right];
}
