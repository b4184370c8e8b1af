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
  const find = (name) => box.querySelector('.th-concept-' + name);
  const search = find('search');
  const list = find('list');
  const siblings = find('siblings');
  const state = { query: '', kind: '', category: '', having: '' };
  let all = [];
  let now = null;
  let open = true;
  let rows = 0;
  let position = -1;

  const plain = (text) =>
    text
      .toLocaleLowerCase('en')
      .replace(/[_\-\s]+/g, ' ')
      .trim();
  // Every word that was typed begins a word of the concept.
  function matches(item) {
    const text = ' ' + item.plain;
    return plain(state.query)
      .split(' ')
      .every((part) => !part || text.includes(' ' + part));
  }
  const fits = {
    query: matches,
    kind: (item) => !state.kind || item.kind === state.kind,
    category: (item) => !state.category || item.category === state.category,
    having: (item) => !state.having || item[state.having] > 0,
  };
  // A facet is counted under all the others, as if it were not chosen itself.
  function under(but) {
    return all.filter((item) =>
      Object.entries(fits).every(([name, fit]) => name === but || fit(item)),
    );
  }
  function counted(name, choices, source) {
    const result = under(name);
    return choices.map((choice) => ({
      id: choice.id,
      name:
        choice.name +
        ' ' +
        result.filter((item) => source(item, choice.id)).length.toLocaleString('en-US'),
    }));
  }
  function marks(people, images) {
    const node = make('i', 'th-concept-marks', (people ? '●' : '') + (images ? '▪' : ''));
    node.title = [people ? 'people’s colors' : '', images ? 'models’ images' : '']
      .filter(Boolean)
      .join(' and ');
    return node;
  }
  function draw() {
    strip(
      find('kinds'),
      counted('kind', KINDS, (item, id) => !id || item.kind === id),
      state.kind,
      (id) => {
        state.kind = id;
        draw();
      },
    );
    strip(
      find('having'),
      counted('having', HAVING, (item, id) => !id || item[id] > 0),
      state.having,
      (id) => {
        state.having = id;
        draw();
      },
    );
    const categories = [...new Set(all.map((item) => item.category))];
    const by = under('category');
    options(
      find('category'),
      [
        { id: '', name: 'All ' + by.length.toLocaleString('en-US') },
        ...categories.map((name) => ({
          id: name,
          name:
            name + ' ' + by.filter((item) => item.category === name).length.toLocaleString('en-US'),
        })),
      ],
      state.category,
    );
    // What has data stands first, then things before their modifiers, otherwise the paper's order.
    const result = under('').sort(
      (item, other) =>
        Number(other.people > 0) - Number(item.people > 0) ||
        Number(other.pictures > 0) - Number(item.pictures > 0) ||
        Number(other.kind === 'base') - Number(item.kind === 'base') ||
        item.place - other.place,
    );
    position = Math.min(position, result.length - 1);
    list.replaceChildren(
      ...result.slice(0, LISTED).map((item, index) => {
        const button = make('button', 'th-concept-concept', item.words);
        button.type = 'button';
        button.setAttribute('role', 'option');
        button.setAttribute('aria-selected', String(Boolean(now) && now === item.key));
        button.title = item.category + ' · ' + (item.kind || 'not in ColorConceptBench');
        if (index === position) button.classList.add('th-concept-at');
        if (item.people || item.pictures) button.append(marks(item.people, item.pictures));
        button.addEventListener('click', () => pick(item));
        return button;
      }),
    );
    put(
      find('found'),
      !all.length
        ? ''
        : !result.length
          ? 'No concept matches. Shorten the search, or choose other filters.'
          : many(result.length, 'concept') +
            (result.length > LISTED
              ? '; the first ' + LISTED + ' are shown. Search, or choose a category.'
              : '.') +
            ' ● people’s colors · ▪ images',
    );
    return result;
  }
  function pick(item) {
    open = false;
    position = -1;
    choose({ concept: item.id, words: item.id ? '' : item.words });
  }
  search.addEventListener('input', () => {
    state.query = search.value;
    position = search.value ? 0 : -1;
    draw();
  });
  search.addEventListener('keydown', (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const result = list.children.length;
    if (step && result) {
      position = (position + step + result) % result;
      draw();
      event.preventDefault();
    }
    if (event.key === 'Enter' && result) {
      list.children[Math.max(position, 0)].click();
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
      all = listed.map(([id, text, item, category, kind, people, images], index) => ({
        id,
        words: text,
        thing: item,
        category,
        kind,
        people,
        pictures: images,
        place: index,
        key: id || text,
        plain: plain(text + ' ' + item),
      }));
      draw();
      front();
    },
    has: (key) => all.some((item) => item.key === key),
    // The concept on the page, with its siblings.
    show(answer) {
      const concept = answer.concept;
      now = concept ? concept.id : answer.words;
      open = false;
      put(find('words'), answer.words);
      put(
        find('kind'),
        concept
          ? concept.category + ' · ' + (concept.kind === 'base' ? 'base concept' : concept.kind)
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
              const button = make('button', 'th-concept-concept', each.modifier || each.thing);
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
      rows = 0; // what is put on the page next folds the list
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
