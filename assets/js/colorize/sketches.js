// Preparing sketches: one for each base concept, picked among candidates that a model drew, drawings that
// were brought, and TrueHue's own.
import { make, put } from '../shared/dom.js';
import { store } from '../shared/state.js';
import { importedSketches } from './imported.js';
import { library, libraryChanged } from './library.js';
import { preparePanel } from './prepare.js';
import { objectList } from './objects.js';
import { objectView } from './object.js';
import { colorize, ofColorizeLink } from './view.js';

/**
 * @param {HTMLElement} box
 * @param {(values: Record<string, string>) => void} color opens a drawing to be colored
 */
export function sketchesView(box, color) {
  const find = (name) => box.querySelector('.th-sketches-' + name);
  const said = find('problem');
  /** @type {import('./library.js').Known | null} */
  let known = null;

  const dialog = make('dialog', 'th-colorize-dialog');
  const inner = make('section');
  dialog.append(inner);
  box.append(dialog);
  /** @type {(stored: any) => void} */
  let used = () => {};
  const panel = preparePanel(inner, {
    title: 'Prepare it',
    does: 'Use this sketch',
    words: true,
    left: () => dialog.close(),
    done(stored) {
      dialog.close();
      used(stored);
    },
  });
  dialog.addEventListener('close', () => panel.close());

  const calls = {
    /**
     * Opens a drawing to be adjusted before it is taken.
     * @param {{ image: string, words: string }} source
     * @param {(stored: any) => void} [then]
     */
    adjust(source, then) {
      used = (stored) => {
        then?.(stored);
        changed(stored);
      };
      dialog.showModal();
      panel.open(source);
    },
    changed,
    color,
    listed: () => list.listed(),
    problem,
  };
  const list = objectList(box, (text) => choose(text));
  const room = objectView(find('body'), calls);
  const brought = importedSketches(find('brought'), calls);

  function problem(text) {
    put(said, text);
    said.hidden = !text;
  }
  /** @param {any} stored what the app says of a sketch that was stored */
  function changed(stored) {
    libraryChanged();
    const text = stored?.sketch.words;
    if (text !== colorize.thing && known?.bases.some((base) => base.words === text)) choose(text);
  }
  function choose(text) {
    ofColorizeLink({ thing: text });
    list.mark(text);
    find('none').hidden = Boolean(text);
    find('body').hidden = !text;
    if (text) room.open(text, known);
  }
  async function read() {
    try {
      known = await library();
      problem('');
    } catch (error) {
      problem(error.message);
      return;
    }
    const names = new Set(known.stored.map((item) => item.words));
    const having = known.bases.filter((base) => base.drawing || names.has(base.words)).length;
    put(
      find('count'),
      having + ' of ' + known.bases.length + ' base concepts of ColorConceptBench have a drawing',
    );
    list.fill(known);
    choose(colorize.thing);
  }
  store.subscribe('colorize-library', () => {
    if (colorize.view === 'sketches') read();
  });
  const input = find('drop').querySelector('input');
  input.addEventListener('change', () => {
    const files = [...(input.files || [])];
    input.value = '';
    brought.bring(files);
  });
  return {
    show: read,
    /** @param {File[]} files */
    bring: (files) => brought.bring(files),
  };
}
