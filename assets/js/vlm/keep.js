// What is drawn again while answers come in keeps what people did with it: what they unfolded, how far
// they scrolled a table, and where the focus was.

const HELD = 'a[href], button, summary, select, [tabindex]';

/**
 * Nodes by what they are called: where several are called the same, by their order.
 * @param {Element} box
 * @param {string} selector
 * @returns {Map<string, Found>}
 */
function nameOf(box, selector) {
  const counts = new Map();
  return new Map(
    [...box.querySelectorAll(selector)].map((node) => {
      const source = node.closest('[data-question]');
      const text = node.getAttribute('aria-label') || node.textContent || '';
      const name = [source ? source.dataset.question : '', node.tagName, text].join('\n');
      const count = counts.get(name) || 0;
      counts.set(name, count + 1);
      return [name + '\n' + count, node];
    }),
  );
}

/**
 * @param {Element} box
 * @param {() => void} draw what is in it anew
 */
export function keeping(box, draw) {
  const folds = [...nameOf(box, 'details > summary')].map(([name, node]) => [
    name,
    node.parentElement && node.parentElement.hasAttribute('open'),
  ]);
  const scrolled = [...nameOf(box, '.th-scroll')].map(([name, node]) => [name, node.scrollLeft]);
  const held = [...nameOf(box, HELD)].find(([, node]) => node === document.activeElement);
  draw();
  const summaries = nameOf(box, 'details > summary');
  folds.forEach(([name, open]) => {
    summaries.get(String(name))?.parentElement?.toggleAttribute('open', Boolean(open));
  });
  const boxes = nameOf(box, '.th-scroll');
  scrolled.forEach(([name, left]) => {
    const item = boxes.get(String(name));
    if (item && left) item.scrollLeft = Number(left);
  });
  if (held && document.activeElement !== held[1])
    nameOf(box, HELD).get(held[0])?.focus({ preventScroll: true });
}
