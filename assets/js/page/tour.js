// A few minutes for newcomers: what to press, in order. Next takes the step's walk: it opens the tab
// that the step talks of. Drawing and starting stay the reader's; a step that was done goes on.
import { basket } from '../shared/basket.js';
import { openTab } from '../shared/dom.js';
import { store } from '../shared/state.js';

function seen(node) {
  return Boolean(node && node.offsetParent !== null);
}

// Whether the newest image has a verdict, so that there is one to look at.
function judged() {
  const item = store.get('result');
  return Boolean(item && item.image_id && (item.verdicts || []).length);
}

function press(selector) {
  const node = document.querySelector(selector);
  if (seen(node)) {
    node.click();
    return true;
  }
  return false;
}

// The corner where the card hides least of what the step is about; the mark itself never.
const KEPT_FREE = [
  { at: '.th-tour-spot', weight: 100 },
  { at: '#generate-button', weight: 8 },
  { at: '#queue .th-queue', weight: 6 },
  { at: '#result .th-result-picture', weight: 4 },
  { at: '#result .th-result-words', weight: 4 },
  { at: '#verdict .th-actions', weight: 6 },
  { at: '#rule', weight: 4 },
  { at: '#prompts .th-list', weight: 1 },
];

const CORNERS = ['right bottom', 'left bottom', 'right top', 'left top'];

