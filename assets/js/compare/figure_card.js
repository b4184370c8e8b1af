// A card of one figure: its words, its numbers as a table, and its files.
import { make, many, put, swatches } from '../shared/dom.js';
import { figure, saveTitled } from '../shared/figure.js';
import { openCompare } from './view.js';

const FIGURE_TITLE_PX = 64;

// `given` of an answer: title, words, figure, empty, stands, columns, lines, opens, more, name.
export function figureCard(csv) {
  const node = make('section', 'th-card th-analysis th-an-figure');
  const head = make('header');
  const title = make('h3');
  const message = make('p', 'th-soft th-analysis-words');
  const plot = make('div', 'th-figure');
  const empty = make('p', 'th-analysis-empty');
  const table = make('div', 'th-scroll th-analysis-table');
  const stands = make('p', 'th-soft th-analysis-stands');
  const foot = make('div', 'th-analysis-foot');
  const asTable = make('button', 'th-button', 'As a table');
  const svg = make('button', 'th-button', 'SVG');
  const png = make('button', 'th-button', 'PNG');
  const file = make('a', 'th-button', 'CSV');
  let data = null;
  let listed = false;
  let heard = false;
  [asTable, svg, png].forEach((button) => {
    button.type = 'button';
  });
  asTable.setAttribute('aria-pressed', 'false');
  svg.title = 'The figure as SVG, on white';
  png.title = 'The figure as PNG, on white, two pixels for one';
  file.title = 'The numbers of the figure';
  plot.setAttribute('role', 'img');
  head.append(title);
  foot.append(asTable, svg, png, file);
  node.append(head, message, plot, empty, table, stands, foot);
  function rows() {
    table.hidden = !(listed && data && data.lines.length);
    if (table.hidden) {
      table.replaceChildren();
      return;
    }
    const made = make('table', 'th-table');
    const top = make('thead');
    const names = make('tr');
    const body = make('tbody');
    data.columns.forEach((column) => {
      const cell = make('th', '', column);
      cell.scope = 'col';
      names.append(cell);
    });
    top.append(names);
    data.lines.forEach((line) => {
      const row = make('tr');
      const first = make('th');
      const opens = line.open === null || line.open === undefined ? null : data.opens[line.open];
      first.scope = 'row';
      if (opens) {
        const button = make('button', 'th-rule', line.cells[0]);
        button.type = 'button';
        button.addEventListener('click', () => openCompare('concept', opens));
        first.append(button);
      } else first.append(line.cells[0]);
      if (line.hexes && line.hexes.length) first.prepend(swatches(line.hexes));
      row.append(first, ...line.cells.slice(1).map((text) => make('td', '', text)));
      body.append(row);
    });
    made.append(top, body);
    table.replaceChildren(
      made,
      ...(data.more ? [make('p', 'th-soft', many(data.more, 'row') + ' more in the CSV.')] : []),
    );
  }
  asTable.addEventListener('click', () => {
    listed = !listed;
    asTable.setAttribute('aria-pressed', String(listed));
    rows();
  });
  [
    { button: svg, format: 'svg' },
    { button: png, format: 'png' },
  ].forEach(({ button, format }) =>
    button.addEventListener('click', async () => {
      if (!data || button.getAttribute('aria-disabled') === 'true') return;
      button.setAttribute('aria-disabled', 'true');
      try {
        await saveFigure(plot, data, format);
      } catch (error) {
        put(stands, 'The ' + format.toUpperCase() + ' could not be created: ' + error.message);
      }
      button.removeAttribute('aria-disabled');
    }),
  );
  async function show(values) {
    data = values;
    node.dataset.figure = data.name;
    put(title, data.title);
    put(message, data.words);
    title.title = message.title = data.source || '';
    put(empty, data.empty);
    put(stands, data.stands);
    file.href = csv();
    empty.hidden = !data.empty;
    plot.hidden = stands.hidden = foot.hidden = Boolean(data.empty);
    rows();
    if (data.empty) return;
    plot.setAttribute('aria-label', data.title + ' The numbers are in the table.');
    await figure(plot, data.figure);
    if (heard || !plot.on) return;
    heard = true;
    plot.on('plotly_click', (event) => {
      const customdata = event.points[0].customdata;
      if (typeof customdata === 'number' && data.opens[customdata])
        openCompare('concept', data.opens[customdata]);
    });
  }
  return { node, head, show };
}
async function saveFigure(plot, data, format) {
  const width = Math.max(plot.clientWidth, 640);
  const lines = (
    data.stands.match(new RegExp('.{1,' + Math.floor(width / 6) + '}(\\s|$)', 'g')) || []
  ).map((line) => line.trim());
  const title = { text: data.title, lines, height: FIGURE_TITLE_PX + 15 * lines.length };
  await saveTitled(data.figure, title, width, 'truehue-' + data.name, format);
}
