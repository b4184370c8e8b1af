// One line of words beside a control.

/** @param {import('../shared/widget.js').Widget} widget */
export function mount({ element, props, watch }) {
  function draw() {
    element.querySelector('p').textContent = props.text || '';
  }
  watch('text', draw);
  draw();
}
