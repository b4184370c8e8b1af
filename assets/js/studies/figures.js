// The figures of Studies: gray, as no color here is measured. Before is hollow, after is filled.
import { INK, LINE, plain, SOFT } from '../shared/chart.js';
import { make } from '../shared/dom.js';
import { figure } from '../shared/figure.js';

const ROW_PX = 46;
const HOUR_MS = 3600000;
const MIN_HOURS = 6;

const CHART = { margin: { l: 44, r: 12, t: 10, b: 40 }, dragmode: false };

const LABEL = 26;
/** A label of at most two lines. @param {string} text */
function twoLines(text) {
  const short = (part) => plain(part.length > LABEL ? part.slice(0, LABEL - 1) + '…' : part);
  const space = text.length > LABEL ? text.lastIndexOf(' ', LABEL) : 0;
  return space > 0
    ? short(text.slice(0, space)) + '<br>' + short(text.slice(space + 1))
    : short(text);
}

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
  const last = series[series.length - 1];
  const names = last.rows.map((row) => row.name);
  const apart = series.length > 1 ? 0.17 : 0;
  const { format } = axis;
  const shown = series.map((item) => {
    const filled = item === last;
    const color = filled ? INK : SOFT;
    const rows = item.rows.filter((row) => row.value !== null && names.includes(row.name));
    return {
      name: item.name,
      rows: rows.map((row) => ({
        x: row.value,
        y: names.indexOf(row.name) + (filled ? apart : -apart),
        low: row.low,
        high: row.high,
        pick: [plain(row.name), row.low, row.high],
      })),
      hovertemplate:
        `%{customdata[0]}<br>${plain(item.name)}: %{x:${format}}<br>` +
        `95% %{customdata[1]:${format}} to %{customdata[2]:${format}}<extra></extra>`,
      error: {
        along: 'x',
        visible: rows.some((row) => row.low !== null),
        color,
        thickness: filled ? 2 : 1.2,
        width: 4,
      },
      marker: {
        symbol: filled ? 'circle' : 'circle-open',
        size: 9,
        color,
        line: { width: 1.5, color },
      },
    };
  });
  const wide = Math.min(
    190,
    Math.max(60, ...names.map((name) => 7 * Math.min(LABEL, name.length))),
  );
  const marks = last.rows
    .map(({ mark }, y) => ({ x: mark, y0: y - 0.34, y1: y + 0.34, yref: 'y', width: 1.5 }))
    .filter(({ x }) => typeof x === 'number');
  const lines = marks.length || axis.mark === undefined ? marks : [{ x: axis.mark }];
  const chart = {
    height: 62 + ROW_PX * names.length,
    margin: { l: wide + 12, r: 16, t: 6, b: 44 },
    dragmode: false,
    series: shown,
    lines: lines.map((line) => ({ ...line, dash: 'dot' })),
    x: { title: axis.title, range: axis.range, fixedrange: true },
    y: {
      names: names.map(twoLines),
      tickfont: { color: INK, size: 12 },
      automargin: false,
      range: [names.length - 0.55, -0.55],
    },
  };
  return figure(node, chart, true);
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
  const last = Math.max(hours[hours.length - 1] + HOUR_MS, first + MIN_HOURS * HOUR_MS);
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
  const chart = {
    ...CHART,
    height: 240,
    margin: { l: 44, r: 48, t: 10, b: 34 },
    bargap: 0.15,
    x: {
      type: 'date',
      range: span(started),
      // Level and apart, also on a phone.
      nticks: node.clientWidth < 480 ? 4 : 7,
      tickangle: 0,
      showgrid: false,
      fixedrange: true,
    },
    y: { title: 'per hour', rangemode: 'tozero', fixedrange: true },
    y2: {
      overlaying: 'y',
      side: 'right',
      rangemode: 'tozero',
      showgrid: false,
      ticks: '',
      fixedrange: true,
      range: [0, Math.max(wanted, sum, 1) * 1.06],
      tickmode: 'auto',
      nticks: 6,
    },
    lines: [{ y: wanted, yref: 'y2', dash: 'dash' }],
    series: [
      {
        type: 'bar',
        rows: hours.map((hour, at) => ({ x: index[at], y: hour.answers })),
        width: 0.84 * HOUR_MS,
        offset: 0.08 * HOUR_MS,
        marker: { color: SOFT, opacity: 0.45, line: { width: 0 } },
        hovertemplate: '%{x|%b %d %H:%M}<br>%{y:,} answers this hour<extra></extra>',
      },
      {
        mode: hours.length > 40 ? 'lines' : 'lines+markers',
        // From nothing; then what had come in by the end of each hour.
        rows: [
          { x: index[0], y: sums[0] - hours[0].answers },
          ...started.map((hour, at) => ({
            x: local(Math.min(hour + HOUR_MS, Date.parse(now))),
            y: sums[at],
          })),
        ],
        yaxis: 'y2',
        cliponaxis: false,
        line: { color: INK, width: 2 },
        marker: { color: INK, size: 5 },
        hovertemplate: '%{y:,} answers so far<extra></extra>',
      },
    ],
  };
  return figure(node, chart, true);
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
  const chart = {
    ...CHART,
    height: 240,
    bargap: 0.12,
    x: {
      title: 'answers of a ' + item,
      range: [-0.6, max + 0.6],
      dtick: Math.max(1, Math.ceil(max / 12)),
      showgrid: false,
      fixedrange: true,
    },
    y: { title: stimuli, rangemode: 'tozero', fixedrange: true },
    // Between what lacks answers and what has all of them: a bar would hide it.
    lines: [{ x: wanted - 0.5, color: INK, dash: 'dash' }],
    series: [
      {
        type: 'bar',
        rows: loads.map((load) => ({
          x: load.answers,
          y: load.stimuli,
          color: load.answers >= wanted ? INK : SOFT,
        })),
        marker: {
          opacity: loads.map((load) => (load.answers >= wanted ? 1 : 0.45)),
          line: { width: 0 },
        },
        hovertemplate: '%{y:,} ' + stimuli + ' with %{x} answers<extra></extra>',
      },
    ],
  };
  return figure(node, chart, true);
}

