// Where two rules disagree on stored images: a table of counts, images with both verdicts and the
// reason, and judging what only one rule has judged.
import { arrange, make, many, options, put, swatches, touchingInWords } from '../shared/dom.js';
import { ask, send } from '../shared/http.js';
import { beginsWork, watchWork, workLine } from '../shared/jobs.js';
import { opener } from '../shared/opening.js';
import { store } from '../shared/state.js';
import { explore, ofLink, onBack, restored } from './view.js';

const MARKS = { pass: '✓', fail: '✕', unscored: '–' };

/** @param {Api.VerdictPairJson} item */
const forbidden = (item) => item.relation === 'differs';
/** @param {Api.VerdictPairJson} item */
const requirementOf = (item) => (forbidden(item) ? 'forbidden: ' : 'target: ');

/**
 * @param {Api.VerdictPairJson} item
 * @param {(address: any) => void} openPicture
 */
function card(item, openPicture) {
  const node = make('article', 'th-pair-card');
  const button = make('button', 'th-shot-picture');
  const image = make('img');
  node.dataset.key = item.key;
  button.type = 'button';
  button.title = 'Open in Inspect';
  button.setAttribute(
    'aria-label',
    'Open in Inspect: ' + item.object + ', ' + requirementOf(item) + item.color,
  );
  image.src = item.thumb;
  image.loading = 'lazy';
  image.alt = '';
  button.appendChild(image);
  const open = (said) =>
    openPicture({
      image: item.image_id,
      mask: item.mask,
      object: item.object,
      target: item.target,
      relation: item.relation,
      rule: said.rule,
    });
  button.addEventListener('click', () => open(item.said[0]));
  const message = make('div', 'th-pair-words');
  const head = make('p', 'th-pair-head');
  if (item.hex) head.appendChild(swatches([item.hex]));
  head.append(
    make('b', '', item.object || 'object'),
    make('span', 'th-soft', requirementOf(item) + item.color),
  );
  message.appendChild(head);
  item.said.forEach((said) => {
    const line = make('button', 'th-pair-said');
    line.type = 'button';
    line.title = said.reason + ' Open in Inspect by this rule.';
    line.dataset.status = said.status;
    line.addEventListener('click', () => open(said));
    const first = make('span', 'th-pair-line');
    first.append(
      make('b', '', MARKS[said.status] + ' ' + said.name),
      make('span', '', said.status),
    );
    if (said.found && item.hex)
      first.appendChild(
        touchingInWords([
          { role: forbidden(item) ? 'forbidden' : 'target', hex: item.hex, name: item.color },
          { role: 'measured', hex: said.found, name: '' },
        ]),
      );
    first.appendChild(
      make(
        'span',
        'th-pair-number',
        said.delta_e00 === null || said.delta_e00 === undefined
          ? ''
          : said.delta_e00.toFixed(1) + ' ΔE00',
      ),
    );
    line.append(first, make('small', '', said.reason));
    if (said.words) line.appendChild(make('small', 'th-stale', said.words));
    message.appendChild(line);
  });
  const why = make('div', 'th-pair-why');
  why.hidden = true;
  node.append(button, message, why);
  return {
    node,
    /** @param {Api.DisagreementReason | undefined} result */
    why(result) {
      if (!result) return;
      const reasons = result.reasons && result.reasons.length;
      // Both verdicts stand on the card; the sentence says no more than they do.
      why.replaceChildren(
        ...(reasons
          ? []
          : [make('p', 'th-pair-sentence', result.problem || result.sentence || '')]),
      );
      if (reasons) {
        const list = make('dl');
        result.reasons.forEach(([title, text]) =>
          list.append(make('dt', '', title), make('dd', '', text)),
        );
        why.appendChild(list);
      }
      why.hidden = !why.textContent;
    },
  };
}

