// Simulation of color vision deficiency: a filter over the whole screen, in linear light, with a
// note that stays in view. Pixels that are read, saved or exported are the true ones. It is kept for
// the visit.
import { ask } from '../shared/http.js';
import { toast } from '../shared/toast.js';

const KEPT = 'th-vision';
const KINDS = ['protan', 'deutan', 'tritan'];

/** @param {HTMLElement} element the header */
export function mountVision(element) {
  const root = document.documentElement;
  const button = element.querySelector('.th-vision-button');
  const panel = element.querySelector('.th-vision-panel');
  const kind = panel.querySelector('select');
  const severity = panel.querySelector('input');
  const output = panel.querySelector('output');
  const note = element.querySelector('.th-vision-note');
  const text = note.querySelector('span');
  const matrix = element.querySelector('feColorMatrix');
  let latest = 0;

  function open(on) {
    panel.hidden = !on;
    button.setAttribute('aria-expanded', String(on));
  }
  function off() {
    root.classList.remove('th-simulated');
    note.hidden = true;
  }
  async function apply() {
    const mine = ++latest;
    output.textContent = Number(severity.value).toFixed(1);
    severity.disabled = !kind.value;
    try {
      sessionStorage.setItem(KEPT, kind.value + ' ' + severity.value);
    } catch {
      /* private windows may refuse */
    }
    if (!kind.value) {
      off();
      return;
    }
    try {
      const query = new URLSearchParams({ deficiency: kind.value, severity: severity.value });
      const found = await ask(`/api/color-vision?${query}`);
      if (mine !== latest) return;
      const rows = found.matrix.map((row) => [...row, 0, 0].join(' '));
      matrix.setAttribute('values', [...rows, '0 0 0 1 0'].join(' '));
      text.textContent = `Simulated: ${found.name}, severity ${found.severity.toFixed(1)}`;
      note.title = found.source + ', in linear sRGB. Measured and saved colors are the true ones.';
      note.hidden = false;
      root.classList.add('th-simulated');
    } catch (error) {
      if (mine !== latest) return;
      kind.value = '';
      off();
      toast(error.message);
    }
  }

  button.addEventListener('click', () => open(panel.hidden));
  kind.addEventListener('change', apply);
  severity.addEventListener('change', apply);
  severity.addEventListener('input', () => {
    output.textContent = Number(severity.value).toFixed(1);
  });
  note.querySelector('button').addEventListener('click', () => {
    kind.value = '';
    apply();
    button.focus();
  });
  element.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !panel.hidden) {
      open(false);
      button.focus();
    }
  });
  document.addEventListener('click', (event) => {
    const target = /** @type {Node} */ (event.target);
    if (!panel.contains(target) && !button.contains(target)) open(false);
  });

  let kept = '';
  try {
    kept = sessionStorage.getItem(KEPT) || '';
  } catch {
    /* as above */
  }
  const [keptKind, keptSeverity] = kept.split(' ');
  if (KINDS.includes(keptKind)) {
    kind.value = keptKind;
    severity.value = keptSeverity;
    apply();
  }
}
