// The comparison of a study's participants with their submissions at Prolific.
import { make, many, put } from '../shared/dom.js';
import { send } from '../shared/http.js';
import { card, stamp } from './parts.js';
import { dataTable } from './table.js';

const EVERY_MS = 20_000;
/** What each difference means, and what to do. */
const PROBLEMS = {
  not_finished: 'Submitted at Prolific, not finished here. Check before you approve.',
  not_paid:
    'Finished here, but not to be paid at Prolific. The answers count until you exclude them.',
  not_submitted: 'Finished here, but the code was not submitted at Prolific.',
  unknown: 'Submitted at Prolific by a person unknown here, who never took part or was erased.',
  not_listed: 'Took part here with ids that Prolific does not list.',
};

const COLUMNS = [
  { name: 'Participant', cell: (item) => item.label || '–' },
  { name: 'At Prolific', cell: (item) => item.status.toLowerCase() || 'not listed' },
  { name: 'Difference', cell: (item) => PROBLEMS[item.problem] || item.problem },
  { name: 'Submission', wide: true, cell: (item) => item.submission || '–' },
];

/**
 * How the submissions stand, in words.
 * @param {Api.SubmissionsJson} submissions
 */
export function submissionWords(submissions) {
  const counts = Object.entries(submissions.statuses).sort((a, b) => b[1] - a[1]);
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  const parts = counts.map(([status, count]) => `${count} ${status.toLowerCase()}`);
  const { released } = submissions;
  return [
    many(total, 'submission') + (parts.length ? ': ' + parts.join(' · ') : '') + '.',
    released
      ? `${many(released, 'participation')} ended here, returned or timed out there; the trials go to others.`
      : '',
    total && !submissions.differences.length ? 'Everything agrees.' : '',
  ]
    .filter(Boolean)
    .join(' ');
}

/** @param {import('./study.js').Current} current */
export function submissionsCard(current) {
  const box = card(
    'Prolific',
    'Submissions there, compared with the participants here each minute.',
  );
  const words = make('p');
  const error = make('p', 'th-study-note');
  const table = make('div');
  const said = make('span', 'th-soft');
  let at = 0;
  let shown = '';
  box.node.hidden = true;
  box.head.append(said);
  box.body.append(error, words, table);

  return {
    node: box.node,
    async poll() {
      if (Date.now() - at < EVERY_MS) return;
      at = Date.now();
      /** @type {Api.SubmissionsAnswer} */
      const { submissions, running } = await send(`${current.address}/submissions`, {});
      if (running) at = 0;
      box.node.hidden = !submissions;
      if (!submissions) return;
      error.hidden = !submissions.error;
      put(error, submissions.error);
      put(words, submissionWords(submissions));
      put(said, 'as of ' + stamp(submissions.at).slice(11));
      const now = JSON.stringify(submissions.differences);
      if (now === shown) return;
      shown = now;
      table.replaceChildren(
        ...(submissions.differences.length
          ? [dataTable(COLUMNS, submissions.differences, 'Differences from Prolific')]
          : []),
      );
    },
  };
}
