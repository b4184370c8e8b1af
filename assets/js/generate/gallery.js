// All images, newest first, with what they were drawn from and their verdicts. A click on an
// object opens it in Inspect.
import { DEFAULT_RULE } from '../shared/constants.js';
import { arrange, make, many, put, swatches } from '../shared/dom.js';
import { enlarge } from '../shared/enlarge.js';
import { ask } from '../shared/http.js';
import { opener } from '../shared/opening.js';
import { chooseRule, rule } from '../shared/rule.js';
import { store } from '../shared/state.js';
import { compareConcept } from './concept.js';

const MARKS = { pass: '✓', fail: '✕', unscored: '–' };
const SAID = { pass: 'pass', fail: 'fail', unscored: 'unscored' };
const WORDS = { pass: 'Pass', fail: 'Fail', unscored: 'Unscored' };

function save(ids) {
  return ids.map((id) => ({ drawing_id: id, kept: true }));
}

/** @param {import('../shared/widget.js').Widget} widget */
export function mount(widget) {
  const { element, props } = widget;
  const openPicture = opener(widget);
  const grid = element.querySelector('.th-gallery-grid');
  const status = element.querySelector('.th-gallery-status');
  const more = element.querySelector('.th-gallery-more');
  const filters = [...element.querySelectorAll('[data-filter]')];
  const modelBox = element.querySelector('.th-gallery-model');
  const ruleBox = element.querySelector('.th-gallery-rule');
  const csv = element.querySelector('.th-gallery-csv');
  // The link opens the images that are on screen.
  const linked = new URLSearchParams(location.search).get('images');
  let filter = filters.some((button) => button.dataset.filter === linked) ? linked : 'all';
  // The pictures on screen, newest first: drawing_id to { node, update }. A picture keeps its node.
  let cards = new Map();

  function open(item, target) {
    openPicture({
      image: item.image_id,
      object: target?.object,
      target: target?.asked?.value,
      relation: target?.asked?.relation,
      mask: target ? target.mask : item.mask,
    });
  }
  function card(first) {
    let item = first;
    const node = make('article', 'th-shot' + (item.status === 'failed' ? ' th-shot-failed' : ''));
    node.dataset.drawing = item.drawing_id;
    if (item.image_id) {
      const button = make('button', 'th-shot-picture');
      button.type = 'button';
      button.title = 'Open in Inspect';
      button.setAttribute('aria-label', 'Open in Inspect: ' + item.text);
      const image = make('img');
      image.src = item.thumb;
      image.alt = '';
      image.loading = 'lazy';
      enlarge(image, item.width, item.height);
      button.appendChild(image);
      button.addEventListener('click', () =>
        open(item, item.targets.find((target) => target.color) || null),
      );
      node.appendChild(button);
    } else node.appendChild(make('p', 'th-shot-reason', item.reason));
    const text = make('p', 'th-shot-text', item.text || item.name);
    text.title = item.text;
    const verdict = make('p', 'th-shot-verdict');
    const word = make('b');
    const why = make('span');
    verdict.append(word, why);
    const targets = make('div', 'th-shot-targets');
    const truth = make('p', 'th-shot-about th-shot-truth');
    const about = make('p', 'th-shot-about');
    const notes = make('p', 'th-shot-about');
    const badges = item.targets
      .map((target, index) => (target.asked ? badge(index) : null))
      .filter(Boolean);
    targets.append(...badges.map((entry) => entry.button));
    node.append(text, targets, verdict, truth, about, notes);
    if (item.refined) {
      const pair = make('button', 'th-button th-shot-pair', 'Compare without CFR');
      pair.type = 'button';
      pair.addEventListener('click', () => store.tell('compare-pair', item));
      node.append(pair);
    }
    function badge(index) {
      const button = make('button', 'th-shot-target');
      const mark = make('b');
      const request = first.targets[index].asked;
      button.type = 'button';
      button.disabled = !first.image_id;
      if (request.relation === 'differs') button.append(make('i', 'th-differs', '≠'));
      button.append(swatches([request.hex]), make('span', '', first.targets[index].object));
      if (first.targets[index].stand_in)
        button.append(make('i', 'th-stand-in', first.targets[index].stand_in));
      button.append(mark);
      button.addEventListener('click', () => open(item, item.targets[index]));
      return {
        button,
        update() {
          const target = item.targets[index];
          const main = target.verdicts.find((entry) => entry.rule === rule());
          // A word: beside a name in a chip, ✕ would read as “take away”.
          put(mark, main ? SAID[main.status] : '');
          mark.className = main ? 'th-badge th-badge-' + main.status : '';
          // One object's verdict is the image's, which stands below.
          mark.hidden = !main || badges.length === 1;
          const label =
            target.object +
            ', ' +
            (request.relation === 'differs' ? 'must not be ' : '') +
            request.label;
          const all = target.verdicts.map((entry) => entry.rule + ' ' + entry.status).join(', ');
          button.title =
            label +
            ': ' +
            (main ? main.reason + '\n' + all : 'no verdict by ' + rule() + ' yet') +
            '. Open in Inspect';
        },
      };
    }
    // Why there is no verdict by the rule that is chosen.
    function notScored() {
      if (item.unscored) return item.unscored;
      return item.targets.some((target) => target.asked && target.mask)
        ? 'No verdict by ' + rule() + ' yet.'
        : 'No object is selected: select it in Inspect, or measure the whole image.';
    }
    // The image as a whole: the word, why, and in the title each object with the step it came to.
    function tellVerdict() {
      const said = item.verdicts.find((entry) => entry.rule === rule());
      verdict.hidden = !said && !item.image_id;
      if (!said) {
        put(word, item.measured ? 'Measured' : MARKS.unscored + ' Not scored');
        word.className = 'th-shot-word th-shot-word-unscored';
        why.replaceChildren(
          ...(item.measured ? [swatches([item.measured]), ' '] : []),
          notScored() + ' ',
          ...(item.concept ? [compareConcept(item)] : []),
        );
        verdict.title = '';
        return;
      }
      put(word, MARKS[said.status] + ' ' + WORDS[said.status]);
      word.className = 'th-shot-word th-shot-word-' + said.status;
      put(why, said.sentence || said.short || said.reason);
      verdict.title = item.targets
        .filter((target) => target.asked)
        .map((target) => {
          const entry = target.verdicts.find((other) => other.rule === rule());
          return (
            target.object +
            ': ' +
            (entry
              ? entry.status + ' at the step “' + entry.step + '”. ' + entry.reason
              : 'no verdict yet')
          );
        })
        .join('\n');
    }
    function update(now) {
      item = now || item;
      tellVerdict();
      put(truth, item.truth || '');
      truth.hidden = !item.truth;
      put(about, item.about);
      about.title = item.details;
      put(notes, item.notes.join(' '));
      notes.title = item.notes.join('\n');
      notes.hidden = !item.notes.length;
      badges.forEach((entry) => entry.update());
    }
    update();
    return { node, update };
  }
  // Shows these drawings, in this order; what is shown already is brought up to date where it stands.
  function showImages(items) {
    const now = new Map();
    items.forEach((item) => {
      const entry = cards.get(item.drawing_id) || card(item);
      entry.update(item.kept ? null : item);
      now.set(item.drawing_id, entry);
    });
    cards = now;
    arrange(
      grid,
      [...cards.values()].map((item) => item.node),
    );
  }
  function query(limit, offset) {
    const values = new URLSearchParams({ limit, offset });
    if (filter === 'failed') values.set('status', 'failed');
    else if (filter !== 'all') values.set('verdict', filter);
    if (modelBox.value) values.set('model', modelBox.value);
    values.set('rule', rule());
    return values;
  }
  // One question after the other. Asking for the newest twice while one waits is asking once.
  let busy = Promise.resolve();
  let waiting = false;
  let turn = 0;
  function load(run) {
    busy = busy.then(run).catch((error) => {
      status.textContent = 'The images could not be listed: ' + error.message;
    });
  }
  function refresh() {
    if (waiting) return;
    waiting = true;
    load(() => {
      waiting = false;
      return newest();
    });
  }
  function again() {
    const mine = ++turn;
    load(async () => {
      if (mine !== turn) return;
      const data = await ask(`/api/drawings?${query(24, 0)}`);
      if (mine !== turn) return;
      showImages(data.items);
      tell(data);
    });
  }
  function further() {
    const mine = turn;
    load(async () => {
      const data = await ask(`/api/drawings?${query(24, cards.size)}`);
      if (mine !== turn) return;
      const known = data.items.filter((item) => !cards.has(item.drawing_id));
      showImages([...save([...cards.keys()]), ...known]);
      tell(data);
    });
  }
  // New images go before those that are shown; what is shown below them stays.
  async function newest() {
    const mine = turn;
    const shown = [...cards.keys()];
    const results = [];
    let data;
    let met;
    do {
      data = await ask(
        `/api/drawings?${query(Math.max(24, Math.min(shown.length, 96)), results.length)}`,
      );
      if (mine !== turn) return;
      results.push(...data.items);
      const ids = new Set(results.map((item) => item.drawing_id));
      met = shown.findLastIndex((id) => ids.has(id));
    } while (met < 0 && results.length < shown.length && data.items.length);
    const ids = new Set(results.map((item) => item.drawing_id));
    const below =
      results.length < data.total && met >= 0
        ? shown.slice(met + 1).filter((id) => !ids.has(id))
        : [];
    showImages([...results, ...save(below)]);
    tell(data);
  }
  function tell(data) {
    more.hidden = cards.size >= data.total;
    csv.hidden = !data.total || filter === 'failed';
    put(
      status,
      data.total
        ? many(data.total, filter === 'failed' ? 'attempt' : 'image') +
            (filter === 'failed' ? ' without an image' : '')
        : '',
    );
    const empty = element.querySelector('.th-gallery-empty');
    empty.hidden = data.total > 0;
    empty.textContent =
      filter === 'all' && !modelBox.value
        ? 'No generated images yet. Click Generate: the reference renderer needs no weights.'
        : 'No image matches this filter.';
    const chosen = modelBox.value;
    const models = JSON.stringify(data.models);
    if (modelBox.dataset.models !== models) {
      modelBox.dataset.models = models;
      modelBox.replaceChildren(
        new Option('All models', ''),
        ...data.models.map(
          (model) => new Option(model.name + ' · ' + model.count.toLocaleString('en-US'), model.id),
        ),
      );
      modelBox.value = chosen;
    }
    modelBox.hidden = data.models.length < 2 && !chosen;
  }
  function press() {
    filters.forEach((button) =>
      button.setAttribute('aria-pressed', String(button.dataset.filter === filter)),
    );
    store.set('gallery', { images: filter === 'all' ? '' : filter });
  }
  filters.forEach((button) =>
    button.addEventListener('click', () => {
      filter = button.dataset.filter;
      press();
      store.tell('browse');
      again();
    }),
  );
  press();
  modelBox.addEventListener('change', again);
  ruleBox.replaceChildren(...(props.rules || []).map((id) => new Option('Scored by ' + id, id)));
  if (!(props.rules || []).includes(rule())) chooseRule(DEFAULT_RULE, false);
  ruleBox.value = rule();
  ruleBox.addEventListener('change', () => {
    chooseRule(ruleBox.value);
    cards.forEach((item) => item.update());
    if (['pass', 'fail', 'undecided'].includes(filter)) again();
    else refresh();
  });
  more.addEventListener('click', further);
  // What is listed now: the address is made where the file is wanted.
  csv.addEventListener('click', () => {
    csv.href = `/api/image-sets/images.csv?${new URLSearchParams({
      model: modelBox.value,
      verdict: filter === 'all' ? '' : filter,
      rule: rule(),
    })}`;
  });
  element.querySelector('.th-import-images').addEventListener('click', () => {
    store.tell('import', { kind: 'images' });
  });
  store.subscribe('drawn', refresh);
  store.subscribe('judged', refresh);
  store.subscribe('open', (detail) =>
    open(detail, detail.targets.find((target) => target.color) || null),
  );
  new IntersectionObserver((seen) => {
    if (seen.some((entry) => entry.isIntersecting)) refresh();
  }).observe(element);
}
