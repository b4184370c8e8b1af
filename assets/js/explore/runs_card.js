// What a run came to, on its card: its result by the usual rule, and images. While it draws these
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
  found: { rule: '', runs: {}, audits: {} },
  watchers: new Set(),
};
/** Asks for the results of all runs again. */
export async function askRunResults() {
  // One question for all cards, and not more often than somebody can read.
  if (runResults.waiting) return;
  runResults.waiting = setTimeout(
    async () => {
      runResults.at = Date.now();
      try {
        runResults.found = await ask('/api/explore/leaderboard/cards');
      } catch {
        /* asked again when more has come in */
      }
      runResults.waiting = null;
      runResults.watchers.forEach((call) => call());
    },
    Math.max(0, runResults.at + RUN_PICTURES_MS - Date.now()),
  );
}
/**
 * The accuracy by people of a run, and its studies.
 * @param {HTMLElement} node
 * @param {Api.RunAudit | undefined} audit
 */
function putAudit(node, audit) {
  node.hidden = !audit;
  const shown = JSON.stringify(audit || '');
  // An equal text stays: a refresh takes no focus from a link.
  if (!audit || node.dataset.shown === shown) return;
  node.dataset.shown = shown;
  const links = audit.studies.flatMap(({ study, words }) => {
    const link = make('a', '', words);
    link.href = '?tab=studies&study=' + study;
    return [' · ', link];
  });
  node.replaceChildren(audit.people || 'Check by people', ...links);
}
export function runOutcome(openPicture) {
  const node = make('div', 'th-run-outcome');
  const text = make('p', 'th-run-result');
  const people = make('p', 'th-run-people');
  const row = make('div', 'th-run-pictures');
  let run = null;
  let shown = '';
  let seen = false;
  let request = 0;
  let last = 0;
  let timer = null;
  row.setAttribute('role', 'group');
  node.append(text, people, row);
  node.hidden = true;
  function tell() {
    if (!node.isConnected) {
      runResults.watchers.delete(tell);
      return;
    }
    const result = run && runResults.found.runs[run.id];
    put(text, result ? result.words : '');
    text.title = result ? result.title : '';
    const audit = run && runResults.found.audits[run.id];
    putAudit(people, audit);
    node.hidden = !result && !audit && !row.childElementCount;
  }
  /** @param {Api.ResultJson} item */
  function imageNode(item) {
    const button = make('button', 'th-run-picture');
    const image = make('img');
    button.type = 'button';
    button.title = item.text;
    button.setAttribute('aria-label', 'Show large: ' + spoken(item));
    image.src = item.thumb;
    image.alt = '';
    image.loading = 'lazy';
    image.addEventListener('error', () => button.remove());
    button.append(image);
    button.addEventListener('click', () => openPicture(item));
    return button;
  }
  async function imageNodes() {
    clearTimeout(timer);
    if (!run || !seen || !run.stored) return;
    const drawing = run.moves;
    const state = run.stored + ' ' + drawing;
    if (state === shown) return;
    if (Date.now() - last < RUN_PICTURES_MS) {
      timer = setTimeout(imageNodes, RUN_PICTURES_MS);
      return;
    }
    const mine = ++request;
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
      const answer = await ask(`/api/explore/failures?${new URLSearchParams(values)}`);
      if (mine !== request) return;
      shown = state;
      const items = answer.items.filter((item) => item.thumb);
      row.setAttribute('aria-label', drawing ? 'Most recent images' : 'Worst cases');
      row.replaceChildren(
        ...(items.length ? [make('span', 'th-soft', drawing ? 'latest' : 'worst')] : []),
        ...items.map(imageNode),
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
        if (seen) imageNodes();
      }).observe(card);
    },
    update(now) {
      run = now;
      tell();
      imageNodes();
    },
  };
}
