// The cards of results: each a table that can be taken along, and its figure; before and after
// exclusion beside each other.
import { make, strip } from '../shared/dom.js';
import { intervals, plot } from './figures.js';
import { card, decimal, percent, rated, whole } from './parts.js';
import { csvButton, dataTable, span, spanHeads } from './table.js';

const AFTER = { id: 'included', name: 'After exclusion' };
const BEFORE = { id: 'everybody', name: 'All participants' };
const PAD = 1.12;

/** The range that holds all intervals, with room. @param {any[]} numbers @param {number} [mark] */
function rangeOf(numbers, mark) {
  const all = numbers
    .flatMap((number) => [number.value, number.low, number.high])
    .filter((value) => value !== null);
  if (mark !== undefined) all.push(mark);
  const low = Math.min(...all);
  const high = Math.max(...all);
  const half = (Math.max(high - low, 0.2) / 2) * PAD;
  const middle = (low + high) / 2;
  return /** @type {[number, number]} */ ([middle - half, middle + half]);
}

/** The two columns of a table that is shown before and after exclusion. */
function both(data, cell, values) {
  const ownerOf = (which, name) => ({
    name,
    cell: (row) => cell(row[which]),
    heads: values && spanHeads(name.toLowerCase().replaceAll(' ', '_')),
    values: values && ((row) => values(row[which])),
  });
  const columns = [ownerOf('everybody', 'All participants')];
  if (!data.same) columns.push(ownerOf('included', 'After exclusion'));
  return columns;
}

/** Rows by model, each with what it is before and after. */
function byModel(data, list) {
  const order = list(data.included).length ? list(data.included) : list(data.everybody);
  return order.map((item) => ({
    model: item.model,
    included: item,
    everybody: list(data.everybody).find((other) => other.model === item.model),
  }));
}

/** A table of models (or what `first` calls the rows) and one number, and its figure, before and
 * after: beside the table, or `below` a wide one; `line` may be of a row. */
export function ranked(data, title, text, list, number, shape) {
  const part = card(title, text);
  const rows = byModel(data, list);
  const numbers = rows.flatMap((row) => [row.everybody, row.included].filter(Boolean).map(number));
  const line = shape.line || [...rangeOf(numbers, shape.mark), shape.mark];
  const lineOf = typeof line === 'function' ? line : () => line;
  const columns = [
    { name: shape.first || 'Model', cell: (row) => row.model, values: (row) => [row.model] },
    ...both(
      data,
      (item) => (item ? rated(number(item), shape.format, lineOf(item)) : '–'),
      (item) => (item ? span(number(item)) : ['', '', '']),
    ),
    ...(shape.more || []),
  ];
  part.head.append(csvButton(shape.file, columns, rows));
  const figure = plot(title + ', with 95% intervals; the numbers are in the table.');
  const grid = make('div', shape.below ? 'th-study-below' : 'th-study-two');
  grid.append(dataTable(columns, rows, title, true), figure);
  part.body.append(grid);
  const series = (which, name) => ({
    name,
    rows: rows
      .filter((row) => row[which])
      .map((row) => ({ name: row.model, ...number(row[which]), mark: shape.markOf?.(row[which]) })),
  });
  const all = [series('everybody', 'All participants')];
  if (!data.same) all.push(series('included', 'After exclusion'));
  intervals(figure, all, shape.axis);
  if (!data.same) part.body.append(make('p', 'th-soft', 'Figure: ○ everybody, ● after exclusion.'));
  return part;
}

export function strengths(data) {
  const list = (summary) => summary.strengths;
  if (!list(data.included).length && !list(data.everybody).length) {
    const part = card('Strengths');
    part.body.append(make('p', 'th-soft', data.everybody.strengths_why));
    return part;
  }
  const part = ranked(
    data,
    'Strengths',
    'A model with a higher strength wins more votes; 0 is the mean of all models. Bradley–Terry with ties (Davidson), logits, MAP with a N(0, 5²) prior; 95% over resampled participants.',
    list,
    (item) => item.strength,
    {
      file: 'strengths',
      mark: 0,
      format: (value) => decimal(value),
      axis: { title: 'strength, logits', mark: 0, format: '.2f' },
      more: [
        {
          name: 'Elo',
          right: true,
          title: 'Points above the mean of all models, 400 / ln 10 per logit',
          cell: (row) => whole(Math.round(row.included.elo)),
          heads: ['elo', 'elo_low', 'elo_high'],
          values: (row) => [row.included.elo, row.included.elo_low, row.included.elo_high],
        },
        {
          name: 'Rank',
          right: true,
          title: '95% interval of the rank',
          cell: ({ included: item }) =>
            item.rank_low === item.rank_high
              ? String(item.rank_low)
              : item.rank_low + '–' + item.rank_high,
          heads: ['rank_low', 'rank_high'],
          values: (row) => [row.included.rank_low, row.included.rank_high],
        },
        {
          name: 'Votes',
          right: true,
          cell: (row) => whole(row.included.votes),
          values: (row) => [row.included.votes],
        },
      ],
    },
  );
  const separated = data.included.strengths
    .filter((strength) => strength.separated)
    .map((strength) => strength.model);
  const tie = data.included.tie_between_equals;
  const parts = [];
  if (tie !== null && data.included.ties)
    parts.push('Two equally strong models would tie in ' + percent(tie) + ' of votes.');
  if (separated.length)
    parts.push(
      separated.join(', ') +
        ': won or lost every comparison with the others; only a weak prior keeps the number finite.',
    );
  if (parts.length) part.body.append(make('p', 'th-soft', parts.join(' ')));
  return part;
}

