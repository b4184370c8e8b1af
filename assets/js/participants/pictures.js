// Pictures that are decoded before anything shows, and asked for again until they are here.

import { picture } from './link.js';

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 10_000;

/** @type {number[]} */
let sides = [];

/** @param {number[]} given the sizes in pixels that the study makes, of the longer side */
export function setSides(given) {
  sides = [...given].sort((a, b) => a - b);
}

/**
 * A picture at a size that is enough for so many CSS pixels, once it is decoded.
 * @param {string} id
 * @param {number} cssPx of its longer side
 * @param {string} words what it is, for those who do not see it
 * @param {() => void} missing called when it is not to be had for now
 * @returns {Promise<HTMLImageElement>}
 */
export async function decoded(id, cssPx, words, missing) {
  const wanted = cssPx * devicePixelRatio;
  const side = sides.find((one) => one >= wanted);
  const address = picture(id, side);
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
    const image = await load(address, words);
    if (image) {
      image.dataset.whole = picture(id);
      return image;
    }
    missing();
    await new Promise((done) => {
      setTimeout(done, wait);
      addEventListener('online', done, { once: true });
    });
  }
}

/**
 * Puts the exact file in the place of one that was scaled down.
 * @param {HTMLImageElement} image
 */
export async function sharpen(image) {
  const { whole } = image.dataset;
  if (!whole || image.getAttribute('src') === whole) return;
  if (await load(whole, '')) image.src = whole;
}

/**
 * @param {string} address
 * @param {string} words
 * @returns {Promise<HTMLImageElement | null>}
 */
async function load(address, words) {
  const image = new Image();
  image.alt = words;
  // It is painted with the frame that it is put into, not in one of those after it.
  image.decoding = 'sync';
  image.draggable = false;
  image.src = address;
  try {
    await image.decode();
    return image;
  } catch {
    return null;
  }
}
