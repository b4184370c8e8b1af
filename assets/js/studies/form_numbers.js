// Numbers of votes and people, checks, training, screening, closing.
import { make, many, put } from '../shared/dom.js';
import { fieldsOf, fold, missedChecksField, part, row, screeningFields } from './form_fields.js';
import { decimal } from './parts.js';
import { votesNeeded } from './votes_needed.js';

/** Each offer's sentence ends with the same advice. @param {string | undefined} text */
const firstSentence = (text) => (text ? text.split('. ')[0] + '.' : '');

/**
 * @param {{ form: any, preset: any, presets: any, outline: () => any, changed: () => void }} given
 * @returns {{ node: HTMLElement, outlined: () => void }}
 */
export function numbersPart({ form, preset, presets, outline, changed }) {
  const node = part(
    3,
    'Numbers',
    'How many answers each stimulus needs, and which checks participants get.',
  );
  const source = fieldsOf(form, changed);
  const kind = preset.id === 'free' ? form.kind : preset.kind;
  const votes = source.number(
    'votes',
    kind === 'ratings' ? 'Ratings per image' : 'Votes per stimulus',
  );
  const training = make('div', 'th-study-training');
  const numbers = row(
    votes,
    source.number('trials', 'Trials per participant', { hint: 'Maximum, without checks.' }),
    source.number('repeats', 'Repeated trials', {
      hint:
        kind === 'ratings'
          ? 'The same image again, to measure consistency.'
          : 'The same trial with sides swapped, to measure consistency.',
    }),
    source.number('attention', 'Attention checks', { hint: 'The text says what to answer.' }),
    missedChecksField(source),
  );
  const allowed = make('div', 'th-study-checks');
  if (kind === 'pairs') allowed.append(source.check('tie', 'Allow ties', '“No difference.”'));
  allowed.append(
    source.check('skip', 'Allow skipping', '“Skip.” Counts as an answer, but not as a vote.'),
  );
  if (kind !== 'ratings' && preset.material === 'images')
    allowed.append(
      source.check(
        'omit_equal',
        'Leave out equal images',
        'Stimuli that show the same image twice are not asked. Results then lack these ties.',
      ),
    );
  node.append(numbers, allowed);

  if (kind !== 'best-of')
    node.append(
      fold(
        'How many votes do I need?',
        votesNeeded({
          ratings: kind === 'ratings',
          size() {
            const made = outline();
            const models = form.models.length;
            return {
              models,
              pairs: form.model_sets.length || Math.max(1, (models * (models - 1)) / 2),
              cases: made ? made.cases.chosen : 1,
              trials: Number(form.trials) || 1,
            };
          },
          take(number) {
            form.votes = number;
            votes.querySelector('input').value = String(number);
            changed();
          },
        }),
      ),
    );

  // ── training: a known answer before the rest ───────────────────────────────────────────────
  let offers = [];
  let shown = '';
  const list = make('div', 'th-study-offers');
  const needed = row(
    source.number('training.needed', 'Correct answers needed', { empty: 0 }),
    source.number('training.attempts', 'Attempts', {
      hint: 'Another round after too few correct answers.',
      empty: 2,
    }),
    source.check(
      'training.required',
      'Required',
      'Participants who never have enough correct answers end there, by failed checks.',
    ),
  );
  const about = make('p', 'th-study-hint');
  training.dataset.field = 'training';
  training.append(about, list, needed);
  function drawOffers() {
    const keys = form.training.keys;
    const all = [
      ...offers,
      ...keys
        .filter((key) => !offers.some((offer) => offer.case === key.case))
        .map((key) => ({ ...key, words: key.case })),
    ];
    put(
      about,
      all.length
        ? 'Pairs that a metric answers clearly; check that they are fair. Training pairs are excluded from the study itself.'
        : 'Training is available for concepts with people’s colors, where a metric answers a pair clearly.',
    );
    needed.hidden = !all.length;
    list.replaceChildren(
      ...all.map((offer) => {
        const label = make('label', 'th-study-offer');
        const tick = make('input');
        tick.type = 'checkbox';
        tick.checked = keys.some((key) => key.case === offer.case);
        tick.addEventListener('change', () => {
          const rest = form.training.keys.filter((key) => key.case !== offer.case);
          const key = { case: offer.case, models: offer.models, right: offer.right };
          form.training.keys = tick.checked ? [...rest, key] : rest;
          form.training.needed = Math.min(
            form.training.needed || form.training.keys.length,
            form.training.keys.length,
          );
          needed.querySelector('input').value = String(form.training.needed);
          changed();
        });
        const text = make('span');
        text.append(make('b', '', offer.words), ' ' + offer.right + ' is correct');
        if (offer.difference !== undefined)
          text.append(
            make(
              'small',
              '',
              firstSentence(offer.words_why) ||
                decimal(offer.difference, 1) + ' ' + (offer.unit || ''),
            ),
          );
        label.append(tick, text);
        return label;
      }),
    );
  }
  const trainingFold = fold('Training, with a known answer', training);
  if (kind === 'ratings') trainingFold.hidden = true;
  const order = screeningFields(source);
  order.push(
    source.number('case_gap', 'Trials between two of the same case', {
      hint: 'Minimum; fewer where a study has too few cases.',
      empty: 1,
    }),
  );
  if (kind === 'pairs')
    order.push(
      source.strip(
        'method',
        'Choice of the next pair',
        Object.entries(presets.methods).map(([id, name]) => ({
          id,
          name: String(name).split(':')[0],
          title: String(name),
        })),
      ),
      make('p', 'th-study-hint', Object.values(presets.methods).join('. ') + '.'),
    );
  node.append(trainingFold, fold('Screening and order', ...order));
  drawOffers();
  return {
    node,
    outlined() {
      const made = outline();
      const next = (made && made.training_offers) || [];
      const now = JSON.stringify(next);
      if (now === shown || training.contains(document.activeElement)) return;
      shown = now;
      offers = next;
      drawOffers();
      put(
        trainingFold.querySelector('summary'),
        'Training, with a known answer' +
          (next.length ? ': ' + many(next.length, 'pair') + ' offered' : ''),
      );
    },
  };
}