/**
 * Power against votes, with the interval of the simulation.
 * @param {HTMLElement} node
 * @param {{ votes: number, power: number, low: number, high: number }[]} curve
 * @param {number} wanted
 * @param {number | null} votes what was found
 */
export function powerCurve(node, curve, wanted, votes) {
  const axis = { fixedrange: true, zeroline: true, zerolinecolor: SOFT };
  const edge = (end) => curve.map((point) => ({ x: point.votes, y: point[end] }));
  const found = votes === null ? [] : [{ x: votes, yref: 'y', y1: 1.03, dash: 'dash' }];
  const chart = {
    ...CHART,
    height: 230,
    margin: { l: 56, r: 12, t: 10, b: 40 },
    x: { title: 'votes on the two models', rangemode: 'tozero', ...axis },
    y: { title: 'power', range: [0, 1.03], tickformat: '.0%', ...axis },
    lines: [{ y: wanted, dash: 'dash' }, ...found],
    series: [
      {
        mode: 'lines',
        rows: [...edge('high'), ...edge('low').reverse()],
        fill: 'toself',
        fillcolor: LINE,
        line: { width: 0 },
        hoverinfo: 'skip',
      },
      {
        mode: 'lines+markers',
        rows: curve.map((point) => ({
          x: point.votes,
          y: point.power,
          pick: [point.low, point.high],
        })),
        line: { color: INK, width: 2 },
        marker: { color: INK, size: 6 },
        hovertemplate:
          '%{x:,} votes: power %{y:.0%}<br>%{customdata[0]:.0%} to %{customdata[1]:.0%}<extra></extra>',
      },
    ],
  };
  return figure(node, chart, true);
}
