// Positions of images and their buttons, so that the images are as large as possible.

const GAP_PX = 16;
const NARROW_GAP_PX = 8;
const BELOW_PX = 56;
const BESIDE_PX = 72;
const WORTH = 1.15;

/**
 * @typedef {{ name: string, width: number, height: number, gap: number }} Arrangement
 */

/**
 * The largest frames of equal size for so many images of this aspect.
 *
 * `below` has a button below each picture, `beside` at its outer side, `rows` one picture above the
 * other with the buttons at the right.
 * @param {number} positions 1, 2 or 4
 * @param {{ width: number, height: number }} room in CSS pixels
 * @param {number} aspect width by height of a picture
 * @param {string} [only] the one to take, so that buttons stay where they are
 * @returns {Arrangement}
 */
export function arrangement(positions, room, aspect, only) {
  const gap = room.width < 600 ? NARROW_GAP_PX : GAP_PX;
  const columns = Math.min(positions, 2);
  const rows = positions === 4 ? 2 : 1;
  const across = (room.width - gap * (columns - 1)) / columns;
  const down = (room.height - gap * (rows - 1)) / rows;
  const button = positions > 1;
  /** @type {[string, number, number][]} */
  const choices = [
    ['below', across, down - (button ? BELOW_PX + NARROW_GAP_PX : 0)],
    ['beside', across - (button ? BESIDE_PX + NARROW_GAP_PX : 0), down],
  ];
  if (positions === 2)
    choices.push(['rows', room.width - BESIDE_PX - NARROW_GAP_PX, (room.height - gap) / 2]);
  const fits = choices.map(([name, width, height]) => {
    const fitting = Math.max(1, Math.min(width, height * aspect));
    return { name, width: Math.floor(fitting), height: Math.floor(fitting / aspect), gap };
  });
  const chosen = fits.find((fit) => fit.name === only);
  if (chosen) return chosen;
  // A button below its image is found at once: another place has to be worth it.
  return fits.reduce((best, item) => (item.width > best.width * WORTH ? item : best));
}
