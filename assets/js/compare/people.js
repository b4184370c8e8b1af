// People and files: imported data, and the ways to import more.
import { arrange, make, many, put, tabButton } from '../shared/dom.js';
import { ask, send, sendFile } from '../shared/http.js';
import { opener } from '../shared/opening.js';
import { store } from '../shared/state.js';
import { distributionImport } from './people_file.js';
import { PEOPLE_URL, conceptRow, dropZone, foldedList, pressed } from './people_parts.js';
import { openSet, pictureImport } from './people_images.js';
import { compare, compareView, ofCompareLink, openCompare } from './view.js';

function button(text, act) {
  const item = make('button', 'th-button', text);
  item.type = 'button';
  item.addEventListener('click', act);
  return item;
}

function pictureCard(preview, item, openPicture) {
  const card = make('button', 'th-people-preview');
  const frame = make('div', 'th-people-frame');
  const image = make('img');
  const lines = make('span', 'th-people-lines');
  card.type = 'button';
  card.title = 'Open in Inspect';
  image.src = preview.cutout;
  image.alt = preview.name;
  image.loading = 'lazy';
  frame.appendChild(image);
  lines.append(make('b', '', preview.name));
  if (preview.contributor) lines.append(make('span', '', 'by ' + preview.contributor));
  card.append(frame, lines);
  card.addEventListener('click', () =>
    openPicture({ image: preview.image_id, mask: preview.mask_id, object: item.words }),
  );
  return card;
}

