// A study in which people answer questions about images.

import { ExactImage } from './exact_image.js';
import { QuestionControls } from './question_controls.js';
import { Trials } from './trials.js';
import { tellUnsent } from './unsent.js';

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
  return new Trials(state, outbox, done, ({ study }, hands) => ({
    stimulus: new ExactImage(hands.close),
    controls: new QuestionControls(study, hands),
  }));
}
