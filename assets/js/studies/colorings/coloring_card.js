// One coloring for researchers: image, colors, participant, reviews, actions.
import { make, many } from '../../shared/dom.js';
import { send } from '../../shared/http.js';
import { button, percent, question, reasonField, stamp } from '../parts.js';
import { colorStrip } from './histogram.js';

const ANSWERS = { consistent: 'yes', inconsistent: 'no' };

/** @param {number | null} seconds */
export function clock(seconds) {
  if (seconds === null || seconds === undefined) return '–';
  const whole = Math.round(seconds);
  return whole < 60
    ? whole + ' s'
    : Math.floor(whole / 60) + ':' + String(whole % 60).padStart(2, '0') + ' min';
}

/**
 * An image that opens large.
 * @param {any} row
 * @param {string} text what it is, for those who do not see it
 */
export function picture(row, text) {
  const node = make('button', 'th-colorings-picture');
  const image = make('img');
  node.type = 'button';
  image.src = row.picture;
  image.alt = text;
  image.loading = 'lazy';
  node.title = 'Larger';
  node.append(image);
  node.addEventListener('click', () => large(row, text));
  return node;
}

/** @param {any} row @param {string} text */
function large(row, text) {
  const dialog = make('dialog', 'th-study-dialog th-colorings-large');
  const head = make('div', 'th-study-buttons');
  const image = make('img');
  const title = make('h3', '', text);
  let layer = false;
  const other = button('Colors alone', () => {
    layer = !layer;
    image.src = layer ? row.layer : row.picture;
    other.textContent = layer ? 'With lines' : 'Colors alone';
  });
  image.src = row.picture;
  image.alt = text;
  title.id = 'th-colorings-large';
  dialog.setAttribute('aria-labelledby', title.id);
  const save = make('a', 'th-button', 'Save the layer');
  save.href = row.layer;
  save.download = text.replaceAll(/[^a-z0-9]+/gi, '-') + '.png';
  head.append(
    other,
    save,
    button('Close', () => dialog.close()),
  );
  const stage = make('div', 'th-colorings-large-stage');
  stage.append(image);
  dialog.append(title, stage, head);
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close();
  });
  dialog.addEventListener('close', () => dialog.remove());
  (document.querySelector('.th-studies') || document.body).append(dialog);
  dialog.showModal();
}

/** What its author wrote of it. @param {any} row */
export const comments = (row) =>
  row.comments.map((/** @type {string} */ text) =>
    make('p', 'th-colorings-comment', '“' + text + '”'),
  );

/** What a coloring has on the background, in words; nothing where it has none. @param {any} row */
export function background(row) {
  const { background: item } = row;
  if (!item) return [];
  const text =
    '△ colors the background (' +
    percent(item.share) +
    ')' +
    (item.part ? ', marked as part of the concept by the participant' : '');
  return [make('p', 'th-colorings-flag', text)];
}

/** Whether a coloring was sent back, and not reviewed again by all. @param {any} row */
const waitsForExperts = (row) =>
  row.sent_back !== null && row.reviews.some((review) => !review.counts);

/** What each expert answered and wrote, and the note with which it went back. @param {any} row */
function expertAnswers(row) {
  const list = row.reviews.map((review) => {
    const node = make('p', 'th-soft', review.name + ': ' + (ANSWERS[review.value] || ''));
    if (!review.counts) node.append(' (sent back)');
    if (review.comment) node.append(', “' + review.comment + '”');
    return node;
  });
  if (waitsForExperts(row))
    list.push(make('p', 'th-colorings-reason', 'Sent back to the experts: ' + row.sent_back));
  return list;
}

/** A shape and a word for what becomes of a coloring. @param {any} row */
export function standing(row) {
  const node = make('span', 'th-colorings-standing');
  const mark = make('i');
  const [shape, word] =
    row.kept === null || row.kept === undefined
      ? ['·', row.problem ? 'not measured' : 'not computed yet']
      : row.kept
        ? ['●', 'included']
        : ['○', 'excluded'];
  mark.textContent = shape;
  mark.setAttribute('aria-hidden', 'true');
  node.append(mark, make('span', '', word));
  return node;
}

/**
 * @param {any} row of the list of colorings
 * @param {{ address: `/api/studies/${string}`, again: () => unknown, line: { say: (text: string) => void },
 *   first?: any, answered: boolean }} given
 *   `first` is the coloring that this one repeats; `answered` whether a second one is there
 */
