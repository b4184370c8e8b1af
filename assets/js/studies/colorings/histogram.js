// The colors of a coloring or a concept, as bars over bins and as a strip without gaps.
import { orderOf, strip } from '../../participants/strips.js';
import { make } from '../../shared/dom.js';
import { percent } from '../parts.js';

/** @typedef {{ hex: string, name: string }} Bin */

const MIN_SHARE = 0.0005;

/**
 * Bars of the bins that have a share, by hue and from dark to light; each has its own color.
 * @param {number[]} weights shares of all bins
 * @param {Bin[]} bins
 */
export function histogram(weights, bins) {
  const node = make('div', 'th-colorings-bars');
  const order = orderOf(bins.map((bin) => bin.hex)).filter((index) => weights[index] > MIN_SHARE);
  const max = Math.max(...weights, 0.01);
  order.forEach((index) => {
    const bar = make('span', 'th-colorings-bar-of');
    const fill = make('i');
    fill.style.height = Math.max(1.5, (100 * weights[index]) / max) + '%';
    fill.style.background = bins[index].hex;
    bar.title = bins[index].name + ', ' + bins[index].hex + ', ' + percent(weights[index], 1);
    bar.append(fill, make('small', '', weights[index] >= 0.05 ? percent(weights[index]) : ''));
    node.append(bar);
  });
  node.setAttribute('role', 'img');
  node.setAttribute(
    'aria-label',
    'Colors by share: ' +
      [...order]
        .sort((a, b) => weights[b] - weights[a])
        .slice(0, 8)
        .map((index) => bins[index].name + ' ' + percent(weights[index]))
        .join(', '),
  );
  return node;
}

/**
 * Colors that touch each other, each as wide as its share.
 * @param {{ hex: string, name: string, share: number }[]} colors the fullest first
 * @param {string} text
 */
export function colorStrip(colors, text) {
  const node = make('span', 'th-colorings-strip');
  node.hidden = !colors.length;
  if (node.hidden) return node;
  const hexes = colors.map((color) => color.hex);
  const shares = colors.map((color) => color.share);
  node.append(
    strip(
      shares,
      hexes,
      orderOf(hexes),
      text + ': ' + colors.map((color) => color.name + ' ' + percent(color.share)).join(', '),
    ),
  );
  node.title = colors
    .map((color) => color.name + ' ' + color.hex + ' ' + percent(color.share, 1))
    .join('\n');
  return node;
}
