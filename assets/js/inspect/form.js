// The form of Inspect. The app is told of every change of the marks and of the question, one at a
// time, and answers stage, verdict and evidence; an answer to an older state is left alone.
import { mount as mountPicker } from '../picker/picker.js';
import { ask, send } from '../shared/http.js';
import { places } from '../shared/links.js';
import { openImage, openLink } from '../shared/opening.js';
import { store } from '../shared/state.js';
import { toast } from '../shared/toast.js';
import { mountPart } from '../shared/widget.js';
import { mount as mountStage } from '../stage/stage.js';
import { mount as mountEvidence } from './evidence.js';
import { mount as mountExamples } from './examples.js';
import { modelField, numberField, ruleField } from './fields.js';
import { mount as mountFilm } from './film.js';
import { mount as mountLibrary } from './library.js';
import { mount as mountVerdict } from './verdict.js';

const RETRY_MS = 2000;
const TYPING_MS = 200;
const AWAY = [502, 503, 504]; // a proxy whose app is starting
const NOTHING = { image_id: null, marks: [], seq: 0, outline: '', found: '', notes: [] };

/** Whether an address opens an image here. @param {URLSearchParams} query */
const namesImage = (query) =>
  (query.get('tab') || 'inspect') === 'inspect' && Boolean(query.get('image'));

/** @param {import('../shared/widget.js').Widget} widget */
export function mount({ element, props }) {
  const link = new URLSearchParams(location.search);
  const find = (selector) => element.querySelector(selector);
  const part = (selector, mount, held, on) => mountPart(find(selector), mount, held, on);
  const chosen = (id) => find(`#${id} :checked`).value;
  const choose = (id, value) => {
    find(`#${id} [value="${value}"]`).checked = true;
  };
  let newest = 0; // grows with every change, and with what is opened
  let last = Promise.resolve();
  let marked = null; // the stage's value that came of a change of the marks, until the app knows it
  let entered = {}; // object and target that the user gave; a photograph opened next keeps them

  const object = find('#object-name input');
  const relation = find('#relation');
  const neighborsOf = find('#neighbors-of');
  const hatched = find('#show-measured input');
  const rule = ruleField(find('#rule'), score);
  const neighbors = numberField(find('#neighbors'), score);
  const search = searchSettings(find('#automatic-mask'), object);
  part('#film', mountFilm);
  part('#examples', mountExamples);
  const library = part(
    '#library',
    mountLibrary,
    {},
    { open: (image) => open({ ...image, last: true }) },
  );
  const target = part(
    '#asked-color',
    mountPicker,
    { label: 'Target color' },
    {
      /** @param {{ value: string }} picked */
      input({ value }) {
        entered = { ...entered, target: value };
        score();
      },
    },
  );
  const stage = part(
    '#stage',
    mountStage,
    {
      ...NOTHING,
      /** @param {'find' | 'points'} kind @param {any} marked */
      search: (kind, marked) =>
        send(`/api/inspect/${kind}`, { ...marked, ...search.get(), object_name: object.value }),
    },
    {
      change() {
        marked = stage.props.value;
        score();
      },
      open: (image) => open({ ...entered, ...image }),
      browse: () => library({ open: true }),
    },
  );
  const verdict = part(
    '#verdict',
    mountVerdict,
    { view: props.waiting, limits: '' },
    {
      rule(id) {
        rule.set(id);
        score();
      },
    },
  );
  const evidence = part('#evidence', mountEvidence, { view: '', image: '' });

  const settings = () => ({
    rule: rule.get(),
    k: neighbors.get(),
    show_measured: hatched.checked,
    neighbors_of: chosen('neighbors-of'),
  });
  const question = () => ({
    ...settings(),
    object: object.value,
    target: target.props.value || '',
    relation: chosen('relation'),
  });

  // Only the newest state is asked for; what came before it and waits is in it.
  function score() {
    const mine = ++newest;
    last = last.catch(reportError).then(async () => {
      let answer = null;
      while (mine === newest && !answer) answer = await scored();
      if (mine !== newest) return;
      if (answer.error) refuse(answer.error, { seq: stage.props.value?.seq || 0 });
      else show(answer);
    });
  }
  // Null where the app does not answer, or a proxy in its place: it may come back.
  async function scored() {
    try {
      const { value } = stage.props;
      const selects = value !== null && value === marked;
      const answer = await send('/api/inspect/score', { ...value, ...question(), selects });
      if (selects && value === marked) marked = null;
      if (answer?.stage) return answer;
      toast('The answer to this selection cannot be read. It is asked for again.');
    } catch (error) {
      if (error.status && !AWAY.includes(error.status)) return { error };
      toast(error.message);
    }
    await new Promise((done) => setTimeout(done, RETRY_MS));
    return null;
  }
  /** @param {Api.ScoredMarks | Api.OpenedImage} answer */
  function show(answer) {
    stage(answer.stage);
    verdict(answer.verdict);
    evidence(answer.evidence);
    store.tell('data', answer.data);
  }
  // What is on the stage stays, and the words say why nothing else came.
  function refuse({ message }, more = {}) {
    stage({ message, ...more });
    verdict({ view: { status: 'unscored', title: 'Not scored', reason: message, link: '' } });
  }

  function open(image) {
    openImage(image).catch(refuse);
  }
  function follow(query) {
    openLink(query).catch(refuse);
  }
  function opened() {
    const answer = element.isConnected && store.take('opened');
    if (!answer?.question) return;
    // Nobody waits for what is answered to what stood here before.
    newest += 1;
    fill(answer.question, answer.labels);
    show(answer);
  }
  /**
   * @param {Api.VerdictQuestion} asked
   * @param {string} labels the negative labels of its object
   */
  function fill(asked, labels) {
    // What somebody gave stays for the photographs that follow, until one brings its own.
    entered = Object.fromEntries(
      Object.entries(entered).filter(([name, value]) => value && value === asked[name]),
    );
    if (object.value !== asked.object) {
      object.value = asked.object;
      search.label(labels);
    }
    target({ value: asked.target });
    rule.set(asked.rule);
    neighbors.set(asked.k);
    choose('neighbors-of', asked.neighbors_of);
    choose('relation', asked.relation);
  }

  object.addEventListener('change', () => {
    entered = { ...entered, object: object.value };
  });
  for (const field of [object, relation, neighborsOf, hatched])
    field.addEventListener('change', score);
  store.set('settings', settings);
  store.subscribe('opened', opened);

  // Back and Forward to an image: what the address says is opened again, unless it stands here still.
  let current = namesImage(link) ? location.search : '';
  store.subscribe('shown', ({ query }) => {
    if (!places.restoring() && (query.get('tab') || 'inspect') === 'inspect')
      current = location.search;
  });
  store.subscribe('place', ({ query }) => {
    if (!namesImage(query) || location.search === current) return;
    current = location.search;
    follow(query);
  });
  if (store.get('opened')) opened();
  else if (namesImage(link)) follow(link);
}

