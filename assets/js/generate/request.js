// The form of Generate. The app is told of every change of it, and answers what pressing the button
// would come to; an answer to an older form is left alone.
import { ask, send } from '../shared/http.js';
import { make } from '../shared/dom.js';
import { mountPart } from '../shared/widget.js';
import { mount as mountPicker } from '../picker/picker.js';
import { mount as mountPromptSource } from './prompt_source.js';
import { mount as mountButton } from './generate_button.js';
import { mount as mountFold } from './fold.js';
import { mount as mountLine } from './line.js';
import { mount as mountModels } from './models.js';
import { mount as mountQueue } from './queue.js';
import { mount as mountReading } from './reading.js';
import { mount as mountRealism } from './realism.js';
import { mount as mountResult } from './result.js';

const PAUSE_MS = 60;
const NUMBERS = ['seed', 'seeds', 'size'];
const TEXTS = ['text', 'object', 'guidance', 'steps', 'failure'];
const SEEDS = 100_000;

/** @param {import('../shared/widget.js').Widget} widget */
export function mount({ element, props }) {
  // Before a part of it publishes an address of its own.
  const link = location.search;
  const find = (selector) => element.querySelector(selector);
  const field = (name) => find(`#generate-${name} :is(input, textarea, select)`);
  let form = 0; // grows with every change
  let filling = 0; // and with every form that comes from the app
  let filled = 0;
  let timer = 0;

  const part = (selector, mount, held, on) => mountPart(find(selector), mount, held, on);
  const models = chosenModels(find('#generate-model'), props.choices, props.chosen, changed);
  const target = part(
    '#generate-color',
    mountPicker,
    { label: 'Color', value: props.target },
    { input: () => edit('target') },
  );
  // Its value is which of both fields a person edited.
  const reading = part(
    '#reading',
    mountReading,
    { value: { object: false, target: false } },
    { follow: changed, again: plan },
  );
  const about = part('#models-about', mountModels);
  const fold = part('#settings-fold', mountFold);
  const realism = part('#realism', mountRealism, props.realism, { change: changed });
  const light = part('#light-line', mountLine);
  const draw = part(
    '#generate-button',
    mountButton,
    { view: { button: 'Generate' } },
    { draw: start },
  );
  const queue = part('#queue', mountQueue, { job: '' });
  part('#result', mountResult);
  const source = part(
    '#prompt-source',
    mountPromptSource,
    {},
    {
      plan: changed,
      ready: () => fill(link.slice(1)),
      example: (query) => fill(new URLSearchParams({ ...query, example: '1' })),
    },
  );

  function values() {
    const { object, target: color } = reading.props.value;
    const out = {
      ...source.props.value,
      target: target.props.value || '',
      edited: [object, color],
      models: models.get(),
      light: find('#generate-light :checked').value,
      realism: realism.props.value,
    };
    for (const name of TEXTS) out[name] = field(name).value;
    for (const name of NUMBERS) out[name] = field(name).value === '' ? null : +field(name).value;
    return out;
  }

  function changed() {
    form += 1;
    clearTimeout(timer);
    timer = setTimeout(plan, PAUSE_MS);
  }
  function edit(name) {
    reading.props.value = { ...reading.props.value, [name]: true };
    changed();
  }

  async function plan() {
    // What a link says comes first.
    if (filled !== filling) return;
    const mine = form;
    try {
      const answer = await send('/api/generations/plan', values());
      if (mine === form) show(answer);
    } catch (error) {
      if (mine === form) draw({ view: { ...draw.props.view, problem: error.message } });
    }
  }
  function show(answer) {
    if (field('object').value !== answer.fields.object)
      field('object').value = answer.fields.object;
    if ((target.props.value || '') !== answer.fields.target)
      target({ value: answer.fields.target });
    draw({ view: answer.button });
    about({ view: answer.models });
    reading({ view: answer.reading });
    fold({ text: answer.settings });
    light({ text: answer.light });
    realism({ view: answer.realism });
    find('#renderer-only').hidden = !answer.renderer;
  }

  async function start({ at, ...sent }) {
    const answered = { answered: at };
    try {
      const { job } = await send('/api/generations/start', { ...values(), ...sent });
      queue({ job });
    } catch (error) {
      answered.problem = error.message;
    }
    draw({ view: { ...draw.props.view, ...answered } });
  }

  // Of two that come within a moment, the later one is what the form shall hold.
  /** @param {string | URLSearchParams} query */
  async function fill(query) {
    const mine = ++filling;
    let answer = /** @type {Api.FormView} */ ({ values: {}, choices: props.choices });
    try {
      answer = await ask(`/api/generations/form?${query}`);
    } catch {
      /* the plan says that the app does not answer */
    }
    if (mine !== filling) return;
    filled = mine;
    put(answer.values);
    models.offer(answer.choices);
    changed();
  }
  function put(given) {
    for (const name of [...TEXTS, ...NUMBERS])
      if (name in given) field(name).value = String(given[name]);
    if ('edited' in given)
      reading.props.value = { object: given.edited[0], target: given.edited[1] };
    if ('target' in given) target({ value: given.target });
    if ('models' in given) models.set(given.models);
    if ('light' in given) find(`#generate-light [value="${given.light}"]`).checked = true;
    if ('realism' in given) realism({ value: given.realism });
  }

  for (const name of ['text', 'guidance', 'steps', 'seed', 'seeds'])
    field(name).addEventListener('input', changed);
  field('object').addEventListener('input', () => edit('object'));
  for (const name of ['size', 'failure', 'light'])
    find('#generate-' + name).addEventListener('change', changed);
  find('#generate-new-seed').addEventListener('click', () => {
    field('seed').value = String(Math.floor(Math.random() * SEEDS));
    changed();
  });
}

/**
 * The models that were chosen, each with a button that takes it out, and the field that adds one: by
 * the name of a choice, or by an id.
 * @param {HTMLElement} box
 * @param {[string, string][]} first name and id of each choice
 * @param {string[]} chosen
 * @param {() => void} changed
 */
function chosenModels(box, first, chosen, changed) {
  const list = box.querySelector('ul');
  const input = box.querySelector('input');
  let choices = first;
  let ids = [...chosen];

  function show() {
    list.replaceChildren(
      ...ids.map((id) => {
        const name = choices.find((choice) => choice[1] === id)?.[0] || id;
        const out = make('button', '', '✕');
        out.type = 'button';
        out.title = 'Remove';
        out.setAttribute('aria-label', 'Remove ' + name);
        out.addEventListener('click', () => {
          choose(ids.filter((other) => other !== id));
          input.focus();
        });
        const line = make('li');
        line.append(make('span', '', name), out);
        return line;
      }),
    );
    const offered = choices.filter((choice) => !ids.includes(choice[1]));
    box.querySelector('datalist').replaceChildren(
      ...offered.map(([name]) => {
        const option = make('option');
        option.value = name;
        return option;
      }),
    );
  }
  function choose(next) {
    ids = next;
    show();
    changed();
  }
  function add() {
    const text = input.value.trim();
    if (!text) return;
    const id = choices.find((choice) => choice[0] === text)?.[1] || text;
    input.value = '';
    if (!ids.includes(id)) choose([...ids, id]);
  }
  input.addEventListener('change', add);
  input.addEventListener('input', () => {
    if (choices.some((choice) => choice[0] === input.value)) add();
  });
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') add();
    else if (event.key === 'Backspace' && !input.value && ids.length) choose(ids.slice(0, -1));
  });
  show();
  return {
    get: () => ids,
    set(next) {
      ids = next;
      show();
    },
    offer(next) {
      choices = next;
      show();
    },
  };
}
