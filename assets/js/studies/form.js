// A new study, or the next version of one: the form, and its preview.
import { make, put } from '../shared/dom.js';
import { ask, send } from '../shared/http.js';
import { followJob } from '../shared/jobs.js';
import { store } from '../shared/state.js';
import { API, presetCards, readPresets } from './choices.js';
import { conceptsPart } from './colorings/concepts.js';
import { coloringNumbers } from './colorings/guide.js';
import { fieldsOf, part, tellField } from './form_fields.js';
import { firstMaterials, materialsPart } from './form_materials.js';
import { endingsPart } from './form_endings.js';
import { closingPart, numbersPart } from './form_numbers.js';
import { surveyPart } from './form_survey.js';
import { consentPart, questionPart } from './form_texts.js';
import { outlineBox } from './outline.js';
import { doing, problemLine } from './parts.js';
import { firstSet, questionsPart } from './questions/choose.js';
import { questionNumbers } from './questions/numbers.js';
import { studyView, openList, openNew, openStudy } from './view.js';

const WAIT_MS = 400;
const KEPT = 'th-judge-form'; // stored by browsers under the former name

/** What was being filled in, after a reload. @param {string} preset */
function savedForm(preset) {
  try {
    const saved = JSON.parse(localStorage.getItem(KEPT) || 'null');
    return saved && saved.preset === preset ? saved : null;
  } catch {
    return null;
  }
}

/** @param {any} form nothing: it is made */
function saveForm(form) {
  try {
    if (form) localStorage.setItem(KEPT, JSON.stringify(form));
    else localStorage.removeItem(KEPT);
  } catch {
    /* a reload forgets it */
  }
}

/** Parts of the form for what has no models: what is asked, and how often. */
const OWN = {
  sketches: { first: conceptsPart, numbers: coloringNumbers },
  questions: { first: questionsPart, numbers: questionNumbers },
};

/**
 * The values that a form of this preset begins with.
 * @param {Api.PresetJson} preset
 * @param {Api.PresetsView} presets
 * @param {Api.MaterialsView} materials
 */
function firstForm(preset, presets, materials) {
  const defaults = { ...preset.form };
  const own = OWN[preset.material];
  const { models, people, number } = own
    ? { models: [], people: [], number: preset.a_task || 0 }
    : firstMaterials(preset, materials);
  const language = 'en';
  return {
    ...defaults,
    preset: preset.id,
    language,
    title: preset.id === 'free' ? '' : defaults.title || preset.name,
    kind: preset.kind,
    question: defaults.question || preset.texts?.[language]?.question || '',
    instructions: defaults.instructions || preset.texts?.[language]?.instructions || '',
    consent: preset.texts?.[language]?.consent || '',
    record_input: true,
    keep_color: true,
    concepts: [],
    sketches: {},
    question_set: firstSet(materials, studyView.set),
    tasks: [],
    models,
    people,
    number,
    cases: [],
    groups: [],
    model_sets: [],
    method: defaults.method || 'balanced',
    training: { keys: [], needed: 0, attempts: 2, ...defaults.training },
    screening: { plates: true, patches: true, ...defaults.screening },
    completion: { code: '', url: '', text: '', ...defaults.completion },
    endings: {},
    survey: { before: [], after: [] },
    closing: {
      when_complete: true,
      replace_excluded: true,
      participants: null,
      ...defaults.closing,
    },
    wording: {},
    seed: defaults.seed ?? 1,
  };
}

/**
 * @param {HTMLElement} box the screen
 * @returns {{ shown: () => void }}
 */
