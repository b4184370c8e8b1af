// Figures by plotly in the page's colors. Needs props.plotly, the version to load.
// One copy of plotly for the page, loaded when the first figure is wanted.
function plotly() {
  window.thPlotly ||= new Promise((done, failed) => {
    const script = document.createElement('script');
    script.src = '/assets/plotly.min.js?v=' + encodeURIComponent(props.plotly);
    script.onload = () => done(window.Plotly);
    script.onerror = () => failed(new Error('plotly.min.js did not load'));
    document.head.appendChild(script);
  });
  return window.thPlotly;
}
// Figures name the page's colors as var(--th-ink); plotly wants the color itself.
function themed(value, style) {
  if (typeof value === 'string') {
    const name = /^var\((--th-[a-z]+)\)$/.exec(value);
    return name ? style.getPropertyValue(name[1]).trim() : value;
  }
  if (Array.isArray(value)) return value.map((item) => themed(item, style));
  if (value && typeof value === 'object') return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, themed(item, style)]));
  return value;
}
// One drawing at a time for each figure: two at once leave plotly with half of each.
const drawings = new WeakMap();
function figure(node, data) {
  const next = (drawings.get(node) || Promise.resolve()).then(async () => {
    try {
      const Plotly = await plotly(), style = getComputedStyle(node), drawn = themed(data, style);
      drawn.layout.font.family = style.fontFamily;
      await Plotly.react(node, drawn.data, drawn.layout, { displayModeBar: false, responsive: true });
    } catch (error) {
      const words = document.createElement('p');
      words.className = 'th-waiting';
      words.textContent = 'The figure could not be drawn: ' + error.message;
      node.replaceChildren(words);
    }
  });
  drawings.set(node, next);
  return next;
}
// A change between light and dark changes the figures' colors too.
function onTheme(draw) {
  const isDark = () => document.body.classList.contains('dark');
  let dark = isDark();
  new MutationObserver(() => { if (isDark() !== dark) { dark = isDark(); draw(); } })
    .observe(document.body, { attributes: true, attributeFilter: ['class'] });
}
