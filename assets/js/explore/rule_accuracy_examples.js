// The clearest misses and false accepts of a rule, as images rendered again.
import { make, put, strip, touchingInWords } from '../shared/dom.js';
import { ask, send } from '../shared/http.js';

const SHOWN = 8;

/**
 * @param {Api.ExampleScene} item
 * @returns {Record<string, any>}
 */
function wanted(item) {
  return {
    object: item.object,
    light: item.light,
    seed: item.seed,
    system: item.system,
    color: item.color,
    second: item.second,
    size: item.size,
  };
}

/**
 * @typedef {object} Card
 * @property {HTMLElement} node
 * @property {() => Promise<unknown>} picture draws it
 * @property {() => Promise<void>} detail measures again what the rule finds
 */

/**
 * @param {Api.ExampleScene} item
 * @param {string} rule
 * @param {{ id: string, name: string }[]} systems
 * @param {Map<string, Api.MeasuredScene>} measured what was measured before, of all cards
 * @param {(address: any) => void} openPicture
 * @returns {Card}
 */
function exampleCard(item, rule, systems, measured, openPicture) {
  const node = make('article', 'th-example');
  const button = make('button', 'th-shot-picture');
  const image = make('img');
  const text = make('div', 'th-example-words');
  const label = item.object + ', ' + item.color + ', ' + item.light + ' light';
  button.type = 'button';
  button.title = 'Open in Inspect';
  button.setAttribute('aria-label', 'Open in Inspect: ' + label + ', scored for ' + item.asked);
  image.alt = '';
  const waits = make('span', 'th-soft', 'Rendering …');
  button.append(image, waits);
  button.addEventListener('click', async () => {
    button.setAttribute('aria-busy', 'true');
    try {
      const saved = await send('/api/explore/example', {
        ...wanted(item),
        rule,
        asked: item.asked,
      });
      openPicture({
        image: saved.image_id,
        mask: saved.mask,
        object: saved.object,
        target: saved.target,
        rule: saved.rule,
      });
    } catch (error) {
      text.replaceChildren(make('p', 'th-problem', error.message));
    }
    button.removeAttribute('aria-busy');
  });
  const system = systems.find((each) => each.id === item.system);
  const distance = item.delta_e00 === null ? 'unscored' : item.delta_e00.toFixed(1) + ' ΔE00';
  const colors = make('div', 'th-example-colors');
  // What stands in the report is there at once; what the rule found is measured again.
  const compare = (result) => {
    const row = [
      {
        role: item.kind === 'missed' ? 'target, true' : 'target',
        hex: item.asked_hex,
        name: item.asked,
      },
      ...(item.kind === 'missed' ? [] : [{ role: 'true', hex: item.true_hex, name: item.color }]),
      ...(result ? [{ role: 'measured', hex: result, name: '' }] : []),
    ];
    colors.replaceChildren(touchingInWords(row));
  };
  compare('');
  text.append(
    colors,
    make('b', '', distance),
    make(
      'span',
      '',
      item.kind === 'missed' ? item.color : 'scored for ' + item.asked + ', is ' + item.color,
    ),
    make(
      'small',
      'th-soft',
      (system ? system.name : item.system) +
        ', ' +
        item.object +
        ', ' +
        item.light +
        ' light' +
        (item.second ? ', second material ' + item.second : ''),
    ),
  );
  node.append(button, text);
  const render = () =>
    new Promise((/** @type {(value?: unknown) => void} */ done) => {
      image.onload = () => {
        waits.remove();
        done();
      };
      image.onerror = () => {
        put(waits, 'This image could not be rendered.');
        done();
      };
      image.src = '/api/explore/picture.png?' + new URLSearchParams(wanted(item));
    });
  const detail = async () => {
    const key = JSON.stringify([wanted(item), item.asked, rule]);
    try {
      if (!measured.has(key))
        measured.set(
          key,
          await ask(
            `/api/explore/example?${new URLSearchParams({ ...wanted(item), rule, asked: item.asked })}`,
          ),
        );
      const result = measured.get(key);
      const now = result.delta_e00 === null ? 'unscored' : result.delta_e00.toFixed(1) + ' ΔE00';
      compare(result.found);
      text.title = result.reason;
      if (now !== distance) text.appendChild(make('small', 'th-stale', 'now ' + now));
    } catch (error) {
      text.appendChild(make('p', 'th-problem', error.message));
    }
  };
  return { node, picture: render, detail };
}

/**
 * @param {Element} box
 * @param {{ openPicture: (address: any) => void, choose: (rule: string) => void }} calls
 */
export function examplesView(box, { openPicture, choose }) {
  const measured = new Map();
  /** @type {Card[]} */
  let cards = [];
  let turn = 0;
  let looking = false;
  // One image after the other, and only while somebody looks: each is drawn again.
  async function fill(cards, mine) {
    for (const step of ['picture', 'detail']) {
      for (const card of cards) {
        if (mine !== turn || !looking) return;
        if (card.node.dataset[step]) continue;
        card.node.dataset[step] = 'there';
        await card[step]();
      }
    }
  }
  /**
   * @param {Api.RuleAccuracyView} report
   * @param {Api.AccuracyRow[]} rules
   * @param {string} rule
   */
  function draw(report, rules, rule) {
    const mine = ++turn;
    strip(
      box.querySelector('.th-examples-rule'),
      rules.map((row) => ({ id: row.id, name: row.name })),
      rule,
      choose,
    );
    put(
      box.querySelector('.th-examples-words'),
      report.drawable
        ? 'The clearest cases of the whole set, rendered again. The swatches show target, measured and true color. Click an image to open it in Inspect with its exact mask.'
        : 'These images are not the renderer’s: they cannot be rendered again.',
    );
    const all = report.drawable ? report.examples[rule] || [] : [];
    const groups = [
      ['missed', 'Missed: it has the target color and does not pass'],
      ['false accept', 'Falsely accepted: it does not have the target color and passes'],
    ];
    cards = [];
    box.querySelector('.th-examples').replaceChildren(
      ...groups.map(([kind, title]) => {
        const group = make('section');
        const grid = make('div', 'th-example-grid');
        const list = all
          .filter((item) => item.kind === kind)
          .map((item) => exampleCard(item, rule, report.systems, measured, openPicture));
        group.dataset.kind = kind;
        group.appendChild(make('h4', '', title));
        const show = (some) => {
          grid.append(...some.map((item) => item.node));
          cards.push(...some);
        };
        show(list.slice(0, SHOWN));
        group.appendChild(
          list.length ? grid : make('p', 'th-soft', 'None among the images of this report.'),
        );
        if (list.length > SHOWN) {
          const more = make('button', 'th-button', 'Show all ' + list.length);
          more.type = 'button';
          more.addEventListener('click', () => {
            more.remove();
            show(list.slice(SHOWN));
            fill(cards, mine);
          });
          group.appendChild(more);
        }
        return group;
      }),
    );
    fill(cards, mine);
  }
  new IntersectionObserver((seen) => {
    const now = seen.some((entry) => entry.isIntersecting);
    if (now === looking) return;
    looking = now;
    if (looking) fill(cards, turn);
  }).observe(box);
  return { draw };
}
