// Figures by plotly in the page's colors.
import { plain, plotlyOf, themed } from './chart.js';
import { PLOTLY_VERSION } from './constants.js';
import { make } from './dom.js';

/** @type {Promise<any> | undefined} */
let library;

/** One copy of plotly for the page, loaded when the first figure is drawn. */
export function plotly() {
  library ||= new Promise((done, failed) => {
    const script = make('script');
    script.src = '/assets/plotly.min.js?v=' + encodeURIComponent(PLOTLY_VERSION);
    script.onload = () => done(Reflect.get(window, 'Plotly'));
    script.onerror = () => {
      library = undefined;
      failed(new Error('plotly.min.js did not load'));
    };
    document.head.appendChild(script);
  });
  return library;
}

/** @type {WeakMap<Element, Promise<void>>} */
const drawings = new WeakMap();
/** @type {WeakMap<Element, object>} */
const newest = new WeakMap();
/** What share of a node must be on the screen before plotly is loaded for it. */
const SEEN = 0.3;
/** How long a file that was handed over stays readable. */
const KEPT_MS = 10000;

/**
 * Ends when a good part of the node is on the screen, or when a figure is in it already.
 * @param {Element} node
 * @returns {Promise<void>}
 */
function seen(node) {
  if (node.classList.contains('js-plotly-plot')) return Promise.resolve();
  return new Promise((done) => {
    const watcher = new IntersectionObserver(
      (entries) => {
        if (!entries.some((entry) => entry.isIntersecting)) return;
        watcher.disconnect();
        done();
      },
      { threshold: SEEN },
    );
    watcher.observe(node);
  });
}

/**
 * Draws a chart, `waiting` only once it is on the screen: plotly is 4.8 MB of text, and most of a
 * second's work, which a first page does without. One drawing at a time for each node: two at once
 * leave plotly with half of each.
 * @param {HTMLElement} node
 * @param {any} chart
 * @param {boolean} [waiting]
 * @returns {Promise<void>}
 */
export function figure(node, chart, waiting = false) {
  newest.set(node, chart);
  // The page does not move when the figure comes.
  if (waiting) node.style.minHeight = (chart.height || 0) + 'px';
  const next = (drawings.get(node) || Promise.resolve()).then(async () => {
    if (waiting) await seen(node);
    if (newest.get(node) !== chart) return; // a later one comes right after this
    try {
      const Plotly = await plotly();
      const style = getComputedStyle(node);
      const rendered = themed(plotlyOf(chart), style);
      rendered.layout.font.family = style.fontFamily;
      await Plotly.react(node, rendered.data, rendered.layout, {
        displayModeBar: false,
        responsive: true,
      });
    } catch (error) {
      const text = 'The figure could not be drawn: ' + error.message;
      node.replaceChildren(make('p', 'th-waiting', text));
    }
  });
  drawings.set(node, next);
  return next;
}

/**
 * Hands a figure over as a file of its own.
 * @param {{ data: any[], layout: any }} rendered in colors that need no page
 * @param {number} width
 * @param {string} file the name without its ending
 * @param {string} format 'svg' or 'png'
 */
export async function saveImage(rendered, width, file, format) {
  const Plotly = await plotly();
  const { height } = rendered.layout;
  const size = format === 'png' ? { width, height, scale: 2 } : { width, height };
  const address = await Plotly.toImage(rendered, { format, ...size });
  const link = make('a');
  link.download = file + '.' + format;
  if (format === 'svg') {
    const text = decodeURIComponent(address.slice(address.indexOf(',') + 1));
    link.href = URL.createObjectURL(new Blob([text], { type: 'image/svg+xml' }));
  } else link.href = address;
  link.click();
  if (format === 'svg') setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MS);
}

/**
 * A figure by itself, with its title: on white and in the colors of the light page, whatever the
 * page is now, so that it holds no name of a color that only this page knows.
 * @param {any} chart
 * @param {{ text: string, lines: string[], height: number }} title takes `height` above the figure
 * @param {number} width
 * @param {string} file the name without its ending
 * @param {string} format 'svg' or 'png'
 */
export async function saveTitled(chart, title, width, file, format) {
  const style = getComputedStyle(document.documentElement);
  const rendered = themed(plotlyOf(chart), style);
  const { font, margin } = rendered.layout;
  const layout = {
    ...rendered.layout,
    autosize: false,
    width,
    height: rendered.layout.height + title.height,
    paper_bgcolor: '#ffffff',
    plot_bgcolor: '#ffffff',
    margin: { ...margin, t: margin.t + title.height },
    font: { ...font, family: 'sans-serif' },
    title: {
      text: plain(title.text),
      subtitle: {
        text: title.lines.map(plain).join('<br>'),
        font: { size: 11, color: font.color },
      },
      x: 0,
      xref: 'container',
      xanchor: 'left',
      pad: { l: 12, t: 12 },
      y: 1,
      yanchor: 'top',
      yref: 'container',
      font: { size: 15, color: style.getPropertyValue('--th-ink').trim() },
    },
  };
  await saveImage({ data: rendered.data, layout }, width, file, format);
}

/**
 * A change between light and dark changes the figures' colors too.
 * @param {() => void} draw
 */
export function onTheme(draw) {
  const isDark = () => document.body.classList.contains('dark');
  let dark = isDark();
  new MutationObserver(() => {
    if (isDark() === dark) return;
    dark = isDark();
    draw();
  }).observe(document.body, { attributes: true, attributeFilter: ['class'] });
}
