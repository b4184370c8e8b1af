// Texts around the sketches: instructions with examples, and the result of the practice.

import { actions, button, card, make, page, paragraphs, put, shown } from './frame.js';
import { picture } from './link.js';
import { say } from './texts.js';

/**
 * What to do, with the examples of how and how not.
 * @param {Api.StudyOnPage} study
 * @returns {HTMLElement[]}
 */
export function guidance(study) {
  const examples = (study.examples || []).filter((example) => example.text || example.image_id);
  const groups = [true, false].map((good) =>
    group(
      good,
      examples.filter((example) => example.good === good),
    ),
  );
  const shownGroups = groups.filter((item) => item !== null);
  const box = make('div', 'examples');
  box.append(...shownGroups);
  return [...paragraphs(study.instructions), ...(shownGroups.length ? [box] : [])];
}

/**
 * @param {boolean} good
 * @param {{ text: string, image_id: string }[]} examples
 */
function group(good, examples) {
  if (!examples.length) return null;
  const section = make('section', good ? 'example-group good' : 'example-group');
  section.append(make('h2', '', say(good ? 'do_title' : 'do_not_title')));
  for (const { text, image_id: id } of examples) {
    const figure = make('figure', 'example');
    if (id) {
      const image = make('img');
      image.alt = '';
      image.src = picture(id, 512);
      // Words that stand for an image that is not here say enough.
      image.addEventListener('error', () => image.remove());
      figure.append(image);
    }
    figure.append(make('figcaption', '', text));
    section.append(figure);
  }
  return section;
}

/**
 * Words for one or for several.
 * @param {string} name
 * @param {number} n
 */
function counted(name, n) {
  return say(n === 1 ? name + '_one' : name, { n });
}

/**
 * What to do, before the first sketch.
 * @param {Api.StudyOnPage} study
 * @param {number} practice how many sketches are practice
 * @param {number} rest how many come then
 */
export function instructions(study, practice, rest) {
  const nodes = guidance(study);
  if (practice) {
    const parts = [counted('practice_text', practice)];
    if (study.practice?.review === 'researcher') parts.push(say('practice_researcher'));
    if (rest > 0) parts.push(counted('many_text', rest));
    nodes.push(make('p', 'text', parts.join(' ')));
  }
  const shownPage = page('instructions', say('instructions_title'), nodes, say('start'));
  document.querySelector('main .card')?.classList.add('wide');
  return shownPage;
}

/**
 * A card before sketches that begin again: the next practice, those that count, second colorings.
 * @param {'again' | 'accepted' | 'begun' | 'second'} name
 * @param {{ n: number, reason: string }} values how many sketches come, what a reviewer wrote
 * @param {() => void} go
 */
export function between(name, { n, reason }, go) {
  const practice = name === 'again';
  const title = practice ? 'practice_again_title' : name + '_title';
  const nodes = [];
  if (practice && reason)
    nodes.push(make('p', 'text', say('practice_again_reason')), make('blockquote', 'text', reason));
  if (practice) nodes.push(make('p', 'text', counted('practice_again_text', n)));
  else if (name === 'second') nodes.push(make('p', 'text', say('second_text')));
  else nodes.push(make('p', 'text', counted(name + '_text', n)));
  const begin = button(say(practice ? 'start' : 'continue'), 'primary', go);
  card('between', say(title), [...nodes, actions(begin)]);
}

const ASK_MS = 20_000;
/** A page that is looked at again asks sooner, but not all the time. */
const SOON_MS = 3_000;

/**
 * Waits for what reviewers say of the practice sketches: asks again and again as long as that is on
 * the screen.
 * @param {() => Promise<boolean | null>} ask whether there is something else to do now; null where
 *   nobody answered
 */
export function review(ask) {
  const request = make('p', 'small');
  card('review', say('review_title'), [
    make('p', 'text', say('review_text')),
    make('p', 'text', say('review_again')),
    request,
  ]);
  let last = performance.now();
  let evaluation = false;
  const currentOf = () => shown() === 'review' && request.isConnected;
  const look = async () => {
    if (evaluation || !currentOf()) return;
    evaluation = true;
    last = performance.now();
    const done = await ask().catch(() => null);
    evaluation = false;
    if (done || !currentOf()) return;
    const time = new Date().toLocaleTimeString(document.documentElement.lang, {
      hour: '2-digit',
      minute: '2-digit',
    });
    put(request, done === null ? say('review_failed') : say('review_asked', { time }));
  };
  const timer = setInterval(() => {
    if (!currentOf()) {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', seen);
    } else if (performance.now() - last >= ASK_MS) look();
  }, 1_000);
  const seen = () => {
    if (!document.hidden && performance.now() - last >= SOON_MS) look();
  };
  document.addEventListener('visibilitychange', seen);
}
