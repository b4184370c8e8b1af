// Requests to the app's routes. A refusal becomes an Error with a message for people.

/**
 * @param {string} url
 * @param {RequestInit} [options]
 */
async function answerOf(url, options) {
  let answer;
  try {
    answer = await fetch(url, options);
  } catch (error) {
    if (error instanceof Error && error.name === 'AbortError') throw error;
    throw new Error('The app does not answer. Is it still running?', { cause: error });
  }
  if (!answer.ok) {
    // The session has ended: notices.js says so, and where to sign in.
    if (answer.status === 401) document.dispatchEvent(new Event('th-signed-out'));
    const data = await jsonOf(answer);
    const text = (data && data.error) || 'The app answered ' + answer.status + '.';
    throw Object.assign(new Error(text), {
      field: (data && data.field) || '',
      status: answer.status,
    });
  }
  return answer;
}

/** Null where it is none: the status tells. @param {Response} answer */
const jsonOf = (answer) => answer.json().catch(() => null);

/**
 * The JSON behind an address. The error has the form's `field` that it speaks of, or '', and the
 * answer's `status`.
 * @template {string} Address
 * @param {Address} url
 * @param {RequestInit} [options]
 * @returns {Promise<Answer<Address>>}
 */
export async function ask(url, options) {
  return jsonOf(await answerOf(url, options));
}

/** The text behind an address. @param {string} url */
export async function askText(url) {
  return (await answerOf(url)).text();
}

/**
 * Sends JSON; the header is one that a page elsewhere could not send unasked.
 * @template {string} Address
 * @param {Address} url
 * @param {Sent<Address>[0]} body
 * @param {Record<string, string>} [extra] more headers
 * @param {AbortSignal} [signal]
 * @returns {Promise<Sent<Address>[1]>}
 */
export function send(url, body, extra, signal) {
  return ask(/** @type {string} */ (url), {
    method: 'POST',
    signal,
    headers: { 'X-TrueHue': '1', 'Content-Type': 'application/json', ...extra },
    body: JSON.stringify(body),
  });
}

/**
 * Sends a file as it is, with its name.
 * @template {string} Address
 * @param {Address} url
 * @param {File} file
 * @param {Record<string, string>} [extra] more headers
 * @returns {Promise<Sent<Address>[1]>}
 */
export function sendFile(url, file, extra) {
  const headers = { 'X-TrueHue': '1', 'X-File-Name': encodeURIComponent(file.name), ...extra };
  return ask(/** @type {string} */ (url), { method: 'POST', headers, body: file });
}

/**
 * Sends things three at a time. After a failure no other is begun; it is thrown once those under
 * way have ended.
 * @template Thing
 * @param {Iterable<Thing>} items
 * @param {(thing: Thing) => Promise<unknown>} sendOne
 */
export async function sendAll(items, sendOne) {
  const waiting = [...items];
  const next = async () => {
    try {
      while (waiting.length) await sendOne(/** @type {Thing} */ (waiting.shift()));
    } catch (error) {
      waiting.length = 0;
      throw error;
    }
  };
  for (const end of await Promise.allSettled([next(), next(), next()]))
    if (end.status === 'rejected') throw end.reason;
}
