// Quality control of a study of colorings: consensus by concept, experts, what is kept, and people's
// colors straight into Compare.
import { arrange, make, many, put } from '../../shared/dom.js';
import { ask, send } from '../../shared/http.js';
import {
  button,
  card,
  decimal,
  doing,
  linkButton,
  nothing,
  percent,
  problemLine,
  stamp,
  whole,
} from '../parts.js';
import { csvButton, dataTable } from '../table.js';
import { onView, openGallery, openStudy, reviewAddress } from '../view.js';
import { colorStrip } from './histogram.js';
import { expertsCard } from './experts.js';
import { SURE, experts, leftOut, onBackground, seconds } from './quality_parts.js';
import { ruleForm } from './quality_rule.js';

const AGAIN_MS = 1000;
const FRESH_MS = 15000;
const FIRST = 30;
const EMD = 'ΔE*ab';
/** Experts review every coloring, not those of flagged concepts alone. */
const EVERY = 'all';

/** "12.4", and a dash where there is none. @param {any} item */
const emd = (item) => (item && item.emd_lab !== null ? decimal(item.emd_lab, 1) : '–');

/**
 * @param {HTMLElement} box
 * @param {import('../study.js').Current} current
 */
export function qualityView(box, current) {
  const line = problemLine();
  const top = make('section', 'th-card th-study-sum');
  const lead = make('p', 'th-study-headline');
  const message = make('p', 'th-soft');
  const buttons = make('div', 'th-study-buttons');
  const body = make('div', 'th-study-view');
  /** @type {Api.QualityJson | null} */
  let data = null;
  let whole_ = false;
  let rendered = '';
  let timer;
  let request = 0;
  let mayReview = false;
  message.setAttribute('role', 'status');

  const compare = doing(
    'Open in Compare',
    async () => {
      put(compare, 'Storing people’s colors…');
      try {
        const made = await send(`${current.address}/distribution`, {});
        window.location.assign(made.link);
      } finally {
        put(compare, 'Open in Compare');
      }
    },
    line,
    'th-study-do',
  );
  compare.title =
    'Saves people’s colors of every concept as distributions and opens them next to models';
  top.append(lead, message, buttons);

  function concepts() {
    const part = card(
      'Concepts, least consensus first',
      'Participants differ most on the first concepts (mean EMD over all pairs of colorings). The top share is flagged.',
    );
    const max = Math.max(...data.concepts.map((concept) => concept.before.emd_lab ?? 0), 1);
    const columns = [
      {
        name: 'Concept',
        cell(row) {
          const node = button(
            row.words,
            () => openGallery(current.study.id, row.case),
            'th-colorings-link',
          );
          node.title = 'Show all colorings';
          if (!row.flagged) return node;
          const both = make('span', 'th-study-metric');
          both.append(node, make('small', 'th-colorings-flag', '△ flagged'));
          return both;
        },
        heads: ['concept', 'case', 'category', 'flagged'],
        values: (row) => [row.words, row.case, row.group, row.flagged],
      },
      {
        name: 'People’s colors',
        cell: (row) => colorStrip(row.colors, 'People’s colors of ' + row.words),
      },
      {
        name: 'Consensus',
        unit: 'mean EMD, ' + EMD,
        title: 'Over all colorings, and over the included ones',
        cell(row) {
          const node = make('span', 'th-colorings-emd');
          const bar = make('span', 'th-colorings-emd-bar');
          const fill = make('i');
          const text = make('span');
          fill.style.width = (100 * (row.before.emd_lab ?? 0)) / max + '%';
          text.append(make('b', '', emd(row.before)));
          if (row.after.colorings && emd(row.after) !== emd(row.before))
            text.append(make('small', '', ' → ' + emd(row.after)));
          if (row.before.emd_lab === null) node.title = row.before.why;
          bar.append(fill);
          node.append(text, bar);
          return node;
        },
        heads: ['emd_lab_before', 'emd_lab_after'],
        values: (row) => [row.before.emd_lab, row.after.emd_lab],
      },
      {
        name: 'Colorings',
        right: true,
        title: 'Included of all received; target in brackets',
        cell: (row) =>
          (row.after.colorings === row.before.colorings
            ? whole(row.before.colorings)
            : whole(row.after.colorings) + ' of ' + whole(row.before.colorings)) +
          (row.before.colorings < row.wanted ? ' (' + row.wanted + ')' : ''),
        heads: ['colorings', 'kept', 'wanted'],
        values: (row) => [row.before.colorings, row.after.colorings, row.wanted],
      },
      {
        name: 'Experts',
        title: 'Colorings rated consistent, inconsistent, and without a majority',
        cell(row) {
          const { consistent, inconsistent, open } = row.votes;
          if (!consistent && !inconsistent && !open) return '–';
          return make(
            'span',
            'th-study-name-of',
            '✓ ' + consistent + '  ✕ ' + inconsistent + (open ? '  ? ' + open : ''),
          );
        },
        heads: ['consistent', 'inconsistent', 'open'],
        values: (row) => [row.votes.consistent, row.votes.inconsistent, row.votes.open],
      },
      {
        ...SURE,
        heads: ['width_lab', 'narrowing_lab'],
        values: (row) => [row.width_lab, row.narrowing_lab],
      },
    ];
    const shown = whole_ ? data.concepts : data.concepts.slice(0, FIRST);
    part.head.append(csvButton('concepts', columns, data.concepts));
    part.body.append(dataTable(columns, shown, 'Concepts by consensus', true));
    part.node.classList.add('th-colorings-concepts');
    if (shown.length < data.concepts.length)
      part.body.append(
        button('Show ' + whole(data.concepts.length - shown.length) + ' more', () => {
          whole_ = true;
          rendered = '';
          draw();
        }),
      );
    return part.node;
  }
  function levels() {
    const part = card('Inclusion level', 'Choose which colorings count. Nothing is deleted.');
    part.body.append(
      dataTable(
        [
          {
            name: 'Level',
            cell(row) {
              const node = make('span', 'th-colorings-level');
              const on = row.level === data.rule.level;
              node.append(make('b', '', (on ? '● ' : '○ ') + row.words));
              if (!on)
                node.append(
                  button(
                    'Use this level',
                    () => rule.set({ level: row.level }).catch((error) => line.say(error.message)),
                    'th-study-small',
                  ),
                );
              return node;
            },
          },
          { name: 'Colorings', right: true, cell: (row) => whole(row.colorings) },
          { name: 'Excluded', right: true, cell: (row) => whole(row.left_out) },
          { name: 'People', right: true, cell: (row) => whole(row.participants) },
          { name: 'Concepts', right: true, cell: (row) => whole(row.concepts) },
        ],
        data.levels,
        'Inclusion levels',
        true,
      ),
    );
    return part.node;
  }
  const rule = ruleForm(current, (answer) => take(answer));
  const byName = expertsCard(current, (view) => {
    mayReview = view.may_review;
    if (data) draw();
  });

  function draw() {
    const level = data.levels.find((item) => item.level === data.rule.level);
    const flagged = data.concepts.filter((concept) => concept.flagged).length;
    put(
      lead,
      many(level.colorings, 'coloring') +
        ' of ' +
        many(level.concepts, 'concept') +
        ' by ' +
        many(level.participants, 'person').replace('persons', 'people') +
        (level.left_out ? '; ' + whole(level.left_out) + ' excluded' : '; none is excluded') +
        (flagged ? '. ' + many(flagged, 'concept') + ' flagged' : '') +
        '.',
    );
    const { reviews } = data;
    const to = mayReview ? linkButton('Review colorings', reviewAddress(current.study.id)) : null;
    compare.hidden = !level.colorings;
    arrange(buttons, [compare, ...(to ? [to] : [])]);
    const now = JSON.stringify(data) + whole_;
    if (now === rendered) return;
    rendered = now;
    body.replaceChildren(
      concepts(),
      ...(reviews.reviews || flagged || data.rule.scope === EVERY ? [experts(data, current)] : []),
      byName.node,
      levels(),
      ...seconds(data),
      ...onBackground(data, current),
      ...leftOut(data, current),
      rule.node,
    );
    rule.draw(data.rule);
    if (data.notes.length) {
      const list = make('ul', 'th-study-list-words');
      list.append(...data.notes.map((text) => make('li', '', text)));
      const notes = card('Notes');
      notes.body.append(list);
      body.append(notes.node);
    }
  }
  /** @param {Api.QualityView} answer */
  function take(answer) {
    clearTimeout(timer);
    const computing = answer.status === 'computing';
    if (answer.quality) data = answer.quality;
    line.say('');
    put(
      message,
      computing
        ? 'Computing: ' + (answer.progress?.words || 'colorings') + ' …'
        : data
          ? 'As of ' +
            stamp(data.computed_at) +
            ' · distances ' +
            EMD +
            ' · experts agree: ' +
            agree()
          : '',
    );
    if (!data) {
      arrange(box, [line, top]);
    } else if (!data.levels[0].colorings) {
      arrange(box, [
        line,
        nothing(
          'No colorings yet',
          'Consensus, reviews and people’s colors appear here after the first colorings.',
          [button('Open Live', () => openStudy(current.study.id, 'live'))],
        ),
      ]);
    } else {
      draw();
      arrange(box, [line, top, body]);
    }
    if (onView('results')) timer = setTimeout(load, computing ? AGAIN_MS : FRESH_MS);
  }
  const agree = () =>
    data.reviews.observed.value === null
      ? 'not available yet'
      : percent(data.reviews.observed.value, 1);
  async function load() {
    clearTimeout(timer);
    if (!box.isConnected || !onView('results')) return;
    // A form that is being filled in stays as it is.
    if (rule.node.contains(document.activeElement)) {
      timer = setTimeout(load, FRESH_MS);
      return;
    }
    const mine = ++request;
    try {
      const answer = await ask(`${current.address}/quality`);
      if (mine !== request) return;
      take(answer);
      byName.load();
    } catch (error) {
      if (mine !== request) return;
      line.say('The results cannot be shown. ' + error.message);
      arrange(box, [line, ...(data ? [top, body] : [])]);
    }
  }
  return {
    shown() {
      if (!box.children.length) box.append(make('p', 'th-soft', 'Reading colorings…'));
      load();
    },
  };
}
