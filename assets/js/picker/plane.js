// The a*b* plane at one lightness, as a picker: every color of sRGB in its own color, nothing where
// there is none. Stands between color_reading.js and color_picker.js, whose page it draws on.
// `onPick(lab)` is called for a color that was clicked, or taken with Enter.
import { srgb1OfLab } from '../shared/spaces.js';
import { codesOfLab, inSrgb } from './functions.js';
import { hexOf } from './reading.js';

export function colorPlane(panel, onPick) {
  const HALF = 110;
  const SIDE = 2 * HALF + 1;
  const canvas = panel.querySelector('canvas');
  const context = canvas.getContext('2d', { colorSpace: 'srgb' });
  const level = panel.querySelector('input');
  const levelText = panel.querySelector('.th-plane-level');
  const cross = panel.querySelector('.th-plane-cross');
  const line = panel.querySelector('.th-plane-line');
  canvas.width = canvas.height = SIDE;
  let index = [50, 0, 0];
  let rendered = null;

  function draw() {
    if (rendered === index[0]) return;
    rendered = index[0];
    const image = context.createImageData(SIDE, SIDE);
    const data = image.data;
    for (let j = 0, i = 0; j < SIDE; j += 1) {
      for (let k = 0; k < SIDE; k += 1, i += 4) {
        const srgb = srgb1OfLab([index[0], k - HALF, HALF - j]);
        if (srgb.some((c) => !(c >= 0 && c <= 1))) continue;
        srgb.forEach((c, n) => {
          data[i + n] = Math.round(255 * c);
        });
        data[i + 3] = 255;
      }
    }
    context.putImageData(image, 0, 0);
  }
  function show() {
    draw();
    const [light, a, b] = index;
    const inside = inSrgb(index);
    levelText.textContent = 'L* ' + light;
    level.value = light;
    cross.style.left = (100 * (a + HALF + 0.5)) / SIDE + '%';
    cross.style.top = (100 * (HALF - b + 0.5)) / SIDE + '%';
    cross.classList.toggle('light', light < 50);
    const signed = (value) => String(value).replace('-', '−');
    line.textContent =
      'L* ' +
      light +
      ' · a* ' +
      signed(a) +
      ' · b* ' +
      signed(b) +
      ' · D65, 2°' +
      (inside ? ' · ' + hexOf(codesOfLab(index)) : ' · outside of sRGB');
    return inside;
  }
  const bound = (value) => Math.min(Math.max(Math.round(value), -HALF), HALF);
  function move(a, b) {
    index = [index[0], bound(a), bound(b)];
    return show();
  }
  function lighten(step) {
    index = [Math.min(Math.max(index[0] + step, 0), 100), index[1], index[2]];
    show();
  }
  function pointed(event) {
    const box = canvas.getBoundingClientRect();
    return move(
      ((event.clientX - box.left) * SIDE) / box.width - HALF - 0.5,
      HALF + 0.5 - ((event.clientY - box.top) * SIDE) / box.height,
    );
  }
  canvas.addEventListener('pointerdown', (event) => {
    canvas.setPointerCapture(event.pointerId);
    pointed(event);
  });
  canvas.addEventListener('pointermove', (event) => {
    if (event.buttons) pointed(event);
  });
  canvas.addEventListener('pointerup', (event) => {
    if (pointed(event)) onPick(index);
  });
  canvas.addEventListener('keydown', (event) => {
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[
      event.key
    ];
    const step = event.shiftKey ? 10 : 1;
    if (way) move(index[1] + step * way[0], index[2] + step * way[1]);
    else if (event.key === 'PageUp' || event.key === 'PageDown')
      lighten(event.key === 'PageUp' ? step : -step);
    else if (event.key === 'Enter' || event.key === ' ') {
      if (show()) onPick(index);
    } else return;
    event.preventDefault();
  });
  level.addEventListener('input', () => {
    index = [Number(level.value), index[1], index[2]];
    show();
  });
  return {
    // Begins at a color in CIELAB, or at the gray in the middle.
    start(lab) {
      index = (lab || [50, 0, 0]).map(Math.round);
      index = [index[0], bound(index[1]), bound(index[2])];
      show();
    },
    focus() {
      canvas.focus({ preventScroll: true });
    },
  };
}
