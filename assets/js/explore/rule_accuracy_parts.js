// Errors of the rules: rates by light, object, lightness and hue.
import { make, swatches, table } from '../shared/dom.js';

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
      card.dataset.by = breakdown.by;
      const heads = rules.map((row) => make('th', row.id === rule ? 'th-of-rule' : '', row.name));
      const lines = breakdown.rows.map((part) => {
        const name = make('th', 'th-row-name');
        if (part.swatches.length) name.appendChild(swatches(part.swatches));
        name.appendChild(make('span', '', part.label));
        const cells = rules.map((row) => {
          const cell = (part.cells[row.id] || {})[system];
          return shaded(cell ? cell[what] : null, what, row.id === rule);
        });
        return [name, ...cells];
      });
      card.appendChild(table('th-table', [breakdown.name, ...heads], lines));
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
