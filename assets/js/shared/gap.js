// Why not the paper's number: what each difference moves, in a row below the printed one.
import { make } from './dom.js';

/**
 * A quiet button that opens the gap below its row of a table.
 * @param {string} name of the printed row
 * @param {() => Promise<Api.GapView[]>} load
 * @param {string} text of the button, shorter where the head of its column asks
 */
export function gapButton(name, load, text = 'Why not the paper’s number?') {
  const button = make('button', 'th-why', text);
  button.type = 'button';
  button.setAttribute('aria-expanded', 'false');
  button.setAttribute('aria-label', `${text} ${name}`);
  /** @type {HTMLTableRowElement | null} */
  let opened = null;
  button.addEventListener('click', async () => {
    if (opened) {
      opened.remove();
      opened = null;
      button.setAttribute('aria-expanded', 'false');
      return;
    }
    const line = /** @type {any} */ (button.closest('tr'));
    const below = make('tr', 'th-gap');
    const cell = make('td');
    cell.colSpan = line.cells.length;
    const box = make('div', 'th-gap-box');
    box.setAttribute('role', 'status');
    box.append(make('p', 'th-soft', 'Counting…'));
    cell.append(box);
    below.append(cell);
    line.after(below);
    opened = below;
    button.setAttribute('aria-expanded', 'true');
    try {
      const gaps = await load();
      box.replaceChildren(...gaps.map(gapOf));
    } catch (error) {
      box.replaceChildren(make('p', 'th-problem', 'This cannot be shown. ' + error.message));
    }
  });
  return button;
}

/** @param {Api.GapView} gap */
function gapOf(gap) {
  const part = make('section');
  if (gap.name) part.append(make('h4', '', gap.name));
  if (!gap.columns.length) {
    part.append(make('p', '', gap.sentence));
    if (gap.command) part.append(make('code', '', gap.command));
    return part;
  }
  part.append(
    make(
      'p',
      'th-soft',
      'How far your number moves when one difference alone is switched to theirs. The shares do not add up: differences interact, and some exclude each other.',
    ),
    shares(gap),
  );
  if (gap.runs.length) {
    const folded = make('details');
    const count = gap.runs.length;
    const more = count === 1 ? 'One more difference needs' : `${count} more differences need`;
    const list = make('dl');
    gap.runs.forEach((item) => {
      const text = make('dd');
      text.append(make('span', '', `${item.ours} → ${item.theirs}. ${item.sentence}`));
      if (item.command) text.append(make('code', '', item.command));
      list.append(make('dt', '', item.name), text);
    });
    folded.append(make('summary', '', `${more} a run, or what nobody published`), list);
    part.append(folded);
  }
  return part;
}

/** @param {Api.GapView} gap */
function shares(gap) {
  const table = make('table');
  const head = make('tr');
  const title = (text) => {
    const item = make('th', '', text);
    item.scope = 'col';
    return item;
  };
  head.append(title('Difference'), ...gap.columns.map((column) => title(column.short)));
  /** @param {Record<string, string>} cells */
  const line = (className, name, text, cells) => {
    const row = make('tr', className);
    const first = make('th', '', name);
    first.scope = 'row';
    if (text) first.append(make('small', '', text));
    row.append(
      first,
      ...gap.columns.map((column) => make('td', '', (cells[column.id] || '–').replace('-', '−'))),
    );
    return row;
  };
  const box = make('thead');
  if (gap.columns.some((column) => column.part)) box.append(partsOf(gap));
  box.append(head);
  const body = make('tbody');
  body.append(
    line('th-gap-whole', 'Printed less yours', '', gap.missing),
    ...gap.rows.map((row) => {
      const shown = line('', row.name, `${row.ours} → ${row.theirs}`, row.cells);
      shown.title = row.sentence;
      return shown;
    }),
  );
  table.append(box, body);
  const scroll = make('div', 'th-gap-scroll');
  scroll.tabIndex = 0;
  scroll.setAttribute('role', 'group');
  scroll.setAttribute('aria-label', 'Table: differences' + (gap.name ? ' of ' + gap.name : ''));
  scroll.append(table);
  return scroll;
}

/**
 * The line above the columns: neighbors of one part have one heading.
 * @param {Api.GapView} gap
 */
function partsOf(gap) {
  const line = make('tr', 'th-gap-parts');
  line.append(make('td'));
  gap.columns.forEach((column, index) => {
    const last = /** @type {any} */ (line.lastChild);
    if (index && column.part === gap.columns[index - 1].part) {
      last.colSpan += 1;
      return;
    }
    const head = make('th', '', column.part);
    head.scope = 'colgroup';
    line.append(head);
  });
  return line;
}
