// The words of the page: English, another language where a study is in it, and those that the study
// replaces by name. What stands in braces is filled in.

/** @type {Record<string, string>} */
export const english = {
  study: 'Study',
  no_answer: 'The study does not answer. Check your connection: the page tries again by itself.',
  try_again: 'Try again',
  unknown_title: 'This link leads to no study',
  unknown_text:
    'It may have been copied only in part, or it is no longer in use. Please ask whoever sent it to you.',
  draft_title: 'This study has not started yet',
  draft_text: 'Please come back later, on the same link.',
  paused_title: 'This study is paused',
  paused_text: 'Please come back later, on the same link. What you have answered so far is saved.',
  closed_title: 'This study is closed',
  closed_text: 'It takes no more answers. Thank you for your interest.',
  full_title: 'This study is full for now',
  full_text: 'A place may become free later: come back on the same link.',
  elsewhere_title: 'This link has been used',
  elsewhere_text: 'It is for one person, who has started the study in another browser.',
  session_title: 'You have already started this study',
  session_text:
    'You started it in another session of the site that sent you. Continue there, or ask the researcher.',
  twice_title: 'The study is open in another tab',
  twice_text: 'Continue in one of them only, so that no answer is given twice.',
  twice_here: 'Continue here',
  moved_title: 'The study continues in another tab',
  moved_text: 'You can close this one.',
  lost_title: 'This browser cannot continue the study',
  lost_text:
    'Its cookies were deleted, or are not allowed. Please open the link again. If that does not help, ask whoever sent it to you.',
  preview: 'Preview: nothing is saved',
  continue: 'Continue',
  start: 'Start',

  consent_title: 'Before you take part',
  consent_version: 'Version {version}',
  agree: 'I agree',
  disagree: 'I do not agree',
  declined_title: 'You are not taking part',
  declined_text: 'Nothing about you was saved. You can close this page.',
  declined_back: 'Back to the text',

  plates_title: 'Which digit do you see?',
  plates_help: 'Type it, or choose it. Do not think for long.',
  plates_none: 'No digit',
  plates_alt: 'A disk of dots that may show a digit',
  plates_count: 'Image {n} of {of}',
  patches_title: 'Which quarter has a slightly different square?',
  patches_help:
    'Look closely and choose one of the four quarters. Please set your screen to a usual brightness.',
  patches_none: 'No square anywhere',
  patches_part: 'Quarter {n}',

  instructions_title: 'What to do',
  welcome_back: 'Welcome back',
  welcome_back_text: '{n} of {of} are done and saved. You continue where you stopped.',

  progress: '{n} of {of}',
  picture_missing: 'The images are not available yet. The page tries again by itself.',
  waiting: 'One moment …',

  unsent_one: 'Not sent yet: 1 answer. Keep this page open.',
  unsent: 'Not sent yet: {n} answers. Keep this page open.',
  refused_one: '1 answer was not accepted: {error}',
  refused: '{n} answers were not accepted: {error}',

  comment_title: 'That was all',
  comment_note: 'You can also just close this page now.',
  comment_label: 'Is there anything that you want to tell us? (optional)',
  finish: 'Finish',
  saving: 'Saving your answers …',
  finished_title: 'Thank you',
  finished_text: 'All your answers are saved. You can close this page.',
  withheld_text:
    'Your answers were faster than is possible for a person, so the completion code is not shown. If you answered the study yourself, write to whoever sent you the link.',
  code_label: 'Your code',
  copy: 'Copy',
  copied: 'Copied',
  return: 'Return to the site',

  withdraw: 'Stop',
  withdraw_title: 'Stop taking part?',
  withdraw_text:
    'You can just close this page and continue later on the same link. If you withdraw, you cannot come back. To have your answers deleted, tell whoever sent you the link.',
  withdraw_yes: 'Withdraw',
  withdraw_no: 'Continue',
  screened_out_title: 'You cannot take part in this study',
  screened_out_text:
    'Your answers to the first questions show that the study does not suit you, or this screen. Thank you for your time.',
  failed_checks_title: 'The study ends here for you',
  failed_checks_text:
    'Too many of your answers to checks or practice trials were wrong. Thank you for your time.',
  timed_out_title: 'The time is over',
  timed_out_text: 'What you have answered so far is saved. Thank you for your time.',
  time_limit: 'Time limit: {n} min from your consent.',
  input_recorded:
    'To recognize programs that answer in place of people, this page also stores a few numbers on each answer: how the mouse moved before it, how long a button or key was pressed, and whether the browser says that a program controls it. It stores no positions and nothing that tells who you are.',
  returning: 'You will be returned to the site in {n} seconds.',
  stay: 'Stay here',
  withdrawn_title: 'You have stopped',
  withdrawn_text: 'Thank you for your time. You can close this page.',
};

/** @type {Record<string, string>} */
let table = english;
/** @type {Record<string, string>} */
let own = {};
let german = false;

/**
 * Turns the page to a language that is there, else to English, and fills in the study's own words.
 * @param {string} language a tag such as "de" or "de-AT"
 * @param {Record<string, string>} wording
 */
export async function speak(language, wording) {
  document.documentElement.lang = language || 'en';
  german = /^de\b/i.test(language);
  own = wording;
  await addWords(english, () => import('./words_de.js'));
}

/**
 * Takes in the words of another part of the page.
 * @param {Record<string, string>} more in English
 * @param {() => Promise<{ words: Record<string, string> }>} inGerman
 */
export async function addWords(more, inGerman) {
  // Without German the page is still usable, and the study's texts are in its language.
  const chosen = german
    ? await inGerman().then(
        (module) => module.words,
        () => ({}),
      )
    : {};
  table = { ...table, ...more, ...chosen, ...own };
}

/**
 * The words of this name, with what stands in braces filled in.
 * @param {string} name
 * @param {Record<string, string | number>} [values]
 */
export function say(name, values) {
  const text = table[name] ?? name;
  return text.replace(/\{(\w+)\}/g, (whole, key) => String(values?.[key] ?? whole));
}
