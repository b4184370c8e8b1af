// The verdict card. Rendered from props.view by DOM calls only: text never becomes markup.
// Listens to nothing but its own buttons; 'rule' is triggered with the rule that was clicked.
import { colorCard } from '../shared/colors.js';
import { tabButton } from '../shared/dom.js';
import { ask } from '../shared/http.js';
import { judging } from '../shared/verdict_actions.js';
import { places } from '../shared/links.js';
import { LAB_TITLE } from '../shared/spaces.js';
import { store } from '../shared/state.js';
import { differenceTable } from './differences.js';
import { LIMIT_STEPS, moveableLimits } from './verdict_limits.js';

function el(tag, cls, text) {
  const node = document.createElement(tag);
  if (cls) node.className = cls;
  if (text !== undefined && text !== null) node.textContent = text;
  return node;
}

function add(parent, ...nodes) {
  nodes.forEach((node) => node && parent.appendChild(node));
  return parent;
}

const SHAPES = { pass: '✓', fail: '✕', unscored: '–', waiting: '' };

/** @param {Api.VerdictCard} view */
function headline(view) {
  const row = el('div', 'th-headline');
  const mark = el('span', 'th-mark th-mark-' + view.status, SHAPES[view.status]);
  mark.setAttribute('aria-hidden', 'true');
  add(row, mark, el('h2', '', view.title));
  if (view.confidence) {
    const sure = el(
      'span',
      'th-confidence',
      'confidence ' + view.confidence.text + ' · ' + view.confidence.word,
    );
    sure.title =
      'Confidence in the verdict, from 50%: how far the score is from the limit, and how clearly one material dominates.';
    row.appendChild(sure);
  }
  return row;
}

/** @param {string} side @param {Api.SwatchJson} data @param {string} title */
function swatch(side, data, title) {
  const box = el('div', 'th-swatch th-swatch-' + side + (data.dark_text ? ' th-on-light' : ''));
  box.style.background = data.hex;
  const lab = el('span', '', data.lab);
  lab.title = LAB_TITLE;
  return add(
    box,
    el('b', '', title),
    el('span', '', data.name || ''),
    el('span', '', data.hex),
    lab,
  );
}

/**
 * Where rules disagree on these pixels, and why. Folded: the sentence is what one needs first.
 * @param {Api.VerdictCard} view
 */
function audit(view) {
  if (!view.audit) return null;
  const box = el('details', 'th-disagreements');
  add(
    box,
    add(el('summary'), el('b', '', 'The rules disagree: '), el('span', '', view.audit.sentence)),
  );
  const list = el('dl');
  view.audit.reasons.forEach(([title, text]) => add(list, el('dt', '', title), el('dd', '', text)));
  return add(box, list);
}

async function copy(button, text) {
  const label = button.dataset.label;
  let done = true;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Without https the clipboard may be closed; a selection still works.
    const area = el('textarea');
    area.value = text;
    document.body.appendChild(area);
    area.select();
    done = document.execCommand('copy');
    area.remove();
  }
  button.textContent = done ? 'Copied' : 'Press Ctrl+C';
  setTimeout(() => {
    button.textContent = label;
  }, 1500);
}

function action(label, cls, run) {
  const button = el('button', 'th-button ' + cls, label);
  button.type = 'button';
  button.dataset.label = label;
  button.addEventListener('click', () => run(button));
  return button;
}