export function studyForm(box) {
  const heading = box.querySelector('h2');
  const cards = box.querySelector('.th-study-presets');
  const waiting = box.querySelector('.th-study-waiting');
  const refused = box.querySelector('.th-study-refused');
  const plan = box.querySelector('.th-study-plan');
  const formNode = box.querySelector('form');
  const aside = box.querySelector('.th-study-outline');
  const line = problemLine();
  let presets = null;
  let materials = null;
  let form = null;
  let preset = null;
  let revised = null;
  let made = null;
  let numbers = null;
  let side = null;
  /** Takes what was typed and not added yet. @type {() => void} */
  let addTyped = () => {};
  let timer;
  let request = 0;
  let shown = '';

  box
    .querySelector('.th-study-back')
    .addEventListener('click', () =>
      studyView.study ? openStudy(studyView.study, 'plan') : openList(),
    );
  formNode.addEventListener('submit', (event) => event.preventDefault());

  /** Says what is wrong at its field and goes there; false where no field is of it. */
  function wrong(field, text) {
    const there = tellField(formNode, field, text);
    if (there) formNode.querySelector('[aria-invalid=true]')?.focus();
    return there;
  }
  const create = doing('Create the draft', save, line, 'th-primary');
  async function save() {
    addTyped();
    clearTimeout(timer);
    tellField(formNode, '', '');
    const some = revised && revised.may_revise !== 'everything';
    const nothing = some ? null : nothingYet();
    if (nothing && wrong(nothing.field, nothing.words)) return;
    put(create, revised ? 'Saving…' : 'Creating…');
    try {
      /** @type {{ study?: { id: string, title: string }, job?: string }} */
      let answer = revised
        ? await send(`${API}/${revised.id}/revise`, { ...form, version: revised.version })
        : await send(`${API}/create`, form);
      if (answer.job) {
        const job = await followJob(answer.job, (now) =>
          put(create, now.words || 'Extracting colors…'),
        );
        if (job.status !== 'done') throw new Error(job.problem || 'It was stopped.');
        const result = job.result || {};
        answer = {
          study: {
            id: typeof result.study === 'string' ? result.study : studyView.study,
            title: form.title,
          },
        };
      }
      saveForm(null);
      store.tell('studies');
      studyView.title = answer.study.title;
      shown = '';
      openStudy(answer.study.id, revised ? 'plan' : 'live');
    } catch (error) {
      if (!wrong(error.field, error.message)) throw error;
    } finally {
      put(create, revised ? 'Save as the next version' : 'Create the draft');
    }
  }
  function changed() {
    if (!revised) saveForm(form);
    clearTimeout(timer);
    timer = setTimeout(outline, WAIT_MS);
  }
  /** What has to be chosen before there is anything to ask the app about; null where it is. */
  function nothingYet() {
    const wanted = {
      concepts: preset.material === 'sketches' && 'Choose the concepts to color.',
      question_set: preset.material === 'questions' && 'No question set yet.',
      models: !OWN[preset.material] && 'Choose the models whose images are shown.',
      people: preset.needs_people && 'Choose the human colors to compare with.',
    };
    const field = Object.keys(wanted).find((name) => wanted[name] && !form[name].length);
    return field ? { field, words: wanted[field] } : null;
  }
  async function outline() {
    clearTimeout(timer);
    if (revised && revised.may_revise !== 'everything') return;
    const mine = ++request;
    const nothing = nothingYet();
    if (nothing) {
      made = null;
      // The same refusal stays: the list of concepts may arrive only after it.
      const refused = formNode.querySelector('.th-study-wrong')?.textContent;
      if (refused !== nothing.words) tellField(formNode, '', '');
      line.say('');
      side.wrong(nothing.words + ' The study summary then appears here.');
      side.busy(false);
      return;
    }
    side.busy(true);
    try {
      const answer = await send(`${API}/outline`, form);
      if (mine !== request) return;
      made = answer;
      tellField(formNode, '', '');
      line.say('');
      side.draw(answer, form);
      numbers?.outlined();
    } catch (error) {
      if (mine !== request) return;
      made = null;
      // A preset may ask for more cases than there are: then all that there are, before a wish.
      if (error.field === 'number' && form.number && form.number === preset.form.number) {
        form.number = 0;
        formNode.querySelector('[name=number]').value = '0';
        outline();
        return;
      }
      const there = tellField(formNode, error.field, error.message);
      side.wrong(there ? 'One field needs attention: see the form.' : error.message);
    }
    side.busy(false);
  }
  function draw() {
    const some = revised && revised.may_revise !== 'everything';
    const values = {
      ...{ form, preset, presets, materials, changed, again: draw },
      ...{ outline: () => made, revised: Boolean(some) },
    };
    line.say('');
    put(create, revised ? 'Save as the next version' : 'Create the draft');
    if (some) {
      const node = part(
        1,
        'Settings that can still change',
        'The study was opened, so its content is fixed. To ask something else, copy the study.',
      );
      const source = fieldsOf(form, changed);
      const fields = { title: () => source.text('title', 'Title') };
      node.append(
        ...revised.revisable.filter((name) => fields[name]).map((name) => fields[name]()),
      );
      numbers = null;
      addTyped = () => {};
      formNode.replaceChildren(
        node,
        // Researchers who may not see the codes cannot change them.
        ...(revised.personal ? [endingsPart(values, 2)] : []),
        closingPart(values, revised.personal ? 3 : 2),
      );
      const card = make('section', 'th-card th-study-outline-card');
      card.append(
        make('h3', '', 'Next version'),
        make('p', 'th-soft', 'New participants get it. The log records the change.'),
        line,
        create,
      );
      aside.replaceChildren(card);
    } else {
      const own = OWN[preset.material];
      numbers = own ? own.numbers(values) : numbersPart(values);
      const first = own?.first(values);
      addTyped = first?.addTyped || (() => {});
      formNode.replaceChildren(
        first?.node || materialsPart(values),
        questionPart(values),
        numbers.node,
        consentPart(values),
        surveyPart(values, 5),
        endingsPart(values, 6),
        closingPart(values, 7),
      );
      side = outlineBox(aside, { create, line });
      outline();
    }
    plan.hidden = false;
  }
  function choose(id) {
    preset = presets.presets.find((item) => item.id === id) || presets.presets[0];
    form = { ...firstForm(preset, presets, materials), ...savedForm(preset.id) };
    if (studyView.set && form.question_set !== studyView.set)
      form = { ...form, question_set: firstSet(materials, studyView.set), tasks: [] };
    presetCards(cards, presets.presets, openNew, preset.id);
    draw();
  }
  async function load() {
    const now = [studyView.study, studyView.preset, studyView.set].join(' ');
    if (now === shown) return;
    shown = now;
    put(heading, studyView.study ? 'Edit the plan' : 'New study');
    refused.hidden = true;
    waiting.hidden = false;
    plan.hidden = true;
    cards.replaceChildren();
    try {
      const [choices, label, study] = await Promise.all([
        readPresets(),
        ask(`${API}/materials`),
        studyView.study ? ask(`${API}/${studyView.study}`) : null,
      ]);
      if (now !== shown) return;
      presets = choices;
      materials = label;
      revised = study;
      if (study) {
        studyView.title = study.title;
        if (!study.form)
          throw new Error(
            'This study was not created with this form. Copy it, or import it again.',
          );
        preset = presets.presets.find((item) => item.id === study.preset) || presets.presets[0];
        form = {
          ...study.form,
          training: { keys: [], needed: 0, attempts: 2, ...study.form.training },
          completion: { code: '', url: '', text: '', ...study.form.completion },
          endings: { ...study.form.endings },
          survey: { before: [], after: [], ...study.form.survey },
          // Before there was a gap, only the next trial was of another case.
          case_gap: study.form.case_gap ?? 1,
          closing: {
            when_complete: true,
            replace_excluded: true,
            participants: null,
            ...study.form.closing,
          },
          wording: { ...study.form.wording },
        };
        draw();
      } else if (studyView.preset) choose(studyView.preset);
      else presetCards(cards, presets.presets, openNew, '');
      // Sketches and questions have their own: what images are missing is of no matter to them.
      if (materials.notes?.length && !study && !OWN[preset?.material]) {
        put(refused, materials.notes.join(' '));
        refused.hidden = false;
      }
    } catch (error) {
      shown = '';
      put(refused, 'The form cannot be shown. ' + error.message);
      refused.hidden = false;
    }
    waiting.hidden = true;
  }
  return { shown: load };
}
