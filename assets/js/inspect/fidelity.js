// The card of color fidelity: scores of the whole image, CFM's map over it, and the images of the
// same prompt, ranked. It asks the app when it is open, and not before.
import { make, options } from '../shared/dom.js';
import { ask, send } from '../shared/http.js';

// Dark blue by gray to yellow: told apart with every kind of color vision, and in gray.
const RAMP = [
  [0, 34, 78],
  [125, 124, 120],
  [254, 232, 56],
];

/** @param {number} share from 0 to 1 */
function heat(share) {
  const index = Math.min(Math.max(share, 0), 1) * (RAMP.length - 1);
  const low = Math.min(Math.floor(index), RAMP.length - 2);
  return RAMP[low].map((code, n) => Math.round(code + (RAMP[low + 1][n] - code) * (index - low)));
}

/**
 * Paints rows of two hexadecimal digits a cell.
 * @param {HTMLCanvasElement} canvas
 * @param {string[]} rows
 */
function paint(canvas, rows) {
  canvas.width = rows[0].length / 2;
  canvas.height = rows.length;
  const pen = canvas.getContext('2d');
  if (!pen) return;
  const cells = pen.createImageData(canvas.width, canvas.height);
  rows.forEach((row, y) => {
    for (let x = 0; x < canvas.width; x += 1) {
      const level = parseInt(row.slice(2 * x, 2 * x + 2), 16) / 255;
      cells.data.set([...heat(level), 255], 4 * (y * canvas.width + x));
    }
  });
  pen.putImageData(cells, 0, 0);
}

/**
 * @param {HTMLDetailsElement} card
 * @returns {(image: string) => void} shows an image, '' for none
 */
export function fidelityCard(card) {
  const part = (/** @type {string} */ name) =>
    /** @type {any} */ (card.querySelector('.th-fidelity-' + name));
  let image = '';
  let by = '';
  let request = 0;

  /** @param {any} view */
  function draw(view) {
    part('scores').replaceChildren(
      ...view.scores.flatMap((/** @type {any} */ row) => {
        const value = make('dd', 'th-num', row.text);
        value.title = row.title;
        return [make('dt', '', row.name), value];
      }),
    );
    part('how').hidden = !view.how_to;
    part('how').textContent = view.how_to;
    part('ask').hidden = !view.cfm;
    part('prompt').hidden = !view.no_prompt;
    part('no-prompt').textContent = view.no_prompt;
    part('no-prompt').hidden = !view.cfm || !view.no_prompt;
    part('of').textContent = view.prompt ? '“' + view.prompt + '”' : '';
    part('map').hidden = !view.map;
    if (view.map) {
      part('picture').src = view.url;
      paint(part('heat'), view.map);
      part('words').textContent = view.map_words;
    }
    part('rank').hidden = !view.others.length;
    part('alone').hidden = Boolean(view.others.length);
    part('alone').textContent = view.prompt
      ? 'No other image of this prompt is stored.'
      : 'Without a prompt there are no images to rank it against.';
    options(part('by'), view.measures, view.by);
    part('others').replaceChildren(
      ...view.others.map((/** @type {any} */ other, /** @type {number} */ index) => {
        const link = /** @type {HTMLAnchorElement} */ (make('a', 'th-fidelity-other'));
        link.href = other.href;
        const thumb = /** @type {HTMLImageElement} */ (make('img'));
        thumb.src = other.thumb;
        thumb.alt = 'Image ' + (index + 1) + (other.here ? ', the open one' : '');
        thumb.loading = 'lazy';
        if (other.here) link.setAttribute('aria-current', 'true');
        link.append(thumb, make('span', '', (other.rank ? other.rank + '. ' : '') + other.text));
        return link;
      }),
    );
  }

  /** @param {() => Promise<any>} question @param {string} meanwhile */
  async function fill(question, meanwhile) {
    request += 1;
    const mine = request;
    part('said').textContent = meanwhile;
    try {
      const view = await question();
      if (mine !== request) return;
      part('said').textContent = '';
      part('body').hidden = false;
      draw(view);
    } catch (error) {
      if (mine === request) part('said').textContent = /** @type {Error} */ (error).message;
    }
  }

  function load() {
    if (!image || !card.open) return;
    fill(() => ask(`/api/fidelity/${image}?by=${encodeURIComponent(by)}`), '');
  }

  card.addEventListener('toggle', load);
  part('by').addEventListener('change', () => {
    by = part('by').value;
    load();
  });
  part('score').addEventListener('click', () => {
    const prompt = part('prompt').value;
    fill(() => send('/api/fidelity', { image, prompt }), 'Scoring with CFM…');
  });
  const opacity = () => {
    part('heat').style.opacity = String(part('opacity').value / 100);
    part('share').textContent = part('opacity').value + '%';
  };
  part('opacity').addEventListener('input', opacity);
  opacity();
  return (next) => {
    card.hidden = !next;
    if (next === image) return;
    image = next;
    part('body').hidden = true;
    part('prompt').value = '';
    load();
  };
}
