// Images that are looked at together: one zoom and one middle for all panes, as parts of the
// image, so that images of different sizes show the same part.
import { make, put } from './dom.js';

export function zoomTogether(onChange) {
  const MAX_ZOOM = 64;
  const panes = [];
  let zoom = 1;
  let middle = [0.5, 0.5];

  const pixel = () => 1 / (window.devicePixelRatio || 1);
  // CSS pixels for one image pixel at which the image fills its box.
  function filling(pane) {
    return Math.min(pane.box.clientWidth / pane.size[0], pane.box.clientHeight / pane.size[1]) || 1;
  }
  // The same for the whole image as it is shown first. A small image grows by whole steps, so
  // that its pixels stay equal squares; the others show the same part of their box as the first.
  function fitting(pane) {
    const first = shown()[0] || pane;
    const max = filling(first);
    const steps = max > pixel() ? Math.floor(max / pixel()) * pixel() : max;
    return (filling(pane) * steps) / max;
  }
  function shown() {
    return panes.filter((pane) => pane.size);
  }
  function layOut() {
    shown().forEach((pane) => {
      const scale = fitting(pane) * zoom;
      const room = [pane.box.clientWidth, pane.box.clientHeight];
      const size = pane.size.map((length) => length * scale);
      // What fits stands in the middle; what does not has no gap at an edge.
      const index = size.map((length, axis) =>
        length <= room[axis]
          ? (room[axis] - length) / 2
          : Math.min(0, Math.max(room[axis] - length, room[axis] / 2 - middle[axis] * length)),
      );
      Object.assign(pane.image.style, {
        width: size[0] + 'px',
        height: size[1] + 'px',
        left: Math.round(index[0] / pixel()) * pixel() + 'px',
        top: Math.round(index[1] / pixel()) * pixel() + 'px',
        imageRendering: scale > pixel() * 1.001 ? 'pixelated' : 'auto',
      });
      if (pane.over) {
        ['width', 'height', 'left', 'top'].forEach((name) => {
          pane.over.style[name] = pane.image.style[name];
        });
        pane.over.style.visibility = '';
      }
      pane.box.classList.toggle(
        'th-pane-large',
        size.some((length, axis) => length > room[axis] + 1),
      );
    });
    const first = shown()[0];
    if (first && onChange)
      onChange({
        percent: Math.round((100 * fitting(first) * zoom) / pixel()),
        fitted: zoom === 1,
        zoom,
        middle,
      });
  }
  function clampMiddle() {
    const pane = shown()[0];
    if (!pane) return;
    const scale = fitting(pane) * zoom;
    const room = [pane.box.clientWidth, pane.box.clientHeight];
    middle = middle.map((index, axis) => {
      const half = Math.min(0.5, room[axis] / (2 * pane.size[axis] * scale));
      return Math.min(1 - half, Math.max(half, index));
    });
  }
  // Zooms and keeps the point of the image under (clientX, clientY) where it is.
  function zoomTo(next, pane, clientX, clientY) {
    // Not below the whole image, or one pixel for one where that is smaller.
    const to = Math.min(
      MAX_ZOOM,
      Math.max(pane && pane.size ? Math.min(1, actual(pane)) : 1, next),
    );
    if (pane && pane.size) {
      const frame = pane.box.getBoundingClientRect();
      const before = pane.image.getBoundingClientRect();
      const point = [
        (clientX - before.left) / before.width,
        (clientY - before.top) / before.height,
      ];
      const scale = fitting(pane) * to;
      middle = [frame.left + frame.width / 2 - clientX, frame.top + frame.height / 2 - clientY].map(
        (away, axis) => point[axis] + away / (pane.size[axis] * scale),
      );
    }
    zoom = to;
    clampMiddle();
    layOut();
  }
  function pan(pane, dx, dy) {
    const scale = fitting(pane) * zoom;
    middle = middle.map((index, axis) => index - [dx, dy][axis] / (pane.size[axis] * scale));
    clampMiddle();
    layOut();
  }
  function add(box) {
    const image = make('img');
    const text = make('p', 'th-pane-words');
    const pane = { box, image, size: null, over: null };
    let lost = '';
    box.classList.add('th-pane');
    image.alt = '';
    image.draggable = false;
    box.append(image, text);
    panes.push(pane);
    image.addEventListener('load', () => {
      pane.size = [image.naturalWidth, image.naturalHeight];
      image.hidden = false;
      layOut();
    });
    image.addEventListener('error', () => {
      if (image.hasAttribute('src'))
        put(text, lost || 'The image cannot be shown: its file is gone.');
    });
    box.addEventListener(
      'wheel',
      (event) => {
        if (!pane.size) return;
        event.preventDefault();
        zoomTo(
          zoom * Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0016)),
          pane,
          event.clientX,
          event.clientY,
        );
      },
      { passive: false },
    );
    box.addEventListener('dblclick', (event) => {
      if (pane.size) zoomTo(zoom > 1 ? 1 : actual(pane), pane, event.clientX, event.clientY);
    });
    fingers(pane);
    new ResizeObserver(layOut).observe(box);
    return {
      // Lays a drawing in pixels of the image over it, or takes it away.
      cover(node) {
        if (pane.over) pane.over.remove();
        pane.over = node;
        if (node) {
          node.style.visibility = 'hidden';
          box.insertBefore(node, text);
          layOut();
        }
      },
      // Takes the old image away at once: it must not stand beside the words of the new one.
      // Where its file is not here, ``gone`` says why.
      show(url, alt, reason, gone) {
        image.hidden = true;
        lost = gone || '';
        pane.size = null;
        image.alt = alt || '';
        put(text, url ? '' : reason || '');
        if (url) image.src = url;
        else image.removeAttribute('src');
      },
    };
  }
  // Drags with one finger or the mouse, pinches with two.
  function fingers(pane) {
    const down = new Map();
    let apart = 0;
    const spread = () => {
      const [a, b] = [...down.values()];
      return Math.hypot(a[0] - b[0], a[1] - b[1]);
    };
    pane.box.addEventListener('pointerdown', (event) => {
      if (!pane.size || event.button) return;
      down.set(event.pointerId, [event.clientX, event.clientY]);
      pane.box.setPointerCapture(event.pointerId);
      if (down.size === 2) apart = spread();
    });
    pane.box.addEventListener('pointermove', (event) => {
      const before = down.get(event.pointerId);
      if (!before || !pane.size) return;
      down.set(event.pointerId, [event.clientX, event.clientY]);
      if (down.size === 1) pan(pane, event.clientX - before[0], event.clientY - before[1]);
      else if (down.size === 2) {
        const now = spread();
        const [a, b] = [...down.values()];
        if (apart) zoomTo((zoom * now) / apart, pane, (a[0] + b[0]) / 2, (a[1] + b[1]) / 2);
        apart = now;
      }
    });
    ['pointerup', 'pointercancel'].forEach((name) =>
      pane.box.addEventListener(name, (event) => {
        down.delete(event.pointerId);
        apart = 0;
      }),
    );
  }
  function actual(pane) {
    return pixel() / fitting(pane);
  }
  function by(factor) {
    const pane = shown()[0];
    if (!pane) return;
    const frame = pane.box.getBoundingClientRect();
    zoomTo(zoom * factor, pane, frame.left + frame.width / 2, frame.top + frame.height / 2);
  }
  return {
    add,
    by,
    layOut,
    fit() {
      zoom = 1;
      middle = [0.5, 0.5];
      layOut();
    },
    exact() {
      const pane = shown()[0];
      if (pane) {
        zoom = 1;
        by(actual(pane));
      }
    },
    // Plus, minus, 0 and 1; true where the key was one of these.
    key(event) {
      if (event.ctrlKey || event.metaKey || event.altKey) return false;
      if (event.key === '+' || event.key === '=') this.by(1.5);
      else if (event.key === '-') this.by(1 / 1.5);
      else if (event.key === '0') this.fit();
      else if (event.key === '1') this.exact();
      else return false;
      event.preventDefault();
      return true;
    },
  };
}
