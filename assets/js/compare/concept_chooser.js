// Choosing a concept: search, facets with counts, and the siblings of the one that is chosen.
import { make, many, options, put, strip } from '../shared/dom.js';

const KINDS = [
  { id: '', name: 'All' },
  { id: 'base', name: 'Base' },
  { id: 'visual state', name: 'Visual state' },
  { id: 'emotional', name: 'Emotional' },
];
const HAVING = [
  { id: '', name: 'Any data' },
  { id: 'people', name: '● People’s colors' },
  { id: 'pictures', name: '▪ Images' },
];
const LISTED = 84;

export function conceptChooser(box, choose) {
  const find = (name) => box.querySelector('.th-cc-' + name);
  const search = find('search');
  const list = find('list');
  const siblings = find('siblings');
  const state = { query: '', kind: '', category: '', having: '' };
  let all = [];
  let now = null;
  let open = true;
  let rows = 0;
  let at = -1;

  const plain = (text) =>
    text
      .toLocaleLowerCase('en')
      .replace(/[_\-\s]+/g, ' ')
      .trim();
  // Every word that was typed begins a word of the concept.
  function matches(one) {
    const words = ' ' + one.plain;
    return plain(state.query)
      .split(' ')
      .every((part) => !part || words.includes(' ' + part));
  }
  const fits = {
    query: matches,
    kind: (one) => !state.kind || one.kind === state.kind,
    category: (one) => !state.category || one.category === state.category,
    having: (one) => !state.having || one[state.having] > 0,
  };
  // A facet is counted under all the others, as if it were not chosen itself.
  function under(but) {
    return all.filter((one) =>
      Object.entries(fits).every(([name, fit]) => name === but || fit(one)),
    );
  }
  function counted(name, choices, of) {
    const found = under(name);
    return choices.map((choice) => ({
      id: choice.id,
      name:
        choice.name +
        ' ' +
        found.filter((one) => of(one, choice.id)).length.toLocaleString('en-US'),
    }));
  }
  function marks(people, pictures) {
    const node = make('i', 'th-cc-marks', (people ? '●' : '') + (pictures ? '▪' : ''));
    node.title = [people ? 'people’s colors' : '', pictures ? 'pictures' : '']
      .filter(Boolean)
      .join(' and ');
    return node;
  }
  function draw() {
    strip(
      find('kinds'),
      counted('kind', KINDS, (one, id) => !id || one.kind === id),
      state.kind,
      (id) => {
        state.kind = id;
        draw();
      },
    );
    strip(
      find('having'),
      counted('having', HAVING, (one, id) => !id || one[id] > 0),
      state.having,
      (id) => {
        state.having = id;
        draw();
      },
    );
    const categories = [...new Set(all.map((one) => one.category))];
    const by = under('category');
    options(
      find('category'),
      [
        { id: '', name: 'All ' + by.length.toLocaleString('en-US') },
        ...categories.map((name) => ({
          id: name,
          name:
            name + ' ' + by.filter((one) => one.category === name).length.toLocaleString('en-US'),
        })),
      ],
      state.category,
    );
    // What has data stands first, then things before their modifiers, otherwise the paper's order.
    const found = under('').sort(
      (one, other) =>
        Number(other.people > 0) - Number(one.people > 0) ||
        Number(other.pictures > 0) - Number(one.pictures > 0) ||
        Number(other.kind === 'base') - Number(one.kind === 'base') ||
        one.place - other.place,
    );
    at = Math.min(at, found.length - 1);
    list.replaceChildren(
      ...found.slice(0, LISTED).map((one, index) => {
        const button = make('button', 'th-cc-concept', one.words);
        button.type = 'button';
        button.setAttribute('role', 'option');
        button.setAttribute('aria-selected', String(Boolean(now) && now === one.key));
        button.title = one.category + ' · ' + (one.kind || 'not in ColorConceptBench');
        if (index === at) button.classList.add('th-cc-at');
        if (one.people || one.pictures) button.append(marks(one.people, one.pictures));
        button.addEventListener('click', () => pick(one));
        return button;
      }),
    );
    put(
      find('found'),
      !all.length
        ? ''
        : !found.length
          ? 'No concept matches. Shorten the search, or choose other filters.'
          : many(found.length, 'concept') +
            (found.length > LISTED
              ? '; the first ' + LISTED + ' are shown. Search, or choose a category.'
              : '.') +
            ' ● people’s colors · ▪ images',
    );
    return found;
  }
  function pick(one) {
    open = false;
    at = -1;
    choose({ concept: one.id, words: one.id ? '' : one.words });
  }
  search.addEventListener('input', () => {
    state.query = search.value;
    at = search.value ? 0 : -1;
    draw();
  });
  search.addEventListener('keydown', (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const found = list.children.length;
    if (step && found) {
      at = (at + step + found) % found;
      draw();
      event.preventDefault();
    }
    if (event.key === 'Enter' && found) {
      list.children[Math.max(at, 0)].click();
      event.preventDefault();
    }
    if (event.key === 'Escape' && now) {
      open = false;
      front();
    }
  });
  find('category').addEventListener('change', (event) => {
    state.category = event.target.value;
    draw();
  });
  find('another').addEventListener('click', () => {
    open = !open;
    front();
    if (open) search.focus();
  });
  // Without a concept the list is open, unless images stand on the page: their figures come first.
  function front() {
    const folds = Boolean(now) || rows > 0;
    find('now').hidden = !folds;
    find('lead').hidden = folds;
    find('browse').hidden = folds && !open;
    find('another').setAttribute('aria-expanded', String(open));
    put(
      find('another'),
      open ? 'Close the list' : now ? 'Choose another concept' : 'Choose a concept',
    );
    if (now) return;
    put(find('words'), many(rows, 'image'));
    put(find('kind'), 'no concept chosen');
    siblings.hidden = true;
  }
  return {
    // All concepts of the server; the number of each that there is may have changed.
    fill(listed) {
      all = listed.map(([id, words, thing, category, kind, people, pictures], place) => ({
        id,
        words,
        thing,
        category,
        kind,
        people,
        pictures,
        place,
        key: id || words,
        plain: plain(words + ' ' + thing),
      }));
      draw();
      front();
    },
    has: (key) => all.some((one) => one.key === key),
    // The concept on the page, with its siblings.
    show(answer) {
      const one = answer.concept;
      now = one ? one.id : answer.words;
      open = false;
      put(find('words'), answer.words);
      put(
        find('kind'),
        one
          ? one.category + ' · ' + (one.kind === 'base' ? 'base concept' : one.kind)
          : 'imported; not in ColorConceptBench',
      );
      const known = new Map(all.map((each) => [each.key, each]));
      const groups = [
        ['base', ''],
        ['visual state', 'Visual state'],
        ['emotional', 'Emotional'],
      ];
      siblings.replaceChildren(
        ...groups.flatMap(([kind, name]) => {
          const members = answer.siblings.filter((each) => each.kind === kind);
          if (!members.length) return [];
          return [
            ...(name ? [make('span', 'th-soft', name)] : []),
            ...members.map((each) => {
              const button = make('button', 'th-cc-concept', each.modifier || each.thing);
              const has = known.get(each.id);
              button.type = 'button';
              button.setAttribute('aria-pressed', String(each.id === now));
              button.title = each.words;
              if (has && (has.people || has.pictures))
                button.append(marks(has.people, has.pictures));
              button.addEventListener('click', () => choose({ concept: each.id, words: '' }));
              return button;
            }),
          ];
        }),
      );
      siblings.hidden = answer.siblings.length < 2;
      draw();
      front();
    },
    begin() {
      open = true;
      now = null;
      front();
      draw();
    },
    // How many distributions stand on the page.
    rows(count) {
      if (!now && Boolean(count) !== Boolean(rows)) open = !count;
      rows = count;
      front();
    },
    focus() {
      open = true;
      front();
      search.focus();
    },
  };
}
