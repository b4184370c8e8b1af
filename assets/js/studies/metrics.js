// Metrics against people, as in Table 3 of the paper: the metrics that may replace votes.
import { arrange, make, strip } from '../shared/dom.js';
import { intervals, plot } from './figures.js';
import {
  button,
  card,
  cautionLine,
  decimal,
  nothing,
  percent,
  problemLine,
  rated,
  whole,
} from './parts.js';
import { exclusionWords, resultsOf } from './results_of.js';
import { csvButton, dataTable, span, spanHeads } from './table.js';
import { onView, openStudy } from './view.js';

/**
 * What is told of each metric: `line` is from, to, and what chance gives.
 * @typedef {object} Measure
 * @property {string} id
 * @property {string} name
 * @property {(value: number | null) => string} format
 * @property {[number, number, number]} line
 * @property {string} axis of plotly
 */
/** @type {Measure[]} */
const MEASURES = [
  {
    id: 'pearson',
    name: 'Pearson',
    format: (value) => decimal(value, 3),
    line: [-1, 1, 0],
    axis: '.3f',
  },
  {
    id: 'spearman',
    name: 'Spearman',
    format: (value) => decimal(value, 3),
    line: [-1, 1, 0],
    axis: '.3f',
  },
  {
    id: 'agreement',
    name: 'Agreement',
    format: (value) => percent(value, 1),
    line: [0, 1, 0.5],
    axis: '.1%',
  },
];
const KENDALL = { ...MEASURES[1], id: 'kendall', name: 'Kendall’s τ-b' };
const HELP = {
  pairs: {
    pearson:
      'Correlation between the metric’s difference of two models and their share of votes, with each pair in both orders',
    spearman: 'Rank correlation',
    agreement:
      'Share of pairs for which the metric prefers the same model as most people; a tie counts as a disagreement',
    agreement_decided: 'The same without ties',
  },
  ratings: {
    pearson: 'Correlation of the metric with the mean rating of an image',
    spearman: 'Rank correlation',
    kendall:
      'Share of image pairs in the same order minus the share in the opposite order, without ties',
  },
  'best-of': {
    agreement:
      'Share of sets of four for which the metric and most people choose the same best image',
  },
};

/** Whether any metric has this number. */
const has = (rows, id) =>
  rows.some((row) => row[id] && row[id].value !== null && row[id].value !== undefined);
/** The measures that a kind of study has. */
const measuresOf = (rows) =>
  [MEASURES[0], MEASURES[1], KENDALL, MEASURES[2]].filter((measure) => has(rows, measure.id));
const capital = (text) => text[0].toUpperCase() + text.slice(1);

/** A number with what was published, or chance gives, below it. */
function others(row, measure) {
  const chance = measure.id === 'agreement' && row.chance ? row.chance : null;
  const [from, to, mark] = measure.line;
  const node = rated(row[measure.id], measure.format, [from, to, chance ?? mark]);
  const published = row.published && row.published[measure.id];
  if (published !== null && published !== undefined)
    node.append(make('small', 'th-study-published', 'published ' + measure.format(published)));
  if (chance) node.append(make('small', 'th-study-published', 'chance ' + measure.format(chance)));
  return node;
}

