// The stage in jsdom, for marks.js and search.js: the template that Python has filled, an image of
// 200 × 100 pixels at one screen pixel each, and an app that answers when a test says so.
import { settled, widget } from '../page.js';

const { html } = JSON.parse(process.env.TRUEHUE_PAGE);
export const WIDTH = 200;
export const HEIGHT = 100;
const LEFT = 10;
const TOP = 20;

// A layout, which jsdom has none of: the overlay is the image, and the frame around it is larger.
window.SVGElement.prototype.getBoundingClientRect = () => ({
  ...{ left: LEFT, top: TOP, width: WIDTH, height: HEIGHT },
});
for (const side of ['clientWidth', 'clientHeight'])
  Object.defineProperty(window.HTMLElement.prototype, side, { get: () => 1000 });
window.HTMLElement.prototype.setPointerCapture = () => {};

/** Uploads under way, as `{ headers, body, aborted, answers(status, body), fails() }`. */
export const uploads = [];
globalThis.XMLHttpRequest = window.XMLHttpRequest = class {
  constructor() {
    Object.assign(this, { headers: {}, upload: {}, aborted: false });
    uploads.push(this);
  }
  open(method, path) {
    Object.assign(this, { method, path });
  }
  setRequestHeader(name, value) {
    this.headers[name] = value;
  }
  send(body) {
    this.body = body;
  }
  abort() {
    this.aborted = true;
  }
  answers(status, body) {
    Object.assign(this, { status, responseText: JSON.stringify(body) });
    this.onload();
  }
  fails() {
    this.onerror();
  }
};

/** A stage as the form mounts it, with the values that it gave in `values`. */
export async function stage(more = {}) {
  document.body.replaceChildren();
  const values = [];
  let value = null;
  const searches = [];
  let answered = null;
  const props = {
    ...{ image_id: null, marks: [], seq: 0, outline: '', found: '', ...more },
    search(kind, marked) {
      searches.push([kind, marked]);
      return new Promise((begin, refuse) => {
        answered = { begin, refuse };
      });
    },
  };
  Object.defineProperty(props, 'value', {
    enumerable: true,
    get: () => value,
    set(next) {
      if (JSON.stringify(next) !== JSON.stringify(value)) values.push(next);
      value = next;
    },
  });
  const made = await widget('stage/stage', { html: html['stage/stage'], props });
  const root = made.element.querySelector('.th-stage');
  const part = (name) => root.querySelector('.th-stage-' + name);
  /** Several props at once, as an answer of Python brings them. */
  const python = (changes) => {
    const { value: provided, ...others } = changes;
    Object.assign(props, others);
    if (provided !== undefined) value = provided;
    for (const name of Object.keys(changes)) made.set(name, props[name]);
  };
  const button = (name) =>
    [...root.querySelectorAll('button')].find(
      (node) => (node.getAttribute('aria-label') || node.textContent.trim()) === name,
    );
  return {
    ...{ ...made, root, part, python, button, values, searches },
    /** The app has begun the last search, as this job. */
    async begins(job, words = '') {
      answered.begin({ job, words });
      await settled();
    },
    /** The app says why it begins no search. */
    async refuses(text) {
      answered.refuse(new Error(text));
      await settled();
    },
    marks: () => values.at(-1).marks,
    kinds: () => values.at(-1).marks.map((mark) => mark.type),
    /** The answer to the last marks: a mask with this outline. */
    answers: (outline, changes = {}) =>
      python({ outline, mask_text: outline && 'A mask', message: '', seq: value.seq, ...changes }),
    /** Presses a button as a pointer does. */
    press(name) {
      button(name).dispatchEvent(new window.MouseEvent('click', { bubbles: true, detail: 1 }));
    },
    key(key, changes = {}, target = document.body) {
      const event = { key, bubbles: true, cancelable: true, ...changes };
      target.dispatchEvent(new window.KeyboardEvent('keydown', event));
    },
    /** Draws through image pixels. */
    drag(points, changes = {}) {
      const send = (type, [x, y]) => {
        const index = { clientX: LEFT + x, clientY: TOP + y, button: 0, ...changes };
        const event = new window.MouseEvent(type, { bubbles: true, cancelable: true, ...index });
        Object.assign(event, { pointerId: 1, pointerType: 'mouse' });
        part('scroll').dispatchEvent(event);
      };
      send('pointerdown', points[0]);
      points.slice(1).forEach((point) => send('pointermove', point));
      send('pointerup', points.at(-1));
    },
    outline: () => root.querySelector('.th-stage-outline.white').getAttribute('d') || '',
  };
}

/** What opening an image sets. */
export const opening = (image_id = 'a1', more = {}) => ({
  image_id,
  image_url: `/media/images/${image_id}.png`,
  ...{ width: WIDTH, height: HEIGHT, image_name: 'made.png' },
  ...{ notes: [], marks: [], outline: '', mask_text: '', message: '', seq: 0 },
  value: { image_id, marks: [], seq: 0, restored: 1 },
  ...more,
});

/** A stage with an image on it. */
export async function opened(more) {
  sessionStorage.clear();
  const made = await stage();
  made.python(opening('a1', more));
  return made;
}

/** Chooses files as the browser's dialog does. */
export function choose(made, ...files) {
  const input = made.part('input');
  Object.defineProperty(input, 'files', { value: files, configurable: true });
  input.dispatchEvent(new window.Event('change'));
}
