// The number of votes that a study needs, by simulation before it starts.
import { make, put } from '../shared/dom.js';
import { onTheme } from '../shared/figure.js';
import { send } from '../shared/http.js';
import { API } from './choices.js';
import { fieldsOf, row, tellField } from './form_fields.js';
import { plot, powerCurve } from './figures.js';
import { button, doing, percent, problemLine, whole } from './parts.js';

/** What is asked of the app, by the field that holds it. */
const NAMES = {
  win_share: 'better',
  tie_share: 'ties',
  power: 'power',
  difference: 'difference',
  rating_sd: 'rating_sd',
  person_sd: 'person_sd',
  case_sd: 'case_sd',
};

/**
 * @param {object} study
 * @param {boolean} study.ratings whether ratings are given, not votes for one of two
 * @param {() => { models: number, pairs: number, cases: number, trials: number }} study.size what the
 *   form says now
 * @param {(votes: number) => void} study.take is given the votes a stimulus that were found
 */
export function votesNeeded({ ratings, size, take }) {
  const box = make('div', 'th-study-needed');
  const wish = {
    better: 60,
    ties: 10,
    power: 80,
    difference: 0.5,
    rating_sd: 2,
    person_sd: 0.5,
    case_sd: ratings ? 1 : 0.5,
  };
  const source = fieldsOf(wish, () => tellField(box, '', ''));
  const line = problemLine();
  const text = make('p', 'th-study-headline');
  const about = make('p', 'th-soft');
  const figure = plot('Power against votes, with the interval of the simulation');
  const foot = make('div', 'th-study-buttons');
  let result = null;
  text.setAttribute('role', 'status');
  figure.hidden = true;

  const power = source.number('power', 'Power, %', {
    hint: 'How often the study should detect the difference.',
  });
  const fields = ratings
    ? row(
        source.number('difference', 'Difference, points', {
          hint: 'Smallest difference of two model means to detect.',
        }),
        source.number('rating_sd', 'Within-participant SD', {
          hint: 'Standard deviation of one answer, in points.',
        }),
        power,
        source.number('person_sd', 'Between-participant SD', { hint: 'In points.' }),
        source.number('case_sd', 'Between-case SD', { hint: 'In points.' }),
      )
    : row(
        source.number('better', 'Win rate of the better model, %', {
          hint: 'Smallest win rate to detect, without ties. 50 means no difference.',
        }),
        source.number('ties', 'Ties, %', { hint: '0 if ties are not allowed.' }),
        power,
        source.number('person_sd', 'Between-participant SD', { hint: 'In logits.' }),
        source.number('case_sd', 'Between-case SD', {
          hint: '0.5 moves 60% to 48–71% for two of three.',
        }),
      );
  const share = (value) => (typeof value === 'number' ? value / 100 : value);
  // Each of the two models has an image a case; a pair is one stimulus a case.
  const stimuli = () => Math.max(1, size().cases) * (ratings ? 2 : 1);
  const votesEach = () => Math.max(1, Math.ceil(result.votes / stimuli()));
  /** @returns {Api.VotesRequest} */
  function sendRequest() {
    const { models, pairs, cases, trials } = size();
    const part = ratings ? 2 / Math.max(2, models) : 1 / Math.max(1, pairs);
    return {
      kind: ratings ? 'ratings' : 'pairs',
      ...(ratings
        ? { difference: wish.difference, rating_sd: wish.rating_sd }
        : { win_share: share(wish.better), tie_share: share(wish.ties) }),
      power: share(wish.power),
      votes_a_person: Math.max(ratings ? 2 : 1, Math.floor(trials * part)),
      cases: Math.max(1, cases),
      person_sd: wish.person_sd,
      case_sd: wish.case_sd,
      seed: 1,
    };
  }

  const takeOver = button('', () => {
    take(votesEach());
    put(about, 'Applied: ' + votesEach() + ' votes per stimulus.');
  });
  takeOver.hidden = true;
  const simulate = doing(
    'Simulate',
    async () => {
      put(text, 'Simulating…');
      put(about, '');
      tellField(box, '', '');
      try {
        result = await send(`${API}/votes-needed`, sendRequest());
      } catch (error) {
        put(text, '');
        if (tellField(box, NAMES[error.field] || error.field, error.message)) return;
        throw error;
      }
      draw();
    },
    line,
  );
  foot.append(simulate, takeOver);
  box.append(fields, foot, line, text, about, figure);

  function draw() {
    const { votes, participants, curve } = result;
    const none = votes === null;
    const label = ratings
      ? ' ratings of the two models, by '
      : ' votes for each pair of models, by ';
    put(text, none ? 'Not achievable.' : whole(votes) + label + whole(participants) + ' people.');
    put(
      about,
      result.words +
        ' The simulation uses the same analysis as the results. Shaded: 95% interval of the simulation; dashed: ' +
        percent(share(wish.power)) +
        '.',
    );
    takeOver.hidden = none;
    if (!none) put(takeOver, 'Apply: ' + votesEach() + ' votes per stimulus');
    figure.hidden = !curve.length;
    if (curve.length) powerCurve(figure, curve, share(wish.power), votes);
  }
  onTheme(() => {
    if (result && figure.offsetParent) draw();
  });
  return box;
}
