// Who was asked the open set: how far each is, what may be done with it, and whose answers are shown.
import { arrange, inFront, make, many, put } from '../shared/dom.js';
import { ask, send } from '../shared/http.js';
import { store } from '../shared/state.js';
import { STATUS_WORDS } from '../shared/statuses.js';
import { askUrl, numberOf, qa, setAsk } from './view.js';

const ACTIONS = {
  resume: 'Resume',
  pause: 'Pause',
  cancel: 'Cancel',
  retry: 'Retry unanswered questions',
  hide: 'Hide',
};
const MOST_SHOWN = 12;
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
    const saved = { ...savedChoices(), [qa.set]: qa.askings };
    localStorage.setItem(SHOWN, JSON.stringify(saved));
  } catch {
    /* it holds until the page closes */
  }
}

/** Sets of which somebody has said whose answers are shown. */
const decided = new Set();

function line(first, act) {
  const node = make('article', 'th-qa-asking');
  const head = make('label');
  const box = make('input');
  const letter = make('span', 'th-qa-number');
  const title = make('b');
  const word = make('span', 'th-qa-word');
  const facts = make('p', 'th-qa-hint');
  const bar = make('div', 'th-bar');
  const fill = make('i');
  const words = make('p', 'th-qa-words');
  const message = make('p');
  const problems = make('ul', 'th-qa-problems');
  const refused = make('p', 'th-problem');
  const foot = make('div', 'th-qa-foot');
  const buttons = make('span', 'th-qa-buttons');
  let now = first;
  box.type = 'checkbox';
  refused.hidden = true;
  refused.setAttribute('role', 'alert');
  letter.setAttribute('aria-hidden', 'true');
  bar.setAttribute('role', 'progressbar');
  bar.setAttribute('aria-valuemin', '0');
  bar.setAttribute('aria-valuemax', '100');
  bar.append(fill);
  head.append(box, letter, title, word);
  foot.append(words, buttons);
  // A budget that is used up is raised where it goes on.
  const budget = make('span', 'th-qa-budget');
  const limits = ['most_requests', 'most_tokens'].map((name) => {
    const label = make('label', '', name === 'most_requests' ? 'Total requests' : 'Total tokens');
    const input = make('input');
    input.inputMode = 'numeric';
    input.placeholder = 'unchanged';
    label.append(input);
    budget.append(label);
    return { name, input };
  });
  node.append(head, facts, bar, message, problems, budget, foot, refused);
  box.addEventListener('change', () => {
    const others = qa.askings.filter((id) => id !== now.id);
    decided.add(qa.set);
    setAsk({ askings: box.checked ? [...others, now.id] : others, from: '' });
    saveChoice();
  });
  const all = Object.fromEntries(
    Object.entries(ACTIONS).map(([label, text]) => {
      const button = make('button', label === 'hide' ? 'th-qa-plain' : 'th-button', text);
      button.type = 'button';
      button.addEventListener('click', async () => {
        refused.hidden = true;
        try {
          const raised = Object.fromEntries(
            limits
              .filter((limit) => limit.input.value.trim())
              .map((limit) => [limit.name, limit.input.value.trim()]),
          );
          await act(now, label === 'hide' && now.hidden ? 'show' : label, raised);
          limits.forEach((limit) => {
            limit.input.value = '';
          });
        } catch (error) {
          put(refused, error.message);
          refused.hidden = false;
        }
      });
      return [label, button];
    }),
  );
  return {
    node,
    /** @param {any} row */
    update(row) {
      now = row;
      const percent = row.total ? (100 * row.done) / row.total : 0;
      node.dataset.status = row.status;
      node.dataset.asking = row.id;
      node.classList.toggle('th-qa-was-hidden', row.hidden);
      box.checked = qa.askings.includes(row.id);
      const full = qa.askings.length >= MOST_SHOWN;
      box.disabled = !box.checked && (!row.may.open || full);
      box.title = full && !box.checked ? 'At most ' + MOST_SHOWN + ' can be compared at once' : '';
      put(letter, numberOf(row.id));
      letter.hidden = !box.checked;
      put(title, row.name);
      const later = row.status === 'waiting' && row.place > 1 ? ', ' + row.place + ' in queue' : '';
      put(word, STATUS_WORDS[row.status] + later);
      put(facts, row.settings);
      bar.hidden = !row.total || (row.done >= row.total && !row.moves);
      bar.setAttribute('aria-label', row.name);
      bar.setAttribute('aria-valuenow', String(Math.floor(percent)));
      fill.style.width = percent + '%';
      put(words, row.words);
      put(message, row.message);
      message.className = row.trouble ? 'th-problem' : 'th-qa-hint';
      message.hidden = !row.message;
      const texts = row.problems.map(
        (problem) => problem.count.toLocaleString('en-US') + ' × ' + problem.text,
      );
      if (problems.dataset.texts !== texts.join('\n')) {
        problems.dataset.texts = texts.join('\n');
        problems.replaceChildren(...texts.map((text) => make('li', '', text)));
      }
      budget.hidden = !row.may.resume || !row.budget;
      limits.forEach((limit) => {
        const max = row.budget && row.budget[limit.name];
        limit.input.placeholder = max ? max.toLocaleString('en-US') : 'no limit';
      });
      put(all.resume, row.status === 'planned' ? 'Start' : 'Resume');
      put(all.hide, row.hidden ? 'Show again' : 'Hide');
      arrange(
        buttons,
        Object.keys(all)
          .filter((name) => row.may[name])
          .map((name) => all[name]),
      );
    },
  };
}

