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
const KEYS = { b: 'box', i: 'point-in', o: 'point-out', k: 'keep', c: 'cut', p: 'brush', e: 'erase', q: 'pick' };
const tools = new Map([...root.querySelectorAll('[data-tool]')].map((button) => [button.dataset.tool, button]));
const act = new Map([...root.querySelectorAll('[data-action]')].map((button) => [button.dataset.action, button]));
const overlay = find('veil-size'), brush = find('brush-size'), brushText = find('brush-text');

let marks = [], past = [], future = [];     // past and future hold whole lists: clearing can be undone
let tool = 'box', imageId = null, sent = '', counter = 0, awaited = 0, pending = false, patience = 0;
let brushChosen = false, drawing = null, spaceHeld = false, hovering = false, hint = '';
const pointers = new Map();
const view = stageView(root), work = stageWork(root);
const found = stageFound(root, view, (override) => change([...marks, override]));
const pick = stagePick(root, view, (hex) => document.dispatchEvent(new CustomEvent('th-ask-color', { detail: { picker: 'asked-color', text: hex } })));
let keyBox = null, keyPoint = null;     // what is moved by the arrow keys
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
  stageKept.keep(imageId, marks);
  patience = setTimeout(() => { if (pending) { hint = 'The app does not answer; what you drew is kept. Trying again…'; refresh(); } }, 20000);
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
    // Where the mask starts from; what is pressed is the tool alone.
    const starts = ground() === name && (name !== 'find' || Boolean(props.found));
    if (starts) act.get(name).setAttribute('aria-current', 'true'); else act.get(name).removeAttribute('aria-current');
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
  if (pending) stageKept.done();
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
    dropKeys();
    pick.close();
    const longest = Math.max(props.width || 1, props.height || 1);
    brush.max = Math.min(1024, Math.max(8, Math.round(longest / 6)));
    if (!brushChosen) brush.value = Math.max(3, Math.round(longest / 40));
    showInfo();
    resume();
    // What had no answer before the page was loaded again is asked once more.
    const unheard = imageId && stageKept.take(imageId);
    if (unheard) setTimeout(() => { if (imageId === unheard.image_id) change(unheard.marks); }, 0);
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
