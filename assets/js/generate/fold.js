// Folded settings that a first image does not need; the line summarizes them.
import { store } from '../shared/state.js';

/** @param {import('../shared/widget.js').Widget} widget */
export function mount({ element, props, watch }) {
  const button = element.querySelector('.th-fold');
  const node = button.querySelector('span');
  function open(on) {
    const box = document.getElementById('more-settings');
    if (box) box.classList.toggle('th-off', !on);
    button.setAttribute('aria-expanded', String(on));
  }
  button.addEventListener('click', () => open(button.getAttribute('aria-expanded') !== 'true'));
  // Whoever is sent to one of them sees it.
  store.subscribe('more-settings', () => open(true));
  function draw() {
    node.textContent = props.text || '';
  }
  watch('text', draw);
  draw();
}
