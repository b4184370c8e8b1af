// Images of concepts that are in no run: a button makes a run of them, and then their row.
import { make, put } from '../shared/dom.js';
import { ask, send } from '../shared/http.js';

const LOOK_MS = 1000;
/** A run goes on without its page: so many polls may fail before the line says so. */
const MAX_FAILURES = 5;

/**
 * Shows a line and a button for each model with such images. Returns what shows them anew.
 * @param {HTMLElement} box
 * @param {(run: string) => Promise<void>} finished adds the row of a run that has ended
 */
export function outsideRows(box, finished) {
  /** By model. @type {Map<string, { line: HTMLElement, words: HTMLElement }>} */
  const lines = new Map();
  /** Models whose run goes on. @type {Set<string>} */
  const running = new Set();

  /** @param {Api.ImagesWithoutRun} images */
  function lineOf(images) {
    const line = make('p', 'th-soft');
    const words = make('span', '', images.words);
    const button = make('button', 'th-button', images.button);
    button.type = 'button';
    words.setAttribute('role', 'status');
    button.addEventListener('click', async () => {
      running.add(images.model);
      button.hidden = true;
      try {
        const run = await scored(images.model, words);
        if (run) {
          await finished(run);
          lines.delete(images.model);
          line.remove();
        }
      } catch (error) {
        put(words, error.message);
        button.hidden = false;
      }
      running.delete(images.model);
      box.hidden = !box.children.length;
    });
    line.append(words, ' ', button);
    return { line, words };
  }

  return (/** @type {Api.ImagesWithoutRun[]} */ list) => {
    list.forEach((images) => {
      const known = lines.get(images.model);
      if (!known) lines.set(images.model, lineOf(images));
      else if (!running.has(images.model)) put(known.words, images.words);
    });
    const models = new Set(list.map((images) => images.model));
    [...lines.keys()]
      .filter((model) => !models.has(model) && !running.has(model))
      .forEach((model) => lines.delete(model));
    box.replaceChildren(...[...lines.values()].map(({ line }) => line));
    box.hidden = !box.children.length;
  };
}

/**
 * Makes a run of a model's images, and waits for its end. Returns the run; '' where the view was left.
 * @param {string} model
 * @param {HTMLElement} words
 */
async function scored(model, words) {
  put(words, 'Starting…');
  const wanted = { kind: 'stored', set: 'concepts', models: [model], masker: 'salient' };
  const [id] = (await send('/api/runs', wanted)).runs;
  for (let failures = 0; words.isConnected; await pause()) {
    let runs;
    try {
      ({ runs } = await ask('/api/runs'));
      failures = 0;
    } catch (error) {
      if (++failures > MAX_FAILURES) throw error;
      continue;
    }
    const run = runs.find((item) => item.id === id);
    if (!run) throw new Error('The run of these images was removed.');
    if (run.trouble) throw new Error(run.message);
    if (!run.moves) {
      if (run.done < run.total) throw new Error('The run was paused: resume it in Explore, Runs.');
      return id;
    }
    put(words, run.words);
  }
  return '';
}

const pause = () => new Promise((done) => setTimeout(done, LOOK_MS));
