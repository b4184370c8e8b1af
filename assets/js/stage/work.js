// Work that goes through the queue of the device: its words on the stage, a way to end it, and what
// came of it. Only the newest piece of work is watched; an older one is ended.

export function stageWork(root) {
  const find = (name) => root.querySelector('.th-stage-' + name);
  const box = find('work');
  const words = find('work-text');
  let job = '';
  let after = null;

  function show(text) {
    box.hidden = !text;
    if (words.textContent !== text) words.textContent = text;
  }

  const ask = (path, method) =>
    fetch('/api/automatic/' + path, {
      method,
      headers: { 'X-TrueHue': '1' },
    });

  async function watch(id) {
    let missed = 0;
    let seen = -1;
    while (job === id) {
      let state;
      try {
        const answer = await ask(id + '?seen=' + seen, 'GET');
        state = await answer.json();
        if (!answer.ok)
          state = {
            status: 'failed',
            words: state.error || 'The app answered ' + answer.status + '.',
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
          words: 'The app does not answer any more. Check that it is still running.',
        };
      }
      if (job !== id) return;
      if (state.status === 'working') {
        seen = state.count;
        show(state.words);
        continue;
      }
      job = '';
      show('');
      if (after) after(state);
    }
  }

  // Nobody waits for it any more: whether it still ran does not matter.
  function drop(id) {
    ask(id, 'DELETE').catch(() => {});
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