/**
 * When it ends by itself.
 * @param {{ form: any, preset: any, revised?: boolean, changed: () => void }} given `revised`: people
 *   may have seen the study
 * @param {number} number of the part
 */
export function closingPart({ form, preset, revised, changed }, number) {
  const node = part(
    number,
    'Closing',
    'When the study closes automatically. You can close it at any time.',
  );
  const source = fieldsOf(form, changed);
  node.append(
    source.check(
      'closing.when_complete',
      'When all answers are complete',
      'Active participants can finish.',
    ),
    source.check(
      'closing.replace_excluded',
      'Replace excluded participants',
      'New participants replace them, so the study closes with the full number of valid answers.',
    ),
    row(
      source.number('closing.participants', 'Max. participants', { placeholder: 'no limit' }),
      source.number(
        'abandoned_after_s',
        'Release unanswered trials after … minutes of inactivity',
        {
          per: 60,
          hint: 'Participants who return can still continue.',
        },
      ),
      source.number('unanswered_after_s', 'Before the first answer, after … minutes', {
        per: 60,
        hint: 'For participants without any answer. 10 by default.',
      }),
      source.number('start_percent', 'Expected to start, in percent', {
        empty: 100,
        hint: 'Of people before their first answer. Below 100, newcomers also get trials of those who are not expected to start. You may get more answers than you need.',
      }),
      ...(preset.material === 'sketches' || revised
        ? []
        : [
            source.number('time_limit_s', 'Time limit in minutes', {
              per: 60,
              placeholder: 'none',
              hint: 'From the consent on, also while the study is paused. The consent page says it.',
            }),
          ]),
    ),
  );
  return node;
}
