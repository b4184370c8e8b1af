// Cards of quality control: experts' reviews, second colorings, exclusions with reasons.
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
  title: '95% confidence radius around people’s colors for all designers',
  cell(row) {
    const radius = row.width_lab === null ? '–' : '± ' + decimal(row.width_lab, 1);
    const node = make('span', '', row.width_few ? 'too few colorings' : radius);
    const why = row.width_few ? 'Fewer than 5 colorings: ' + radius + ' ΔE*ab' : row.width_why;
    if (why) node.title = why;
    return node;
  },
  heads: ['width_lab'],
  values: (row) => [row.width_lab],
};

/**
 * How experts agree, and what they said.
 * @param {Api.QualityJson} data
 * @param {import('../study.js').Current} current
 */
export function experts(data, current) {
  const { reviews, rule } = data;
  const part = card(
    'Experts',
    many(rule.reviewers, 'expert') +
      ' per coloring; the majority decides. Reviews are blind, and each expert has a separate order.',
  );
  const about = make('p');
  if (!reviews.reviews) {
    const link = make('code', '', location.origin + '/review?study=' + current.study.id);
    about.append(
      'No reviews yet. Give experts an account with the role “expert” and this link: ',
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
      title: 'Share of expert pairs who give the same answer for a coloring',
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
  const two_ = make('div', 'th-study-two');
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
      ' reviewed colorings are inconsistent according to the majority, ',
    whole(reviews.open) + (reviews.open === 1 ? ' waits' : ' wait') + ' for more experts. ',
  );
  part.head.append(csvButton('experts', columns, rows));
  part.body.append(about, two_);
  const message = [reviews.words, ...reviews.notes].filter(Boolean);
  part.body.append(...message.map((text) => make('p', 'th-soft', text)));
  return part.node;
}

/** Second colorings, where there are any. @param {Api.QualityJson} data */
export function seconds(data) {
  if (!data.second.length) return [];
  const part = card(
    'Second colorings',
    'The same person colored a sketch twice. The two are consistent if they differ no more than colorings by different people.',
  );
  const columns = [
    { name: 'Concept', cell: (row) => row.words, values: (row) => [row.words] },
    { name: 'Person', cell: (row) => row.label, values: (row) => [row.number + 1] },
    {
      name: 'Difference',
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
 * @param {Api.QualityJson} data
 * @param {import('../study.js').Current} current
 */
export function onBackground(data, current) {
  const rows = data.background;
  if (!rows.length) return [];
  const part = card(
    'Colors the background',
    'Color outside the object counts as color of the concept. Discard mistakes in the gallery of the concept.',
  );
  const columns = [
    {
      name: 'Concept',
      cell: (row) =>
        button(row.words, () => openGallery(current.study.id, row.case), 'th-colorings-link'),
      heads: ['concept'],
      values: (row) => [row.words],
    },
    { name: 'Person', cell: (row) => row.label, values: (row) => [row.number + 1] },
    {
      name: 'Background colored',
      right: true,
      cell: (row) => percent(row.share),
      values: (row) => [row.share],
    },
    {
      name: 'Participant’s answer',
      title: 'Whether the background is part of the concept',
      cell: (row) => (row.part ? 'part of the concept' : '–'),
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
 * @param {Api.QualityJson} data
 * @param {import('../study.js').Current} current
 */
export function leftOut(data, current) {
  const rows = [
    ...data.left_out,
    ...data.unmeasured.map((item) => ({ ...item, reasons: ['not measured: ' + item.why] })),
  ];
  if (!rows.length) return [];
  const part = card(
    'Excluded, with reasons',
    'You can include each again in the gallery of its concept.',
  );
  const columns = [
    {
      name: 'Concept',
      cell: (row) =>
        row.case
          ? button(row.words, () => openGallery(current.study.id, row.case), 'th-colorings-link')
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
  part.body.append(dataTable(columns, rows.slice(0, FIRST), 'Excluded colorings', true));
  if (rows.length > FIRST)
    part.body.append(make('p', 'th-soft', whole(rows.length - FIRST) + ' more are in the CSV.'));
  return [part.node];
}
