// How many votes a study needs, by simulating it before it starts.
import { make, put } from '../shared/dom.js';
import { onTheme } from '../shared/figure.js';
import { send } from '../shared/http.js';
import { API } from './choices.js';
import { fieldsOf, row, tellField } from './form_fields.js';
import { plot, powerCurve } from './figures.js';
import { button, doing, percent, problemLine, whole } from './parts.js';

/**
 * @param {object} study
 * @param {() => { pairs: number, cases: number, trials: number }} study.size what the form says now
 * @param {(votes: number) => void} study.take is given the votes a stimulus that were found
 */
export function votesNeeded({ size, take }) {
  const box = make('div', 'th-jd-needed');
  const wish = { better: 60, ties: 10, power: 80, person_sd: 0.5, case_sd: 0.5 };
  const of = fieldsOf(wish, () => tellField(box, '', ''));
  const line = problemLine();
  const words = make('p', 'th-jd-headline');
  const about = make('p', 'th-soft');
  const figure = plot(
    'Power against votes for one pair of models, with the interval of the simulation',
  );
  const foot = make('div', 'th-jd-buttons');
  let found = null;
  words.setAttribute('role', 'status');
  figure.hidden = true;

  const fields = row(
    of.number('better', 'The better model wins, %', {
      hint: 'Of the votes that are no tie: the least difference that you want to find. 50 is no difference.',
    }),
    of.number('ties', 'Ties, %', { hint: '0 where none is allowed.' }),
    of.number('power', 'Power, %', { hint: 'How often such a study is to find it.' }),
    of.number('person_sd', 'People differ by', { hint: 'Standard deviation in logits.' }),
    of.number('case_sd', 'Cases differ by', { hint: '0.5 moves 60% to 48–71% for two of three.' }),
  );
  const NAMES = {
    win_share: 'better',
    tie_share: 'ties',
    power: 'power',
    person_sd: 'person_sd',
    case_sd: 'case_sd',
  };
  const votesEach = (answer) => Math.max(1, Math.ceil(answer.votes / Math.max(1, size().cases)));
  const share = (value) => (typeof value === 'number' ? value / 100 : value);

  const takeOver = button('', () => {
    take(votesEach(found));
    put(about, 'Taken over: ' + votesEach(found) + ' votes a stimulus.');
  });
  takeOver.hidden = true;
  const ask_ = doing(
    'Simulate',
    async () => {
      const { pairs, cases, trials } = size();
      put(words, 'Simulating…');
      put(about, '');
      tellField(box, '', '');
      try {
        found = await send(API + '/votes-needed', {
          win_share: share(wish.better),
          tie_share: share(wish.ties),
          power: share(wish.power),
          votes_a_person: Math.max(1, Math.floor(trials / Math.max(1, pairs))),
          cases: Math.max(1, cases),
          person_sd: wish.person_sd,
          case_sd: wish.case_sd,
          seed: 1,
        });
      } catch (error) {
        put(words, '');
        if (tellField(box, NAMES[error.field] || error.field, error.message)) return;
        throw error;
      }
      draw();
    },
    line,
  );
  foot.append(ask_, takeOver);
  box.append(fields, foot, line, words, about, figure);

  function draw() {
    const { votes, participants, curve, simulations } = found;
    put(
      words,
      votes === null
        ? found.words
        : whole(votes) + ' votes for each pair of models, by ' + whole(participants) + ' people.',
    );
    put(
      about,
      (votes === null ? '' : found.words + ' ') +
        whole(simulations) +
        ' simulated studies a point, each analyzed as results are. Shaded: 95% of the simulation. Dashed: the power that is wanted (' +
        percent(share(wish.power)) +
        ').',
    );
    takeOver.hidden = votes === null;
    if (votes !== null) put(takeOver, 'Take over: ' + votesEach(found) + ' votes a stimulus');
    figure.hidden = false;
    powerCurve(figure, curve, share(wish.power), votes);
  }
  onTheme(() => {
    if (found && figure.offsetParent) draw();
  });
  return box;
}
