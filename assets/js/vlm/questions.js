// Questions one by one: those that fit the filters, what came of each, and one of them large. Where
// two evaluations differ, the same list shows their words side by side.
import { make, many, options, put, strip } from '../shared/dom.js';
import { ask } from '../shared/http.js';
import { keeping } from './keep.js';
import { namesOf } from './names.js';
import { answerCard, OUTCOMES, questionNodes, SHORT } from './question.js';
import { askUrl, numberOf, qa, changeView } from './view.js';

const COUNT = 24;
const SIDE = 520;
const PHONE = 320;

/** What the list is asked for, by what stands in the link. */
function wanted() {
  const differ = qa.view === 'differ';
  return {
    set: qa.set,
    askings: qa.evaluations.join(','),
    task: qa.task,
    outcome: differ ? '' : qa.outcome,
    of: qa.evaluations.includes(qa.of) ? qa.of : '',
    differ,
    only: differ ? qa.only : '',
    words: qa.words,
    parser: qa.parser,
    from: Number(qa.from) || 0,
    count: COUNT,
  };
}

/**
 * @param {HTMLElement} box
 * @param {() => Api.EvaluationJson[]} rows the evaluations of the set, as the list at the left has them
 * @param {() => Api.StartView} start
 */
export function questionsView(box, rows, start) {
  const card = make('section', 'th-card th-vlm-card');
  const bar = make('div', 'th-vlm-bar');
  const task = make('select');
  const who = make('select');
  const outcomes = make('span', 'th-strip');
  const search = make('input');
  const status = make('p', 'th-soft th-vlm-found');
  const list = make('div', 'th-vlm-cards');
  const pager = make('nav', 'th-vlm-pager');
  /** @type {Api.QuestionsView | null} */
  let result = null;
  let request = 0;
  let typing;
  let dialog = null;
  let rendered = '';
  search.type = 'search';
  search.placeholder = 'Search questions and answers…';
  search.setAttribute('aria-label', 'Search questions and answers');
  task.setAttribute('aria-label', 'Task');
  who.setAttribute('aria-label', 'Evaluation');
  outcomes.setAttribute('role', 'group');
  outcomes.setAttribute('aria-label', 'Outcome');
  status.setAttribute('role', 'status');
  pager.setAttribute('aria-label', 'Pages');
  bar.append(task, who, outcomes, search);
  card.append(bar, status, list, pager);
  box.append(card);

  const key = () => JSON.stringify(wanted()) + qa.view;
  const again = (values) => changeView({ from: '', q: '', ...values });
  task.addEventListener('change', () => again({ task: task.value }));
  who.addEventListener('change', () => again({ of: who.value }));
  search.addEventListener('input', () => {
    clearTimeout(typing);
    typing = setTimeout(() => again({ words: search.value.trim() }), 250);
  });

  /** Those whose answers are shown. */
  function report() {
    const shown = rows().filter((row) => qa.evaluations.includes(row.id));
    const names = namesOf(shown);
    return new Map(
      shown.map((row) => [
        row.id,
        { name: names.get(row.id) || row.name, settings: row.settings, image: row.image },
      ]),
    );
  }
  function nameOf(id) {
    const item = report().get(id);
    return numberOf(id) + (item ? ' ' + item.name : '');
  }
  function filters() {
    const set = start().sets.find((item) => item.id === qa.set);
    const differ = qa.view === 'differ';
    options(
      task,
      [{ id: '', name: 'All tasks' }].concat(
        (set ? set.tasks : []).map((item) => ({ id: item.id, name: item.title })),
      ),
      qa.task,
    );
    who.hidden = differ || qa.evaluations.length < 2;
    options(
      who,
      qa.evaluations.map((id) => ({ id, name: nameOf(id) })),
      qa.of || qa.evaluations[0] || '',
    );
    if (document.activeElement !== search) search.value = qa.words;
    const counts = (result && result.counts) || {};
    const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
    const ownerOf = (id) => (counts[id] || 0).toLocaleString('en-US');
    if (differ) {
      const both = (result && result.differences) || { first: 0, second: 0 };
      strip(
        outcomes,
        [
          { id: '', name: 'Both' },
          {
            id: 'first',
            name: 'Only ' + numberOf(qa.evaluations[0]) + ' correct ' + (qa.only ? '' : both.first),
          },
          {
            id: 'second',
            name:
              'Only ' + numberOf(qa.evaluations[1]) + ' correct ' + (qa.only ? '' : both.second),
          },
        ],
        qa.only,
        (id) => again({ only: id }),
      );
    } else
      strip(
        outcomes,
        qa.evaluations.length
          ? [
              { id: '', name: 'All ' + total.toLocaleString('en-US') },
              ...Object.entries(OUTCOMES)
                .filter(([id]) => counts[id] || qa.outcome === id)
                .map(([id, item]) => ({
                  id,
                  name: item.sign + ' ' + item.word + ' ' + ownerOf(id),
                })),
            ]
          : [],
        qa.outcome,
        (id) => again({ outcome: id }),
      );
  }
  function open(question) {
    changeView({ q: question.id });
  }
  /** @param {Api.QuestionJson} question */
  function cardOf(question) {
    const differ = qa.view === 'differ';
    const item = make('article', 'th-vlm-item');
    const press = make('button', 'th-vlm-open');
    const frame = make('span', 'th-vlm-thumb');
    const image = make('img');
    image.src = askUrl('/images/' + qa.set + '/' + question.image + '.png');
    image.alt = '';
    image.loading = 'lazy';
    frame.append(image);
    press.type = 'button';
    press.append(frame, make('span', 'th-vlm-ask-text', question.text));
    press.addEventListener('click', () => open(question));
    item.dataset.question = question.id;
    item.append(press);
    if (differ) {
      const pair = make('div', 'th-vlm-pair');
      const who = report();
      question.answers
        .slice(0, 2)
        .forEach((answer) =>
          pair.append(answerCard(answer, question, who.get(answer.asking), SHORT)),
        );
      item.append(pair);
      item.classList.add('th-vlm-wide');
    } else {
      const said = make('div', 'th-vlm-outcomes');
      question.answers.forEach((answer) => {
        const outcome = OUTCOMES[answer.outcome] || OUTCOMES.none;
        const mark = make('span', 'th-vlm-mark');
        mark.title =
          answer.name + ': ' + outcome.word + (answer.reason ? '. ' + answer.reason : '');
        mark.append(
          make('span', 'th-vlm-number', numberOf(answer.asking)),
          make('b', '', outcome.sign),
          make('span', '', answer.reading === null ? outcome.word : answer.reading),
        );
        said.append(mark);
      });
      item.append(said);
    }
    const answer = make('p', 'th-vlm-hint', 'Correct: ' + question.answer);
    const choice = question.choices.find((each) => each.letter === question.answer);
    if (choice) put(answer, 'Correct: ' + choice.letter + ', ' + choice.text);
    item.append(answer);
    return item;
  }
  function page() {
    const from = Number(qa.from) || 0;
    const step = (text, to, on) => {
      const button = make('button', 'th-button', text);
      button.type = 'button';
      button.disabled = !on;
      button.addEventListener('click', () => {
        changeView({ from: to ? String(to) : '' });
        box.scrollIntoView();
      });
      return button;
    };
    const last = Math.min(from + COUNT, result.total);
    pager.hidden = result.total <= COUNT;
    pager.replaceChildren(
      step('Back', Math.max(0, from - COUNT), from > 0),
      make(
        'span',
        'th-soft',
        from + 1 + '–' + last + ' of ' + result.total.toLocaleString('en-US'),
      ),
      step('Next', from + COUNT, last < result.total),
    );
  }
  function draw() {
    rendered = key();
    filters();
    list.classList.toggle('th-vlm-differ', qa.view === 'differ');
    if (qa.view === 'differ' && qa.evaluations.length < 2) {
      put(
        status,
        'Select two evaluations to see the questions that only one of them answers correctly.',
      );
      bar.hidden = true;
      list.replaceChildren();
      pager.hidden = true;
      return;
    }
    bar.hidden = false;
    if (!result) return;
    const text =
      qa.view === 'differ'
        ? many(result.total, 'question') +
          ' that only one of ' +
          nameOf(qa.evaluations[0]) +
          ' and ' +
          nameOf(qa.evaluations[1]) +
          ' answers correctly'
        : many(result.total, 'question');
    put(status, result.total ? text : 'No question matches. Remove a filter.');
    keeping(list, () => list.replaceChildren(...result.questions.map(cardOf)));
    page();
  }

  // ── one question, large ──────────────────────────────────────────────────────────────────
  /** Where the open question is among all that fit; -1 where it is not among them. */
  function position() {
    const index = result ? result.questions.findIndex((question) => question.id === qa.q) : -1;
    return index < 0 ? -1 : result.from + index;
  }
  /** The one before or after it, also on another page of the list. */
  async function step(by) {
    const index = position();
    const to = index + by;
    if (index < 0 || to < 0 || to >= result.total) return;
    const from = to - (to % COUNT);
    const current = result.questions[to - result.from];
    if (current) {
      changeView({ q: current.id });
      return;
    }
    const mine = request;
    try {
      const next = await ask(askUrl('/questions', { ...wanted(), from: to, count: 1 }));
      if (mine === request && next.questions.length)
        changeView({ q: next.questions[0].id, from: from ? String(from) : '' });
    } catch (error) {
      put(status, error.message);
    }
  }
  function large() {
    const made = make('dialog', 'th-vlm-large');
    const head = make('header');
    const back = make('button', 'th-button', '‹ Previous');
    const on = make('button', 'th-button', 'Next ›');
    const close = make('button', 'th-button', 'Close');
    const body = make('div', 'th-vlm-body');
    const target = make('span', 'th-soft');
    [back, on, close].forEach((button) => {
      button.type = 'button';
    });
    back.addEventListener('click', () => step(-1));
    on.addEventListener('click', () => step(1));
    close.addEventListener('click', () => made.close());
    made.setAttribute('aria-label', 'A question');
    made.addEventListener('keydown', (event) => {
      const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      // An image that is larger than its place is moved by the same keys.
      const node = /** @type {Element} */ (event.target).closest('.th-vlm-frame');
      if (by && !(node && node.scrollWidth > node.clientWidth)) step(by);
    });
    made.addEventListener('click', (event) => {
      if (event.target === made) made.close();
    });
    made.addEventListener('close', () => {
      const id = qa.q;
      made.remove();
      dialog = null;
      if (id) changeView({ q: '' });
      /** @type {HTMLElement | null} */ (
        list.querySelector('[data-question="' + CSS.escape(id) + '"] button')
      )?.focus({ preventScroll: true });
    });
    head.append(back, on, target, make('span', 'th-space'), close);
    made.append(head, body);
    document.body.append(made);
    made.showModal();
    return { node: made, body, back, on, where: target, shown: '' };
  }
  async function showLarge() {
    if (!qa.q || qa.view === 'results') {
      if (dialog) dialog.node.close();
      return;
    }
    dialog ||= large();
    const mine = dialog;
    const key = qa.q + ' ' + qa.evaluations.join() + ' ' + qa.parser;
    const index = position();
    // Who pressed one of them keeps the focus.
    mine.back.setAttribute('aria-disabled', String(index < 1));
    mine.on.setAttribute('aria-disabled', String(index < 0 || index + 1 >= result.total));
    put(mine.where, index < 0 ? '' : index + 1 + ' of ' + result.total.toLocaleString('en-US'));
    if (mine.shown === key) return;
    mine.shown = key;
    let question = result && result.questions.find((item) => item.id === qa.q);
    if (!question) {
      try {
        const evaluations = qa.evaluations.join(',');
        const values = { set: qa.set, askings: evaluations, id: qa.q, parser: qa.parser };
        ({ question } = await ask(askUrl('/question', values)));
      } catch (error) {
        mine.body.replaceChildren(make('p', 'th-problem', error.message));
        return;
      }
    }
    if (dialog !== mine || mine.shown !== key) return;
    const max = window.innerWidth < 720 ? PHONE : SIDE;
    mine.body.replaceChildren(...questionNodes(question, max, report()));
    mine.body.scrollTop = 0;
  }

  return {
    /** Asks for what the link says, and draws it. */
    async show() {
      const mine = ++request;
      if (rendered !== key()) draw();
      if (qa.view !== 'differ' || qa.evaluations.length > 1) {
        try {
          const answer = await ask(askUrl('/questions', wanted()));
          if (mine !== request) return;
          // While answers come in, most pages of the list stay as they are.
          const same = JSON.stringify(answer) === JSON.stringify(result);
          result = answer;
          if (!same) draw();
        } catch (error) {
          if (mine === request) put(status, error.message);
        }
      }
      showLarge();
    },
    /** Who was asked is known now, by name. */
    named() {
      if (!result || qa.view === 'results') return;
      draw();
      if (dialog) dialog.shown = '';
      showLarge();
    },
    /** Only the question that is open is another. */
    showLarge,
    key,
  };
}
