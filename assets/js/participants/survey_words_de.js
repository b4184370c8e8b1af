// The words of the questions about participants, in German.
/** @type {Record<string, string>} */
export const words = {
  survey_before_title: 'Einige Fragen zu Ihnen',
  survey_after_title: 'Zum Schluss noch einige Fragen',
  survey_optional: '(freiwillig)',
  survey_other: 'In eigenen Worten:',
  survey_needed: 'Fragen ohne „(freiwillig)“ brauchen eine Antwort.',
  survey_write: 'Bitte schreiben Sie Ihre Antwort.',
  survey_range: '{low} bis {high}',
  survey_missing: 'Bitte beantworten Sie diese Frage.',
  survey_number: 'Bitte geben Sie eine Zahl ein, zum Beispiel 12 oder 12,5.',
  survey_low: 'Bitte geben Sie {n} oder mehr ein.',
  survey_high: 'Bitte geben Sie höchstens {n} ein.',
};
