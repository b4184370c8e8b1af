// Draws the charts of a report in the page's colors, anew when these change. The module of charts
// stands before it in one script.
(() => {
  const plots = [...document.querySelectorAll('.plot')];
  async function draw() {
    for (const node of plots) {
      try {
        const given = JSON.parse(document.getElementById(node.dataset.figure).textContent);
        const style = getComputedStyle(document.documentElement), drawn = themed(plotlyOf(given), style);
        drawn.layout.font = { ...drawn.layout.font, family: getComputedStyle(document.body).fontFamily };
        await window.Plotly.react(node, drawn.data, drawn.layout, { displayModeBar: false, responsive: true });
        node.dataset.drawn = 'yes';
      } catch (error) {
        node.textContent = 'The figure could not be drawn: ' + error.message;
      }
    }
  }
  let last = draw();
  const again = () => { last = last.then(draw); return last; };
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', again);
  // Paper is white, whatever the screen is.
  addEventListener('beforeprint', () => { document.documentElement.classList.add('paper'); again(); });
  addEventListener('afterprint', () => { document.documentElement.classList.remove('paper'); again(); });
})();
