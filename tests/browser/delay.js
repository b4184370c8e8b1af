// Every answer comes late by a random time, as on a bad line. MAX_DELAY_MS, which stands before this, is the
// longest delay of a request and of its answer, in milliseconds.
(() => {
  // Many at once, most a little late, a few very late: what is sent first often arrives last.
  const delay = () => {
    const kind = Math.random();
    return kind < 0.3 ? 0 : (Math.random() * MAX_DELAY_MS) / (kind < 0.9 ? 3 : 1);
  };
  const sleep = () => new Promise((done) => setTimeout(done, delay()));
  const { fetch } = window;
  window.fetch = async function (...request) {
    const signal = request[1]?.signal || request[0]?.signal;
    // What a page sends as it is left is sent at once.
    if (!request[1]?.keepalive) await sleep();
    const answer = await fetch.apply(this, request);
    await sleep();
    signal?.throwIfAborted();
    return answer;
  };
})();
