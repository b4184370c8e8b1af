// The form of an evaluation: the model, its settings, and the share of the set.
import { arrange, make, many, options, put, strip } from '../shared/dom.js';
import { send } from '../shared/http.js';
import { qa, changeView } from './view.js';

const PHONE = 720;
const HUB = 'hub:';
const FOLDER = 'folder:';
const SERVER = 'server:';
const NUMBERS = ['limit', 'max_tokens', 'seed', 'batch', 'at_once', 'most_requests', 'most_tokens'];
const OTHERS = {
  [HUB]: {
    label: 'Hugging Face id',
    placeholder: 'owner/name',
    words:
      'Any image-text model that transformers can load. Its files must be installed: TrueHue never downloads them by itself.',
  },
  [FOLDER]: {
    label: 'Folder',
    placeholder: '/models/my-vlm',
    words: 'A folder on this machine in the Hugging Face layout, with safetensors.',
  },
  [SERVER]: {
    label: 'Address',
    placeholder: 'http://127.0.0.1:8000/v1',
    words:
      'Any OpenAI-compatible server: vLLM, SGLang, transformers serve, hosted ones. Images are sent as lossless PNG.',
  },
};

/**
 * @param {HTMLElement} root
 * @param {(id: string) => void} started
 */
export function askForm(root, started) {
  const card = /** @type {Found} */ (root.querySelector('.th-vlm-ask'));
  const form = /** @type {Found} */ (card.querySelector('form'));
  const part = (name) => /** @type {Found} */ (card.querySelector('.th-vlm-' + name));
  const known = /** @type {HTMLSelectElement} */ (form.elements.namedItem('known'));
  const other = /** @type {HTMLInputElement} */ (form.elements.namedItem('other'));
  const refused = part('refused');
  const go = /** @type {Found} */ (form.querySelector('[type=submit]'));
  /** @type {Api.StartView} */
  let start;
  let style = 'plain';
  let image = 'colored';
  /** @type {Api.QuestionSetJson | undefined} */
  let set;
  const out = new Set();

  // On a phone what came of it is nearer than asking once more.
  card.open = window.innerWidth > PHONE;

  const isBaseline = () => start.models.some((model) => model.id === known.value && model.baseline);
  const select = (name) => /** @type {HTMLSelectElement} */ (form.elements.namedItem(name));
  const isReleased = () => !isBaseline() && select('protocol').value !== 'truehue';
  function refuse(text, field) {
    put(refused, text);
    refused.hidden = !text;
    form.querySelectorAll('[aria-invalid]').forEach((node) => node.removeAttribute('aria-invalid'));
    const name = field === 'model' && OTHERS[known.value] ? 'other' : field;
    const box = field && form.querySelector('[data-field="' + name + '"]');
    const input = /** @type {HTMLElement | null} */ (box && box.querySelector('input, select'));
    if (!input) return;
    input.setAttribute('aria-invalid', 'true');
    const fold = input.closest('details');
    if (fold) fold.open = true;
    input.focus();
  }
  function models() {
    const choices = start.models.map((model) => ({
      id: model.id,
      name: model.baseline
        ? model.name + ' (no model)'
        : model.name + (model.ready ? '' : ' – not installed'),
    }));
    choices.push({ id: HUB, name: 'Another Hugging Face model…' });
    if (start.may.folders) choices.push({ id: FOLDER, name: 'A folder…' });
    if (start.may.servers) choices.push({ id: SERVER, name: 'A server…' });
    const ready = start.models.find((model) => model.ready && !model.baseline);
    options(known, choices, known.value || (ready ? ready.id : start.models[0].id));
  }
  function draw() {
    const typed = OTHERS[known.value];
    const item = start.models.find((model) => model.id === known.value);
    const served = known.value === SERVER;
    part('other').hidden = !typed;
    if (typed) {
      put(part('other').querySelector('span'), typed.label);
      other.placeholder = typed.placeholder;
    }
    put(
      part('about-model'),
      typed ? typed.words : [item.size, item.words].filter(Boolean).join('. '),
    );
    card.querySelectorAll('.th-vlm-served').forEach((/** @type {any} */ box) => {
      box.hidden = !served;
    });
    part('local').hidden = served || isBaseline();
    part('of-model').hidden = isBaseline();
    part('protocol').hidden = isBaseline();
    // What a released protocol decides is no choice.
    const hide = (name, hidden) => {
      /** @type {any} */ (form.querySelector('[data-field="' + name + '"]')).hidden = hidden;
    };
    ['max_tokens', 'temperature'].forEach((name) => hide(name, isBaseline() || isReleased()));
    hide('family', !isReleased());
    options(
      select('family'),
      [
        { id: '', name: 'by the model’s name' },
        ...start.families.map((name) => ({ id: name, name })),
      ],
      select('family').value,
    );
    strip(
      part('style'),
      start.styles.map((way) => ({ id: way.id, name: way.title, title: way.about })),
      style,
      (id) => {
        style = id;
        draw();
      },
    );
    strip(
      part('image'),
      start.images.map((way) => ({ id: way.id, name: way.title, title: way.about })),
      image,
      (id) => {
        image = id;
        draw();
      },
    );
    put(part('about-image'), start.images.find((way) => way.id === image).about);
    count();
  }
  function count() {
    const tasks = set ? set.tasks.filter((task) => !out.has(task.id)) : [];
    const limit = Number(/** @type {any} */ (form.elements.namedItem('limit')).value) || Infinity;
    const total = tasks.reduce((sum, task) => sum + Math.min(task.count, limit), 0);
    put(part('count'), set && !set.variants ? many(total, 'question') : '');
    go.setAttribute('aria-disabled', String(!set || !tasks.length || Boolean(set.problem)));
  }
  function tasks() {
    const legend = part('parts').querySelector('legend');
    arrange(part('parts'), [
      legend,
      ...(set ? set.tasks : []).map((task) => {
        const label = make('label');
        const box = make('input');
        box.type = 'checkbox';
        box.checked = !out.has(task.id);
        box.addEventListener('change', () => {
          if (box.checked) out.delete(task.id);
          else out.add(task.id);
          count();
        });
        label.append(box, make('span', '', task.title), make('small', '', String(task.count)));
        return label;
      }),
    ]);
  }
  form.addEventListener('input', count);
  [known, select('protocol')].forEach((box) =>
    box.addEventListener('change', () => {
      refuse('');
      draw();
    }),
  );
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (go.getAttribute('aria-disabled') === 'true') return;
    const values = new FormData(/** @type {any} */ (form));
    const text = (name) => String(values.get(name) || '').trim();
    const typed = {
      [HUB]: text('other'),
      [FOLDER]: FOLDER + text('other'),
      [SERVER]: text('other'),
    };
    /** @type {Api.StartEvaluation & Record<string, any>} */
    const body = {
      set: qa.set,
      style,
      image,
      tasks: [],
      model: typed[known.value] ?? known.value,
    };
    NUMBERS.forEach((name) => {
      if (text(name)) body[name] = text(name);
    });
    ['temperature', 'timeout'].forEach((name) => {
      if (text(name)) body[name] = text(name);
    });
    if (known.value === SERVER)
      Object.assign(body, {
        name: text('name'),
        key_env: text('key_env'),
        length: text('length'),
        sends_temperature: values.has('sends_temperature'),
      });
    if (isReleased()) {
      Object.assign(body, { protocol: text('protocol'), family: text('family') });
      ['max_tokens', 'temperature'].forEach((name) => delete body[name]);
    }
    if (out.size) body.tasks = set.tasks.map((task) => task.id).filter((id) => !out.has(id));
    if (!body.model) {
      refuse('Choose a model.', 'model');
      return;
    }
    go.setAttribute('aria-disabled', 'true');
    refuse('');
    try {
      const { id } = await send('/api/vlm/evaluations', body);
      if (!qa.evaluations.includes(id)) changeView({ evaluations: [...qa.evaluations, id] });
      started(id);
    } catch (error) {
      refuse(error.message, error.field);
    }
    count();
  });
  return {
    /** @param {Api.StartView} result */
    show(result) {
      start = result;
      const now = result.sets.find((item) => item.id === qa.set);
      if (!set || !now || set.id !== now.id) out.clear();
      set = now;
      card.hidden = !result.may.compute || !set;
      /** @type {any} */ (form.elements.namedItem('max_tokens')).placeholder = String(
        result.limits.tokens_default,
      );
      models();
      tasks();
      draw();
    },
  };
}
