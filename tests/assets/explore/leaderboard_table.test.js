import assert from 'node:assert/strict';
import { test } from 'node:test';

import { load } from '../page.js';

const { boardTable } = await load('explore/leaderboard_table');

test('a rank stands in the column that is sorted, and goes with it', () => {
  document.body.innerHTML = '<table></table>';
  let order = '-average';
  const node = document.querySelector('table');
  const calls = {
    sort: () => order,
    sortBy: (by) => (order = by),
    waiting() {},
    openPictures() {},
  };
  const cell = { percent: 50, low: 40, high: 60, text: '50.0', rank: '1–2', title: '', parts: [] };
  const item = { id: 'r', name: 'run', label: 'run', cells: { cna: cell, average: cell } };
  const column = (id) => ({ id, short: id, name: '', example: '' });
  boardTable(node, calls).draw({
    columns: [column('cna'), column('average')],
    groups: [{ id: 'g', name: 'set', words: '', order: '', rows: [item] }],
  });
  const rank = (id) => /rank 1–2/.test(node.querySelector(`td[data-column=${id}]`).textContent);
  assert.deepEqual([rank('cna'), rank('average')], [false, true]);
  [...node.querySelectorAll('.th-sort')].find((head) => head.textContent === 'cna').click();
  assert.deepEqual([rank('cna'), rank('average')], [true, false]);
  // By name, ranks are those of the average.
  node.querySelector('.th-sort').click();
  assert.deepEqual([rank('cna'), rank('average')], [false, true]);
});
