// The compared distributions: added from the available ones, ordered, removed.
import { make, many, put } from '../shared/dom.js';
import { percent } from './concept_figures.js';
import { MAX_SOURCES } from './concept_link.js';
import { binPatch } from './concept_numbers.js';

const GROUPS = [
  ['people', 'People'],
  ['other', 'Other measurements'],
  ['run', 'Runs'],
  ['generated', 'Generated and imported images'],
  ['pictures', 'Images'],
];

/** The distributions of a view that can be shown: nothing is wrong with them, and all is measured. */
export function readyOf(view) {
  return view
    ? view.distributions.filter((distribution) => !distribution.problem && !distribution.measuring)
    : [];
}

export function sourceList(box, { bins, changed, mark, pool }) {
  const list = box.querySelector('.th-concept-sources');
  const select = box.querySelector('.th-concept-choices');
  const count = box.querySelector('.th-concept-count');
  let choices = [];
  let now = [];
  let owned = [];
  const nothing = box.querySelector('.th-concept-nothing');
  const guestLine = box.querySelector('.th-concept-guests');
  const removeGuests = guestLine.querySelector('button');
  removeGuests.addEventListener('click', () => change(now.filter((item) => !owned.includes(item))));
  function small(label, title, act, off) {
    const button = make('button', 'th-concept-small', label);
    button.type = 'button';
    button.title = title;
    button.setAttribute('aria-label', title);
    button.disabled = Boolean(off);
    button.addEventListener('click', act);
    return button;
  }
  // A second click may come before the answer to the first: it changes the order that the first left.
  function change(rows) {
    now = rows;
    changed(now.map((item) => item.source));
  }
  function remove(item) {
    change(now.filter((other) => other !== item));
  }
  function move(item, by) {
    const index = now.indexOf(item);
    if (index < 0) return;
    const rows = now.filter((other) => other !== item);
    rows.splice(Math.max(0, index + by), 0, item);
    change(rows);
  }
  /** @param {Api.DistributionJson} item */
  function row(item, index) {
    const node = make('li', 'th-concept-source');
    const letter = make('b', 'th-concept-letter', item.letter);
    const body = make('div', 'th-concept-source-body');
    const about = make('p', 'th-soft');
    const tools = make('span', 'th-concept-tools');
    node.dataset.source = item.source;
    body.append(make('p', 'th-concept-source-label', item.label));
    if (item.problem) {
      const problem = make('p', 'th-problem', item.problem);
      problem.setAttribute('role', 'alert');
      body.append(problem);
    } else if (item.measuring) {
      body.append(measuring(item));
    } else {
      put(about, [item.kind, item.counted].join(' · '));
      about.title = item.notes.join('\n');
      const strip = make('span', 'th-concept-fullest');
      item.fullest
        .filter((bin) => item.weights[bin] > 0)
        .forEach((bin) => {
          const patch = binPatch(bins(), bin);
          patch.style.flexGrow = String(item.weights[bin]);
          strip.append(patch);
        });
      strip.title =
        'Largest bins: ' +
        item.fullest
          .filter((bin) => item.weights[bin] > 0)
          .map((bin) => bins()[bin].name + ' ' + percent(item.weights[bin]))
          .join(', ');
      body.append(about, strip);
      if (item.image) body.append(measured(item));
      if (item.masks) body.append(make('p', 'th-soft', item.masks));
    }
    tools.append(
      small('↑', 'Move ' + item.letter + ' up', () => move(item, -1), index === 0),
      small('↓', 'Move ' + item.letter + ' down', () => move(item, 1), index === now.length - 1),
      small('✕', 'Remove ' + item.letter, () => remove(item)),
    );
    node.append(letter, body, tools);
    return node;
  }
  // Of images whose colors are being measured: how far that is.
  /** @param {Api.DistributionJson} item */
  function measuring(item) {
    const [done, all] = item.measuring;
    const node = make('div', 'th-concept-measuring');
    const bar = make('div', 'th-bar');
    const fill = make('i');
    bar.setAttribute('role', 'progressbar');
    bar.setAttribute('aria-label', 'Measuring the colors of ' + item.label);
    bar.setAttribute('aria-valuemin', '0');
    bar.setAttribute('aria-valuemax', String(all));
    bar.setAttribute('aria-valuenow', String(done));
    fill.style.width = (100 * done) / all + '%';
    bar.append(fill);
    node.append(
      make('p', 'th-soft', 'Measuring its colors: ' + done + ' of ' + many(all, 'image')),
      bar,
    );
    return node;
  }
  // Of a single image: which pixels count, and the way to say which.
  /** @param {Api.DistributionJson} item */
  function measured(item) {
    const node = make('div', 'th-concept-measured');
    const small = make('img');
    const text = make('span', 'th-soft', item.image.words);
    const button = make(
      'button',
      'th-link',
      item.image.whole ? 'Select the object' : 'Change the selection',
    );
    small.src = item.image.small;
    small.alt = '';
    small.loading = 'lazy';
    small.addEventListener('error', () => small.remove());
    button.type = 'button';
    button.setAttribute('aria-label', button.textContent + ' in ' + item.letter);
    button.addEventListener('click', () => mark(item));
    text.append(' ', button);
    node.append(small, text);
    return node;
  }
  const pooling = box.querySelector('.th-concept-pooling');
  const poolButton = make('button', 'th-link', '');
  poolButton.type = 'button';
  poolButton.addEventListener('click', () => pool(singles()));
  pooling.append('Each image is one row. ', poolButton);
  function singles() {
    return now.filter((item) => item.image);
  }
  select.addEventListener('change', () => {
    const source = select.value;
    select.value = '';
    if (source) changed([...now.map((item) => item.source), source]);
  });
  return {
    choices(result) {
      choices = result;
    },
    draw(distributions, concept, guests) {
      now = distributions;
      owned = now.filter((item) => guests.includes(item.source.split('/')[0]));
      guestLine.hidden = !owned.length;
      put(
        guestLine.firstElementChild,
        owned.length === 1
          ? 'Your image is also shown with ' + concept + '.'
          : owned.length + ' of your images are also shown with ' + concept + '.',
      );
      put(removeGuests, owned.length === 1 ? 'Remove it' : 'Remove them');
      list.replaceChildren(...now.map(row));
      nothing.hidden = now.length > 0;
      put(
        nothing,
        !concept
          ? 'Drop two images to compare their colors, or choose a concept.'
          : choices.length
            ? 'Nothing is shown. Add a distribution of ' +
              concept +
              ' from the list, or drop images.'
            : 'There is no data for ' +
              concept +
              ' yet. Generate images of it, import people’s colors, or drop images.',
      );
      pooling.hidden = singles().length < 2;
      put(poolButton, 'Pool these ' + singles().length + ' images into one row');
      put(count, now.length ? now.length + ' of at most ' + MAX_SOURCES : '');
      const used = new Set(now.map((item) => item.source));
      const free = choices.filter((choice) => !used.has(choice.source));
      const full = now.length >= MAX_SOURCES;
      const first = new Option(
        full
          ? 'At most six: remove one first'
          : free.length
            ? 'Add a distribution…'
            : choices.length
              ? 'All data for this concept is shown'
              : concept
                ? 'No data for this concept yet'
                : 'Choose a concept to add people and runs',
        '',
      );
      select.replaceChildren(
        first,
        ...GROUPS.flatMap(([kind, name]) => {
          const members = free.filter((item) => item.kind === kind);
          if (!members.length) return [];
          const group = document.createElement('optgroup');
          group.label = name;
          group.append(
            ...members.map(
              (member) =>
                new Option(
                  member.label +
                    (member.count
                      ? ' · ' +
                        (kind === 'people' || kind === 'other'
                          ? member.count.toLocaleString('en-US') +
                            (member.count === 1 ? ' person' : ' people')
                          : many(member.count, 'image'))
                      : '') +
                    (member.note ? ' · ' + member.note : ''),
                  member.source,
                ),
            ),
          );
          return [group];
        }),
      );
      select.value = '';
      select.disabled = full || !free.length;
      select.hidden = !concept && !free.length;
    },
  };
}