/**
 * How an object is found. Labels follow the object and the variant, thresholds the variant.
 * @param {HTMLElement} box
 * @param {Found} object
 */
function searchSettings(box, object) {
  const field = (id) => box.querySelector('#' + id);
  const input = (id) => field(id).querySelector('input');
  const negatives = input('negative-labels');
  const thresholds = ['box', 'negative'].map((name) => numberField(field(name + '-threshold')));
  const models = ['detector', 'segmenter', 'presence-model'].map((id) => modelField(input(id)));
  const variant = () => field('mask-variant').querySelector(':checked');
  const first = variant().value;
  let turn = 0;
  let suggested = ''; // the labels that nobody has edited

  async function follow() {
    const mine = ++turn;
    await new Promise((done) => setTimeout(done, TYPING_MS));
    if (mine !== turn) return;
    try {
      const { labels } = await ask(
        `/api/inspect/labels?object=${encodeURIComponent(object.value)}&variant=${variant().value}`,
      );
      if (mine === turn) negatives.value = suggested = labels;
    } catch {
      // The labels stay as they are; Find says that the app does not answer.
    }
  }
  object.addEventListener('input', follow);
  negatives.addEventListener('input', () => {
    turn += 1;
  });
  field('mask-variant').addEventListener('change', () => {
    const { box: score, negative } = variant().dataset;
    thresholds[0].set(score);
    thresholds[1].set(negative);
    if (negatives.value === suggested) follow();
  });
  return {
    /** @param {string} labels what was on its way for another object comes too late */
    label(labels) {
      turn += 1;
      negatives.value = suggested = labels;
      // They are those of the first variant.
      if (variant().value !== first) follow();
    },
    get() {
      const [detector, segmenter, presence] = models.map((model) => model());
      const [box_threshold, negative_threshold] = thresholds.map((number) => number.get());
      return {
        ...{ detector, segmenter, presence, variant: variant().value },
        negatives: negatives.value,
        // Without a number nothing is found.
        box_threshold: box_threshold === '' ? null : box_threshold,
        negative_threshold: negative_threshold === '' ? null : negative_threshold,
      };
    },
  };
}
