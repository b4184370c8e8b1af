// The preview of a study of colorings: numbers, exclusions, sketches in a row.
import { make, many } from '../../shared/dom.js';
import { facts, whole } from '../parts.js';
import { paper } from './sketch_choice.js';

const SHOWN = 12;
const NAMED = 6;

/** @param {string[]} texts */
function some(texts) {
  const rest = texts.length - NAMED;
  return texts.slice(0, NAMED).join(', ') + (rest > 0 ? ' and ' + whole(rest) + ' more' : '');
}

/** @param {Api.Outline} made what the form makes */
export function coloringFacts(made) {
  const { asked, practice, without } = made.sketches;
  const drawings = new Set(asked.map((item) => item.key)).size;
  return facts([
    [
      'Concepts',
      whole(made.cases.chosen) +
        (made.groups.length > 1
          ? ': ' + made.groups.map((group) => group.group + ' ' + group.cases).join(', ')
          : ''),
    ],
    ['Sketches', whole(drawings) + (drawings < asked.length ? ', shared by modifiers' : '')],
    [
      'Colorings',
      whole(made.votes_wanted) + ', ' + made.votes_a_stimulus + ' per concept by different people',
    ],
    [
      'Sketches per person',
      many(made.main_a_person, 'sketch') +
        (practice.length ? ', after ' + practice.length + ' for practice' : ''),
    ],
    ['Practice', practice.map((item) => item.words).join(', ') || 'none'],
    [
      'Excluded',
      without.length ? whole(without.length) + ' without a sketch: ' + some(without) : '',
    ],
  ]);
}

/** @param {Api.Outline} made */
export function coloringSample(made) {
  const node = make('div', 'th-colorings-sample');
  const strip = make('div', 'th-colorings-papers');
  const { asked } = made.sketches;
  asked.slice(0, SHOWN).forEach((item) => {
    const figure = make('figure');
    figure.append(paper(item), make('figcaption', '', item.words));
    strip.append(figure);
  });
  node.append(make('h4', '', 'Preview of the sketches'), strip);
  if (asked.length > SHOWN)
    node.append(make('p', 'th-soft', 'and ' + whole(asked.length - SHOWN) + ' more.'));
  return node;
}
