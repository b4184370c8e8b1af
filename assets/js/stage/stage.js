// The marking stage: the photograph in exact pixels, the marks on it and their undo, and the tools.
//
// From the app: props image_url, image_id, width, height, image_name, notes, warnings (those of the notes
// after which colors differ), exact_mask_id (offers the tool Exact), and marks, what to begin with; a
// new image_id starts over. For the state of the marks that `seq` names: outline (SVG path of the
// mask), measured_url (PNG that hatches pixels), hatched (which of `left-out` and `negative`),
// mask_text, message (an error), proposal (a sentence about a mask that nobody has selected), and
// found (the steps of an automatic mask). What belongs to an older
// `seq` than the last one is left alone.
// To the form: props.value = {image_id, marks, seq} with every change of the marks, and `proposed`
// where the page asked for a first mask; the events 'open' with the image that was uploaded, and
// 'browse'; props.search(kind, {image_id, marks}), which begins to find the object ('find') or to cut
// out points ('points') and promises {job, words}.
import { store } from '../shared/state.js';
import { many } from '../shared/dom.js';
import { marksBefore, withBox } from './boxes.js';
import { stageFinding } from './finding.js';
import { stageFound } from './proposals.js';
import { stageHands } from './hands.js';
import { stageKept } from './kept.js';
import { stageKeys } from './keys.js';
import { stageOpen } from './open.js';
import { stagePick } from './pick.js';
import { stageView } from './view.js';

// Where keys are written, not pressed.
const TYPING =
  'input:not([type=range]):not([type=radio]):not([type=checkbox]):not([type=button]), ' +
  'textarea, select, [contenteditable=""], [contenteditable=true]';

const inText = (event) => event.target.closest && event.target.closest(TYPING);

/**
 * @param {Omit<import('../shared/widget.js').Widget, 'props'> & {
 *   props: Api.StageJson & { search: (kind: string, marked: object) => Promise<Api.StartedMask> } }} widget
 */
