// What a run came to, on its card: its result by the usual rule, and pictures. While it draws these
// are the latest; afterwards the worst failures. They are asked for when the card is seen.
import { make, put } from '../shared/dom.js';
import { ask } from '../shared/http.js';
import { spoken } from './card.js';

const RUN_PICTURES = 8;
const RUN_PICTURES_MS = 4000;
const runResults = {
  asked: 0,
  at: 0,
  waiting: null,
  found: { rule: '', runs: {} },
  watchers: new Set(),
};
async function askRunResults() {
  // One question for all cards, and not more often than somebody can read.
  if (runResults.waiting) return;
  runResults.waiting = setTimeout(
    async () => {
      runResults.at = Date.now();
      try {
        runResults.found = await ask('/api/explore/board/cards');
      } catch {
        /* asked again when more has come in */
      }
      runResults.waiting = null;
      runResults.watchers.forEach((call) => call());
    },
    Math.max(0, runResults.at + RUN_PICTURES_MS - Date.now()),
  );
}
export function runOutcome(openPicture) {
  const node = make('div', 'th-run-outcome');
  const words = make('p', 'th-run-result');
  const row = make('div', 'th-run-pictures');
  let run = null;
  let shown = '';
  let seen = false;
  let asked = 0;
  let last = 0;
  let timer = null;
  row.setAttribute('role', 'group');
  node.append(words, row);
  node.hidden = true;
  function tell() {
    if (!node.isConnected) {
      runResults.watchers.delete(tell);
      return;
    }
    const found = run && runResults.found.runs[run.id];
    put(words, found ? found.words : '');
    words.title = found ? found.title : '';
    node.hidden = !found && !row.childElementCount;
  }
  function picture(one) {
    const button = make('button', 'th-run-picture');
    const image = make('img');
    button.type = 'button';
    button.title = one.text;
    button.setAttribute('aria-label', 'Show large: ' + spoken(one));
    image.src = one.thumb;
    image.alt = '';
    image.loading = 'lazy';
    image.addEventListener('error', () => button.remove());
    button.append(image);
    button.addEventListener('click', () => openPicture(one));
    return button;
  }
  async function pictures() {
    clearTimeout(timer);
    if (!run || !seen || !run.stored) return;
    const drawing = run.moves;
    const state = run.stored + ' ' + drawing;
    if (state === shown) return;
    if (Date.now() - last < RUN_PICTURES_MS) {
      timer = setTimeout(pictures, RUN_PICTURES_MS);
      return;
    }
    const mine = ++asked;
    last = Date.now();
    askRunResults();
    try {
      /** @type {Record<string, string>} */
      const values = {
        runs: run.id,
        limit: String(RUN_PICTURES),
        sort: drawing ? 'recent' : 'delta_e00',
        ...(drawing ? {} : { status: 'fail' }),
      };
      if (runResults.found.rule) values.rule = runResults.found.rule;
      const answer = await ask('/api/explore/wall?' + new URLSearchParams(values));
      if (mine !== asked) return;
      shown = state;
      const kept = answer.items.filter((one) => one.thumb);
      row.setAttribute('aria-label', drawing ? 'Most recent images' : 'Worst cases');
      row.replaceChildren(
        ...(kept.length ? [make('span', 'th-soft', drawing ? 'latest' : 'worst')] : []),
        ...kept.map(picture),
      );
    } catch {
      /* the card says what it can */
    }
    tell();
  }
  runResults.watchers.add(tell);
  return {
    node,
    watch(card) {
      new IntersectionObserver((entries) => {
        seen = entries.some((entry) => entry.isIntersecting);
        if (seen) pictures();
      }).observe(card);
    },
    update(now) {
      run = now;
      tell();
      pictures();
    },
  };
}
