// One participant's way through a study, from the consent to the code.

import { end, finished } from './endings.js';
import { card, make, page, setProgress, setWayOut, shown } from './frame.js';
import { inputOf } from './input.js';
import { askState, external, send } from './link.js';
import { Outbox, newId } from './outbox.js';
import { display, onlyTab } from './presence.js';
import { comment } from './reading.js';
import { screening } from './screening.js';
import { say } from './texts.js';

const ENROLMENT = 'truehue-enrolment:' + location.pathname;
/** Who has read the instructions in this tab. */
const READ = 'truehue-read:' + location.pathname;

/** @type {Api.ParticipantState & { kept?: import('./outbox.js').PageEvent[] }} */
let state = null;
/** @type {Outbox | null} */
let outbox = null;
/** @type {Work | null} */
let work = null;
/** @type {Trials | null} */
let trials = null;
let stopped = false;
/** Parts of the survey that were answered here, sent or not. @type {Set<string>} */
const surveyed = new Set();
/** Whether the last questions are on the page. */
let surveyOpen = false;
/** The stage whose end is on the page. */
let endShown = '';
/** Called once the study has judged the screening. @type {(() => void) | null} */
let onScreened = null;
/** Stages before the trials. */
const BEFORE = ['consent', 'survey', 'screening'];
/** Stages that end a participation, beside the completion. */
const ENDED = ['withdrawn', 'screened_out', 'failed_checks', 'timed_out'];

/**
 * What is done in a study, for votes, questions and colorings.
 * @typedef {import('./trials.js').Trials | import('./coloring.js').Colorings} Trials
 * @typedef {{ open: (state: Api.ParticipantState, outbox: Outbox, hands: Hands) => Promise<Trials>,
 *   tell: (outbox: Outbox) => void, undo: string }} Work `undo`: the name of the words for that
 * @typedef {{ done: () => void, over: (name: string) => void }} Hands `done`: nothing is left to
 *   answer, `over`: nothing can be done here for now
 */

/**
 * What a study of this kind needs; another one's is not loaded.
 * @param {string} kind
 * @returns {Promise<Work>}
 */
function workOf(kind) {
  if (kind === 'colorings') return import('./coloring.js');
  if (kind === 'questions') return import('./questions.js');
  return import('./votes.js');
}

/**
 * Takes part, or goes on with it; gives back the state of the participant.
 * @param {Api.StudyOnPage} study
 * @returns {Promise<Api.ParticipantState>}
 */
export async function enrolled(study) {
  // The same id until it is answered: asking twice is asking once.
  const id = sessionStorage.getItem(ENROLMENT) || newId();
  sessionStorage.setItem(ENROLMENT, id);
  const answer = await send('/enroll', {
    id,
    consent_version: study.consent.version,
    language: study.language,
    external: external(),
    display: display(),
    ...inputOf(study),
  });
  sessionStorage.removeItem(ENROLMENT);
  return answer;
}

/**
 * Shows what comes next for this participant, to the end.
 * @param {Api.ParticipantState} values the state that the study told
 */
export async function participate(values) {
  state = values;
  const tab = onlyTab(location.pathname, () => {
    stopped = true;
    over('moved');
  });
  if (await tab.taken) {
    const text = make('p', 'text', say('twice_text'));
    await page('twice', say('twice_title'), [text], say('twice_here'));
    tab.take();
    // The other tab may have gone on meanwhile.
    state = await askState().catch(() => state);
  } else tab.take();
  const { study, participant } = state;
  work = await workOf(study.kind);
  open(participant.id);
  if (conclude()) return;
  if (!state.preview && study.state !== 'open') over(study.state, participant);
  else {
    // Practice sketches come first, and once more where they are asked for again.
    const practice = (study.practice?.count || 0) * (participant.practice?.rounds || 1);
    const n = participant.positions_answered.filter((position) => position >= practice).length;
    const text = say('welcome_back_text', { n, of: participant.number_of_trials - practice });
    // Who looks whether it goes on sees that at once.
    if (n && participant.practice?.stage !== 'waiting')
      await page('again', say('welcome_back'), [make('p', 'text', text)], say('continue'));
    if (!stopped) await begin();
  }
}

/** Keeps and sends what a participant does from here on. @param {string} id */
function open(id) {
  outbox = new Outbox(id, (events, last) => send('/events', { events }, last), heard);
  // What waited when the study told its state: it may be stored before anybody asks.
  state.kept = outbox.waiting;
  for (const { kind, body } of state.kept)
    if (kind === 'survey') surveyed.add(/** @type {any} */ (body).part);
  addEventListener('beforeunload', (event) => {
    if (outbox?.waiting.length) event.preventDefault();
  });
  addEventListener('pagehide', () => outbox?.parting());
  addEventListener('online', () => outbox?.flush());
  tell();
  outbox.flush();
}

/**
 * Asks the questions about the participant that are not answered yet.
 * @param {'before' | 'after'} part
 */
