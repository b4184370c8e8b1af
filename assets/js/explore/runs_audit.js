// The check of a run by people: the form that makes a study in which they judge a random sample.
import { make, put } from '../shared/dom.js';
import { send } from '../shared/http.js';
import { followJob } from '../shared/jobs.js';
import { askRunResults } from './runs_card.js';

const IMAGES = 200;
const LANGUAGES = [
  ['en', 'English'],
  ['de', 'German'],
];

const labeled = (text, input) => {
  const label = make('label', '', text);
  label.append(input);
  return label;
};

/**
 * The button of a run that opens the form of its audit.
 * @param {Api.RunJson} run
 */
export function auditMenu(run) {
  const menu = make('details', 'th-run-menu');
  const form = make('form', 'th-run-panel');
  const images = make('input');
  const language = make('select');
  const start = make('button', 'th-button', 'Make the study');
  const said = make('p', 'th-soft');
  const refused = make('p', 'th-problem');
  images.name = 'n';
  images.inputMode = 'numeric';
  images.value = String(IMAGES);
  LANGUAGES.forEach(([id, name]) => language.append(new Option(name, id)));
  said.setAttribute('role', 'status');
  refused.setAttribute('role', 'alert');
  refused.hidden = true;
  form.noValidate = true;
  form.append(
    make(
      'p',
      'th-soft',
      'Makes a study in which people judge a random sample of this run’s images. You get the share of images that they find right, with an interval, on this card. It holds whatever the rule gets wrong. Names of objects and colors stay in English.',
    ),
    labeled('Images', images),
    labeled('Language', language),
    start,
    said,
    refused,
  );
  menu.append(make('summary', 'th-button', 'Check by people'), form);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (start.getAttribute('aria-disabled') === 'true') return;
    start.setAttribute('aria-disabled', 'true');
    refused.hidden = true;
    put(said, 'Choosing images…');
    try {
      const made = await send('/api/studies/audit', {
        run: run.id,
        n: images.value,
        language: language.value,
      });
      put(said, made.text);
      const job = await followJob(made.job, () => {});
      if (job.status !== 'done') throw new Error(job.problem || 'The study was not made.');
      const link = make('a', '', 'Open the study');
      link.href = '?tab=studies&study=' + job.result.study;
      said.replaceChildren(
        made.text + ' ',
        link,
        ' to complete its consent text and to invite people.',
      );
      askRunResults();
      return; // a second study would ask about the same images
    } catch (error) {
      put(said, '');
      put(refused, error.message);
      refused.hidden = false;
    }
    start.setAttribute('aria-disabled', 'false');
  });
  return menu;
}
