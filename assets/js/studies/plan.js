// The frozen plan of a study: its trials, its materials, and its log.
import { make, many } from '../shared/dom.js';
import { ask } from '../shared/http.js';
import { MATERIALS, button, card, doing, facts, problemLine, stamp, whole } from './parts.js';
import { taskWords } from './questions/outline.js';
import { dataTable } from './table.js';
import { onView, openNew } from './view.js';

/** @param {string} text */
function longText(text) {
  return text ? make('div', 'th-study-long', text) : null;
}

/** @param {Api.PlanTraining} training */
function trainingWords(training) {
  const number = Array.isArray(training.keys) ? training.keys.length : training.keys;
  if (!number) return 'none';
  return (
    many(number, 'trial') +
    ', ' +
    training.needed +
    ' correct needed, ' +
    many(training.attempts, 'attempt') +
    (training.required ? ', required' : '')
  );
}

/** @param {Record<string, any>} screening */
function passMark({ needed_plates: needed }) {
  return needed ? ', ' + needed + ' to be read' : '';
}

/** @param {Api.PlanJson} plan */
function closingWords(plan) {
  const { closing } = plan;
  const parts = [];
  if (closing.when_complete) parts.push('when all answers are complete');
  if (closing.participants) parts.push('after ' + many(closing.participants, 'participant'));
  const replaced = closing.replace_excluded ? '; excluded participants are replaced' : '';
  return (parts.join(', or ') || 'only manually') + replaced;
}

/**
 * What ends a participation early, and how many are expected to start.
 * @param {Api.PlanJson} plan
 * @returns {[string, string][]}
 */
function limitsOf({ missed_checks_limit: missed, time_limit_s: seconds, start_percent: start }) {
  /** @type {[string, string][]} */
  const lines = [];
  if (missed) lines.push(['Ends after', many(missed, 'missed attention check')]);
  if (seconds) lines.push(['Time limit', Math.round(seconds / 60) + ' min']);
  if (start < 100)
    lines.push(['Expected to start', start + '% of people before their first answer']);
  return lines;
}

/** What participants are asked about themselves. @param {Api.PlanJson} plan @returns {[string, string][]} */
function surveyOf({ survey }) {
  return Object.entries(survey)
    .filter(([, texts]) => texts.length)
    .map(([part, texts]) => ['Asked ' + part + ' the trials', texts.join(' · ')]);
}

/** What is got at other endings. @param {Api.PlanJson} plan @returns {[string, string][]} */
function endingsOf({ endings }) {
  const text = Object.entries(endings).map(([name, page]) =>
    [name.replace('_', ' '), page.code || page.url].filter(Boolean).join(' '),
  );
  return text.length ? [['Other endings', text.join(' · ')]] : [];
}

/** @param {import('./study.js').Current} current */
function replayCard(current) {
  const part = card(
    'Replay',
    'Checks that the stored plan, seed and log reproduce every trial that participants saw.',
  );
  const line = problemLine();
  const out = make('div');
  out.setAttribute('role', 'status');
  const act = doing(
    'Replay all trials',
    async () => {
      out.replaceChildren(make('p', 'th-soft', 'Replaying…'));
      try {
        const result = await ask(`${current.address}/replay`);
        const mark = result.whole && !result.differing.length ? '✓ ' : '✕ ';
        out.replaceChildren(make('p', 'th-study-headline', mark + result.words));
        const rest = [...result.differing, ...result.skipped];
        if (rest.length) {
          const list = make('ul', 'th-study-list-words');
          list.append(
            ...rest.slice(0, 20).map((item) => make('li', '', item.label + ': ' + item.why)),
          );
          out.append(list);
        }
      } catch (error) {
        out.replaceChildren();
        throw error;
      }
    },
    line,
  );
  part.body.append(act, line, out);
  return part.node;
}

const LANGUAGES = new Intl.DisplayNames(['en'], { type: 'language' });

