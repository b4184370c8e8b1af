// The way into a study: its first pages and the consent. They are all that is fetched before
// something shows; what comes after them is on its way meanwhile (participation.js).

import { end, endingNodes } from './endings.js';
import { actions, button, card, make, page, paragraphs, setPreview } from './frame.js';
import { Refusal, askState } from './link.js';
import { replaceTexts, say } from './texts.js';

const LONGEST_WAIT_MS = 15_000;
const ENDS = ['closed', 'paused', 'draft', 'session', 'full'];

if (document.getElementById('study')) begin();

async function begin() {
  const later = import('./participation.js');
  // It is asked for again where it is wanted.
  later.catch(() => {});
  let state = await load();
  if (!state) return;
  replaceTexts(state.study.wording);
  document.title = state.study.title;
  setPreview(state.preview);
  if (!state.participant) {
    if (!state.preview && state.study.state !== 'open') {
      over(state, state.study.state);
      return;
    }
    state = await enter(state);
    if (!state) return;
  }
  const { participate } = await import('./participation.js');
  await participate(state);
}

/** Where the study and the participant are, once there is an answer; null for an unknown link. */
async function load() {
  for (let wait = 1_000; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
    try {
      return await askState();
    } catch (error) {
      if (error instanceof Refusal && !error.passing) {
        end('unknown');
        return null;
      }
      card('no-answer', say('study'), [make('p', 'text', say('no_answer'))]);
      await new Promise((done) => {
        setTimeout(done, wait);
        addEventListener('online', done, { once: true });
      });
    }
  }
}

/**
 * From the first page to a participant, who may have been one before in another browser.
 * @param {Api.ParticipantState} state
 * @returns {Promise<Api.ParticipantState | null>} the state of the participant, null where there is
 *   none to be
 */
async function enter(state) {
  const { study } = state;
  if (state.returning) await page('again', say('welcome_back'), [], say('continue'));
  else if (study.intro)
    await page('welcome', study.title, paragraphs(study.intro), say('continue'));
  const enroll = async () => {
    const { enrolled } = await import('./participation.js');
    return enrolled(study);
  };
  for (;;) {
    try {
      return await (state.returning ? enroll() : consent(state, enroll));
    } catch (error) {
      const code = error instanceof Refusal ? error.data.code : '';
      if (code === 'consent') location.reload();
      else if (code === 'used') end('elsewhere');
      else if (code === 'elsewhere') end('session');
      else if (ENDS.includes(code)) over(await askState().catch(() => state), code);
      else {
        await page(
          'no-answer',
          say('study'),
          [make('p', 'text', describe(error))],
          say('try_again'),
        );
        continue;
      }
      return null;
    }
  }
}

/** @param {unknown} error */
function describe(error) {
  const known = error instanceof Refusal && (!error.passing || error.data.code);
  return known ? error.message : say('no_answer');
}

/**
 * The end for somebody who is no participant.
 * @param {Api.ParticipantState} state
 * @param {string} name
 */
function over({ endings, study, preview }, name) {
  const back = ['full', 'closed'].includes(name) ? endings.full : null;
  end(name, back, preview ? null : study.returns_after_s);
}

/**
 * Asks for consent until it is given and the study took it.
 * @param {Api.ParticipantState} state
 * @param {() => Promise<Api.ParticipantState>} enroll
 * @returns {Promise<Api.ParticipantState>} what the study answered; rejects with what it refused for good
 */
function consent({ study, endings }, enroll) {
  return new Promise((done, refused) => {
    const ask = () => {
      const problem = make('p', 'problem');
      problem.setAttribute('role', 'alert');
      let sending = false;
      // Not `disabled`, which would take the focus away: the next key would be the other button's.
      const hold = (/** @type {boolean} */ held) => {
        sending = held;
        for (const item of [agree, decline]) item.setAttribute('aria-disabled', String(held));
      };
      const agree = button(say('agree'), 'primary', async () => {
        if (sending) return;
        hold(true);
        problem.textContent = '';
        try {
          done(await enroll());
        } catch (error) {
          if (error instanceof Refusal && error.data.code) refused(error);
          problem.textContent = describe(error);
          hold(false);
          agree.focus();
        }
      });
      const decline = button(say('disagree'), 'plain', () => {
        if (sending) return;
        const again = button(say('declined_back'), 'plain', ask);
        const text = make('p', 'text', say('declined_text'));
        // Not automatically: “I do not agree” may have been pressed by mistake.
        const back = endingNodes(endings.no_consent);
        card('declined', say('declined_title'), [text, ...back, actions(again)]);
      });
      card('consent', say('consent_title'), [
        ...paragraphs(study.consent.text),
        ...(study.time_limit_s
          ? paragraphs(say('time_limit', { n: study.time_limit_s / 60 }))
          : []),
        ...(study.record_input ? paragraphs(say('input_recorded')) : []),
        make('p', 'small', say('consent_version', { version: study.consent.version })),
        problem,
        actions(agree, decline),
      ]);
    };
    ask();
  });
}
