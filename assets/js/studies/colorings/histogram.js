// The colors of a coloring or a concept, as bars over bins and as a strip without gaps.
import { orderOf, strip } from '../../participants/strips.js';
import { make } from '../../shared/dom.js';
import { percent } from '../parts.js';

/** @typedef {{ hex: string, name: string }} Bin */

const LEAST = 0.0005;

/**
 * Bars of the bins that have a share, by hue and from dark to light; each has its own color.
 * @param {number[]} weights shares of all bins
 * @param {Bin[]} bins
 */
export function histogram(weights, bins) {
  const node = make('div', 'th-jc-bars');
  const order = orderOf(bins.map((one) => one.hex)).filter((at) => weights[at] > LEAST);
  const most = Math.max(...weights, 0.01);
  order.forEach((at) => {
    const bar = make('span', 'th-jc-bar-of');
    const fill = make('i');
    fill.style.height = Math.max(1.5, (100 * weights[at]) / most) + '%';
    fill.style.background = bins[at].hex;
    bar.title = bins[at].name + ', ' + bins[at].hex + ', ' + percent(weights[at], 1);
    bar.append(fill, make('small', '', weights[at] >= 0.05 ? percent(weights[at]) : ''));
    node.append(bar);
  });
  node.setAttribute('role', 'img');
  node.setAttribute(
    'aria-label',
    'Colors by share: ' +
      [...order]
        .sort((a, b) => weights[b] - weights[a])
        .slice(0, 8)
        .map((at) => bins[at].name + ' ' + percent(weights[at]))
        .join(', '),
  );
  return node;
}

/**
 * Colors that touch each other, each as wide as its share.
 * @param {{ hex: string, name: string, share: number }[]} colors the fullest first
 * @param {string} words
 */
export function colorStrip(colors, words) {
  const node = make('span', 'th-jc-strip');
  node.hidden = !colors.length;
  if (node.hidden) return node;
  const hexes = colors.map((one) => one.hex);
  const shares = colors.map((one) => one.share);
  node.append(
    strip(
      shares,
      hexes,
      orderOf(hexes),
      words + ': ' + colors.map((one) => one.name + ' ' + percent(one.share)).join(', '),
    ),
  );
  node.title = colors
    .map((one) => one.name + ' ' + one.hex + ' ' + percent(one.share, 1))
    .join('\n');
  return node;
}
