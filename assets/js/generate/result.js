// The latest image, large beside the button: while it is generated, then with its verdict.
import { make, put } from '../shared/dom.js';
import { enlarge } from '../shared/enlarge.js';
import { ask } from '../shared/http.js';
import { rule } from '../shared/rule.js';
import { store } from '../shared/state.js';
import { compareConcept } from './concept.js';

const SIGNS = { pass: '✓ Pass', fail: '✕ Fail', unscored: '– Unscored' };

/** @param {import('../shared/widget.js').Widget} widget */
export function mount({ element }) {
  const button = element.querySelector('.th-result-picture');
  const node = button.querySelector('img');
  const empty = button.querySelector('span');
  const verdict = element.querySelector('.th-result-verdict');
  const truth = element.querySelector('.th-result-truth');
  const about = element.querySelector('.th-result-about');
  const pair = element.querySelector('.th-result-pair');
  const mine = new Set();
  let item = null;
  let drawing = null;
  let lost = false;
  let request = 0;

  function source(url, text) {
    node.hidden = !url;
    empty.hidden = Boolean(url);
    put(empty, text || '');
    if (url && node.getAttribute('src') !== url) node.src = url;
  }
  function show() {
    put(truth, '');
    element.querySelector('.th-result').classList.toggle('th-result-busy', Boolean(drawing));
    button.disabled = Boolean(drawing) || !item || !item.image_id;
    pair.hidden = Boolean(drawing) || !item || !item.refined;
    // What is seen while it is drawn is a preview, not the image's own pixels.
    enlarge(node, drawing ? 0 : item && item.width, drawing ? 0 : item && item.height);
    if (drawing) {
      const text =
        drawing.status === 'drawing'
          ? 'Generating'
          : drawing.status === 'loading'
            ? 'Loading the model'
            : 'Waiting';
      source(drawing.preview, text + '…');
      put(verdict, '');
      put(
        about,
        lost
          ? 'TrueHue does not answer: this is the last known state.'
          : drawing.preview
            ? 'Preview: no verdict yet'
            : '',
      );
      return;
    }
    if (!item) {
      source('', 'Your image appears here.');
      put(verdict, '');
      put(about, '');
      return;
    }
    source(item.image_id ? item.thumb : '', item.reason);
    const said = (item.verdicts || []).find((entry) => entry.rule === rule());
    verdict.replaceChildren(
      ...(said
        ? [
            make('b', '', SIGNS[said.status] + (said.sentence ? ': ' + said.sentence : '')),
            make(
              'span',
              '',
              said.reason.startsWith('By ')
                ? ' ' + said.reason
                : ' by ' + rule() + ': ' + said.reason,
            ),
          ]
        : item.image_id
          ? [
              make(
                'span',
                '',
                item.unscored
                  ? (item.measured ? 'Measured. ' : 'Not scored. ') + item.unscored
                  : (item.targets || []).some((target) => target.asked) &&
                      'No verdict yet: click the image to select the object.',
              ),
              ...(item.concept ? [compareConcept(item)] : []),
            ]
          : []),
    );
    // What a render's color is, whatever a rule says of it.
    put(truth, item.truth || '');
    put(about, (item.text || item.name || '') + ' · ' + item.about);
    about.title = (item.notes || []).join('\n');
    node.alt = item.text || '';
    button.title = 'Open in Inspect';
  }
  // Enough pixels for the place that it has, once they are here.
  function sharpen() {
    if (!item || !item.image_id || drawing) return;
    const full = new Image();
    const wanted = item.image_id;
    full.onload = () => {
      if (item && item.image_id === wanted && !drawing) node.src = full.src;
    };
    full.src = '/media/images/' + wanted + '.png';
  }
  async function newest() {
    const turn = ++request;
    try {
      const data = await ask(`/api/drawings?limit=24&rule=${encodeURIComponent(rule())}`);
      if (turn !== request) return;
      const result =
        data.items.find((entry) => mine.has(entry.job)) ||
        (mine.size ? item : data.items.find((entry) => entry.image_id)) ||
        null;
      const other = !item || !result || result.drawing_id !== item.drawing_id;
      item = result;
      store.set('result', item);
      show();
      if (other) sharpen();
    } catch {
      /* the gallery says that it cannot be listed */
    }
  }
  button.addEventListener('click', () => {
    if (item) store.tell('open', item);
  });
  pair.addEventListener('click', () => store.tell('compare-pair', item));
  store.subscribe('jobs', (detail) => {
    detail.jobs.filter((job) => job.mine).forEach((job) => mine.add(job.id));
    const before = drawing;
    drawing =
      detail.jobs.find(
        (job) =>
          job.mine &&
          ['waiting', 'loading', 'drawing'].includes(job.status) &&
          !(job.done && !job.preview),
      ) || null;
    lost = detail.lost;
    show();
    if (before && !drawing) newest();
  });
  store.subscribe('drawn', newest);
  store.subscribe('rule', show);
  // An imported image may have its verdicts later.
  store.subscribe('judged', newest);
  new IntersectionObserver((seen) => {
    if (seen.some((entry) => entry.isIntersecting)) newest();
  }).observe(button);
  show();
}
