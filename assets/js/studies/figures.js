// The figures of Studies: gray, as no color here is measured. Before is hollow, after is filled.
import { make } from '../shared/dom.js';
import { figure } from '../shared/figure.js';

const INK = 'var(--th-ink)';
const SOFT = 'var(--th-soft)';
const LINE = 'var(--th-line)';
const PANEL = 'var(--th-panel)';
const ROW_PX = 46;
const HOUR_MS = 3600000;
const LEAST_HOURS = 6;

/**
 * A layout in the page's colors.
 * @param {number} height px
 * @param {Record<string, any>} [more]
 * @returns {Record<string, any>}
 */
function blank(height, more = {}) {
  const axis = {
    gridcolor: LINE,
    linecolor: LINE,
    zerolinecolor: SOFT,
    ticks: 'outside',
    tickcolor: LINE,
    fixedrange: true,
  };
  const { xaxis = {}, yaxis = {}, ...rest } = more;
  return {
    height,
    margin: { l: 44, r: 12, t: 10, b: 40 },
    paper_bgcolor: 'rgba(0,0,0,0)',
    plot_bgcolor: 'rgba(0,0,0,0)',
    font: { size: 11, color: SOFT },
    showlegend: false,
    hovermode: 'closest',
    dragmode: false,
    hoverlabel: { bgcolor: PANEL, bordercolor: LINE, font: { color: INK } },
    ...rest,
    xaxis: { ...axis, ...xaxis },
    yaxis: { ...axis, ...yaxis },
  };
}

/** Plotly reads tags in text. @param {string} text */
const plain = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
/** @param {string} text */
const short = (text) => plain(text.length > 26 ? text.slice(0, 25) + '…' : text);

/**
 * A box for a figure, with what it shows in words.
 * @param {string} label
 */
export function plot(label) {
  const node = make('div', 'th-figure');
  node.setAttribute('role', 'img');
  node.setAttribute('aria-label', label);
  return node;
}

/**
 * A value with its interval, under its name; `mark` is what it is held against in this row.
 * @typedef {{ name: string, value: number | null, low: number | null, high: number | null,
 *   mark?: number | null }} Row
 */

/**
 * Values with intervals, a row each.
 * @param {HTMLElement} node
 * @param {{ name: string, rows: Row[] }[]} series
 *   the last one is filled
 * @param {{ title: string, mark?: number, range?: [number, number], format: string }} axis
 */
export function intervals(node, series, axis) {
  const names = series[series.length - 1].rows.map((row) => row.name);
  const apart = series.length > 1 ? 0.17 : 0;
  const traces = series.map((item, index) => {
    const filled = index === series.length - 1;
    const rows = item.rows.filter((row) => row.value !== null && names.includes(row.name));
    const side = (end) =>
      rows.map((row) => (row[end] === null ? 0 : Math.abs((row[end] ?? 0) - (row.value ?? 0))));
    return {
      type: 'scatter',
      mode: 'markers',
      name: item.name,
      x: rows.map((row) => row.value),
      y: rows.map((row) => -names.indexOf(row.name) + (filled ? -apart : apart)),
      customdata: rows.map((row) => [plain(row.name), row.low, row.high]),
      hovertemplate:
        '%{customdata[0]}<br>' +
        plain(item.name) +
        ': %{x:' +
        axis.format +
        '}<br>95% %{customdata[1]:' +
        axis.format +
        '} to %{customdata[2]:' +
        axis.format +
        '}<extra></extra>',
      error_x: {
        visible: rows.some((row) => row.low !== null),
        type: 'data',
        symmetric: false,
        array: side('high'),
        arrayminus: side('low'),
        color: filled ? INK : SOFT,
        thickness: filled ? 2 : 1.2,
        width: 4,
      },
      marker: {
        symbol: filled ? 'circle' : 'circle-open',
        size: 9,
        color: filled ? INK : SOFT,
        line: { width: 1.5, color: filled ? INK : SOFT },
      },
    };
  });
  const wide = Math.min(190, Math.max(60, ...names.map((name) => 7 * Math.min(26, name.length))));
  const layout = blank(62 + ROW_PX * names.length, {
    margin: { l: wide + 12, r: 16, t: 6, b: 44 },
    xaxis: { title: { text: axis.title, standoff: 6 }, zeroline: false },
    yaxis: {
      tickvals: names.map((_, index) => -index),
      ticktext: names.map(short),
      tickfont: { color: INK, size: 12 },
      ticks: '',
      showgrid: false,
      range: [0.55 - names.length, 0.55],
      zeroline: false,
    },
  });
  if (axis.range) layout.xaxis.range = axis.range;
  if (axis.mark !== undefined)
    layout.shapes = [
      {
        type: 'line',
        x0: axis.mark,
        x1: axis.mark,
        yref: 'paper',
        y0: 0,
        y1: 1,
        line: { color: SOFT, width: 1, dash: 'dot' },
      },
    ];
  const marks = series[series.length - 1].rows
    .map(({ name, mark }) => ({ at: -names.indexOf(name), mark }))
    .filter(({ mark }) => typeof mark === 'number');
  if (marks.length)
    layout.shapes = marks.map(({ at, mark }) => ({
      type: 'line',
      x0: mark,
      x1: mark,
      y0: at - 0.34,
      y1: at + 0.34,
      line: { color: SOFT, width: 1.5, dash: 'dot' },
    }));
  return figure(node, { data: traces, layout }, true);
}

