// What the chosen askings score: the figure, then all numbers, the differences, the published rows.
import { make, put } from '../shared/dom.js';
import { figure, figureBlocks } from './figure.js';
import { figureSvg, saveFigure } from './figure_file.js';
import { keeping } from './keep.js';
import { namesOf } from './names.js';
import { allNumbers, differences, judging, published, reasons } from './tables.js';
import { askUrl, numberOf, qa, setAsk } from './view.js';

function link(text, path, values) {
  const node = make('a', 'th-button th-qa-csv', text);
  node.href = askUrl(path, values);
  return node;
}

/**
 * What leaves the page: scores and answers as tables, the figure as a picture.
 * @param {any} found
 * @param {import('./figure.js').Block[]} blocks
 */
function saves(found, blocks) {
  const box = make('p', 'th-qa-saves');
  const values = { set: qa.set, askings: qa.askings.join(','), parser: qa.parser };
  const problem = make('span', 'th-problem');
  const picture = (text, format) => {
    const button = make('button', 'th-button', text);
    button.type = 'button';
    button.addEventListener('click', async () => {
      const legend = found.rows.map(
        (row) => numberOf(row.id) + '  ' + row.name + ', ' + row.settings,
      );
      try {
        await saveFigure(figureSvg(blocks, found.set.name, legend), 'scores', format);
        problem.hidden = true;
      } catch (error) {
        put(problem, 'The image could not be made: ' + error.message);
        problem.hidden = false;
      }
    });
    return button;
  };
  problem.hidden = true;
  problem.setAttribute('role', 'alert');
  if (found.rows.length)
    box.append(
      link('Scores as CSV', '/results.csv', values),
      link('Answers as CSV', '/answers.csv', values),
    );
  box.append(picture('Figure as SVG', 'svg'), picture('Figure as PNG', 'png'), problem);
  return box;
}

/**
 * Which parser read the answers, where it is not the newest that an evaluation began with; and the
 * way to the other reading.
 * @param {any} found
 */
function parserNodes(found) {
  const older = found.rows.filter((row) => row.own_parser !== found.parser);
  if (!older.length) return [];
  const line = make('p', 'th-soft th-qa-parser');
  const press = make('button', 'th-button');
  const again = Boolean(qa.parser);
  const numbers = older.map((row) => numberOf(row.id)).join(', ');
  const began =
    'first read by parser ' + [...new Set(older.map((row) => row.own_parser))].join(', ');
  press.type = 'button';
  put(press, again ? 'Show scores by the original parser' : 'Re-read by parser ' + found.parser);
  press.addEventListener('click', () => setAsk({ parser: again ? '' : found.parser }));
  line.append(
    again
      ? 'All answers are read by parser ' +
          qa.parser +
          ' on request. ' +
          numbers +
          ' ' +
          began +
          '. '
      : numbers + ' ' + began + '. These scores use that parser. ',
    press,
  );
  return [line];
}

/**
 * Draws the results into a box.
 * @param {HTMLElement} box
 * @param {any} found what the app answered
 * @param {(say: (text: string) => void) => Promise<void>} judge has the rules judge the renders
 */
export function drawResults(box, found, judge) {
  const card = make('section', 'th-card th-qa-card');
  const legend = make('p', 'th-qa-legend');
  const names = namesOf(found.rows);
  const blocks = figureBlocks(found);
  card.append(
    make(
      'p',
      'th-qa-lead',
      found.rows.length
        ? 'The chart shows how often each model answered correctly, by task; the dashed line is chance.'
        : 'Select an evaluation to see its scores. Chance and the pixel reader are shown for reference.',
    ),
  );
  found.rows.forEach((row) => {
    const one = make('span');
    const more = row.status === 'finished' ? '' : ' · ' + row.words;
    one.append(
      make('span', 'th-qa-number', numberOf(row.id)),
      make('b', '', row.name),
      make('span', 'th-soft', row.settings + more),
    );
    one.title = names.get(row.id) || '';
    legend.append(one);
  });
  card.append(legend, figure(blocks));
  const how = make('p', 'th-soft th-qa-key');
  how.textContent =
    'Line: 95% interval. Dashed: chance. ◇ pixel reader (a baseline, not a language model). □ people in your studies, ○ people, published.';
  card.append(
    how,
    ...parserNodes(found),
    ...found.notes.map((text) => make('p', 'th-soft', text)),
    saves(found, blocks),
  );
  const nodes = [card, ...differences(found), ...judging(found, judge)];
  if (found.rows.length || found.people.length) nodes.push(allNumbers(found));
  nodes.push(...reasons(found), ...published(found));
  keeping(box, () => box.replaceChildren(...nodes));
}
