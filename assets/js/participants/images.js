// Images that are decoded before anything shows, and asked for again until they are here.

import { picture } from './link.js';

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 10_000;

/** A download that stands still for so long is begun again. */
const PATIENCE_MS = 20_000;

/** @type {number[]} */
let sides = [];

/** @param {number[]} values the sizes in pixels that the study makes, of the longer side */
export function setSides(values) {
  sides = [...values].sort((a, b) => a - b);
}

/**
 * An image at a size that is enough for so many CSS pixels, once it is decoded.
 * @param {string} id
 * @param {number} cssPx of its longer side
 * @param {string} text what it is, for those who do not see it
 * @param {() => void} missing called when it is not to be had for now
 * @returns {Promise<HTMLImageElement>}
 */
export async function decoded(id, cssPx, text, missing) {
  const wanted = cssPx * devicePixelRatio;
  const side = sides.find((item) => item >= wanted);
  const address = picture(id, side);
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
    const image = await load(address, text);
    if (image) {
      image.dataset.whole = picture(id);
      return image;
    }
    missing();
    await pause(wait);
  }
}

/**
 * So long, or until there is a network again.
 * @param {number} ms
 * @returns {Promise<void>}
 */
export function pause(ms) {
  return new Promise((done) => {
    const listening = new AbortController();
    const end = () => {
      listening.abort();
      clearTimeout(timer);
      done();
    };
    const timer = setTimeout(end, ms);
    addEventListener('online', end, { signal: listening.signal });
  });
}

/**
 * Puts the exact files in the place of those that were scaled down, all at once: none is judged
 * sharp beside one that is not.
 * @param {HTMLImageElement[]} images
 */
export async function sharpen(images) {
  const blurred = images.filter(
    ({ dataset, src }) => dataset.whole && !src.endsWith(dataset.whole),
  );
  const exact = await Promise.all(blurred.map(({ dataset }) => load(dataset.whole || '', '')));
  if (exact.every(Boolean)) blurred.forEach((image) => (image.src = image.dataset.whole || ''));
}

/**
 * @param {string} address
 * @param {string} text
 * @returns {Promise<HTMLImageElement | null>}
 */
async function load(address, text) {
  const image = new Image();
  image.alt = text;
  // It is painted with the frame that it is put into, not in one of those after it.
  image.decoding = 'sync';
  image.draggable = false;
  image.src = address;
  return (await isDecoded(image)) ? image : null;
}

/**
 * Whether an image can be shown, once that is known; false where nothing comes for long.
 * @param {HTMLImageElement} image
 * @returns {Promise<boolean>}
 */
export async function isDecoded(image) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const late = new Promise((_, refused) => (timer = setTimeout(refused, PATIENCE_MS)));
  try {
    await Promise.race([image.decode(), late]);
    return true;
  } catch {
    image.removeAttribute('src');
    return false;
  } finally {
    clearTimeout(timer);
  }
}
