// Evaluations of the open set: progress, actions, and the visible ones.
import { batchCard, batchList, putProblems } from '../shared/batches.js';
import { inFront, make, put } from '../shared/dom.js';
import { ask, send } from '../shared/http.js';
import { store } from '../shared/state.js';
import { askUrl, numberOf, qa, changeView } from './view.js';

const MAX_SHOWN = 12;
const LOOK_MS = 2000;
const CALM_MS = 20000;

const SHOWN = 'th-ask-shown';

/**
 * Whose answers were chosen last, by set; kept in this browser.
 * @returns {Record<string, string[]>}
 */
function savedChoices() {
  try {
    return Object(JSON.parse(localStorage.getItem(SHOWN) || '{}'));
  } catch {
    return {}; /* the latest are shown then */
  }
}
function saveChoice() {
  try {
    const saved = { ...savedChoices(), [qa.set]: qa.evaluations };
    localStorage.setItem(SHOWN, JSON.stringify(saved));
  } catch {
    /* it holds until the page closes */
  }
}

/** Sets of which somebody has said whose answers are shown. */
const decided = new Set();

/** What may be spent in all; a budget that is used up is raised where the evaluation resumes. */
function budgetFields() {
  const node = make('span', 'th-vlm-budget');
  const limits = ['most_requests', 'most_tokens'].map((name) => {
    const label = make('label', '', name === 'most_requests' ? 'Total requests' : 'Total tokens');
    const input = make('input');
    input.inputMode = 'numeric';
    input.placeholder = 'unchanged';
    label.append(input);
    node.append(label);
    return { name, input };
  });
  return {
    node,
    update(row) {
      node.hidden = !row.may.resume || !row.budget;
      limits.forEach((limit) => {
        const max = row.budget && row.budget[limit.name];
        limit.input.placeholder = max ? max.toLocaleString('en-US') : 'no limit';
      });
    },
    values: () =>
      Object.fromEntries(
        limits
          .filter((limit) => limit.input.value.trim())
          .map((limit) => [limit.name, limit.input.value.trim()]),
      ),
    clear() {
      limits.forEach((limit) => {
        limit.input.value = '';
      });
    },
  };
}

function evaluationCard(first, act) {
  const node = make('article', 'th-vlm-evaluation');
  const head = make('label');
  const box = make('input');
  const letter = make('span', 'th-vlm-number');
  const facts = make('p', 'th-vlm-hint');
  const problems = make('ul', 'th-vlm-problems');
  const foot = make('div', 'th-vlm-foot');
  const budget = budgetFields();
  const parts = batchCard({
    prefix: 'th-vlm',
    soft: 'th-vlm-hint',
    actions: { resume: true, pause: true, cancel: true, retry: true, hide: true },
    plain: { hide: 'th-vlm-plain' },
    async act(row, action) {
      await act(row, action, budget.values());
      budget.clear();
    },
  });
  let now = first;
  box.type = 'checkbox';
  letter.setAttribute('aria-hidden', 'true');
  head.append(box, letter, parts.title, parts.status);
  foot.append(parts.progress, parts.buttons);
  node.append(head, facts, parts.bar, parts.message, problems, budget.node, foot, parts.refused);
  box.addEventListener('change', () => {
    const others = qa.evaluations.filter((id) => id !== now.id);
    decided.add(qa.set);
    changeView({ evaluations: box.checked ? [...others, now.id] : others, from: '' });
    saveChoice();
  });
  return {
    node,
    /** @param {Api.EvaluationJson} row */
    update(row) {
      now = row;
      node.dataset.asking = row.id;
      parts.update(node, row);
      box.checked = qa.evaluations.includes(row.id);
      const full = qa.evaluations.length >= MAX_SHOWN;
      box.disabled = !box.checked && (!row.may.open || full);
      box.title = full && !box.checked ? 'At most ' + MAX_SHOWN + ' can be compared at once' : '';
      put(letter, numberOf(row.id));
      letter.hidden = !box.checked;
      put(facts, row.settings);
      putProblems(
        problems,
        row.problems.map((problem) => problem.count.toLocaleString('en-US') + ' × ' + problem.text),
      );
      budget.update(row);
    },
  };
}

/**
 * The list; it looks again while something moves.
 * @param {HTMLElement} root
 */
export function evaluationList(root) {
  const part = (name) => /** @type {Found} */ (root.querySelector('.th-vlm-' + name));
  let suffix = '';
  const list = batchList({
    box: part('list'),
    hiddenButton: part('hidden'),
    noun: 'evaluation',
    fast: LOOK_MS,
    slow: CALM_MS,
    visible: () => inFront(root) && Boolean(qa.set),
    card: (row) => evaluationCard(row, act),
    async read(withHidden) {
      const result = await ask(askUrl('/evaluations', { set: qa.set, hidden: withHidden }));
      return { rows: result.askings, hidden: result.hidden };
    },
    loaded(rows, _, news, more) {
      put(part('said'), news);
      if (news || more) store.tell('ask-more');
      choose(rows);
      part('empty').hidden = rows.length > 0;
    },
  });
  /** @param {Api.EvaluationJson} row @param {string} action @param {any} body */
  async function act(row, action, body) {
    await send(`/api/vlm/evaluations/${row.id}/${action}`, body);
    await list.load();
  }
  // What a link names and is not here is not shown; a link without any shows what was chosen last,
  // or the latest.
  function choose(rows) {
    const first = suffix !== qa.set;
    suffix = qa.set;
    const saved = first && !qa.evaluations.length ? savedChoices()[qa.set] : null;
    const ids = (Array.isArray(saved) ? saved : qa.evaluations).filter((id) =>
      rows.some((row) => row.id === id),
    );
    if (first) decided.delete(qa.set);
    if (ids.length || saved) decided.add(qa.set);
    const chosen = decided.has(qa.set)
      ? ids
      : rows
          .filter((row) => row.may.open && !row.hidden && row.kind !== 'baseline')
          .slice(0, 3)
          .map((row) => row.id)
          .reverse();
    if (chosen.join() !== qa.evaluations.join()) changeView({ evaluations: chosen });
    // Names were not known to who drew first.
    if (first) store.tell('ask-named');
  }
  return {
    load: list.load,
    rows: list.rows,
    /** Of another set nothing is shown until it is known. */
    show() {
      if (suffix === qa.set) {
        list.draw();
        return;
      }
      list.clear();
      part('empty').hidden = false;
      list.load();
    },
  };
}
