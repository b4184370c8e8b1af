// Scores of the chosen evaluations: figure, all numbers, differences, published rows.
import { make, put } from '../shared/dom.js';
import { figure, figureBlocks } from './figure.js';
import { figureSvg, saveFigure } from './figure_file.js';
import { keeping } from './keep.js';
import { namesOf } from './names.js';
import { allNumbers, differences, judging, published, reasons } from './tables.js';
import { askUrl, numberOf, qa, changeView } from './view.js';

function link(text, path, values) {
  const node = make('a', 'th-button th-vlm-csv', text);
  node.href = askUrl(path, values);
  return node;
}

/**
 * What leaves the page: scores and answers as tables, the figure as a picture.
 * @param {Api.ResultsView} result
 * @param {import('./figure.js').Block[]} blocks
 */
function saves(result, blocks) {
  const box = make('p', 'th-vlm-saves');
  const values = { set: qa.set, askings: qa.evaluations.join(','), parser: qa.parser };
  const problem = make('span', 'th-problem');
  const imageNode = (text, format) => {
    const button = make('button', 'th-button', text);
    button.type = 'button';
    button.addEventListener('click', async () => {
      const legend = result.rows.map(
        (row) => numberOf(row.id) + '  ' + row.name + ', ' + row.settings,
      );
      try {
        await saveFigure(figureSvg(blocks, result.set.name, legend), 'scores', format);
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
  if (result.rows.length)
    box.append(
      link('Scores as CSV', '/results.csv', values),
      link('Answers as CSV', '/answers.csv', values),
    );
  box.append(imageNode('Figure as SVG', 'svg'), imageNode('Figure as PNG', 'png'), problem);
  return box;
}

/**
 * Which parser read the answers, where it is not the newest that an evaluation began with; and the
 * way to the other reading.
 * @param {Api.ResultsView} result
 */
function parserNodes(result) {
  const older = result.rows.filter((row) => row.own_parser !== result.parser);
  if (!older.length) return [];
  const line = make('p', 'th-soft th-vlm-parser');
  const press = make('button', 'th-button');
  const again = Boolean(qa.parser);
  const numbers = older.map((row) => numberOf(row.id)).join(', ');
  const began =
    'first read by parser ' + [...new Set(older.map((row) => row.own_parser))].join(', ');
  press.type = 'button';
  put(press, again ? 'Show scores by the original parser' : 'Re-read by parser ' + result.parser);
  press.addEventListener('click', () => changeView({ parser: again ? '' : result.parser }));
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
 * @param {Api.ResultsView} result
 * @param {(say: (text: string) => void) => Promise<void>} judge has the rules judge the renders
 */
export function drawResults(box, result, judge) {
  const card = make('section', 'th-card th-vlm-card');
  const legend = make('p', 'th-vlm-legend');
  const names = namesOf(result.rows);
  const blocks = figureBlocks(result);
  card.append(
    make(
      'p',
      'th-vlm-lead',
      result.rows.length
        ? 'The chart shows how often each model answered correctly, by task; the dashed line is chance.'
        : 'Select an evaluation to see its scores. Chance and the pixel reader are shown for reference.',
    ),
  );
  result.rows.forEach((row) => {
    const item = make('span');
    const more = row.status === 'finished' ? '' : ' · ' + row.words;
    item.append(
      make('span', 'th-vlm-number', numberOf(row.id)),
      make('b', '', row.name),
      make('span', 'th-soft', row.settings + more),
    );
    item.title = names.get(row.id) || '';
    legend.append(item);
  });
  card.append(legend, figure(blocks));
  const how = make('p', 'th-soft th-vlm-key');
  how.textContent =
    'Line: 95% interval. Dashed: chance. ◇ pixel reader (a baseline, not a language model). □ people in your studies, ○ people, published.';
  card.append(
    how,
    ...parserNodes(result),
    ...result.notes.map((text) => make('p', 'th-soft', text)),
    saves(result, blocks),
  );
  const nodes = [card, ...differences(result), ...judging(result, judge)];
  if (result.rows.length || result.people.length) nodes.push(allNumbers(result));
  nodes.push(...reasons(result), ...published(result));
  keeping(box, () => box.replaceChildren(...nodes));
}
