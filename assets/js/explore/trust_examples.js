// The clearest cases of a rule's misses and false accepts, as pictures that are drawn again.
import { make, put, strip, touchingInWords } from '../shared/dom.js';
import { ask, send } from '../shared/http.js';

const SHOWN = 8;

function wanted(one) {
  return {
    object: one.object,
    light: one.light,
    seed: one.seed,
    system: one.system,
    color: one.color,
    second: one.second,
    size: one.size,
  };
}

/**
 * @typedef {object} Card
 * @property {HTMLElement} node
 * @property {() => Promise<unknown>} picture draws it
 * @property {() => Promise<void>} detail measures again what the rule finds
 */

/**
 * @param {any} one an example of the report
 * @param {string} rule
 * @param {{ id: string, name: string }[]} systems
 * @param {Map<string, any>} measured what was measured before, of all cards
 * @param {(address: any) => void} openPicture
 * @returns {Card}
 */
function exampleCard(one, rule, systems, measured, openPicture) {
  const node = make('article', 'th-example');
  const button = make('button', 'th-shot-picture');
  const picture = make('img');
  const words = make('div', 'th-example-words');
  const what = one.object + ', ' + one.color + ', ' + one.light + ' light';
  button.type = 'button';
  button.title = 'Open in Inspect';
  button.setAttribute('aria-label', 'Open in Inspect: ' + what + ', scored for ' + one.asked);
  picture.alt = '';
  const waits = make('span', 'th-soft', 'Rendering …');
  button.append(picture, waits);
  button.addEventListener('click', async () => {
    button.setAttribute('aria-busy', 'true');
    try {
      const kept = await send('/api/explore/example', {
        ...wanted(one),
        rule,
        asked: one.asked,
      });
      openPicture({
        opened: kept.image_id,
        mask: kept.mask,
        object: kept.object,
        target: kept.target,
        rule: kept.rule,
      });
    } catch (error) {
      words.replaceChildren(make('p', 'th-problem', error.message));
    }
    button.removeAttribute('aria-busy');
  });
  const system = systems.find((each) => each.id === one.system);
  const distance = one.delta_e00 === null ? 'unscored' : one.delta_e00.toFixed(1) + ' ΔE00';
  const colors = make('div', 'th-example-colors');
  // What stands in the report is there at once; what the rule found is measured again.
  const compare = (found) => {
    const row = [
      {
        role: one.kind === 'missed' ? 'target, true' : 'target',
        hex: one.asked_hex,
        name: one.asked,
      },
      ...(one.kind === 'missed' ? [] : [{ role: 'true', hex: one.true_hex, name: one.color }]),
      ...(found ? [{ role: 'measured', hex: found, name: '' }] : []),
    ];
    colors.replaceChildren(touchingInWords(row));
  };
  compare('');
  words.append(
    colors,
    make('b', '', distance),
    make(
      'span',
      '',
      one.kind === 'missed' ? one.color : 'scored for ' + one.asked + ', is ' + one.color,
    ),
    make(
      'small',
      'th-soft',
      (system ? system.name : one.system) +
        ', ' +
        one.object +
        ', ' +
        one.light +
        ' light' +
        (one.second ? ', second material ' + one.second : ''),
    ),
  );
  node.append(button, words);
  const drawn = () =>
    new Promise((/** @type {(value?: unknown) => void} */ done) => {
      picture.onload = () => {
        waits.remove();
        done();
      };
      picture.onerror = () => {
        put(waits, 'This image could not be rendered.');
        done();
      };
      picture.src = '/api/explore/picture.png?' + new URLSearchParams(wanted(one));
    });
  const detail = async () => {
    const key = JSON.stringify([wanted(one), one.asked, rule]);
    try {
      if (!measured.has(key))
        measured.set(
          key,
          await ask(
            '/api/explore/example?' +
              new URLSearchParams({ ...wanted(one), rule, asked: one.asked }),
          ),
        );
      const found = measured.get(key);
      const now = found.delta_e00 === null ? 'unscored' : found.delta_e00.toFixed(1) + ' ΔE00';
      compare(found.found);
      words.title = found.reason;
      if (now !== distance) words.appendChild(make('small', 'th-stale', 'now ' + now));
    } catch (error) {
      words.appendChild(make('p', 'th-problem', error.message));
    }
  };
  return { node, picture: drawn, detail };
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
  // One picture after the other, and only while somebody looks: each is drawn anew.
  async function fill(cards, mine) {
    for (const step of ['picture', 'detail']) {
      for (const one of cards) {
        if (mine !== turn || !looking) return;
        if (one.node.dataset[step]) continue;
        one.node.dataset[step] = 'there';
        await one[step]();
      }
    }
  }
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
          .filter((one) => one.kind === kind)
          .map((one) => exampleCard(one, rule, report.systems, measured, openPicture));
        group.dataset.kind = kind;
        group.appendChild(make('h4', '', title));
        const show = (some) => {
          grid.append(...some.map((one) => one.node));
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
