// A study in which people answer questions about images.

import { ExactImage } from './exact_image.js';
import { QuestionControls } from './question_controls.js';
import { english as questions } from './question_words.js';
import { Trials } from './trials.js';
import { tellUnsent } from './unsent.js';
import { english as votes } from './vote_words.js';
import { addWords } from './words.js';

/** Whether what was answered is sent. */
export const tell = tellUnsent;

/** The words for going back to the last one. */
export const undo = 'undo';

/**
 * @param {Api.ParticipantState} state of the study and the participant
 * @param {import('./outbox.js').Outbox} outbox
 * @param {{ done: () => void }} hands `done`: nothing is left to answer
 */
export async function open(state, outbox, { done }) {
  await addWords(votes, () => import('./vote_words_de.js'));
  await addWords(questions, () => import('./question_words_de.js'));
  return new Trials(state, outbox, done, ({ study }, hands) => ({
    stimulus: new ExactImage(hands.close),
    controls: new QuestionControls(study, hands),
  }));
}
