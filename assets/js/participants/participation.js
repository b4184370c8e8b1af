// One participant's way through a study, from the consent to the code.

import { card, end, make, page, setProgress, setUnsent, setWayOut, shown } from './frame.js';
import { ask, askState, external } from './link.js';
import { Outbox, newId } from './outbox.js';
import { display, onlyTab } from './presence.js';
import { comment, finished, instructions } from './reading.js';
import { screening } from './screening.js';
import { Trials } from './trials.js';
import { say } from './words.js';

const QUIET_MS = 2_000;
const ENROLMENT = 'truehue-enrolment:' + location.pathname;

/** @type {any} */
let state = null;
/** @type {Outbox | null} */
let outbox = null;
/** @type {Trials | null} */
let trials = null;
let stopped = false;
let late = 0;

/**
 * Takes part, or goes on with it; gives back the state of the participant.
 * @param {any} study
 * @returns {Promise<any>}
 */
export async function enrolled(study) {
  // The same id until it is answered: asking twice is asking once.
  const id = sessionStorage.getItem(ENROLMENT) || newId();
  sessionStorage.setItem(ENROLMENT, id);
  const answer = await ask('/enroll', {
    id,
    consent_version: study.consent.version,
    language: study.language,
    external: external(),
    display: display(),
  });
  sessionStorage.removeItem(ENROLMENT);
  return answer;
}

/**
 * Shows what comes next for this participant, to the end.
 * @param {any} given the state that the study told
 */
export async function participate(given) {
  state = given;
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
  open(participant.id);
  if (participant.stage === 'finished') finish();
  else if (participant.stage === 'withdrawn') over('withdrawn');
  else if (!state.preview && study.state !== 'open') over(study.state);
  else {
    const n = participant.positions_answered.length;
    const words = say('welcome_back_text', { n, of: participant.number_of_trials });
    if (n) await page('again', say('welcome_back'), [make('p', 'text', words)], say('continue'));
    if (!stopped) await work();
  }
}

/** Keeps and sends what a participant does from here on. @param {string} id */
function open(id) {
  outbox = new Outbox(id, (events, last) => ask('/events', { events }, last), heard);
  addEventListener('beforeunload', (event) => {
    if (outbox?.waiting.length) event.preventDefault();
  });
  addEventListener('pagehide', () => outbox?.parting());
  addEventListener('online', () => outbox?.flush());
  tell();
  outbox.flush();
}

/** Screening, instructions and trials, as far as they are not done. */
async function work() {
  const { participant, study } = state;
  setWayOut(withdraw);
  setProgress('');
  if (participant.stage === 'screening' || participant.stage === 'consent') {
    const seen = await screening(participant);
    if (stopped) return;
    outbox?.add('screening', null, seen);
  }
  trials = new Trials(state, /** @type {Outbox} */ (outbox), answered);
  if (!trials.answered) await instructions(study, trials.practice);
  if (!stopped) trials.go();
}

/** All trials have an answer: a last word, and the end. */
async function answered() {
  if (shown() === 'comment' || stopped) return;
  setProgress('');
  const words = await comment(trials?.undoable ? () => trials?.undo() : null);
  if (words) outbox?.add('comment', null, { text: words });
  outbox?.add('finish', null, {});
  card('saving', say('comment_title'), [make('p', 'text', say('saving'))]);
}

function finish() {
  over('');
  finished(state.study, state.participant);
}

function withdraw() {
  stopped = true;
  outbox?.add('withdrawal', null, {});
  over('withdrawn');
}

/**
 * The end of what can be done here, in words.
 * @param {string} name
 */
function over(name) {
  setWayOut(null);
  setProgress('');
  if (name) end(name);
}

/**
 * What the study said to events, or nothing where it said nothing yet.
 * @param {any} answer
 */
function heard(answer) {
  tell();
  if (outbox?.ended) return ended(outbox.ended);
  if (!answer) return;
  if (answer.participant) state.participant = answer.participant;
  const { stage } = state.participant;
  if (stage === 'finished' && shown() !== 'finished') {
    stopped = true;
    finish();
  } else if (stage === 'withdrawn' && shown() !== 'withdrawn') {
    stopped = true;
    over('withdrawn');
  }
  if (stopped) return;
  const codes = (answer.refused || []).map((/** @type {{ code: string }} */ one) => one.code);
  if (codes.includes('closed')) {
    stopped = true;
    over('closed');
    return;
  }
  trials?.heard(answer);
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

/** Says what is not sent yet, once that lasts or failed. */
function tell() {
  clearTimeout(late);
  const waiting = (outbox?.waiting || []).filter((event) => event.kind === 'answer');
  const age = waiting.length ? Date.now() - waiting[0].client_ms : 0;
  const quiet = !outbox?.failing && age < QUIET_MS;
  const refused = (outbox?.refused || []).map(({ error, code }) =>
    code === 'closed' ? say('closed_text') : error,
  );
  setUnsent(quiet ? 0 : waiting.length, refused);
  if (quiet && waiting.length) late = setTimeout(tell, QUIET_MS - age);
}
