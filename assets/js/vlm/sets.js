// The question sets: the open one, and making or importing another.
import { arrange, make, many, options, put, strip } from '../shared/dom.js';
import { send } from '../shared/http.js';
import { followJob } from '../shared/jobs.js';
import { store } from '../shared/state.js';
import { qa, changeView } from './view.js';

/**
 * A dialog with a form: a title, fields, one button that does it, and what is said meanwhile.
 * @param {string} title
 * @param {Node[]} fields
 * @param {string} does
 * @param {(say: (text: string) => void) => Promise<void>} doIt
 */
function formDialog(title, fields, does, doIt) {
  const dialog = make('dialog', 'th-import th-vlm-dialog');
  const header = make('header');
  const close = make('button', 'th-button', 'Close');
  const form = make('form');
  const problem = make('p', 'th-problem');
  const status = make('p', 'th-soft');
  const go = make('button', 'th-primary', does);
  const actions = make('div', 'th-import-actions');
  close.type = 'button';
  go.type = 'submit';
  problem.hidden = true;
  problem.setAttribute('role', 'alert');
  status.setAttribute('role', 'status');
  dialog.setAttribute('aria-label', title);
  form.noValidate = true;
  header.append(make('b', '', title), close);
  actions.append(go, status);
  form.append(...fields, problem, actions);
  dialog.append(header, form);
  close.addEventListener('click', () => dialog.close());
  dialog.addEventListener('close', () => dialog.remove());
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (go.getAttribute('aria-disabled') === 'true') return;
    go.setAttribute('aria-disabled', 'true');
    problem.hidden = true;
    try {
      await doIt((text) => put(status, text));
      dialog.close();
    } catch (error) {
      put(problem, error.message);
      problem.hidden = false;
      put(status, '');
    }
    go.setAttribute('aria-disabled', 'false');
  });
  document.body.append(dialog);
  dialog.showModal();
  return { dialog, form };
}

/**
 * A field with its label.
 * @param {string} label
 * @param {HTMLElement} input
 */
function field(label, input) {
  const line = make('div', 'th-field');
  const name = make('label', '', label);
  input.id = 'th-vlm-' + label.toLowerCase().replace(/\W+/g, '-');
  name.htmlFor = input.id;
  line.append(name, input);
  return line;
}

/**
 * Begins long work, and follows it to its end.
 * @param {'import' | 'judge' | 'make' | `${string}/rules`} action
 * @param {any} body
 * @param {(text: string) => void} say
 */
export async function work(action, body, say) {
  const { job } = await send(`/api/vlm/sets/${action}`, body);
  store.tell('explore-job');
  const ended = await followJob(job, (now) => say(now.words));
  if (ended.status !== 'done') throw new Error(ended.problem || 'It was cancelled.');
  return ended.result;
}

/** @param {Api.GeneratorChoices} generator */
function makeDialog(generator, done) {
  const tasks = make('div', 'th-vlm-choose');
  generator.tasks.forEach((task) => {
    const label = make('label');
    const box = make('input');
    const text = make('span');
    box.type = 'checkbox';
    box.name = 'tasks';
    box.value = task.id;
    box.checked = true;
    text.append(make('b', '', task.title), make('small', '', task.about));
    label.append(box, text);
    tasks.append(label);
  });
  const count = Object.assign(make('input'), { name: 'count', value: '20', inputMode: 'numeric' });
  const seed = Object.assign(make('input'), { name: 'seed', value: '0', inputMode: 'numeric' });
  const name = Object.assign(make('input'), {
    name: 'name',
    placeholder: 'generated automatically',
  });
  const difficulty = make('select');
  difficulty.name = 'difficulty';
  options(
    difficulty,
    generator.difficulties.map((id) => ({ id, name: id })),
    'medium',
  );
  const systems = make('select');
  systems.name = 'system';
  options(systems, generator.systems, 'l2');
  const renders = Object.assign(make('input'), {
    name: 'renders',
    value: '20',
    inputMode: 'numeric',
  });
  const kind = make('span', 'th-strip');
  kind.setAttribute('role', 'group');
  kind.setAttribute('aria-label', 'Kind of questions');
  const group = make('fieldset', 'th-vlm-group');
  group.append(make('legend', '', 'Tasks'), tasks);
  const generated = [group, field('Questions per task', count), field('Difficulty', difficulty)];
  const rendered = [
    make(
      'p',
      '',
      'The model names and verifies the colors of rendered objects, whose exact colors are known (GenColorBench, Appendix E). The pixel rules score the same renders for comparison. Six questions per render with ISCC-NBS level 2, nine with CSS.',
    ),
    field('Color system', systems),
    field('Renders', renders),
  ];
  let subject = /** @type {'make' | 'judge'} */ ('make');
  const choose = (id) => {
    subject = id;
    strip(
      kind,
      [
        { id: 'make', name: 'Tasks with generated images' },
        { id: 'judge', name: 'Color naming on renders of known color' },
      ],
      subject,
      choose,
    );
    generated.forEach((node) => {
      node.hidden = subject !== 'make';
    });
    rendered.forEach((node) => {
      node.hidden = subject !== 'judge';
    });
  };
  choose(subject);
  const { form } = formDialog(
    'Generate a question set',
    [
      kind,
      make('p', '', 'The same settings produce the same images and the same set on every machine.'),
      ...generated,
      ...rendered,
      field('Seed', seed),
      field('Name', name),
    ],
    'Generate',
    async (say) => {
      const values = new FormData(form);
      if (subject === 'make' && !values.getAll('tasks').length) throw new Error('Select a task.');
      const both = { seed: values.get('seed'), name: values.get('name') };
      const body =
        subject === 'make'
          ? {
              ...both,
              tasks: values.getAll('tasks'),
              count: values.get('count'),
              difficulty: values.get('difficulty'),
            }
          : { ...both, system: values.get('system'), renders: values.get('renders') };
      done(await work(subject, body, say));
    },
  );
}

