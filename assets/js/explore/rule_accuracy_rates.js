// The rates of every rule with intervals, and accuracy by confidence.
import { make } from '../shared/dom.js';

/**
 * @param {Api.AcceptRate | null | undefined} rate
 * @param {string} [text] where there is none
 */
export function rateCell(rate, text) {
  const cell = make('td', 'th-rate');
  if (!rate) {
    cell.appendChild(make('span', 'th-soft', text || '–'));
    return cell;
  }
  const track = make('span', 'th-interval');
  const range = make('i');
  const index = make('b');
  range.style.left = rate.low + '%';
  range.style.width = Math.max(rate.high - rate.low, 0.4) + '%';
  index.style.left = rate.percent + '%';
  track.append(range, index);
  const numbers = make('span', 'th-rate-numbers');
  numbers.append(make('b', '', rate.text), make('small', '', rate.interval));
  cell.append(numbers, track);
  cell.title = rate.counts;
  return cell;
}

/** @param {Api.NamedChoice[]} systems */
function heads(systems) {
  const top = make('tr');
  const below = make('tr');
  const name = make('th', '', 'Rule');
  name.rowSpan = 2;
  top.appendChild(name);
  systems.forEach((system) => {
    const head = make('th', 'th-group', system.name);
    head.colSpan = 2;
    top.appendChild(head);
    below.append(
      make('th', 'th-group', 'True accept rate, %'),
      make('th', '', 'False accept rate, %'),
    );
  });
  const unscored = make('th', 'th-group', 'Unscored');
  unscored.rowSpan = 2;
  unscored.title = 'Verdicts that could not be given. They stay in the counts, as not accepted.';
  top.appendChild(unscored);
  const head = make('thead');
  head.append(top, below);
  return head;
}

/**
 * @param {Api.NamedChoice[]} systems
 * @param {Api.TracedRow} row
 * @param {HTMLElement} name
 * @param {boolean} [soft]
 */
function line(systems, row, name, soft) {
  const node = make('tr', soft ? 'th-beside' : '');
  const head = make('th', 'th-row-name');
  head.scope = 'row';
  head.appendChild(name);
  node.appendChild(head);
  systems.forEach((system) => {
    const cell = row.cells[system.id];
    const empty = row.cells[system.id] === undefined ? '' : '–';
    const hit = rateCell(cell && cell.hit, empty);
    const accepted = rateCell(cell && cell.false, empty);
    hit.classList.add('th-group');
    node.append(hit, accepted);
  });
  const unscored = make(
    'td',
    'th-group th-count',
    row.unscored === null ? '' : row.unscored.toLocaleString('en-US'),
  );
  node.appendChild(unscored);
  return node;
}

/**
 * The head and the body of the table.
 * @param {Api.RuleAccuracyView} report
 * @param {string} rule that is chosen
 * @param {(rule: string) => void} choose
 */
export function ratesTable(report, rule, choose) {
  const { systems, beside, traced } = report;
  const body = make('tbody');
  report.rows.forEach((row) => {
    const name = make('span');
    const button = make('button', 'th-rule', row.name);
    button.type = 'button';
    button.title = [row.description, row.parameters].filter(Boolean).join('\n');
    button.setAttribute('aria-pressed', String(row.id === rule));
    button.dataset.rule = row.id;
    button.addEventListener('click', () => choose(row.id));
    name.append(button, make('small', 'th-soft', row.version));
    if (row.stale) name.appendChild(make('small', 'th-stale', row.stale));
    body.appendChild(line(systems, row, name));
    const other =
      beside && beside.rows.find((item) => item.id === row.id && Object.keys(item.cells).length);
    if (other) {
      const text = make('span');
      text.appendChild(make('small', 'th-soft', beside.name));
      if (other.stale) text.appendChild(make('small', 'th-stale', other.stale));
      body.appendChild(line(systems, other, text, true));
    }
  });
  body.appendChild(published(report));
  traced.sets.forEach((set) => {
    const top = make('tr', 'th-published');
    const text = make('th', 'th-row-name');
    text.colSpan = 2 + 2 * systems.length;
    text.scope = 'rowgroup';
    text.append(make('b', '', set.name), make('small', 'th-soft', ' ' + set.words));
    text.style.whiteSpace = 'normal';
    top.appendChild(text);
    body.appendChild(top);
    set.rows.forEach((row) => {
      const name = make('span');
      name.append(make('span', '', row.name + ' '), make('small', 'th-soft', row.version));
      body.appendChild(line(systems, row, name));
    });
  });
  return [heads(systems), body];
}

/**
 * The head and the body of the table: of verdicts with a confidence, how many are right.
 * @param {Api.TracedSet[]} sets
 */
export function reliabilityTable(sets) {
  const head = make('thead');
  const top = make('tr');
  const body = make('tbody');
  [
    'Images',
    'Verdict',
    'Confidence from',
    'Verdicts',
    'Stated confidence, %',
    'Observed accuracy, %',
  ].forEach((name) => top.appendChild(make('th', '', name)));
  head.appendChild(top);
  sets.forEach((set) =>
    set.calibration.forEach((bin) => {
      const row = make('tr');
      [
        set.name,
        bin.status,
        bin.from,
        bin.verdicts.toLocaleString('en-US'),
        bin.said,
        bin.right,
      ].forEach((text) => row.appendChild(make('td', '', text)));
      body.appendChild(row);
    }),
  );
  return [head, body];
}

/**
 * The head and the body of the table of the rules against people's names.
 * @param {Api.PeopleRow[]} rows
 */
export function peopleTable(rows) {
  const head = make('thead');
  const top = make('tr');
  const body = make('tbody');
  ['Rule', 'Agreement, %', 'Rare names accepted, %', 'Names accepted for a color'].forEach((name) =>
    top.appendChild(make('th', '', name)),
  );
  head.appendChild(top);
  rows.forEach(({ name, version, agreed, rare, names }) => {
    const row = make('tr');
    const cell = make('th', 'th-row-name');
    cell.scope = 'row';
    cell.append(make('span', '', name + ' '), make('small', 'th-soft', version));
    row.append(cell, ...[agreed, rare, names].map((text) => make('td', '', text)));
    body.appendChild(row);
  });
  return [head, body];
}

/**
 * What the paper says of its own rule, without intervals.
 * @param {Api.RuleAccuracyView} report
 */
function published(report) {
  const node = make('tr', 'th-published');
  const head = make('th', 'th-row-name');
  const name = make('span');
  head.scope = 'row';
  name.append(
    make('b', '', 'paper, as published'),
    make('small', 'th-soft', 'on the authors’ own renders'),
  );
  name.title = [...new Set(report.published.map((item) => item.source))].join('\n');
  head.appendChild(name);
  node.appendChild(head);
  report.systems.forEach((system) => {
    const result = report.published.find((item) => item.system === system.id);
    const hit = make('td', 'th-rate th-group');
    const numbers = make('span', 'th-rate-numbers');
    numbers.append(make('b', '', result ? result.hit : '–'), make('small', '', 'no interval'));
    hit.appendChild(numbers);
    hit.title = result ? result.source : '';
    node.append(hit, make('td', 'th-rate th-soft', 'not published'));
  });
  node.appendChild(make('td', 'th-group th-count th-soft', 'not published'));
  return node;
}
