// The people of a study: what was seen of how they answered, and who counts. Nobody is deleted by an
// exclusion: it is a rule or a decision with a reason, and both can be taken back.
import { arrange, make, put } from '../shared/dom.js';
import { ask } from '../shared/http.js';
import {
  button,
  card,
  nothing,
  percent,
  problemLine,
  question,
  reasonField,
  stageOf,
  time,
} from './parts.js';
import { exclusionWords, resultsOf } from './results_of.js';
import { ruleCard, beyond } from './rule.js';
import { surveyCard } from './survey_results.js';
import { csvButton, dataTable } from './table.js';
import { onView, openStudy } from './view.js';

/** A share that the rule looks at: marked where it is beyond its bound. */
function share(name, title, source, field, rule) {
  return {
    name,
    title,
    right: true,
    cell(person) {
      const value = source(person);
      const node = make('span', '', percent(value));
      if (field && beyond(field, value, rule)) {
        node.className = 'th-study-flag';
        node.prepend(make('i', '', '▲ '));
        node.title = 'Outside the limit of the rule';
      }
      return node;
    },
    values: (person) => [source(person)],
  };
}

/** Signs of scripts; nothing is decided by them. */
const AGENT_COLUMN = {
  name: 'Script signs',
  title: 'Points for input that looks like a script’s',
  cell({ agent }) {
    if (!agent) return '–';
    const node = make('span', 'th-study-counts');
    const { flagged, signs } = agent;
    node.dataset.out = String(flagged);
    const points = agent.score.toFixed(1) + ' points';
    const text = agent.answers ? (signs.length ? points : 'none') : 'no answers yet';
    node.append(make('b', '', flagged ? '⚑ may be a script: ' + points : text));
    signs.forEach((sign) => node.append(make('small', '', sign)));
    return node;
  },
  heads: ['agent_score', 'agent_flagged', 'agent_signs'],
  values: ({ agent }) => [agent?.score, agent?.flagged, agent?.signs.join('; ')],
};

/**
 * @param {HTMLElement} box
 * @param {import('./study.js').Current} current
 */
