// Parts of the view "People and files": strips of distributions, a field for concepts, drop zones.
import { make, many, put } from '../shared/dom.js';
import { ask } from '../shared/http.js';

export const PEOPLE_URL = '/api/compare/sets';
const shareText = (share) => (100 * share).toFixed(1) + '%';
// A distribution as touching colors, the largest share first; each names its bin.
function distributionStrip(bins, shares) {
  const box = make('span', 'th-people-strip');
  shares.forEach(([index, share]) => {
    const part = make('i');
    part.style.flexGrow = String(share);
    part.style.background = bins[index].hex;
    part.title = bins[index].name + ' · ' + bins[index].hex + ' · ' + shareText(share);
    box.appendChild(part);
  });
  return box;
}
/**
 * One concept of a set: its words, its strip, its dominant bin. A press opens the Concept view.
 * @param {Api.StripBin[]} bins
 * @param {Api.ConceptStrip} item
 * @param {(item: Api.ConceptStrip) => void} [open]
 */
export function conceptRow(bins, item, open) {
  const row = make(open ? 'button' : 'div', 'th-people-row');
  const text = make('span', 'th-people-words', item.words);
  const about = make('span', 'th-people-dominant');
  const [index, share] = item.bins[0];
  about.append(bins[index].name, make('small', '', shareText(share)));
  text.appendChild(
    make(
      'small',
      '',
      [
        item.label,
        item.kind || 'other words',
        item.people ? many(item.people, 'person').replace('persons', 'people') : '',
      ]
        .filter(Boolean)
        .join(' · '),
    ),
  );
  row.append(text, distributionStrip(bins, item.bins), about);
  if (row instanceof HTMLButtonElement) {
    row.type = 'button';
    row.title = 'Compare ' + item.words;
    row.addEventListener('click', () => open(item));
  }
  return row;
}
export function foldedList(title, items, total) {
  const box = make('details', 'th-people-fold');
  box.append(make('summary', '', title + ' (' + total.toLocaleString('en-US') + ')'));
  const list = make('ul');
  items.forEach((text) => list.appendChild(make('li', '', text)));
  if (total > items.length)
    list.appendChild(
      make('li', '', 'and ' + (total - items.length).toLocaleString('en-US') + ' more'),
    );
  box.appendChild(list);
  return box;
}
// A zone that takes files by choosing or by dropping; the same file can be chosen twice.
export function dropZone(zone, take) {
  const input = zone.querySelector('input[type="file"]');
  const provide = (files) => {
    if (files && files.length) take([...files]);
  };
  input.addEventListener('change', () => {
    provide(input.files);
    input.value = '';
  });
  ['dragenter', 'dragover'].forEach((name) =>
    zone.addEventListener(name, (event) => {
      event.preventDefault();
      event.stopPropagation();
      zone.classList.add('th-people-over');
    }),
  );
  ['dragleave', 'drop'].forEach((name) =>
    zone.addEventListener(name, (event) => {
      event.preventDefault();
      event.stopPropagation();
      zone.classList.remove('th-people-over');
    }),
  );
  zone.addEventListener('drop', (event) => provide(event.dataTransfer && event.dataTransfer.files));
}
// A field with the concepts that hold what is typed. Words that are no concept may stay.
export function conceptField(box, changed) {
  const input = box.querySelector('input');
  const list = box.querySelector('[role="listbox"]');
  const hint = box.querySelector('.th-people-hint');
  let request = 0;
  let active = -1;
  let timer = null;
  const items = () => [...list.querySelectorAll('[role="option"]')];
  const close = () => {
    list.hidden = true;
    active = -1;
    input.setAttribute('aria-expanded', 'false');
    input.removeAttribute('aria-activedescendant');
  };
  function choose(text) {
    input.value = text;
    close();
    look(false);
    changed();
  }
  function mark(next) {
    const all = items();
    active = all.length ? (next + all.length) % all.length : -1;
    all.forEach((item, index) => item.setAttribute('aria-selected', String(index === active)));
    if (active < 0) return;
    input.setAttribute('aria-activedescendant', all[active].id);
    all[active].scrollIntoView({ block: 'nearest' });
  }
  async function look(open) {
    const number = ++request;
    const typed = input.value.trim();
    put(hint, '');
    if (!typed) {
      list.replaceChildren();
      close();
      return;
    }
    let data;
    try {
      data = await ask(`${PEOPLE_URL}/words?typed=${encodeURIComponent(typed)}`);
    } catch (error) {
      if (number === request) put(hint, error.message);
      return;
    }
    if (number !== request) return;
    list.replaceChildren(
      ...data.found.map((entry, index) => {
        const item = make('li', '', entry.words);
        item.id = list.id + '-' + index;
        item.setAttribute('role', 'option');
        item.append(make('small', '', entry.category + ' · ' + entry.kind));
        // Before the field loses the focus.
        item.addEventListener('mousedown', (event) => {
          event.preventDefault();
          choose(entry.words);
        });
        return item;
      }),
    );
    active = -1;
    if (!data.known) {
      hint.textContent =
        '“' +
        data.words +
        '” is not in ColorConceptBench. You can keep it, but no run generates it.';
      data.similar.forEach((text, index) => {
        const item = make('button', 'th-people-similar', text);
        item.type = 'button';
        item.addEventListener('click', () => choose(text));
        hint.append(index ? ' ' : ' Similar: ', item);
      });
    }
    const shown = open && data.found.length > 0 && document.activeElement === input;
    list.hidden = !shown;
    input.setAttribute('aria-expanded', String(shown));
  }
  input.addEventListener('input', () => {
    changed();
    clearTimeout(timer);
    timer = setTimeout(() => look(true), 120);
  });
  input.addEventListener('focus', () => {
    if (input.value.trim() && items().length > 1) {
      list.hidden = false;
      input.setAttribute('aria-expanded', 'true');
    }
  });
  input.addEventListener('blur', close);
  input.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      if (list.hidden && items().length) {
        list.hidden = false;
        input.setAttribute('aria-expanded', 'true');
      }
      mark(active + (event.key === 'ArrowDown' ? 1 : -1));
      event.preventDefault();
    } else if (event.key === 'Enter' && !list.hidden && active >= 0) {
      event.preventDefault();
      items()[active].querySelector('small').remove();
      choose(items()[active].textContent);
    } else if (event.key === 'Escape') close();
  });
  return {
    words: () => input.value.trim(),
    set(text) {
      input.value = text;
      look(false);
    },
  };
}
// Values of a strip of buttons that is in the template.
export function pressed(box, attribute, first, changed) {
  const buttons = [...box.querySelectorAll('[' + attribute + ']')];
  let now = first;
  const show = () =>
    buttons.forEach((button) =>
      button.setAttribute('aria-pressed', String(button.getAttribute(attribute) === now)),
    );
  buttons.forEach((button) =>
    button.addEventListener('click', () => {
      now = button.getAttribute(attribute);
      show();
      if (changed) changed(now);
    }),
  );
  show();
  return {
    value: () => now,
    set(value) {
      now = value;
      show();
    },
  };
}
