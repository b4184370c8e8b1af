// Keeping a verdict and saying whether one agrees: buttons under a verdict, used by Inspect and by
// the large view of a picture. `question` is what is sent: of a mask, or of a picture of a run.
// `evidence` is the id of the kept verdict, '' for a draft, null where there is nothing to keep.
// `answers` are one's own judgment and the latest of others, as the server tells them.
import { make } from './dom.js';
import { send } from './http.js';
import { store } from './state.js';

const capital = (text) => text[0].toUpperCase() + text.slice(1);
const HAS = 'it has the color';
const HAS_NOT = 'it does not have the color';
/**
 * A person's answer in words: of one object, which must have the color or must not, or of a whole
 * image of a run, where a prompt may require both.
 * @param {string} value pass or fail
 * @param {{ run?: string, relation?: string }} question
 */
export function answerWords(value, { run, relation }) {
  if (run) return value === 'pass' ? 'the colors are right' : 'the colors are wrong';
  return (value === 'pass') === (relation === 'differs') ? HAS_NOT : HAS;
}
/**
 * @param {{ question: Record<string, any>, status: string, ruleName: string, evidence: string | null,
 *   answers?: { judgment: any, others: any[], others_total: number },
 *   changed?: (fresh: any) => void }} what
 */
export function judging({ question, status, ruleName, evidence, answers, changed }) {
  const node = make('section', 'th-judging');
  const line = make('div', 'th-judging-line');
  const below = make('div', 'th-judging-below');
  node.setAttribute('aria-label', 'Answers of people');
  node.append(line, below);
  let id = evidence;
  let mine = answers ? answers.judgment : null;
  let others = answers ? answers.others : [];
  let othersTotal = answers ? answers.others_total : 0;
  let form = null;
  function button(text, key, title, run) {
    const made = make('button', 'th-button', text);
    made.type = 'button';
    made.title = title + (key ? ' (key ' + key.toUpperCase() + ')' : '');
    if (key) made.setAttribute('aria-keyshortcuts', key.toUpperCase());
    made.addEventListener('click', () => busy(made, run));
    return made;
  }
  async function busy(made, run) {
    if (made.getAttribute('aria-disabled') === 'true') return;
    made.setAttribute('aria-disabled', 'true');
    try {
      await run();
    } catch (error) {
      problem(error.message);
    } finally {
      made.removeAttribute('aria-disabled');
    }
  }
  function problem(text) {
    const old = below.querySelector('.th-problem');
    if (old) old.remove();
    if (!text) return;
    const said = make('p', 'th-problem', text);
    said.setAttribute('role', 'alert');
    below.appendChild(said);
  }
  function report(fresh) {
    if (changed) changed(fresh);
    store.tell('drawn');
    store.tell('judged');
  }
  async function keep() {
    const answer = await send('/api/verdicts', question);
    id = answer.evidence[question.rule];
    report({ evidence: id });
    draw();
  }
  async function remove() {
    const gone = await send('/api/trash', { kind: 'verdict', ids: [id], all_rules: true });
    const before = id;
    id = '';
    report({ evidence: '' });
    draw();
    undo(
      below,
      gone.count > 1
        ? 'The verdicts of ' + gone.count + ' rules were deleted.'
        : 'The verdict was deleted.',
      gone.id,
      () => {
        id = before;
        report({ evidence: id });
        draw();
      },
    );
  }
  async function answer(value, reason) {
    mine = await send('/api/judgments', { ...question, answer: value, reason });
    if (id === '') id = 'kept';
    form = null;
    report({ judgment: mine });
    draw();
    const held = line.querySelector('button');
    if (held) held.focus({ preventScroll: true });
  }
  async function takeBack() {
    await send(`/api/judgments/${mine.id}/withdraw`, {});
    mine = null;
    report({ judgment: null });
    draw();
  }
  function ask1(disagrees) {
    // What the verdict says, or its opposite; of what was not scored the person says it alone.
    const wanted =
      { pass: disagrees ? 'fail' : 'pass', fail: disagrees ? 'pass' : 'fail' }[status] || '';
    form = make('form', 'th-judging-form');
    const set = make('fieldset');
    const legend = make('legend', '', 'What do you see?');
    set.appendChild(legend);
    ['pass', 'fail'].forEach((value) => {
      const label = make('label');
      const radio = make('input');
      radio.type = 'radio';
      radio.name = 'th-answer';
      radio.value = value;
      radio.required = true;
      radio.checked = value === wanted;
      label.append(radio, make('span', '', capital(answerWords(value, question))));
      set.appendChild(label);
    });
    const label = make('label', 'th-judging-why');
    const why = make('textarea');
    why.rows = 2;
    why.maxLength = 2000;
    why.placeholder = 'For instance: the shaded side was measured';
    label.append(make('span', '', 'Why? (optional)'), why);
    const foot = make('div', 'th-judging-foot');
    const save = make('button', 'th-button', 'Save');
    const cancel = make('button', 'th-button', 'Cancel');
    save.type = 'submit';
    cancel.type = 'button';
    cancel.addEventListener('click', () => {
      form = null;
      draw();
    });
    foot.append(save, cancel, make('span', 'th-soft', 'Saved with the verdicts of all rules.'));
    form.append(set, label, foot);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      const chosen = form.querySelector('input:checked');
      if (chosen) busy(save, () => answer(chosen.value, why.value));
    });
    form.addEventListener('keydown', (event) => {
      event.stopPropagation();
      if (event.key === 'Escape') {
        event.preventDefault();
        form = null;
        draw();
      }
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.requestSubmit();
    });
    draw();
    why.focus({ preventScroll: true });
    form.scrollIntoView({ block: 'nearest' });
  }
  function describe(item) {
    return answerWords(item.answer, question) + '.' + (item.reason ? ' “' + item.reason + '”' : '');
  }
  // What others say stands there as theirs: it can be neither changed nor taken back from here.
  function lineOfOther(item) {
    const said = make('p', 'th-judging-other');
    said.append(make('b', '', 'Another person says: '), make('span', '', describe(item)));
    return said;
  }
  function draw() {
    const parts = [];
    if (id === '')
      parts.push(
        make('span', 'th-kept-state', 'Not saved'),
        button(
          'Save result',
          'v',
          'Saves the verdicts of all rules for this mask and target color',
          keep,
        ),
      );
    else if (id !== null) {
      const saved = make('span', 'th-kept-state', 'Saved');
      saved.title = 'Stored in the data folder. It counts in “Rule disagreements”.';
      if (id !== 'kept') saved.dataset.evidence = id;
      parts.push(saved);
      if (id !== 'kept' && !mine)
        parts.push(button('Delete', '', 'Deletes this verdict; can be undone', remove));
    }
    if (!mine && !form) {
      if (status === 'pass' || status === 'fail')
        parts.push(
          button('Agree', 'a', 'You see what ' + ruleName + ' reports', () => answer(status, '')),
        );
      parts.push(
        button('Disagree', 'd', 'Say what you see instead, and why', async () => ask1(true)),
      );
    }
    line.replaceChildren(...parts);
    below.replaceChildren();
    if (form) below.appendChild(form);
    if (mine && !form) {
      const said = make('p', 'th-judging-said');
      const verb =
        mine.status === 'unscored' ? 'You say: ' : mine.agrees ? 'You agree: ' : 'You disagree: ';
      said.append(make('b', '', verb), make('span', '', describe(mine)));
      below.append(
        said,
        button('Change', 'd', 'Another answer or reason', async () => ask1(!mine.agrees)),
        button('Withdraw', '', 'Your answer no longer counts', takeBack),
      );
    }
    below.append(...others.map(lineOfOther));
    const more = othersTotal - others.length;
    if (more > 0)
      below.appendChild(
        make('p', 'th-judging-other th-soft', more + ' more: Explore, Rule disagreements'),
      );
  }
  draw();
  return {
    node,
    // One key: v keeps, d disagrees, a agrees. Returns whether it was one of them.
    key(pressed) {
      if (form) return false;
      const wanted = [...node.querySelectorAll('button')].find(
        (item) => item.getAttribute('aria-keyshortcuts') === pressed.toUpperCase(),
      );
      if (!wanted) return false;
      wanted.click();
      return true;
    },
    show(fresh) {
      mine = fresh.judgment;
      others = fresh.others;
      othersTotal = fresh.others_total;
      if (mine && id === '') id = 'kept';
      if (!form) draw();
    },
  };
}
// A line that undoes a deletion, for as long as it stands there.
export function undo(box, text, trashId, done) {
  const line = make('p', 'th-undo');
  const back = make('button', 'th-button', 'Undo');
  back.type = 'button';
  line.setAttribute('role', 'status');
  line.append(make('span', '', text), back);
  back.addEventListener('click', async () => {
    back.setAttribute('aria-disabled', 'true');
    try {
      await send(`/api/trash/${trashId}/restore`, {});
      line.remove();
      done();
    } catch (error) {
      line.replaceChildren(make('span', 'th-problem', error.message));
    }
  });
  box.appendChild(line);
  return line;
}
