// The eyedropper: the very pixel under the pointer or the keyboard's cursor, its numbers and names.
// `onAsk(hex)` is called for the color that is to be asked for. Pixels are read from the stored PNG.

export function stagePick(root, view, onAsk) {
  const find = (name) => root.querySelector('.th-stage-' + name);
  const panel = find('pick');
  const text = find('pick-words');
  const names = find('pick-names');
  const image = find('picture');
  const swatch = find('pick-swatch');
  const known = new Map();
  let context = null;
  let source = '';
  let index = null;
  let hex = '';
  let pinned = false;
  let waiting = 0;

  function pixel(x, y) {
    if (!image.complete || !image.naturalWidth) return null;
    if (source !== image.src) {
      const canvas = document.createElement('canvas');
      canvas.width = image.naturalWidth;
      canvas.height = image.naturalHeight;
      context = canvas.getContext('2d', { colorSpace: 'srgb', willReadFrequently: true });
      context.drawImage(image, 0, 0);
      source = image.src;
    }
    return [...context.getImageData(x, y, 1, 1).data.slice(0, 3)];
  }
  function tell(color) {
    const [x, y] = index;
    text.textContent =
      'Pixel ' +
      x +
      ', ' +
      y +
      ' · sRGB ' +
      parseInt(hex.slice(1, 3), 16) +
      ', ' +
      parseInt(hex.slice(3, 5), 16) +
      ', ' +
      parseInt(hex.slice(5), 16) +
      ' · ' +
      hex +
      (color ? ' · ' + color.lab + ' · ' + color.lch : '');
    names.textContent = color
      ? [
          color.people,
          ...color.names.map(
            (name) =>
              name.system.replace('ISCC-NBS level ', 'L').replace(' Color Level 4', '') +
              ' ' +
              name.name +
              ' ' +
              name.delta_e00,
          ),
        ].join(' · ') + ' ΔE00'
      : '';
  }
  // Names come from the app; the newest question alone is answered.
  function ask() {
    const wanted = hex;
    clearTimeout(waiting);
    if (known.has(wanted)) {
      tell(known.get(wanted));
      return;
    }
    waiting = setTimeout(async () => {
      try {
        const answer = await fetch('/api/color/' + wanted.slice(1));
        if (!answer.ok) return;
        known.set(wanted, await answer.json());
        if (hex === wanted && !panel.hidden) tell(known.get(wanted));
      } catch {
        /* the numbers are there; names come with the next pixel */
      }
    }, 60);
  }
  function look(point) {
    const [width, height] = view.size();
    const [x, y] = point.map(Math.floor);
    if (x < 0 || y < 0 || x >= width || y >= height) return false;
    const codes = pixel(x, y);
    if (!codes) return false;
    index = [x, y];
    hex =
      '#' +
      codes
        .map((code) => code.toString(16).padStart(2, '0'))
        .join('')
        .toUpperCase();
    swatch.style.background = hex;
    panel.hidden = false;
    tell(known.get(hex));
    ask();
    return true;
  }
  function take() {
    if (hex) onAsk(hex);
  }
  find('pick-ask').addEventListener('click', take);

  return {
    // The pointer passes: shown until one is pressed.
    hover(point) {
      if (!pinned) look(point);
    },
    // Pressed: stays. The same pixel once more is asked for.
    press(point) {
      const again = pinned && index && index.every((value, i) => value === Math.floor(point[i]));
      if (!look(point)) return;
      pinned = true;
      view.showCursor(index);
      if (again) take();
    },
    look(point) {
      pinned = false;
      if (look(point)) view.showCursor(index);
    },
    close() {
      panel.hidden = true;
      pinned = false;
      index = null;
      hex = '';
      view.showCursor(null);
    },
  };
}
