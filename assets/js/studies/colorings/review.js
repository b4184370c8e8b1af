// The review of colorings by experts: one after another, blind, by keys, mouse or touch.
import { arrange, make, many, put } from '../../shared/dom.js';
import { ask, send } from '../../shared/http.js';
import { API } from '../choices.js';
import { bar, button, nothing, problemLine, whole } from '../parts.js';
import { isSeen, studyView, openList, openReview } from '../view.js';
import { histogram } from './histogram.js';

const AGAIN_MS = 1000;
const LIST_MS = 3000;
const TYPING = 'input, textarea, select, [contenteditable]';
const NO_STUDY =
  'Studies with colorings to review appear here. The researcher chooses which: ' +
  'usually the concepts with the least consensus.';

const BINS =
  'Each bar shows the color of its bin, one of 71, and not the exact pixel color: ' +
  'a pure blue can fall into a bin that looks purple. The image shows the colors as chosen.';

/**
 * @typedef {import('./histogram.js').Bin} Bin
 * @typedef {{ id: string, words: string, picture: string, histogram: number[] | null, bins: Bin[] }} Item
 */

/**
 * @param {HTMLElement} box the screen
 * @returns {{ shown: () => void }}
 */
export function reviewScreen(box) {
  const top = make('section', 'th-card th-study-top');
  const head = make('header');
  const title = make('h2', '', 'Review');
  const done = make('p', 'th-soft');
  const track = make('div', 'th-colorings-track');
  const index = make('section', 'th-card th-colorings-review');
  const line = problemLine();
  const back = button('All studies', leave, 'th-study-back');
  title.tabIndex = -1;
  done.setAttribute('role', 'status');
  head.append(title, back);
  top.append(head, done, track, line);
  box.append(top, index);

  /** @type {any} */
  let message = null;
  let request = 0;
  let timer;
  let sending = false;
  let suffix = '';
  let listed = '';

  // ── one coloring ───────────────────────────────────────────────────────────────────────────
  const question = make('h3', 'th-colorings-question');
  const stage = make('figure', 'th-colorings-stage');
  const image = make('img');
  const colors = make('div', 'th-colorings-colors');
  const answers = make('div', 'th-colorings-answers');
  const yes = button('Yes', () => say('yes'), 'th-study-do');
  const no = button('No', () => say('no'), 'th-study-do');
  const undo = button('Undo', () => say('back'));
  const keys = make('p', 'th-soft th-colorings-keys');
  [
    [yes, 'Y'],
    [no, 'N'],
    [undo, 'U'],
  ].forEach(([node, key]) => {
    /** @type {HTMLElement} */ (node).append(make('kbd', '', String(key)));
    /** @type {HTMLElement} */ (node).setAttribute('aria-keyshortcuts', String(key));
  });
  image.alt = 'The coloring';
  image.addEventListener('load', () => stage.removeAttribute('aria-busy'));
  image.addEventListener('error', () => {
    stage.removeAttribute('aria-busy');
    line.say('The image cannot be shown. Reload the page; your answers are saved.');
  });
  stage.append(image);
  answers.append(yes, no, undo);
  keys.append(
    'Y for yes, N for no, U undoes the last answer. Answer yes if you could have seen such an object, even if you would have colored it differently.',
  );

  /** @param {Item} item */
  function show(item) {
    if (index.dataset.item !== item.id) {
      index.dataset.item = item.id;
      stage.setAttribute('aria-busy', 'true');
      image.src = item.picture;
      question.replaceChildren('Are these the colors of ', make('b', '', item.words), '?');
      colors.replaceChildren(
        make('h4', '', 'Colors by share'),
        ...(item.histogram
          ? [histogram(item.histogram, item.bins), make('p', 'th-soft th-colorings-bins', BINS)]
          : [make('p', 'th-soft', 'No color covers enough to be measured.')]),
      );
    }
    arrange(index, [question, stage, colors, answers, keys]);
  }
  function draw() {
    const { item, previous, left } = message;
    const all = message.done + left;
    put(title, 'Review');
    put(
      done,
      whole(message.done) +
        ' of ' +
        whole(all) +
        ' reviewed' +
        (left ? ', ' + whole(left) + ' left' : ''),
    );
    track.replaceChildren(bar(message.done, all, 'Reviewed'));
    undo.hidden = !previous;
    if (item) {
      show(item);
      return;
    }
    delete index.dataset.item;
    if (message.status === 'computing') {
      arrange(index, [make('p', 'th-soft', message.progress?.words || 'Measuring the colorings…')]);
      return;
    }
    const again = previous
      ? [
          button('Undo the last answer', () => say('back')),
          button('All reviews', () => openReview()),
        ]
      : [button('All reviews', () => openReview())];
    arrange(index, [
      nothing(
        message.done ? 'All reviewed. Thank you.' : 'Nothing to review now',
        message.done
          ? 'New colorings appear here.'
          : 'All colorings selected for review are complete, or there are none yet.',
        again,
      ),
    ]);
  }

  // ── asking and answering ───────────────────────────────────────────────────────────────────
  async function load() {
    clearTimeout(timer);
    if (studyView.screen !== 'review' || !studyView.study || !isSeen()) return;
    const mine = ++request;
    try {
      take(await ask(`${API}/${studyView.study}/review`), mine);
    } catch (error) {
      if (mine !== request) return;
      line.say('The review cannot be shown. ' + error.message);
      if (!message) arrange(index, []);
    }
  }
  function take(answer, mine) {
    if (mine !== request) return;
    message = answer;
    line.say('');
    draw();
    clearTimeout(timer);
    if (answer.status === 'computing') timer = setTimeout(load, AGAIN_MS);
  }
  /** @param {'yes' | 'no' | 'back'} value */
  async function say(value) {
    const item = value === 'back' ? message?.previous : message?.item;
    if (!item || sending) return;
    sending = true;
    answers.setAttribute('aria-busy', 'true');
    const mine = ++request;
    try {
      take(await send(`${API}/${studyView.study}/review`, { item: item.id, value }), mine);
    } catch (error) {
      if (error.status === 404) await load();
      line.say('The answer was not saved. ' + error.message);
    }
    sending = false;
    answers.removeAttribute('aria-busy');
  }
  document.addEventListener('keydown', (event) => {
    if (studyView.screen !== 'review' || !studyView.study || !isSeen()) return;
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    const { target } = event;
    if (target instanceof Element && target.closest(TYPING)) return;
    /** @type {Record<string, 'yes' | 'no' | 'back'>} */
    const said = { y: 'yes', n: 'no', u: 'back' };
    const value = said[event.key.toLowerCase()];
    if (!value) return;
    event.preventDefault();
    say(value);
  });

  // ── which study ────────────────────────────────────────────────────────────────────────────
  async function choose() {
    clearTimeout(timer);
    if (studyView.screen !== 'review' || studyView.study || !isSeen()) return;
    const mine = ++request;
    put(title, 'Review colorings');
    put(done, '');
    track.replaceChildren();
    try {
      const { studies } = await ask('/api/reviews');
      if (mine !== request) return;
      line.say('');
      // What waits may be known a moment later, when colorings are measured.
      timer = setTimeout(choose, LIST_MS);
      const now = JSON.stringify(studies);
      if (now === listed && index.dataset.mode === 'list' && index.children.length) return;
      listed = now;
      arrange(
        index,
        studies.length ? studies.map(studyRow) : [nothing('Nothing to review now', NO_STUDY)],
      );
    } catch (error) {
      if (mine !== request) return;
      line.say(error.message);
      arrange(index, []);
    }
  }
  /** @param {any} study */
  function studyRow(study) {
    const node = make('article', 'th-colorings-to-review');
    const text = make('div');
    text.append(
      make('h3', '', study.title),
      make(
        'p',
        'th-soft',
        study.left
          ? many(study.left, 'coloring') + ' left, ' + whole(study.done) + ' reviewed by you'
          : 'All ' + whole(study.done) + ' reviewed by you',
      ),
    );
    const act = button(
      study.left ? 'Review' : 'Review again',
      () => openReview(study.id),
      study.left ? 'th-study-do' : '',
    );
    act.setAttribute('aria-label', act.textContent + ': ' + study.title);
    node.append(text, act);
    return node;
  }
  function leave() {
    if (studyView.study) openReview();
    else openList();
  }
  return {
    shown() {
      const now = studyView.study;
      if (now !== suffix) {
        suffix = now;
        message = null;
        delete index.dataset.item;
        listed = '';
        arrange(index, [make('p', 'th-soft', 'Reading…')]);
      }
      index.dataset.mode = now ? 'one' : 'list';
      put(back, now ? 'All reviews' : 'All studies');
      back.hidden = !now && Boolean(studyView.reviewsAlone);
      if (!now) choose();
      else if (!message || message.status === 'computing') load();
    },
  };
}
