// A study in which people vote and rate: its stimuli and its controls.

import { Controls } from './controls.js';
import { Stimulus } from './stimulus.js';
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
  return new Trials(state, outbox, done, parts);
}

/**
 * @param {Api.ParticipantState} state
 * @param {import('./trials.js').Hands} hands
 */
function parts({ study, colors }, hands) {
  const stimulus = new Stimulus(
    study,
    colors || [],
    (index, event) => hands.answer('place', index, event.timeStamp),
    hands.close,
  );
  return { stimulus, controls: new Controls(study, stimulus.places, hands) };
}
