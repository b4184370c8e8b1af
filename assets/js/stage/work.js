// Work that goes through the queue of the device: its words on the stage, a way to end it, and what
// came of it. Only the newest piece of work is watched; an older one is ended.
import { cancelJob } from '../shared/jobs.js';

export function stageWork(root) {
  const find = (name) => root.querySelector('.th-stage-' + name);
  const box = find('work');
  const message = find('work-text');
  let job = '';
  let after = null;

  function show(text) {
    box.hidden = !text;
    if (message.textContent !== text) message.textContent = text;
  }

  async function watch(id) {
    let missed = 0;
    let seen = -1;
    while (job === id) {
      let state;
      try {
        const answer = await fetch('/api/jobs/' + id + '?seen=' + seen);
        state = await answer.json();
        if (!answer.ok)
          state = {
            status: 'failed',
            problem: state.error || 'The app answered ' + answer.status + '.',
          };
        missed = 0;
      } catch {
        missed += 1;
        if (missed < 5) {
          await new Promise((go) => setTimeout(go, 1000));
          continue;
        }
        state = {
          status: 'failed',
          problem: 'TrueHue does not answer. Check that it is still running.',
        };
      }
      if (job !== id) return;
      if (state.active) {
        seen = state.version;
        show(state.words);
        continue;
      }
      job = '';
      show('');
      const status = state.status === 'interrupted' ? 'failed' : state.status;
      if (after) after({ status, words: state.problem || state.words, ...state.result });
    }
  }

  // Nobody waits for it any more: whether it still ran does not matter.
  function drop(id) {
    cancelJob(id).catch(() => {});
  }

  function stop() {
    const ended = job;
    job = '';
    show('');
    if (ended) drop(ended);
  }

  return {
    stop,
    drop,
    get busy() {
      return Boolean(job);
    },
    // Before the app has answered with the job.
    expect(text) {
      stop();
      show(text);
    },
    // `done` gets {status: done | failed | cancelled, words, mask_id, segmenter}.
    follow(id, text, done) {
      stop();
      job = id;
      after = done;
      show(text);
      watch(id);
    },
  };
}
