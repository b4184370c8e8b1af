// The words of the questions about participants, in German.
/** @type {Record<string, string>} */
export const words = {
  survey_before_title: 'Einige Fragen zu Ihnen',
  survey_after_title: 'Zum Schluss noch einige Fragen',
  survey_optional: '(freiwillig)',
  survey_other: 'In eigenen Worten:',
  survey_missing: 'Bitte beantworten Sie diese Frage.',
  survey_number: 'Bitte geben Sie eine Zahl ein.',
  survey_low: 'Bitte geben Sie {n} oder mehr ein.',
  survey_high: 'Bitte geben Sie höchstens {n} ein.',
};
