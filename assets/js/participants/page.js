// One participant's way through a study, from the link to the code.

import { Refusal, ask, askState, external } from './link.js';
import { make, paragraphs } from './nodes.js';
import { Outbox, newId } from './outbox.js';
import { card, setPreview, setProgress, setUnsent, setWayOut, shown } from './page_frame.js';
import { display, onlyTab } from './presence.js';
import { comment, consent, end, finished, instructions, page, welcome } from './reading.js';
import { say, speak } from './words.js';

const QUIET_MS = 2_000;
const ENROLMENT = 'truehue-enrolment:' + location.pathname;

/** @type {any} */
let state = null;
/** @type {Outbox | null} */
let outbox = null;
/** @type {import('./trials.js').Trials | null} */
let trials = null;
let stopped = false;

if (document.getElementById('study')) begin();

async function begin() {
  if (!(await load())) return;
  const tab = onlyTab(location.pathname, () => {
    stopped = true;
    setWayOut(null);
    setProgress('');
    end('moved');
  });
  if (await tab.taken)
    await page('twice', say('twice_title'), text('twice_text'), say('twice_here'));
  tab.take();
  await follow();
}

/** Asks where the study and the participant are, until there is an answer. */
async function load() {
  for (let wait = 1_000; ; wait = Math.min(wait * 2, 15_000)) {
    try {
      state = await askState();
      break;
    } catch (error) {
      if (error instanceof Refusal && !error.passing) {
        end('unknown');
        return false;
      }
      card('no-answer', say('study'), text('no_answer'));
      await new Promise((done) => {
        setTimeout(done, wait);
        addEventListener('online', done, { once: true });
      });
    }
  }
  await speak(state.study.language, state.study.wording);
  document.title = state.study.title;
  setPreview(state.preview);
  return true;
}

/** Shows what comes next for this participant. */
async function follow() {
  const { study, participant } = state;
  if (participant) open(participant);
  if (participant?.stage === 'finished') return finish();
  if (participant?.stage === 'withdrawn') return over('withdrawn');
  if (!state.preview && study.state !== 'open') return over(study.state);
  if (!participant) await enter();
  else if (participant.positions_answered.length) await again();
  if (stopped) return;
  await work();
}

/** From the first page to consent, or back in from another browser. */
async function enter() {
  const { study } = state;
  if (state.returning) await again();
  else if (study.intro) await welcome(study);
  const enroll = async () => {
    const { version: consent_version } = study.consent;
    const body = { id: enrolmentId(), consent_version, language: study.language };
    try {
      state = await ask('/enroll', { ...body, external: external(), display: display() });
      sessionStorage.removeItem(ENROLMENT);
    } catch (error) {
      if (!(error instanceof Refusal) || error.passing)
        throw new Error(say('no_answer'), { cause: error });
      const { code } = error.data;
      if (code === 'consent') location.reload();
      if (['closed', 'paused', 'draft', 'elsewhere', 'used', 'full'].includes(code)) {
        over(code === 'used' ? 'elsewhere' : code);
        stopped = true;
        return;
      }
      throw error;
    }
    open(state.participant);
  };
  if (state.returning) await tried(enroll);
  else await consent(study, enroll);
}

/** The id of one enrolment: the same until it is answered, so that asking twice is asking once. */
function enrolmentId() {
  const id = sessionStorage.getItem(ENROLMENT) || newId();
  sessionStorage.setItem(ENROLMENT, id);
  return id;
}

/**
 * Does something until it works, each time when it is asked for.
 * @param {() => Promise<void>} step
 */
async function tried(step) {
  for (;;) {
    try {
      return await step();
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error);
      await page('no-answer', say('study'), [make('p', 'text', words)], say('try_again'));
    }
  }
}

/** Somebody who has been here before. */
function again() {
  const { participant } = state;
  const n = participant ? participant.positions_answered.length : 0;
  const words = participant
    ? [make('p', 'text', say('welcome_back_text', { n, of: participant.number_of_trials }))]
    : [];
  return page('again', say('welcome_back'), words, say('continue'));
}

/** Screening, instructions and trials, as far as they are not done. */
async function work() {
  const loading = import('./trials.js');
  const { participant, study } = state;
  const fresh = !participant.positions_answered.length;
  setWayOut(withdraw);
  setProgress('');
  if (participant.stage === 'screening' || participant.stage === 'consent') {
    const { screening } = await import('./screening.js');
    const seen = await screening(participant);
    if (stopped) return;
    outbox?.add('screening', null, seen);
  }
  const { Trials } = await loading;
  trials = new Trials(state, /** @type {Outbox} */ (outbox), answered);
  if (fresh && !trials.answered) await instructions(study, trials.practice);
  if (!stopped) trials.go();
}

/** All trials have an answer: a last word, and the end. */
async function answered() {
  if (shown() === 'comment' || stopped) return;
  setProgress('');
  const words = await comment(trials?.undoable ? () => trials?.undo() : null);
  if (words) outbox?.add('comment', null, { text: words });
  outbox?.add('finish', null, {});
  card('saving', say('comment_title'), text('saving'));
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
 * Keeps and sends what a participant does from here on.
 * @param {any} participant
 */
function open(participant) {
  outbox = new Outbox(
    participant.id,
    (events, last) => ask('/events', { events }, last),
    (answer) => heard(answer),
  );
  addEventListener('beforeunload', (event) => {
    if (outbox?.waiting.length) event.preventDefault();
  });
  addEventListener('pagehide', () => outbox?.parting());
  addEventListener('online', () => outbox?.flush());
  tell();
  outbox.flush();
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

/** @param {Refusal} refusal that ended the sending */
function ended({ status, data, message }) {
  stopped = true;
  const name = { 401: 'lost', 404: 'unknown', 409: 'closed' }[status];
  over(name || (data.code === 'closed' ? 'closed' : ''));
  if (!name) card('refused', say('study'), [make('p', 'text', message)]);
}

let late = 0;

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

/** @param {string} name */
function text(name) {
  return paragraphs(say(name));
}
