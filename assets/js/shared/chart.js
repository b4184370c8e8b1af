// What plotly draws of a chart. A chart is rows and a few words on how they look; it comes from the
// app or from a module of the page. This module imports nothing: a report holds it too.

export const INK = 'var(--th-ink)';
export const SOFT = 'var(--th-soft)';
export const LINE = 'var(--th-line)';
const PANEL = 'var(--th-panel)';
/** From this shade on, the text of a cell has the color of the page. */
const DARK_SHADE = 54;

/**
 * @typedef {Record<string, any>} Row `x` and `y`, and what it has of `hover` (text), `pick` (what a
 *   click chooses), `low` and `high` (its interval), `text`, and its own marker: `color`, `size`,
 *   `symbol`, `angle`, `edge` (px) and `edgeColor`
 * @typedef {Record<string, any>} Series `rows` that look alike; `error` are interval bars along
 *   `error.along`; everything else is plotly's
 * @typedef {object} Chart everything that is not named here is of plotly's layout
 * @property {Series[]} [series]
 * @property {any} [x] an axis of plotly's with a plain `title`; `names` has one tick each
 * @property {any} [y] further ones are `y2` to `y9`
 * @property {Record<string, any>[]} [lines] across the whole figure at `x` or `y`
 * @property {Record<string, any>[]} [notes] texts
 * @property {Record<string, any>[]} [shapes]
 * @property {any} [legend] true for one above the figure, else what is different of it
 * @property {number} [height] px
 *
 * @typedef {{ shade: number | null, text?: string, hover: string, pick?: number, used?: boolean }}
 *   Cell `shade` is 0 to 100, null for an empty cell; `used` ones have a frame
 * @typedef {{ cells: Cell[][], down: string[], across: string[], row_px?: number, gap?: number,
 *   text_px?: number | null } & Chart} Heat its first row stands on top
 */

/**
 * Figures name the page's colors as var(--th-ink); plotly wants the color itself.
 * @param {any} value
 * @param {{ getPropertyValue: (name: string) => string }} style
 * @returns {any}
 */
export function themed(value, style) {
  if (typeof value === 'string') {
    const name = /^var\((--th-[a-z]+)\)$/.exec(value);
    return name ? style.getPropertyValue(name[1]).trim() : value;
  }
  if (Array.isArray(value)) return value.map((item) => themed(item, style));
  if (!value || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, themed(item, style)]));
}

/** Plotly reads tags in text. @param {string} text */
export const plain = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/**
 * Traces and layout of plotly.
 * @param {any} chart
 * @returns {{ data: any[], layout: any }}
 */
export function plotlyOf(chart) {
  const {
    series = [],
    lines = [],
    notes = [],
    shapes = [],
    legend,
    x,
    y,
    ...more
  } = chart.cells ? heat(chart) : chart;
  const rest = Object.entries(more).map(([key, value]) =>
    /^y\d$/.test(key) ? ['yaxis' + key[1], axis(value)] : [key, value],
  );
  const layout = {
    margin: { l: 38, r: 10, t: 10, b: 34 },
    paper_bgcolor: 'rgba(0,0,0,0)',
    plot_bgcolor: 'rgba(0,0,0,0)',
    font: { size: 11, color: SOFT },
    showlegend: Boolean(legend),
    hovermode: 'closest',
    hoverlabel: { bgcolor: PANEL, bordercolor: LINE, font: { color: INK }, align: 'left' },
    ...Object.fromEntries(rest),
    xaxis: axis(x),
    yaxis: axis(y),
    shapes: [...shapes, ...lines.map(across)],
    annotations: notes.map((note) => ({
      showarrow: false,
      ...note,
      font: { size: 11, color: INK, ...note.font },
    })),
  };
  if (legend)
    layout.legend = {
      ...{ orientation: 'h', x: 0, y: 1, yanchor: 'bottom' },
      ...{ itemclick: false, itemdoubleclick: false, font: { color: INK } },
      ...legend,
    };
  return { data: series.map(trace), layout };
}

/** @param {any} given */
export function axis({ title = '', names = null, ...more } = {}) {
  const ticks = names && {
    tickvals: names.map((_, index) => index),
    ticktext: names,
    ...{ showgrid: false, ticks: '', automargin: true, fixedrange: true },
  };
  return {
    ...{ gridcolor: LINE, linecolor: LINE, tickcolor: LINE, zeroline: false, ticks: 'outside' },
    ...ticks,
    ...more,
    title: { text: title, standoff: 6 },
  };
}

