// Saved colorings: opened with their whole log, saved as files, deleted by their author.
import { make, many, put } from '../shared/dom.js';
import { ask, send } from '../shared/http.js';
import { ago } from './library.js';

/**
 * @param {HTMLElement} box
 * @param {(coloring: Api.SavedColoring) => void} open called with a kept coloring
 * @param {(rows: Api.SavedColoring[]) => void} changed called with all of them
 */
export function savedList(box, open, changed) {
  const list = box.querySelector('.th-colorize-kept-list');
  const problem = box.querySelector('.th-problem');

  /** @param {Api.SavedColoring[]} rows */
  function draw(rows) {
    box.hidden = !rows.length;
    changed(rows);
    put(
      box.querySelector('.th-colorize-kept-count'),
      many(rows.length, 'coloring') + ', newest first',
    );
    list.replaceChildren(...rows.map(coloringTile));
  }
  function coloringTile(entry) {
    const node = make('article', 'th-colorize-kept-one');
    const button = make('button', 'th-colorize-tile');
    const frame = make('span', 'th-colorize-tile-paper');
    const image = make('img');
    button.type = 'button';
    button.title = 'Open it with all ' + many(entry.actions, 'step');
    image.src = entry.thumb;
    image.alt = '';
    image.loading = 'lazy';
    frame.append(image);
    button.append(
      frame,
      make('b', '', entry.words),
      make('small', '', ago(entry.at) + ' · ' + many(entry.actions, 'step')),
    );
    button.addEventListener('click', () => open(entry));
    const foot = make('span', 'th-colorize-kept-foot');
    Object.entries({ coloring: 'PNG', colors: 'Colors', svg: 'SVG' }).forEach(([kind, name]) => {
      const link = make('a', 'th-link', name);
      link.href = entry.files[kind];
      link.download = '';
      foot.append(link);
    });
    if (entry.mine) {
      const away = make('button', 'th-link', 'Delete');
      away.type = 'button';
      away.addEventListener('click', () => {
        if (away.dataset.sure) remove(entry);
        else {
          away.dataset.sure = '1';
          put(away, 'Delete permanently?');
          setTimeout(() => {
            delete away.dataset.sure;
            put(away, 'Delete');
          }, 4000);
        }
      });
      foot.append(away);
    }
    node.append(button, foot);
    return node;
  }
  async function remove(entry) {
    try {
      draw((await send(`/api/colorize/kept/${entry.id}/delete`, {})).kept);
      problem.hidden = true;
    } catch (error) {
      put(problem, error.message);
      problem.hidden = false;
    }
  }
  return {
    async show() {
      try {
        draw((await ask('/api/colorize/kept')).kept);
        problem.hidden = true;
      } catch (error) {
        put(problem, error.message);
        problem.hidden = false;
        box.hidden = false;
      }
    },
  };
}
