// Long work that waits in a queue, whatever its kind: one batch as a card, and the list of them. A
// card keeps its place and its nodes while it goes on, so that nothing moves under the pointer.
import { arrange, make, many, put } from './dom.js';
import { STATUS_WORDS } from './statuses.js';

const ACTIONS = {
  resume: 'Resume',
  pause: 'Pause',
  cancel: 'Cancel',
  retry: 'Retry unanswered questions',
  hide: 'Hide',
};

export function button(text, press, className) {
  const item = make('button', className || 'th-button', text);
  item.type = 'button';
  item.addEventListener('click', press);
  return item;
}

/**
 * The parts of a card, for a kind of batch to put in order. `prefix` and `soft` are of the classes;
 * `actions` are the names of the usual buttons in their order, or buttons of the kind's own.
 * @param {any} kind with `act(row, action)`, which raises what was refused
 */
export function batchCard({ prefix, soft, actions, plain, act }) {
  const title = make('b');
  const status = make('span', prefix + '-word');
  const bar = make('div', 'th-bar');
  const fill = make('i');
  const progress = make('p', prefix + '-words');
  const message = make('p', 'th-problem');
  const refused = make('p', 'th-problem');
  const buttons = make('div', prefix + '-buttons');
  let row = null;
  refused.setAttribute('role', 'alert');
  refused.hidden = true;
  bar.setAttribute('role', 'progressbar');
  bar.setAttribute('aria-valuemin', '0');
  bar.setAttribute('aria-valuemax', '100');
  bar.append(fill);
  function refuse(text) {
    put(refused, text);
    refused.hidden = !text;
  }
  async function press(action) {
    refuse('');
    try {
      await act(row, action === 'hide' && row.hidden ? 'show' : action);
    } catch (error) {
      refuse(error.message);
    }
  }
  const all = Object.entries(actions).map(([name, own]) => ({
    name,
    node: own === true ? button(ACTIONS[name], () => press(name), plain?.[name]) : own,
  }));
  return {
    title,
    status,
    bar,
    progress,
    message,
    refused,
    buttons,
    refuse,
    press,
    update(node, now) {
      row = now;
      const percent = row.total ? (100 * row.done) / row.total : 0;
      node.dataset.status = row.status;
      node.classList.toggle(prefix + '-was-hidden', row.hidden);
      put(title, row.name);
      const later = row.status === 'waiting' && row.place > 1 ? ', ' + row.place + ' in queue' : '';
      put(status, STATUS_WORDS[row.status] + later);
      // A bar that is full says no more than the status.
      bar.hidden = !row.total || (row.done >= row.total && !row.moves);
      bar.setAttribute('aria-label', row.name);
      bar.setAttribute('aria-valuenow', String(Math.floor(percent)));
      fill.style.width = percent + '%';
      put(progress, row.words);
      put(message, row.message);
      message.className = row.trouble ? 'th-problem' : soft;
      message.hidden = !row.message;
      all.forEach(({ name, node: item }) => {
        if (name === 'resume') put(item, row.status === 'planned' ? 'Start' : 'Resume');
        if (name === 'hide') put(item, row.hidden ? 'Show again' : 'Hide');
      });
      arrange(
        buttons,
        all.filter(({ name }) => row.may[name]).map(({ node: item }) => item),
      );
    },
  };
}

/** The reasons of failed items. */
export function putProblems(box, texts) {
  const joined = texts.join('\n');
  if (box.dataset.texts === joined) return;
  box.dataset.texts = joined;
  box.replaceChildren(...texts.map((text) => make('li', '', text)));
}

/**
 * A list that looks again, sooner while something in it moves. `card(row)` makes the card of a row,
 * `read(withHidden)` asks for the rows, and `loaded(rows, hidden, news, more)` hears of them before
 * they are shown: `news` says whose status changed, and `more` is true where one went on.
 * @param {any} kind
 */
export function batchList(kind) {
  const cards = new Map();
  const heard = new Map();
  let rows = [];
  let withHidden = false;
  let soon = false;
  let timer;
  let request = 0;
  function draw() {
    [...cards.keys()].forEach((id) => {
      if (!rows.some((row) => row.id === id)) cards.delete(id);
    });
    arrange(
      kind.box,
      rows.map((row) => {
        const card = cards.get(row.id) || kind.card(row);
        cards.set(row.id, card);
        card.update(row);
        return card.node;
      }),
    );
  }
  /** Whoever listens hears of a new status once, not of every item. */
  function changes() {
    const known = rows.filter((row) => heard.has(row.id));
    const news = known.filter((row) => heard.get(row.id).status !== row.status);
    const more = known.some((row) => heard.get(row.id).done !== row.done);
    rows.forEach((row) => heard.set(row.id, { status: row.status, done: row.done }));
    return {
      news: news.map((row) => row.name + ': ' + STATUS_WORDS[row.status]).join('. '),
      more,
    };
  }
  function putHidden(hidden) {
    kind.hiddenButton.hidden = !hidden && !withHidden;
    put(
      kind.hiddenButton,
      withHidden ? 'Hide hidden ' + kind.noun + 's' : 'Show ' + many(hidden, 'hidden ' + kind.noun),
    );
    kind.hiddenButton.setAttribute('aria-pressed', String(withHidden));
  }
  async function load() {
    clearTimeout(timer);
    const mine = ++request;
    if (!kind.visible() || document.hidden) return;
    let busy = true; // asked again where there is no answer: the app may be starting anew
    try {
      const result = await kind.read(withHidden);
      if (mine !== request) return;
      rows = result.rows;
      busy = rows.some((row) => row.moves);
      soon = false;
      putHidden(result.hidden);
      const { news, more } = changes();
      kind.loaded(rows, result.hidden, news, more);
      draw();
    } catch {
      if (mine !== request) return;
      kind.failed?.();
    }
    clearTimeout(timer);
    if (kind.box.isConnected) timer = setTimeout(load, busy || soon ? kind.fast : kind.slow);
  }
  kind.hiddenButton.addEventListener('click', () => {
    withHidden = !withHidden;
    load();
  });
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) load();
  });
  return {
    load,
    draw,
    rows: () => rows,
    /** Looks again soon, though nothing moves. */
    hurry() {
      soon = true;
    },
    clear() {
      rows = [];
      draw();
    },
    async scrollTo(id) {
      await load();
      cards.get(id)?.node.scrollIntoView({ block: 'nearest' });
    },
  };
}