/** A moment as plotly shows it: plotly knows no zone, and the page tells the reader's own time.
 * @param {number} ms
 */
function local(ms) {
  return new Date(ms - 60000 * new Date(ms).getTimezoneOffset()).toISOString().slice(0, 19);
}

/** From the first hour on, with room for what comes in the first ones. @param {number[]} hours */
function span(hours) {
  const first = hours[0];
  const last = Math.max(hours[hours.length - 1] + HOUR_MS, first + LEAST_HOURS * HOUR_MS);
  // A little more on both sides: marks at an end are whole.
  const edge = (last - first) / 60;
  return [local(first - edge), local(last + edge)];
}

/**
 * Votes hour by hour as bars, and all of them so far as a line up to what is wanted.
 * @param {HTMLElement} node
 * @param {{ at: string, answers: number }[]} hours
 * @param {number} wanted
 * @param {number} total of the study: hours before those that are shown have the rest
 * @param {string} now when they were counted
 */
export function votesOverTime(node, hours, wanted, total, now) {
  let sum = total - hours.reduce((all, hour) => all + hour.answers, 0);
  const sums = hours.map((hour) => (sum += hour.answers));
  const started = hours.map((hour) => Date.parse(hour.at));
  const index = started.map(local);
  const layout = blank(240, {
    margin: { l: 44, r: 48, t: 10, b: 34 },
    bargap: 0.15,
    xaxis: { type: 'date', showgrid: false, range: span(started), nticks: 7 },
    yaxis: { title: { text: 'per hour', standoff: 6 }, rangemode: 'tozero', zeroline: false },
    yaxis2: {
      overlaying: 'y',
      side: 'right',
      rangemode: 'tozero',
      showgrid: false,
      zeroline: false,
      fixedrange: true,
      range: [0, Math.max(wanted, sum, 1) * 1.06],
      tickmode: 'auto',
      nticks: 6,
    },
  });
  layout.shapes = [
    {
      type: 'line',
      xref: 'paper',
      x0: 0,
      x1: 1,
      yref: 'y2',
      y0: wanted,
      y1: wanted,
      line: { color: SOFT, width: 1, dash: 'dash' },
    },
  ];
  const data = [
    {
      type: 'bar',
      x: index,
      y: hours.map((hour) => hour.answers),
      width: 0.84 * HOUR_MS,
      offset: 0.08 * HOUR_MS,
      marker: { color: SOFT, opacity: 0.45, line: { width: 0 } },
      hovertemplate: '%{x|%b %d %H:%M}<br>%{y:,} answers this hour<extra></extra>',
    },
    {
      type: 'scatter',
      mode: hours.length > 40 ? 'lines' : 'lines+markers',
      // From nothing; then what had come in by the end of each hour.
      x: [index[0], ...started.map((hour) => local(Math.min(hour + HOUR_MS, Date.parse(now))))],
      y: [sums[0] - hours[0].answers, ...sums],
      yaxis: 'y2',
      cliponaxis: false,
      line: { color: INK, width: 2 },
      marker: { color: INK, size: 5 },
      hovertemplate: '%{y:,} answers so far<extra></extra>',
    },
  ];
  return figure(node, { data, layout }, true);
}

