// Materials: models and the source of their images, people's colors, cases, pairs.
import { make, many, options } from '../shared/dom.js';
import { casesOf } from './form_cases.js';
import { fieldsOf, fold, part, row } from './form_fields.js';

const FIRST_MODELS = 4;

/**
 * Models whose images are of the same prompt set, so that they have cases in common: of the first set
 * with `least` or more. All where there is none.
 * @param {any[]} list
 * @param {any[]} runs
 * @param {number} least
 */
function ofOneSet(list, runs, least) {
  const setOf = ({ sources: [source] }) =>
    runs.find((run) => run.source === source)?.set_name ?? source;
  const groups = list.map((item) => list.filter((other) => setOf(other) === setOf(item)));
  return groups.find((group) => group.length >= least) || list;
}

/**
 * The models that a form begins with: those of the preset's number, or the first few.
 * @param {any} preset
 * @param {any} materials
 */
export function firstMaterials(preset, materials) {
  const { suggested } = materials;
  const list =
    preset.material === 'distributions'
      ? suggested.distributions
      : ofOneSet(suggested.images, materials.runs, preset.kind === 'best-of' ? FIRST_MODELS : 2);
  const number = preset.models || FIRST_MODELS;
  const models = list.slice(0, number).map(({ name, sources }) => ({ name, sources }));
  const people = preset.needs_people && suggested.people.length ? suggested.people[0].sources : [];
  // A preset may ask for more cases than there are.
  const max = [
    ...list.slice(0, number),
    ...materials.suggested.people.slice(0, people.length ? 1 : 0),
  ];
  const cases = Math.min(...max.map((item) => item.cases ?? Infinity));
  return { models, people, number: cases < preset.form.number ? 0 : preset.form.number };
}

/** Everything that images or distributions can come from, as it is chosen one by one. */
function sourcesOf(materials, distributions) {
  const out = [];
  materials.runs.forEach((run) => {
    if (distributions && !run.concepts) return;
    out.push({ name: run.model_name || run.name, source: run.source, label: run.name });
    Object.entries(run.styles || {}).forEach(([style, text]) => {
      out.push({
        name: run.model_name || run.name,
        source: run.source + '/' + style,
        label: run.name + ', ' + text,
      });
      (run.guidances || []).forEach((scale) => {
        const label = run.name + ', ' + text + ', guidance ' + scale;
        out.push({
          name: (run.model_name || run.name) + ', ' + scale,
          source: run.source + '/' + style + '/' + scale,
          label,
        });
      });
    });
  });
  materials.pictures.forEach((set) =>
    out.push({ name: set.name, source: set.source, label: set.name + ' (images)' }),
  );
  if (distributions)
    materials.sets.forEach((set) =>
      out.push({ name: set.name, source: set.source, label: set.name + ' (distributions)' }),
    );
  return out;
}

/**
 * @param {{ form: any, preset: any, presets: any, materials: any, changed: () => void }} given
 */
