// The page's one screen and what stands around it: progress, the way out, what has to be known; and
// the nodes that they are made of. Text always goes in as text, never as HTML.

import { say } from './texts.js';

/**
 * A new element.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {string} [className]
 * @param {string | null} [text]
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function make(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined && text !== null) node.textContent = text;
  return node;
}

/**
 * A button with its key shown beside the words; the key is drawn only where there is a keyboard.
 * @param {string} text
 * @param {string} className
 * @param {(event: MouseEvent) => void} act
 * @param {string} [key]
 */
export function button(text, className, act, key) {
  const node = make('button', className);
  node.type = 'button';
  node.append(make('span', '', text));
  if (key) {
    const cap = make('kbd', '', key);
    cap.setAttribute('aria-hidden', 'true');
    node.append(cap);
  }
  node.addEventListener('click', act);
  return node;
}

/**
 * A text of somebody's, a paragraph for each part between empty lines.
 * @param {string} text
 */
export function paragraphs(text) {
  return text
    .split(/\n\s*\n/)
    .filter((part) => part.trim())
    .map((part) => make('p', 'text', part.trim()));
}

/**
 * Sets a text where it is another one, so that nothing is read out twice.
 * @param {Element} node
 * @param {string} text
 */
export function put(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

const root = document.getElementById('study');
const header = make('header', 'bar');
const message = make('span', 'progress-words');
const progress = make('progress');
const notices = make('div', 'notices');
const preview = make('p', 'notice');
const unsent = make('p', 'notice');
const refused = make('p', 'notice strong');
const saved = make('span', 'saved');
const screen = make('main', 'page');
const stop = button('', 'stop', () => leaving());
const dialog = make('dialog', 'card');
// Some of it is wanted before the frame is built.
for (const item of [preview, unsent, refused, header, saved]) item.hidden = true;

/** @type {() => void} */
let leaving = () => {};

/** Puts the frame onto the page, in words that are known by now. */
export function build() {
  if (!root || header.isConnected) return;
  // One line of both: a reader hears the words, the bar is for the eye.
  progress.setAttribute('aria-hidden', 'true');
  notices.setAttribute('role', 'status');
  notices.append(preview, unsent, refused);
  header.append(message, progress, saved, stop);
  root.replaceChildren(header, notices, screen, dialog);
}

/**
 * Shows one screen in the place of the one before, and begins to read it from its heading.
 * @param {string} name
 * @param {Node[]} nodes
 */
export function show(name, nodes) {
  build();
  screen.dataset.screen = name;
  screen.classList.toggle('working', name === 'trials' || name === 'coloring');
  screen.replaceChildren(...nodes);
  document.documentElement.scrollTop = 0;
  const heading = screen.querySelector('h1');
  if (heading) {
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
  }
}

/** Which screen is there now. */
export function shown() {
  return screen.dataset.screen || '';
}

/**
 * A card with a heading and what follows it.
 * @param {string} name
 * @param {string} title
 * @param {Node[]} nodes
 */
export function card(name, title, nodes) {
  const box = make('section', 'card');
  box.append(make('h1', '', title), ...nodes);
  show(name, [box]);
  return box;
}

/**
 * Buttons below each other on a narrow screen, beside each other on a wide one.
 * @param {Node[]} buttons
 */
export function actions(...buttons) {
  const line = make('div', 'actions');
  line.append(...buttons);
  return line;
}

/**
 * A screen that waits until its one button is pressed.
 * @param {string} name
 * @param {string} title
 * @param {Node[]} nodes
 * @param {string} text on the button
 */
export function page(name, title, nodes, text) {
  return new Promise((done) => {
    card(name, title, [...nodes, actions(button(text, 'primary', done))]);
  });
}

/**
 * @param {string} text empty where there is nothing to count
 * @param {number} [part] 0 to 1
 */
export function setProgress(text, part) {
  put(message, text);
  progress.hidden = !text;
  progress.value = part || 0;
}

/** @param {boolean} on */
export function setPreview(on) {
  preview.hidden = !on;
  put(preview, on ? say('preview') : '');
}

/**
 * What is not sent yet and what was not taken; nothing where all is well.
 * @param {number} waiting
 * @param {string[]} lost why, for each that was not taken
 */
export function setUnsent(waiting, lost) {
  setWarning(waiting ? counted('unsent', waiting, {}) : '');
  refused.hidden = !lost.length;
  put(refused, lost.length ? counted('refused', lost.length, { error: lost[0] }) : '');
}

/** @param {string} text of what has to be known now, empty where that is nothing */
export function setWarning(text) {
  unsent.hidden = !text;
  put(unsent, text);
}

/**
 * Whether all is saved, in one word that stays where it is.
 * @param {'saved' | 'saving' | 'unsaved'} state
 * @param {string} text
 * @param {string} more what that means, for those who want to know
 */
export function setSaved(state, text, more) {
  saved.hidden = false;
  saved.dataset.state = state;
  saved.title = more;
  put(saved, text);
}

/**
 * @param {string} name
 * @param {number} n
 * @param {Record<string, string>} values
 */
function counted(name, n, values) {
  return say(n === 1 ? name + '_one' : name, { n, ...values });
}

/**
 * The way out, from the moment somebody takes part until the end.
 * @param {(() => void) | null} withdraw
 */
export function setWayOut(withdraw) {
  header.hidden = !withdraw;
  if (!withdraw && dialog.open) dialog.close();
  put(stop.firstElementChild || stop, say('withdraw'));
  leaving = () => {
    const title = make('h2', '', say('withdraw_title'));
    title.id = 'stop-title';
    dialog.setAttribute('aria-labelledby', title.id);
    const end = (/** @type {boolean} */ yes) => () => {
      dialog.close();
      if (yes && withdraw) withdraw();
    };
    dialog.replaceChildren(
      title,
      make('p', 'text', say('withdraw_text')),
      actions(
        button(say('withdraw_no'), 'primary', end(false)),
        button(say('withdraw_yes'), 'plain', end(true)),
      ),
    );
    dialog.showModal();
  };
}
