// The spaces in which a color is chosen. In each it has three coordinates: up, across, and hue in
// degrees; up and across make the plane of the picker.
import { labOfSrgb1, oklabOfSrgb1, srgb1OfLab, srgb1OfOklab } from '../shared/spaces.js';

/** @typedef {[number, number, number]} Coordinates */
/** @typedef {{ names: string[], most: Coordinates, digits: number[],
 *   toSrgb1: (coordinates: Coordinates) => number[],
 *   ofSrgb1: (srgb1: number[]) => Coordinates }} Space `most` of up and across are what the plane
 *   shows, the most of any color of sRGB or a little more */

/** What rounding may add to a color of sRGB. */
const EPSILON = 1e-6;

/**
 * @param {number[]} lab lightness and two axes
 * @returns {Coordinates}
 */
const polar = ([light, a, b]) => [
  light,
  Math.hypot(a, b),
  ((Math.atan2(b, a) * 180) / Math.PI + 360) % 360,
];

/** @param {Coordinates} coordinates */
const plain = ([light, chroma, hue]) => [
  light,
  chroma * Math.cos((hue * Math.PI) / 180),
  chroma * Math.sin((hue * Math.PI) / 180),
];

/** @type {Record<string, Space>} */
export const SPACES = {
  oklch: {
    names: ['L', 'C', 'H'],
    most: [1, 0.33, 360],
    digits: [3, 3, 1],
    toSrgb1: (coordinates) => srgb1OfOklab(plain(coordinates)),
    ofSrgb1: (srgb1) => polar(oklabOfSrgb1(srgb1)),
  },
  lch: {
    names: ['L*', 'C*', 'h'],
    most: [100, 135, 360],
    digits: [1, 1, 1],
    toSrgb1: (coordinates) => srgb1OfLab(plain(coordinates)),
    ofSrgb1: (srgb1) => polar(labOfSrgb1(srgb1)),
  },
  hsv: {
    names: ['V', 'S', 'H'],
    most: [100, 100, 360],
    digits: [1, 1, 1],
    toSrgb1: ([value, saturation, hue]) =>
      [5, 3, 1].map((n) => {
        const k = (n + hue / 60) % 6;
        const away = Math.max(0, Math.min(k, 4 - k, 1));
        return (value / 100) * (1 - (saturation / 100) * away);
      }),
    ofSrgb1: ([r, g, b]) => {
      const max = Math.max(r, g, b);
      const range = max - Math.min(r, g, b);
      let hue = 0;
      if (range && max === r) hue = (g - b) / range;
      else if (range) hue = max === g ? 2 + (b - r) / range : 4 + (r - g) / range;
      return [100 * max, max ? (100 * range) / max : 0, (60 * hue + 360) % 360];
    },
  },
};

/** @param {number[]} srgb1 */
export const inGamut = (srgb1) => srgb1.every((c) => c >= -EPSILON && c <= 1 + EPSILON);

/**
 * How far across a color can be at this height and hue.
 * @param {Space} space
 * @param {Coordinates} coordinates
 */
export function reach(space, [up, across, hue]) {
  if (inGamut(space.toSrgb1([up, across, hue]))) return across;
  let low = 0;
  let high = across;
  for (let step = 0; step < 30; step++) {
    const middle = (low + high) / 2;
    if (inGamut(space.toSrgb1([up, middle, hue]))) low = middle;
    else high = middle;
  }
  return low;
}

/**
 * The most across that sRGB has at this height and hue: the right edge of the plane.
 * @param {Space} space
 * @param {number} up
 * @param {number} hue
 */
export const widest = (space, up, hue) => reach(space, [up, space.most[1], hue]);

/**
 * A color that is so much lighter in CIELAB, and as colorful as sRGB allows there.
 * @param {Coordinates} lch L* 0 to 100, the chroma C* that is wanted, and the hue
 * @param {number} change of L*
 * @returns {Coordinates}
 */
export function lighter([light, chroma, hue], change) {
  const up = Math.min(Math.max(light + change, 0), 100);
  return [up, reach(SPACES.lch, [up, chroma, hue]), hue];
}

/** Shades beside each other, by so much of L*. */
export const SHADES = 8;
const RAMP_STEP = 12;

/**
 * A color at steps of lightness, dark to light, each as colorful as sRGB allows there; the color
 * itself stands at the step that is nearest to it.
 * @param {Coordinates} lch of the color; its chroma is what is wanted of each
 * @param {string} hex of the color
 * @returns {{ hex: string, lch: Coordinates }[]}
 */
export function shadesOf(lch, hex) {
  const [light, chroma, hue] = lch;
  const shades = Array.from({ length: SHADES }, (_, n) => {
    /** @type {Coordinates} */
    const step = [RAMP_STEP * (n + 1), chroma, hue];
    return { hex: hexOf(SPACES.lch.toSrgb1(lighter(step, 0))), lch: step };
  });
  const nearest = Math.min(Math.max(Math.round(light / RAMP_STEP), 1), SHADES) - 1;
  shades[nearest] = { hex, lch };
  return shades;
}

/** @param {number[]} srgb1 of a color in sRGB */
export const hexOf = (srgb1) =>
  '#' +
  srgb1
    .map((c) => Math.round(255 * Math.min(Math.max(c, 0), 1)))
    .map((code) => code.toString(16).padStart(2, '0'))
    .join('');

/** @param {string} hex as "#rrggbb" */
export const srgb1Of = (hex) =>
  [1, 3, 5].map((index) => parseInt(hex.slice(index, index + 2), 16) / 255);

/**
 * A hex code as somebody types it, with three digits too; null for anything else.
 * @param {string} text
 */
export function readHex(text) {
  const digits = /^\s*#?([0-9a-f]{6}|[0-9a-f]{3})\s*$/i.exec(text)?.[1].toLowerCase();
  if (!digits) return null;
  return '#' + (digits.length === 3 ? [...digits].map((digit) => digit + digit).join('') : digits);
}
