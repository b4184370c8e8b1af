// A distribution over the 71 bins, and another one mirrored below it: bars in the bins' own colors.
import { labWords, percent } from '../compare/concept_figures.js';
import { make, strip } from '../shared/dom.js';
import { ask } from '../shared/http.js';

/** @typedef {{ index: number, name: string, hex: string, lab: number[] }} Bin */

const SPACE = 'http://www.w3.org/2000/svg';
const HALF = 100;
const STRIP = 9;
const WIDE = 710;
const SCALES = [
  { id: 'own', name: 'Independent', title: 'Each fills the height: compare shapes' },
  { id: 'one', name: 'Shared', title: 'Both on one scale: compare heights' },
];

/** @type {Promise<{ bins: Bin[], order: number[] }> | null} */
let known = null;

/** The bins and their order by hue, asked for once. */
export function binsHere() {
  known ||= ask('/api/compare/bins')
    .then((answer) => ({ bins: answer.bins, order: answer.orders.hue }))
    .catch((error) => {
      known = null;
      throw error;
    });
  return known;
}

/**
 * @param {string} name
 * @param {Record<string, string | number>} values
 */
function svg(name, values) {
  const node = document.createElementNS(SPACE, name);
  Object.entries(values).forEach(([key, value]) => node.setAttribute(key, String(value)));
  return node;
}

/**
 * The chart in its box.
 * @param {HTMLElement} box
 * @param {Element} scales where the scale is chosen
 */
export function binsChart(box, scales) {
  const image = svg('svg', {
    class: 'th-colorize-bars',
    viewBox: `0 0 ${WIDE} ${2 * HALF + STRIP}`,
    preserveAspectRatio: 'none',
    role: 'img',
    tabindex: 0,
  });
  const upper = make('p', 'th-colorize-bars-name');
  const lower = make('p', 'th-colorize-bars-name');
  const tip = make('div', 'th-concept-tip');
  tip.hidden = true;
  tip.setAttribute('role', 'status');
  box.append(upper, image, lower, tip);
  let scale = 'own';
  let position = -1;
  /** @type {{ bins: Bin[], order: number[] } | null} */
  let current = null;
  /** @type {{ label: string, weights: number[] }[]} */
  let shown = [];

  function draw() {
    strip(scales, SCALES, scale, (id) => {
      scale = id;
      draw();
    });
    /** @type {HTMLElement} */ (scales).hidden = shown.length < 2;
    if (!current) return;
    const { bins, order } = current;
    const highest = shown.map((item) => Math.max(...item.weights, 1e-9));
    const common = Math.max(...highest, 1e-9);
    const step = WIDE / order.length;
    const nodes = order.flatMap((index, place) => {
      const { hex } = bins[index];
      const x = place * step;
      const column = [
        svg('rect', {
          x,
          y: HALF,
          width: step + 0.3,
          height: STRIP,
          fill: hex,
          class: 'th-colorize-bin',
        }),
      ];
      shown.forEach((item, side) => {
        const max = scale === 'one' ? common : highest[side];
        const height = (HALF - 3) * (item.weights[index] / max);
        if (height < 0.05) return;
        const y = side ? HALF + STRIP : HALF - height;
        column.push(
          svg('rect', {
            x: x + 0.6,
            y,
            width: step - 1.2,
            height,
            fill: hex,
            class: 'th-colorize-bar-of',
          }),
        );
      });
      return column;
    });
    const mark = svg('rect', {
      class: 'th-colorize-bar-at',
      y: 0,
      width: step,
      height: 2 * HALF + STRIP,
    });
    mark.setAttribute('x', String(Math.max(position, 0) * step));
    mark.setAttribute('visibility', position < 0 ? 'hidden' : 'visible');
    image.replaceChildren(...nodes, mark);
    const named = (item, arrow) =>
      item ? arrow + ' ' + item.label + ' · highest ' + percent(Math.max(...item.weights)) : '';
    upper.textContent = named(shown[0], '↑');
    lower.textContent = named(shown[1], '↓');
    image.setAttribute('aria-label', spoken());
  }
  function spoken() {
    const { bins } = /** @type {{ bins: Bin[] }} */ (current);
    return shown
      .map(
        (item) =>
          item.label +
          ': ' +
          item.weights
            .map((weight, index) => ({ weight, name: bins[index].name }))
            .filter((part) => part.weight > 0)
            .sort((a, b) => b.weight - a.weight)
            .slice(0, 5)
            .map((part) => part.name + ' ' + percent(part.weight))
            .join(', '),
      )
      .join('. ');
  }
  /**
   * Names a bin in a tag.
   * @param {number} index in the order, -1 for none
   * @param {number} left
   * @param {number} top
   */
  function name(index, left = 0, top = 0) {
    if (index !== position) {
      position = index;
      const mark = image.lastElementChild;
      if (mark && current) {
        mark.setAttribute('x', String((Math.max(position, 0) * WIDE) / current.order.length));
        mark.setAttribute('visibility', position < 0 ? 'hidden' : 'visible');
      }
    }
    tip.hidden = position < 0 || !current;
    if (!current || position < 0) return;
    const bin = current.bins[current.order[position]];
    const head = make('p', 'th-concept-tip-head');
    const patch = make('i');
    patch.style.background = bin.hex;
    head.append(patch, make('b', '', bin.name));
    const table = make('table');
    shown.forEach((item) => {
      const row = make('tr');
      row.append(
        make('td', 'th-concept-tip-label', item.label),
        make('td', '', percent(item.weights[bin.index])),
      );
      table.append(row);
    });
    tip.replaceChildren(
      head,
      make('p', '', 'Bin ' + bin.index + ' · ' + bin.hex),
      make('p', 'th-soft', labWords(bin)),
      table,
    );
    const { offsetWidth: wide, offsetHeight: high } = tip;
    tip.style.left = Math.max(4, Math.min(left + 14, innerWidth - wide - 4)) + 'px';
    tip.style.top = Math.max(4, top + 14 + high > innerHeight ? top - high - 10 : top + 14) + 'px';
  }
  image.addEventListener('pointermove', (event) => {
    const { clientX, clientY } = /** @type {PointerEvent} */ (event);
    const frame = image.getBoundingClientRect();
    const count = current ? current.order.length : 71;
    const index = Math.floor(((clientX - frame.left) / frame.width) * count);
    name(shown.length ? Math.min(Math.max(index, 0), count - 1) : -1, clientX, clientY);
  });
  image.addEventListener('pointerleave', () => name(-1));
  image.addEventListener('blur', () => name(-1));
  image.addEventListener('keydown', (/** @type {any} */ event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[/** @type {string} */ (event.key)];
    if (event.key === 'Escape') name(-1);
    if (!step || !current || !shown.length) return;
    event.preventDefault();
    const count = current.order.length;
    const frame = image.getBoundingClientRect();
    const index = position < 0 ? (step > 0 ? 0 : count - 1) : (position + step + count) % count;
    name(index, frame.left + ((index + 0.5) * frame.width) / count, frame.top + frame.height / 2);
  });
  return {
    /**
     * Shows one distribution, or two.
     * @param {{ label: string, weights: number[] }[]} next
     */
    async draw(next) {
      shown = next;
      current ||= await binsHere();
      draw();
    },
  };
}
