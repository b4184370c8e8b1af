// The page of experts: the studies that they review, and one coloring after another, blind, by keys,
// mouse or touch. It loads nothing of the workbench.
import { arrange, make, many, put } from '../shared/dom.js';
import { ask, send } from '../shared/http.js';
import { histogram } from './colorings/histogram.js';
import { bar, button, problemLine, whole } from './parts.js';

const AGAIN_MS = 1000;
const LIST_MS = 5000;
const TYPING = 'input, textarea, select, [contenteditable]';
const STUDY = /^[0-9a-f]{32}$/;
const SURROUNDS = { light: '#cfcfcf', middle: '#777777', dark: '#262626' };
const NO_STUDY = 'Studies appear here when a researcher gives you colorings to review.';
const BINS =
  'Each bar shows the color of its bin, one of 71, and not the exact pixel color: ' +
  'a pure blue can fall into a bin that looks purple. The image shows the colors as chosen.';
const CRITERION =
  'Answer yes if you could have seen such an object, even if you would have colored it differently.';
const ANSWERS = { yes: 'Yes', no: 'No' };

/**
 * The gray around the images, which this browser keeps, also for the workbench.
 * @param {ParentNode} root
 */
export function surround(root) {
  const buttons = [...root.querySelectorAll('[data-surround]')];
  /** @param {string} name */
  function choose(name) {
    document.documentElement.style.setProperty('--surround', SURROUNDS[name]);
    buttons.forEach((item) =>
      item.setAttribute('aria-pressed', String(item.dataset.surround === name)),
    );
    try {
      localStorage.setItem('th-surround', name);
    } catch {
      /* private windows may refuse */
    }
  }
  buttons.forEach((item) =>
    item.addEventListener('click', () => choose(item.dataset.surround || 'middle')),
  );
  let saved = '';
  try {
    saved = localStorage.getItem('th-surround') || '';
  } catch {
    /* as above */
  }
  choose(SURROUNDS[saved] ? saved : 'middle');
}

