// The scaling figure: accuracy over the size of a model's parts, a line a family.

const SVG = 'http://www.w3.org/2000/svg';
const HEIGHT = 340;
const LEFT = 46;
const RIGHT = 120;
const TOP = 12;
const BOTTOM = 40;
const PHONE = 720;
const LINE = 20;
const TICKS = [0.1, 0.3, 1, 3, 10, 30, 100, 300];
const SHAPES = ['circle', 'square', 'diamond', 'triangle', 'down', 'cross', 'plus', 'ring'];

/**
 * @typedef {object} Point
 * @property {string} name
 * @property {string} family
 * @property {number} size in billions of weights
 * @property {number} percent
 * @property {number | null} low
 * @property {number | null} high
 */

function node(name, values, text = '') {
  const element = document.createElementNS(SVG, name);
  Object.entries(values).forEach(([key, value]) => element.setAttribute(key, String(value)));
  if (text) element.textContent = text;
  return element;
}

/** The mark of a family around a point. */
function mark(shape, x, y) {
  const r = 5;
  const paths = {
    square: `M${x - r} ${y - r}h${2 * r}v${2 * r}h${-2 * r}z`,
    diamond: `M${x} ${y - 6.5}l6.5 6.5l-6.5 6.5l-6.5 -6.5z`,
    triangle: `M${x} ${y - 6}l6 11h-12z`,
    down: `M${x} ${y + 6}l6 -11h-12z`,
    cross: `M${x - r} ${y - r}l${2 * r} ${2 * r}M${x + r} ${y - r}l${-2 * r} ${2 * r}`,
    plus: `M${x - 6} ${y}h12M${x} ${y - 6}v12`,
  };
  if (paths[shape]) return node('path', { d: paths[shape], class: 'th-vlm-mark-' + shape });
  return node('circle', { cx: x, cy: y, r, class: 'th-vlm-mark-' + shape });
}

/**
 * @param {Point[]} points
 * @param {{ x: string, y: string, about: string }} labels
 */
export function scalingFigure(points, { x: xLabel, y: yLabel, about }) {
  const families = [...new Set(points.map((point) => point.family))];
  // On a phone the legend stands below.
  const phone = window.innerWidth <= PHONE;
  const width = phone ? 340 : 720;
  const svg = node('svg', {
    viewBox: `0 0 ${width} ${HEIGHT + (phone ? families.length * LINE : 0)}`,
    class: 'th-vlm-scaling',
    role: 'img',
    'aria-label': about,
  });
  const sizes = points.map((point) => Math.log10(point.size));
  const least = Math.min(...sizes) - 0.12;
  const most = Math.max(...sizes) + 0.12;
  const right = phone ? width - 8 : width - RIGHT;
  const x = (size) => LEFT + ((Math.log10(size) - least) / (most - least)) * (right - LEFT);
  const y = (percent) => HEIGHT - BOTTOM - (percent / 100) * (HEIGHT - BOTTOM - TOP);
  [0, 25, 50, 75, 100].forEach((value) => {
    svg.append(
      node('line', { x1: LEFT, x2: right, y1: y(value), y2: y(value), class: 'th-vlm-grid' }),
      node('text', { x: LEFT - 8, y: y(value) + 4, 'text-anchor': 'end' }, String(value)),
    );
  });
  TICKS.filter((tick) => Math.log10(tick) >= least && Math.log10(tick) <= most).forEach((tick) => {
    svg.append(
      node('line', {
        x1: x(tick),
        x2: x(tick),
        y1: HEIGHT - BOTTOM,
        y2: HEIGHT - BOTTOM + 4,
        class: 'th-vlm-grid',
      }),
      node('text', { x: x(tick), y: HEIGHT - BOTTOM + 17, 'text-anchor': 'middle' }, String(tick)),
    );
  });
  svg.append(
    node('text', { x: (LEFT + right) / 2, y: HEIGHT - 5, 'text-anchor': 'middle' }, xLabel),
    node('text', { x: LEFT, y: TOP - 2, 'text-anchor': 'start', class: 'th-unseen' }, yLabel),
  );
  families.forEach((family, index) => {
    const own = points
      .filter((point) => point.family === family)
      .sort((one, other) => one.size - other.size);
    const shape = SHAPES[index % SHAPES.length];
    if (family && own.length > 1)
      svg.append(
        node('polyline', {
          points: own.map((point) => x(point.size) + ',' + y(point.percent)).join(' '),
          class: 'th-vlm-family',
        }),
      );
    own.forEach((point) => {
      const group = node('g', {});
      const range =
        point.low === null ? '' : ` (${point.low.toFixed(1)} to ${Number(point.high).toFixed(1)})`;
      group.append(
        node(
          'title',
          {},
          `${point.name}: ${point.size} billion, ${point.percent.toFixed(1)} %${range}`,
        ),
      );
      if (point.low !== null)
        group.append(
          node('line', {
            x1: x(point.size),
            x2: x(point.size),
            y1: y(point.low),
            y2: y(point.high),
            class: 'th-vlm-bar',
          }),
        );
      group.append(mark(shape, x(point.size), y(point.percent)));
      svg.append(group);
    });
    const line = (phone ? HEIGHT + 12 : TOP + 12) + index * LINE;
    const left = phone ? LEFT : right + 16;
    svg.append(
      mark(shape, left, line - 4),
      node('text', { x: left + 12, y: line }, family || 'no family'),
    );
  });
  return svg;
}