/** Shares of wins, the row against the column. */
export function matrix(summary, file) {
  const names = (summary.strengths.length ? summary.strengths : summary.win_rates).map(
    (strength) => strength.model,
  );
  const lookUp = (model, other) =>
    summary.against.find((item) => item.model === model && item.other === other);
  const all = summary.win_rates;
  const cell = (item) => {
    const node = make('span', 'th-study-heat');
    if (!item) return '';
    const share = item.rate.value;
    node.append(make('b', '', percent(share)));
    if (item.rate.low !== null)
      node.append(make('small', '', percent(item.rate.low) + ' to ' + percent(item.rate.high)));
    node.style.setProperty('--share', (share === null ? 0 : 26 * share).toFixed(1) + '%');
    node.title = [item.wins + ' won', item.losses + ' lost', item.ties + ' tied'].join(', ');
    return node;
  };
  const values = (item) =>
    item
      ? [item.rate.value, item.rate.low, item.rate.high, item.wins, item.losses, item.ties]
      : Array(6).fill('');
  const heads = (name) =>
    ['', '_low', '_high', '_wins', '_losses', '_ties'].map((end) => name + end);
  const columns = [
    { name: 'Wins of', cell: (row) => row, values: (row) => [row] },
    ...names.map((other) => ({
      name: 'against ' + other,
      cell: (row) => (row === other ? '–' : cell(lookUp(row, other))),
      heads: heads(other),
      values: (row) => values(lookUp(row, other)),
    })),
    {
      name: 'against all models',
      cell: (row) => cell(all.find((item) => item.model === row)),
      heads: heads('all'),
      values: (row) => values(all.find((item) => item.model === row)),
    },
  ];
  const table = dataTable(columns, names, 'Share of votes that the row wins over the column', true);
  table.classList.add('th-study-matrix');
  return { table, save: csvButton(file, columns, names) };
}

/** What is told of each model within a type of case, by the kind of study. */
const BY_TYPE = {
  pairs: {
    rows: (summary) =>
      summary.groups.map((row) => ({ ...row, list: row.strengths, count: row.votes })),
    number: (item) => item.strength,
    format: (value) => decimal(value),
    mark: 0,
    words: 'Model strengths in each category, logits.',
  },
  ratings: {
    rows: (summary) =>
      (summary.by_group || []).map((row) => ({ ...row, list: row.ratings, count: row.answers })),
    number: (item) => item.mean,
    format: (value) => decimal(value),
    line: [0, 10],
    words: 'Mean ratings in each category, 0 to 10.',
  },
  'best-of': {
    rows: (summary) =>
      (summary.by_group || []).map((row) => ({
        ...row,
        list: row.first_choices,
        count: row.answers,
      })),
    number: (item) => item.share,
    format: (value) => percent(value, 1),
    line: [0, 1],
    words: 'Share of first choices in each category.',
  },
};

/** The models within each type of case: what is said of them, and a table of one summary; null
 * where there are no types to tell apart. */
export function byType(data) {
  const how = BY_TYPE[data.study.kind];
  if (!how || how.rows(data.included).length < 2) return null;
  return switched(data, 'By category', how.words, (summary) => {
    const rows = how.rows(summary);
    const names = [...new Set(rows.flatMap((row) => row.list.map((item) => item.model)))];
    const find = (row, model) => row.list.find((item) => item.model === model);
    const all = rows.flatMap((row) => row.list.map(how.number));
    const line = how.line || [...rangeOf(all, how.mark), how.mark];
    const columns = [
      { name: 'Type', cell: (row) => row.group || 'no category', values: (row) => [row.group] },
      { name: 'Votes', right: true, cell: (row) => whole(row.count), values: (row) => [row.count] },
      ...names.map((model) => ({
        name: model,
        cell(row) {
          const item = find(row, model);
          return item ? rated(how.number(item), how.format, line) : '–';
        },
        heads: spanHeads(model),
        values: (row) => (find(row, model) ? span(how.number(find(row, model))) : ['', '', '']),
      })),
    ];
    const table = dataTable(columns, rows, 'Models by type of case', true);
    return { table, save: csvButton('by-type', columns, rows) };
  });
}