function importDialog(done) {
  const path = Object.assign(make('input'), { name: 'path', spellcheck: false });
  const text = make('p', '');
  text.append(
    'A folder or file on this machine: a CSV, TSV or JSONL table with VLMEvalKit’s columns, ColorBench’s Parquet files (',
    make('code', '', 'hf download umd-zhou-lab/ColorBench --repo-type dataset'),
    '), or a set made by ',
    make('code', '', 'truehue vlm make'),
    '.',
  );
  const { form } = formDialog(
    'Import questions',
    [text, field('Folder or file', path)],
    'Import',
    async (say) => {
      done(await work('import', { path: new FormData(form).get('path') }, say));
    },
  );
}

/**
 * The card of sets.
 * @param {HTMLElement} root
 * @param {() => Promise<void>} reload asks for all sets again
 */
export function setsCard(root, reload) {
  const part = (name) => /** @type {Found} */ (root.querySelector('.th-vlm-' + name));
  const select = part('set');
  const problem = part('sets-problem');
  /** @type {Api.StartView} */
  let start;
  function say(text) {
    put(problem, text);
    problem.hidden = !text;
  }
  async function chosen(result) {
    await reload();
    changeView({ set: result.set, evaluations: [], q: '', from: '' });
    const notes = [...(result.notes || []), result.pixels_problem || ''].filter(Boolean);
    say(notes.join(' '));
  }
  part('make').addEventListener('click', () => makeDialog(start.generator, chosen));
  part('import').addEventListener('click', () => importDialog(chosen));
  select.addEventListener('change', () => {
    say('');
    changeView({
      set: select.value,
      evaluations: [],
      task: '',
      outcome: '',
      of: '',
      q: '',
      from: '',
    });
  });
  part('hide').addEventListener('click', async () => {
    const item = start.sets.find((set) => set.id === qa.set);
    try {
      await send(`/api/vlm/sets/${qa.set}/hide`, { hidden: !item.hidden });
      await reload();
    } catch (error) {
      say(error.message);
    }
  });
  return {
    /** @param {Api.StartView} result */
    show(result) {
      start = result;
      const listed = start.sets.filter((set) => !set.hidden || set.id === qa.set);
      const item = listed.find((set) => set.id === qa.set);
      part('none').hidden = listed.length > 0;
      part('which').hidden = !listed.length;
      part('make').hidden = !start.may.add;
      part('import').hidden = !start.may.folders;
      part('or-import').hidden = !start.may.folders;
      options(
        select,
        listed.map((set) => ({
          id: set.id,
          name:
            set.name +
            (set.problem ? ' (cannot be read)' : ' · ' + many(set.questions, 'question')),
        })),
        qa.set,
      );
      put(part('facts'), item ? item.problem || item.facts : '');
      arrange(
        part('tasks'),
        (item ? item.tasks : []).map((task) => {
          const line = make('li');
          line.append(
            make('span', '', task.title),
            make('b', '', task.count.toLocaleString('en-US')),
          );
          return line;
        }),
      );
      const people = part('people');
      people.hidden = !(item && item.may.study && !item.problem);
      people.href = '?tab=studies&new=questions&set=' + qa.set;
      const hide = part('hide');
      hide.hidden = !(item && item.may.hide);
      put(hide, item && item.hidden ? 'Show this set again' : 'Hide this set');
    },
  };
}
