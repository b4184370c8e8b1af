// Preparing sketches: one for each thing, picked among candidates that a model drew, drawings that
// were brought, and TrueHue's own.
import { make, put } from '../shared/dom.js';
import { store } from '../shared/state.js';
import { broughtDrawings } from './brought.js';
import { library, libraryChanged } from './library.js';
import { preparePanel } from './prepare.js';
import { thingList } from './things.js';
import { thingRoom } from './thing.js';
import { colorize, ofColorizeLink } from './view.js';

/**
 * @param {HTMLElement} box
 * @param {(values: Record<string, string>) => void} color opens a drawing to be colored
 */
export function sketchesView(box, color) {
  const find = (name) => box.querySelector('.th-sk-' + name);
  const said = find('problem');
  /** @type {import('./library.js').Known | null} */
  let known = null;

  const dialog = make('dialog', 'th-col-dialog');
  const inner = make('section');
  dialog.append(inner);
  box.append(dialog);
  /** @type {(stored: any) => void} */
  let taken = () => {};
  const panel = preparePanel(inner, {
    title: 'Prepare it',
    does: 'Use this sketch',
    words: true,
    left: () => dialog.close(),
    done(stored) {
      dialog.close();
      taken(stored);
    },
  });
  dialog.addEventListener('close', () => panel.close());

  const calls = {
    /**
     * Opens a drawing to be adjusted before it is taken.
     * @param {{ image: string, words: string }} of
     * @param {(stored: any) => void} [then]
     */
    adjust(of, then) {
      taken = (stored) => {
        then?.(stored);
        changed(stored);
      };
      dialog.showModal();
      panel.open(of);
    },
    changed,
    color,
    listed: () => list.listed(),
    problem,
  };
  const list = thingList(box, (words) => choose(words));
  const room = thingRoom(find('body'), calls);
  const brought = broughtDrawings(find('brought'), calls);

  function problem(text) {
    put(said, text);
    said.hidden = !text;
  }
  /** @param {any} stored what the app says of a sketch that was stored */
  function changed(stored) {
    libraryChanged();
    const words = stored?.sketch.words;
    if (words !== colorize.thing && known?.bases.some((one) => one.words === words)) choose(words);
  }
  function choose(words) {
    ofColorizeLink({ thing: words });
    list.mark(words);
    find('none').hidden = Boolean(words);
    find('body').hidden = !words;
    if (words) room.open(words, known);
  }
  async function read() {
    try {
      known = await library();
      problem('');
    } catch (error) {
      problem(error.message);
      return;
    }
    const names = new Set(known.stored.map((one) => one.words));
    const having = known.bases.filter((base) => base.drawing || names.has(base.words)).length;
    put(
      find('count'),
      having + ' of ' + known.bases.length + ' objects of ColorConceptBench have a drawing',
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
