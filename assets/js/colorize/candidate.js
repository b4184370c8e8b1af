// A candidate for a sketch: its lines, its regions or its source image, and its warnings.
import { make, put } from '../shared/dom.js';
import { ask } from '../shared/http.js';
import { USUAL, askPrepared, preparedAddress, regionWords, warningList } from './prepare.js';

const AT_ONCE = 2;
/** @type {(() => Promise<void>)[]} */
const waiting = [];
let running = 0;

/**
 * Preparing an image takes a second of the app: a few at a time.
 * @param {() => Promise<void>} work
 */
function queue(work) {
  waiting.push(work);
  setTimeout(next); // its card is on the page by then
}
function next() {
  if (running >= AT_ONCE || !waiting.length) return;
  running++;
  /** @type {() => Promise<void>} */ (waiting.shift())().finally(() => {
    running--;
    next();
  });
}

/**
 * A card of a candidate.
 * @param {{ image?: string, sketch?: string, drawing?: string, title: string, about: string,
 *   inUse?: boolean, known?: Set<string> }} item an image to be prepared, a stored sketch, or a
 *   starter drawing; `known` are the ids of sketches that are stored
 * @param {{ name: string, title?: string, act: () => Promise<void> | void }[]} buttons
 */
export function candidateCard(item, buttons) {
  const node = make('article', 'th-sketches-candidate');
  const image = make('img');
  const frame = make('div', 'th-sketches-paper');
  const text = make('p', 'th-sketches-regions');
  const warned = make('div');
  const problem = make('p', 'th-problem');
  const feet = make('p', 'th-colorize-feet');
  let sketch = item.sketch || '';
  let view = 'ink';
  image.alt = '';
  image.loading = 'lazy';
  problem.hidden = true;
  node.classList.toggle('th-sketches-in-use', Boolean(item.inUse));
  frame.append(image);
  const title = make('b', '', item.title);
  if (item.inUse) title.append(make('i', 'th-sketches-used', 'in use'));
  // What comes later stands below the buttons: they stay where they are.
  node.append(frame, title, make('small', '', item.about), feet, problem, text, warned);
  buttons.forEach(({ name, title: tip = '', act }) => {
    const button = make('button', 'th-button', name);
    button.type = 'button';
    button.title = tip;
    button.addEventListener('click', async () => {
      if (button.getAttribute('aria-disabled') === 'true') return;
      button.setAttribute('aria-disabled', 'true');
      try {
        await act();
      } catch (error) {
        put(problem, error.message);
        problem.hidden = false;
      }
      button.setAttribute('aria-disabled', 'false');
    });
    feet.append(button);
  });

  function paint() {
    if (item.image)
      image.src =
        view === 'image'
          ? '/media/thumbs/' + item.image + '.png?side=384'
          : preparedAddress(item.image, USUAL, view) + '&side_px=420';
    else if (view === 'regions' && sketch)
      image.src = '/api/colorize/sketches/' + sketch + '/regions.png?side=420';
    else if (item.drawing) image.src = '/api/colorize/starter/' + item.drawing + '.svg';
    else if (sketch) image.src = '/api/colorize/sketches/' + sketch + '.png?side=512';
  }
  queue(async () => {
    if (!node.isConnected) return; // another thing was chosen meanwhile
    try {
      if (item.image) {
        const about = await askPrepared(item.image, USUAL);
        put(text, regionWords(about));
        warned.replaceChildren(warningList(about.warnings));
        node.dataset.warnings = String(about.warnings.length);
        if (item.known?.has(about.id))
          feet.firstChild?.replaceWith(make('span', 'th-soft', 'stored'));
        return;
      }
      const query = new URLSearchParams({ sketch, drawing: item.drawing || '' });
      const about = await ask(`/api/colorize/sketch?${query}`);
      sketch = about.id;
      warned.replaceChildren(warningList(about.warnings));
      if (view === 'regions') paint();
    } catch (error) {
      put(problem, error.message);
      problem.hidden = false;
    }
  });
  return {
    node,
    /** @param {string} next `ink`, `regions` or `image` */
    show(next) {
      view = next;
      paint();
    },
  };
}
