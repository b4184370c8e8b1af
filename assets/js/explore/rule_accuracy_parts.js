// Errors of the rules: rates by light, object, lightness and hue.
import { make, swatches } from '../shared/dom.js';

/**
 * @param {Api.AcceptRate | null} rate
 * @param {string} label
 * @param {boolean} isChosen
 */
function shaded(rate, label, isChosen) {
  const cell = make('td', isChosen ? 'th-heat th-of-rule' : 'th-heat', rate ? rate.text : '–');
  if (!rate) return cell;
  const wrong = label === 'hit' ? 100 - rate.percent : rate.percent;
  // Not darker, so that the number is read on every shade, light and dark (4.5 to 1).
  cell.style.setProperty('--wrong', (Math.min(100, wrong) * 0.33).toFixed(1) + '%');
  cell.title = rate.counts + ', ' + rate.interval + '%';
  return cell;
}

/**
 * The tables in two columns.
 * @param {Api.Breakdown[]} breakdowns
 * @param {{ id: string, name: string }[]} rules
 * @param {{ rule: string, system: string, what: string }} chosen
 */
export function partsColumns(breakdowns, rules, { rule, system, what }) {
  const cards = breakdowns
    .filter((breakdown) => breakdown.rows.length)
    .map((breakdown) => {
      const card = make('div', 'th-part');
      const table = make('table', 'th-table');
      const head = make('tr');
      const body = make('tbody');
      card.dataset.by = breakdown.by;
      head.appendChild(make('th', '', breakdown.name));
      rules.forEach((row) =>
        head.appendChild(make('th', row.id === rule ? 'th-of-rule' : '', row.name)),
      );
      breakdown.rows.forEach((part) => {
        const line = make('tr');
        const name = make('th', 'th-row-name');
        name.scope = 'row';
        if (part.swatches.length) name.appendChild(swatches(part.swatches));
        name.appendChild(make('span', '', part.label));
        line.appendChild(name);
        rules.forEach((row) => {
          const cell = (part.cells[row.id] || {})[system];
          line.appendChild(shaded(cell ? cell[what] : null, what, row.id === rule));
        });
        body.appendChild(line);
      });
      const top = make('thead');
      top.appendChild(head);
      table.append(top, body);
      card.appendChild(table);
      return card;
    });
  // Two columns of about equal height: the short table of each pair comes first.
  const columns = [
    ['light', 'object'],
    ['lightness', 'hue'],
  ].map((names) => {
    const column = make('div', 'th-parts-column');
    column.append(
      ...names.map((by) => cards.find((card) => card.dataset.by === by)).filter(Boolean),
    );
    return column;
  });
  return columns.filter((column) => column.childElementCount);
}
