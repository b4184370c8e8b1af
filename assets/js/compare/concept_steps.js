// What lies behind a distribution: the images of a bin, and the steps of the extraction.
import { make, many, options, put } from '../shared/dom.js';
import { ask } from '../shared/http.js';
import { labWords, percent, signedNumber } from './concept_figures.js';
import { binPatch } from './concept_numbers.js';

function pictureButton(one, { words, said, opened }) {
  const button = make('button', 'th-cc-picture');
  const image = make('img');
  button.type = 'button';
  image.loading = 'lazy';
  image.alt = '';
  image.src = one.small;
  image.addEventListener('error', () =>
    image.replaceWith(make('span', 'th-cc-gone', 'The file of this image is missing.')),
  );
  button.title = ['Open in Inspect', one.about].filter(Boolean).join(' · ');
  button.append(image, make('span', '', said));
  button.addEventListener('click', () => {
    opened({ opened: one.image, mask: one.mask, object: words });
  });
  return button;
}
export function imagesOfBin(box, { bins, ask: question, openPicture }) {
  const dialog = box.querySelector('.th-cc-images');
  let turn = 0;
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close();
  });
  return async function open(index, sources, words) {
    const mine = ++turn;
    const one = bins()[index];
    const body = make('div', 'th-cc-images-body');
    const head = make('header');
    const patch = make('i', 'th-cc-images-patch');
    const close = make('button', 'th-button', 'Close');
    const name = make('div');
    patch.style.background = one.hex;
    close.type = 'button';
    close.addEventListener('click', () => dialog.close());
    name.append(
      make('h3', '', one.name),
      make('p', 'th-soft', 'Bin ' + index + ' · ' + one.hex + ' · ' + labWords(one)),
    );
    head.append(patch, name, close);
    dialog.replaceChildren(head, body);
    if (!dialog.open) dialog.showModal();
    await Promise.all(
      sources.map(async (source) => {
        const part = make('section');
        const title = make('h4', '', source.letter + ' · ' + source.label);
        const about = make(
          'p',
          'th-soft',
          source.pictures
            ? 'Finding its images…'
            : 'Share: ' +
                percent(source.weights[index]) +
                '. Imported as numbers: there are no images to show.',
        );
        const grid = make('div', 'th-cc-pictures');
        part.append(title, about, grid);
        body.append(part);
        if (!source.pictures) return;
        try {
          const found = await ask(
            '/api/compare/images?' + question({ source: source.source, bin: index }),
          );
          if (mine !== turn) return;
          const share = 'Share: ' + percent(found.share) + '. ';
          put(
            about,
            share +
              (found.with
                ? found.with +
                  ' of ' +
                  many(found.all, 'image') +
                  (found.with === 1 ? ' has' : ' have') +
                  ' pixels closest to this bin. Below each: the share of its own masked pixels.'
                : found.share > 0
                  ? 'No pixel is closest to this bin: extraction merged colors into it.'
                  : 'No image has pixels here.'),
          );
          if (found.with && found.share === 0)
            put(
              about,
              about.textContent + ' Extraction excluded these colors, or merged them into others.',
            );
          grid.replaceChildren(
            ...found.images.map((image) =>
              pictureButton(image, {
                words,
                said: percent(image.share),
                opened: (picture) => {
                  dialog.close();
                  openPicture(picture);
                },
              }),
            ),
          );
        } catch (error) {
          if (mine === turn) {
            put(about, error.message);
            about.className = 'th-problem';
          }
        }
      }),
    );
  };
}
// Touching swatches as wide as their weights.
function paletteStrip(colors, says) {
  const strip = make('div', 'th-cc-strip');
  strip.setAttribute('role', 'img');
  strip.setAttribute(
    'aria-label',
    says + ': ' + colors.map((one) => one.hex + ' ' + percent(one.weight)).join(', '),
  );
  colors.forEach((one) => {
    const part = make('i');
    part.style.background = one.hex;
    part.style.flexGrow = String(one.weight);
    part.title =
      one.hex +
      ' · L* ' +
      one.lab[0].toFixed(1) +
      ' · a* ' +
      signedNumber(one.lab[1]) +
      ' · b* ' +
      signedNumber(one.lab[2]) +
      ' · ' +
      percent(one.weight);
    strip.append(part);
  });
  return strip;
}
export function extractionSteps(box, { bins, ask: question, chose, openPicture }) {
  const part = box.querySelector('.th-cc-steps');
  const select = box.querySelector('.th-cc-steps-of');
  const body = box.querySelector('.th-cc-steps-body');
  let turn = 0;
  let of = '';
  let words = '';
  function step(number, title, said) {
    const node = make('section', 'th-cc-step');
    node.append(make('h4', '', number + '. ' + title));
    if (said) node.append(make('p', 'th-soft', said));
    return node;
  }
  function group(one, index, several) {
    const node = make('article', 'th-cc-group');
    const grid = make('div', 'th-cc-pictures');
    grid.append(
      ...one.images.map((image) => {
        const button = pictureButton(image, {
          words,
          said: image.about || image.mask_px.toLocaleString('en-US') + ' px',
          opened: openPicture,
        });
        if (image.dominant) {
          const dominant = make('i', 'th-cc-dominant');
          dominant.style.background = image.dominant;
          dominant.title = 'Dominant color ' + image.dominant;
          button.insertBefore(dominant, button.lastChild);
        }
        return button;
      }),
    );
    if (several)
      node.append(
        make(
          'h5',
          '',
          'Group ' +
            (index + 1) +
            ' · ' +
            many(one.images.length + one.more, 'image') +
            ' · weight ' +
            percent(one.weight),
        ),
      );
    node.append(grid);
    if (one.more) node.append(make('p', 'th-soft', 'and ' + many(one.more, 'image') + ' more'));
    if (one.pooled.length) {
      const before = make('div', 'th-cc-merge');
      const line = (text, colors) => {
        before.append(make('span', 'th-soft', text), paletteStrip(colors, text));
      };
      line(
        'Pooled: ' + many(one.pooled.length, 'color') + ', ' + percent(one.kept) + ' of the pixels',
        one.pooled,
      );
      line('Merged: ' + many(one.merged.length, 'color'), one.merged);
      node.append(before);
    }
    return node;
  }
  async function load() {
    const mine = ++turn;
    if (!of) return;
    body.setAttribute('aria-busy', 'true');
    try {
      const found = await ask('/api/compare/steps?' + question({ source: of }));
      if (mine !== turn) return;
      const nodes = [];
      if (found.words) nodes.push(make('p', '', found.words));
      if (found.settings.length) {
        const list = make('dl', 'th-cc-settings');
        found.settings.forEach(([name, value]) =>
          list.append(make('dt', '', name), make('dd', '', value)),
        );
        nodes.push(list);
      }
      if (found.groups.length) {
        const several = found.palette.length > 0;
        const node = step(
          1,
          several ? 'Images, masks and groups' : 'Images and masks',
          several
            ? 'Faded pixels are outside the mask. The bar below an image is its dominant color; images with similar dominant colors form a group.'
            : 'Faded pixels are outside the mask.',
        );
        node.append(...found.groups.map((one, index) => group(one, index, several)));
        nodes.push(node);
      }
      if (found.palette.length) {
        const node = step(
          2,
          'All groups together: ' + many(found.palette.length, 'color'),
          'Each group is weighted by its number of images.',
        );
        node.append(paletteStrip(found.palette, 'Palette'));
        nodes.push(node);
      }
      const node = step(
        found.palette.length ? 3 : found.groups.length ? 2 : 1,
        'Bins: ' + found.bins.length + ' of 71 are not empty',
      );
      const list = make('ol', 'th-cc-bins');
      found.bins.slice(0, 12).forEach((one) => {
        const row = make('li');
        row.append(
          binPatch(bins(), one.index),
          make('b', '', percent(one.weight)),
          make('span', '', bins()[one.index].name.replaceAll('* ', '*\u00a0')),
        );
        list.append(row);
      });
      node.append(list);
      if (found.bins.length > 12)
        node.append(
          make(
            'p',
            'th-soft',
            'and ' +
              many(found.bins.length - 12, 'bin') +
              ' with ' +
              percent(found.bins.slice(12).reduce((sum, one) => sum + one.weight, 0)) +
              ' together',
          ),
        );
      nodes.push(node);
      if (found.notes.length) {
        const notes = make('details', 'th-cc-open-points');
        notes.append(
          make('summary', '', 'Notes, and choices the paper leaves open'),
          ...found.notes.map((text) => make('p', 'th-soft', text)),
        );
        nodes.push(notes);
      }
      body.replaceChildren(...nodes);
    } catch (error) {
      if (mine === turn) body.replaceChildren(make('p', 'th-problem', error.message));
    }
    if (mine === turn) body.removeAttribute('aria-busy');
  }
  select.addEventListener('change', () => {
    of = select.value;
    chose(of);
    load();
  });
  return {
    draw(there, concept, wanted) {
      part.hidden = !there.length;
      words = concept;
      // Those that have steps first: an import has none.
      const best = there.find((one) => one.pictures) || there[0];
      if (there.some((one) => one.source === wanted)) of = wanted;
      if (!there.some((one) => one.source === of)) of = best ? best.source : '';
      options(
        select,
        there.map((one) => ({ id: one.source, name: one.letter + ' · ' + one.label })),
        of,
      );
      load();
    },
  };
}
