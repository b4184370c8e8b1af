// The data behind a distribution: the images of a bin, and the steps of the extraction.
import { make, many, options, put } from '../shared/dom.js';
import { ask } from '../shared/http.js';
import { labWords, percent, signedNumber } from './concept_figures.js';
import { binPatch } from './concept_numbers.js';

/** @param {Api.ConceptImage} item */
function pictureButton(item, { words, said, opened }) {
  const button = make('button', 'th-concept-picture');
  const image = make('img');
  button.type = 'button';
  image.loading = 'lazy';
  image.alt = '';
  image.src = item.small;
  image.addEventListener('error', () =>
    image.replaceWith(make('span', 'th-concept-gone', 'The file of this image is missing.')),
  );
  button.title = ['Open in Inspect', item.about].filter(Boolean).join(' · ');
  button.append(image, make('span', '', said));
  button.addEventListener('click', () => {
    opened({ image: item.image, mask: item.mask, object: words });
  });
  return button;
}
export function imagesOfBin(box, { bins, ask: question, openPicture }) {
  const dialog = box.querySelector('.th-concept-images');
  let turn = 0;
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close();
  });
  return async function open(index, sources, text) {
    const mine = ++turn;
    const item = bins()[index];
    const body = make('div', 'th-concept-images-body');
    const head = make('header');
    const patch = make('i', 'th-concept-images-patch');
    const close = make('button', 'th-button', 'Close');
    const name = make('div');
    patch.style.background = item.hex;
    close.type = 'button';
    close.addEventListener('click', () => dialog.close());
    name.append(
      make('h3', '', item.name),
      make('p', 'th-soft', 'Bin ' + index + ' · ' + item.hex + ' · ' + labWords(item)),
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
        const grid = make('div', 'th-concept-pictures');
        part.append(title, about, grid);
        body.append(part);
        if (!source.pictures) return;
        try {
          const result = await ask(
            `/api/compare/images?${question({ source: source.source, bin: index })}`,
          );
          if (mine !== turn) return;
          const share = 'Share: ' + percent(result.share) + '. ';
          put(
            about,
            share +
              (result.with
                ? result.with +
                  ' of ' +
                  many(result.all, 'image') +
                  (result.with === 1 ? ' has' : ' have') +
                  ' pixels closest to this bin. Below each: the share of its own masked pixels.'
                : result.share > 0
                  ? 'No pixel is closest to this bin: extraction merged colors into it.'
                  : 'No image has pixels here.'),
          );
          if (result.with && result.share === 0)
            put(
              about,
              about.textContent + ' Extraction excluded these colors, or merged them into others.',
            );
          grid.replaceChildren(
            ...result.images.map((image) =>
              pictureButton(image, {
                words: text,
                said: percent(image.share),
                opened: (choice) => {
                  dialog.close();
                  openPicture(choice);
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
/** @param {Api.PaletteColor[]} colors */
function paletteStrip(colors, says) {
  const strip = make('div', 'th-concept-strip');
  strip.setAttribute('role', 'img');
  strip.setAttribute(
    'aria-label',
    says + ': ' + colors.map((color) => color.hex + ' ' + percent(color.weight)).join(', '),
  );
  colors.forEach((color) => {
    const part = make('i');
    part.style.background = color.hex;
    part.style.flexGrow = String(color.weight);
    part.title =
      color.hex +
      ' · L* ' +
      color.lab[0].toFixed(1) +
      ' · a* ' +
      signedNumber(color.lab[1]) +
      ' · b* ' +
      signedNumber(color.lab[2]) +
      ' (D65, 2°) · ' +
      percent(color.weight);
    strip.append(part);
  });
  return strip;
}
export function extractionSteps(box, { bins, ask: question, chose, openPicture }) {
  const part = box.querySelector('.th-concept-steps');
  const select = box.querySelector('.th-concept-steps-of');
  const body = box.querySelector('.th-concept-steps-body');
  let turn = 0;
  let suffix = '';
  let message = '';
  function step(number, title, said) {
    const node = make('section', 'th-concept-step');
    node.append(make('h4', '', number + '. ' + title));
    if (said) node.append(make('p', 'th-soft', said));
    return node;
  }
  /** @param {Api.ExtractionGroup} item */
  function group(item, index, several) {
    const node = make('article', 'th-concept-group');
    const grid = make('div', 'th-concept-pictures');
    grid.append(
      ...item.images.map((image) => {
        const button = pictureButton(image, {
          words: message,
          said: image.about || image.mask_px.toLocaleString('en-US') + ' px',
          opened: openPicture,
        });
        if (image.dominant) {
          const dominant = make('i', 'th-concept-dominant');
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
            many(item.images.length + item.more, 'image') +
            ' · weight ' +
            percent(item.weight),
        ),
      );
    node.append(grid);
    if (item.more) node.append(make('p', 'th-soft', 'and ' + many(item.more, 'image') + ' more'));
    if (item.pooled.length) {
      const before = make('div', 'th-concept-merge');
      const line = (text, colors) => {
        before.append(make('span', 'th-soft', text), paletteStrip(colors, text));
      };
      line(
        'Pooled: ' +
          many(item.pooled.length, 'color') +
          ', ' +
          percent(item.kept) +
          ' of the pixels',
        item.pooled,
      );
      line('Merged: ' + many(item.merged.length, 'color'), item.merged);
      node.append(before);
    }
    return node;
  }
  async function load() {
    const mine = ++turn;
    if (!suffix) return;
    body.setAttribute('aria-busy', 'true');
    try {
      const result = await ask(`/api/compare/steps?${question({ source: suffix })}`);
      if (mine !== turn) return;
      const nodes = [];
      if (result.words) nodes.push(make('p', '', result.words));
      if (result.settings.length) {
        const list = make('dl', 'th-concept-settings');
        result.settings.forEach(([name, value]) =>
          list.append(make('dt', '', name), make('dd', '', value)),
        );
        nodes.push(list);
      }
      if (result.groups.length) {
        const several = result.palette.length > 0;
        const node = step(
          1,
          several ? 'Images, masks and groups' : 'Images and masks',
          several
            ? 'Faded pixels are outside the mask. The bar below an image is its dominant color; images with similar dominant colors form a group.'
            : 'Faded pixels are outside the mask.',
        );
        node.append(...result.groups.map((item, index) => group(item, index, several)));
        nodes.push(node);
      }
      if (result.palette.length) {
        const node = step(
          2,
          'All groups together: ' + many(result.palette.length, 'color'),
          'Each group is weighted by its number of images.',
        );
        node.append(paletteStrip(result.palette, 'Palette'));
        nodes.push(node);
      }
      const node = step(
        result.palette.length ? 3 : result.groups.length ? 2 : 1,
        'Bins: ' + result.bins.length + ' of 71 are not empty',
      );
      const list = make('ol', 'th-concept-bins');
      result.bins.slice(0, 12).forEach((bin) => {
        const row = make('li');
        row.append(
          binPatch(bins(), bin.index),
          make('b', '', percent(bin.weight)),
          make('span', '', bins()[bin.index].name.replaceAll('* ', '*\u00a0')),
        );
        list.append(row);
      });
      node.append(list);
      if (result.bins.length > 12)
        node.append(
          make(
            'p',
            'th-soft',
            'and ' +
              many(result.bins.length - 12, 'bin') +
              ' with ' +
              percent(result.bins.slice(12).reduce((sum, item) => sum + item.weight, 0)) +
              ' together',
          ),
        );
      nodes.push(node);
      if (result.notes.length) {
        const notes = make('details', 'th-concept-open-points');
        notes.append(
          make('summary', '', 'Notes, and choices the paper leaves open'),
          ...result.notes.map((text) => make('p', 'th-soft', text)),
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
    suffix = select.value;
    chose(suffix);
    load();
  });
  return {
    draw(there, concept, wanted) {
      part.hidden = !there.length;
      message = concept;
      // Those that have steps first: an import has none.
      const best = there.find((item) => item.pictures) || there[0];
      if (there.some((item) => item.source === wanted)) suffix = wanted;
      if (!there.some((item) => item.source === suffix)) suffix = best ? best.source : '';
      options(
        select,
        there.map((item) => ({ id: item.source, name: item.letter + ' · ' + item.label })),
        suffix,
      );
      load();
    },
  };
}
