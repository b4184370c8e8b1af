// All that was colored, small, before the end: to look at, and to open once more.

import { decode } from '../canvas/regions.js';
import { Layer } from '../canvas/layer.js';
import { make } from './frame.js';
import { askActions, askGlance, sketchFiles } from './link.js';
import { say } from './texts.js';

/** Pixels of the longer side of a small picture; a tile is half as wide on a fine screen. */
const SIDE = 320;

/** @typedef {import('../canvas/actions.js').Action} Action */
/** @typedef {Api.SketchTrial & { changeable: boolean }} ColoredSketch */

/**
 * Fills a box with the sketches; it stays empty where there is one alone, or no network.
 * @param {HTMLElement} box
 * @param {(sketch: ColoredSketch, actions: Action[]) => void} change opens one once more
 * @param {() => boolean} isSent whether the study has everything
 */
export async function showGlance(box, change, isSent) {
  while (!isSent()) {
    await new Promise((done) => setTimeout(done, 200));
    if (!box.isConnected) return;
  }
  const { sketches } = await askGlance();
  if (sketches.length < 2 || !box.isConnected) return;
  const list = make('ul', 'glance-list');
  const some = sketches.some((sketch) => sketch.changeable);
  box.append(
    make('h2', '', say('glance_title')),
    make('p', 'text', say(some ? 'glance_text' : 'glance_only')),
    list,
  );
  const tiles = sketches.map((sketch) => tileOf(sketch, change));
  list.append(...tiles.map(({ item }) => item));
  // One after the other: each takes a moment, and whoever goes on does not wait for them.
  for (const { render } of tiles) {
    if (!box.isConnected) return;
    await render().catch(() => {});
  }
}

/**
 * @param {ColoredSketch} sketch
 * @param {(sketch: ColoredSketch, actions: Action[]) => void} change
 */
function tileOf(sketch, change) {
  const { position, words, changeable } = sketch;
  const { id, width, height } = sketch.sketch;
  const scale = SIDE / Math.max(width, height);
  const picture = make('canvas');
  picture.width = Math.round(width * scale);
  picture.height = Math.round(height * scale);
  const tile = make(changeable ? 'button' : 'div', 'glance-tile');
  tile.append(picture, make('span', '', words));
  if (changeable) tile.title = say('glance_change', { words });
  tile.dataset.position = String(position);
  const item = make('li');
  item.append(tile);
  const actions = async () => (await askActions(position)).actions;
  if (changeable)
    tile.addEventListener('click', () =>
      actions()
        .then((done) => change(sketch, done))
        .catch(() => {}),
    );
  const render = async () => {
    const files = sketchFiles(id);
    const ink = new Image();
    ink.src = files.ink;
    const [coded, done] = await Promise.all([fetch(files.regions), actions(), ink.decode()]);
    const regions = decode(await coded.arrayBuffer());
    const layer = new Layer(width, height, regions.maps);
    for (const action of done) layer.apply(action);
    const whole = make('canvas');
    whole.width = width;
    whole.height = height;
    whole.getContext('2d')?.putImageData(new ImageData(layer.bytes, width, height), 0, 0);
    const context = picture.getContext('2d');
    if (!context) return;
    context.imageSmoothingQuality = 'high';
    for (const image of [whole, ink]) context.drawImage(image, 0, 0, picture.width, picture.height);
  };
  return { item, render };
}
