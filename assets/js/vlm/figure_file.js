// The figure of scores as an image of its own, for papers: on white, in grays that print.
import { AXIS, interval, number } from './figure.js';

const WIDTH = 860;
const LEFT = 230;
const RIGHT = 190;
const PAD = 20;
const LINE = 21;
const HEAD = 24;
const AFTER = 9;
const INK = '#1c1c1c';
const SOFT = '#5d5d5d';
const GRID = '#d4d4d4';
const KEPT_MS = 10000;

const KEY =
  'Line: 95% interval. Dashed: chance. ◇ pixel reader. □ people in your studies. ○ people, published.';

const escaped = (text) =>
  String(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
const scale = (percent) => LEFT + ((WIDTH - LEFT - RIGHT) * percent) / 100;
const text = (x, y, message, more = '') =>
  `<text x="${x.toFixed(1)}" y="${y}" ${more}>${escaped(message)}</text>`;
const cut = (message, max) => (message.length > max ? message.slice(0, max - 1) + '…' : message);

function mark(lane, y) {
  if (lane.tally.percent === null || lane.tally.percent === undefined) return '';
  const x = scale(lane.tally.percent);
  const hollow = `fill="#ffffff" stroke="${lane.mark === 'published' ? SOFT : INK}" stroke-width="2"`;
  if (lane.mark === 'asking')
    return (
      `<circle cx="${x.toFixed(1)}" cy="${y}" r="8" fill="${INK}"/>` +
      text(
        x,
        y + 3.5,
        lane.number,
        'font-size="10" font-weight="700" fill="#ffffff" text-anchor="middle"',
      )
    );
  if (lane.mark === 'pixels')
    return `<rect x="${(x - 4.5).toFixed(1)}" y="${y - 4.5}" width="9" height="9" transform="rotate(45 ${x.toFixed(1)} ${y})" ${hollow}/>`;
  if (lane.mark === 'people')
    return `<rect x="${(x - 5).toFixed(1)}" y="${y - 5}" width="10" height="10" ${hollow}/>`;
  if (lane.mark === 'published') return `<circle cx="${x.toFixed(1)}" cy="${y}" r="5" ${hollow}/>`;
  return '';
}

function lane(item, top) {
  const y = top + LINE / 2;
  const parts = [];
  const ink = item.mark === 'asking' || item.mark === 'people' ? INK : SOFT;
  if (typeof item.chance === 'number')
    parts.push(
      `<line x1="${scale(item.chance).toFixed(1)}" x2="${scale(item.chance).toFixed(1)}" y1="${top}" y2="${top + LINE}" stroke="${SOFT}" stroke-width="1.5" stroke-dasharray="4 3"/>`,
    );
  if (typeof item.tally.low === 'number')
    parts.push(
      `<line x1="${scale(item.tally.low).toFixed(1)}" x2="${scale(item.tally.high).toFixed(1)}" y1="${y}" y2="${y}" stroke="${ink}" stroke-width="2"/>`,
    );
  const who = (item.number ? item.number + '  ' : '') + item.who;
  parts.push(
    mark(item, y),
    text(PAD, y + 4, cut(who, 34), `fill="${ink}"`),
    text(
      WIDTH - RIGHT + 58,
      y + 4,
      number(item.tally.percent),
      `fill="${ink}" text-anchor="end" font-weight="600"`,
    ),
    text(WIDTH - RIGHT + 72, y + 4, interval(item.tally), `fill="${SOFT}"`),
    text(
      WIDTH - PAD,
      y + 4,
      item.tally.asked ? item.tally.right + '/' + item.tally.asked : '',
      `fill="${SOFT}" text-anchor="end"`,
    ),
  );
  return parts.join('');
}

/**
 * The figure as the text of an SVG file.
 * @param {import('./figure.js').Block[]} blocks
 * @param {string} title
 * @param {string[]} legend a line for each asking
 */
export function figureSvg(blocks, title, legend) {
  const parts = [];
  let y = PAD + 14;
  parts.push(text(PAD, y, cut(title, 90), `font-size="15" font-weight="600" fill="${INK}"`));
  legend.forEach((message) => {
    y += 18;
    parts.push(text(PAD, y, cut(message, 120), `fill="${SOFT}"`));
  });
  y += 24;
  AXIS.forEach((value) =>
    parts.push(text(scale(value), y, String(value), `fill="${SOFT}" text-anchor="middle"`)),
  );
  parts.push(text(PAD, y, 'accuracy (%)', `fill="${SOFT}"`));
  y += 8;
  const top = y;
  const body = [];
  blocks.forEach((block) => {
    body.push(
      `<line x1="${PAD}" x2="${WIDTH - PAD}" y1="${y}" y2="${y}" stroke="${GRID}"/>`,
      `<text x="${PAD}" y="${y + 17}" font-weight="600" fill="${INK}">${escaped(block.title)} <tspan font-weight="400" fill="${SOFT}">${escaped(block.note)}</tspan></text>`,
    );
    y += HEAD;
    block.lanes.forEach((item) => {
      body.push(lane(item, y));
      y += LINE;
    });
    y += AFTER;
  });
  const grid = AXIS.map(
    (value) =>
      `<line x1="${scale(value).toFixed(1)}" x2="${scale(value).toFixed(1)}" y1="${top}" y2="${y}" stroke="${GRID}"/>`,
  );
  const height = y + 26;
  parts.push(...grid, ...body, text(PAD, y + 12, KEY, `font-size="11" fill="${SOFT}"`));
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif" font-size="12">` +
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>${parts.join('')}</svg>`
  );
}

/**
 * Hands the image over as a file.
 * @param {string} svg
 * @param {string} file its name without the ending
 * @param {'svg' | 'png'} format
 */
export async function saveFigure(svg, file, format) {
  let blob = new Blob([svg], { type: 'image/svg+xml' });
  if (format === 'png') {
    const image = new Image();
    const address = URL.createObjectURL(blob);
    image.src = address;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = 2 * image.width;
    canvas.height = 2 * image.height;
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
    URL.revokeObjectURL(address);
    blob = await new Promise((done) => canvas.toBlob(done, 'image/png'));
  }
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = file + '.' + format;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MS);
}
