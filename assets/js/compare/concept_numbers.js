// The table of pairs, and the transport plan as a list.
import { make, many, put } from '../shared/dom.js';
import { percent } from './concept_figures.js';

const MOVES_FIRST = 8;

export function binPatch(bins, index, more) {
  const node = make('i', 'th-concept-patch' + (more || ''));
  node.style.background = bins[index].hex;
  node.title = 'Bin ' + index + ' · ' + bins[index].name + ' · ' + bins[index].hex;
  return node;
}
export function numbersTable(box, { bins, metrics, choose, inspectBin }) {
  const table = box.querySelector('.th-concept-table');
  const draws = box.querySelector('.th-concept-draws');
  const meaning = box.querySelector('.th-concept-meaning dl');
  const notes = box.querySelector('.th-concept-notes');
  let cells = new Map();
  let done = [];
  let total = 0;
  meaning.replaceChildren(
    ...metrics.flatMap((metric) => [
      make('dt', '', metric.name + (metric.unit && metric.unit !== '°' ? ', ' + metric.unit : '')),
      make(
        'dd',
        '',
        metric.formula +
          '. ' +
          (metric.better ? metric.better[0].toUpperCase() + metric.better.slice(1) + '. ' : '') +
          'Source: ' +
          metric.source +
          '.',
      ),
    ]),
  );
  put(
    box.querySelector('.th-concept-plain'),
    metrics
      .filter((metric) => metric.plain)
      .map((metric) => metric.name + ': ' + metric.plain)
      .join(' · '),
  );
  function heading() {
    const row = make('tr');
    row.append(
      make('th', '', 'Pair'),
      ...metrics.map((metric) => {
        const cell = make('th', '', metric.name);
        if (metric.unit && metric.unit !== '°') cell.append(make('small', '', metric.unit));
        cell.title =
          (metric.plain ? metric.plain[0].toUpperCase() + metric.plain.slice(1) + '\n' : '') +
          metric.formula +
          '.\n' +
          (metric.better ? metric.better + '\n' : '') +
          'Source: ' +
          metric.source;
        return cell;
      }),
    );
    const head = make('thead');
    head.append(row);
    return head;
  }
  /** @param {Api.PairNumbers} pair */
  function line(pair, chosen, labels) {
    const row = make('tr');
    const name = make('th', 'th-row-name');
    const button = make('button', 'th-concept-pair-button');
    button.type = 'button';
    button.setAttribute('aria-pressed', String(chosen));
    button.title = 'Show this pair: ' + labels[pair.a] + ' and ' + labels[pair.b];
    button.append(
      make('b', '', pair.letters.join(' – ')),
      make('small', '', labels[pair.a] + ' – ' + labels[pair.b]),
    );
    button.addEventListener('click', () => choose(pair));
    name.append(button);
    row.append(
      name,
      ...metrics.map((metric) => {
        const cell = make('td');
        const result = pair.numbers[metric.id];
        const span = make('small', 'th-concept-span');
        if (metric.id === 'dominant_equal') {
          const both = make('span', 'th-concept-both');
          pair.dominant.forEach((index, side) => {
            const item = make('button', 'th-concept-patch');
            item.type = 'button';
            item.style.background = bins[index].hex;
            item.title =
              pair.letters[side] +
              ': bin ' +
              index +
              ' · ' +
              bins[index].name +
              ' · ' +
              bins[index].hex +
              (pair.tied[side] > 1 ? ' (' + pair.tied[side] + ' bins are equally full)' : '');
            item.setAttribute('aria-label', item.title);
            item.addEventListener('click', () => inspectBin(index));
            both.append(item);
          });
          cell.append(both, make('b', '', result.value ? '✓ same' : '✕ other'));
        } else {
          cell.append(make('b', '', result.text));
          if (result.why)
            cell.title =
              result.why +
              (metric.id === 'hue_deg'
                ? ' Equation 5 as written, with 0° for a neutral, gives ' +
                  pair.hue_literal.toFixed(1) +
                  '°.'
                : '');
        }
        cell.append(span);
        cells.set(pair.a + ' ' + pair.b + ' ' + metric.id, span);
        return cell;
      }),
    );
    return row;
  }
  return {
    draw(pairs, chosen, labels) {
      cells = new Map();
      done = [];
      total = pairs.length;
      const body = make('tbody');
      pairs.forEach((pair) => body.append(line(pair, chosen(pair), labels)));
      table.replaceChildren(heading(), body);
      put(draws, pairs.length ? 'Computing intervals…' : '');
      notes.replaceChildren();
    },
    interval(pair) {
      const whys = new Set();
      done.push(pair);
      done.forEach((item) => item.notes.forEach((text) => whys.add(text)));
      metrics.forEach((metric) => {
        const span = cells.get(pair.a + ' ' + pair.b + ' ' + metric.id);
        const result = pair.intervals[metric.id];
        if (!span) return;
        // Where nothing could be resampled, the line below the table says so once.
        put(span, result ? result.text : pair.draws ? 'no interval' : '');
        if (result && metric.id === 'dominant_equal') put(span, result.text + ' of draws');
        span.title = result
          ? '95%, percentiles of ' +
            pair.draws.toLocaleString('en-US') +
            ' bootstrap draws over images or people'
          : pair.draws
            ? 'In ' +
              pair.undefined[metric.id].toLocaleString('en-US') +
              ' of ' +
              pair.draws.toLocaleString('en-US') +
              ' bootstrap draws the number is undefined.'
            : pair.notes.join(' ');
      });
      const rendered = Math.max(...done.map((item) => item.draws));
      put(
        draws,
        (rendered
          ? 'Below each number: 95% interval, ' +
            rendered.toLocaleString('en-US') +
            ' bootstrap draws over images or people.'
          : '') +
          (done.length < total
            ? ' Pair ' + (done.length + 1) + ' of ' + total + ' is being computed…'
            : ''),
      );
      const lines = rendered ? [...whys] : [[...whys].join(' ')];
      notes.replaceChildren(...lines.map((text) => make('p', 'th-soft', text)));
    },
    problem(text) {
      put(draws, 'No intervals: ' + text);
    },
  };
}
export function movesList(box, { bins, hover, open }) {
  const part = box.querySelector('.th-concept-moves');
  const list = box.querySelector('.th-concept-moves-list');
  const more = box.querySelector('.th-concept-moves-more');
  const title = box.querySelector('.th-concept-moves-title');
  const message = box.querySelector('.th-concept-moves-words');
  /** @type {Api.FlowView | null} */
  let flow = null;
  let whole = false;
  function side(index) {
    const node = make('button', 'th-concept-move-bin', bins[index].name);
    node.type = 'button';
    node.title = 'Bin ' + index + ' · ' + bins[index].hex + ': list its images';
    node.addEventListener('mouseenter', () => hover(index));
    node.addEventListener('mouseleave', () => hover(null));
    node.addEventListener('focus', () => hover(index));
    node.addEventListener('blur', () => hover(null));
    node.addEventListener('click', () => open(index));
    return node;
  }
  /** @param {Api.MoveJson} move */
  function moveRow(move) {
    const node = make('li');
    const colors = make('span', 'th-concept-both');
    const bar = make('span', 'th-concept-cost');
    const fill = make('i');
    const text = make('span', 'th-concept-move-words');
    colors.append(binPatch(bins, move.source), binPatch(bins, move.target));
    fill.style.width = (100 * move.cost) / flow.emd + '%';
    bar.title = percent(move.cost / flow.emd) + ' of the EMD';
    bar.append(fill);
    text.append(
      make('b', '', percent(move.mass)),
      ' from ',
      side(move.source),
      ' to ',
      side(move.target),
      make(
        'small',
        'th-soft',
        'at a distance of ' +
          move.distance.toFixed(1) +
          ' CIELAB, ' +
          move.cost.toFixed(1) +
          ' of the EMD’s ' +
          flow.emd.toFixed(1),
      ),
    );
    node.append(colors, text, bar);
    return node;
  }
  function draw() {
    part.hidden = !flow;
    if (!flow) return;
    const shown = whole ? flow.moves : flow.moves.slice(0, MOVES_FIRST);
    const rest = flow.moves.slice(MOVES_FIRST);
    put(
      title,
      flow.letters[0] +
        ' → ' +
        flow.letters[1] +
        ': ' +
        (flow.moves.length ? many(flow.moves.length, 'flow') : 'nothing moves'),
    );
    put(
      message,
      flow.moves.length
        ? percent(flow.moved) +
            ' of the color would move, ' +
            (flow.emd / flow.moved).toFixed(1) +
            ' CIELAB on average, to turn one distribution into the other: an EMD of ' +
            flow.emd.toFixed(1) +
            '. The rest is the same in both. Other flows can be equally good.' +
            (flow.drawn < flow.moves.length
              ? ' The figure shows the ' +
                flow.drawn +
                ' costliest flows, ' +
                percent(flow.drawn_cost / flow.emd) +
                ' of the EMD.'
              : '')
        : 'The two are equal in every bin: nothing moves.',
    );
    list.replaceChildren(...shown.map(moveRow));
    more.hidden = !rest.length;
    const cost = rest.reduce((sum, move) => sum + move.cost, 0);
    put(
      more,
      whole
        ? 'Show only the largest'
        : 'Show ' + many(rest.length, 'smaller flow') + ', ' + cost.toFixed(1) + ' of the EMD',
    );
  }
  more.addEventListener('click', () => {
    whole = !whole;
    draw();
  });
  return {
    draw(next) {
      flow = next;
      whole = false;
      draw();
    },
  };
}
