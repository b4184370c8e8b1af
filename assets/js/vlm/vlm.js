// The VLMs tab: question sets, evaluations, and results.
import { arrowKeys, inFront, put } from '../shared/dom.js';
import { ask } from '../shared/http.js';
import { store } from '../shared/state.js';
import { evaluationList } from './evaluations.js';
import { askForm } from './form.js';
import { modelsView } from './models.js';
import { questionsView } from './questions.js';
import { drawResults } from './results.js';
import { setsCard, work } from './sets.js';
import { askUrl, openView, publishView, qa, changeView } from './view.js';

/** @param {import('../shared/widget.js').Widget} widget */
export function mount({ element }) {
  const root = element.querySelector('.th-vlm');
  const problem = root.querySelector('.th-vlm-problem');
  const tabs = [...root.querySelectorAll('.th-vlm-switch [data-view]')];
  const views = Object.fromEntries(
    [...root.querySelectorAll('[data-qa-view]')].map((node) => [node.dataset.qaView, node]),
  );
  /** @type {Api.StartView | null} */
  let start = null;
  let request = 0;
  let shownResults = '';
  let evaluation = false;
  let again = false;
  let shownQuestions = '';

  const list = evaluationList(root);
  const form = askForm(root, () => list.load());
  const sets = setsCard(root, load);
  const models = modelsView(views.models);
  const questions = questionsView(views.questions, list.rows, () => start);

  // What a link names and is not here is said until something else is chosen.
  let lost = '';
  function say(text) {
    const message = [lost, text].filter(Boolean).join(' ');
    put(problem, message);
    problem.hidden = !message;
  }
  async function load() {
    try {
      start = await ask('/api/vlm/start');
      say('');
    } catch (error) {
      say(error.message);
      return;
    }
    const known = start.sets.some((item) => item.id === qa.set);
    if (!known) {
      const first = start.sets.find((item) => !item.hidden);
      if (qa.set) lost = 'The question set of this link is not available. Another one is shown.';
      changeView({ set: first ? first.id : '', evaluations: [] });
    } else front();
  }
  /** @param {(text: string) => void} tell */
  async function judge(tell) {
    await work(`${qa.set}/rules`, {}, tell);
    results(true);
  }
  async function results(force) {
    const values = { set: qa.set, askings: qa.evaluations.join(','), parser: qa.parser };
    const key = Object.values(values).join(' ');
    if (!force && key === shownResults) return;
    // One question at a time: of what comes meanwhile, only the last is asked.
    if (evaluation) {
      again = true;
      return;
    }
    const mine = ++request;
    shownResults = key;
    evaluation = true;
    try {
      const result = await ask(askUrl('/results', values));
      if (mine !== request) return;
      say('');
      drawResults(views.results, result, judge);
    } catch (error) {
      if (mine !== request) return;
      shownResults = '';
      say(error.message);
    } finally {
      evaluation = false;
      if (again) {
        again = false;
        results(true);
      }
    }
  }
  async function compare(force) {
    try {
      await models.load(force);
      say('');
    } catch (error) {
      say(error.message);
    }
  }
  function front() {
    const open = ['results', 'models'].includes(qa.view) ? qa.view : 'questions';
    const item = start && start.sets.find((set) => set.id === qa.set);
    const usable = Boolean(item && !item.problem);
    root.querySelector('.th-vlm-main').hidden = !usable;
    root.querySelector('.th-vlm-evaluations').hidden = !usable;
    Object.entries(views).forEach(([name, node]) => {
      node.hidden = name !== open || !usable;
    });
    tabs.forEach((tab) => {
      const on = tab.dataset.view === qa.view;
      tab.setAttribute('aria-selected', String(on));
      tab.tabIndex = on ? 0 : -1;
    });
    if (!start || !inFront(root)) return;
    sets.show(start);
    form.show(start);
    if (!usable) return;
    list.show();
    if (open === 'results') results(false);
    else if (open === 'models') compare(false);
    else if (shownQuestions !== questions.key()) {
      shownQuestions = questions.key();
      questions.show();
    } else questions.showLarge();
    if (open !== 'questions') questions.showLarge();
  }
  root.querySelector('.th-vlm-set').addEventListener('change', () => {
    lost = '';
  });
  tabs.forEach((tab) => tab.addEventListener('click', () => openView(tab.dataset.view || '')));
  arrowKeys(tabs);
  store.subscribe('vlm', front);
  store.subscribe('ask-named', questions.named);
  // More answers are there.
  store.subscribe('ask-more', () => {
    if (qa.view === 'results') results(true);
    else if (qa.view === 'models') compare(true);
    else {
      shownResults = '';
      if (!qa.q) questions.show();
    }
  });
  let seen = false;
  new IntersectionObserver(() => {
    const now = inFront(root);
    if (now && !seen) {
      load();
      list.load();
      publishView();
    }
    seen = now;
  }).observe(element);
  front();
}