/** @param {import('../shared/widget.js').Widget} widget */
export function mount(widget) {
  const { element } = widget;
  const openPicture = opener(widget);
  const root = element.querySelector('.th-disagreements');
  const find = (name) => root.querySelector(name);
  const linked = restored('disagreements');
  const state = { cell: 'disagree', task: '', system: '' };
  ['a', 'b', 'task', 'system', 'cell'].forEach((name) => {
    if (linked.get(name)) state[name] = linked.get(name);
  });
  /** @type {Api.DisagreementsView | null} */
  let data = null;
  let request = 0;
  let cards = new Map();

  function query(offset) {
    const values = new URLSearchParams({ offset });
    Object.entries(state).forEach(([name, value]) => {
      if (value) values.set(name, value);
    });
    return values;
  }
  async function load() {
    const mine = ++request;
    try {
      const answer = await ask(`/api/explore/agreement?${query(0)}`);
      if (mine !== request) return;
      data = answer;
      cards = new Map();
      draw();
      showPairs(data.pairs, mine);
    } catch (error) {
      if (mine !== request) return;
      tell('The verdicts cannot be shown. ' + error.message);
      // A link to a rule or a part that is not here: the usual ones can be shown all the same.
      if (!data) {
        state.cell = 'disagree';
        delete state.a;
        delete state.b;
        const message = error.message;
        await load();
        tell('This link cannot be opened as it is. ' + message);
      }
    }
  }
  function tell(text) {
    const box = find('.th-disagreements-empty');
    put(box, text);
    box.hidden = !text;
  }
  async function further() {
    const mine = request;
    try {
      const answer = await ask(`/api/explore/agreement?${query(cards.size)}`);
      if (mine === request) showPairs(answer.pairs, mine);
    } catch (error) {
      tell(error.message);
    }
  }
  function name(id) {
    return (data.rules.find((rule) => rule.id === id) || { name: id }).name;
  }
  function draw() {
    state.a = data.a;
    state.b = data.b;
    const rules = data.rules.map((rule) => ({ id: rule.id, name: rule.name }));
    options(
      find('.th-disagreements-a'),
      rules.filter((rule) => rule.id !== data.b),
      data.a,
    );
    options(
      find('.th-disagreements-b'),
      rules.filter((rule) => rule.id !== data.a),
      data.b,
    );
    options(find('.th-disagreements-task'), [{ id: '', name: 'All' }, ...data.tasks], data.task);
    options(
      find('.th-disagreements-system'),
      [{ id: '', name: 'All' }, ...data.systems],
      data.system,
    );
    table();
    sentence();
    ofLink('disagreements', {
      a: data.a,
      b: data.b,
      task: data.task,
      system: data.system,
      cell: data.cell === 'disagree' ? '' : data.cell,
    });
  }
  function part(cell, text) {
    const box = make('td', 'th-disagreements-cell');
    const button = make('button', '', data.counts[cell].toLocaleString('en-US'));
    button.type = 'button';
    button.dataset.cell = cell;
    button.title = text;
    button.setAttribute('aria-label', text + ': ' + data.counts[cell]);
    button.setAttribute(
      'aria-pressed',
      String(
        state.cell === cell ||
          (state.cell === 'disagree' && (cell === 'first' || cell === 'second')),
      ),
    );
    button.addEventListener('click', () => {
      state.cell = state.cell === cell ? 'disagree' : cell;
      load();
    });
    box.appendChild(button);
    return box;
  }
  function table() {
    const a = name(data.a);
    const b = name(data.b);
    const focused =
      document.activeElement && document.activeElement.dataset
        ? document.activeElement.dataset.cell
        : '';
    const top = make('tr');
    const pass = make('tr');
    const fail = make('tr');
    const unscored = make('tr');
    top.append(
      make('td'),
      make('th', '', '✓ ' + b + ' passes'),
      make('th', '', '✕ ' + b + ' fails'),
    );
    pass.append(
      make('th', 'th-row-name', '✓ ' + a + ' passes'),
      part('both', 'Both pass'),
      part('first', 'Only ' + a + ' passes'),
    );
    fail.append(
      make('th', 'th-row-name', '✕ ' + a + ' fails'),
      part('second', 'Only ' + b + ' passes'),
      part('neither', 'Both fail'),
    );
    const rest = part('unscored', 'Unscored in at least one');
    rest.colSpan = 2;
    unscored.append(make('th', 'th-row-name', '– Unscored in at least one'), rest);
    const body = make('tbody');
    body.append(top, pass, fail, unscored);
    find('.th-disagreements-table').replaceChildren(body);
    if (focused) {
      const again = root.querySelector('[data-cell="' + focused + '"]');
      if (again) again.focus({ preventScroll: true });
    }
  }
  function sentence() {
    const apart = data.counts.first + data.counts.second;
    const scored = data.judged - data.counts.unscored;
    const share =
      scored && data.interval
        ? ((100 * apart) / scored).toFixed(1) +
          '% (95%: ' +
          data.interval.map((end) => end.toFixed(1)).join('–') +
          '; questions of one prompt are alike, so it is rather narrow)'
        : '';
    put(
      find('.th-disagreements-sentence'),
      scored
        ? 'Of ' +
            many(scored, 'question') +
            ' scored by both, ' +
            name(data.a) +
            ' and ' +
            name(data.b) +
            ' disagree on ' +
            apart.toLocaleString('en-US') +
            ': ' +
            share +
            '.'
        : 'No stored image is scored by both rules yet' +
            (data.task || data.system ? ' with these filters' : '') +
            '.',
    );
    put(
      find('.th-disagreements-kappa'),
      data.kappa === null
        ? ''
        : 'Cohen’s kappa ' +
            data.kappa.toFixed(2) +
            ': agreement beyond chance, from 1 (always) over 0 (as chance would).',
    );
    /** @type {[number, string][]} */
    const counts = [
      [data.first_only, data.b],
      [data.second_only, data.a],
    ];
    const missing = counts.filter(([count]) => count);
    put(
      find('.th-disagreements-missing'),
      missing
        .map(
          ([count, id]) =>
            many(count, 'more question') +
            (count === 1 ? ' is' : ' are') +
            ' without a verdict by ' +
            name(id) +
            '.',
        )
        .join(' ') +
        (missing.length
          ? ' Rendered and imported images are scored by the button below; a result saved in Inspect is scored there.'
          : ''),
    );
    put(
      find('.th-disagreements-start'),
      'Score stored images by ' + name(data.a) + ' and ' + name(data.b),
    );
    find('.th-disagreements-judge').hidden = !data.images;
  }

  // ── images ─────────────────────────────────────────────────────────────────────────────────
  const TITLES = {
    disagree: () => 'They disagree',
    first: () => 'Only ' + name(data.a) + ' passes',
    second: () => 'Only ' + name(data.b) + ' passes',
    both: () => 'Both pass',
    neither: () => 'Both fail',
    unscored: () => 'Unscored in at least one',
  };
  /**
   * @param {Api.VerdictPairJson[]} pairs
   * @param {number} mine
   */
  function showPairs(pairs, mine) {
    const fresh = pairs.filter((pair) => !cards.has(pair.key));
    fresh.forEach((item) => cards.set(item.key, card(item, openPicture)));
    arrange(
      find('.th-disagreements-grid'),
      [...cards.values()].map((item) => item.node),
    );
    put(find('.th-disagreements-title'), TITLES[data.cell]());
    put(find('.th-disagreements-count'), data.total ? many(data.total, 'image') : '');
    tell(
      data.total
        ? ''
        : data.judged
          ? 'None of these.'
          : data.images
            ? 'Score the stored images by both rules to compare them.'
            : 'Nothing is stored yet. Render images in Generate: each is scored by every rule.',
    );
    find('.th-disagreements-more').hidden = cards.size >= data.total;
    reasons(
      fresh.map((item) => item.key),
      mine,
    );
  }
  // Measured again, a few at a time: images and verdicts are there before their reasons.
  async function reasons(keys, mine) {
    for (let position = 0; position < keys.length; position += 4) {
      if (mine !== request || root.hidden) return;
      try {
        const result = await ask(
          `/api/explore/why?keys=${keys.slice(position, position + 4).join(',')}`,
        );
        keys.slice(position, position + 4).forEach((key) => {
          if (cards.has(key)) cards.get(key).why(result.why[key]);
        });
      } catch {
        return; /* the stored reasons of both rules are on the card */
      }
    }
  }
  find('.th-disagreements-more').addEventListener('click', further);
  ['a', 'b', 'task', 'system'].forEach((key) =>
    find('.th-disagreements-' + key).addEventListener('change', (event) => {
      state[key] = event.target.value;
      load();
    }),
  );

  // ── judging what is missing ──────────────────────────────────────────────────────────────────
  const showJob = workLine(find('.th-disagreements-job'));
  const start = find('.th-disagreements-start');
  beginsWork(start, find('.th-disagreements-job'), () =>
    send('/api/explore/score-stored', { rules: [state.a, state.b] }),
  );
  watchWork(element, 'rejudge', (job, ended) => {
    start.setAttribute('aria-disabled', String(Boolean(job && job.status === 'running')));
    showJob(job);
    if (ended) {
      load();
      store.tell('drawn');
    }
  });
  onBack('disagreements', (query) => {
    Object.assign(state, { cell: 'disagree', task: '', system: '' });
    ['a', 'b', 'task', 'system', 'cell'].forEach((name) => {
      if (query.get(name)) state[name] = query.get(name);
    });
  });
  // What was judged elsewhere meanwhile is shown when this view comes to the front.
  function front() {
    root.hidden = explore.view !== 'disagreements';
    if (!root.hidden) load();
  }
  store.subscribe('explore', front);
  new IntersectionObserver((seen) => {
    if (seen.some((entry) => entry.isIntersecting) && !root.hidden && data) load();
  }).observe(element);
  front();
}
