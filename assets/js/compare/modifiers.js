// How strongly and in which direction a modifier moves the colors: a table of ratios, and the plane
// of size against direction.
import { make, put, tableBody } from '../shared/dom.js';
import { analysisView, conceptCard } from './analyses.js';
import { groupedColumns, groupedHead, publishedTables } from './result_tables.js';

/** @param {import('../shared/widget.js').Widget} widget */
export function mount({ element }) {
  const view = analysisView(
    element,
    'modifiers',
    {
      people: '',
      method: 'extracted',
      guidance: 'all',
      runs: '',
      style: '',
      kind: '',
      modifier: '',
      low: '',
      high: '',
      angle: '',
    },
    draw,
  );
  const { state, find, set, query, api } = view;
  const csv = (part) => () => api + 'modifiers.csv?' + query({ part });
  const plane = conceptCard(csv('plane'));
  const sizes = conceptCard(csv('plane'));
  find('.th-modifiers-figures').append(plane.node, sizes.node);
  const limits = limitsBox();
  plane.node.querySelector('header').after(limits.node);

  /** @param {Api.ModifiersView} data */
  function draw(data) {
    view.choose('style', 'Style', data.choices.style);
    view.choose('kind', 'Modifiers', data.choices.kind);
    view.pick('modifier', 'Word', data.choices.modifier, data.modifier);
    find('.th-modifiers-table').hidden = !data.table;
    if (data.table) {
      put(find('.th-modifiers-about'), data.table.about);
      ratios(data.table);
      find('.th-modifiers-csv').href = csv('table')();
    }
    put(find('.th-modifiers-without'), data.without);
    find('.th-modifiers-without').hidden = !data.without;
    plane.node.hidden = !data.plane;
    sizes.node.hidden = !data.sizes;
    if (data.plane) {
      limits.show(data.limits);
      plane.show(data.plane);
    }
    if (data.sizes) sizes.show(data.sizes);
    publishedTables(find('.th-numbers-published'), data.published, data.frame.empty, query);
  }
  // Rows are runs; a number says how it came about below it.
  /** @param {Api.RatioTable} result */
  function ratios(result) {
    const box = find('.th-modifiers-table table');
    const made = JSON.stringify(result);
    if (box.dataset.made === made) return;
    box.dataset.made = made;
    const columns = groupedColumns(result.groups);
    const rows = result.rows.map((item) => {
      const name = make('th', 'th-leaderboard-name');
      name.title = item.facts;
      name.append(make('b', '', item.name), make('small', '', item.facts));
      const cells = columns.map((column) => {
        const cell = item.cells[column.id];
        const node = make('td', 'th-numbers-cell ' + column.line);
        if (!cell || !cell.text) {
          const none = make('span', 'th-numbers-none', '–');
          none.title = cell ? cell.title : '';
          node.append(none);
          return node;
        }
        const button = make('span', 'th-numbers-number');
        button.title = cell.title;
        button.append(make('span', '', cell.text));
        [cell.interval, cell.note]
          .filter(Boolean)
          .forEach((text) => button.append(make('small', '', text)));
        node.append(button);
        return node;
      });
      return [name, ...cells];
    });
    box.replaceChildren(groupedHead(result.groups, 'Run'), tableBody(rows));
  }
  // Where the regions of the plane begin; ours, and to be moved.
  function limitsBox() {
    const node = make('form', 'th-numbers-limits');
    const back = make('button', 'th-button', 'Default limits');
    const fields = [
      ['low', 'Inertia below', '× people'],
      ['angle', 'Drift beyond', '°'],
      ['high', 'Over-correction above', '× people'],
    ].map(([key, text, unit]) => {
      const label = make('label');
      const input = make('input');
      input.type = 'number';
      input.step = key === 'angle' ? '5' : '0.05';
      input.min = '0';
      input.name = key;
      label.append(make('span', '', text), input, make('span', '', unit));
      input.addEventListener('change', () => set({ [key]: input.value }));
      node.append(label);
      return { key, input };
    });
    back.type = 'button';
    back.addEventListener('click', () => set({ low: '', high: '', angle: '' }));
    node.addEventListener('submit', (event) => event.preventDefault());
    node.append(back);
    return {
      node,
      /** @param {Api.LimitTexts} limits */
      show(limits) {
        fields.forEach(({ key, input }) => {
          if (document.activeElement !== input) input.value = limits[key];
        });
        back.hidden = !state.low && !state.high && !state.angle;
      },
    };
  }
}
