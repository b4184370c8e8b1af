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
  const picture = svg('svg', {
    class: 'th-col-bars',
    viewBox: `0 0 ${WIDE} ${2 * HALF + STRIP}`,
    preserveAspectRatio: 'none',
    role: 'img',
    tabindex: 0,
  });
  const upper = make('p', 'th-col-bars-name');
  const lower = make('p', 'th-col-bars-name');
  const tip = make('div', 'th-cc-tip');
  tip.hidden = true;
  tip.setAttribute('role', 'status');
  box.append(upper, picture, lower, tip);
  let scale = 'own';
  let at = -1;
  /** @type {{ bins: Bin[], order: number[] } | null} */
  let here = null;
  /** @type {{ label: string, weights: number[] }[]} */
  let shown = [];

  function draw() {
    strip(scales, SCALES, scale, (id) => {
      scale = id;
      draw();
    });
    /** @type {HTMLElement} */ (scales).hidden = shown.length < 2;
    if (!here) return;
    const { bins, order } = here;
    const highest = shown.map((one) => Math.max(...one.weights, 1e-9));
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
          class: 'th-col-bin',
        }),
      ];
      shown.forEach((one, side) => {
        const most = scale === 'one' ? common : highest[side];
        const height = (HALF - 3) * (one.weights[index] / most);
        if (height < 0.05) return;
        const y = side ? HALF + STRIP : HALF - height;
        column.push(
          svg('rect', {
            x: x + 0.6,
            y,
            width: step - 1.2,
            height,
            fill: hex,
            class: 'th-col-bar-of',
          }),
        );
      });
      return column;
    });
    const mark = svg('rect', {
      class: 'th-col-bar-at',
      y: 0,
      width: step,
      height: 2 * HALF + STRIP,
    });
    mark.setAttribute('x', String(Math.max(at, 0) * step));
    mark.setAttribute('visibility', at < 0 ? 'hidden' : 'visible');
    picture.replaceChildren(...nodes, mark);
    const named = (one, arrow) =>
      one ? arrow + ' ' + one.label + ' · highest ' + percent(Math.max(...one.weights)) : '';
    upper.textContent = named(shown[0], '↑');
    lower.textContent = named(shown[1], '↓');
    picture.setAttribute('aria-label', spoken());
  }
  function spoken() {
    const { bins } = /** @type {{ bins: Bin[] }} */ (here);
    return shown
      .map(
        (one) =>
          one.label +
          ': ' +
          one.weights
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
   * @param {number} place in the order, -1 for none
   * @param {number} left
   * @param {number} top
   */
  function name(place, left = 0, top = 0) {
    if (place !== at) {
      at = place;
      const mark = picture.lastElementChild;
      if (mark && here) {
        mark.setAttribute('x', String((Math.max(at, 0) * WIDE) / here.order.length));
        mark.setAttribute('visibility', at < 0 ? 'hidden' : 'visible');
      }
    }
    tip.hidden = at < 0 || !here;
    if (!here || at < 0) return;
    const bin = here.bins[here.order[at]];
    const head = make('p', 'th-cc-tip-head');
    const patch = make('i');
    patch.style.background = bin.hex;
    head.append(patch, make('b', '', bin.name));
    const table = make('table');
    shown.forEach((one) => {
      const row = make('tr');
      row.append(
        make('td', 'th-cc-tip-label', one.label),
        make('td', '', percent(one.weights[bin.index])),
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
  picture.addEventListener('pointermove', (event) => {
    const { clientX, clientY } = /** @type {PointerEvent} */ (event);
    const frame = picture.getBoundingClientRect();
    const count = here ? here.order.length : 71;
    const place = Math.floor(((clientX - frame.left) / frame.width) * count);
    name(shown.length ? Math.min(Math.max(place, 0), count - 1) : -1, clientX, clientY);
  });
  picture.addEventListener('pointerleave', () => name(-1));
  picture.addEventListener('blur', () => name(-1));
  picture.addEventListener('keydown', (/** @type {any} */ event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[/** @type {string} */ (event.key)];
    if (event.key === 'Escape') name(-1);
    if (!step || !here || !shown.length) return;
    event.preventDefault();
    const count = here.order.length;
    const frame = picture.getBoundingClientRect();
    const place = at < 0 ? (step > 0 ? 0 : count - 1) : (at + step + count) % count;
    name(place, frame.left + ((place + 0.5) * frame.width) / count, frame.top + frame.height / 2);
  });
  return {
    /**
     * Shows one distribution, or two.
     * @param {{ label: string, weights: number[] }[]} next
     */
    async draw(next) {
      shown = next;
      here ||= await binsHere();
      draw();
    },
  };
}
