// Small images are enlarged by whole pixels of the screen, each of theirs a square: no color is
// shown that is not theirs. The sheet page/enlarge.css does it; here it learns how large they are.

/** Images whose longer side is shorter are enlarged so. */
const SMALL_PX = 256;

function tellScreen() {
  const dpr = window.devicePixelRatio || 1;
  document.documentElement.style.setProperty('--th-dpr', String(dpr));
  matchMedia('(resolution: ' + dpr + 'dppx)').addEventListener('change', tellScreen, {
    once: true,
  });
}
tellScreen();

/**
 * Sets the number of pixels of an image, so that a small one is shown in whole multiples.
 * @param {HTMLElement} image
 * @param {number | null | undefined} width in pixels
 * @param {number | null | undefined} height
 * @returns {boolean} whether it is small
 */
export function enlarge(image, width, height) {
  const longest = Math.max(width || 0, height || 0);
  const small = longest > 0 && longest < SMALL_PX;
  image.classList.toggle('th-enlarged', small);
  image.style.setProperty('--th-width', String(width || 1));
  image.style.setProperty('--th-height', String(height || 1));
  image.style.setProperty('--th-longest', String(longest || 1));
  return small;
}
