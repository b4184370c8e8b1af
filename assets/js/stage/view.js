// The image on the stage: its size, its visible part, and the overlays.
// Image pixels are the only coordinates outside of this file.

export function stageView(root) {
  const find = (name) => root.querySelector('.th-stage-' + name);
  const view = find('view');
  const scroll = find('scroll');
  const sheet = find('sheet');
  const image = find('picture');
  const hatch = find('hatch');
  const svg = find('overlay');
  const veil = find('veil');
  const live = find('live');
  const rings = [...svg.querySelectorAll('.th-stage-ring')];
  const outlines = [...svg.querySelectorAll('.th-stage-outline')];
  const PADDING = 14;
  const overBoxes = [find('boxes'), find('tags')];
  let width = 0;
  let height = 0;
  let scale = 1;
  let fitted = true;
  let shown = [];
  const onZoom = [];

  // CSS pixels for one image pixel at which one image pixel is one pixel of the screen.
  const exact = () => 1 / (window.devicePixelRatio || 1);
  const snap = (css) => Math.round(css / exact()) * exact();

  function fitScale() {
    const room = [view.clientWidth - 2 * PADDING, view.clientHeight - 2 * PADDING];
    const max = Math.min(room[0] / width, room[1] / height);
    // A small image grows by whole steps, so that its pixels stay equal squares.
    return max > exact() ? Math.floor(max / exact()) * exact() : Math.max(max, 0.01);
  }

  function layOut() {
    if (!width || !view.clientWidth) return;
    if (fitted) scale = fitScale();
    const size = [snap(width * scale), snap(height * scale)];
    const room = [scroll.clientWidth, scroll.clientHeight];
    sheet.style.width = size[0] + 'px';
    sheet.style.height = size[1] + 'px';
    sheet.style.left = snap(Math.max(PADDING, (room[0] - size[0]) / 2)) + 'px';
    sheet.style.top = snap(Math.max(PADDING, (room[1] - size[1]) / 2)) + 'px';
    const grown = scale > exact() * 1.001;
    image.style.imageRendering = hatch.style.imageRendering = grown ? 'pixelated' : 'auto';
    if (shown.some((mark) => mark.type === 'point')) drawMarks();
    onZoom.forEach((callback) => callback(scale / exact(), fitted));
  }

  function toImage(event) {
    const box = svg.getBoundingClientRect();
    const round = (value) => Math.round(value * 100) / 100;
    return [
      round(((event.clientX - box.left) * width) / box.width),
      round(((event.clientY - box.top) * height) / box.height),
    ];
  }

  // Zooms and keeps the image point that was under (clientX, clientY) there, or the middle.
  function zoomTo(next, clientX, clientY) {
    const frame = scroll.getBoundingClientRect();
    const index = {
      clientX: clientX ?? frame.left + frame.width / 2,
      clientY: clientY ?? frame.top + frame.height / 2,
    };
    const point = toImage(index);
    fitted = false;
    scale = Math.min(Math.max(next, Math.min(fitScale(), exact()) / 2), 32 * exact());
    layOut();
    const box = sheet.getBoundingClientRect();
    scroll.scrollLeft += box.left + point[0] * scale - index.clientX;
    scroll.scrollTop += box.top + point[1] * scale - index.clientY;
  }

  function shape(name, attributes) {
    const made = document.createElementNS('http://www.w3.org/2000/svg', name);
    Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, value));
    return made;
  }

  function markShapes(mark) {
    if (mark.type === 'box') {
      const [x0, y0, x1, y1] = mark.box;
      const edge = {
        x: Math.min(x0, x1),
        y: Math.min(y0, y1),
        width: Math.abs(x1 - x0),
        height: Math.abs(y1 - y0),
      };
      return ['black', 'white'].map((tone) =>
        shape('rect', { ...edge, class: 'th-stage-box ' + tone }),
      );
    }
    if (mark.type === 'point') {
      // As large at every zoom: a disk with a plus for what belongs to the object, a minus for what
      // does not.
      const index = {
        cx: mark.x,
        cy: mark.y,
        r: 8 / scale,
        class: 'th-stage-point ' + (mark.inside ? 'white' : 'black'),
      };
      const arm = 4 / scale;
      const sign =
        'M' +
        (mark.x - arm) +
        ' ' +
        mark.y +
        'h' +
        2 * arm +
        (mark.inside ? 'M' + mark.x + ' ' + (mark.y - arm) + 'v' + 2 * arm : '');
      return [
        shape('circle', index),
        shape('path', { d: sign, class: 'th-stage-sign ' + (mark.inside ? 'white' : 'black') }),
      ];
    }
    if (!mark.points) return [];
    const line = mark.points.map((point) => point.join(' ')).join('L');
    const rendered = {
      d: 'M' + line + (mark.points.length === 1 ? 'h0' : ''),
      class: 'th-stage-stroke',
    };
    const tone = mark.type === 'keep' || mark.type === 'brush' ? 'white' : 'black';
    const rim = shape('path', { ...rendered, 'stroke-width': 2 * mark.radius + 2 / scale });
    const body = shape('path', { ...rendered, 'stroke-width': 2 * mark.radius });
    // One group, so that rim and body are see-through together.
    const group = shape('g', { class: 'th-stage-ink ' + tone });
    group.append(rim, body);
    rim.classList.add('rim');
    return [group];
  }

  function drawMarks() {
    live.replaceChildren(...shown.flatMap(markShapes));
  }

  new ResizeObserver(layOut).observe(view);

  return {
    view,
    scroll,
    toImage,
    zoomTo,
    layOut,
    onZoom,
    exact,
    get scale() {
      return scale;
    },
    open(url, newWidth, newHeight) {
      width = newWidth;
      height = newHeight;
      fitted = true;
      image.removeAttribute('src');
      if (url) image.src = url;
      svg.setAttribute('viewBox', '0 0 ' + width + ' ' + height);
      layOut();
    },
    fit() {
      fitted = true;
      layOut();
    },
    pan(dx, dy) {
      scroll.scrollLeft -= dx;
      scroll.scrollTop -= dy;
    },
    clamp([x, y]) {
      return [Math.min(Math.max(x, 0), width), Math.min(Math.max(y, 0), height)];
    },
    size() {
      return [width, height];
    },
    showOutline(path) {
      outlines.forEach((line) => line.setAttribute('d', path));
      veil.setAttribute(
        'd',
        path ? 'M0 0h' + width + 'v' + height + 'h-' + width + 'z' + path : '',
      );
    },
    showHatch(url) {
      hatch.hidden = !url;
      if (url) hatch.src = url;
      else hatch.removeAttribute('src');
    },
    showVeil(share) {
      veil.style.fillOpacity = share;
      hatch.style.opacity = Math.min(1, 2.5 * share);
      overBoxes.forEach((part) => {
        part.style.opacity = Math.min(1, 2.5 * share);
      });
    },
    showMarks(marks) {
      shown = marks;
      drawMarks();
    },
    // A frame around one pixel, large enough to be seen at every zoom.
    showCursor(point) {
      const group = find('cursor');
      const side = Math.max(1, 11 / scale);
      group.replaceChildren(
        ...(point
          ? ['black', 'white'].map((tone) =>
              shape('rect', {
                x: point[0] + 0.5 - side / 2,
                y: point[1] + 0.5 - side / 2,
                width: side,
                height: side,
                class: 'th-stage-box ' + tone,
              }),
            )
          : []),
      );
    },
    showRing(point, radius) {
      rings.forEach((ring) => {
        ring.style.display = point ? '' : 'none';
        if (!point) return;
        ring.setAttribute('cx', point[0]);
        ring.setAttribute('cy', point[1]);
        ring.setAttribute('r', radius);
      });
      // Below a few pixels the ring is a dot: the crosshair is easier to aim with.
      svg.style.cursor = point && radius * scale >= 4 ? 'none' : 'crosshair';
    },
  };
}