/** A line across the figure. @param {Record<string, any>} line */
function across({ x, y, color = SOFT, width = 1, dash = 'solid', ...more }) {
  const ends =
    x === undefined
      ? { xref: 'x domain', x0: 0, x1: 1, y0: y, y1: y }
      : { yref: 'y domain', y0: 0, y1: 1, x0: x, x1: x };
  return { type: 'line', line: { color, width, dash }, ...ends, ...more };
}

/** @param {Series} series */
function trace(series) {
  const { rows, marker = {}, error, ...more } = series;
  if (!rows) return series;
  /** @type {any} */
  const drawn = { type: 'scatter', ...(more.type ? {} : { mode: 'markers' }), ...more };
  const has = (key) => rows.some((row) => row[key] !== undefined);
  const column = (key) => rows.map((row) => row[key] ?? null);
  Object.assign(drawn, { x: column('x'), y: column('y') });
  if (has('text')) drawn.text = column('text');
  if (has('pick')) drawn.customdata = column('pick');
  if (has('hover')) {
    drawn.hovertext = column('hover');
    drawn.hovertemplate ??= '%{hovertext}<extra></extra>';
  }
  const own = ['color', 'size', 'symbol', 'angle'].filter(has).map((key) => [key, column(key)]);
  const edge = { ...marker.line };
  if (has('edge')) edge.width = column('edge');
  if (has('edgeColor')) edge.color = column('edgeColor');
  drawn.marker = { ...marker, ...Object.fromEntries(own), line: edge };
  if (error) {
    const { along, ...look } = error;
    const away = (end) => rows.map((row) => Math.abs((row[end] ?? row[along]) - row[along]));
    drawn['error_' + along] = {
      ...{ type: 'data', symmetric: false, array: away('high'), arrayminus: away('low') },
      ...look,
    };
  }
  return drawn;
}

/**
 * A heat map in grays.
 * @param {any} chart a `Heat`
 * @returns {Chart}
 */
function heat({ cells, down, across: names, row_px: rowPx = 26, gap = 2, ...chart }) {
  const { text_px: textPx = 11, series = [], x, y, ...more } = chart;
  const all = cells.flatMap((row, at) => row.map((cell, index) => ({ x: index, y: at, ...cell })));
  const column = (key) => cells.map((row) => row.map((cell) => cell[key]));
  const map = {
    type: 'heatmap',
    z: column('shade'),
    hovertext: column('hover'),
    customdata: column('pick'),
    hovertemplate: '%{hovertext}<extra></extra>',
    ...{ hoverongaps: false, xgap: gap, ygap: gap, zmin: 0, zmax: 100, showscale: false },
    colorscale: [
      [0, PANEL],
      [1, INK],
    ],
  };
  const shaded = all.filter((cell) => cell.shade !== null);
  const texts = {
    mode: 'text',
    hoverinfo: 'skip',
    rows: shaded.map((cell) => ({ x: cell.x, y: cell.y, text: cell.text })),
    textfont: {
      size: textPx,
      color: shaded.map((cell) => (cell.shade > DARK_SHADE ? PANEL : INK)),
    },
  };
  // A cell of no shade is seen by its line alone.
  const border = {
    ...{ type: 'rect', x0: -0.5, x1: names.length - 0.5, y0: -0.5, y1: down.length - 0.5 },
    ...{ line: { color: LINE, width: 1 }, layer: 'below' },
  };
  // Two lines, visible on light and on dark.
  const frames = all
    .filter((cell) => cell.used)
    .flatMap((cell) =>
      [
        [PANEL, 5],
        [INK, 2],
      ].map(([color, width]) => ({
        ...{ type: 'rect', x0: cell.x - 0.47, x1: cell.x + 0.47, y0: cell.y - 0.44 },
        ...{ y1: cell.y + 0.44, line: { color, width } },
      })),
    );
  return {
    height: rowPx * down.length + 64,
    margin: { l: 8, r: 8, t: 8, b: 8 },
    dragmode: false,
    ...more,
    series: [map, ...(textPx ? [texts] : []), ...series],
    x: { names, showline: false, ...x },
    y: { names: down, showline: false, autorange: 'reversed', ...y },
    shapes: [border, ...frames],
  };
}