export function mount({ element, props, trigger, watch }) {
  const root = element.querySelector('.th-stage');
  const find = (name) => root.querySelector('.th-stage-' + name);
  const tools = new Map(
    [...root.querySelectorAll('[data-tool]')].map((button) => [button.dataset.tool, button]),
  );
  const act = new Map(
    [...root.querySelectorAll('[data-action]')].map((button) => [button.dataset.action, button]),
  );
  const overlay = find('veil-size');
  const brush = find('brush-size');
  const brushText = find('brush-text');

  let past = [];
  let future = []; // past and future hold whole lists: clearing can be undone
  let sent = '';
  let counter = 0;
  let awaited = 0;
  let pending = false;
  let proposed = false; // the marks are the page's own
  let patience = 0;
  const view = stageView(root);
  const result = stageFound(root, view, (override) => change([...stage.marks, override]));
  const pick = stagePick(root, view, (hex) =>
    store.tell('ask-color', { picker: 'asked-color', text: hex }),
  );
  /**
   * What the hands and the keys know and change too: the marks, the one that is being drawn, those
   * with a point that is being cut out (`wanted`), and the hint in the line below.
   * @type {import('./hands.js').Stage}
   */
  const stage = {
    marks: [],
    tool: 'box',
    imageId: null,
    drawing: null,
    wanted: null,
    hint: '',
    brushChosen: false,
    ...{ root, view, pick, find, act, tools, overlay, brush, visible, inText },
    ...{ change, undo, redo, start, boxMark, addBox, refresh, radius, say, showable },
    forgetBefore: () => {
      const before = marksBefore(stage.marks);
      change(stage.marks.filter((mark) => !before.includes(mark)));
    },
    browse: () => trigger('browse'),
  };
  const finding = stageFinding(stage, props);
  const { findObject, addPoint, forget } = finding;
  Object.assign(stage, { findObject, addPoint, forget });
  const keys = stageKeys(stage);

  function visible() {
    return (
      root.isConnected && root.offsetParent !== null && !document.querySelector('dialog[open]')
    );
  }

  // ── marks and their undo ───────────────────────────────────────────────────────────────────────

  function send() {
    counter += 1;
    awaited = counter;
    const value = {
      ...{ image_id: stage.imageId, marks: stage.marks, seq: awaited },
      ...(proposed ? { proposed } : {}),
    };
    proposed = false;
    sent = JSON.stringify(value);
    pending = true;
    stage.hint = '';
    say('');
    clearTimeout(patience);
    stageKept.keep(stage.imageId, stage.marks);
    patience = setTimeout(() => {
      if (pending) {
        stage.hint = 'TrueHue does not answer; your selection is kept. Retrying…';
        refresh();
      }
    }, 20000);
    refresh();
    props.value = JSON.parse(sent);
  }

  function change(next) {
    forget();
    past.push(stage.marks);
    future = [];
    stage.marks = next;
    send();
  }

  function step(from, to) {
    if (stage.wanted) {
      forget();
      return;
    } // the point that was not cut out yet is what is undone
    if (!from.length || stage.drawing) return;
    to.push(stage.marks);
    stage.marks = from.pop();
    view.showMarks([]);
    send();
  }
  function undo() {
    step(past, future);
  }
  function redo() {
    step(future, past);
  }

  function start(kind) {
    const mark =
      kind === 'exact' ? { type: 'stored', mask_id: props.exact_mask_id } : { type: kind };
    view.showMarks([]);
    change([...stage.marks, mark]);
  }

  // ── what the page shows ────────────────────────────────────────────────────────────────────────

  function say(text) {
    find('message').hidden = !text;
    find('message-text').textContent = text;
  }

  // What of the marks is still to be seen once there is a mask: points, until another start covers them.
  function showable() {
    if (!props.outline) return stage.marks;
    const from = stage.marks.findLastIndex((mark) =>
      ['whole', 'stored', 'salient'].includes(mark.type),
    );
    return stage.marks.slice(from + 1).filter((mark) => mark.type === 'point');
  }

  // The network of salient objects looks inside a box, where it is on this machine.
  function boxMark(box) {
    return { type: 'box', box, ...(props.salient ? { by: 'salient' } : {}) };
  }

  function addBox(mark) {
    change(withBox(stage.marks, mark));
  }

  function ground() {
    // What the mask starts from: the last mark of these kinds.
    const last = stage.marks.findLast((mark) =>
      ['whole', 'stored', 'salient', 'box'].includes(mark.type),
    );
    if (!last) return '';
    if (last.type !== 'stored') return last.type;
    return last.mask_id === props.exact_mask_id ? 'exact' : 'find';
  }

  function refresh() {
    root.classList.toggle('empty', !stage.imageId);
    find('empty').hidden = Boolean(stage.imageId);
    tools.forEach((button, name) => {
      button.disabled = !stage.imageId;
      button.setAttribute('aria-pressed', String(stage.imageId !== null && name === stage.tool));
    });
    ['salient', 'find', 'whole', 'exact'].forEach((name) => {
      act.get(name).disabled = !stage.imageId;
      // Where the mask starts from; what is pressed is the tool alone.
      const starts = ground() === name && (name !== 'find' || Boolean(props.found));
      if (starts) act.get(name).setAttribute('aria-current', 'true');
      else act.get(name).removeAttribute('aria-current');
    });
    act.get('exact').hidden = !props.exact_mask_id;
    act.get('undo').disabled = !past.length && !stage.wanted;
    act.get('redo').disabled = !future.length;
    act.get('clear').disabled = !stage.marks.length;
    ['fit', 'one', 'in', 'out'].forEach((name) => {
      act.get(name).disabled = !stage.imageId;
    });
    overlay.disabled = brush.disabled = !stage.imageId;
    brushText.textContent = stage.imageId ? brush.value + ' px' : '';
    find('status').textContent =
      stage.hint || (pending ? 'Measuring…' : String((stage.imageId && props.proposal) || ''));
    const before = stage.imageId ? marksBefore(stage.marks) : [];
    find('before').hidden = !before.length;
    const kind = before.some(({ type }) => type === 'point') ? 'selection' : 'stroke';
    find('before-text').textContent = `${many(before.length, 'earlier ' + kind)} in this box ${
      before.length === 1 ? 'counts' : 'count'
    }.`;
    root.setAttribute('aria-busy', String(pending));
  }

  function radius() {
    return Math.min(512, Math.max(0.5, Number(brush.value) / 2));
  }

  function showInfo() {
    const notes = Array.isArray(props.notes) ? props.notes : [];
    find('name').textContent = stage.imageId ? String(props.image_name || 'image') : '';
    find('size').textContent = stage.imageId ? props.width + ' × ' + props.height : '';
    find('info').hidden = !stage.imageId;
    const warnings = stage.imageId ? props.warnings || [] : [];
    find('warnings').hidden = !warnings.length;
    find('warnings').textContent = warnings.join(' ');
    const lines = notes.length ? notes : ['Nothing was converted: the file is already sRGB.'];
    find('notes').replaceChildren(
      ...lines.map((note) => {
        const line = document.createElement('li');
        line.textContent = String(note);
        return line;
      }),
    );
  }

  // ── from Python ────────────────────────────────────────────────────────────────────────────────

  function showMask() {
    // An answer to marks that have changed since, or to another image, is none.
    if ((props.seq || 0) !== awaited) return;
    if (pending) stageKept.done();
    pending = false;
    stage.hint = '';
    clearTimeout(patience);
    view.showOutline(stage.imageId ? String(props.outline || '') : '');
    root.classList.toggle('proposed', Boolean(props.outline && props.proposal));
    view.showHatch(stage.imageId ? props.measured_url : null);
    // Marks that made a mask have done their work; those that made none stay to be seen.
    if (!stage.drawing && !stage.wanted) view.showMarks(showable());
    const hatched = stage.imageId ? String(props.hatched || '') : '';
    find('legend').hidden = !hatched;
    find('legend')
      .querySelectorAll('span')
      .forEach((part) => {
        part.hidden = !hatched.includes(part.className);
      });
    result.show(stage.imageId && props.found ? props.found : null);
    find('mask').textContent = String(
      props.mask_text ||
        (!stage.imageId ? 'No image is open' : stage.marks.length ? '' : 'Nothing selected yet'),
    );
    say(String(props.message || ''));
    refresh();
  }

  function adopt(list) {
    stage.marks = Array.isArray(list) ? list : [];
    past = [];
    future = [];
    awaited = props.seq || 0;
    counter = Math.max(counter, awaited);
    sent = JSON.stringify(props.value ?? null);
    stage.drawing = null;
  }

  function fromPython(first) {
    const value = props.value;
    const values = value && value.image_id === props.image_id && JSON.stringify(value) !== sent;
    if ((props.image_id || null) !== stage.imageId || first === true) {
      forget();
      stage.imageId = props.image_id || null;
      adopt(values && Array.isArray(value.marks) ? value.marks : props.marks);
      view.open(stage.imageId ? props.image_url : '', props.width || 1, props.height || 1);
      view.showOutline('');
      view.showMarks([]);
      keys.drop();
      pick.close();
      const longest = Math.max(props.width || 1, props.height || 1);
      brush.max = String(Math.min(1024, Math.max(8, Math.round(longest / 6))));
      if (!stage.brushChosen) brush.value = String(Math.max(3, Math.round(longest / 40)));
      showInfo();
      finding.resume();
      // What had no answer before the page was loaded again is asked once more.
      const unheard = stage.imageId && stageKept.take(stage.imageId);
      if (unheard)
        setTimeout(() => {
          if (stage.imageId === unheard.image_id) change(unheard.marks);
        }, 0);
      else propose();
    } else if (values) {
      adopt(value.marks);
      propose();
    }
    showMask();
    refresh();
  }

  // A first mask of an image that was opened without one, unless somebody was faster.
  function propose() {
    const { imageId } = stage;
    if (!props.propose || !imageId) return;
    setTimeout(() => {
      if (stage.imageId !== imageId || stage.marks.length) return;
      proposed = true;
      start('salient');
    }, 0);
  }

  function restoreMarks() {
    if (JSON.stringify(props.marks || []) === JSON.stringify(stage.marks)) return;
    adopt(props.marks);
    propose();
    showMask();
    refresh();
  }

  watch('marks', restoreMarks);
  watch(
    [
      'image_id',
      'value',
      'outline',
      'measured_url',
      'mask_text',
      'seq',
      'message',
      'found',
      'hatched',
      'proposal',
    ],
    fromPython,
  );
  watch(['image_name', 'notes', 'warnings', 'width', 'height'], showInfo);
  watch('image_url', () => {
    if (stage.imageId && find('picture').getAttribute('src') !== props.image_url) {
      view.open(props.image_url, props.width || 1, props.height || 1);
    }
  });
  watch('exact_mask_id', refresh);
  find('picture').addEventListener('error', () => {
    if (find('picture').getAttribute('src'))
      say('The image could not be loaded. Reload the page, or open it again.');
  });
  stageHands(stage, keys);
  stageOpen(
    root,
    (event) => visible() && !inText(event),
    (image) => {
      say('');
      trigger('open', { image });
    },
    say,
  );
  fromPython(true);
}
