// Cards of quality control: what experts said, second colorings, what is left out and why.
import { make, many } from '../../shared/dom.js';
import { button, card, decimal, percent, rated, whole } from '../parts.js';
import { csvButton, dataTable, span, spanHeads } from '../table.js';
import { openGallery } from '../view.js';

const FIRST = 20;

/**
 * The column that says how sure the colors of a concept are.
 * @type {import('../table.js').Column}
 */
export const SURE = {
  name: '95% radius',
  unit: 'ΔE*ab',
  right: true,
  title: 'Radius around people’s colors within which those of all designers lie with 95%',
  cell(row) {
    const radius = row.width_lab === null ? '–' : '± ' + decimal(row.width_lab, 1);
    const node = make('span', '', row.width_few ? 'too few to say' : radius);
    const why = row.width_few ? 'Fewer than 5 colorings: ' + radius + ' ΔE*ab' : row.width_why;
    if (why) node.title = why;
    return node;
  },
  heads: ['width_lab'],
  values: (row) => [row.width_lab],
};

/**
 * How experts agree, and what they said.
 * @param {any} data
 * @param {import('../study.js').Current} current
 */
export function experts(data, current) {
  const { reviews, rule } = data;
  const part = card(
    'Experts',
    many(rule.reviewers, 'expert') +
      ' a coloring, the majority counts; blind, each in an order of their own.',
  );
  const about = make('p');
  if (!reviews.reviews) {
    const link = make(
      'code',
      '',
      location.origin + '/?tab=studies&view=review&study=' + current.study.id,
    );
    about.append(
      'Nobody has reviewed yet. Give experts an account of the role expert, and this address: ',
      link,
    );
    part.body.append(about);
    return part.node;
  }
  const two = (value) => decimal(value);
  const share = (value) => percent(value, 1);
  const rows = [
    {
      name: 'Observed agreement',
      id: 'observed',
      format: share,
      line: [0, 1],
      title: 'Share of pairs of experts who say the same of a coloring',
    },
    {
      name: 'Fleiss’ κ',
      id: 'kappa',
      format: two,
      line: [-0.2, 1, 0],
      title: 'Agreement beyond chance, at most 1',
    },
    {
      name: 'Krippendorff’s α',
      id: 'alpha',
      format: two,
      line: [-0.2, 1, 0],
      title: 'Agreement beyond chance, nominal scale, at most 1',
    },
  ];
  const columns = [
    {
      name: 'Agreement',
      cell(row) {
        const node = make('span', '', row.name);
        node.title = row.title;
        return node;
      },
      values: (row) => [row.id],
    },
    {
      name: 'Value, 95%',
      cell: (row) => rated(reviews[row.id], row.format, row.line),
      heads: spanHeads('value'),
      values: (row) => span(reviews[row.id]),
    },
  ];
  const two_ = make('div', 'th-jd-two');
  const left = make('div');
  const right = make('div');
  left.append(dataTable(columns, rows, 'Agreement of experts'));
  right.append(
    dataTable(
      [
        { name: 'Votes', cell: (row) => row.words },
        { name: 'Yes', right: true, cell: (row) => whole(row.yes) },
        { name: 'No', right: true, cell: (row) => whole(row.no) },
        { name: 'Colorings', right: true, cell: (row) => whole(row.colorings) },
      ],
      reviews.patterns,
      'Colorings by their votes',
    ),
  );
  two_.append(left, right);
  about.append(
    make('b', '', whole(reviews.inconsistent)),
    ' of ' +
      whole(reviews.colorings) +
      ' reviewed colorings are found inconsistent by the majority, ',
    whole(reviews.open) + (reviews.open === 1 ? ' waits' : ' wait') + ' for more experts. ',
  );
  part.head.append(csvButton('experts', columns, rows));
  part.body.append(about, two_);
  const words = [
    reviews.words,
    reviews.reviewers
      .map((one) => one.label + ': ' + many(one.reviews, 'review') + ', ' + one.yes + ' yes')
      .join(' · '),
    ...reviews.notes,
  ].filter(Boolean);
  part.body.append(...words.map((text) => make('p', 'th-soft', text)));
  return part.node;
}

