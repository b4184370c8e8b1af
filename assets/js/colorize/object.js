// One concept: its selected sketch, and the alternatives.
import { make, put, strip } from '../shared/dom.js';
import { ask, send } from '../shared/http.js';
import { candidateCard } from './candidate.js';
import { drawForm } from './generate_form.js';
import { ago } from './library.js';
import { USUAL } from './prepare.js';

const VIEWS = [
  { id: 'ink', name: 'Lines', title: 'Lines of each image, cleaned up' },
  { id: 'regions', name: 'Regions', title: 'Each hatch is one region that a click fills' },
  { id: 'image', name: 'Original', title: 'The original images' },
];

/**
 * @param {HTMLElement} box
 * @param {{ adjust: (of: any) => void, color: (values: Record<string, string>) => void,
 *   listed: () => string[], changed: (stored: any) => void,
 *   problem: (text: string) => void }} calls
 */
export function objectView(box, { adjust, color, listed, changed, problem }) {
  let view = 'ink';
  let text = '';
  let request = 0;
  /** @type {import('./library.js').Known | null} */
  let known = null;
  const head = make('header');
  const title = make('h3');
  const about = make('span', 'th-soft');
  const views = make('span', 'th-strip');
  const said = make('p', 'th-soft');
  const grid = make('div', 'th-sketches-candidates');
  const none = make('p', 'th-sketches-empty');
  const failed = make('p', 'th-problem');
  views.setAttribute('role', 'group');
  views.setAttribute('aria-label', 'Shown image of the candidates');
  head.append(title, about, views);
  const form = drawForm({ drawn: () => load(), listed, problem });
  box.append(head, said, grid, none, failed, form.node);
  /** @type {ReturnType<typeof candidateCard>[]} */
  let cards = [];

  const starterStored = (stored) => stored.some((item) => item.starter);
  function views_() {
    strip(views, VIEWS, view, (id) => {
      view = id;
      views_();
      cards.forEach((card) => card.show(view));
    });
  }
  async function load() {
    const mine = ++request;
    let answer;
    try {
      answer = await ask(`/api/colorize/candidates?${new URLSearchParams({ words: text })}`);
    } catch (error) {
      if (mine === request) problem(error.message);
      return;
    }
    if (mine !== request) return;
    put(title, answer.words);
    put(about, answer.category);
    put(said, answer.said);
    form.sentence(answer.sentence);
    draw(answer);
  }
  function draw(answer) {
    const base = known?.bases.find((item) => item.words === answer.words);
    const stored = known?.stored.filter((item) => item.words === answer.words) || [];
    const ids = new Set(known?.stored.map((item) => item.id));
    const use = async (body) =>
      changed(await send('/api/colorize/sketches', { words: text, ...body }));
    cards = [
      ...stored.map((item, index) =>
        candidateCard(
          {
            sketch: item.id,
            title: 'Stored sketch',
            about: item.source + ', ' + ago(item.at),
            inUse: index === 0,
          },
          [{ name: 'Color it', act: () => color({ sketch: item.id, words: item.words }) }],
        ),
      ),
      ...(base?.drawing
        ? [
            candidateCard(
              {
                drawing: base.id,
                title: 'Included drawing',
                about: 'included with TrueHue, as vectors',
                inUse: !stored.length,
              },
              [
                ...(stored[0]?.starter
                  ? []
                  : [
                      {
                        name: starterStored(stored) ? 'Use' : 'Store it',
                        title: 'Makes it available to studies',
                        act: () => use({ drawing: base.id }),
                      },
                    ]),
                { name: 'Color it', act: () => color({ drawing: base.id, words: base.words }) },
              ],
            ),
          ]
        : []),
      ...answer.drawn.map((item) =>
        candidateCard({ image: item.image, title: item.model, about: item.about, known: ids }, [
          {
            name: 'Use',
            title: 'Stored as the sketch of “' + text + '”',
            act: () => use({ ...USUAL, image: item.image }),
          },
          { name: 'Adjust…', act: () => adjust({ image: item.image, words: text }) },
        ]),
      ),
    ];
    grid.replaceChildren(...cards.map((card) => card.node));
    cards.forEach((card) => card.show(view));
    none.hidden = cards.length > 0;
    put(
      none,
      'There is no drawing of “' +
        answer.words +
        '” yet. Generate candidates below, or drop drawings above.',
    );
    failed.hidden = !answer.failed.length;
    put(failed, answer.failed.join(' '));
    views_();
  }
  return {
    /**
     * @param {string} next
     * @param {import('./library.js').Known | null} all
     */
    open(next, all) {
      known = all;
      const other = next !== text;
      text = next;
      if (other) {
        grid.replaceChildren();
        put(title, next);
      }
      form.of(next);
      load();
    },
  };
}
