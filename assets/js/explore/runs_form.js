// The form that starts runs: the app supplies the choices and the errors.
import { make, options, put, strip } from '../shared/dom.js';
import { ask, send } from '../shared/http.js';
import { store } from '../shared/state.js';
import { cfrOf, showCfr } from './runs_cfr.js';
import { runEstimate } from './runs_estimate.js';
import { KEPT_FIELDS, RUN_FIELDS, formSaved, keepFormOf } from './runs_saved.js';
import { explore } from './view.js';

export function runForm(element, root, started) {
  const form = root.querySelector('form');
  const field = (name) => form.elements.namedItem(name);
  const refused = form.querySelector(':scope > .th-problem');
  const begin = form.querySelector('.th-primary');
  const modelBox = form.querySelector('.th-runs-models');
  const RENDERER = 'reference-renderer';
  const MASKERS = [
    { id: 'exact', name: 'Exact', title: 'Masks supplied with the images' },
    { id: 'salient', name: 'Salient object', title: 'In images of one object' },
    { id: 'grounded', name: 'Find objects', title: 'With a detector and a segmenter' },
    { id: 'whole', name: 'Whole image', title: 'Every pixel counts: patches and textures' },
  ];
  const HINTS = {
    exact: {
      drawn: 'Exact masks from the renderer.',
      stored: 'Uses the newest stored mask of each object. Without a mask, the image is unscored.',
    },
    salient: {
      drawn: 'The salient object of each image. Images of several objects are unscored.',
      stored:
        'The salient object of each image without a mask of its own. Images of several objects are' +
        ' unscored.',
    },
    grounded: {
      drawn: 'Found by name in every image.',
      stored: 'Found by name in every image.',
    },
    whole: {
      drawn: 'Every pixel of the image counts.',
      stored: 'Every pixel of the image counts.',
    },
  };
  const PARTS = [
    { id: 'all', name: 'All' },
    { id: 'order', name: 'As many as the order needs' },
  ];
  const PART_HINTS = {
    all: 'Every image of the set, with each model.',
    order:
      'The same few images with every model, in rounds, until every pair of models is decided or' +
      ' this share is used. Starting again with a larger share continues. Accuracies are estimates with' +
      ' intervals.',
  };
  /** @type {Api.RunFormView | null} */
  let data = null;
  let first = true;
  let kind = 'drawn';
  // All images, or those that the order of several models needs.
  let part = 'all';
  let masker = 'exact';
  let ownMasker = false;
  // Which images are scored was chosen, and not just the newest.
  let ownSource = false;
  // What Start was refused with: an estimate of the same does not take the reason away.
  let refusedWith = '';

  const estimate = runEstimate(form, {
    isShown: () => Boolean(data) && element.offsetParent !== null,
    values,
    tell(name, text) {
      if (!text && refusedWith === JSON.stringify(values())) return;
      refusedWith = '';
      tell(name, text);
    },
  });

  function chosenModels() {
    if (kind === 'stored') return field('stored').value ? [field('stored').value] : [];
    const listed = [...modelBox.querySelectorAll('input:checked')].map((box) => box.value);
    const other = field('other')
      .value.split(',')
      .map((text) => text.trim())
      .filter(Boolean);
    return [...listed, ...other];
  }
  function values() {
    const out = {
      kind,
      masker,
      models: chosenModels(),
      rules: [...form.querySelectorAll('.th-runs-rules input:checked')].map((box) => box.value),
    };
    RUN_FIELDS.forEach((name) => {
      out[name] = field(name).value;
    });
    if (!ofConcepts()) out.concepts = '';
    if (!compares() || part === 'all') out.adaptive = '';
    else out.adaptive ||= String(data ? data.percent : '');
    return { ...out, ...cfrOf(out, data ? data.cfr_variants : [], kind === 'stored') };
  }
  function compares() {
    return kind === 'drawn' && chosenModels().length > 1;
  }
  // Whether the prompts of the set are of concepts, which can be chosen by their words.
  function ofConcepts() {
    return Boolean(
      data && data.sets.some((item) => item.id === field('set').value && item.concepts),
    );
  }
  // A sentence under the field that it speaks of, or above the button where it speaks of none.
  function tell(name, text) {
    form
      .querySelectorAll('.th-runs-field > .th-problem, .th-runs-row > .th-problem')
      .forEach((node) => node.remove());
    form.querySelectorAll('[aria-invalid]').forEach((node) => node.removeAttribute('aria-invalid'));
    const box = name
      ? [...form.querySelectorAll('[data-field="' + CSS.escape(name) + '"]')].find(
          (node) => !node.closest('.th-off'),
        )
      : null;
    refused.hidden = !text || Boolean(box);
    put(refused, box ? '' : text);
    if (!box || !text) return;
    const problem = make('p', 'th-problem', text);
    const control = box.querySelector('input, select');
    problem.setAttribute('role', 'alert');
    problem.id = 'th-runs-problem';
    // In a row of several fields the sentence takes the row's whole width.
    (box.closest('.th-runs-row') || box).appendChild(problem);
    if (control) {
      control.setAttribute('aria-invalid', 'true');
      control.setAttribute('aria-describedby', problem.id);
    }
    const folded = box.closest('.th-runs-more');
    if (folded) folded.open = true;
  }
  function checks(box, choices, chosen) {
    const before = new Set(
      box.children.length
        ? [...box.querySelectorAll('input:checked')].map((node) => node.value)
        : chosen,
    );
    box.replaceChildren(
      ...choices.map((choice) => {
        const label = make('label');
        const input = make('input');
        const name = make('span', '', choice.name);
        input.type = 'checkbox';
        input.value = choice.id;
        input.checked = before.has(choice.id);
        label.append(input, name);
        if (choice.title) label.title = choice.title;
        if (choice.note) label.appendChild(make('small', '', choice.note));
        return label;
      }),
    );
  }
  // Images are scored with the prompts that they were drawn of.
  function ownSet() {
    const rendered = data ? data.stored.find((item) => item.id === field('stored').value) : null;
    if (
      rendered &&
      rendered.set &&
      [...field('set').options].some((option) => option.value === rendered.set)
    )
      field('set').value = rendered.set;
  }
  // A part of a set is drawn to have a look; what is here already is scored as a whole.
  function change(id) {
    kind = id;
    ownMasker = false;
    if (kind === 'stored') ownSet();
    const limit = field('limit');
    const usual = String(data ? data.limit : '');
    if (kind === 'stored' && limit.value === usual) limit.value = '';
    else if (kind === 'drawn' && !limit.value) limit.value = usual;
    show();
    soon();
  }
  function show() {
    const stored = kind === 'stored';
    const drawsHere = !stored && chosenModels().some((id) => id !== RENDERER);
    form
      .querySelectorAll('.th-runs-draws')
      .forEach((node) => node.classList.toggle('th-off', stored));
    form
      .querySelectorAll('.th-runs-scores')
      .forEach((node) => node.classList.toggle('th-off', !stored));
    showPart();
    const preset = data?.protocols.find((item) => item.id === field('protocol').value);
    const summary = form.querySelector('.th-runs-protocol');
    summary.hidden = !preset;
    put(summary, preset ? preset.title : '');
    showCfr(form, values(), data ? data.cfr_variants : []);
    form.querySelector('[data-field=concepts]').classList.toggle('th-off', !ofConcepts());
    const fallbackMasker = data && !data.salient ? 'salient' : 'whole';
    if (!ownMasker) masker = !drawsHere ? 'exact' : finders().length ? fallbackMasker : 'grounded';
    form
      .querySelectorAll('.th-runs-grounded')
      .forEach((node) => node.classList.toggle('th-off', masker !== 'grounded'));
    form
      .querySelector('.th-runs-lacking')
      .classList.toggle('th-off', !['salient', 'grounded'].includes(masker));
    strip(
      form.querySelector('.th-runs-kind'),
      [
        { id: 'drawn', name: 'Generate images' },
        { id: 'stored', name: 'Score existing images' },
      ],
      kind,
      (id) => {
        change(id);
      },
    );
    strip(
      form.querySelector('.th-runs-masker'),
      MASKERS.map((item) =>
        stored && item.id === 'exact' ? { ...item, name: 'Newest mask' } : item,
      ),
      masker,
      (id) => {
        masker = id;
        ownMasker = true;
        show();
        soon();
      },
    );
    put(
      form.querySelector('[data-field=masker] .th-runs-hint'),
      HINTS[masker][kind] +
        (drawsHere && !ownMasker && masker === 'whole'
          ? ' The background counts too, which is wrong for an object in a scene: the models that' +
            ' find objects are not installed (see “Find objects”).'
          : ''),
    );
    const lacking = masker === 'grounded' ? finders().map((item) => item.lacking) : [];
    if (masker === 'salient' && data?.salient) lacking.push(data.salient);
    form
      .querySelector('.th-runs-lacking')
      .replaceChildren(...lacking.map((text) => make('li', '', text)));
  }
  function showPart() {
    const box = form.querySelector('.th-runs-adaptive');
    box.classList.toggle('th-off', !compares());
    box.querySelector('label').classList.toggle('th-off', part === 'all');
    strip(box.querySelector('.th-runs-part'), PARTS, part, (id) => {
      part = id;
      show();
      soon();
    });
    put(box.querySelector('.th-runs-hint'), PART_HINTS[part]);
  }
  // A protocol fills the form, where all that it says can be read and changed.
  function takeProtocol() {
    const preset = data.protocols.find((item) => item.id === field('protocol').value);
    const usual = {
      images: data.images,
      seed: 0,
      steps: '',
      size: '',
      guidance: '',
      k: 0,
      presence: '',
      variant: data.variants[0].id,
      detector: data.detector,
      segmenter: data.segmenter,
    };
    const { masker: ofPreset, ...fields } = preset ? preset.fields : {};
    Object.entries({ ...usual, ...fields }).forEach(([name, value]) => {
      field(name).value = value;
    });
    ownMasker = Boolean(preset) && chosenModels().some((id) => id !== RENDERER);
    if (ownMasker) masker = ofPreset;
    const rules = preset
      ? preset.rules
      : data.rules.filter((rule) => rule.usual).map((rule) => rule.id);
    form.querySelectorAll('.th-runs-rules input').forEach((box) => {
      box.checked = rules.includes(box.value);
    });
  }
  // The models that find objects as chosen, those that cannot be used here.
  function finders() {
    if (!data) return [];
    return ['detector', 'segmenter', 'presence']
      .map((role) => data[role + 's'].find((item) => item.id === field(role).value))
      .filter((item) => item && item.lacking);
  }
  function fill() {
    const named = (item) => ({ id: item.id, name: item.name });
    const set = explore.runSet || field('set').value || data.set;
    const stored = ownSource ? field('stored').value : '';
    const sets = data.sets.map(
      (item) => new Option(item.name + ' · ' + item.count.toLocaleString('en-US'), item.id),
    );
    field('set').replaceChildren(...sets);
    field('set').value = data.sets.some((item) => item.id === set) ? set : data.set;
    explore.runSetAsked = Boolean(explore.runSet);
    explore.runSet = '';
    if (explore.runSetAsked) field('concepts').value = explore.runConcepts || '';
    options(field('task'), [{ id: '', name: 'All' }, ...data.tasks], field('task').value);
    options(field('system'), [{ id: '', name: 'All' }, ...data.systems], field('system').value);
    options(field('size'), [{ id: '', name: 'Default' }, ...data.sizes], field('size').value);
    const protocols = [{ id: '', name: 'TrueHue’s own settings' }, ...data.protocols];
    options(field('protocol'), protocols, field('protocol').value);
    options(field('seeds'), data.seeds, field('seeds').value || 'shared');
    options(field('keep_images'), data.keep_images, field('keep_images').value || 'all');
    options(field('cfr'), [{ id: '', name: 'Off' }, ...data.cfr_variants], field('cfr').value);
    options(field('cfr_map'), data.cfr_maps, field('cfr_map').value || data.cfr_maps[0].id);
    options(field('light'), data.lights, field('light').value || 'studio');
    options(field('failure'), data.failures, field('failure').value || 'none');
    options(field('variant'), data.variants, field('variant').value || data.variants[0].id);
    const vision = (item) => ({
      id: item.id,
      name: item.name + (item.lacking ? ' (not installed)' : ''),
    });
    options(
      field('detector'),
      data.detectors.map(vision),
      field('detector').value || data.detector,
    );
    options(
      field('segmenter'),
      data.segmenters.map(vision),
      field('segmenter').value || data.segmenter,
    );
    options(
      field('presence'),
      [{ id: '', name: 'No presence check' }, ...data.presences.map(vision)],
      field('presence').value,
    );
    options(
      field('stored'),
      data.stored.length ? data.stored.map(named) : [{ id: '', name: 'No images yet' }],
      stored || (data.stored[0] || { id: '' }).id,
    );
    checks(
      modelBox,
      data.models.map((model) => ({
        ...named(model),
        note: model.lacking ? 'not installed' : '',
        title: model.lacking,
      })),
      [RENDERER],
    );
    checks(
      form.querySelector('.th-runs-rules'),
      data.rules.map((rule) => ({ ...named(rule), title: rule.description })),
      data.rules.filter((rule) => rule.usual).map((rule) => rule.id),
    );
    const saved = first ? formSaved() : null;
    if (first)
      [
        ['limit', data.limit],
        ['images', data.images],
        ['seed', 0],
        ['workers', data.workers],
        ['k', 0],
        ['adaptive', data.percent],
      ].forEach(([name, usual]) => {
        field(name).value = usual;
      });
    if (saved) takeBack(saved);
    first = false;
    field('other').placeholder = data.local
      ? 'another: hub:owner/name or folder:/path'
      : 'another: hub:owner/name';
    put(form.querySelector('.th-runs-machine'), data.machine);
    show();
  }
  // What was chosen is kept in this browser, so that a reload or another day finds it again.
  function takeBack(saved) {
    kind = saved.kind === 'stored' && !explore.runSetAsked ? 'stored' : 'drawn';
    part = saved.part === 'order' ? 'order' : 'all';
    if (MASKERS.some((item) => item.id === saved.masker)) {
      masker = saved.masker;
      ownMasker = saved.ownMasker === true;
    }
    Object.entries(saved.fields || {}).forEach(([name, value]) => {
      const input = field(name);
      if (
        !input ||
        typeof value !== 'string' ||
        (input.options && ![...input.options].some((option) => option.value === value))
      )
        return;
      if (['set', 'concepts'].includes(name) && explore.runSetAsked) return;
      input.value = value;
      if (name === 'stored' && value) ownSource = true;
    });
    [
      ['models', modelBox],
      ['rules', form.querySelector('.th-runs-rules')],
    ].forEach(([name, box]) => {
      const wanted = Array.isArray(saved[name]) ? saved[name] : [];
      const boxes = [...box.querySelectorAll('input')];
      if (
        boxes.some((item) => wanted.includes(item.value)) ||
        (name === 'models' && saved.fields && saved.fields.other)
      )
        boxes.forEach((item) => {
          item.checked = wanted.includes(item.value);
        });
    });
    explore.runSetAsked = false;
  }
  function saveForm() {
    if (!data) return;
    const checked = (box) => [...box.querySelectorAll('input:checked')].map((node) => node.value);
    keepFormOf({
      kind,
      part,
      masker,
      ownMasker,
      models: checked(modelBox),
      rules: checked(form.querySelector('.th-runs-rules')),
      fields: Object.fromEntries(
        KEPT_FIELDS.map((name) => [name, name === 'stored' && !ownSource ? '' : field(name).value]),
      ),
    });
  }
  function soon() {
    saveForm();
    estimate.soon();
  }
  form.addEventListener('input', (event) => {
    if (event.target === field('stored')) {
      ownSource = true;
      ownSet();
    }
    if (event.target === field('protocol')) takeProtocol();
    show();
    soon();
  });
  // Another view wants a set to be drawn: explore.runSet, which waits where the form is yet to come.
  store.subscribe('runs-set', () => {
    kind = 'drawn';
    if (data) {
      fill();
      soon();
    }
  });
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (begin.getAttribute('aria-disabled') === 'true') return;
    begin.setAttribute('aria-disabled', 'true');
    put(begin, 'Starting…');
    const wanted = values();
    try {
      const made = await send('/api/runs', wanted);
      tell('', '');
      started(made.runs);
    } catch (error) {
      tell(error.field, error.message);
      refusedWith = JSON.stringify(wanted);
      // The field may be out of sight: the reason stands beside the button too.
      put(refused, error.message);
      refused.hidden = false;
    }
    begin.setAttribute('aria-disabled', 'false');
    put(begin, 'Start');
  });
  return {
    filled: () => Boolean(data),
    // What can be chosen may have changed since: sets, selections, models' files.
    async refresh() {
      try {
        data = await ask('/api/runs/form');
      } catch (error) {
        tell('', 'The form cannot be shown. ' + error.message);
        return;
      }
      tell('', '');
      fill();
      form.classList.remove('th-runs-unread');
      estimate.now();
    },
  };
}
