// The four evidence cards: two plotly figures, nearest names, and how it was measured.
const cards = {
  ab: element.querySelector('.th-card-ab .th-figure'),
  light: element.querySelector('.th-card-light .th-figure'),
  offsets: element.querySelector('.th-offsets'),
  names: element.querySelector('.th-names'),
  steps: element.querySelector('.th-steps'),
};
const grid = element.querySelector('.th-evidence');

function el(tag, cls, text) {
  const node = document.createElement(tag);
  if (cls) node.className = cls;
  if (text !== undefined && text !== null) node.textContent = text;
  return node;
}

// One copy of plotly for the page, loaded when the first figure is wanted.
function plotly() {
  if (!window.thPlotly) {
    window.thPlotly = new Promise((done, failed) => {
      const script = document.createElement('script');
      script.src = '/assets/plotly.min.js?v=' + encodeURIComponent(props.plotly);
      script.onload = () => done(window.Plotly);
      script.onerror = () => failed(new Error('plotly.min.js did not load'));
      document.head.appendChild(script);
    });
  }
  return window.thPlotly;
}

// Figures name the page's colors as var(--th-ink); plotly wants the color itself.
function themed(value, style) {
  if (typeof value === 'string') {
    const name = /^var\((--th-[a-z]+)\)$/.exec(value);
    return name ? style.getPropertyValue(name[1]).trim() : value;
  }
  if (Array.isArray(value)) return value.map((item) => themed(item, style));
  if (value && typeof value === 'object') return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, themed(v, style)]));
  return value;
}

// One drawing at a time for each figure: two at once leave plotly with half of each.
const drawing = new WeakMap();
function figure(node, data) {
  drawing.set(node, (drawing.get(node) || Promise.resolve()).then(() => drawFigure(node, data)));
}

async function drawFigure(node, data) {
  try {
    const Plotly = await plotly();
    const style = getComputedStyle(node);
    const drawn = themed(data, style);
    drawn.layout.font.family = style.fontFamily;
    await Plotly.react(node, drawn.data, drawn.layout, { displayModeBar: false, responsive: true });
  } catch (error) {
    node.replaceChildren(el('p', 'th-waiting', 'The figure could not be drawn: ' + error.message));
  }
}

function offsets(data) {
  cards.offsets.replaceChildren();
  const title = element.querySelector('.th-offsets-to');
  title.textContent = 'Found minus ' + data.to;
  const full = Math.max(20, ...data.rows.map((row) => Math.abs(row.value)));
  data.rows.forEach((row) => {
    const line = el('div', 'th-offset');
    const track = el('div', 'th-signed');
    const fill = el('i');
    const size = Math.min(50, (Math.abs(row.value) / full) * 50);
    fill.style.left = (row.value < 0 ? 50 - size : 50) + '%';
    fill.style.width = size + '%';
    track.appendChild(fill);
    [el('span', 'th-label', row.label), track, el('span', 'th-value', row.text), el('span', 'th-word', row.word)].forEach((n) => line.appendChild(n));
    cards.offsets.appendChild(line);
  });
}

function names(systems) {
  cards.names.replaceChildren();
  systems.forEach((system) => {
    cards.names.appendChild(el('h4', '', system.system));
    const table = el('table');
    system.rows.forEach((row) => {
      const line = el('tr');
      const chip = el('i', 'th-chip');
      chip.style.background = row.hex;
      const cell = el('td', 'th-chip-cell');
      cell.appendChild(chip);
      [cell, el('td', 'th-name', row.name), el('td', 'th-num', row.hex), el('td', 'th-num', row.delta_e00)].forEach((n) => line.appendChild(n));
      table.appendChild(line);
    });
    cards.names.appendChild(table);
  });
}

function steps(list) {
  cards.steps.replaceChildren();
  list.forEach((step) => {
    const item = el('li');
    const words = el('span');
    words.appendChild(el('span', '', step.title));
    words.appendChild(el('small', '', step.text));
    item.appendChild(el('b', 'th-step-mark', step.mark));
    item.appendChild(words);
    cards.steps.appendChild(item);
  });
}

function draw() {
  const view = props.view;
  grid.hidden = !view;
  if (!view) return;
  offsets(view.offsets);
  names(view.names);
  steps(view.steps);
  figure(cards.ab, view.chromaticity);
  figure(cards.light, view.lightness);
}

watch('view', draw);
// A change between light and dark changes the figures' colors too.
let dark = document.body.classList.contains('dark');
new MutationObserver(() => {
  const now = document.body.classList.contains('dark');
  if (now !== dark) { dark = now; draw(); }
}).observe(document.body, { attributes: true, attributeFilter: ['class'] });
draw();
