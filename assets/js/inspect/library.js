// The drawer of stored images: newest first, searched and narrowed; click one to open it, select
// some to delete them. Opened when props.open is set.
import { make, many, put } from '../shared/dom.js';
import { enlarge } from '../shared/enlarge.js';
import { ask, send } from '../shared/http.js';
import { undo } from '../shared/verdict_actions.js';
import { store } from '../shared/state.js';
import { MAX_PHOTOGRAPHS, openSweep } from '../compare/sweep.js';

const FROM = {
  upload: 'Photographs and uploads',
  question: 'Study questions',
  render: 'Reference renderer',
  generated: 'Models',
  import: 'Imports',
  archive: 'Imported runs',
  example: 'Examples',
  'not kept': 'Pixels not kept',
};

/** @param {import('../shared/widget.js').Widget} widget */
export function mount({ element, trigger, watch }) {
  const dialog = element.querySelector('dialog');
  const part = (name) => element.querySelector('.th-library-' + name);
  const grid = part('grid');
  const status = part('status');
  const more = part('more');
  const search = part('search');
  const from = part('source');
  let shown = 0;
  let selecting = false;
  let loads = 0;
  const chosen = new Set();

  async function load(fresh) {
    const mine = ++loads;
    if (fresh) shown = 0;
    status.textContent = 'Loading…';
    try {
      const data = await ask(
        `/api/images?${new URLSearchParams({
          limit: '60',
          offset: String(shown),
          source: from.value,
          words: search.value.trim(),
        })}`,
      );
      if (mine !== loads) return;
      if (fresh) grid.replaceChildren();
      data.images.forEach((image) => grid.appendChild(imageButton(image)));
      shown += data.images.length;
      more.hidden = shown >= data.total;
      sources(data.sources);
      const narrowed = from.value || search.value.trim();
      status.textContent = data.total
        ? shown.toLocaleString('en-US') + ' of ' + data.total.toLocaleString('en-US')
        : narrowed && data.stored
          ? 'None of ' + many(data.stored, 'stored image') + ' fits.'
          : 'No images yet. Drop a photograph on the stage, or generate one in Generate.';
      part('select').hidden = !data.stored;
    } catch (error) {
      if (mine === loads)
        status.textContent = 'The stored images could not be listed. ' + error.message;
    }
  }
  /** @param {Api.ImageJson} image */
  function imageButton(image) {
    const button = make('button', 'th-library-item');
    const thumbnail = make('img');
    button.type = 'button';
    button.dataset.image = image.image_id;
    // A thumbnail of a small picture could have other pixels than the picture.
    thumbnail.src = enlarge(thumbnail, image.width, image.height) ? image.url : image.thumb;
    thumbnail.alt = '';
    thumbnail.loading = 'lazy';
    // An archive may have come without its images.
    thumbnail.addEventListener('error', () => {
      thumbnail.replaceWith(make('span', 'th-library-missing', 'No pixels stored'));
    });
    button.append(
      thumbnail,
      make('span', '', image.name),
      make('small', '', image.width + ' × ' + image.height + ' · ' + image.source),
    );
    button.addEventListener('click', () => {
      if (selecting) {
        toggle(button);
        return;
      }
      trigger('open', { image: image.image_id });
      dialog.close();
    });
    mark(button);
    return button;
  }
  function mark(button) {
    if (selecting) button.setAttribute('aria-pressed', String(chosen.has(button.dataset.image)));
    else button.removeAttribute('aria-pressed');
  }
  function toggle(button) {
    const id = button.dataset.image;
    if (!chosen.delete(id)) chosen.add(id);
    mark(button);
    bar();
  }
  function bar() {
    part('bar').hidden = !selecting;
    put(
      part('chosen'),
      chosen.size
        ? many(chosen.size, 'image') +
            ' chosen' +
            (chosen.size > MAX_PHOTOGRAPHS ? '; a sweep takes ' + MAX_PHOTOGRAPHS : '')
        : 'Click images to select them.',
    );
    part('delete').setAttribute('aria-disabled', String(!chosen.size));
    const fits = chosen.size >= 1 && chosen.size <= MAX_PHOTOGRAPHS;
    part('sweep').setAttribute('aria-disabled', String(!fits));
  }
  function select(on) {
    selecting = on;
    if (!on) chosen.clear();
    put(part('select'), on ? 'Done' : 'Select');
    part('select').setAttribute('aria-pressed', String(on));
    [...grid.children].forEach(mark);
    bar();
  }
  function sources(counts) {
    const before = from.value;
    const all = Object.values(counts).reduce((sum, number) => sum + number, 0);
    const listed = Object.keys(counts);
    if (before && !listed.includes(before)) listed.push(before);
    from.replaceChildren(
      new Option('everywhere (' + all.toLocaleString('en-US') + ')', ''),
      ...listed.map(
        (entry) =>
          new Option(
            (FROM[entry] || entry) + ' (' + (counts[entry] || 0).toLocaleString('en-US') + ')',
            entry,
          ),
      ),
    );
    from.value = before;
  }
  async function remove() {
    if (!chosen.size || part('delete').getAttribute('aria-disabled') === 'true') return;
    part('delete').setAttribute('aria-disabled', 'true');
    part('told').replaceChildren();
    try {
      const gone = await send('/api/trash', { kind: 'image', ids: [...chosen] });
      select(false);
      undo(part('told'), 'Deleted: ' + gone.words + '.', gone.id, changed);
      changed();
    } catch (error) {
      refuse(error);
    }
    bar();
  }
  function refuse(error) {
    const said = make('p', 'th-problem', error.message);
    said.setAttribute('role', 'alert');
    part('told').replaceChildren(said);
  }
  function changed() {
    store.tell('drawn');
    load(true);
    deleted();
  }
  // What was deleted lies aside for some days, and can be put back or taken off the disk at once.
  async function deleted() {
    let data;
    try {
      data = await ask('/api/trash');
    } catch {
      return; /* the drawer is of use without it */
    }
    const box = part('trash');
    box.hidden = !data.deleted.length;
    put(
      box.querySelector('summary'),
      'Deleted (' + data.deleted.length.toLocaleString('en-US') + ')',
    );
    box.querySelector('ul').replaceChildren(
      make(
        'li',
        'th-soft',
        'Removed from the disk ' +
          data.days +
          ' days after deletion, at the next start of TrueHue.',
      ),
      ...data.deleted.map((entry) => {
        const line = make('li');
        const back = make('button', 'th-button', 'Restore');
        const gone = make('button', 'th-button', 'Delete permanently');
        [back, gone].forEach((button) => {
          button.type = 'button';
        });
        back.addEventListener('click', async () => {
          try {
            await send(`/api/trash/${entry.id}/restore`, {});
            part('told').replaceChildren();
            changed();
          } catch (error) {
            refuse(error);
            deleted();
          }
        });
        gone.addEventListener('click', async () => {
          if (gone.dataset.sure !== 'yes') {
            gone.dataset.sure = 'yes';
            put(gone, 'Click again: this cannot be undone');
            return;
          }
          try {
            await send(`/api/trash/${entry.id}/purge`, {});
            part('told').replaceChildren();
          } catch (error) {
            refuse(error);
          }
          deleted();
        });
        line.append(
          make(
            'span',
            '',
            entry.words +
              ' · ' +
              new Date(entry.at).toLocaleString('en-US', {
                dateStyle: 'medium',
                timeStyle: 'short',
              }),
          ),
          back,
          gone,
        );
        return line;
      }),
    );
  }

  let typing = null;
  search.addEventListener('input', () => {
    clearTimeout(typing);
    typing = setTimeout(() => load(true), 200);
  });
  from.addEventListener('change', () => load(true));
  more.addEventListener('click', () => load(false));
  part('select').addEventListener('click', () => select(!selecting));
  part('delete').addEventListener('click', remove);
  part('sweep').addEventListener('click', () => {
    if (part('sweep').getAttribute('aria-disabled') !== 'true') openSweep([...chosen]);
  });
  part('close').addEventListener('click', () => dialog.close());
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close();
  });
  watch('open', () => {
    part('told').replaceChildren();
    select(false);
    dialog.showModal();
    load(true);
    deleted();
  });
}
