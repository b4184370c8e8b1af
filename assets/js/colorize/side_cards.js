// The colors of a coloring, and their position among others' colorings of the concept.
import { percent } from '../compare/concept_figures.js';
import { openTab, make, many, put } from '../shared/dom.js';
import { LAB_TITLE } from '../shared/spaces.js';
import { store } from '../shared/state.js';
import { binsChart, binsHere } from './bins.js';

const OWN = 'Your coloring';
const PALETTE = 8;

/**
 * The cards beside the canvas.
 * @param {ParentNode} box
 */
export function sideCards(box) {
  const part = (name) => box.querySelector('.th-colorize-' + name);
  const chart = binsChart(part('chart'), part('scale'));
  let chosen = '';
  let answer = null;

  function colors() {
    const body = part('colors-body');
    const { colors: own } = answer;
    put(part('share'), own ? percent(answer.colored) + ' of the paper' : '');
    if (!own) {
      body.replaceChildren(
        make(
          'p',
          'th-soft',
          'Nothing is colored yet. Choose a color, then click a region of the drawing.',
        ),
      );
      return;
    }
    const band = make('div', 'th-colorize-band');
    const list = make('ul', 'th-colorize-chosen');
    own.listed.forEach((color) => {
      const piece = make('i');
      piece.style.background = color.hex;
      piece.style.flexGrow = String(color.share);
      piece.title = color.name + ' ' + color.hex + ', ' + percent(color.share);
      band.append(piece);
      const row = make('li');
      const patch = make('i', 'th-colorize-patch');
      patch.style.background = color.hex;
      const text = make('span');
      text.append(
        make('b', '', color.name),
        make('small', '', `${color.hex} · ${color.lab} · ${color.standard}`),
      );
      text.title = LAB_TITLE + '. The last name is the nearest of ISCC-NBS level 3.';
      row.append(patch, text, make('span', 'th-colorize-number', percent(color.share)));
      list.append(row);
    });
    band.setAttribute('role', 'img');
    band.setAttribute(
      'aria-label',
      own.listed.map((color) => color.name + ' ' + percent(color.share)).join(', '),
    );
    const more = own.more
      ? [
          make(
            'p',
            'th-soft',
            many(own.more, 'more color') + ', ' + percent(own.more_share) + ' together',
          ),
        ]
      : [];
    body.replaceChildren(band, list, ...more);
  }
  function bins() {
    const rows = answer.weights ? [{ label: OWN, weights: answer.weights }] : [];
    const other = (answer.against || []).find((item) => item.source === chosen);
    if (other) rows.push({ label: other.label, weights: other.weights });
    part('bins').hidden = !rows.length;
    if (rows.length) chart.draw(rows).catch(() => {});
  }
  async function others() {
    const rows = answer.against || [];
    const list = part('rows');
    const there = answer.of ? answer.of.people + answer.of.others : rows.length;
    put(
      part('against-count'),
      there ? many(there, 'distribution') + ' of “' + answer.words + '”' : '',
    );
    put(part('headline'), headline(rows, there));
    if (!there) {
      list.replaceChildren(...nothing());
      return;
    }
    const mine = answer;
    const { bins: names } = await binsHere();
    if (mine !== answer) return;
    const farthest = Math.max(...rows.map((item) => item.numbers.emd.value), 1e-6);
    list.replaceChildren(
      ...rows.map((item) => row(item, farthest, names)),
      ...(answer.problems || []).map((text) => make('p', 'th-soft', text)),
    );
  }
  function headline(rows, there) {
    if (!answer.words) return 'Enter the concept above to compare your colors.';
    if (!there) return '';
    if (!rows.length) return 'Color a region to compare it with all of these.';
    const people = rows.find((item) => item.people);
    const first = rows[0];
    const text = 'Closest: ' + first.label + ', EMD ' + first.numbers.emd.text + '.';
    if (!people) return text + ' No colors from people are available.';
    return first === people
      ? text
      : text + ' Closest people: ' + people.label + ', EMD ' + people.numbers.emd.text + '.';
  }
  function row(item, farthest, names) {
    const node = make('article', 'th-colorize-row');
    const open = item.source === chosen;
    const head = make('button', 'th-colorize-row-head');
    head.type = 'button';
    head.setAttribute('aria-expanded', String(open));
    const mark = make('i', 'th-colorize-mark', item.people ? '●' : '▪');
    mark.title = item.people ? 'People’s colors' : 'A model’s colors, or images';
    const text = make('span', 'th-colorize-row-words');
    text.append(
      make('b', '', item.label),
      make('small', '', [item.counted, item.kind].filter(Boolean).join(' · ')),
    );
    const number = make('span', 'th-colorize-number');
    number.append(make('b', '', item.numbers.emd.text), make('small', '', 'EMD'));
    number.title = tipOf('emd');
    const bar = make('span', 'th-colorize-far');
    const fill = make('i');
    fill.style.width = Math.max(1, (100 * item.numbers.emd.value) / farthest) + '%';
    bar.append(fill);
    head.append(mark, text, number, palette(item.weights, names), bar);
    head.addEventListener('click', () => {
      chosen = open ? '' : item.source;
      bins();
      others();
    });
    node.append(head);
    if (open) node.append(numbers(item));
    return node;
  }
  function palette(weights, names) {
    const band = make('span', 'th-colorize-row-band');
    weights
      .map((weight, index) => ({ weight, bin: names[index] }))
      .filter((item) => item.weight > 0)
      .sort((a, b) => b.weight - a.weight)
      .slice(0, PALETTE)
      .forEach((item) => {
        const piece = make('i');
        piece.style.background = item.bin.hex;
        piece.style.flexGrow = String(item.weight);
        piece.title = item.bin.name + ', ' + percent(item.weight);
        band.append(piece);
      });
    return band;
  }
  function tipOf(id) {
    const metric = answer.metrics.find((item) => item.id === id);
    return metric
      ? [metric.plain, metric.better, metric.formula, metric.source].filter(Boolean).join('\n')
      : '';
  }
  function numbers(item) {
    const list = make('dl', 'th-colorize-numbers');
    answer.metrics.forEach((metric) => {
      const cell = item.numbers[metric.id];
      const term = make('dt', '', metric.name);
      if (metric.unit) term.append(make('small', '', metric.unit));
      const value = make('dd', '', cell.text);
      term.title = tipOf(metric.id);
      value.title = cell.why || term.title;
      list.append(term, value);
    });
    const foot = make('p', 'th-soft', (answer.notes || [])[0] || '');
    const link = make('button', 'th-link', 'Open the others in Compare');
    link.type = 'button';
    link.addEventListener('click', () => {
      const sources = answer.against.slice(0, 6).map((each) => each.source);
      const concept = answer.concept ? { concept: answer.concept } : { words: answer.words };
      store.set('wish', { ...concept, d: sources.join(',') });
      openTab('Compare');
    });
    const box = make('div', 'th-colorize-row-more');
    box.append(list, foot, link);
    return box;
  }
  function nothing() {
    if (!answer.words) return [];
    const message = make(
      'p',
      '',
      'There is no data for “' +
        answer.words +
        '” to compare with yet. Your colors and their bins are still shown.',
    );
    const ways = make('ul', 'th-colorize-ways');
    const way = (text, name, act) => {
      const item = make('li', '', text + ' ');
      const button = make('button', 'th-link', name);
      button.type = 'button';
      button.addEventListener('click', act);
      item.append(button);
      ways.append(item);
    };
    way('People’s colors:', 'import palettes, histograms or ratings', () => {
      openTab('Compare');
      later('#compare [data-view="people"]');
    });
    way('A model’s colors:', 'start a concept run', () => {
      openTab('Explore');
      later('.th-explore-switch [data-view="runs"]');
    });
    return [message, ways];
  }
  // A room draws itself when it is first opened.
  function later(selector, tries = 40) {
    const node = document.querySelector(selector);
    if (node) node.click();
    else if (tries) setTimeout(() => later(selector, tries - 1), 100);
  }
  return {
    /** Nothing is said: the drawing on the desk is another one. */
    clear() {
      answer = null;
      chosen = '';
      ['colors-body', 'rows'].forEach((name) => part(name).replaceChildren());
      ['share', 'against-count', 'headline'].forEach((name) => put(part(name), ''));
      part('bins').hidden = true;
    },
    /** @param {Api.ColoringComparison} next what the app says of the coloring */
    show(next) {
      const before = answer && answer.words;
      answer = next;
      const rows = answer.against || [];
      // The nearest of people, else the nearest, is looked at first.
      if (!rows.some((item) => item.source === chosen) && (before !== answer.words || !chosen))
        chosen = (rows.find((item) => item.people) || rows[0] || { source: '' }).source;
      colors();
      bins();
      others();
    },
    /** @param {boolean} on */
    busy(on) {
      part('side').setAttribute('aria-busy', String(on));
    },
    /** @param {string} text */
    problem(text) {
      put(part('headline'), text);
    },
  };
}