function columnsOf({ rows, kind = 'pairs', of = 'pairs' }) {
  const help = HELP[kind] || HELP.pairs;
  /** @type {import('./table.js').Column[]} */
  const columns = [
    {
      name: 'Metric',
      cell(row) {
        const node = make('span', 'th-study-metric');
        const about = [row.unit, row.turned ? 'lower is better: sign reversed' : ''].filter(
          Boolean,
        );
        node.append(make('b', '', row.name));
        if (about.length) node.append(make('small', '', about.join(' · ')));
        node.title = [row.formula, row.source && 'Source: ' + row.source]
          .filter(Boolean)
          .join('\n');
        return node;
      },
      values: (row) => [row.name],
    },
    ...measuresOf(rows).map((measure) => ({
      name: measure.name,
      title: help[measure.id],
      cell: (row) => others(row, measure),
      heads: [...spanHeads(measure.id), measure.id + '_published'],
      values: (row) => [...span(row[measure.id]), row.published ? row.published[measure.id] : ''],
    })),
  ];
  if (has(rows, 'agreement_decided'))
    columns.push({
      name: 'Of decided pairs',
      title: help.agreement_decided,
      cell: (row) => rated(row.agreement_decided, MEASURES[2].format, [0, 1, 0.5]),
      heads: spanHeads('agreement_decided'),
      values: (row) => span(row.agreement_decided),
    });
  columns.push({
    name: capital(of),
    right: true,
    cell(row) {
      const node = make('span', '', whole(row.pairs));
      const more = [];
      if (row.unscored) more.push(row.unscored + ' without a value');
      if (row.metric_ties) more.push(row.metric_ties + ' tied');
      if (more.length) node.append(make('small', 'th-study-below', more.join(', ')));
      node.title = row.unscored_why.map((item) => item.candidates + ': ' + item.words).join('\n');
      return node;
    },
    heads: [of.replaceAll(' ', '_'), 'unscored', 'metric_ties', 'vote_ties'],
    values: (row) => [row.pairs, row.unscored, row.metric_ties, row.vote_ties],
  });
  return columns;
}

/** How the metrics stand within each type of case: a row each, as there are more of them. */
function byType(all) {
  const part = card(
    'By category',
    'How well each metric agrees with people in each category (Spearman; intervals resample cases).',
  );
  const groups = all.filter((group) => group.rows.some((row) => row.spearman.value !== null));
  const names = new Map(groups.flatMap((group) => group.rows.map((row) => [row.metric, row.name])));
  const ownerOf = (group, metric) => group.rows.find((row) => row.metric === metric)?.spearman;
  const columns = [
    { name: 'Metric', cell: ([, name]) => make('b', '', name), values: ([, name]) => [name] },
    ...groups.map((group) => ({
      name: group.group,
      unit: whole(group.pairs) + ' pairs',
      cell: ([metric]) =>
        ownerOf(group, metric)
          ? rated(ownerOf(group, metric), MEASURES[1].format, MEASURES[1].line)
          : '–',
      heads: spanHeads(group.group),
      values: ([metric]) => (ownerOf(group, metric) ? span(ownerOf(group, metric)) : ['', '', '']),
    })),
  ];
  const rows = [...names];
  part.head.append(csvButton('metrics-by-type', columns, rows));
  part.body.append(dataTable(columns, rows, 'Metrics against people by type of case', true));
  part.body.firstElementChild?.classList.add('th-study-narrow');
  const list = make('ul', 'th-study-list-words');
  all.forEach((group) => {
    const sentence = group.sentence || group.why;
    if (sentence) list.append(make('li', '', group.group + ': ' + sentence));
  });
  if (list.children.length) part.body.append(list);
  return part.node;
}

/**
 * @param {HTMLElement} box
 * @param {import('./study.js').Current} current
 */
