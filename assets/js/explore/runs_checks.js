// What a run's card says of its control images, and of the order of models that it is compared in.
import { putProblems } from '../shared/batches.js';
import { make, put } from '../shared/dom.js';

/** The result in two words; the counts are folded. */
export function runControls() {
  const node = make('details', 'th-run-controls');
  const summary = make('summary');
  const lines = make('ul');
  node.append(summary, lines);
  return {
    node,
    /** @param {Api.RunControls | null} controls */
    update(controls) {
      node.hidden = !controls;
      if (!controls) return;
      put(summary, 'Control images: ' + controls.result);
      putProblems(lines, controls.lines);
    },
  };
}

/** How sure the order is; the models are folded. */
export function runOrder() {
  const node = make('div', 'th-run-order');
  const text = make('p');
  const fold = make('details');
  const body = make('tbody');
  const table = make('table');
  const head = make('thead');
  const row = make('tr');
  row.append(
    ...['Rank', 'Model', 'Estimate (95%)'].map((name) => {
      const cell = make('th', '', name);
      cell.setAttribute('scope', 'col');
      return cell;
    }),
  );
  head.append(row);
  table.append(head, body);
  fold.append(make('summary', '', 'Order of the models'), table);
  node.append(text, fold);
  node.hidden = true;
  let shown = '';
  return {
    node,
    /** @param {Api.RunOrder | null} order */
    update(order) {
      node.hidden = !order;
      if (!order || shown === JSON.stringify(order)) return;
      shown = JSON.stringify(order);
      put(text, order.text);
      fold.hidden = !order.models.length;
      body.replaceChildren(
        ...order.models.map((model) => {
          const line = make('tr', model.own ? 'th-own' : '');
          line.append(
            make('td', '', model.rank),
            make('td', '', model.name),
            make('td', '', model.estimate),
          );
          return line;
        }),
      );
    },
  };
}
