// Plates with digits and squares that hardly differ. Every result may take part.

import { patch as patchAddress, plate } from './link.js';
import { button, card, make, shown } from './frame.js';
import { isDecoded, pause } from './images.js';
import { say } from './texts.js';

const PLACES = 4;
const SCREENS = ['plate', 'patch'];

/**
 * Goes through all that is to be looked at, and gives back what was seen.
 * @param {{ plates: number, patches: string[] }} participant `patches` are their names
 * @param {() => boolean} stopped whether something else is on the page for good: then it never ends
 */
export async function screening({ plates, patches }, stopped) {
  /** @type {{ plates?: string[], [patch: string]: any }} */
  const seen = {};
  const source = (plates || 0) + (patches || []).length;
  const image = (/** @type {string} */ address, /** @type {string} */ alt) => {
    const made = new Image();
    made.alt = alt;
    made.src = address;
    return made;
  };
  const images = Array.from({ length: plates || 0 }, (_, index) =>
    image(plate(index), say('plates_alt')),
  );
  const fields = (patches || []).map((name) => image(patchAddress(name), ''));
  if (images.length) seen.plates = [];
  for (const [index, image] of images.entries())
    seen.plates?.push(
      await askPlate(image, say('plates_count', { n: index + 1, of: source }), stopped),
    );
  for (const [index, name] of (patches || []).entries()) {
    const count = say('plates_count', { n: images.length + index + 1, of: source });
    seen[name] = await askPatch(fields[index], count, stopped);
  }
  return seen;
}

/**
 * Waits until an image is there, and says so where it is not.
 * @param {HTMLImageElement} image
 * @param {'plate' | 'patch'} name of the screen
 * @param {() => boolean} stopped
 */
async function fetched(image, name, stopped) {
  const address = image.src;
  for (let wait = 1_000; !(await isDecoded(image)); wait *= 2) {
    if (stopped()) break;
    card(name, say(name === 'plate' ? 'plates_title' : 'patches_title'), [
      make('p', 'text', say('picture_missing')),
    ]);
    await pause(Math.min(wait, 10_000));
    image.src = address + '?again=' + wait;
  }
}

/**
 * @param {HTMLImageElement} image
 * @param {string} count
 * @param {() => boolean} stopped
 * @returns {Promise<string>} the digit, empty where none was seen
 */
async function askPlate(image, count, stopped) {
  await fetched(image, 'plate', stopped);
  return new Promise((done) => {
    if (stopped()) return;
    const pad = make('div', 'digits');
    for (const digit of '1234567890') {
      const item = button(digit, 'answer', () => end(digit));
      pad.append(item);
    }
    const none = button(say('plates_none'), 'answer none', () => end(''), 'N');
    const look = make('div', 'look');
    const choices = make('div', 'choices');
    choices.append(pad, none);
    look.append(image, choices);
    card('plate', say('plates_title'), [
      make('p', 'text', say('plates_help')),
      look,
      make('p', 'small', count),
    ]);
    const end = answering(done, (key) => {
      if (/^[0-9]$/.test(key)) return key;
      return key === 'n' ? '' : null;
    });
  });
}

/**
 * @param {HTMLImageElement} image
 * @param {string} count
 * @param {() => boolean} stopped
 * @returns {Promise<number>} the place, −1 where none was seen
 */
async function askPatch(image, count, stopped) {
  await fetched(image, 'patch', stopped);
  return new Promise((done) => {
    if (stopped()) return;
    const field = make('div', 'patches');
    field.append(image);
    for (let index = 0; index < PLACES; index++) {
      const part = button('', 'part', () => end(index));
      part.setAttribute('aria-label', say('patches_part', { n: index + 1 }));
      field.append(part);
    }
    const look = make('div', 'look');
    const choices = make('div', 'choices');
    const pad = make('div', 'quarters');
    for (let index = 0; index < PLACES; index++)
      pad.append(button(String(index + 1), 'answer', () => end(index)));
    choices.append(
      pad,
      button(say('patches_none'), 'answer none', () => end(-1), 'N'),
    );
    look.append(field, choices);
    card('patch', say('patches_title'), [
      make('p', 'text', say('patches_help')),
      look,
      make('p', 'small', count),
    ]);
    const end = answering(done, (key) => {
      if (/^[1-4]$/.test(key)) return Number(key) - 1;
      return key === 'n' || key === '0' ? -1 : null;
    });
  });
}

/**
 * One answer, by a key or by a button, and none after it.
 * @template Value
 * @param {(value: Value) => void} done
 * @param {(key: string) => Value | null} meaning of a key
 */
function answering(done, meaning) {
  const listening = new AbortController();
  const end = (/** @type {Value} */ value) => {
    listening.abort();
    done(value);
  };
  document.addEventListener(
    'keydown',
    (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (!SCREENS.includes(shown()) || document.querySelector('dialog[open]')) return;
      if (event.repeat) {
        if (event.key === 'Enter' || event.key === ' ') event.preventDefault();
        return;
      }
      const value = meaning(event.key.toLowerCase());
      if (value === null) return;
      event.preventDefault();
      end(value);
    },
    { signal: listening.signal },
  );
  return end;
}
