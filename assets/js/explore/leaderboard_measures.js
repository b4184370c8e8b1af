// Means of measures over the images of every run, and scoring of missing ones.
import { make, many, put } from '../shared/dom.js';
import { ask, send } from '../shared/http.js';
import { beginsWork, watchWork, workLine } from '../shared/jobs.js';

/**
 * @param {Api.MeanCell} item
 * @param {() => void} open
 */
function cell(item, open) {
  const node = make('td', 'th-leaderboard-cell');
  const button = make('button');
  const numbers = make('span', 'th-leaderboard-numbers');
  button.type = 'button';
  button.disabled = item.value === null;
  button.title = item.title + (button.disabled ? '' : '. Show the images in this order.');
  numbers.append(make('b', '', item.text), make('small', '', item.interval));
  button.append(numbers);
  item.unscored.forEach((why) =>
    button.append(make('small', 'th-leaderboard-note', why.count + ' unscored: ' + why.reason)),
  );
  if (item.missing && item.scored)
    button.append(
      make('small', 'th-leaderboard-note', many(item.missing, 'image') + ' not scored yet'),
    );
  button.addEventListener('click', open);
  node.append(button);
  return node;
}

/**
 * @param {HTMLElement} element the widget
 * @param {HTMLElement} card
 * @param {(run: string, sort: string) => void} openPictures
 * @returns {() => Promise<void>} asks for the means anew
 */
export function measuresTable(element, card, openPictures) {
  const table = card.querySelector('.th-measures-table');
  const lack = card.querySelector('.th-measures-lack');
  const start = /** @type {HTMLElement} */ (card.querySelector('.th-measures-start'));
  const work = /** @type {HTMLElement} */ (card.querySelector('.th-measures-job'));
  let running = false;

  /** @param {Api.MetricsView} result */
  function draw(result) {
    card.hidden = !result.rows.length || !result.measures.length;
    put(
      lack,
      result.lacking ? many(result.lacking, 'score') + ' to compute.' : 'Every image is scored.',
    );
    start.setAttribute('aria-disabled', String(running || !result.lacking));
    table.hidden = !result.rows.some((run) => run.cells.some((item) => item.scored));
    const made = JSON.stringify([result.measures, result.rows]);
    if (table.dataset.made === made) return;
    table.dataset.made = made;
    const top = make('tr');
    const head = make('thead');
    const body = make('tbody');
    const first = make('th', '', 'Run');
    first.scope = 'col';
    top.append(
      first,
      ...result.measures.map((measure) => {
        const node = make('th', '', measure.name + (measure.unit ? ', ' + measure.unit : ''));
        node.scope = 'col';
        node.title = measure.title;
        return node;
      }),
    );
    head.append(top);
    result.rows.forEach((run) => {
      const line = make('tr');
      const name = make('th', 'th-leaderboard-name');
      name.scope = 'row';
      name.append(make('b', '', run.name));
      if (run.cells.some((item) => item.scored)) {
        const file = make('a', 'th-soft', 'Scores as CSV');
        file.href = run.csv;
        file.download = '';
        name.append(file);
      }
      line.append(
        name,
        ...run.cells.map((item, index) =>
          cell(item, () => openPictures(run.id, result.measures[index].sort)),
        ),
      );
      body.append(line);
    });
    table.replaceChildren(head, body);
  }
  async function load() {
    try {
      draw(await ask('/api/explore/measures'));
    } catch (error) {
      put(lack, 'The measures cannot be shown. ' + /** @type {Error} */ (error).message);
    }
  }
  const showJob = workLine(work);
  beginsWork(start, work, () => send('/api/explore/scores', {}));
  watchWork(element, 'scores', (job, ended) => {
    running = Boolean(job && job.active);
    if (running) start.setAttribute('aria-disabled', 'true');
    showJob(job && (job.active || ended) ? job : null);
    if (ended) load();
  });
  return load;
}