/**
 * The list; it looks again while something moves.
 * @param {HTMLElement} root
 */
export function askingsList(root) {
  const part = (name) => /** @type {Found} */ (root.querySelector('.th-qa-' + name));
  const box = part('list');
  const hiddenButton = part('hidden');
  /** @type {Map<string, ReturnType<typeof line>>} */
  const lines = new Map();
  const heard = new Map();
  let rows = [];
  let withHidden = false;
  let timer;
  let request = 0;
  let suffix = '';

  async function act(row, label, body) {
    await send('/api/vlm/askings/' + row.id + '/' + label, body);
    await load();
  }
  function draw() {
    [...lines.keys()].forEach((id) => {
      if (!rows.some((row) => row.id === id)) lines.delete(id);
    });
    rows.forEach((row) => {
      const known = lines.get(row.id) || line(row, act);
      lines.set(row.id, known);
      known.update(row);
    });
    arrange(
      box,
      rows.map((row) => /** @type {any} */ (lines.get(row.id)).node),
    );
    part('empty').hidden = rows.length > 0;
  }
  // Who listens hears of an end once; whoever shows results looks again while answers come in.
  function tell(result) {
    const news = result.filter(
      (row) => heard.has(row.id) && heard.get(row.id).status !== row.status,
    );
    const more = result.some((row) => heard.has(row.id) && heard.get(row.id).done !== row.done);
    result.forEach((row) => heard.set(row.id, { status: row.status, done: row.done }));
    put(part('said'), news.map((row) => row.name + ': ' + STATUS_WORDS[row.status]).join('. '));
    if (news.length || more) store.tell('ask-more');
  }
  async function load() {
    clearTimeout(timer);
    const mine = ++request;
    if (!inFront(root) || document.hidden || !qa.set) return;
    let moves = true;
    try {
      const result = await ask(askUrl('/askings', { set: qa.set, hidden: withHidden }));
      if (mine !== request) return;
      const first = suffix !== qa.set;
      suffix = qa.set;
      rows = result.askings;
      moves = rows.some((row) => row.moves);
      hiddenButton.hidden = !result.hidden && !withHidden;
      put(hiddenButton, withHidden ? 'Hide hidden evaluations' : many(result.hidden, 'hidden one'));
      hiddenButton.setAttribute('aria-pressed', String(withHidden));
      tell(rows);
      // What a link names and is not here is not shown; a link without any shows what was chosen
      // last, or the latest.
      const saved = first && !qa.askings.length ? savedChoices()[qa.set] : null;
      const ids = (Array.isArray(saved) ? saved : qa.askings).filter((id) =>
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
      if (chosen.join() !== qa.askings.join()) setAsk({ askings: chosen });
      // Names were not known to who drew first.
      if (first) store.tell('ask-named');
      draw();
    } catch {
      if (mine !== request) return;
    }
    clearTimeout(timer);
    if (root.isConnected) timer = setTimeout(load, moves ? LOOK_MS : CALM_MS);
  }
  hiddenButton.addEventListener('click', () => {
    withHidden = !withHidden;
    load();
  });
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) load();
  });
  return {
    load,
    rows: () => rows,
    /** Of another set nothing is shown until it is known. */
    show() {
      if (suffix !== qa.set) {
        rows = [];
        draw();
        load();
      } else draw();
    },
  };
}
