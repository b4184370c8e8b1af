// CFR among the settings of a request: the switch, λ, where the map comes from, and the variants. What
// it is set to is one value, which the page sends with the other controls.
import { make, put } from '../shared/dom.js';
import { store } from '../shared/state.js';
import { cellsOf, meanOf } from './cells.js';
import { paintDialog } from './paint.js';

const PAINTED = 'painted';
const FIRST_PASS = 'first pass';
const PREDICTED = 'predicted';

/** @param {import('../shared/widget.js').Widget} widget */
export function mount({ element, props, watch }) {
  const find = (name) => element.querySelector('.th-realism-' + name);
  const on = find('on');
  const lambda = find('lambda');
  const others = find('beside');
  const node = find('at').querySelector('input');
  const problem = find('problem');
  const thumb = find('thumb');
  const paint = paintDialog(element);
  let looked = false;
  const maps = choices(find('maps'), 'th-realism-map', props.maps || [], (id) => set({ map: id }));
  const variants = choices(find('variants'), 'th-realism-variant', props.variants || [], (id) =>
    set({ variant: id }),
  );

  function now() {
    return props.value || {};
  }
  // A slider that is dragged says where it is at once, and sets it when it is let go.
  function set(changes) {
    props.value = { ...now(), ...changes };
    show();
  }
  /** @returns {{ width: number, height: number, image_id: string } | null} */
  function imageNode() {
    const item = store.get('result');
    return item && item.image_id && item.width && item.height ? item : null;
  }
  function openPaint(over) {
    paint(over, now().rows || [], (rows, source) => set({ on: true, map: PAINTED, rows, source }));
  }

  function show() {
    const value = now();
    const reads = (props.mapped || []).includes(value.variant);
    on.checked = Boolean(value.on);
    find('body').hidden = !value.on;
    const said = value.on ? (props.view || {}).problem || '' : '';
    put(problem, said);
    problem.hidden = !said;
    lambda.value = String(value.strength);
    node.value = String(value.at);
    maps.choose(value.map);
    variants.choose(value.variant);
    find('maps').disabled = !reads;
    find('painted').hidden = !reads || value.map !== PAINTED;
    const first = reads && value.map === FIRST_PASS;
    others.checked = first || value.beside !== false;
    others.disabled = first;
    put(
      others.nextElementSibling,
      first
        ? 'The first pass is saved: each image is also generated without CFR'
        : 'Also generate each image without CFR, to compare',
    );
    // The image to paint over may stand further down, where nobody has looked yet.
    if (!find('painted').hidden && value.on && !looked && !imageNode()) {
      looked = true;
      store.tell('drawn');
    }
    find('at').hidden = !reads || value.map !== PREDICTED;
    showNumbers();
    showPainted(value.rows || []);
  }
  function showNumbers() {
    put(lambda.nextElementSibling, Number(lambda.value).toFixed(2));
    put(node.nextElementSibling, Math.round(100 * Number(node.value)) + '% of the steps');
  }
  function showPainted(rows) {
    const button = find('paint');
    const over = imageNode();
    thumb.hidden = !rows.length;
    put(button, rows.length ? 'Change the map…' : 'Paint the map…');
    button.disabled = !over;
    if (!rows.length) {
      put(
        find('said'),
        over ? 'Nothing painted yet.' : 'Generate an image first, then paint over it.',
      );
      return;
    }
    const cells = cellsOf(rows);
    const percent = Math.max(1, Math.round(100 * meanOf(cells)));
    put(find('said'), cells.width + ' × ' + cells.height + ' cells, ' + percent + '% lowered');
    thumb.setAttribute('aria-label', 'The painted map: white where guidance is lowered most');
    Object.assign(thumb, { width: cells.width, height: cells.height });
    const context = thumb.getContext('2d');
    const image = context.createImageData(cells.width, cells.height);
    cells.values.forEach((level, index) => {
      const tone = Math.round(255 * level);
      image.data.set([tone, tone, tone, 255], 4 * index);
    });
    context.putImageData(image, 0, 0);
  }

  on.addEventListener('change', () => set({ on: on.checked }));
  lambda.addEventListener('input', showNumbers);
  lambda.addEventListener('change', () => set({ strength: Number(lambda.value) }));
  node.addEventListener('input', showNumbers);
  node.addEventListener('change', () => set({ at: Number(node.value) }));
  others.addEventListener('change', () => set({ beside: others.checked }));
  find('paint').addEventListener('click', () => {
    const over = imageNode();
    if (over) openPaint(over);
  });
  store.subscribe('result', show);
  // A dialog within what is folded away would be open and not seen, and nothing else could be pressed.
  store.subscribe('paint', (over) => {
    store.tell('more-settings');
    openPaint(over);
  });
  watch(['value', 'view'], show);
  show();
}

/**
 * A row of radio buttons for each choice, with its words.
 * @param {Element} box
 * @param {string} name
 * @param {{ id: string, name: string, words: string }[]} list
 * @param {(id: string) => void} chosen
 */
function choices(box, name, list, chosen) {
  const inputs = list.map((item) => {
    const line = make('label', 'th-realism-choice');
    const input = make('input');
    input.type = 'radio';
    input.name = name;
    input.value = item.id;
    input.addEventListener('change', () => chosen(item.id));
    const text = make('span');
    text.append(make('b', '', item.name), make('small', '', item.words));
    line.append(input, text);
    box.append(line);
    return input;
  });
  return {
    /** @param {string} id */
    choose(id) {
      inputs.forEach((input) => {
        input.checked = input.value === id;
      });
    },
  };
}
