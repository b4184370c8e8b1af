// The form of a run, kept in this browser.

const KEPT_FORM = 'th-run-form';
/** What a run is asked with, by the names of the form's fields. */
export const RUN_FIELDS = [
  'set',
  'concepts',
  'task',
  'system',
  'limit',
  'images',
  'seed',
  'size',
  'workers',
  'name',
  'guidance',
  'steps',
  'protocol',
  'seeds',
  'keep_images',
  'negative',
  'cfr',
  'cfr_strength',
  'cfr_map',
  'light',
  'failure',
  'variant',
  'presence',
  'k',
  'ray',
  'detector',
  'segmenter',
  'adaptive',
];
/** The rest are read in other ways: models and pictures as `models`, the price by the estimate. */
export const KEPT_FIELDS = [...RUN_FIELDS, 'other', 'stored', 'price'];

export function formSaved() {
  try {
    const saved = JSON.parse(localStorage.getItem(KEPT_FORM));
    return saved && typeof saved === 'object' ? saved : null;
  } catch {
    return null; /* the usual form then */
  }
}
export function keepFormOf(values) {
  try {
    localStorage.setItem(KEPT_FORM, JSON.stringify(values));
  } catch {
    /* it holds until the page closes */
  }
}