/** @param {import('../shared/widget.js').Widget} widget */
export function mount(widget) {
  const { element } = widget;
  const openPicture = opener(widget);
  const root = element.querySelector('[data-compare-view]');
  const none = root.querySelector('.th-people-none');
  const list = root.querySelector('.th-people-sets');
  const listStatus = root.querySelector('.th-people-list-status');
  const hiddenBox = root.querySelector('.th-people-hidden');
  const hiddenInput = hiddenBox.querySelector('input');
  const bring = pressed(root.querySelector('.th-people-what'), 'data-bring', 'file', () => {
    showBring();
    tellLink();
  });
  let bins = [];
  let sets = [];
  let opened = '';
  let number = 0;
  const nodes = new Map();

  const studies = root.querySelector('.th-people-go-studies');
  studies.addEventListener('click', () => tabButton('Studies')?.click());
  function showBring() {
    root.querySelectorAll('[data-part]').forEach((part) => {
      part.hidden = part.dataset.part !== bring.value();
    });
  }
  function tellLink() {
    ofCompareLink('people', {
      bring: bring.value() === 'file' ? '' : bring.value(),
      set: opened.slice(0, 16),
    });
  }
  async function load(open) {
    const mine = ++number;
    try {
      const data = await ask(`${PEOPLE_URL}?hidden=${hiddenInput.checked}`);
      if (mine !== number) return;
      bins = data.bins;
      sets = data.sets;
      none.hidden = data.people;
      studies.hidden = !tabButton('Studies');
      hiddenBox.hidden = !data.hidden;
      put(hiddenBox.querySelector('span'), 'Show hidden (' + data.hidden + ')');
      put(listStatus, sets.length ? many(sets.length, 'set') : '');
      root.querySelector('.th-people-empty').hidden = sets.length > 0;
      if (open) opened = open;
      arrange(list, sets.map(setNode));
      tellLink();
      if (open && nodes.has(open)) nodes.get(open).node.scrollIntoView({ block: 'nearest' });
    } catch (error) {
      if (mine === number) put(listStatus, error.message);
    }
  }
  function setNode(item) {
    let held = nodes.get(item.set_id);
    if (!held) {
      held = newSet(item.set_id);
      nodes.set(item.set_id, held);
    }
    held.show(item);
    return held.node;
  }
  function newSet(id) {
    const node = make('article', 'th-people-set');
    const head = make('header');
    const name = make('b');
    const whose = make('span', 'th-people-badge');
    const facts = make('p', 'th-people-facts');
    const cover = make('p', 'th-people-facts');
    const source = make('p', 'th-people-facts');
    const notes = make('div');
    const buttons = make('div', 'th-people-buttons');
    const problem = make('p', 'th-problem');
    const inside = make('div', 'th-people-inside');
    const form = make('form', 'th-people-rename');
    const input = make('input');
    const keep = make('button', 'th-button', 'Rename');
    let item = null;
    let message = '';
    input.maxLength = 120;
    input.setAttribute('aria-label', 'Name of the set');
    form.append(input, keep);
    form.hidden = problem.hidden = true;
    const see = button('', () => {
      opened = opened === id ? '' : id;
      sets.forEach((each) => nodes.get(each.set_id).show(each));
      tellLink();
    });
    const compareIt = button('Compare', () => openSet(item, item.source));
    const rename = button('Rename', () => {
      form.hidden = !form.hidden;
      input.value = item.name;
      if (!form.hidden) input.focus();
    });
    const hide = button('', () => change('hidden', { hidden: !item.hidden }));
    buttons.append(see, compareIt, rename, hide);
    head.append(name, whose);
    node.append(head, facts, cover, source, notes, buttons, form, problem, inside);
    /** @param {'hidden' | 'name'} label @param {any} values */
    async function change(label, values) {
      problem.hidden = true;
      try {
        await send(`${PEOPLE_URL}/${id}/${label}`, values);
        form.hidden = true;
        store.tell('compare-sets');
      } catch (error) {
        put(problem, error.message);
        problem.hidden = false;
      }
    }
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      change('name', { name: input.value });
    });
    return {
      node,
      show(now) {
        item = now;
        const isOpen = opened === id;
        put(name, item.name);
        put(whose, item.whose);
        put(facts, item.facts);
        put(cover, item.covers);
        cover.hidden = !item.covers;
        put(source, item.from);
        node.classList.toggle('th-people-was-hidden', item.hidden);
        if (message !== String(item.notes)) {
          message = String(item.notes);
          notes.replaceChildren(
            ...(item.notes.length
              ? [foldedList('Import notes', item.notes, item.notes.length)]
              : []),
          );
        }
        put(see, isOpen ? 'Close' : item.type === 'pictures' ? 'Show images' : 'Show concepts');
        see.setAttribute('aria-expanded', String(isOpen));
        compareIt.hidden = item.type !== 'pictures';
        put(hide, item.hidden ? 'Show' : 'Hide');
        inside.hidden = !isOpen;
        if (isOpen && !inside.firstChild) fillSet(inside, item);
      },
    };
  }
  // The concepts of a set, or its images: a page at a time.
  function fillSet(box, item) {
    const rows = make('div', item.type === 'pictures' ? 'th-people-previews' : 'th-people-rows');
    const more = make('button', 'th-button', 'Show more');
    const said = make('p', 'th-soft');
    const find = make('input', 'th-people-find');
    let index = 0;
    let request = 0;
    let timer = null;
    more.type = 'button';
    more.hidden = true;
    find.type = 'search';
    find.placeholder = 'Find a concept';
    find.setAttribute('aria-label', 'Find a concept in ' + item.name);
    find.hidden = item.type === 'pictures' || item.concepts < 8;
    said.setAttribute('role', 'status');
    box.append(find, said, rows, more);
    async function page(anew) {
      const mine = ++request;
      if (anew) index = 0;
      try {
        const data = await ask(
          `${PEOPLE_URL}/${item.set_id}?offset=${index}&typed=${encodeURIComponent(find.value.trim())}`,
        );
        if (mine !== request) return;
        const result = data.concepts
          ? data.concepts.map((row) =>
              conceptRow(bins, row, (chosen) => openSet(chosen, item.source)),
            )
          : data.pictures.map((image) => pictureCard(image, item, openPicture));
        if (anew) rows.replaceChildren(...result);
        else rows.append(...result);
        index += result.length;
        more.hidden = index >= data.total;
        put(
          said,
          data.total > index || find.value.trim()
            ? index.toLocaleString('en-US') + ' of ' + data.total.toLocaleString('en-US')
            : '',
        );
      } catch (error) {
        if (mine === request) put(said, error.message);
      }
    }
    more.addEventListener('click', () => page(false));
    find.addEventListener('input', () => {
      clearTimeout(timer);
      timer = setTimeout(() => page(true), 150);
    });
    page(true);
  }

  distributionImport(root.querySelector('[data-part="file"]'), () => bins, load);
  pictureImport(root.querySelector('[data-part="pictures"]'), {
    stored: load,
    openPicture,
  });
  // One image is no set: it goes straight to its histogram.
  const single = root.querySelector('[data-part="image"]');
  const singleStatus = single.querySelector('.th-people-status');
  dropZone(single.querySelector('.th-people-drop'), async (values) => {
    put(singleStatus, 'Reading ' + values[0].name + '…');
    singleStatus.classList.remove('th-problem');
    try {
      const image = await sendFile('/api/images', values[0]);
      put(singleStatus, '');
      store.tell('drawn');
      openCompare('concept', { d: 'image:' + image.image_id.slice(0, 16) });
    } catch (error) {
      put(singleStatus, error.message);
      singleStatus.classList.add('th-problem');
    }
  });
  root.querySelectorAll('.th-people-goto').forEach((node) =>
    node.addEventListener('click', () => {
      bring.set(node.dataset.goto);
      showBring();
      tellLink();
      root.querySelector('.th-people-bring').scrollIntoView({ block: 'nearest' });
    }),
  );
  hiddenInput.addEventListener('change', () => load());
  store.subscribe('compare-sets', () => {
    if (root.offsetParent !== null) load();
  });
  showBring();
  compareView(element, 'people', {
    shown() {
      const people = compare.values.people;
      if (['file', 'pictures', 'image'].includes(people.bring)) bring.set(people.bring);
      showBring();
      opened = people.set || opened;
      load().then(() => {
        const whole = sets.find((item) => opened && item.set_id.startsWith(opened));
        opened = whole ? whole.set_id : '';
        sets.forEach((item) => nodes.get(item.set_id).show(item));
        tellLink();
      });
    },
  });
}
