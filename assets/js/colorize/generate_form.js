// The form that has a model draw candidates, and the line of work that it begins.
import { make, many, options, put } from '../shared/dom.js';
import { ask, send } from '../shared/http.js';
import { followJob, workLine } from '../shared/jobs.js';
import { store } from '../shared/state.js';

const JOB = 'th-sketches-job';

/**
 * @param {{ drawn: () => void, listed: () => string[], problem: (text: string) => void }} calls
 *   `drawn` is called with each candidate that came; `listed` are the things in the list
 */
export function drawForm({ drawn, listed, problem }) {
  const node = make('form', 'th-sketches-form');
  const title = make('h4', '', 'Generate candidates');
  const sentence = make('p', 'th-sketches-sentence');
  const row = make('div', 'th-sketches-fields');
  const models = make('select');
  const number = (value, least, max, step) => {
    const input = make('input');
    input.type = 'number';
    Object.assign(input, {
      value: String(value),
      min: String(least),
      max: String(max),
      step: String(step),
    });
    return input;
  };
  const count = number(5, 1, 20, 1);
  const low = number(5, 0, 30, 0.5);
  const high = number(7, 0, 30, 0.5);
  const seed = number(0, 0, 2 ** 31 - 21, 1);
  const lacks = make('p', 'th-soft');
  const go = make('button', 'th-button th-colorize-do', 'Generate candidates');
  const refused = make('p', 'th-problem');
  const work = make('div');
  const show = workLine(work);
  let message = '';
  /** @type {Api.SketchModels | null} */
  let known = null;
  refused.hidden = true;
  refused.setAttribute('role', 'alert');
  go.type = 'submit';
  node.noValidate = true;
  [
    ['Model', models],
    ['Candidates', count],
    ['Guidance from', low],
    ['to', high],
    ['First seed', seed],
  ].forEach(([name, input]) => {
    const label = make('label');
    label.append(make('span', '', /** @type {string} */ (name)), /** @type {Node} */ (input));
    row.append(label);
  });
  const every = make('label', 'th-colorize-check');
  const all = make('input');
  const allWords = make('span');
  all.type = 'checkbox';
  every.append(all, allWords);
  row.append(go);
  node.append(title, sentence, row, every, lacks, refused, work);

  function chosen() {
    const model = known?.models.find((each) => each.id === models.value);
    put(
      lacks,
      model && model.lacks
        ? model.name + ' cannot generate images yet. ' + model.lacks
        : lacks.dataset.none || '',
    );
    go.setAttribute('aria-disabled', String(!model || Boolean(model.lacks)));
  }
  async function read() {
    if (known) return;
    try {
      known = await ask('/api/colorize/models');
    } catch (error) {
      problem(error.message);
      return;
    }
    const { models: list } = known;
    count.value = String(known.count);
    low.value = String(known.low);
    high.value = String(known.high);
    if (list.every((item) => item.lacks))
      lacks.dataset.none = 'No installed model generates outlines. ' + known.no_lines;
    options(
      /** @type {any} */ (models),
      list.map((item) => ({
        id: item.id,
        name: item.name + (item.lacks ? ' · not installed' : ''),
      })),
      list[0]?.id || '',
    );
    chosen();
  }
  function counted() {
    const items = listed().length;
    const images = items * Math.max(1, Math.round(Number(count.value)) || 1);
    put(allWords, 'All ' + items + ' listed base concepts: ' + many(images, 'image'));
  }
  count.addEventListener('input', counted);
  all.addEventListener('change', counted);
  models.addEventListener('change', chosen);

  /** @param {string} id */
  async function follow(id) {
    let done = -1;
    try {
      await followJob(id, (job) => {
        const step = job.steps > 1 ? ', step ' + job.step + ' of ' + job.steps : '';
        const waits = job.status === 'waiting' ? 'Waiting, ' + job.place + ' ahead of it' : '';
        const text =
          waits || job.done + ' of ' + job.total + ' generated' + (job.active ? step : '.');
        show({ ...job, words: text });
        if (job.done !== done || !job.active) drawn();
        done = job.done;
      });
    } catch {
      show(null); // it is not known any more
    }
    sessionStorage.removeItem(JOB);
  }
  node.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (go.getAttribute('aria-disabled') === 'true') return;
    go.setAttribute('aria-disabled', 'true');
    refused.hidden = true;
    try {
      const { job } = await send('/api/colorize/candidates', {
        words: all.checked ? listed() : [message],
        model: models.value,
        count: count.value,
        low: low.value,
        high: high.value,
        seed: seed.value,
      });
      sessionStorage.setItem(JOB, job);
      store.tell('explore-job');
      follow(job);
    } catch (error) {
      put(refused, error.message);
      refused.hidden = false;
    }
    chosen();
  });
  const before = sessionStorage.getItem(JOB);
  if (before) follow(before);
  return {
    node,
    /** @param {string} next the thing that is drawn */
    of(next) {
      message = next;
      put(title, 'Generate candidates of “' + next + '”');
      all.checked = false;
      counted();
      read();
    },
    /** @param {string} text that the model is given */
    sentence: (text) => put(sentence, text),
  };
}
