// The marking stage: the marks, their undo, the tools, and the traffic with Python.
//
// From Python: props image_url, image_id, width, height, image_name, notes, marks, exact_mask_id, and
// for the state of the marks that `seq` names: outline, measured_url, mask_text, message, found; and
// work, what was started for 'find' or 'points': {job, words} or {problem}, with a number `at`.
// To Python: props.value = {image_id, marks, seq}, which Gradio reports as a change by itself;
// {opened, seq} with the event 'open'; and the events 'browse', 'find' and 'points'.
const root = element.querySelector('.th-stage');
const find = (name) => root.querySelector('.th-stage-' + name);
const PAINTS = ['keep', 'cut', 'brush', 'erase'];
const FINDING = 'truehue-finding';
const POINTS = ['point-in', 'point-out'];
const KEYS = { b: 'box', i: 'point-in', o: 'point-out', k: 'keep', c: 'cut', p: 'brush', e: 'erase' };
const tools = new Map([...root.querySelectorAll('[data-tool]')].map((button) => [button.dataset.tool, button]));
const act = new Map([...root.querySelectorAll('[data-action]')].map((button) => [button.dataset.action, button]));
const overlay = find('veil-size'), brush = find('brush-size'), brushText = find('brush-text');

let marks = [], past = [], future = [];     // past and future hold whole lists: clearing can be undone
let tool = 'box', imageId = null, sent = '', counter = 0, awaited = 0, pending = false, patience = 0;
let brushChosen = false, drawing = null, spaceHeld = false, hovering = false, hint = '';
const pointers = new Map();
const view = stageView(root), work = stageWork(root);
const found = stageFound(root, view, (override) => change([...marks, override]));
let wanted = null;       // the marks with a point that is being cut out
let asked = '';          // 'find' or 'points': what the app is to begin

const visible = () => root.isConnected && root.offsetParent !== null && !document.querySelector('dialog[open]');
const inText = (event) => event.target.closest && event.target.closest(
  'input:not([type=range]):not([type=radio]):not([type=checkbox]):not([type=button]), textarea, select, [contenteditable=""], [contenteditable=true]');

// ── marks and their undo ───────────────────────────────────────────────────────────────────────

function send() {
  counter += 1;
  awaited = counter;
  const value = { image_id: imageId, marks, seq: awaited };
  sent = JSON.stringify(value);
  pending = true;
  hint = '';
  say('');
  clearTimeout(patience);
  patience = setTimeout(() => { if (pending) { hint = 'No answer from the app yet.'; refresh(); } }, 20000);
  refresh();
  props.value = JSON.parse(sent);
}

function change(next) {
  forget();
  past.push(marks);
  future = [];
  marks = next;
  send();
}

function step(from, to) {
  if (wanted) { forget(); return; }   // the point that was not cut out yet is what is undone
  if (!from.length || drawing) return;
  to.push(marks);
  marks = from.pop();
  view.showMarks([]);
  send();
}
const undo = () => step(past, future);
const redo = () => step(future, past);

// ── work that takes the device ─────────────────────────────────────────────────────────────────

function forget() {
  asked = '';
  if (work.busy) sessionStorage.removeItem(FINDING);
  work.stop();
  if (wanted) { wanted = null; view.showMarks(showable()); refresh(); }
}

// A mask is found, or a point is cut out, before it becomes a mark: until then the marks stay as they
// are, and the rest of the page goes on.
function findObject() {
  forget();
  say('');
  asked = 'find';
  work.expect('Asking…');
  trigger('find', { image_id: imageId });
}

function addPoint(mark) {
  const next = [...(wanted || marks), mark];
  forget();
  wanted = next;
  asked = 'points';
  say('');
  work.expect('Asking…');
  view.showMarks(next.filter((one) => one.type === 'point'));
  refresh();
  trigger('points', { image_id: imageId, marks: next });
}

function started() {
  const begun = props.work;
  if (!begun) return;
  if (begun.image_id !== imageId || begun.kind !== asked) {
    // Cancelled, or another image was opened, before the app had answered.
    if (begun.job) work.drop(begun.job);
    return;
  }
  if (begun.problem) { forget(); say(String(begun.problem)); return; }
  asked = '';
  if (begun.kind === 'find') sessionStorage.setItem(FINDING, JSON.stringify({ job: begun.job, image_id: imageId }));
  follow(begun.job, String(begun.words || ''), begun.kind === 'points' ? wanted : null);
}

// A search goes on while the page is loaded again.
function resume() {
  let known = null;
  try { known = JSON.parse(sessionStorage.getItem(FINDING)); } catch (error) { /* not ours: nothing to go on with */ }
  if (known && known.image_id === imageId && imageId) follow(known.job, 'Looking…', null);
}

