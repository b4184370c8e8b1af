// The row of pictures in Inspect: those of the wall that one came from, in its order and under its
// filters. It goes on from picture to picture; another image on the stage puts it away.
import { make, put, roomTab } from '../shared/dom.js';
import { ask } from '../shared/http.js';
import { places } from '../shared/links.js';
import { store } from '../shared/state.js';

const KEPT = 'th-film';
const BESIDE = 12;
const MOST_PAGES = 20;
const NOUNS = { fail: 'failure', pass: 'pass', unscored: 'unscored image' };

const nameOf = (one) => one.run_id + '.' + one.position;

const imageOf = (query) =>
  (query.get('tab') || 'inspect') === 'inspect' ? query.get('image') || '' : '';

/** @param {import('../shared/widget.js').Widget} widget */
export function mount({ element, props, trigger }) {
  const strip = element.querySelector('.th-film');
  const row = strip.querySelector('.th-film-row');
  const words = strip.querySelector('.th-film-place');
  const back = strip.querySelector('.th-film-back');
  const previous = strip.querySelector('.th-film-previous');
  const following = strip.querySelector('.th-film-next');
  const trouble = strip.querySelector('.th-problem');
  let film = null;
  let turn = 0;
  let follows = false;
  function pictureAt(image) {
    return image
      ? film.items.findIndex((one) => one.image_id && one.image_id.startsWith(image))
      : -1;
  }
  async function further() {
    if (!film.next) return false;
    const mine = film;
    const values = new URLSearchParams(mine.query);
    if (mine.items.length) values.set('after', mine.next);
    const answer = await ask('/api/explore/wall?' + values);
    if (mine !== film) return false;
    film.items.push(...answer.items);
    film.next = answer.next;
    return answer.items.length > 0;
  }
  // Which pictures: the wall's question, and the picture that was opened from it.
  async function begin(told) {
    const mine = ++turn;
    film = { query: told.query, items: [], next: 'first', at: -1, total: null };
    try {
      for (let pages = 0; film.at < 0 && pages < MOST_PAGES && (await further()); pages++) {
        film.at = film.items.findIndex((one) => nameOf(one) === told.name);
      }
      if (mine !== turn) return;
      film.total = (await ask('/api/explore/wall/count?' + film.query)).total;
    } catch {
      if (mine === turn) film = null;
    }
    if (mine === turn) draw();
  }
  function keep() {
    try {
      sessionStorage.setItem(
        KEPT,
        JSON.stringify({ query: film.query, name: nameOf(film.items[film.at]) }),
      );
    } catch {
      /* a reload forgets the row */
    }
  }
  async function go(to, focus) {
    if (!film) return;
    const step = to > film.at ? 1 : -1;
    trouble.hidden = true;
    try {
      while (to >= film.items.length && (await further())) {
        /* the next page */
      }
      // What could not be drawn has nothing to show here.
      while (film.items[to] && !film.items[to].image_id) {
        to += step;
        if (to >= film.items.length) await further();
      }
    } catch (error) {
      put(trouble, error.message);
      trouble.hidden = false;
      return;
    }
    const one = film.items[to];
    if (!one) return;
    film.at = to;
    film.asked = one.image_id;
    places.stays();
    props.value = {
      opened: one.image_id,
      mask: one.mask,
      object: one.object,
      target: one.color,
      relation: one.relation,
      rule: one.rule,
      at: Date.now(),
    };
    trigger('open');
    store.tell('film-at', { name: nameOf(one) });
    draw();
    if (focus) {
      const now = row.querySelector('[aria-current=true]');
      if (now) now.focus({ preventScroll: true });
    }
  }
  function thumb(one, at) {
    const button = make('button', 'th-film-one');
    const on = at === film.at;
    button.type = 'button';
    button.tabIndex = on ? 0 : -1;
    if (on) button.setAttribute('aria-current', 'true');
    button.setAttribute(
      'aria-label',
      at + 1 + ': ' + [one.object, one.color_name, one.picture_status].filter(Boolean).join(', '),
    );
    button.title = one.text;
    if (one.thumb) {
      const picture = make('img');
      picture.src = one.thumb;
      picture.alt = '';
      button.append(picture);
    } else {
      button.disabled = true;
      button.textContent = '–';
    }
    button.addEventListener('click', () => go(at, true));
    return button;
  }
  function draw() {
    const image = imageOf(new URLSearchParams(location.search));
    const now = film && film.items[film.at];
    strip.hidden = !now || !(now.image_id.startsWith(image || '-') || film.asked === now.image_id);
    if (strip.hidden) return;
    keep();
    const noun = NOUNS[new URLSearchParams(film.query).get('status')] || 'picture';
    const total = film.total || film.items.length;
    put(
      words,
      (film.at + 1).toLocaleString('en-US') +
        ' of ' +
        total.toLocaleString('en-US') +
        ' ' +
        (noun === 'pass' ? 'passes' : noun + (total === 1 ? '' : 's')),
    );
    previous.disabled = film.at <= 0;
    following.disabled = film.at + 1 >= total;
    const from = Math.max(0, film.at - BESIDE);
    const shown = film.items.slice(from, film.at + BESIDE + 1);
    const held = row.contains(document.activeElement);
    row.replaceChildren(...shown.map((one, index) => thumb(one, from + index)));
    const current = row.querySelector('[aria-current=true]');
    if (held) current.focus({ preventScroll: true });
    // The keyboard went with the picture: its arrows go on here.
    const focused = document.activeElement;
    if (follows && (!focused || focused === document.body || focused.offsetParent === null))
      current.focus({ preventScroll: true });
    follows = false;
    row.scrollLeft = current.offsetLeft - (row.clientWidth - current.clientWidth) / 2;
    // The pictures after the last one shown are there before they are asked for.
    if (film.at + BESIDE >= film.items.length && film.next)
      further()
        .then((more) => {
          if (more) draw();
        })
        .catch(() => {
          /* asked again with the next step */
        });
  }
  row.addEventListener('keydown', (event) => {
    const to = {
      ArrowRight: film.at + 1,
      ArrowLeft: film.at - 1,
      Home: 0,
      End: film.items.length - 1,
    }[event.key];
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    go(to, true);
  });
  previous.addEventListener('click', () => go(film.at - 1));
  following.addEventListener('click', () => go(film.at + 1));
  back.addEventListener('click', () => {
    if (places.before().startsWith('explore')) {
      history.back();
      return;
    }
    roomTab('Explore').click();
  });
  // What is on the stage decides: another image has no place in this row.
  store.subscribe('shown', (detail) => {
    const image = imageOf(detail.query);
    if (!film || !image) return;
    const at = pictureAt(image);
    if (at >= 0 && film.asked && !film.asked.startsWith(image)) return; // the one before, still
    if (at >= 0) film.at = at;
    film.asked = '';
    draw();
  });
  function told() {
    const next = store.take('film');
    if (next) {
      follows = true;
      begin(next);
    }
  }
  store.subscribe('film', told);
  if (store.get('film')) told();
  else {
    try {
      const kept = JSON.parse(sessionStorage.getItem(KEPT));
      if (kept && imageOf(new URLSearchParams(location.search))) begin(kept);
    } catch {
      /* no row then */
    }
  }
}
