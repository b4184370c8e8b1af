import assert from 'node:assert/strict';
import { test } from 'node:test';
import '../page.js';

const { heldWords, undecidedWords } = await import('../../../assets/js/studies/live.js');
const { submissionWords } = await import('../../../assets/js/studies/submissions.js');

const NOW = '2026-01-01T12:00:00+00:00';
const person = (values) => ({ held_until: null, begun: false, ...values });

test('trials are held for the minutes that are left', () => {
  assert.equal(heldWords('2026-01-01T12:06:48+00:00', NOW), 'for 6:48 min');
  assert.equal(heldWords('2026-01-01T12:00:20+00:00', NOW), 'for 20 s');
  assert.equal(heldWords('', NOW), '–');
  assert.equal(heldWords('2026-01-01T11:59:00+00:00', NOW), '–');
});

test('who has answered nothing is counted, with the time of the first', () => {
  const late = person({ held_until: '2026-01-01T12:09:00+00:00' });
  const soon = person({ held_until: '2026-01-01T12:02:05+00:00' });
  const begun = person({ held_until: '2026-01-01T12:00:30+00:00', begun: true });
  assert.equal(undecidedWords({ now: NOW, people: [begun, person({})] }), '');
  assert.equal(
    undecidedWords({ now: NOW, people: [late, begun, soon] }),
    '2 participants have answered nothing yet. ' +
      'Without activity, the next trials are released in 2:05 min.',
  );
  assert.match(undecidedWords({ now: NOW, people: [late] }), /^1 participant has answered/);
});

test('submissions are counted by status, the most frequent first', () => {
  const none = { statuses: {}, released: 0, differences: [] };
  assert.equal(submissionWords(none), '0 submissions.');
  assert.equal(
    submissionWords({ ...none, statuses: { RETURNED: 1, 'AWAITING REVIEW': 12 }, released: 1 }),
    '13 submissions: 12 awaiting review · 1 returned. ' +
      '1 participation ended here, returned or timed out there; the trials go to others. ' +
      'Everything agrees.',
  );
  const differs = { ...none, statuses: { APPROVED: 1 }, differences: [{}] };
  assert.equal(submissionWords(differs), '1 submission: 1 approved.');
});