/** Second colorings, where there are any. @param {any} data */
export function seconds(data) {
  if (!data.second.length) return [];
  const part = card(
    'Second colorings',
    'The same person colored the sketch again; consistent where both are no farther apart than people are of each other.',
  );
  const columns = [
    { name: 'Concept', cell: (row) => row.words, values: (row) => [row.words] },
    { name: 'Person', cell: (row) => row.label, values: (row) => [row.number + 1] },
    {
      name: 'Apart',
      unit: 'EMD, ΔE*ab',
      right: true,
      cell: (row) => decimal(row.emd_lab, 1) + ' of ' + decimal(row.threshold_lab, 1),
      heads: ['emd_lab', 'threshold_lab'],
      values: (row) => [row.emd_lab, row.threshold_lab],
    },
    {
      name: '',
      cell: (row) =>
        row.consistent === null || row.consistent === undefined
          ? row.why
          : row.consistent
            ? '✓ consistent'
            : '✕ ' + (row.why || 'not consistent'),
      heads: ['consistent'],
      values: (row) => [row.consistent],
    },
  ];
  part.head.append(csvButton('second-colorings', columns, data.second));
  part.body.append(dataTable(columns, data.second, 'First and second colorings', true));
  return [part.node];
}

/**
 * Colorings of the paper around the thing: it counts as the concept's color.
 * @param {any} data
 * @param {import('../study.js').Current} current
 */
export function onBackground(data, current) {
  const rows = data.background;
  if (!rows.length) return [];
  const part = card(
    'Colors the background',
    'The paper around the thing has a color, which counts as the concept’s. Discard a slip in the gallery of its concept.',
  );
  const columns = [
    {
      name: 'Concept',
      cell: (row) => button(row.words, () => openGallery(current.study.id, row.case), 'th-jc-link'),
      heads: ['concept'],
      values: (row) => [row.words],
    },
    { name: 'Person', cell: (row) => row.label, values: (row) => [row.number + 1] },
    {
      name: 'Of the background',
      right: true,
      cell: (row) => percent(row.share),
      values: (row) => [row.share],
    },
    {
      name: 'Said',
      title: 'The page asks whether the background is part of the concept',
      cell: (row) => (row.part ? 'part of it' : '–'),
      values: (row) => [row.part],
    },
  ];
  part.head.append(csvButton('background', columns, rows));
  part.body.append(dataTable(columns, rows.slice(0, FIRST), 'Colored backgrounds', true));
  if (rows.length > FIRST)
    part.body.append(make('p', 'th-soft', whole(rows.length - FIRST) + ' more are in the CSV.'));
  return [part.node];
}

/**
 * What results are not of.
 * @param {any} data
 * @param {import('../study.js').Current} current
 */
export function leftOut(data, current) {
  const rows = [
    ...data.left_out,
    ...data.unmeasured.map((one) => ({ ...one, reasons: ['not measured: ' + one.why] })),
  ];
  if (!rows.length) return [];
  const part = card('Left out, and why', 'Each can be kept again in the gallery of its concept.');
  const columns = [
    {
      name: 'Concept',
      cell: (row) =>
        row.case
          ? button(row.words, () => openGallery(current.study.id, row.case), 'th-jc-link')
          : row.words,
      heads: ['concept'],
      values: (row) => [row.words],
    },
    { name: 'Person', cell: (row) => row.label, values: (row) => [row.number + 1] },
    {
      name: 'Why',
      cell: (row) => row.reasons.join('; '),
      values: (row) => [row.reasons.join('; ')],
    },
  ];
  part.head.append(csvButton('left-out', columns, rows));
  part.body.append(dataTable(columns, rows.slice(0, FIRST), 'Colorings that are left out', true));
  if (rows.length > FIRST)
    part.body.append(make('p', 'th-soft', whole(rows.length - FIRST) + ' more are in the CSV.'));
  return [part.node];
}
