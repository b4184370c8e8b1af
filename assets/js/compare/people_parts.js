// Parts of the view "People and files": strips of distributions, a field for concepts, drop zones.
import { make, many, put } from '../shared/dom.js';
import { ask } from '../shared/http.js';

export const PEOPLE_URL = '/api/compare/sets';
const shareText = (share) => (100 * share).toFixed(1) + '%';
// A distribution as touching colors, the largest share first; each names its bin.
function distributionStrip(bins, shares) {
  const box = make('span', 'th-people-strip');
  shares.forEach(([at, share]) => {
    const part = make('i');
    part.style.flexGrow = String(share);
    part.style.background = bins[at].hex;
    part.title = bins[at].name + ' · ' + bins[at].hex + ' · ' + shareText(share);
    box.appendChild(part);
  });
  return box;
}
// One concept of a set: its words, its strip, its dominant bin. A press opens the Concept view.
export function conceptRow(bins, one, open) {
  const row = make(open ? 'button' : 'div', 'th-people-row');
  const words = make('span', 'th-people-words', one.words);
  const about = make('span', 'th-people-dominant');
  const [at, share] = one.bins[0];
  about.append(bins[at].name, make('small', '', shareText(share)));
  words.appendChild(
    make(
      'small',
      '',
      [
        one.label,
        one.kind || 'other words',
        one.people ? many(one.people, 'person').replace('persons', 'people') : '',
      ]
        .filter(Boolean)
        .join(' · '),
    ),
  );
  row.append(words, distributionStrip(bins, one.bins), about);
  if (row instanceof HTMLButtonElement) {
    row.type = 'button';
    row.title = 'Compare ' + one.words;
    row.addEventListener('click', () => open(one));
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
  const given = (files) => {
    if (files && files.length) take([...files]);
  };
  input.addEventListener('change', () => {
    given(input.files);
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
  zone.addEventListener('drop', (event) => given(event.dataTransfer && event.dataTransfer.files));
}
// A field with the concepts that hold what is typed. Words that are no concept may stay.
export function conceptField(box, changed) {
  const input = box.querySelector('input');
  const list = box.querySelector('[role="listbox"]');
  const hint = box.querySelector('.th-people-hint');
  let asked = 0;
  let active = -1;
  let timer = null;
  const items = () => [...list.querySelectorAll('[role="option"]')];
  const close = () => {
    list.hidden = true;
    active = -1;
    input.setAttribute('aria-expanded', 'false');
    input.removeAttribute('aria-activedescendant');
  };
  function choose(words) {
    input.value = words;
    close();
    look(false);
    changed();
  }
  function mark(next) {
    const all = items();
    active = all.length ? (next + all.length) % all.length : -1;
    all.forEach((one, at) => one.setAttribute('aria-selected', String(at === active)));
    if (active < 0) return;
    input.setAttribute('aria-activedescendant', all[active].id);
    all[active].scrollIntoView({ block: 'nearest' });
  }
  async function look(open) {
    const number = ++asked;
    const typed = input.value.trim();
    put(hint, '');
    if (!typed) {
      list.replaceChildren();
      close();
      return;
    }
    let data;
    try {
      data = await ask(PEOPLE_URL + '/words?typed=' + encodeURIComponent(typed));
    } catch (error) {
      if (number === asked) put(hint, error.message);
      return;
    }
    if (number !== asked) return;
    list.replaceChildren(
      ...data.found.map((one, at) => {
        const item = make('li', '', one.words);
        item.id = list.id + '-' + at;
        item.setAttribute('role', 'option');
        item.append(make('small', '', one.category + ' · ' + one.kind));
        // Before the field loses the focus.
        item.addEventListener('mousedown', (event) => {
          event.preventDefault();
          choose(one.words);
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
      data.similar.forEach((words, at) => {
        const one = make('button', 'th-people-similar', words);
        one.type = 'button';
        one.addEventListener('click', () => choose(words));
        hint.append(at ? ' ' : ' Similar: ', one);
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
    set(words) {
      input.value = words;
      look(false);
    },
  };
}
// Values of a strip of buttons that is in the template.
export function pressed(box, attribute, first, changed) {
  const buttons = [...box.querySelectorAll('[' + attribute + ']')];
  let now = first;
  const show = () =>
    buttons.forEach((one) =>
      one.setAttribute('aria-pressed', String(one.getAttribute(attribute) === now)),
    );
  buttons.forEach((one) =>
    one.addEventListener('click', () => {
      now = one.getAttribute(attribute);
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
