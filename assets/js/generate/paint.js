// Painting by hand where guidance is turned down: Inspect's stage over a picture, with marks that
// become cells.
import { put } from '../shared/dom.js';
import { ask } from '../shared/http.js';
import { stageHands } from '../stage/hands.js';
import { stageKeys } from '../stage/keys.js';
import { stageView } from '../stage/view.js';
import { cellsOf, meanOf, painted, rowsOf } from './cells.js';

const TILE = 8;

/**
 * A map over an image, as an image's address: stripes of black and white, which are seen on every
 * color, as opaque as the cell is.
 * @param {import('./cells.js').Cells} cells
 */
function striped(cells) {
  const canvas = document.createElement('canvas');
  canvas.width = cells.width * TILE;
  canvas.height = cells.height * TILE;
  const context = canvas.getContext('2d');
  const image = context.createImageData(canvas.width, canvas.height);
  for (let y = 0; y < canvas.height; y += 1)
    for (let x = 0; x < canvas.width; x += 1) {
      const index = 4 * (y * canvas.width + x);
      const cell = cells.values[Math.floor(y / TILE) * cells.width + Math.floor(x / TILE)];
      const tone = (x + y) % TILE < TILE / 2 ? 0 : 255;
      image.data.set([tone, tone, tone, Math.round(215 * cell)], index);
    }
  context.putImageData(image, 0, 0);
  return canvas.toDataURL();
}

/** @param {HTMLElement} element of the widget */
export function paintDialog(element) {
  const dialog = element.querySelector('.th-paint');
  const root = dialog.querySelector('.th-stage');
  const find = (name) => root.querySelector('.th-stage-' + name);
  const named = (kind) =>
    new Map([...root.querySelectorAll(`[data-${kind}]`)].map((node) => [node.dataset[kind], node]));
  const tools = named('tool');
  const act = named('action');
  const brush = find('brush-size');
  const amount = dialog.querySelector('.th-paint-amount');
  const saturation = dialog.querySelector('.th-paint-saturation');
  const view = stageView(root);
  let image = null;
  let past = [];
  let future = [];
  let done = null;
  let maps = {};

  const level = () => Number(amount.value) / 100;
  const cells = () => painted(image.width, image.height, stage.marks);
  function refresh() {
    tools.forEach((button, name) =>
      button.setAttribute('aria-pressed', String(name === stage.tool)),
    );
    act.get('undo').disabled = !past.length;
    act.get('redo').disabled = !future.length;
    act.get('clear').disabled = !stage.marks.length;
    put(dialog.querySelector('.th-paint-amount-text'), amount.value + '%');
    put(find('brush-text'), brush.value + ' px');
    put(find('status'), stage.hint);
  }
  function show() {
    const now = cells();
    const mean = meanOf(now);
    view.showMarks([]);
    view.showHatch(mean ? striped(now) : null);
    put(
      dialog.querySelector('.th-paint-covered'),
      mean
        ? 'Guidance is lowered on ' + Math.max(1, Math.round(100 * mean)) + '% of the image'
        : 'Nothing painted yet: full guidance everywhere',
    );
    dialog.querySelector('.th-paint-use').disabled = !mean;
    refresh();
  }
  function change(marks) {
    past.push(stage.marks);
    future = [];
    // The amount is the stroke's own: the slider may move on.
    stage.marks = marks.map((mark) => ('level' in mark ? mark : { ...mark, level: level() }));
    stage.hint = '';
    show();
  }
  function step(from, to) {
    if (!from.length || stage.drawing) return;
    to.push(stage.marks);
    stage.marks = from.pop();
    show();
  }
  const nothing = () => {};
  /** @type {import('../stage/hands.js').Stage} */
  const stage = {
    marks: [],
    tool: 'brush',
    imageId: null,
    drawing: null,
    wanted: null,
    hint: '',
    brushChosen: false,
    ...{ root, view, find, act, tools, overlay: find('veil-size'), brush, change, refresh },
    pick: { close: nothing, hover: nothing, press: nothing, look: nothing },
    visible: () => dialog.open,
    inText: () => false,
    radius: () => Math.max(0.5, Number(brush.value) / 2),
    showable: () => [],
    undo: () => step(past, future),
    redo: () => step(future, past),
    start: () => change([...stage.marks, { type: 'fill', level: level() }]),
    ...{ say: nothing, browse: nothing, findObject: nothing, addPoint: nothing, forget: nothing },
  };
  stageHands(stage, stageKeys(stage));

  amount.addEventListener('input', refresh);
  const begins = { saturation, cfm: dialog.querySelector('.th-paint-cfm') };
  Object.entries(begins).forEach(([name, button]) =>
    button.addEventListener('click', () => {
      const cells = cellsOf(maps[name]);
      change([...stage.marks, { type: 'cells', cells, level: 1, from: name }]);
    }),
  );
  // The maps that there are of the image; until they are here nothing can be begun with.
  async function askMaps() {
    const { image_id } = image;
    maps = {};
    begins.saturation.disabled = begins.cfm.hidden = true;
    try {
      const answer = await ask(`/api/images/${image_id}/cfr-maps`);
      if (image.image_id !== image_id) return;
      maps = answer;
      begins.saturation.disabled = false;
      begins.cfm.hidden = !answer.cfm;
    } catch (error) {
      stage.hint = error.message;
      refresh();
    }
  }
  // What the map was begun with, in the words that are kept with the images.
  function source() {
    const index = stage.marks.findLastIndex((mark) => mark.type === 'cells' && mark.from);
    const from = index < 0 ? '' : stage.marks[index].from;
    if (from === 'cfm')
      return index === stage.marks.length - 1 ? 'CFM’s map' : 'painted over CFM’s map';
    return from ? 'painted over the saturation' : 'painted';
  }
  ['close', 'leave'].forEach((name) =>
    dialog.querySelector('.th-paint-' + name).addEventListener('click', () => dialog.close()),
  );
  dialog.querySelector('.th-paint-use').addEventListener('click', () => {
    done(rowsOf(cells()), source());
    dialog.close();
  });
  // Escape leaves a stroke by keyboard before it leaves the dialog.
  dialog.addEventListener('cancel', (event) => {
    if (stage.drawing) event.preventDefault();
  });

  /**
   * @param {{ image_id: string, width: number, height: number }} over the picture
   * @param {string[]} rows the map to go on with; none begins with nothing
   * @param {(rows: string[], source: string) => void} use gets the map, and what it was begun with
   */
  return function open(over, rows, use) {
    image = over;
    done = use;
    past = [];
    future = [];
    stage.imageId = over.image_id;
    stage.marks = rows.length ? [{ type: 'cells', cells: cellsOf(rows), level: 1 }] : [];
    const longest = Math.max(over.width, over.height);
    brush.max = String(Math.max(8, Math.round(longest / 2)));
    brush.value = String(Math.max(2, Math.round(longest / 8)));
    dialog.showModal();
    view.open('/media/images/' + over.image_id + '.png', over.width, over.height);
    show();
    askMaps();
    view.scroll.focus({ preventScroll: true });
  };
}
