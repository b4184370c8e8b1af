// The estimate of a run: time, disk and money, updated with the form.
import { make, many, put } from '../shared/dom.js';
import { send } from '../shared/http.js';

function line(name, text, why) {
  const value = make('dd', '', text);
  if (why) value.appendChild(make('small', '', why));
  return [make('dt', '', name), value];
}

/**
 * @param {HTMLFormElement | Found} form
 * @param {object} calls
 * @param {() => boolean} calls.isShown whether somebody sees it
 * @param {() => Record<string, any>} calls.values what the run is asked with
 * @param {(field: string, problem: string) => void} calls.tell
 */
export function runEstimate(form, { isShown, values, tell }) {
  const box = form.querySelector('.th-runs-estimate');
  const total = form.querySelector('.th-runs-total');
  const numbers = box.querySelector('dl');
  const count = form.querySelector('.th-runs-count');
  const attempt = form.querySelector('.th-runs-try');
  const price = form.querySelector('[name=price]');
  let request = 0;
  let waiting = null;
  let trying = false;

  /** @param {Api.RunEstimate} result */
  function show(result) {
    put(
      count,
      many(result.prompts, 'prompt') +
        (result.of > result.prompts ? ' of ' + result.of.toLocaleString('en-US') : ''),
    );
    put(total, result.sentence);
    const rows = [
      ...line('Estimated time', result.time, result.basis),
      ...line('Disk space', result.disk, result.disk_basis),
    ];
    if (result.cost) rows.push(...line('Cost', result.cost));
    if (result.whole) rows.push(...line('Whole set', result.whole));
    numbers.replaceChildren(...rows);
    numbers.dataset.known = String(result.seconds !== null);
    attempt.hidden = result.seconds !== null && !trying;
  }
  /** @param {'estimate' | 'trial'} kind */
  async function estimate(kind) {
    if (!isShown()) return;
    const mine = ++request;
    box.setAttribute('aria-busy', 'true');
    try {
      const result = await send(`/api/runs/${kind}`, { ...values(), price: price.value });
      if (mine !== request) return;
      tell('', '');
      show(result);
    } catch (error) {
      if (mine !== request) return;
      tell(error.field, error.message);
      put(count, '');
      put(total, '');
      numbers.replaceChildren();
      attempt.hidden = true;
    }
    box.setAttribute('aria-busy', 'false');
  }
  const now = () => estimate('estimate');
  attempt.addEventListener('click', async () => {
    if (trying) return;
    trying = true;
    attempt.setAttribute('aria-disabled', 'true');
    put(attempt, 'Generating 3 images…');
    await estimate('trial');
    trying = false;
    attempt.setAttribute('aria-disabled', 'false');
    put(attempt, 'Time a 3-image test');
    attempt.hidden = attempt.hidden || numbers.dataset.known === 'true';
  });
  return {
    now,
    // Once nothing has changed for a moment.
    soon() {
      clearTimeout(waiting);
      waiting = setTimeout(now, 250);
    },
  };
}