export function materialsPart({ form, preset, presets, materials, changed }) {
  const distributions = preset.material === 'distributions';
  const node = part(
    1,
    'Comparison',
    distributions
      ? 'Participants compare each model’s colors of a concept with people’s colors.'
      : preset.kind === 'ratings'
        ? 'Participants rate the models’ images one at a time.'
        : 'Participants compare the models’ images of one prompt.',
  );
  const source = fieldsOf(form, report);
  const suggested = distributions ? materials.suggested.distributions : materials.suggested.images;
  const list = make('div', 'th-study-models');
  const more = make('select', 'th-study-add');
  const pairs = make('div', 'th-study-pairs');
  /** @type {{ name: string, sources: string[], label: string, cases: number | null, on: boolean }[]} */
  let entries = [];

  // ── models ─────────────────────────────────────────────────────────────────────────────────
  function begin() {
    entries = suggested.map((item) => ({ ...item, on: false }));
    form.models.forEach((model) => {
      const same = entries.find(
        (entry) => JSON.stringify(entry.sources) === JSON.stringify(model.sources),
      );
      if (same) Object.assign(same, { name: model.name, on: true });
      else entries.push({ ...model, label: model.sources.join(', '), cases: null, on: true });
    });
  }
  function take() {
    const byName = new Map();
    entries
      .filter((entry) => entry.on)
      .forEach((entry) =>
        byName.set(entry.name, [...(byName.get(entry.name) || []), ...entry.sources]),
      );
    form.models = [...byName].map(([name, sources]) => ({ name, sources: [...new Set(sources)] }));
    const names = new Set(byName.keys());
    form.model_sets = form.model_sets.filter((set) => set.every((name) => names.has(name)));
    drawPairs();
    report();
  }
  function modelRow(entry) {
    const box = make('div', 'th-study-model');
    const label = make('label');
    const tick = make('input');
    const name = make('input');
    tick.type = 'checkbox';
    tick.checked = entry.on;
    name.value = entry.name;
    name.hidden = !entry.on;
    name.setAttribute('aria-label', 'Result name of ' + entry.label);
    tick.addEventListener('change', () => {
      entry.on = tick.checked;
      name.hidden = !entry.on;
      take();
    });
    name.addEventListener('input', () => {
      entry.name = name.value;
      take();
    });
    const text = make('span');
    text.append(make('b', '', entry.label || entry.name));
    if (entry.cases !== null && entry.cases !== undefined)
      text.append(make('small', '', many(entry.cases, distributions ? 'concept' : 'prompt')));
    label.append(tick, text);
    box.append(label, name);
    return box;
  }
  function drawModels() {
    list.replaceChildren(...entries.map(modelRow));
    if (!entries.length)
      list.append(
        make(
          'p',
          'th-study-nothing',
          distributions
            ? 'No color distributions yet. Start a concept run in Explore, or import distributions in Compare.'
            : 'No images of a run or an imported folder yet. Start a run in Explore, or import a folder there.',
        ),
      );
    const rest = sourcesOf(materials, distributions).filter(
      (item) =>
        !entries.some((entry) => entry.sources.length === 1 && entry.sources[0] === item.source),
    );
    options(
      more,
      [
        { id: '', name: 'Add another source…' },
        ...rest.map((item) => ({ id: item.source, name: item.label })),
      ],
      '',
    );
    more.hidden = !rest.length;
  }
  more.setAttribute('aria-label', 'Add another source of images');
  more.addEventListener('change', () => {
    const chosen = sourcesOf(materials, distributions).find((item) => item.source === more.value);
    if (!chosen) return;
    entries.push({
      name: chosen.name,
      sources: [chosen.source],
      label: chosen.label,
      cases: null,
      on: true,
    });
    take();
    drawModels();
    list.lastElementChild?.querySelector('input')?.focus();
  });

  // ── pairs of models ────────────────────────────────────────────────────────────────────────
  function drawPairs() {
    const names = form.models.map((model) => model.name);
    const all = names.flatMap((name, index) =>
      names.slice(index + 1).map((other) => [name, other]),
    );
    pairs.hidden = preset.kind !== 'pairs' || all.length < 2;
    pairs.replaceChildren(
      ...all.map((pair) => {
        const label = make('label', 'th-study-chip');
        const tick = make('input');
        const same = (set) => JSON.stringify([...set].sort()) === JSON.stringify([...pair].sort());
        tick.type = 'checkbox';
        tick.checked = !form.model_sets.length || form.model_sets.some(same);
        tick.addEventListener('change', () => {
          const sets = form.model_sets.length ? form.model_sets : all;
          const next = tick.checked ? [...sets, pair] : sets.filter((set) => !same(set));
          // None at all would stand for every pair.
          if (!next.length) {
            tick.checked = true;
            return;
          }
          form.model_sets = next.length === all.length ? [] : next;
          report();
        });
        label.append(tick, make('span', '', pair.join(' – ')));
        return label;
      }),
    );
    pairFold.hidden = pairs.hidden;
  }

  const cases = casesOf(form, changed);
  function report() {
    cases.soon();
    changed();
  }

  const models = make('div', 'th-study-field');
  models.dataset.field = 'models';
  models.append(
    make('span', 'th-study-label', 'Models'),
    list,
    more,
    make(
      'p',
      'th-study-hint',
      'Names appear in results only; participants never see them. Sources with the same name count as one model, and the first that has a case is used.',
    ),
  );
  /** @type {HTMLElement[]} */
  const nodes = [models];
  if (preset.needs_people) {
    const choices = materials.suggested.people.map((person, position) => ({
      id: String(position),
      name: person.name + (person.cases ? ', ' + many(person.cases, 'concept') : ''),
    }));
    const people = make('select');
    const box = make('div', 'th-study-field');
    const label = make('label', '', 'People’s colors');
    const index = materials.suggested.people.findIndex(
      (person) => JSON.stringify(person.sources) === JSON.stringify(form.people),
    );
    people.id = 'th-study-people';
    label.htmlFor = people.id;
    options(
      people,
      choices.length
        ? choices
        : [{ id: '', name: 'None available: import them in Compare, People and files' }],
      index < 0 ? '' : String(index),
    );
    if (index < 0 && choices.length) {
      people.value = '0';
      form.people = materials.suggested.people[0].sources;
    }
    people.addEventListener('change', () => {
      form.people = (materials.suggested.people[Number(people.value)] || { sources: [] }).sources;
      report();
    });
    box.dataset.field = 'people';
    box.append(label, people);
    nodes.push(box);
  }
  const caseField = source.number('number', 'Cases in the study', {
    hint: '0 = every case all models share; otherwise a random subset (seed).',
  });
  const pairFold = fold('Model pairs', pairs);
  nodes.push(row(caseField, cases.groups), cases.found, cases.fold, pairFold);
  const extras = [
    source.number(
      'pictures',
      distributions ? 'Reference images shown' : 'Images of a model shown at once',
    ),
  ];
  if (!distributions)
    extras.push(
      source.number('variants', 'Images per prompt', {
        hint: 'Each image is a separate stimulus, so 3 triples the answers needed.',
      }),
    );
  if (distributions)
    extras.push(
      source.select(
        'extraction',
        'How images become a distribution',
        Object.entries(presets.extractions).map(([id, name]) => ({ id, name: String(name) })),
      ),
    );
  extras.push(
    source.number('seed', 'Seed', {
      hint: 'Controls the random choice of cases, order and sides.',
    }),
  );
  nodes.push(fold('More display settings', row(...extras)));
  node.append(...nodes);
  begin();
  drawModels();
  drawPairs();
  cases.soon();
  return node;
}