/** @param {import('../shared/widget.js').Widget} widget */
export function mount({ element }) {
  const card = element.querySelector('.th-tour');
  const title = card.querySelector('h3');
  const text = card.querySelector('p');
  const count = card.querySelector('footer span');
  const next = card.querySelector('.th-tour-next');
  const end = card.querySelector('.th-tour-end');
  const back = card.querySelector('.th-tour-back');
  const STEPS = [
    {
      title: 'Render a mug of known color',
      text: 'Click Generate. The form holds an example: the reference renderer, which needs no weights, renders a vivid reddish orange mug. Your own prompt is restored when the tour ends.',
      walk: () => {
        openTab('Generate');
        store.set('tour-example', 'begin');
      },
      at: '#generate-button .th-primary',
      done: 'th-drawn',
    },
    {
      title: 'See the verdict',
      text: () =>
        judged()
          ? 'The image appears beside the button, with its verdict by the rule selected below. The renderer knows exactly which pixels are the mug. Click the image, or Next, to see why.'
          : 'No image yet. Click Generate and wait a moment, or click Next to open a finished mug.',
      walk: () => openTab('Generate'),
      at: '#result .th-result-picture',
      done: () => seen(document.querySelector('#verdict')),
    },
    {
      title: 'Change the rule',
      text: 'Choose another rule. The same pixels can pass one rule and fail another: light and shade change L* and chroma. “How this was measured” lists every step.',
      walk: () => {
        if (seen(document.querySelector('#verdict .th-metrics'))) return;
        if (judged() && press('#result .th-result-picture:enabled')) return;
        openTab('Inspect');
        store.set('example', 'mug');
      },
      at: '#rule',
    },
    {
      title: 'Select prompts',
      text: 'Search for “vivid green” and select three prompts on the left of the list; Shift selects a range. Generate then uses the selection.',
      walk: () => openTab('Generate'),
      at: '#prompts .th-search',
      done: () => basket.size() >= 3,
    },
    {
      title: 'Start a run',
      text: 'Choose 20 prompts, 1 image per prompt and the size 256 × 256, and click Start: every image is generated, scored by the selected rules, and saved.',
      walk: () => {
        openTab('Explore');
        later('.th-explore-switch [data-view="runs"]');
      },
      at: ['#explore-runs .th-primary', '.th-explore-switch [data-view="runs"]'],
      done: () => document.querySelector('.th-run-item[data-status="running"]'),
    },
    {
      title: 'Look at failures',
      text: 'Leaderboard shows the share of images that pass the rule, per run. Click a number to see the images behind it in Failures. “Rule accuracy” shows how often each rule is right.',
      walk: () => {
        openTab('Explore');
        later('.th-explore-switch [data-view="leaderboard"]');
      },
      at: ['.th-explore-switch [data-view="leaderboard"]'],
      done: () => document.querySelector('dialog.th-light[open]'),
    },
    {
      title: 'Compare with people',
      text: 'A “rotten mango” has no single correct color. Search for it and select it to see the colors of people and of models side by side. Import your own images at the bottom of Generate, with “Import images”.',
      walk: () => {
        openTab('Compare');
        later('.th-compare-switch [data-view="concept"]');
      },
      at: ['.th-concept-search', '.th-compare-switch [data-view="concept"]'],
    },
  ];
  // Of several places of a step the first that is seen is marked.
  let step = -1;
  let timer = null;
  let spot = null;
  let opener = null;
  card.tabIndex = -1;
  // A tab draws itself when it is first opened: what is in it is pressed once it is there.
  let wanted = '';
  function later(selector) {
    wanted = press(selector) ? '' : selector;
  }
  function arrange() {
    const wide = card.offsetWidth;
    const high = card.offsetHeight;
    const edge = 16;
    const top = 60;
    const boxes = KEPT_FREE.map(({ at, weight }) => ({ node: document.querySelector(at), weight }))
      .filter(({ node }) => seen(node))
      .map(({ node, weight }) => ({ frame: node.getBoundingClientRect(), weight }));
    const costs = CORNERS.map((corner) => {
      const left = corner.startsWith('left') ? edge : innerWidth - wide - edge;
      const up = corner.endsWith('top') ? top : innerHeight - high - edge;
      return boxes.reduce(
        (sum, { frame: box, weight }) =>
          sum +
          (box.left < left + wide && box.right > left && box.top < up + high && box.bottom > up
            ? weight
            : 0),
        0,
      );
    });
    const best = CORNERS[costs.indexOf(Math.min(...costs))];
    if (card.dataset.corner !== best) card.dataset.corner = best;
  }
  function mark() {
    if (wanted) later(wanted);
    const now =
      step >= 0
        ? [STEPS[step].at]
            .flat()
            .map((index) => document.querySelector(index))
            .find(seen)
        : null;
    if (spot !== (now || null)) {
      if (spot) spot.classList.remove('th-tour-spot');
      spot = now || null;
      if (spot) {
        spot.classList.add('th-tour-spot');
        spot.scrollIntoView({ block: 'nearest' });
      }
    }
    if (step >= 0) arrange();
  }
  function go(to) {
    step = to;
    wanted = '';
    clearInterval(timer);
    if (step < 0 || step >= STEPS.length) {
      step = -1;
      store.set('tour-example', 'end');
      mark();
      const held = card.contains(document.activeElement);
      card.hidden = true;
      if (held && opener && opener.isConnected) opener.focus();
      try {
        localStorage.setItem('th-tour', 'seen');
      } catch {
        /* it may be offered again */
      }
      return;
    }
    const item = STEPS[step];
    title.textContent = item.title;
    text.textContent = typeof item.text === 'function' ? item.text() : item.text;
    count.textContent = step + 1 + ' of ' + STEPS.length;
    back.disabled = step === 0;
    next.textContent = step + 1 === STEPS.length ? 'Done' : 'Next';
    if (card.hidden) {
      opener = document.activeElement;
      card.hidden = false;
      card.focus({ preventScroll: true });
    }
    item.walk();
    mark();
    // What was done before this step began does not end it: one may have come back to read.
    let before = typeof item.done === 'function' && Boolean(item.done());
    timer = setInterval(() => {
      mark();
      if (typeof item.done !== 'function') return;
      const now = Boolean(item.done());
      if (now && !before) go(step + 1);
      before = now;
    }, 500);
  }
  store.subscribe('drawn', () => {
    if (step >= 0 && STEPS[step].done === 'th-drawn') go(step + 1);
  });
  next.addEventListener('click', () => go(step + 1));
  back.addEventListener('click', () => {
    if (step > 0) go(step - 1);
  });
  end.addEventListener('click', () => go(-1));
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && step >= 0 && !document.querySelector('dialog[open]')) go(-1);
  });
  store.subscribe('tour', () => go(0));
  addEventListener('resize', () => {
    if (step >= 0) arrange();
  });
}