export function peopleView(box, current) {
  const results = resultsOf(current);
  const line = problemLine();
  const said = make('p', 'th-study-said');
  const top = make('section', 'th-card th-study-sum');
  const lead = make('p', 'th-study-lead');
  const busy = make('p', 'th-soft');
  const list = card(
    'People',
    'How each participant answered. Numbers follow the order of joining; no name or address is stored.',
  );
  const rule = ruleCard(results, said);
  const message = make('section', 'th-card');
  const about = make('div');
  let rendered = '';
  said.setAttribute('role', 'status');
  busy.setAttribute('role', 'status');
  top.append(lead, said, busy);

  function leaveOut(person) {
    const reason = reasonField('Reason', 'The reason appears in the log and in every export.');
    question({
      title: 'Exclude ' + person.label + '?',
      body: [
        make(
          'p',
          '',
          'Their answers stay stored but do not count in results. You can reinstate them at any time.',
        ),
        reason.box,
      ],
      action: 'Exclude',
      act: async () => {
        await results.act(`/participants/${person.id}/exclude`, { reason: reason.input.value });
        put(said, person.label + ' is excluded.');
      },
    });
  }
  function takeIn(person) {
    const reason = reasonField(
      'Reason',
      'The reason appears in the log. The rule still applies to this person.',
    );
    question({
      title: 'Reinstate ' + person.label + '?',
      body: [reason.box],
      action: 'Reinstate',
      act: async () => {
        await results.act(`/participants/${person.id}/include`, { reason: reason.input.value });
        put(said, person.label + ' is no longer excluded by a decision.');
      },
    });
  }
  function erase(person) {
    const confirm = make('input');
    const label = make('label', '', 'To confirm, type the number of ' + person.label);
    const field = make('div', 'th-study-field');
    confirm.id = 'th-study-confirm';
    confirm.inputMode = 'numeric';
    confirm.autocomplete = 'off';
    label.htmlFor = confirm.id;
    field.append(label, confirm);
    question({
      title: 'Erase ' + person.label + ' for good?',
      body: [
        make(
          'p',
          '',
          'This deletes all data of this person: answers, times, screening, and the Compare sets made from ' +
            'their colorings (you can create these again without them). Use it when a participant asks for it; ' +
            'it cannot be undone. The study still counts one erased person. To only remove their answers from results, use “Exclude”.',
        ),
        field,
      ],
      action: 'Erase for good',
      act: async () => {
        await results.act(`/participants/${person.id}/erase`, { confirm: Number(confirm.value) });
        put(said, person.label + ' is erased.');
      },
    });
  }
  function tools(person) {
    const node = make('span', 'th-study-buttons th-study-tools');
    const out = person.decision && person.decision.excluded;
    const decide = button(
      out ? 'Reinstate…' : 'Exclude…',
      () => (out ? takeIn(person) : leaveOut(person)),
      'th-study-small',
    );
    const keep = make('a', 'th-button th-study-small', 'Export');
    const gone = button('Erase…', () => erase(person), 'th-study-small');
    keep.href = `${current.address}/participants/${person.id}/export`;
    keep.download = '';
    keep.title = 'All stored data of this person, for this person';
    [decide, keep, gone].forEach((item) =>
      item.setAttribute('aria-label', item.textContent + ' ' + person.label),
    );
    node.append(decide, keep, gone);
    return node;
  }
  function columnsOf(data) {
    const { rule: now } = data;
    const ownerOf = (name) => (person) => person.quality[name];
    const any = (read) => data.people.some((person) => (read(person) ?? null) !== null);
    const shares = [
      ['Checks', 'Attention checks passed', ownerOf('attention'), 'least_attention'],
      [
        'Repeats',
        'Repeated trials with the same answer',
        ownerOf('consistency'),
        'least_consistency',
      ],
      ['Fast', 'Answers under 400 ms', ownerOf('fast'), 'most_fast'],
      ['One side', 'Answers at the most chosen position', ownerOf('one_side'), 'most_one_side'],
      ['Skips', 'Answers “cannot tell”', ownerOf('skipped'), ''],
      [
        'Training',
        'Correct training trials in the last round',
        ({ quality }) => quality.training.at(-1) ?? null,
        'least_training',
      ],
      ['Plates', 'Color-vision plates read', ownerOf('plates'), 'least_plates'],
    ];
    return [
      {
        name: 'Person',
        cell(person) {
          const node = make('span', 'th-study-person');
          const [shape, text] = stageOf(person.stage);
          const mark = make('i', '', shape);
          mark.setAttribute('aria-hidden', 'true');
          node.append(make('b', '', person.label), mark, make('small', '', text));
          return node;
        },
        heads: ['number', 'stage'],
        values: (person) => [person.number + 1, person.stage],
      },
      {
        name: 'Included',
        cell(person) {
          const node = make('span', 'th-study-counts');
          const { decision, excluded } = person;
          node.dataset.out = String(excluded);
          node.append(make('b', '', excluded ? '✕ excluded' : '✓ included'));
          person.reasons.forEach((text) => node.append(make('small', '', text)));
          if (person.too_fast) {
            const { answers, seconds } = person.too_fast;
            const flag = '⚑ ' + answers + ' answers in ' + seconds.toFixed(1) + ' s: code withheld';
            const line = make('small', '', flag);
            line.title = 'Faster than anyone can answer, by server time';
            node.append(line);
          }
          if (decision && decision.by) node.title = decision.by + ', ' + decision.at;
          return node;
        },
        heads: ['excluded', 'reasons', 'too_fast'],
        values: (person) => [person.excluded, person.reasons.join('; '), Boolean(person.too_fast)],
      },
      {
        name: 'Answered',
        right: true,
        cell: ({ quality }) => quality.answered + ' of ' + quality.trials,
        heads: ['answered', 'trials'],
        values: ({ quality }) => [quality.answered, quality.trials],
      },
      ...shares
        .filter(([, , read]) => any(read))
        .map(([name, title, read, field]) => share(name, title, read, field, now)),
      {
        name: 'Median',
        title: 'Median time of an answer',
        right: true,
        cell: ({ quality }) =>
          quality.median_ms === null ? '–' : (quality.median_ms / 1000).toFixed(1) + ' s',
        heads: ['median_ms'],
        values: ({ quality }) => [quality.median_ms],
      },
      ...(any(ownerOf('screen'))
        ? [
            {
              name: 'Screen',
              title:
                'Whether the participant could distinguish the two darkest and the two lightest patches',
              cell: ({ quality }) =>
                quality.screen === null
                  ? '–'
                  : quality.screen
                    ? '✓ passed'
                    : '✕ failed the contrast check',
              values: ({ quality }) => [quality.screen],
            },
          ]
        : []),
      ...(any((person) => person.agent) ? [AGENT_COLUMN] : []),
      {
        name: 'Last active',
        cell: (person) => time(person.last_at),
        heads: ['last_at'],
        values: (person) => [person.last_at],
      },
      { name: '', cell: tools },
    ];
  }
  function show() {
    if (!onView('people')) return;
    const { data } = results;
    line.say(results.failed ? results.words : '');
    put(busy, results.failed ? '' : results.words);
    if (!data) {
      arrange(
        box,
        results.failed ? [line] : [make('p', 'th-soft th-study-waiting', results.words)],
      );
      return;
    }
    put(
      lead,
      exclusionWords(data) +
        (data.erased ? ' ' + data.erased + ' erased at their own request.' : ''),
    );
    if (!data.people.length) {
      arrange(box, [
        line,
        nothing(
          'No participants yet',
          'Participants appear here with their checks, repeats, speed, side bias, color vision and screen.',
          [button('Show the links', () => openStudy(current.study.id, 'links'))],
        ),
        rule.node,
      ]);
      rule.draw(data);
      return;
    }
    rule.draw(data);
    // Equal keys are equal results; decisions are in the key's people.
    const now = data.key + JSON.stringify(data.people) + JSON.stringify(data.rule);
    if (now !== rendered) {
      rendered = now;
      const columns = columnsOf(data);
      list.head.querySelector('.th-button')?.remove();
      list.head.append(csvButton('people', columns, data.people));
      list.body.replaceChildren(
        dataTable(columns, data.people, 'Participants and answer quality', true),
      );
      list.body.firstElementChild.classList.add('th-study-persons');
      if (data.agent_caution) list.body.append(make('p', 'th-study-hint', data.agent_caution));
      about.replaceChildren(...(data.survey.length ? [surveyCard(data)] : []));
    }
    arrange(box, [
      line,
      top,
      rule.node,
      list.node,
      ...(about.childElementCount ? [about] : []),
      ...(message.childElementCount ? [message] : []),
    ]);
  }
  /** Comments at the end, of the study as a whole. */
  async function readComments() {
    const address = current.address;
    try {
      const { comments } = await ask(`${address}/comments`);
      if (address !== current.address) return;
      message.replaceChildren(
        ...(comments.length ? [make('h3', '', 'Comments at the end')] : []),
        ...comments.map(({ label, text }) => {
          const words = make('p', 'th-colorings-comment', '“' + text + '”');
          words.prepend(make('b', '', label), ' ');
          return words;
        }),
      );
      show();
    } catch {
      /* results say what is wrong; comments come with the next look */
    }
  }
  results.watch(show);
  return {
    shown() {
      results.look();
      show();
      readComments();
    },
  };
}