async function askSurvey(part) {
  const { study, participant } = state;
  const items = study.survey[part];
  if (!items.length || participant.surveyed.includes(part) || surveyed.has(part)) return;
  const { survey } = await import('./survey.js');
  const answers = await survey(items, part);
  surveyed.add(part);
  if (!stopped) outbox?.add('survey', null, { part, answers });
}

/** Questions, screening, instructions and trials, as far as they are not done. */
async function begin() {
  const { participant } = state;
  const early = BEFORE.includes(participant.stage);
  setWayOut(withdraw);
  setProgress('');
  if (early) await askSurvey('before');
  if (stopped) return;
  const screens =
    participant.stage !== 'survey' || participant.plates || participant.patches.length;
  if (early && screens) {
    const seen = await screening(participant, () => stopped);
    if (stopped) return;
    const judged = new Promise((done) => (onScreened = () => done(null)));
    outbox?.add('screening', null, seen);
    if (state.study.screens_out) {
      card('saving', say('study'), [make('p', 'text', say('waiting'))]);
      await judged;
      if (stopped) return;
    }
  }
  // It is here when the last trial is answered, with or without a network.
  if (state.study.survey.after.length) await import('./survey.js').catch(() => {});
  const hands = { done: answered, over };
  trials = (await work?.open(state, /** @type {Outbox} */ (outbox), hands)) || null;
  tell();
  // Who loads the page again has read them, and what was done says so on another day.
  const read = sessionStorage.getItem(READ) === participant.id;
  if (!trials?.begun && !read) await trials?.instructions();
  sessionStorage.setItem(READ, participant.id);
  if (!stopped) trials?.go();
}

/** All trials have an answer: the last questions, a last word, and the end. */
async function answered() {
  if (surveyOpen || shown() === 'comment' || stopped) return;
  setProgress('');
  surveyOpen = true;
  await askSurvey('after');
  surveyOpen = false;
  if (stopped) return;
  const undo = trials?.undoable ? () => trials?.undo() : null;
  const finish = (/** @type {string} */ text, /** @type {boolean} */ leaving) => {
    if (stopped) return;
    if (text) outbox?.add('comment', null, { text: text });
    outbox?.add('finish', null, inputOf(state.study));
    if (leaving) outbox?.parting();
    card('saving', say('comment_title'), [make('p', 'text', say('saving'))]);
  };
  const glance = trials && 'glance' in trials ? trials.glance : null;
  comment(undo, say(work?.undo || ''), finish, glance);
}

function withdraw() {
  stopped = true;
  outbox?.add('withdrawal', null, {});
  over('withdrawn');
}

/** Shows the end of this participation, once; false while it goes on. */
function conclude() {
  const { study, participant, preview } = state;
  const { stage } = participant;
  if (stage !== 'finished' && !ENDED.includes(stage)) return false;
  stopped = true;
  // What still waited is refused now: nobody has to read that.
  outbox?.clearRefused();
  tell();
  if (stage === endShown) return true;
  endShown = stage;
  over('');
  const seconds = preview ? null : study.returns_after_s;
  if (stage === 'finished') finished(study, participant, seconds);
  else end(stage, participant, seconds);
  return true;
}

/**
 * The end of what can be done here, in words.
 * @param {string} name
 * @param {Api.EndingPage} [back] what the participant gets
 */
function over(name, back) {
  setWayOut(null);
  setProgress('');
  const { study, preview } = state;
  if (name) end(name, back, preview ? null : study.returns_after_s);
}

/**
 * What the study said to events, or nothing where it said nothing yet.
 * @param {Api.PostedEvents} answer
 */
function heard(answer) {
  tell();
  if (outbox?.ended) return ended(outbox.ended);
  if (!answer) return;
  if (answer.participant) state.participant = answer.participant;
  if (!trials && answer.trials) state.trials = [...state.trials, ...answer.trials];
  conclude();
  if (!outbox?.waiting.length) onScreened?.();
  if (stopped) return;
  const codes = (answer.refused || []).map((item) => item.code);
  if (codes.includes('closed')) {
    stopped = true;
    over('closed', state.participant);
    return;
  }
  trials?.heard(answer);
  // The study has no answers to the survey after all: they are asked for again.
  if (codes.includes('survey')) {
    surveyed.clear();
    if (trials?.left) location.reload();
    else answered();
  }
  // There was more to do, or will be once the study goes on.
  if (codes.includes('early')) {
    if (trials?.left) trials.go();
    else over('paused');
  }
}

/** @param {import('./link.js').Refusal} refusal that ended the sending */
function ended({ status, data, message }) {
  stopped = true;
  const name = { 401: 'lost', 404: 'unknown', 409: 'closed' }[status];
  over(name || (data.code === 'closed' ? 'closed' : ''));
  if (!name) card('refused', say('study'), [make('p', 'text', message)]);
}

function tell() {
  if (outbox) work?.tell(outbox);
}
