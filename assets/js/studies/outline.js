// The preview beside the form: numbers, warnings, and a trial as a participant will see it.
import { orderOf, strip } from '../participants/strips.js';
import { arrange, make, many, put } from '../shared/dom.js';
import { coloringFacts, coloringSample } from './colorings/outline.js';
import { facts, whole } from './parts.js';
import { questionFacts, questionSample } from './questions/outline.js';

const RATING_STEPS = 11;

/**
 * A trial by its parts, as the participants' page has them, on the gray that people see.
 * @param {Api.Outline} outline
 * @param {any} form
 */
function sampleTrial({ sample, colors, kind, question }, form) {
  const node = make('figure', 'th-study-sample');
  const positions = make('div', 'th-study-places');
  const answers = make('div', 'th-study-answers');
  const order = orderOf(colors);
  const several = sample.places.length > 1;
  node.append(
    make('p', 'th-study-sample-question', question || form.question || ''),
    make('p', 'th-study-sample-words', sample.words),
  );
  if (sample.reference) {
    const people = make('div', 'th-study-reference');
    people.append(make('small', '', 'People'));
    people.append(strip(sample.reference, colors, order, 'People’s colors'));
    node.append(people);
  }
  positions.dataset.places = String(sample.places.length);
  sample.places.forEach((index, position) => {
    const box = make('div', 'th-study-place');
    const images = make('div', 'th-study-images');
    if (index.weights)
      box.append(strip(index.weights, colors, order, 'Colors, position ' + (position + 1)));
    index.images.forEach((id) => {
      const image = make('img');
      image.src = '/media/thumbs/' + id + '.png?side=384';
      image.alt = 'Image, position ' + (position + 1);
      image.loading = 'lazy';
      images.append(image);
    });
    const choice = several ? [make('span', 'th-study-choice', String(position + 1))] : [];
    box.append(...(index.weights ? [...choice, images] : [images, ...choice]));
    positions.append(box);
  });
  const names = kind === 'ratings' ? [...Array(RATING_STEPS).keys()].map(String) : [];
  if (form.tie && kind === 'pairs') names.push('No difference');
  if (form.skip) names.push('Skip');
  answers.append(...names.map((name) => make('span', '', name)));
  node.append(positions, answers);
  return node;
}

/**
 * @param {HTMLElement} box
 * @param {{ create: HTMLElement, line: HTMLElement }} foot what stands below
 */
export function outlineBox(box, { create, line }) {
  const node = make('section', 'th-card th-study-outline-card');
  const title = make('h3', '', 'Summary');
  const lead = make('p', 'th-study-headline');
  const numbers = make('div');
  const warnings = make('ul', 'th-study-warnings');
  const blocks = make('div', 'th-study-blocks');
  const sample = make('div');
  const about = make('p', 'th-soft', 'This creates a draft. Nobody sees it until you open it.');
  let shown = '';
  lead.setAttribute('role', 'status');
  node.append(title, lead, numbers, warnings, blocks, line, create, about, sample);
  box.replaceChildren(node);

  return {
    busy(on) {
      node.setAttribute('aria-busy', String(on));
    },
    /** What is wrong, where no field of the form says it. @param {string} text */
    wrong(text) {
      put(lead, text);
      numbers.replaceChildren();
      warnings.replaceChildren();
      blocks.replaceChildren();
      sample.replaceChildren();
      shown = '';
    },
    /** @param {any} made @param {any} form */
    draw(made, form) {
      put(
        lead,
        whole(made.people_needed) +
          (made.people_needed === 1 ? ' person, ' : ' people, ') +
          'about ' +
          Math.max(1, Math.round(made.minutes_a_person)) +
          ' min each',
      );
      lead.title = made.minutes_words || '';
      numbers.replaceChildren(
        made.sketches
          ? coloringFacts(made)
          : made.questions
            ? questionFacts(made)
            : facts([
                [
                  'Cases',
                  whole(made.cases.chosen) +
                    ' of ' +
                    whole(made.cases.complete) +
                    ' available for every model',
                ],
                ['Models', made.models.join(' · ')],
                [
                  'Stimuli',
                  whole(made.stimuli) +
                    (made.training_stimuli
                      ? ', ' + made.training_stimuli + ' more for training'
                      : ''),
                ],
                ['Votes', whole(made.votes_wanted)],
                ['Trials per participant', whole(made.trials_a_person)],
                ['Excluded', made.cases.left_out ? many(made.cases.left_out, 'case') : ''],
              ]),
      );
      const messages = [...(made.heavy ? [made.heavy.words] : []), ...made.warnings];
      warnings.replaceChildren(...messages.map((text) => make('li', '', text)));
      if (made.blocks.length) {
        const list = make('ul');
        list.append(...made.blocks.map((text) => make('li', '', text)));
        blocks.replaceChildren(make('b', '', 'Required before opening'), list);
      } else blocks.replaceChildren();
      const now = JSON.stringify([
        made.sample || made.sketches || made.questions,
        form.tie,
        form.skip,
        made.question,
      ]);
      if (now === shown) return;
      shown = now;
      if (made.sketches) arrange(sample, [coloringSample(made)]);
      else if (made.questions)
        arrange(sample, [make('h4', '', 'Preview of a question'), questionSample(made, form)]);
      else
        arrange(
          sample,
          made.sample ? [make('h4', '', 'Preview of a trial'), sampleTrial(made, form)] : [],
        );
    },
  };
}
