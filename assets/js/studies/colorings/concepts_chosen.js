// The chosen concepts, each with its sketch, or another one where there are several.
import { make, many, options, put } from '../../shared/dom.js';
import { fold } from '../form_fields.js';
import { button, whole } from '../parts.js';
import { normal, paper } from './sketch_choice.js';

const FIRST = 24;

/**
 * @param {{ form: any, sketchesOf: (words: string) => import('./sketch_choice.js').SketchChoice[],
 *   changed: () => void, drop: (words: string) => void }} given
 */
export function chosenList({ form, sketchesOf, changed, drop }) {
  const list = make('ul', 'th-colorings-chosen');
  const box = fold('Selected concepts and sketches', list);
  const title = /** @type {HTMLElement} */ (box.querySelector('summary'));
  let all = false;
  let rendered = '';
  /** @type {string[]} */
  let parts = [];

  /** @param {string} text */
  function chosenRow(text) {
    const node = make('li');
    const about = make('div');
    const fitting = sketchesOf(text);
    form.sketches ||= {};
    const key = form.sketches[text];
    const sketch = fitting.find((entry) => entry.key === key) || fitting[0];
    const away = button('×', () => drop(text), 'th-study-small');
    away.setAttribute('aria-label', 'Leave out ' + text);
    about.append(make('b', '', text));
    if (!sketch) {
      about.append(make('small', '', 'Excluded: no sketch yet.'));
      node.dataset.without = '';
    } else {
      const own = normal(sketch.shows) === normal(text);
      about.append(
        make('small', '', (own ? '' : 'sketch of ' + sketch.shows + ', ') + sketch.source),
      );
      sketch.warnings.forEach((warning) =>
        about.append(make('small', 'th-colorings-warned', '△ ' + warning)),
      );
    }
    if (fitting.length > 1) {
      const select = make('select');
      select.setAttribute('aria-label', 'Sketch for ' + text);
      options(
        select,
        fitting.map((entry, index) => ({
          id: entry.key,
          name: index + 1 + '. ' + entry.shows + ', ' + entry.source,
        })),
        sketch.key,
      );
      select.addEventListener('change', () => {
        if (select.value === fitting[0].key) delete form.sketches[text];
        else form.sketches[text] = select.value;
        const now = chosenRow(text);
        node.replaceWith(now);
        now.querySelector('select')?.focus();
        changed();
      });
      about.append(select);
    }
    node.append(paper(sketch), about, away);
    return node;
  }
  function draw() {
    box.hidden = !parts.length;
    const without = parts.filter((text) => !sketchesOf(text).length);
    put(
      title,
      many(parts.length, 'concept') +
        ' selected, with sketches' +
        (without.length ? '; ' + without.length + ' without one' : ''),
    );
    if (!box.open) return;
    // Those without a sketch come first: something has to be done about them.
    const ordered = [...without, ...parts.filter((text) => !without.includes(text))];
    const shown = all ? ordered : ordered.slice(0, FIRST);
    const now = JSON.stringify([shown, without, form.sketches]);
    if (now === rendered) return;
    rendered = now;
    list.replaceChildren(...shown.map(chosenRow));
    if (shown.length < ordered.length) {
      const more = make('li', 'th-colorings-rest');
      more.append(
        button('Show ' + whole(ordered.length - shown.length) + ' more', () => {
          all = true;
          draw();
        }),
      );
      list.append(more);
    }
  }
  box.addEventListener('toggle', draw);
  return {
    node: box,
    /** @param {string[]} now */
    draw(now) {
      parts = now;
      draw();
    },
  };
}
