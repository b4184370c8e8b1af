// Why runs are not a printed row of the leaderboard.
import { gapButton } from '../shared/gap.js';
import { ask } from '../shared/http.js';

/** Runs of one model whose gaps are shown; the leaderboard has the newest first. */
const MOST_RUNS = 3;

/**
 * @param {{ name: string, runs: { id: string, name: string }[] }} row
 * @param {() => URLSearchParams} query how the leaderboard counts
 */
export function runGapButton(row, query) {
  const load = async () => {
    const runs = row.runs.length ? row.runs.slice(0, MOST_RUNS) : [{ id: '', name: '' }];
    const gaps = [];
    for (const run of runs) {
      const params = new URLSearchParams(query());
      params.set('model', row.name);
      params.set('run', run.id);
      gaps.push(await ask(`/api/explore/leaderboard/gap?${params}`));
    }
    return gaps;
  };
  return gapButton(row.name, load, 'Why?');
}