export function metricsView(box, current) {
  const results = resultsOf(current);
  const line = problemLine();
  let which = 'included';
  let measure = 'spearman';

  function headline(data, validation) {
    const top = make('section', 'th-card th-study-sum');
    const [first, ...rest] = validation.sentences;
    const caution = cautionLine();
    top.append(make('p', 'th-study-lead th-study-headline', first || ''), caution.node);
    caution.say(validation.caution);
    if (rest.length) {
      const list = make('ul', 'th-study-list-words');
      list.append(...rest.map((text) => make('li', '', text)));
      top.append(list);
    }
    const message =
      exclusionWords(data) +
      ' ' +
      whole(validation.pairs) +
      ' ' +
      (validation.of || 'pairs') +
      ' of ' +
      whole(validation.cases) +
      ' cases.';
    top.append(make('p', 'th-soft', message));
    if (!data.same) {
      const choice = make('span', 'th-strip');
      choice.setAttribute('role', 'group');
      choice.setAttribute('aria-label', 'Votes included');
      const names = [
        { id: 'included', name: 'After exclusion' },
        { id: 'everybody', name: 'All participants' },
      ];
      strip(choice, names, which, (id) => {
        which = id;
        show();
      });
      top.append(choice);
    }
    return top;
  }
  function tableCard(validation) {
    const part = card(
      'Metrics against people',
      'How closely each metric matches people. Intervals: 95% over resampled cases.',
    );
    const columns = columnsOf(validation);
    part.head.append(csvButton('metrics', columns, validation.rows));
    part.body.append(dataTable(columns, validation.rows, 'Metrics against people', true));
    const { published } = validation;
    if (published) {
      const text = make('p', 'th-soft');
      const tag = make('span', 'th-leaderboard-tag', 'as published');
      const link = make('a', '', published.title);
      link.href = published.url;
      link.target = '_blank';
      link.rel = 'noreferrer';
      text.append(
        tag,
        ' ',
        link,
        (published.source ? ', ' + published.source : '') +
          ': other people, images and pairs, so they are not ranked with yours. ' +
          published.notes.join(' '),
      );
      part.body.append(text);
    }
    if (validation.missing.length) {
      const list = make('ul', 'th-study-list-words');
      list.append(...validation.missing.map((item) => make('li', '', item.name + ': ' + item.why)));
      part.body.append(make('h4', '', 'Not compared'), list);
    }
    return part.node;
  }
  function figureCard(validation) {
    const part = card(
      'Agreement of metrics with people',
      'Metrics further right agree better with people. Lines show 95% intervals.',
    );
    const choice = make('span', 'th-strip');
    const node = plot('Metrics against people, with 95% intervals; the numbers are in the table.');
    choice.setAttribute('role', 'group');
    choice.setAttribute('aria-label', 'Measure');
    const measures = measuresOf(validation.rows);
    if (!measures.length) return null;
    function draw() {
      if (!measures.some((item) => item.id === measure)) measure = measures[0].id;
      strip(choice, measures, measure, (id) => {
        measure = id;
        draw();
      });
      const source = measures.find((item) => item.id === measure);
      const rows = [...validation.rows].sort(
        (a, b) => (b[measure].value ?? -2) - (a[measure].value ?? -2),
      );
      const printed = rows
        .filter((row) => row.published && row.published[measure] !== null)
        .map((row) => ({ name: row.name, value: row.published[measure], low: null, high: null }));
      const ours = {
        name: 'this study',
        rows: rows.map((row) => ({ name: row.name, ...row[measure] })),
      };
      intervals(node, printed.length ? [{ name: 'published', rows: printed }, ours] : [ours], {
        title: source.name,
        mark:
          validation.rows.find((row) => row.chance && measure === 'agreement')?.chance ??
          source.line[2],
        format: source.axis,
      });
    }
    part.head.append(choice);
    part.body.append(node);
    if (validation.rows.some((row) => row.published))
      part.body.append(
        make('p', 'th-soft', '● this study, ○ as published; the dotted line is chance level.'),
      );
    draw();
    return part.node;
  }
  function show() {
    if (!onView('metrics')) return;
    const { data } = results;
    line.say(results.failed ? results.words : '');
    if (!data) {
      arrange(
        box,
        results.failed ? [line] : [make('p', 'th-soft th-study-waiting', results.words)],
      );
      return;
    }
    const { validation } = data[data.same ? 'everybody' : which];
    if (validation.why || !validation.rows.length) {
      arrange(box, [
        line,
        nothing(
          'No metrics to compare with people yet',
          validation.why || 'No metric has a value for these pairs.',
          [button('Open Live', () => openStudy(current.study.id, 'live'))],
        ),
      ]);
      return;
    }
    const nodes = [line, headline(data, validation), tableCard(validation)];
    const figure = figureCard(validation);
    if (figure) nodes.push(figure);
    if (validation.groups.some((group) => group.rows.some((row) => row.spearman.value !== null)))
      nodes.push(byType(validation.groups));
    arrange(box, nodes);
  }
  let rendered = null;
  results.watch(() => {
    const now = results.data
      ? results.data.key + document.body.className + results.failed
      : results.words;
    if (now === rendered && onView('metrics') && box.children.length) return;
    rendered = now;
    show();
  });
  return {
    shown() {
      results.look();
      if (!box.children.length || results.data === null) show();
    },
  };
}