function follow(job, words, points) {
  work.follow(job, words, (end) => {
    sessionStorage.removeItem(FINDING);
    if (end.status !== 'done') {
      wanted = null;
      view.showMarks(showable());
      if (end.status === 'failed') say(String(end.words || 'It did not work.'));
      refresh();
    } else if (points) {
      wanted = null;
      change(points.map((one) => (one.type === 'point' && !one.by ? { ...one, by: end.segmenter } : one)));
    } else {
      change([...marks, { type: 'stored', mask_id: end.mask_id }]);
    }
  });
}

function start(kind) {
  const mark = kind === 'exact' ? { type: 'stored', mask_id: props.exact_mask_id } : { type: 'whole' };
  view.showMarks([]);
  change([...marks, mark]);
}

// ── what the page shows ────────────────────────────────────────────────────────────────────────

function say(text) {
  find('message').hidden = !text;
  find('message-text').textContent = text;
}

// What of the marks is still to be seen once there is a mask: points, until another start covers them.
function showable() {
  if (!props.outline) return marks;
  const from = marks.findLastIndex((mark) => ['whole', 'stored'].includes(mark.type));
  return marks.slice(from + 1).filter((mark) => mark.type === 'point');
}

function ground() {
  // What the mask starts from: the last mark of these kinds.
  const last = marks.findLast((mark) => ['whole', 'stored', 'box'].includes(mark.type));
  if (!last) return '';
  if (last.type !== 'stored') return last.type;
  return last.mask_id === props.exact_mask_id ? 'exact' : 'find';
}

function refresh() {
  root.classList.toggle('empty', !imageId);
  find('empty').hidden = Boolean(imageId);
  tools.forEach((button, name) => {
    button.disabled = !imageId;
    button.setAttribute('aria-pressed', String(imageId !== null && name === tool));
  });
  ['find', 'whole', 'exact'].forEach((name) => {
    act.get(name).disabled = !imageId;
    act.get(name).setAttribute('aria-pressed', String(ground() === name && (name !== 'find' || Boolean(props.found))));
  });
  act.get('exact').hidden = !props.exact_mask_id;
  act.get('undo').disabled = !past.length && !wanted;
  act.get('redo').disabled = !future.length;
  act.get('clear').disabled = !marks.length;
  ['fit', 'one', 'in', 'out'].forEach((name) => { act.get(name).disabled = !imageId; });
  overlay.disabled = brush.disabled = !imageId;
  brushText.textContent = imageId ? brush.value + ' px' : '';
  find('status').textContent = hint || (pending ? 'Measuring…' : '');
  root.setAttribute('aria-busy', String(pending));
}

function radius() { return Math.min(512, Math.max(0.5, Number(brush.value) / 2)); }

function showInfo() {
  const notes = Array.isArray(props.notes) ? props.notes : [];
  find('name').textContent = imageId ? String(props.image_name || 'image') : '';
  find('size').textContent = imageId ? props.width + ' × ' + props.height : '';
  find('info').hidden = !imageId;
  const lines = notes.length ? notes : ['Nothing was converted: the file is sRGB as it is.'];
  find('notes').replaceChildren(...lines.map((note) => {
    const line = document.createElement('li');
    line.textContent = String(note);
    return line;
  }));
}

// ── from Python ────────────────────────────────────────────────────────────────────────────────

function showMask() {
  // An answer to marks that have changed since, or to another image, is none.
  if ((props.seq || 0) !== awaited) return;
  pending = false;
  hint = '';
  clearTimeout(patience);
  view.showOutline(imageId ? String(props.outline || '') : '');
  view.showHatch(imageId ? props.measured_url : null);
  // Marks that made a mask have done their work; those that made none stay to be seen.
  if (!drawing && !wanted) view.showMarks(showable());
  const hatched = imageId ? String(props.hatched || '') : '';
  find('legend').hidden = !hatched;
  find('legend').querySelectorAll('span').forEach((part) => { part.hidden = !hatched.includes(part.className); });
  found.show(imageId && props.found ? props.found : null);
  find('mask').textContent = String(props.mask_text || (!imageId ? 'No image is open' : marks.length ? '' : 'Nothing is marked yet'));
  say(String(props.message || ''));
  refresh();
}

function adopt(list) {
  marks = Array.isArray(list) ? list : [];
  past = [];
  future = [];
  awaited = props.seq || 0;
  counter = Math.max(counter, awaited);
  sent = JSON.stringify(props.value ?? null);
  drawing = null;
}

