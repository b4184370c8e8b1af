// Does stronger guidance, or a larger model, bring the colors nearer to people's?
import { analysisView, conceptCard } from './analyses.js';
import { publishedTables } from './result_tables.js';

/** @param {import('../shared/widget.js').Widget} widget */
export function mount({ element }) {
  const view = analysisView(
    element,
    'guidance',
    {
      people: '',
      method: 'extracted',
      runs: '',
      metric: 'emd_lab',
      kind: '',
      style: '',
    },
    draw,
  );
  const { find, query, api } = view;
  const cards = Object.fromEntries(
    ['guidance', 'size', 'category'].map((part) => [
      part,
      conceptCard(() => api + 'guidance.csv?' + query({ part })),
    ]),
  );
  find('.th-guidance-figures').append(...Object.values(cards).map((card) => card.node));

  /** @param {Api.GuidanceView} data */
  function draw(data) {
    view.choose('metric', 'Metric', data.choices.metric);
    view.choose('kind', 'Concepts', data.choices.kind);
    view.choose('style', 'Style', data.choices.style);
    Object.entries(cards).forEach(([part, card]) => {
      card.node.hidden = !data.figures[part];
      if (data.figures[part]) card.show(data.figures[part]);
    });
    publishedTables(find('.th-numbers-published'), data.published, data.frame.empty, query);
  }
}
