// Listens how answers are entered (input_log.js). It leaves the page where the study records input.

import { InputLog } from './input_log.js';

const input = new InputLog();

/**
 * What a browser says of itself that only programs use: no more than these words.
 * @returns {string[]}
 */
function traits() {
  const found = {
    webdriver: navigator.webdriver === true,
    headless: /headless/i.test(navigator.userAgent),
    languages: !navigator.languages?.length,
    window: !outerWidth || !outerHeight,
  };
  return Object.entries(found).flatMap(([name, is]) => (is ? [name] : []));
}

/**
 * How what is sent now was entered, where the study records that; each press is told once.
 * @param {{ record_input: boolean }} study
 */
export function inputOf({ record_input: recorded }) {
  const presses = input.take();
  if (!recorded) return {};
  const found = traits();
  return { input: presses, ...(found.length ? { traits: found } : {}) };
}

/** Keys that say nothing of an answer: parts of a text, and of shortcuts, whose end is not told. */
function passes(/** @type {KeyboardEvent} */ event) {
  const { target } = event;
  const typed = target instanceof Element && target.matches('input, textarea, select');
  return typed || event.repeat || event.ctrlKey || event.metaKey || event.altKey;
}

const options = { capture: true, passive: true };
addEventListener(
  'pointermove',
  (event) => {
    if (event.pointerType !== 'mouse') return;
    const steps = event.getCoalescedEvents?.() ?? [];
    input.moved(steps.length ? steps : [event], event.buttons > 0);
  },
  options,
);
addEventListener(
  'pointerdown',
  (event) => {
    const target = event.target instanceof Element ? event.target : null;
    input.down(event, target?.closest('button, a, label, input')?.getBoundingClientRect());
  },
  options,
);
addEventListener('pointerup', (event) => input.up(event), options);
addEventListener('keydown', (event) => passes(event) || input.keyDown(event), options);
addEventListener('keyup', (event) => input.keyUp(event), options);
addEventListener('click', (event) => input.click(event), options);
document.documentElement.addEventListener('pointerleave', () => input.left());
addEventListener('blur', () => input.left());