function fromPython(first) {
  const value = props.value;
  const given = value && value.image_id === props.image_id && JSON.stringify(value) !== sent;
  if ((props.image_id || null) !== imageId || first === true) {
    forget();
    imageId = props.image_id || null;
    adopt(given && Array.isArray(value.marks) ? value.marks : props.marks);
    view.open(imageId ? props.image_url : '', props.width || 1, props.height || 1);
    view.showOutline('');
    view.showMarks([]);
    const longest = Math.max(props.width || 1, props.height || 1);
    brush.max = Math.min(1024, Math.max(8, Math.round(longest / 6)));
    if (!brushChosen) brush.value = Math.max(3, Math.round(longest / 40));
    showInfo();
    resume();
  } else if (given) {
    adopt(value.marks);
  }
  showMask();
  refresh();
}

function restoreMarks() {
  if (JSON.stringify(props.marks || []) === JSON.stringify(marks)) return;
  adopt(props.marks);
  showMask();
  refresh();
}

watch('marks', restoreMarks);
watch(['image_id', 'value', 'outline', 'measured_url', 'mask_text', 'seq', 'message', 'found', 'hatched'], fromPython);
watch('work', started);
watch(['image_name', 'notes', 'width', 'height'], showInfo);
watch('image_url', () => {
  if (imageId && find('picture').getAttribute('src') !== props.image_url) {
    view.open(props.image_url, props.width || 1, props.height || 1);
  }
});
watch('exact_mask_id', refresh);
find('picture').addEventListener('error', () => {
  if (find('picture').getAttribute('src')) say('The image could not be loaded. Reload the page, or open it again.');
});

// ── pointers ───────────────────────────────────────────────────────────────────────────────────

function beginMark(event) {
  const point = view.toImage(event);
  if (POINTS.includes(tool)) {
    const [x, y] = point, [width, height] = view.size();
    // A click beside the image means nothing.
    if (x < 0 || y < 0 || x > width || y > height) return;
    const other = event.altKey || event.shiftKey;
    drawing = { type: 'point', x, y, inside: (tool === 'point-in') !== other };
    view.showMarks([...(wanted || showable()), drawing].filter((mark) => mark.type === 'point'));
    return;
  }
  drawing = tool === 'box'
    ? { type: 'box', box: [...view.clamp(point), ...view.clamp(point)] }
    : { type: tool, radius: radius(), points: [point] };
  view.showMarks([drawing]);
}

function extendMark(event) {
  if (drawing.type === 'point') return;
  if (drawing.type === 'box') {
    drawing.box.splice(2, 2, ...view.clamp(view.toImage(event)));
  } else {
    const events = event.getCoalescedEvents ? event.getCoalescedEvents() : [];
    (events.length ? events : [event]).forEach((part) => {
      const point = view.toImage(part), last = drawing.points[drawing.points.length - 1];
      // Finer than a tenth of the brush nobody sees.
      const step = Math.max(0.25, drawing.radius / 10);
      if (Math.hypot(point[0] - last[0], point[1] - last[1]) >= step) drawing.points.push(point);
    });
  }
  view.showMarks([drawing]);
}

function finishMark() {
  const mark = drawing;
  drawing = null;
  if (mark.type === 'point') { addPoint(mark); return; }
  if (mark.type === 'box') {
    const [x0, y0, x1, y1] = mark.box;
    mark.box = [Math.min(x0, x1), Math.min(y0, y1), Math.max(x0, x1), Math.max(y0, y1)];
    const least = Math.max(1, 4 / view.scale);
    if (mark.box[2] - mark.box[0] < least || mark.box[3] - mark.box[1] < least) {
      view.showMarks([]);
      hint = 'Drag to draw a box around the object.';
      refresh();
      return;
    }
  }
  change([...marks, mark]);
}

function middle() {
  const [a, b] = [...pointers.values()];
  return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, gap: Math.hypot(a.x - b.x, a.y - b.y) };
}

view.scroll.addEventListener('pointerdown', (event) => {
  if (!imageId || event.button > 1) return;
  // The scroll bars are part of the element, but no place to mark.
  const frame = view.scroll.getBoundingClientRect();
  if (event.clientX - frame.left > view.scroll.clientWidth || event.clientY - frame.top > view.scroll.clientHeight) return;
  event.preventDefault();
  if (document.activeElement && document.activeElement !== document.body) document.activeElement.blur();
  view.scroll.setPointerCapture(event.pointerId);
  const pan = event.button === 1 || spaceHeld;
  pointers.set(event.pointerId, { x: event.clientX, y: event.clientY, pan });
  if (pointers.size > 1) { drawing = null; view.showMarks(showable()); }
  else if (!pan) beginMark(event);
});