/** @param {HTMLElement} root where the page is drawn */
export function reviewPage(root) {
  const top = make('section', 'review-top');
  const head = make('header');
  const title = make('h2');
  const back = button('All reviews', () => open(''));
  const progress = make('p', 'review-progress');
  const track = make('div');
  const line = problemLine();
  const body = make('div');
  let study = '';
  /** @type {Api.ReviewView | null} */
  let view = null;
  let request = 0;
  let timer;
  let sending = false;
  /** @type {Map<string, string>} unfinished comments, by coloring */
  const drafts = new Map();

  title.tabIndex = -1;
  progress.setAttribute('role', 'status');
  head.append(title, back);
  top.append(head, progress, track, line);
  root.replaceChildren(top, body);

  // ── one coloring ───────────────────────────────────────────────────────────────────────────
  const one = make('section', 'review-one');
  const heading = make('div', 'review-question');
  const question = make('h3');
  const returned = make('p', 'review-returned');
  const stage = make('figure');
  const image = make('img');
  const colors = make('div', 'review-colors');
  const answers = make('div', 'review-answers');
  const yes = button('Yes', () => say('yes'), 'review-answer');
  const no = button('No', () => say('no'), 'review-answer');
  const undo = button('Undo', () => say('back'));
  const label = make('label', '', 'Comment for the researcher, optional');
  const comment = make('textarea');
  const about = make('p', 'review-soft', CRITERION);
  const keys = make('p', 'review-soft review-keys');
  keys.append('C writes a comment, and Enter ends it. U undoes the last answer.');
  for (const [node, key] of /** @type {[HTMLElement, string][]} */ ([
    [yes, 'Y'],
    [no, 'N'],
    [undo, 'U'],
    [label, 'C'],
  ])) {
    node.append(make('kbd', '', key));
    if (node !== label) node.setAttribute('aria-keyshortcuts', key);
  }
  image.alt = 'The coloring';
  image.addEventListener('load', () => stage.removeAttribute('aria-busy'));
  image.addEventListener('error', () => {
    stage.removeAttribute('aria-busy');
    line.say('The image cannot be shown. Reload the page; your answers are saved.');
  });
  stage.append(image);
  comment.id = 'review-comment';
  comment.rows = 2;
  comment.maxLength = 1000;
  comment.setAttribute('aria-keyshortcuts', 'C');
  label.htmlFor = comment.id;
  comment.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' || (event.key === 'Enter' && !event.shiftKey)) {
      event.preventDefault();
      comment.blur();
    }
  });
  answers.append(yes, no, undo, label, comment, about, keys);

  /** @param {Api.ReviewItem} item */
  function show(item) {
    if (one.dataset.item !== item.id) {
      one.dataset.item = item.id;
      stage.setAttribute('aria-busy', 'true');
      image.src = item.picture;
      // What somebody writes already, before the app has answered, is of this coloring.
      if (!comment.value) comment.value = drafts.get(item.id) || item.comment;
      drafts.delete(item.id);
      question.replaceChildren('Are these the colors of ', make('b', '', item.words), '?');
      colors.replaceChildren(
        make('h4', '', 'Colors by share'),
        ...(item.histogram
          ? [histogram(item.histogram, item.bins), make('p', 'review-soft', BINS)]
          : [make('p', 'review-soft', 'No color covers enough to be measured.')]),
      );
    }
    const sent = item.returned;
    returned.replaceChildren(
      ...(sent
        ? [
            make('b', '', 'Sent back to you. '),
            'You answered ' + ANSWERS[sent.value].toLowerCase() + '. The researcher writes: ',
            make('q', '', sent.note),
          ]
        : []),
    );
    arrange(heading, [question, ...(sent ? [returned] : [])]);
    arrange(one, [heading, stage, colors, answers]);
    arrange(body, [one]);
  }

  /** @param {string} name @param {string} text @param {HTMLElement[]} [acts] */
  function message(name, text, acts = []) {
    const node = make('section', 'review-message');
    node.append(make('h3', '', name), make('p', 'review-soft', text));
    if (acts.length) {
      const buttons = make('div', 'review-buttons');
      buttons.append(...acts);
      node.append(buttons);
    }
    delete one.dataset.item;
    arrange(body, [node]);
  }

  /** @param {Api.ReviewView} now */
  function draw(now) {
    const { item, previous, left, done } = now;
    const parts = [`${whole(done)} of ${whole(done + left)} reviewed`];
    if (now.sent_back) parts.push(whole(now.sent_back) + ' sent back to you');
    put(title, now.title);
    put(progress, parts.join(', '));
    track.replaceChildren(bar(done, done + left, 'Reviewed'));
    tellTitle(left, now.title);
    undo.hidden = !previous;
    // The image after this one is fetched while this one is looked at.
    if (now.upcoming) new Image().src = now.upcoming;
    if (item) {
      show(item);
    } else if (now.status === 'computing') {
      message('Measuring the colorings…', now.progress?.words || 'This takes a moment.');
    } else {
      message(
        done ? 'All reviewed. Thank you.' : 'Nothing to review now',
        done
          ? 'New colorings appear here.'
          : 'All colorings selected for review are complete, or there are none yet.',
        [
          ...(previous ? [button('Undo the last answer', () => say('back'))] : []),
          button('All reviews', () => open('')),
        ],
      );
    }
  }
  /** The browser's tab says how many colorings wait. @param {number} left @param {string} name */
  function tellTitle(left, name) {
    document.title = (left ? `(${whole(left)}) ` : '') + (name ? name + ' · Review' : 'Review');
  }

  // ── asking and answering ───────────────────────────────────────────────────────────────────
  /** @param {any} error @param {string} text */
  function refused(error, text) {
    if (error.status === 401) line.say('Your session has ended. Reload the page to sign in again.');
    else line.say(text + ' ' + error.message);
  }
  async function load() {
    clearTimeout(timer);
    const mine = ++request;
    try {
      take(await ask(`/api/studies/${study}/review`), mine);
    } catch (error) {
      if (mine !== request) return;
      refused(error, 'The review cannot be shown.');
      if (!view)
        message('No review here', 'Choose another one.', [button('All reviews', () => open(''))]);
    }
  }
  /** @param {Api.ReviewView} answer @param {number} mine */
  function take(answer, mine) {
    if (mine !== request) return;
    view = answer;
    line.say('');
    draw(answer);
    clearTimeout(timer);
    if (answer.status === 'computing') timer = setTimeout(load, AGAIN_MS);
  }
  /** @param {'yes' | 'no' | 'back'} value */
  async function say(value) {
    const item = value === 'back' ? view?.previous : view?.item;
    if (!item || sending) return;
    sending = true;
    answers.setAttribute('aria-busy', 'true');
    const mine = ++request;
    const typed = comment.value;
    const written = value === 'back' ? '' : typed.trim();
    // Undo shows another coloring: what was written of this one waits for it.
    if (value === 'back' && view?.item && typed) drafts.set(view.item.id, typed);
    comment.value = '';
    try {
      const body_ = { item: item.id, value, comment: written };
      take(await send(`/api/studies/${study}/review`, body_), mine);
    } catch (error) {
      if (error.status === 404) await load();
      refused(error, 'The answer was not saved.');
      const still = value === 'back' || view?.item?.id === item.id;
      if (still) comment.value = typed + comment.value;
    }
    sending = false;
    answers.removeAttribute('aria-busy');
  }
  document.addEventListener('keydown', (event) => {
    if (!study || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    const { target } = event;
    if (target instanceof Element && target.closest(TYPING)) return;
    /** @type {Record<string, () => unknown>} */
    const acts = {
      y: () => say('yes'),
      n: () => say('no'),
      u: () => say('back'),
      c: () => comment.focus(),
    };
    const act = acts[event.key.toLowerCase()];
    if (!act) return;
    event.preventDefault();
    act();
  });

  // ── which study ────────────────────────────────────────────────────────────────────────────
  const list = make('section', 'review-list');
  let listed = '';

  /** @param {Api.OpenReview} row */
  function studyRow(row) {
    const node = make('article');
    const text = make('div');
    const parts = [`${whole(row.done)} of ${whole(row.done + row.left)} reviewed`];
    if (row.sent_back) parts.push(whole(row.sent_back) + ' sent back to you');
    text.append(
      make('h3', '', row.title),
      make('p', 'review-soft', parts.join(', ')),
      bar(row.done, row.done + row.left, 'Reviewed of ' + row.title),
    );
    const act = button(
      row.left ? 'Review' : 'Open',
      () => open(row.id),
      row.left ? 'review-do' : '',
    );
    act.setAttribute('aria-label', act.textContent + ': ' + row.title);
    node.append(text, act);
    return node;
  }
  async function choose() {
    clearTimeout(timer);
    const mine = ++request;
    try {
      const { studies } = await ask('/api/reviews');
      if (mine !== request) return;
      line.say('');
      const left = studies.reduce((sum, row) => sum + row.left, 0);
      tellTitle(left, '');
      put(
        progress,
        left ? many(left, 'coloring') + (left === 1 ? ' waits for you' : ' wait for you') : '',
      );
      const now = JSON.stringify(studies);
      if (!studies.length) message('Nothing to review now', NO_STUDY);
      else if (now !== listed || !list.isConnected) {
        arrange(list, studies.map(studyRow));
        arrange(body, [list]);
      }
      listed = now;
    } catch (error) {
      if (mine !== request) return;
      refused(error, 'Your reviews cannot be shown.');
    }
    // What waits may be known a moment later, when colorings are measured.
    timer = setTimeout(choose, LIST_MS);
  }

  // ── where the page is ──────────────────────────────────────────────────────────────────────
  function front() {
    const named = new URLSearchParams(location.search).get('study') || '';
    study = STUDY.test(named) ? named : '';
    view = null;
    delete one.dataset.item;
    request += 1;
    line.say('');
    track.replaceChildren();
    back.hidden = !study;
    put(title, study ? 'Review' : 'Your reviews');
    put(progress, '');
    arrange(body, [make('p', 'review-soft', 'Reading…')]);
    if (study) load();
    else choose();
  }
  /** @param {string} id of a study; empty: the list */
  function open(id) {
    history.pushState({}, '', id ? '/review?study=' + id : '/review');
    front();
    title.focus({ preventScroll: true });
  }
  addEventListener('popstate', front);
  front();
}

const root = document.querySelector('#review');
if (root) {
  surround(document);
  reviewPage(root);
}
