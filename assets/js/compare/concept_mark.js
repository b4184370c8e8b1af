// A box around the object in one image, drawn in place, with a preview of its pixels.
// Hands: drag with the mouse, arrow keys on the image, or the four numbers.
import { make, put } from '../shared/dom.js';
import { send } from '../shared/http.js';

const BOX_STEP = 0.02;
const BOX_WAIT_MS = 350;

export function markDialog(box, { keep, inspect }) {
  const dialog = box.querySelector('.th-concept-mark');
  let turn = 0;
  let timer = null;
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close();
  });
  dialog.addEventListener('close', () => {
    turn += 1;
    clearTimeout(timer);
  });
  return function open(item) {
    const it = item.image;
    const stage = make('div', 'th-concept-mark-stage');
    const image = make('img');
    const frame = make('i', 'th-concept-mark-box');
    const result = make('img', 'th-concept-mark-found');
    const said = make('p', 'th-soft');
    const fields = make('div', 'th-concept-mark-fields');
    const button = (text, act, strong) => {
      const node = make('button', 'th-button' + (strong ? ' th-concept-do' : ''), text);
      node.type = 'button';
      node.addEventListener('click', act);
      return node;
    };
    // Left, top, right, bottom in pixels of the image.
    let corners = [it.width * 0.15, it.height * 0.15, it.width * 0.85, it.height * 0.85].map(
      Math.round,
    );
    let from = null;
    const inputs = ['Left', 'Top', 'Right', 'Bottom'].map((name, side) => {
      const label = make('label');
      const input = make('input');
      input.type = 'number';
      input.min = '0';
      input.max = String(side % 2 ? it.height : it.width);
      input.addEventListener('change', () => {
        const next = [...corners];
        next[side] = Number(input.value);
        set(next);
      });
      label.append(make('span', '', name), input);
      fields.append(label);
      return input;
    });
    fields.append(make('span', 'th-soft', 'px of ' + it.width + ' × ' + it.height));
    // The network of salient objects looks inside a box, where it is on this machine.
    const boxed = () => [{ type: 'box', box: corners, ...(it.salient ? { by: 'salient' } : {}) }];
    const use = button('Use this box', () => store(boxed()), true);
    const salient = button('Salient object', () => store([{ type: 'salient' }]));
    salient.hidden = !it.salient;
    salient.title = 'The salient object of the whole image';
    const whole = button('Whole image', () => store([{ type: 'whole' }]));
    const finer = button('Select in Inspect', () => {
      dialog.close();
      inspect(item);
    });
    finer.title =
      'Inspect offers strokes, points and search by name. Use the browser’s Back to return to this comparison, which then uses the new mask.';

    function set(next) {
      const held = (value, max) => Math.min(max, Math.max(0, Math.round(value || 0)));
      const x = [held(next[0], it.width), held(next[2], it.width)].sort((a, b) => a - b);
      const y = [held(next[1], it.height), held(next[3], it.height)].sort((a, b) => a - b);
      corners = [x[0], y[0], Math.max(x[1], x[0] + 2), Math.max(y[1], y[0] + 2)];
      show();
      clearTimeout(timer);
      timer = setTimeout(look, BOX_WAIT_MS);
    }
    function show() {
      corners.forEach((value, side) => {
        if (document.activeElement !== inputs[side] || inputs[side].value !== String(value))
          inputs[side].value = String(value);
      });
      ['left', 'top'].forEach((side, axis) => {
        frame.style[side] = (100 * corners[axis]) / (axis ? it.height : it.width) + '%';
      });
      ['width', 'height'].forEach((side, axis) => {
        frame.style[side] =
          (100 * (corners[axis + 2] - corners[axis])) / (axis ? it.height : it.width) + '%';
      });
    }
    async function look() {
      const mine = ++turn;
      use.disabled = true;
      put(said, 'Finding the object inside the box…');
      said.className = 'th-soft';
      try {
        const answer = await send('/api/compare/image/look', {
          image: it.image_id,
          marks: boxed(),
        });
        if (mine !== turn) return;
        result.src = answer.url;
        result.hidden = false;
        put(said, [answer.words, answer.note].filter(Boolean).join(' · '));
        use.disabled = false;
      } catch (error) {
        if (mine === turn) {
          result.hidden = true;
          put(said, error.message);
          said.className = 'th-problem';
        }
      }
    }
    async function store(marks) {
      turn += 1;
      clearTimeout(timer);
      use.disabled = whole.disabled = salient.disabled = true;
      try {
        const answer = await send('/api/compare/image/mark', { image: it.image_id, marks });
        dialog.close();
        keep(item.source, answer.source);
      } catch (error) {
        put(said, error.message);
        said.className = 'th-problem';
        use.disabled = whole.disabled = salient.disabled = false;
      }
    }
    // ── hands ────────────────────────────────────────────────────────────────────────────────
    function scale(event) {
      const around = image.getBoundingClientRect();
      return [
        ((event.clientX - around.left) / around.width) * it.width,
        ((event.clientY - around.top) / around.height) * it.height,
      ];
    }
    stage.addEventListener('pointerdown', (event) => {
      if (event.button) return;
      from = scale(event);
      stage.setPointerCapture(event.pointerId);
      event.preventDefault();
      stage.focus({ preventScroll: true });
    });
    stage.addEventListener('pointermove', (event) => {
      if (from) set([...from, ...scale(event)]);
    });
    ['pointerup', 'pointercancel'].forEach((name) =>
      stage.addEventListener(name, () => {
        from = null;
      }),
    );
    stage.addEventListener('keydown', (event) => {
      const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[
        event.key
      ];
      if (event.key === 'Enter' && !use.disabled) {
        use.click();
        event.preventDefault();
      }
      if (!step) return;
      event.preventDefault();
      const by = [
        step[0] * Math.max(1, it.width * BOX_STEP),
        step[1] * Math.max(1, it.height * BOX_STEP),
      ];
      const [left, top, right, bottom] = corners;
      if (event.shiftKey) {
        set([left, top, Math.max(left + 2, right + by[0]), Math.max(top + 2, bottom + by[1])]);
        return;
      }
      const across = Math.min(it.width - right, Math.max(-left, by[0]));
      const down = Math.min(it.height - bottom, Math.max(-top, by[1]));
      set([left + across, top + down, right + across, bottom + down]);
    });

    const head = make('header');
    const body = make('div', 'th-concept-mark-body');
    const side = make('div', 'th-concept-mark-side');
    const foot = make('div', 'th-concept-mark-foot');
    head.append(
      make('h3', '', 'Draw a box around the object in ' + item.letter),
      button('Close', () => dialog.close()),
    );
    image.src = it.url;
    image.alt = it.name || item.label;
    image.draggable = false;
    stage.style.aspectRatio = it.width + ' / ' + it.height;
    stage.style.setProperty('--th-cc-ratio', String(it.width / it.height));
    stage.tabIndex = 0;
    stage.setAttribute('role', 'group');
    stage.setAttribute(
      'aria-label',
      'Box: drag a new one, or move it with the arrow keys and resize it with Shift and the arrow keys; Enter uses it',
    );
    stage.append(image, frame);
    result.alt = 'Measured pixels; the rest is faded';
    result.hidden = true;
    said.setAttribute('role', 'status');
    side.append(
      make(
        'p',
        'th-soft',
        'Drag on the image. By keyboard: arrow keys move the box, Shift and arrow keys resize it.',
      ),
      fields,
      result,
      said,
    );
    foot.append(use, salient, whole, finer);
    body.append(stage, side);
    dialog.replaceChildren(head, body, foot);
    show();
    dialog.showModal();
    stage.focus({ preventScroll: true });
    look();
  };
}