/**
 * How many stimuli have how many answers.
 * @param {HTMLElement} node
 * @param {{ answers: number, stimuli: number }[]} loads
 * @param {number} wanted answers a stimulus
 * @param {boolean} [colored] whether they are colorings of concepts
 */
export function coverage(node, loads, wanted, colored = false) {
  const [stimuli, item] = colored ? ['concepts', 'concept'] : ['stimuli', 'stimulus'];
  const max = Math.max(wanted, ...loads.map((load) => load.answers));
  const layout = blank(240, {
    bargap: 0.12,
    xaxis: {
      title: { text: 'answers of a ' + item, standoff: 6 },
      range: [-0.6, max + 0.6],
      dtick: Math.max(1, Math.ceil(max / 12)),
      showgrid: false,
      zeroline: false,
    },
    yaxis: { title: { text: stimuli, standoff: 6 }, rangemode: 'tozero', zeroline: false },
  });
  layout.shapes = [
    {
      type: 'line',
      // Between what lacks answers and what has all of them: a bar would hide it.
      x0: wanted - 0.5,
      x1: wanted - 0.5,
      yref: 'paper',
      y0: 0,
      y1: 1,
      line: { color: INK, width: 1, dash: 'dash' },
    },
  ];
  const data = [
    {
      type: 'bar',
      x: loads.map((load) => load.answers),
      y: loads.map((load) => load.stimuli),
      marker: {
        color: loads.map((load) => (load.answers >= wanted ? INK : SOFT)),
        opacity: loads.map((load) => (load.answers >= wanted ? 1 : 0.45)),
        line: { width: 0 },
      },
      hovertemplate: '%{y:,} ' + stimuli + ' with %{x} answers<extra></extra>',
    },
  ];
  return figure(node, { data, layout }, true);
}

/**
 * Power against votes, with the interval of the simulation.
 * @param {HTMLElement} node
 * @param {{ votes: number, power: number, low: number, high: number }[]} curve
 * @param {number} wanted
 * @param {number | null} votes what was found
 */
export function powerCurve(node, curve, wanted, votes) {
  const x = curve.map((point) => point.votes);
  const layout = blank(230, {
    margin: { l: 56, r: 12, t: 10, b: 40 },
    xaxis: { title: { text: 'votes on the two models', standoff: 6 }, rangemode: 'tozero' },
    yaxis: { title: { text: 'power', standoff: 6 }, range: [0, 1.03], tickformat: '.0%' },
  });
  const lines = [{ x0: 0, x1: 1, xref: 'paper', y0: wanted, y1: wanted }];
  if (votes !== null) lines.push({ x0: votes, x1: votes, xref: 'x', y0: 0, y1: 1.03 });
  layout.shapes = lines.map((line) => ({
    type: 'line',
    ...line,
    line: { color: SOFT, width: 1, dash: 'dash' },
  }));
  const data = [
    {
      type: 'scatter',
      mode: 'lines',
      x: [...x, ...x.slice().reverse()],
      y: [...curve.map((point) => point.high), ...curve.map((point) => point.low).reverse()],
      fill: 'toself',
      fillcolor: LINE,
      line: { width: 0 },
      hoverinfo: 'skip',
    },
    {
      type: 'scatter',
      mode: 'lines+markers',
      x,
      y: curve.map((point) => point.power),
      line: { color: INK, width: 2 },
      marker: { color: INK, size: 6 },
      customdata: curve.map((point) => [point.low, point.high]),
      hovertemplate:
        '%{x:,} votes: power %{y:.0%}<br>%{customdata[0]:.0%} to %{customdata[1]:.0%}<extra></extra>',
    },
  ];
  return figure(node, { data, layout }, true);
}
