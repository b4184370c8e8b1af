// The examples above the stage. Of a page that names no image, the first one opens by itself where
// nobody has brought an image yet; whatever a person opens meanwhile stays. Pressed ones are drawn
// when they are first asked for.
import { ask, send } from '../shared/http.js';
import { openImage } from '../shared/opening.js';
import { toast } from '../shared/toast.js';
import { store } from '../shared/state.js';

const query = () => new URLSearchParams(location.search);

const stageRoot = () => document.querySelector('#stage .th-stage');

// Whether nothing is open and nothing is on its way.
const free = () => {
  const root = stageRoot();
  return (
    Boolean(root) &&
    root.classList.contains('empty') &&
    root.querySelector('.th-stage-progress').hidden &&
    !query().get('image')
  );
};

/** @param {import('../shared/widget.js').Widget} widget */
export function mount({ element }) {
  const row = element.querySelector('.th-examples');
  const list = row.querySelector('.th-examples-list');
  const status = row.querySelector('.th-examples-status');
  const atStart = !query().get('image') && (query().get('tab') || 'inspect') === 'inspect';
  let images = new Map();
  let wanted = '';

  function arrange() {
    if ((query().get('tab') || 'inspect') !== 'inspect') return;
    const open = (query().get('image') || '').slice(0, 16);
    const key = [...images].find(([, image]) => image && open && image.startsWith(open));
    row.hidden = !images.size || Boolean(open && !key);
    list
      .querySelectorAll('button')
      .forEach((button) =>
        button.setAttribute('aria-pressed', String(Boolean(key) && button.dataset.key === key[0])),
      );
  }

  /** The first example by itself, with the question of one that is drawn already. */
  async function open(key, byItself, question = null) {
    wanted = key;
    status.textContent = images.get(key) ? '' : 'Rendering…';
    try {
      if (!question) {
        const made = await send('/api/examples', { example: key });
        images.set(key, made.image_id);
        ({ question } = made);
      }
      if (wanted !== key) return;
      status.textContent = '';
      // Somebody has opened something in the meantime: that is what they want to see.
      if (!byItself || free()) openImage(question).catch(({ message }) => toast(message));
    } catch (error) {
      if (wanted === key)
        status.textContent = byItself ? '' : 'The example could not be rendered. ' + error.message;
    }
  }

  function show(rows) {
    images = new Map(rows.map((item) => [item.key, item.image]));
    list.replaceChildren(
      ...rows.map((item) => {
        const button = document.createElement('button');
        button.type = 'button';
        button.className = 'th-button';
        button.dataset.key = item.key;
        button.textContent = item.title;
        button.title = item.says;
        button.setAttribute('aria-pressed', 'false');
        button.addEventListener('click', () => open(item.key, false));
        return button;
      }),
    );
    arrange();
  }

  store.subscribe('shown', arrange);
  // The tour opens one, whatever stands on the stage.
  const report = () => {
    const key = store.take('example');
    if (key) open(key, false);
  };
  store.subscribe('example', report);
  // A photograph that is being sent is wanted more than an example that is being drawn.
  store.subscribe('photograph', () => {
    wanted = '';
    status.textContent = '';
  });
  ask('/api/examples')
    .then((said) => {
      show(said.examples);
      if (store.get('example')) report();
      else if (said.first && atStart && free()) {
        const [first] = said.examples;
        open(first.key, true, first.question);
      }
    })
    .catch(() => {
      /* without examples the stage says what to do */
    });
}
