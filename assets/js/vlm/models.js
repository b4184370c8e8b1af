// Models: all that were evaluated on a set, by size and family, with what reasoning and gray change.
import { make, many, options } from '../shared/dom.js';
import { ask } from '../shared/http.js';
import { interval, number } from './figure.js';
import { keeping } from './keep.js';
import { scalingFigure } from './scaling.js';
import { table } from './tables.js';
import { askUrl, openView, qa } from './view.js';

const SIZES = {
  'L + V': 'language model and vision encoder',
  L: 'language model',
  V: 'vision encoder',
};
const FEW = 'A correlation needs four models with a size.';

const size = (model, name) => {
  const { language_b: language, vision_b: vision } = model;
  if (name === 'L') return language;
  if (name === 'V') return vision;
  return language === null || vision === null ? null : language + vision;
};
const signed = (value, digits = 1) =>
  (value > 0 ? '+' : '') + value.toFixed(digits).replace('-', '−');

function card(title, nodes, open = false) {
  const box = make('details', 'th-card th-vlm-fold');
  box.append(make('summary', '', title), ...nodes);
  box.open = open;
  return box;
}

/** @param {HTMLElement} box */
export function modelsView(box) {
  let shown = '';
  let protocol = '';
  let ofSet = '';
  let column = 'micro';
  let sizeName = 'L + V';
  let request = 0;
  /** @type {Api.ModelsView | null} */
  let result = null;

  function pick(label, choices, chosen, choose) {
    const field = make('label', 'th-vlm-field');
    const select = make('select');
    options(select, choices, chosen);
    select.addEventListener('change', () => choose(select.value));
    field.append(make('span', '', label), select);
    return field;
  }
  function rho(name, task) {
    const row = /** @type {Api.ModelsView} */ (result).correlations.find(
      (item) => item.size_of === name && item.task === task,
    );
    if (!row || row.rho === null) return null;
    return row;
  }
  function scaling(view) {
    const section = make('section', 'th-card th-vlm-card');
    const points = view.models
      .filter((model) => model.scores[column] && size(model, sizeName) !== null)
      .map((model) => ({
        name: model.model,
        family: model.family,
        size: size(model, sizeName),
        ...model.scores[column],
      }));
    const controls = make('div', 'th-vlm-row');
    controls.append(
      pick(
        'Score',
        view.columns.map((id) => ({ id, name: view.titles[id] })),
        column,
        (value) => {
          column = value;
          draw();
        },
      ),
      pick(
        'Size of',
        Object.entries(SIZES).map(([id, name]) => ({ id, name })),
        sizeName,
        (value) => {
          sizeName = value;
          draw();
        },
      ),
    );
    if (view.protocols.length > 1)
      controls.append(
        pick(
          'Protocol',
          view.protocols.map((name) => ({ id: name, name })),
          view.protocol,
          (value) => {
            protocol = value;
            load(true);
          },
        ),
      );
    section.append(
      make(
        'p',
        'th-vlm-lead',
        `Accuracy in percent over size, in color without reasoning; protocol ${view.protocol}. A line joins a family; bars are 95% intervals.`,
      ),
      controls,
    );
    const found = rho(sizeName, column);
    const words = found
      ? `Spearman’s ρ = ${found.rho.toFixed(2).replace('-', '−')}, p ${found.p < 0.001 ? '< 0.001' : '= ' + found.p.toFixed(3)}, ${many(found.n, 'model')}.`
      : FEW;
    if (points.length)
      section.append(
        scalingFigure(points, {
          x: `size of ${SIZES[sizeName]}, billion weights`,
          y: 'accuracy (%)',
          about: `${view.titles[column]} by size of ${SIZES[sizeName]}: ${many(points.length, 'model')}. ${words} All numbers are in the table below.`,
        }),
      );
    else section.append(make('p', 'th-soft', 'No model with a known size has this score yet.'));
    section.append(make('p', 'th-vlm-rho', words));
    return section;
  }
  function numbers(view) {
    const heads = ['Model', 'Family', 'L', 'V', ...view.columns.map((id) => view.titles[id])];
    const rows = view.models.map((model) => [
      model.model,
      model.family || null,
      model.language_b,
      model.vision_b,
      ...view.columns.map((id) => {
        const score = model.scores[id];
        if (!score) return null;
        const cell = make('span', '', number(score.percent));
        cell.title = `${score.right}/${score.asked}, 95% interval ${interval(score)}`;
        return cell;
      }),
    ]);
    const csv = make('a', 'th-button th-vlm-csv', 'Models as CSV');
    csv.href = askUrl('/models.csv', { set: qa.set, protocol: view.protocol, parser: qa.parser });
    const saves = make('p', 'th-vlm-saves');
    saves.append(csv);
    const best = Object.entries(view.best.micro || {}).map(([group, row]) => [
      group || 'not known',
      row.model,
      number(row.percent),
    ]);
    return card(
      'All models',
      [
        make(
          'p',
          'th-soft',
          'Accuracy in percent; counts and intervals on hover. L and V: billions of weights of language model and vision encoder, from a table of published models.',
        ),
        table(heads, rows, 'models'),
        saves,
        make('h4', '', 'Best of each size'),
        table(['Size of L', 'Model', 'Overall, %'], best, 'best model of each size'),
      ],
      true,
    );
  }
  function scales(view) {
    if (!view.correlations.some((row) => row.rho !== null)) return [];
    const rows = Object.keys(SIZES).map((name) => [
      name,
      ...view.columns.map((id) => {
        const row = rho(name, id);
        return row ? row.rho.toFixed(2).replace('-', '−') + (row.p <= 0.05 ? ' *' : '') : null;
      }),
    ]);
    return [
      card('Rank correlation with size', [
        make(
          'p',
          'th-soft',
          'Spearman’s ρ over the models; * p ≤ 0.05, not corrected for many tasks.',
        ),
        table(['Size of', ...view.columns.map((id) => view.titles[id])], rows, 'correlations'),
      ]),
    ];
  }
  function effects(view, title, about, list, scale) {
    if (!list.length) return [];
    const rows = list.map((effect) => {
      const values = Object.values(effect.models).map((value) => scale * value);
      return [
        view.titles[effect.task] || effect.task,
        values.length,
        signed(scale * effect.mean),
        signed(scale * effect.median),
        signed(Math.min(...values)) + ' to ' + signed(Math.max(...values)),
      ];
    });
    return [
      card(title, [
        make('p', 'th-soft', about),
        table(['Task', 'Models', 'Mean', 'Median', 'Range'], rows, title),
      ]),
    ];
  }
  function hard(view) {
    if (!view.hard.length) return [];
    const rows = view.hard.map((row) => {
      const open = make('button', 'th-vlm-plain', row.text.slice(0, 90));
      open.type = 'button';
      open.title = 'Open the question';
      open.addEventListener('click', () =>
        openView('questions', { task: row.task, outcome: '', words: '', q: row.question_id }),
      );
      return [open, view.titles[row.task] || row.task, `${row.wrong} of ${row.models}`];
    });
    const more =
      view.hard_count > view.hard.length
        ? ' The hardest ' +
          (view.hard.length === 1 ? 'one is' : view.hard.length + ' are') +
          ' listed.'
        : '';
    return [
      card('Questions that most models answer incorrectly', [
        make(
          'p',
          'th-soft',
          `${view.hard_count} of ${many(view.questions, 'question')}; all models are right on ${view.right_by_all}.${more}`,
        ),
        table(['Question', 'Task', 'Incorrect'], rows, 'hard questions'),
      ]),
    ];
  }
  function draw() {
    const view = /** @type {Api.ModelsView} */ (result);
    if (!view.models.length) {
      const empty = make('section', 'th-card th-vlm-card');
      empty.append(
        make('p', 'th-soft', 'No model was evaluated on this set yet. Baselines are not compared.'),
      );
      keeping(box, () => box.replaceChildren(empty));
      return;
    }
    if (!view.columns.includes(column)) column = 'micro';
    const left = view.left_out.map((text) => make('p', 'th-soft', text));
    const nodes = [
      scaling(view),
      numbers(view),
      ...scales(view),
      ...effects(
        view,
        'What reasoning changes',
        'Percentage points more than without reasoning, over the questions that both answered.',
        view.reasoning,
        1,
      ),
      ...effects(
        view,
        'What gray images change',
        '(color − gray) / color in percent: positive where the model needs the color.',
        view.gray,
        100,
      ),
      ...hard(view),
      ...left,
    ];
    keeping(box, () => box.replaceChildren(...nodes));
  }
  /** @param {boolean} force */
  async function load(force) {
    if (ofSet !== qa.set) protocol = ''; // another set may have none by it
    ofSet = qa.set;
    const values = { set: qa.set, protocol, parser: qa.parser };
    const key = Object.values(values).join(' ');
    if (!force && key === shown) return;
    const mine = ++request;
    shown = key;
    const answer = await ask(askUrl('/models', values));
    if (mine !== request) return;
    result = answer;
    draw();
  }
  return { load };
}
