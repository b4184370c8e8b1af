// The hands on the stage: pointers, buttons and the page's keys.

/** What `stage.js` shares with its hands and keys: state that all change, nodes, and what it does. */
/** @typedef {Record<string, any>} Stage */

const PAINTS = ['keep', 'cut', 'brush', 'erase'];
export const POINTS = ['point-in', 'point-out'];
const KEYS = {
  b: 'box',
  i: 'point-in',
  o: 'point-out',
  k: 'keep',
  c: 'cut',
  p: 'brush',
  e: 'erase',
  q: 'pick',
};

/**
 * @param {Stage} stage
 * @param {{ drop: () => void, announce: (text: string) => void, hint: () => string }} keys
 */
export function stageHands(stage, keys) {
  const { root, view, pick, find, act, tools, overlay, brush, visible, inText } = stage;
  const { radius, showable } = stage;
  const { change, undo, redo, boxMark, findObject, addPoint, forget, start, refresh, say, browse } =
    stage;
  const pointers = new Map();
  let spaceHeld = false;
  let hovering = false;

  // ── pointers ───────────────────────────────────────────────────────────────────────────────────

  function beginMark(event) {
    const point = view.toImage(event);
    keys.drop();
    if (stage.tool === 'pick') {
      pick.press(point);
      return;
    }
    if (POINTS.includes(stage.tool)) {
      const [x, y] = point;
      const [width, height] = view.size();
      // A click beside the image means nothing.
      if (x < 0 || y < 0 || x > width || y > height) return;
      const other = event.altKey || event.shiftKey;
      stage.drawing = { type: 'point', x, y, inside: (stage.tool === 'point-in') !== other };
      view.showMarks(
        [...(stage.wanted || showable()), stage.drawing].filter((mark) => mark.type === 'point'),
      );
      return;
    }
    stage.drawing =
      stage.tool === 'box'
        ? boxMark([...view.clamp(point), ...view.clamp(point)])
        : { type: stage.tool, radius: radius(), points: [point] };
    view.showMarks([stage.drawing]);
  }

  function extendMark(event) {
    if (stage.drawing.type === 'point') return;
    if (stage.drawing.type === 'box') {
      stage.drawing.box.splice(2, 2, ...view.clamp(view.toImage(event)));
    } else {
      const events = event.getCoalescedEvents ? event.getCoalescedEvents() : [];
      (events.length ? events : [event]).forEach((part) => {
        const point = view.toImage(part);
        const last = stage.drawing.points[stage.drawing.points.length - 1];
        // Finer than a tenth of the brush nobody sees.
        const step = Math.max(0.25, stage.drawing.radius / 10);
        if (Math.hypot(point[0] - last[0], point[1] - last[1]) >= step)
          stage.drawing.points.push(point);
      });
    }
    view.showMarks([stage.drawing]);
  }

  function finishMark() {
    const mark = stage.drawing;
    stage.drawing = null;
    if (mark.type === 'point') {
      addPoint(mark);
      return;
    }
    if (mark.type === 'box') {
      const [x0, y0, x1, y1] = mark.box;
      mark.box = [Math.min(x0, x1), Math.min(y0, y1), Math.max(x0, x1), Math.max(y0, y1)];
      const least = Math.max(1, 4 / view.scale);
      if (mark.box[2] - mark.box[0] < least || mark.box[3] - mark.box[1] < least) {
        view.showMarks([]);
        stage.hint = 'Drag to draw a box around the object.';
        refresh();
        return;
      }
    }
    if (mark.type === 'box') stage.addBox(mark);
    else change([...stage.marks, mark]);
  }

  function middle() {
    const [a, b] = [...pointers.values()];
    return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, gap: Math.hypot(a.x - b.x, a.y - b.y) };
  }

  view.scroll.addEventListener('pointerdown', (event) => {
    if (!stage.imageId || event.button > 1) return;
    // The scroll bars are part of the element, but no place to mark.
    const frame = view.scroll.getBoundingClientRect();
    if (
      event.clientX - frame.left > view.scroll.clientWidth ||
      event.clientY - frame.top > view.scroll.clientHeight
    )
      return;
    event.preventDefault();
    if (document.activeElement && document.activeElement !== document.body)
      document.activeElement.blur();
    view.scroll.setPointerCapture(event.pointerId);
    const pan = event.button === 1 || spaceHeld;
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY, pan });
    if (pointers.size > 1) {
      stage.drawing = null;
      view.showMarks(showable());
    } else if (!pan) beginMark(event);
  });

  view.scroll.addEventListener('pointermove', (event) => {
    const known = pointers.get(event.pointerId);
    if (stage.imageId && PAINTS.includes(stage.tool) && event.pointerType !== 'touch' && !spaceHeld)
      view.showRing(view.toImage(event), radius());
    if (stage.imageId && stage.tool === 'pick' && !pointers.size && event.pointerType !== 'touch')
      pick.hover(view.toImage(event));
    if (!known) return;
    if (pointers.size === 2) {
      const before = middle();
      Object.assign(known, { x: event.clientX, y: event.clientY });
      const after = middle();
      view.pan(after.x - before.x, after.y - before.y);
      if (before.gap > 0) view.zoomTo((view.scale * after.gap) / before.gap, after.x, after.y);
    } else if (known.pan) {
      view.pan(event.clientX - known.x, event.clientY - known.y);
    } else if (stage.drawing) {
      extendMark(event);
    }
    Object.assign(known, { x: event.clientX, y: event.clientY });
  });

  function release(event) {
    if (!pointers.delete(event.pointerId) || !stage.drawing) return;
    if (event.type === 'pointercancel') {
      stage.drawing = null;
      view.showMarks(showable());
    } else finishMark();
  }
  view.scroll.addEventListener('pointerup', release);
  view.scroll.addEventListener('pointercancel', release);
  view.scroll.addEventListener('pointerenter', () => {
    hovering = true;
  });
  view.scroll.addEventListener('pointerleave', () => {
    hovering = false;
    view.showRing(null, 0);
  });
  view.scroll.addEventListener(
    'wheel',
    (event) => {
      if (!stage.imageId || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      view.zoomTo(view.scale * Math.exp(-event.deltaY / 300), event.clientX, event.clientY);
    },
    { passive: false },
  );

  // ── buttons and keys ───────────────────────────────────────────────────────────────────────────

  function choose(name) {
    keys.drop();
    if (name !== 'pick') pick.close();
    stage.tool = name;
    view.showRing(null, 0);
    stage.hint = '';
    refresh();
  }

  function resizeBrush(factor) {
    const now = Number(brush.value);
    brush.value = factor > 1 ? Math.max(now + 1, now * factor) : Math.min(now - 1, now * factor);
    stage.brushChosen = true;
    refresh();
  }

  const actions = {
    find: findObject,
    stop: forget,
    salient: () => start('salient'),
    whole: () => start('whole'),
    exact: () => start('exact'),
    undo,
    redo,
    clear: () => {
      view.showMarks([]);
      change([]);
    },
    fit: () => view.fit(),
    one: () => view.zoomTo(view.exact()),
    in: () => view.zoomTo(view.scale * Math.SQRT2),
    out: () => view.zoomTo(view.scale / Math.SQRT2),
    browse,
    dismiss: () => say(''),
    before: () => stage.forgetBefore(),
  };
  root.addEventListener('click', (event) => {
    const button = event.target.closest('button');
    if (!button || button.disabled) return;
    // A button pressed by the pointer gives the keys back to the image.
    if (event.detail) button.blur();
    if (button.dataset.tool) {
      choose(button.dataset.tool);
      // Chosen by keyboard, it goes on by keyboard.
      if (!event.detail) view.scroll.focus();
    } else if (actions[button.dataset.action]) actions[button.dataset.action]();
  });

  overlay.addEventListener('input', () => view.showVeil(overlay.value / 100));
  brush.addEventListener('input', () => {
    stage.brushChosen = true;
    refresh();
  });
  view.showVeil(overlay.value / 100);
  view.onZoom.push((share, fitted) => {
    find('zoom').textContent = Math.round(100 * share) + '%';
    act.get('fit').setAttribute('aria-pressed', String(fitted));
    act.get('one').setAttribute('aria-pressed', String(!fitted && Math.abs(share - 1) < 0.001));
    const whole = share > 0.999 && Math.abs(share - Math.round(share)) < 0.001;
    find('exact').textContent = whole ? 'exact pixels' : 'resampled for display';
  });

  function keydown(event) {
    if (!root.isConnected) {
      document.removeEventListener('keydown', keydown);
      return;
    }
    if (!stage.imageId || !visible() || inText(event) || event.altKey) return;
    const key = event.key.toLowerCase();
    if (event.ctrlKey || event.metaKey) {
      if (key === 'z' || key === 'y') {
        event.preventDefault();
        if (key === 'y' || event.shiftKey) redo();
        else undo();
      }
      return;
    }
    // Space moves the image while the pointer is on it, unless it would press a focused button.
    const focus = /** @type {HTMLInputElement} */ (document.activeElement);
    if (key === ' ' && hovering && (focus === document.body || focus.type === 'range')) {
      event.preventDefault();
      spaceHeld = true;
      view.showRing(null, 0);
      root.classList.add('panning');
      return;
    }
    if (event.repeat && key !== '[' && key !== ']') return;
    if (tools.has(KEYS[key])) {
      choose(KEYS[key]);
      if (focus === view.scroll) keys.announce(keys.hint());
    } else if (key === 'w') actions.whole();
    else if (key === 's') actions.salient();
    else if (key === 'f') actions.find();
    else if (key === '[' || key === ']') resizeBrush(key === ']' ? 1.15 : 1 / 1.15);
  }
  function keyup(event) {
    if (!root.isConnected) {
      document.removeEventListener('keyup', keyup);
      return;
    }
    if (event.key === ' ') {
      spaceHeld = false;
      root.classList.remove('panning');
    }
  }
  document.addEventListener('keydown', keydown);
  document.addEventListener('keyup', keyup);
}