view.scroll.addEventListener('pointermove', (event) => {
  const known = pointers.get(event.pointerId);
  if (imageId && PAINTS.includes(tool) && event.pointerType !== 'touch' && !spaceHeld) view.showRing(view.toImage(event), radius());
  if (!known) return;
  if (pointers.size === 2) {
    const before = middle();
    Object.assign(known, { x: event.clientX, y: event.clientY });
    const after = middle();
    view.pan(after.x - before.x, after.y - before.y);
    if (before.gap > 0) view.zoomTo(view.scale * after.gap / before.gap, after.x, after.y);
  } else if (known.pan) {
    view.pan(event.clientX - known.x, event.clientY - known.y);
  } else if (drawing) {
    extendMark(event);
  }
  Object.assign(known, { x: event.clientX, y: event.clientY });
});

function release(event) {
  if (!pointers.delete(event.pointerId) || !drawing) return;
  if (event.type === 'pointercancel') { drawing = null; view.showMarks(showable()); } else finishMark();
}
view.scroll.addEventListener('pointerup', release);
view.scroll.addEventListener('pointercancel', release);
view.scroll.addEventListener('pointerenter', () => { hovering = true; });
view.scroll.addEventListener('pointerleave', () => { hovering = false; view.showRing(null, 0); });
view.scroll.addEventListener('wheel', (event) => {
  if (!imageId || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  view.zoomTo(view.scale * Math.exp(-event.deltaY / 300), event.clientX, event.clientY);
}, { passive: false });

// ── buttons and keys ───────────────────────────────────────────────────────────────────────────

function choose(name) {
  tool = name;
  view.showRing(null, 0);
  refresh();
}

function resizeBrush(factor) {
  const now = Number(brush.value);
  brush.value = factor > 1 ? Math.max(now + 1, now * factor) : Math.min(now - 1, now * factor);
  brushChosen = true;
  refresh();
}

const actions = {
  find: findObject,
  stop: forget,
  whole: () => start('whole'),
  exact: () => start('exact'),
  undo, redo,
  clear: () => { view.showMarks([]); change([]); },
  fit: () => view.fit(),
  one: () => view.zoomTo(view.exact()),
  in: () => view.zoomTo(view.scale * Math.SQRT2),
  out: () => view.zoomTo(view.scale / Math.SQRT2),
  browse: () => trigger('browse'),
  dismiss: () => say(''),
};
root.addEventListener('click', (event) => {
  const button = event.target.closest('button');
  if (!button || button.disabled) return;
  // A button pressed by the pointer gives the keys back to the image.
  if (event.detail) button.blur();
  if (button.dataset.tool) choose(button.dataset.tool);
  else if (actions[button.dataset.action]) actions[button.dataset.action]();
});

overlay.addEventListener('input', () => view.showVeil(overlay.value / 100));
brush.addEventListener('input', () => { brushChosen = true; refresh(); });
view.showVeil(overlay.value / 100);
view.onZoom.push((share, fitted) => {
  find('zoom').textContent = Math.round(100 * share) + '%';
  act.get('fit').setAttribute('aria-pressed', String(fitted));
  act.get('one').setAttribute('aria-pressed', String(Math.abs(share - 1) < 0.001));
});

function keydown(event) {
  if (!root.isConnected) { document.removeEventListener('keydown', keydown); return; }
  if (!imageId || !visible() || inText(event) || event.altKey) return;
  const key = event.key.toLowerCase();
  if (event.ctrlKey || event.metaKey) {
    if (key === 'z' || key === 'y') {
      event.preventDefault();
      if (key === 'y' || event.shiftKey) redo(); else undo();
    }
    return;
  }
  // Space moves the image while the pointer is on it, unless it would press a focused button.
  const focus = document.activeElement;
  if (key === ' ' && hovering && (focus === document.body || focus.type === 'range')) {
    event.preventDefault();
    spaceHeld = true;
    view.showRing(null, 0);
    root.classList.add('panning');
    return;
  }
  if (event.repeat && key !== '[' && key !== ']') return;
  if (KEYS[key]) choose(KEYS[key]);
  else if (key === 'w') actions.whole();
  else if (key === 'f') actions.find();
  else if (key === '[' || key === ']') resizeBrush(key === ']' ? 1.15 : 1 / 1.15);
}
function keyup(event) {
  if (!root.isConnected) { document.removeEventListener('keyup', keyup); return; }
  if (event.key === ' ') { spaceHeld = false; root.classList.remove('panning'); }
}
document.addEventListener('keydown', keydown);
document.addEventListener('keyup', keyup);

stageOpen(root, (event) => visible() && !inText(event), (opened) => {
  say('');
  counter += 1;
  sent = JSON.stringify({ opened, seq: counter });
  props.value = JSON.parse(sent);
  trigger('open');
}, say);

fromPython(true);