export function coloringCard(row, { address, again, line, first, answered }) {
  const node = make('article', 'th-colorings-coloring');
  const who = row.label;
  const text = row.words + ', ' + who + (row.purpose === 'second' ? ', second coloring' : '');
  const about = make('div', 'th-colorings-about');
  const names = make('p');
  const small = make('p', 'th-soft');
  const marks = row.marks || {};
  names.append(make('b', '', who), row.purpose === 'second' ? ' second' : '', ' ', standing(row));
  names.title = stamp(row.at);
  small.textContent = [
    clock(row.seconds),
    many(row.actions, 'step'),
    row.revisions ? 'changed ' + row.revisions + '×' : '',
    row.votes && row.votes.yes + row.votes.no
      ? 'experts ' + row.votes.yes + ' yes, ' + row.votes.no + ' no'
      : '',
  ]
    .filter(Boolean)
    .join(' · ');
  about.append(names, small, ...comments(row));
  about.append(...background(row));
  if (row.reasons.length) about.append(make('p', 'th-colorings-reason', row.reasons.join('; ')));
  about.append(...expertAnswers(row));
  if (row.matches === false)
    about.append(
      make(
        'p',
        'th-colorings-reason',
        '△ The replayed log does not match the participant’s image.',
      ),
    );
  /** @typedef {'keep' | 'recolor' | 'send-back'} Action */
  /** @param {Action} action @param {{ value: string, reason?: string }} body */
  const act = async (action, body) => {
    line.say('');
    try {
      await send(`${address}/${action}`, {
        participant: row.participant,
        position: row.position,
        ...body,
      });
      await again();
    } catch (error) {
      line.say(error.message);
      throw error;
    }
  };
  /** @param {Action} action @param {{ value: string, reason?: string }} body */
  const quietly = (action, body) => () => act(action, body).catch(() => {});
  const tools = make('div', 'th-study-buttons');
  const small_ = 'th-study-small';
  const decided = marks.keep && !marks.keep.earlier;
  if (marks.keep && !decided)
    about.append(
      make(
        'p',
        'th-soft',
        'An earlier version was ' +
          marks.keep.value +
          (marks.keep.reason ? ': ' + marks.keep.reason : '.'),
      ),
    );
  if (decided) {
    about.append(
      make(
        'p',
        'th-colorings-reason',
        (marks.keep.value === 'kept' ? 'Included by a researcher' : 'Discarded') +
          (marks.keep.reason ? ': ' + marks.keep.reason : '.'),
      ),
    );
    tools.append(button('Undo', quietly('keep', { value: '' }), small_));
  } else {
    tools.append(
      button(
        'Discard…',
        () => {
          const reason = reasonField('Why', 'The reason appears in results and exports.');
          question({
            title: 'Discard ' + text + '?',
            body: [
              make('p', '', 'It stays stored and visible. You can include it again at any time.'),
              reason.box,
            ],
            action: 'Discard',
            act: () => act('keep', { value: 'discarded', reason: reason.input.value }),
          });
        },
        small_,
      ),
    );
    if (row.kept === false)
      tools.append(button('Include', quietly('keep', { value: 'kept' }), small_));
  }
  const request = marks.recolor?.value === 'asked' && !answered;
  if (row.purpose === 'trial' && !answered)
    tools.append(
      request
        ? button('Cancel the second request', quietly('recolor', { value: 'withdrawn' }), small_)
        : button('Request a second coloring', quietly('recolor', { value: 'asked' }), small_),
    );
  if (waitsForExperts(row))
    tools.append(
      button('Cancel sending back', quietly('send-back', { value: 'withdrawn' }), small_),
    );
  else if (row.reviews.some((review) => review.counts))
    tools.append(
      button(
        'Send back…',
        () => {
          const reason = reasonField('Note to the experts', 'They read it with the coloring.');
          question({
            title: 'Send ' + text + ' back to its experts?',
            body: [
              make('p', '', 'Their answers do not count until they review it again.'),
              reason.box,
            ],
            action: 'Send back',
            act: () => act('send-back', { value: 'sent', reason: reason.input.value }),
          });
        },
        small_,
      ),
    );
  if (request) about.append(make('p', 'th-colorings-reason', 'A second coloring was requested.'));
  if (first) about.append(make('p', 'th-soft', 'Repeats the coloring of ' + stamp(first.at) + '.'));
  [...tools.children].forEach((child) =>
    child.setAttribute('aria-label', child.textContent + ': ' + text),
  );
  node.dataset.kept = String(row.kept);
  node.append(picture(row, text), colorStrip(row.colors, 'Colors of ' + text), about, tools);
  return node;
}