const REVIEWS = {
  researcher: 'reviewed by the researcher',
  automatic: 'reviewed automatically',
  none: 'not reviewed',
};

/** What only studies of colorings have. @param {Api.PlanJson} plan @returns {[string, string][]} */
function coloringNumbers(plan) {
  const { practice } = plan;
  return [
    ['Colored', many(plan.sketches, 'sketch') + ', for ' + many(plan.cases, 'concept')],
    [
      'Concepts by category',
      plan.groups.map((group) => (group.group || 'no category') + ' ' + group.cases).join(', '),
    ],
    ['Colorings', whole(plan.votes) + ' per concept, ' + whole(plan.votes_wanted) + ' in total'],
    ['Sketches per participant', whole(plan.main_a_person)],
    [
      'Practice',
      practice.words.length
        ? practice.words.join(', ') + '; ' + (REVIEWS[practice.review] || practice.review)
        : 'none',
    ],
    ['Reference image', plan.reference_image ? 'allowed, each use in the log' : 'not allowed'],
    ['A sketch begins', plan.keep_color ? 'with the color of the one before' : 'without a color'],
  ];
}

/** What only studies of questions have. @param {Api.PlanJson} plan @returns {[string, string][]} */
function questionNumbers(plan) {
  const { question_set: set } = plan;
  return [
    ['Set', set.name + ', SHA-256 ' + set.sha256.slice(0, 12)],
    ['Questions', whole(plan.cases)],
    ['By task', taskWords(set.tasks)],
    ['Answers', whole(plan.votes) + ' per question, ' + whole(plan.votes_wanted) + ' in total'],
    [
      'Questions per participant',
      whole(plan.main_a_person) +
        ', ' +
        plan.repeats +
        ' repeats and ' +
        plan.attention +
        ' additional checks',
    ],
  ];
}

/** The numbers of a study. @param {Api.StudyView} study @returns {[string, string][]} */
function numbersOf(study) {
  if (study.kind === 'colorings') return coloringNumbers(study.plan);
  if (study.kind === 'questions') return questionNumbers(study.plan);
  return comparedNumbers(study);
}

const ANSWERS = {
  colorings: 'a coloring',
  questions: 'a choice',
  ratings: 'a rating from 0 to 10',
};
const SKIPS = { colorings: '“I don’t know this word”', questions: '“I cannot tell”' };

/** What is compared, in other studies. @param {Api.StudyView} study @returns {[string, string][]} */
function comparedNumbers({ plan, material }) {
  return [
    ['Compared', MATERIALS[material] + ' of ' + plan.models.join(', ')],
    [
      'Cases',
      whole(plan.cases) +
        (plan.groups.length > 1
          ? ': ' + plan.groups.map((group) => group.group + ' ' + group.cases).join(', ')
          : ''),
    ],
    [
      'Stimuli',
      whole(plan.stimuli) +
        (plan.training_stimuli ? ', and ' + plan.training_stimuli + ' for training' : ''),
    ],
    ['Votes', whole(plan.votes) + ' per stimulus, ' + whole(plan.votes_wanted) + ' in total'],
    [
      'Trials per participant',
      whole(plan.trials) +
        ', ' +
        plan.repeats +
        ' repeats and ' +
        plan.attention +
        ' additional checks',
    ],
    [
      'Chosen',
      plan.method === 'adaptive'
        ? 'adaptively, with recorded propensities'
        : 'balanced: fewest votes first',
    ],
    ['Between trials of a case', many(plan.case_gap, 'other trial') + ', as far as possible'],
    ['Training', trainingWords(plan.training)],
  ];
}

