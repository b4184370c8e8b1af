// The targets of a user's own prompt, before generation. Users' text: text only.
import { make, put, swatches } from '../shared/dom.js';

const STALE_MS = 600;
const RETRY_MS = 3000;
const MAX_RETRIES = 3;

/**
 * A target in words: “red cube”; a color without a name after the object.
 * @param {{ object: string, label: string }} target
 */
function targetWords({ object, label }) {
  return /[#\d]/.test(label) ? object + ' in ' + label : label.toLowerCase() + ' ' + object;
}

/** @param {import('../shared/widget.js').Widget} widget */
export function mount({ element, props, trigger, watch }) {
  const judged = element.querySelector('.th-reading-judged');
  const hand = element.querySelector('.th-reading-hand');
  const notes = element.querySelector('ul');
  const box = element.querySelector('.th-reading');
  let timer = 0;
  // Whether what stands here was read of an earlier text than the field has now.
  function isStale() {
    const field = document.querySelector('#generate-text textarea');
    const text = (props.view || {}).text;
    return field instanceof HTMLTextAreaElement && text !== undefined && field.value !== text;
  }
  // An answer can be lost between the server and the page: it is dimmed, and asked for again. By an
  // event of its own: Gradio sends no other of the kind whose answer it still waits for.
  function retry(left) {
    if (!isStale()) return;
    box.setAttribute('aria-busy', 'true');
    timer = setTimeout(() => {
      if (!isStale() || !left) return;
      trigger('again');
      retry(left - 1);
    }, RETRY_MS);
  }
  function watchText() {
    clearTimeout(timer);
    if (isStale()) timer = setTimeout(retry, STALE_MS, MAX_RETRIES);
    else box.removeAttribute('aria-busy');
  }
  document.addEventListener('input', (event) => {
    if (event.target instanceof Element && event.target.closest('#generate-text')) watchText();
  });
  function draw() {
    watchText();
    const view = props.view || {};
    const result = view.judged || [];
    judged.hidden = !result.length;
    judged.replaceChildren(
      make('span', '', 'Will be scored for: '),
      ...result.flatMap((item, index) => {
        const text = make('b', '', targetWords(item));
        return [...(index ? [make('span', '', ', ')] : []), swatches([item.hex]), text];
      }),
      ...(view.more
        ? [make('span', '', ' and ' + view.more.toLocaleString('en-US') + ' more')]
        : []),
    );
    hand.hidden = !view.hand;
    put(hand.querySelector('span'), view.hand || '');
    notes.replaceChildren(...(view.notes || []).map((text) => make('li', '', text)));
  }
  hand.querySelector('button').addEventListener('click', () => {
    props.value = { object: false, target: false };
    trigger('follow');
  });
  watch('view', draw);
  draw();
}
