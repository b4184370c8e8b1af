// The Generate button, the preview of its request, and the link.
import { places } from '../shared/links.js';
import { store } from '../shared/state.js';

const FIELDS = ['seed', 'seeds', 'guidance', 'steps'];

/** @param {import('../shared/widget.js').Widget} widget */
export function mount({ element, props, trigger, watch }) {
  const button = element.querySelector('.th-primary');
  const note = element.querySelector('.th-request-note');
  let sending = 0;

  function show() {
    const view = props.view || {};
    const request = store.get('request') || { mode: 'own', prompts: 1 };
    const waiting = sending && view.answered !== sending;
    button.textContent = view.button || 'Generate';
    // Not disabled: it keeps the focus, and the line beside it says why nothing would come.
    button.setAttribute(
      'aria-disabled',
      String(!request.prompts || Boolean(view.problem) || Boolean(waiting)),
    );
    const say = request.prompts
      ? view.problem || view.note || ''
      : request.mode === 'basket'
        ? 'Add prompts to the selection with the check boxes of the list.'
        : 'Click a prompt in the list.';
    note.textContent = say;
    note.classList.toggle('th-problem', Boolean(request.prompts && view.problem));
    markFields(view.fields || {});
  }
  // What cannot be read is marked where it stands, and its fold is opened.
  function markFields(problems) {
    FIELDS.forEach((name) => {
      const field = document.querySelector('#generate-' + name + ' :is(input, textarea)');
      if (!field) return;
      if (problems[name]) field.setAttribute('aria-invalid', 'true');
      else field.removeAttribute('aria-invalid');
      field.setAttribute('title', problems[name] || '');
    });
    if (Object.keys(problems).length) store.tell('more-settings');
  }

  // The address opens the browser's view and the request again.
  function publish() {
    const request = store.get('request');
    if (element.offsetParent === null || !store.get('browse') || !request) return;
    const view = props.view || {};
    const values = {
      tab: 'generate',
      ...store.get('browse'),
      mode: request.mode,
      ...(request.mode === 'own' ? view.own || {} : {}),
      ...(view.settings || {}),
      pair: store.get('pair') || '',
      ...store.get('gallery'),
    };
    // An empty object or color of one's own is a choice: without it, a link would bring the first one.
    const own =
      request.mode === 'own' && view.own
        ? ['object', 'target'].filter((name) => name in view.own)
        : [];
    const text = Object.entries(values)
      .filter(
        ([name, value]) =>
          own.includes(name) || (value !== '' && value !== null && value !== undefined),
      )
      .flatMap(([name, value]) =>
        [value].flat().map(
          (item) =>
            name +
            '=' +
            encodeURIComponent(item ?? '')
              .replace(/%3A/g, ':')
              .replace(/%2C/g, ','),
        ),
      )
      .join('&');
    places.show('?' + text);
  }
  new IntersectionObserver((seen) => {
    if (seen.some((entry) => entry.isIntersecting)) publish();
  }).observe(element);

  button.addEventListener('click', () => {
    const request = store.get('request');
    if (!request || button.getAttribute('aria-disabled') === 'true') return;
    sending = Date.now();
    show();
    trigger('draw', { mode: request.mode, refs: request.refs(), at: sending });
    // Progress, image and verdict appear in this row, which open settings push out of sight.
    const row = element.closest('.th-request-go');
    if (row) row.scrollIntoView({ block: 'nearest' });
    // An answer that never comes must not keep the button shut.
    const mine = sending;
    setTimeout(() => {
      if (sending === mine) {
        sending = 0;
        show();
      }
    }, 8000);
  });
  store.subscribe('request', () => {
    show();
    publish();
  });
  store.subscribe('browse', publish);
  watch('view', () => {
    if ((props.view || {}).answered === sending) sending = 0;
    show();
    publish();
  });
  show();
}