/** @param {any[]} examples */
function exampleList(examples) {
  if (!examples || !examples.length) return null;
  const list = make('ul', 'th-study-list-words th-colorings-examples-read');
  list.append(
    ...examples.map((example) => {
      const item = make('li', '', (example.good ? '✓ ' : '✕ ') + example.text);
      if (!example.image_id) return item;
      const image = make('img');
      image.src = '/media/thumbs/' + example.image_id + '.png?side=256';
      image.alt = 'Image beside it';
      item.append(image);
      return item;
    }),
  );
  return list;
}

/**
 * @param {HTMLElement} box
 * @param {import('./study.js').Current} current
 */
export function planView(box, current) {
  let shown = '';
  function draw() {
    const { study } = current;
    const { plan } = study;
    const request = card('Texts for participants');
    if (study.form && study.state === 'draft')
      request.head.append(button('Edit the plan', () => openNew('', study.id)));
    request.body.append(
      facts([
        ['Question', longText(plan.question)],
        ['Instructions', longText(plan.instructions)],
        ['Examples: do and do not', exampleList(plan.examples)],
        ['Before', longText(plan.intro)],
        ['After', longText(plan.outro)],
        ['Language', LANGUAGES.of(plan.language)],
        [
          'Answers',
          [
            ANSWERS[study.kind] || 'a position',
            plan.tie && 'a tie',
            plan.skip && (SKIPS[study.kind] || 'a skip'),
          ]
            .filter(Boolean)
            .join(', '),
        ],
      ]),
    );
    const consent = make('details', 'th-study-more');
    consent.append(
      make('summary', '', 'Consent, version ' + plan.consent.version),
      make('div', 'th-study-long', plan.consent.text),
    );
    request.body.append(consent);
    const numbers = card(
      'Numbers',
      study.state === 'draft'
        ? 'These numbers are fixed when the study opens.'
        : 'Fixed since the study opened; version ' + study.version + '.',
    );
    numbers.body.append(
      facts([
        ...numbersOf(study),
        [
          'Screening',
          [
            plan.screening.plates && 'color-vision plates' + passMark(plan.screening),
            plan.screening.patches &&
              'dark and light patches' + (plan.screening.needs_patches ? ', both required' : ''),
          ]
            .filter(Boolean)
            .join(', ') || 'none',
        ],
        ...surveyOf(plan),
        ...limitsOf(plan),
        ['Input', plan.record_input ? 'recorded, to recognize scripts' : 'not recorded'],
        ['Closes', closingWords(plan)],
        [
          'Trials released after',
          Math.round(plan.abandoned_after_s / 60) +
            ' min of inactivity, ' +
            Math.round(plan.unanswered_after_s / 60) +
            ' min before the first answer',
        ],
        [
          'Completion',
          study.personal
            ? [plan.completion.code && 'code ' + plan.completion.code, plan.completion.url]
                .filter(Boolean)
                .join(' · ') || 'none'
            : 'visible to the study’s owner and admins',
        ],
        ...endingsOf(plan),
        ['Seed', String(plan.seed)],
      ]),
    );
    const made = card('Sources');
    const sentences = make('ul', 'th-study-list-words');
    sentences.append(...study.provenance.map((text) => make('li', '', text)));
    made.body.append(study.provenance.length ? sentences : make('p', 'th-soft', 'No entries.'));
    const log = card('Log', 'All changes to this study, in order.');
    log.body.append(
      dataTable(
        [
          { name: 'When', cell: (entry) => stamp(entry.at) },
          { name: 'What', cell: (entry) => entry.words },
          { name: 'Who', cell: (entry) => entry.by || '–' },
        ],
        study.history,
        'Log of this study',
      ),
    );
    if (study.kept) log.body.append(make('p', 'th-soft', study.kept));
    const grid = make('div', 'th-study-two');
    grid.append(request.node, numbers.node);
    box.replaceChildren(grid, made.node, replayCard(current), log.node);
  }
  return {
    shown() {
      if (!onView('plan')) return;
      const now = JSON.stringify({ ...current.study, progress: null });
      if (now === shown) return;
      shown = now;
      draw();
    },
  };
}
