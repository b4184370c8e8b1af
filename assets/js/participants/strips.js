// Distributions as strips of color: one part a bin, its area the share that it has.

const SVG = 'http://www.w3.org/2000/svg';
const WIDTH = 10_000;

/**
 * The bins by hue, from dark to light within one; those without a hue at the end, by lightness.
 * All strips of a study are in this order.
 * @param {string[]} colors hex, in the order of the bins
 * @returns {number[]} indices of bins
 */
export function orderOf(colors) {
  const keys = colors.map((hex, index) => ({ index, ...polar(hex) }));
  keys.sort((a, b) => a.group - b.group || a.hue - b.hue || a.lightness - b.lightness);
  return keys.map((key) => key.index);
}

/**
 * OKLab's hue and lightness; neighbors in hue are one group of 15 degrees.
 * @param {string} hex
 */
function polar(hex) {
  const [r, g, b] = [1, 3, 5].map((index) => {
    const value = parseInt(hex.slice(index, index + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  const lightness = 0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s;
  const first = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s;
  const second = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s;
  if (Math.hypot(first, second) < 0.02) return { group: 99, hue: 0, lightness };
  const hue = ((Math.atan2(second, first) * 180) / Math.PI + 360) % 360;
  return { group: Math.floor(hue / 15), hue: 0, lightness };
}

/**
 * A strip. Its parts touch each other at whole pixels, with no border between them.
 * @param {number[]} weights shares, in the order of the bins
 * @param {string[]} colors
 * @param {number[]} order
 * @param {string} text what it shows, for those who do not see it
 */
export function strip(weights, colors, order, text) {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', `0 0 ${WIDTH} 1`);
  svg.setAttribute('preserveAspectRatio', 'none');
  svg.setAttribute('shape-rendering', 'crispEdges');
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', text);
  const total = weights.reduce((sum, weight) => sum + weight, 0) || 1;
  let start = 0;
  for (const index of order) {
    if (!(weights[index] > 0)) continue;
    const width = (weights[index] / total) * WIDTH;
    const part = document.createElementNS(SVG, 'rect');
    part.setAttribute('x', String(start));
    part.setAttribute('y', '0');
    part.setAttribute('width', String(width));
    part.setAttribute('height', '1');
    part.setAttribute('fill', colors[index]);
    svg.append(part);
    start += width;
  }
  return svg;
}