/** Ties, skips, sides, agreement: a row each. */
export function reliability(data) {
  const part = card(
    'Reliability',
    'How consistently people answered: ties, skips, side bias and agreement.',
  );
  const pick = (name, source, format, title, line) => ({
    name,
    title,
    format,
    line,
    everybody: source(data.everybody),
    included: source(data.included),
  });
  const share = (value) => percent(value, 1);
  const pairs = data.study.kind === 'pairs';
  const two = (value) => decimal(value);
  const rows = [
    pairs && pick('Ties', (s) => s.tie_share, share, 'Share of answers that are a tie', [0, 1]),
    pick('Skips', (s) => s.skip_share, share, 'Share of “cannot tell” answers', [0, 1]),
    pairs &&
      pick(
        'Left chosen',
        (s) => s.side_bias && s.side_bias.left_share,
        share,
        'Votes for the left, without ties; exact interval',
        [0, 1, 0.5],
      ),
    data.study.kind !== 'ratings' &&
      pick(
        'Observed agreement',
        (s) => s.agreement.observed,
        share,
        'Share of answer pairs per stimulus that agree',
        [0, 1],
      ),
    data.study.kind !== 'ratings' &&
      pick(
        'Fleiss’ κ',
        (s) => s.agreement.kappa,
        two,
        'Agreement beyond chance, at most 1',
        [-0.2, 1, 0],
      ),
    pick(
      'Krippendorff’s α',
      (s) => s.agreement.alpha,
      two,
      'Agreement beyond chance, ' + data.everybody.agreement.scale + ' scale, at most 1',
      [-0.2, 1, 0],
    ),
    data.study.kind === 'ratings' &&
      pick(
        'Inter-rater Spearman',
        (s) => s.agreement.inter_rater_spearman,
        two,
        'Rank correlation of two people’s ratings of the same images, mean of all pairs of people',
        [-0.2, 1, 0],
      ),
  ].filter((row) => row && (row.everybody || row.included));
  const cell = (row, which) => (row[which] ? rated(row[which], row.format, row.line) : '–');
  const columns = [
    {
      name: '',
      cell(row) {
        const node = make('span', '', row.name);
        node.title = row.title;
        return node;
      },
      heads: ['measure'],
      values: (row) => [row.name],
    },
    ...[BEFORE, ...(data.same ? [] : [AFTER])].map((which) => ({
      name: which.name,
      cell: (row) => cell(row, which.id),
      heads: spanHeads(which.id),
      values: (row) => (row[which.id] ? span(row[which.id]) : ['', '', '']),
    })),
  ];
  part.head.append(csvButton('reliability', columns, rows));
  part.body.append(dataTable(columns, rows, 'Ties, side bias and agreement'));
  part.body.firstElementChild?.classList.add('th-study-narrow');
  const now = data.included;
  const message = [now.side_bias && now.side_bias.words, now.agreement.words].filter(Boolean);
  message.push(
    ...now.arrangements.map(
      (arrangement) =>
        (arrangement.arrangement === 'column' ? 'Stacked layout: ' : 'Side-by-side layout: ') +
        arrangement.first +
        ' ' +
        percent(arrangement.share.value, 1) +
        ' of ' +
        whole(arrangement.votes_first + arrangement.votes_second) +
        ' votes.',
    ),
  );
  part.body.append(...message.map((text) => make('p', 'th-soft', text)));
  return part;
}

/** A card about one of both summaries, with a switch where they differ. */
export function switched(data, title, text, fill) {
  const part = card(title, text);
  const choice = make('span', 'th-strip');
  const tools = make('span', 'th-study-buttons');
  let which = AFTER.id;
  choice.setAttribute('role', 'group');
  choice.setAttribute('aria-label', 'Votes included');
  function draw() {
    if (!data.same)
      strip(choice, [AFTER, BEFORE], which, (id) => {
        which = id;
        draw();
      });
    const { table, save } = fill(data[which]);
    part.body.replaceChildren(table);
    tools.replaceChildren(save);
  }
  part.head.append(choice, tools);
  draw();
  return part;
}
