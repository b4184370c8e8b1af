// The table of pairs, and the list of what would have to move.
import { make, many, put } from '../shared/dom.js';
import { percent } from './concept_figures.js';

const MOVES_FIRST = 8;

export function binPatch(bins, index, more) {
  const node = make('i', 'th-cc-patch' + (more || ''));
  node.style.background = bins[index].hex;
  node.title = 'Bin ' + index + ' · ' + bins[index].name + ' · ' + bins[index].hex;
  return node;
}
export function numbersTable(box, { bins, metrics, choose, inspectBin }) {
  const table = box.querySelector('.th-cc-table');
  const draws = box.querySelector('.th-cc-draws');
  const meaning = box.querySelector('.th-cc-meaning dl');
  const notes = box.querySelector('.th-cc-notes');
  let cells = new Map();
  let done = [];
  let total = 0;
  meaning.replaceChildren(
    ...metrics.flatMap((one) => [
      make('dt', '', one.name + (one.unit && one.unit !== '°' ? ', ' + one.unit : '')),
      make(
        'dd',
        '',
        one.formula +
          '. ' +
          (one.better ? one.better[0].toUpperCase() + one.better.slice(1) + '. ' : '') +
          'Source: ' +
          one.source +
          '.',
      ),
    ]),
  );
  put(
    box.querySelector('.th-cc-plain'),
    metrics
      .filter((one) => one.plain)
      .map((one) => one.name + ': ' + one.plain)
      .join(' · '),
  );
  function heading() {
    const row = make('tr');
    row.append(
      make('th', '', 'Pair'),
      ...metrics.map((one) => {
        const cell = make('th', '', one.name);
        if (one.unit && one.unit !== '°') cell.append(make('small', '', one.unit));
        cell.title =
          (one.plain ? one.plain[0].toUpperCase() + one.plain.slice(1) + '\n' : '') +
          one.formula +
          '.\n' +
          (one.better ? one.better + '\n' : '') +
          'Source: ' +
          one.source;
        return cell;
      }),
    );
    const head = make('thead');
    head.append(row);
    return head;
  }
  function line(pair, chosen, labels) {
    const row = make('tr');
    const name = make('th', 'th-row-name');
    const button = make('button', 'th-cc-pair-button');
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
        const found = pair.numbers[metric.id];
        const span = make('small', 'th-cc-span');
        if (metric.id === 'dominant_equal') {
          const both = make('span', 'th-cc-both');
          pair.dominant.forEach((index, side) => {
            const one = make('button', 'th-cc-patch');
            one.type = 'button';
            one.style.background = bins[index].hex;
            one.title =
              pair.letters[side] +
              ': bin ' +
              index +
              ' · ' +
              bins[index].name +
              ' · ' +
              bins[index].hex +
              (pair.tied[side] > 1 ? ' (' + pair.tied[side] + ' bins are equally full)' : '');
            one.setAttribute('aria-label', one.title);
            one.addEventListener('click', () => inspectBin(index));
            both.append(one);
          });
          cell.append(both, make('b', '', found.value ? '✓ same' : '✕ other'));
        } else {
          cell.append(make('b', '', found.text));
          if (found.why)
            cell.title =
              found.why +
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
      done.forEach((one) => one.notes.forEach((text) => whys.add(text)));
      metrics.forEach((metric) => {
        const span = cells.get(pair.a + ' ' + pair.b + ' ' + metric.id);
        const found = pair.intervals[metric.id];
        if (!span) return;
        // Where nothing could be resampled, the line below the table says so once.
        put(span, found ? found.text : pair.draws ? 'no interval' : '');
        if (found && metric.id === 'dominant_equal') put(span, found.text + ' of draws');
        span.title = found
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
      const drawn = Math.max(...done.map((one) => one.draws));
      put(
        draws,
        (drawn
          ? 'Below each number: 95% interval, ' +
            drawn.toLocaleString('en-US') +
            ' bootstrap draws over images or people.'
          : '') +
          (done.length < total
            ? ' Pair ' + (done.length + 1) + ' of ' + total + ' is being computed…'
            : ''),
      );
      const lines = drawn ? [...whys] : [[...whys].join(' ')];
      notes.replaceChildren(...lines.map((text) => make('p', 'th-soft', text)));
    },
    problem(words) {
      put(draws, 'No intervals: ' + words);
    },
  };
}
export function movesList(box, { bins, hover, open }) {
  const part = box.querySelector('.th-cc-moves');
  const list = box.querySelector('.th-cc-moves-list');
  const more = box.querySelector('.th-cc-moves-more');
  const title = box.querySelector('.th-cc-moves-title');
  const words = box.querySelector('.th-cc-moves-words');
  let flow = null;
  let whole = false;
  function side(index) {
    const node = make('button', 'th-cc-move-bin', bins[index].name);
    node.type = 'button';
    node.title = 'Bin ' + index + ' · ' + bins[index].hex + ': list its images';
    node.addEventListener('mouseenter', () => hover(index));
    node.addEventListener('mouseleave', () => hover(null));
    node.addEventListener('focus', () => hover(index));
    node.addEventListener('blur', () => hover(null));
    node.addEventListener('click', () => open(index));
    return node;
  }
  function item(move) {
    const node = make('li');
    const colors = make('span', 'th-cc-both');
    const bar = make('span', 'th-cc-cost');
    const fill = make('i');
    const text = make('span', 'th-cc-move-words');
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
          ' Lab, ' +
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
      words,
      flow.moves.length
        ? percent(flow.moved) +
            ' of the color would move, ' +
            (flow.emd / flow.moved).toFixed(1) +
            ' Lab on average, to turn one distribution into the other: an EMD of ' +
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
    list.replaceChildren(...shown.map(item));
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