/** @param {import('../shared/widget.js').Widget} widget */
export function mount({ element, props, trigger, watch }) {
  const root = element.querySelector('.th-verdict');

  // ── limits that move ───────────────────────────────────────────────────────────────────────────

  const limits = moveableLimits(() => {
    judged();
    publish();
  });
  let bars = [];
  let yours = null;

  /** @param {Api.MetricBar} metric */
  function bar(metric) {
    const row = el('div', 'th-metric');
    row.title = metric.help;
    // The limit stands at a third of the bar, so three limits fill it; what is beyond is cut off. A
    // number without a limit is reported, not judged: no limit, no mark.
    const judges = metric.limit !== null;
    const full = judges ? limits.most(metric) : metric.full;
    const track = el('div', 'th-track');
    const fill = el('i');
    fill.style.width = Math.min(100, (100 * metric.value) / full) + '%';
    track.appendChild(fill);
    row.classList.toggle('th-told', !judges);
    const limitText = el('span', 'th-limit', metric.limit_text);
    const state = el('span', 'th-state');
    const parts = { metric, row, limitText, state };
    if (judges) {
      // The mark of the limit is a slider: what would pass is said at once, and nothing is stored.
      parts.mark = el('b');
      parts.slider = el('input', 'th-limit-slider');
      Object.assign(parts.slider, {
        type: 'range',
        min: LIMIT_STEPS[metric.name],
        max: full,
        step: LIMIT_STEPS[metric.name],
      });
      parts.slider.setAttribute('aria-label', 'Limit of ' + metric.label);
      parts.slider.title = 'Drag to try another limit; the stored verdict does not change';
      parts.slider.addEventListener('input', () =>
        limits.set(metric.name, Number(parts.slider.value)),
      );
      add(track, parts.mark, parts.slider);
    }
    bars.push(parts);
    add(
      row,
      el('span', 'th-label', metric.label),
      track,
      el('span', 'th-value', metric.text),
      limitText,
      state,
    );
    if (metric.on) row.appendChild(el('span', 'th-on', 'on ' + metric.on));
    return row;
  }

  function yourLimits() {
    const box = el('div', 'th-yours');
    const badge = el('b', 'th-yours-badge', 'With your limits');
    const text = el('span', 'th-yours-words');
    box.setAttribute('role', 'status');
    const back = action('Limits of the rule', 'th-yours-back', () => limits.reset());
    return { box: add(box, badge, text, back), badge, words: text, back };
  }

  // Bars, sentence and badge for the limits as they are now; the headline stays the rule's.
  function judged() {
    const bounds = limits.limits();
    const moved = limits.moved();
    const forbidden = props.view.relation === 'differs';
    bars.forEach(({ metric, row, limitText, state, mark, slider }) => {
      if (!mark) return;
      const limit = bounds[metric.name];
      const other = moved.includes(metric.name);
      const passed = metric.value < limit;
      mark.style.left = Math.min(100, (100 * limit) / limits.most(metric)) + '%';
      if (Number(slider.value) !== limit) slider.value = limit;
      slider.setAttribute(
        'aria-valuetext',
        limits.number(metric.name, limit) +
          (other
            ? ', yours; the rule uses ' + limits.number(metric.name, metric.limit)
            : ', the limit of the rule'),
      );
      limitText.textContent = other
        ? 'limit ' + limits.number(metric.name, limit)
        : metric.limit_text;
      const text = forbidden ? ['✕ matches', '✓ differs'] : ['✓ pass', '✕ fail'];
      state.textContent = text[passed ? 0 : 1];
      row.classList.toggle('th-moved', other);
    });
    const hint = limits.hint();
    const own = moved.length > 0;
    yours.badge.hidden = yours.back.hidden = !own;
    yours.words.textContent = own
      ? (limits.passes() ? '✓ it would pass. ' : '✕ it would fail. ') + hint
      : hint;
    yours.box.classList.toggle('th-own', own);
    yours.box.hidden = !own && !hint;
  }

  /** @param {Api.VerdictCard} view */
  function others(view) {
    const box = el('div', 'th-others');
    box.appendChild(el('b', '', 'Other rules'));
    const list = el('div', 'th-others-list');
    view.others.forEach((other) => {
      const line = el('button', 'th-other');
      line.type = 'button';
      line.title = other.help + ' Click to score by this rule.';
      line.addEventListener('click', () => {
        trigger('rule', other.id);
      });
      add(
        line,
        el('span', 'th-other-name', other.name),
        el(
          'span',
          'th-other-status',
          SHAPES[other.status] + ' ' + (other.title || '').toLowerCase(),
        ),
        el('span', 'th-other-text', other.text),
      );
      list.appendChild(line);
    });
    return add(box, list);
  }

  /** @param {Api.VerdictCard} view */
  const shownImage = (view) => new URLSearchParams(view.link).get('image') || '';

  /** @param {Api.VerdictCard} view */
  function actions(view) {
    const row = el('div', 'th-actions');
    add(
      row,
      view.json && action('Copy JSON', 'th-copy-json', (b) => copy(b, view.json)),
      action('Copy link', 'th-copy-link', (b) =>
        copy(b, location.origin + location.pathname + address(view)),
      ),
    );
    const shown = new URLSearchParams(view.link);
    const mask = shown.get('mask');
    if (mask) {
      const all = action('Color distribution', 'th-all-colors', () => {
        // A tab that was never opened has no script yet: it takes up what was asked when it starts.
        store.set('wish', { d: 'image:' + shown.get('image') + '/' + mask });
        tabButton('Compare').click();
      });
      all.title = 'Color distribution inside the mask, in Compare';
      const file = /** @type {HTMLAnchorElement} */ (el('a', 'th-button', 'Mask'));
      file.href = `/media/masks/${mask}.png`;
      file.download = `mask-${mask.slice(0, 8)}.png`;
      file.title = 'The mask as a PNG file, white inside: for truehue measure --mask';
      row.append(all, file);
    }
    return row;
  }

  // Keeping the verdict, and people's answers to it. Those of a kept verdict are fetched: the card is
  // there before them.
  let answering = null;
  /** @param {Api.VerdictCard} view */
  function answerRow(view) {
    answering = judging({
      question: view.question,
      status: view.status,
      ruleName: view.rule_name,
      evidence: view.kept ? view.evidence_id : '',
    });
    answering.node.dataset.verdict = view.evidence_id;
    const mine = answering;
    const { image, mask, object, target, relation } = view.question;
    if (view.kept) {
      ask(`/api/judgments/of?${new URLSearchParams({ image, mask, object, target, relation })}`)
        .then((result) => {
          if (answering === mine) mine.show(result);
        })
        .catch(() => {
          /* it can be given again */
        });
    }
    return mine.node;
  }
  document.addEventListener('keydown', (event) => {
    const focus = /** @type {HTMLInputElement} */ (document.activeElement || document.body);
    if (
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      event.repeat ||
      element.offsetParent === null
    )
      return;
    if (
      /^(INPUT|TEXTAREA|SELECT)$/.test(focus.tagName) &&
      focus.type !== 'radio' &&
      focus.type !== 'range'
    )
      return;
    if (document.querySelector('dialog[open]') || !answering || !answering.node.isConnected) return;
    if (answering.key(event.key)) event.preventDefault();
  });
  /** @param {Api.VerdictCard} view */
  const address = (view) => view.link + (limits.text() ? '&limits=' + limits.text() : '');

  // The address bar always opens what is on screen: set when the verdict is new, and again when its
  // tab comes back to the front.
  function publish() {
    const view = props.view;
    if (view && view.link && element.offsetParent !== null) places.show(address(view));
  }
  new IntersectionObserver((seen) => {
    if (seen.some((entry) => entry.isIntersecting)) publish();
  }).observe(root.closest('.th-room') || root);

  function draw() {
    /** @type {Api.VerdictCard | null} */
    const view = props.view;
    root.replaceChildren();
    if (!view) return;
    root.dataset.status = view.status;
    // Limits of a link come once, with the verdict that it opens.
    if (view.metrics) limits.take(view, props.limits);
    props.limits = '';
    publish();
    if (view.status === 'waiting') {
      if (view.colors) root.appendChild(colorCard(view.colors, true, shownImage(view)));
      root.appendChild(el('p', 'th-waiting', view.reason));
      if (view.colors) root.appendChild(actions(view));
      return;
    }
    root.appendChild(headline(view));
    // One sentence for everybody; the rule, the light and the numbers follow.
    if (view.sentence) root.appendChild(el('p', 'th-plain', view.sentence));
    root.appendChild(el('p', 'th-reason', view.reason));
    // What is known for sure stands beside what a rule finds.
    if (view.truth) root.appendChild(el('p', 'th-truth', view.truth));
    if (view.absent) root.appendChild(el('p', 'th-absent', view.absent));
    if (!view.metrics) return;
    const pair = el('div', 'th-pair');
    pair.classList.toggle('th-three', Boolean(view.accepted));
    // The same order everywhere: what was asked left, what was found right.
    add(
      pair,
      swatch('asked', view.asked, view.relation === 'differs' ? 'Must not be' : 'Target'),
      view.accepted && swatch('accepted', view.accepted, view.accepted.title),
      swatch('found', view.found, 'Measured'),
    );
    const metrics = el('div', 'th-metrics');
    bars = [];
    yours = yourLimits();
    const unjudged = view.metrics.findIndex((metric) => metric.limit === null);
    view.metrics.forEach((metric, index) => {
      // To which color they are taken stands above the numbers that have no limit.
      if (index === unjudged && view.reported)
        metrics.appendChild(el('p', 'th-reported', view.reported));
      metrics.appendChild(bar(metric));
    });
    judged();
    add(
      root,
      pair,
      metrics,
      yours.box,
      view.measured_on && el('p', 'th-in-light', view.measured_on),
      view.light && el('p', 'th-in-light', view.light),
      view.names_note && el('p', 'th-in-light th-names-note', view.names_note),
      others(view),
      audit(view),
      differenceTable(view.differences),
      actions(view),
      answerRow(view),
    );
  }

  watch('view', draw);
  draw();
}
