// The row of images in Inspect: those of the wall that one came from, in its order and under its
// filters. It goes on from image to image; another image on the stage puts it away.
import { make, put, tabButton } from '../shared/dom.js';
import { ask } from '../shared/http.js';
import { places } from '../shared/links.js';
import { openImage } from '../shared/opening.js';
import { store } from '../shared/state.js';

const KEPT = 'th-film';
const BESIDE = 12;
const MAX_PAGES = 20;
const NOUNS = { fail: 'failure', pass: 'pass', unscored: 'unscored image' };

const nameOf = (item) => item.run_id + '.' + item.position;

const imageOf = (query) =>
  (query.get('tab') || 'inspect') === 'inspect' ? query.get('image') || '' : '';

/** @param {import('../shared/widget.js').Widget} widget */
export function mount({ element }) {
  const strip = element.querySelector('.th-film');
  const row = strip.querySelector('.th-film-row');
  const node = strip.querySelector('.th-film-place');
  const back = strip.querySelector('.th-film-back');
  const previous = strip.querySelector('.th-film-previous');
  const following = strip.querySelector('.th-film-next');
  const trouble = strip.querySelector('.th-problem');
  let film = null;
  let turn = 0;
  let follows = false;
  function pictureAt(image) {
    return image
      ? film.items.findIndex((item) => item.image_id && item.image_id.startsWith(image))
      : -1;
  }
  async function further() {
    if (!film.next) return false;
    const mine = film;
    const values = new URLSearchParams(mine.query);
    if (mine.items.length) values.set('after', mine.next);
    const answer = await ask(`/api/explore/failures?${values}`);
    if (mine !== film) return false;
    film.items.push(...answer.items);
    film.next = answer.next;
    return answer.items.length > 0;
  }
  // Which pictures: the wall's question, and the picture that was opened from it.
  async function begin(message) {
    const mine = ++turn;
    film = { query: message.query, items: [], next: 'first', at: -1, total: null };
    try {
      for (let pages = 0; film.at < 0 && pages < MAX_PAGES && (await further()); pages++) {
        film.at = film.items.findIndex((item) => nameOf(item) === message.name);
      }
      if (mine !== turn) return;
      film.total = (await ask(`/api/explore/failures/count?${film.query}`)).total;
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
  function refuse(error) {
    put(trouble, error.message);
    trouble.hidden = false;
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
      refuse(error);
      return;
    }
    const item = film.items[to];
    if (!item) return;
    film.at = to;
    film.asked = item.image_id;
    places.stays();
    const { image_id: image, mask, object, color: target, relation, rule } = item;
    openImage({ image, mask, object, target, relation, rule }).catch(refuse);
    store.tell('film-at', { name: nameOf(item) });
    draw();
    if (focus) {
      const now = row.querySelector('[aria-current=true]');
      if (now) now.focus({ preventScroll: true });
    }
  }
  function thumb(item, index) {
    const button = make('button', 'th-film-one');
    const on = index === film.at;
    button.type = 'button';
    button.tabIndex = on ? 0 : -1;
    if (on) button.setAttribute('aria-current', 'true');
    button.setAttribute(
      'aria-label',
      index +
        1 +
        ': ' +
        [item.object, item.color_name, item.picture_status].filter(Boolean).join(', '),
    );
    button.title = item.text;
    if (item.thumb) {
      const image = make('img');
      image.src = item.thumb;
      image.alt = '';
      button.append(image);
    } else {
      button.disabled = true;
      button.textContent = '–';
    }
    button.addEventListener('click', () => go(index, true));
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
      node,
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
    row.replaceChildren(...shown.map((item, index) => thumb(item, from + index)));
    const current = row.querySelector('[aria-current=true]');
    if (held) current.focus({ preventScroll: true });
    // The keyboard went with the image: its arrows go on here.
    const focused = document.activeElement;
    if (follows && (!focused || focused === document.body || focused.offsetParent === null))
      current.focus({ preventScroll: true });
    follows = false;
    row.scrollLeft = current.offsetLeft - (row.clientWidth - current.clientWidth) / 2;
    // The images after the last one shown are there before they are asked for.
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
    tabButton('Explore').click();
  });
  // What is on the stage decides: another image has no place in this row.
  store.subscribe('shown', (detail) => {
    const image = imageOf(detail.query);
    if (!film || !image) return;
    const index = pictureAt(image);
    if (index >= 0 && film.asked && !film.asked.startsWith(image)) return; // the one before, still
    if (index >= 0) film.at = index;
    film.asked = '';
    draw();
  });
  function report() {
    const next = store.take('film');
    if (next) {
      follows = true;
      begin(next);
    }
  }
  store.subscribe('film', report);
  if (store.get('film')) report();
  else {
    try {
      const saved = JSON.parse(sessionStorage.getItem(KEPT));
      if (saved && imageOf(new URLSearchParams(location.search))) begin(saved);
    } catch {
      /* no row then */
    }
  }
}
