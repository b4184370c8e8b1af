// Why not the paper's number: what each difference moves, in a row below the printed one.
import { make } from '../shared/dom.js';
import { ask } from '../shared/http.js';

/** Runs of one model whose gaps are shown; the leaderboard has the newest first. */
const MOST_RUNS = 3;

/**
 * A quiet button that opens the gap below its row.
 * @param {HTMLTableRowElement} line the printed row
 * @param {{ name: string, runs: { id: string, name: string }[] }} row
 * @param {() => URLSearchParams} query how the leaderboard counts
 */
export function gapButton(line, row, query) {
  const button = make('button', 'th-why', 'Why not the paper’s number?');
  button.type = 'button';
  button.setAttribute('aria-expanded', 'false');
  button.setAttribute('aria-label', `Why not the paper’s number? ${row.name}`);
  /** @type {HTMLTableRowElement | null} */
  let opened = null;
  button.addEventListener('click', async () => {
    if (opened) {
      opened.remove();
      opened = null;
      button.setAttribute('aria-expanded', 'false');
      return;
    }
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
      const runs = row.runs.length ? row.runs.slice(0, MOST_RUNS) : [{ id: '', name: '' }];
      const gaps = [];
      for (const run of runs) {
        const params = new URLSearchParams(query());
        params.set('model', row.name);
        params.set('run', run.id);
        gaps.push(await ask(`/api/explore/leaderboard/gap?${params}`));
      }
      box.replaceChildren(...gaps.map((gap) => gapOf(gap, runs.length > 1)));
    } catch (error) {
      box.replaceChildren(make('p', 'th-problem', 'This cannot be shown. ' + error.message));
    }
  });
  return button;
}

function gapOf(gap, several) {
  const part = make('section');
  if (several) part.append(make('h4', '', gap.run));
  if (!gap.columns.length) {
    part.append(
      make(
        'p',
        '',
        gap.run
          ? 'This run has no number in a column of the table.'
          : 'There is no run of this model here. This command says what it needs, and starts it:',
      ),
    );
    if (!gap.run) part.append(make('code', '', gap.command));
    return part;
  }
  part.append(
    make(
      'p',
      'th-soft',
      'Points that your number moves by when one difference alone is switched to theirs. They do not add up: differences interact, and some exclude each other.',
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
    folded.append(make('summary', '', `${more} a run`), list);
    part.append(folded);
  }
  return part;
}

function shares(gap) {
  const table = make('table');
  const head = make('tr');
  head.append(
    ...['Difference', ...gap.columns.map((column) => column.short)].map((text) => {
      const item = make('th', '', text);
      item.scope = 'col';
      return item;
    }),
  );
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
  box.append(head);
  const body = make('tbody');
  body.append(
    line('th-gap-whole', 'Printed less yours', '', gap.missing),
    ...gap.rows.map((row) => line('', row.name, `${row.ours} → ${row.theirs}`, row.cells)),
  );
  table.append(box, body);
  const scroll = make('div', 'th-gap-scroll');
  scroll.append(table);
  return scroll;
}
