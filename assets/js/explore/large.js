// The large view of one image of the wall: zoom, the prompt, and what every rule says of every
// object. It takes its images from the wall, which it asks for the one before and after.
import { make, put } from '../shared/dom.js';
import { ask } from '../shared/http.js';
import { judging } from '../shared/verdict_actions.js';
import {
  targetAndMeasured,
  targetLine,
  targetLabel,
  distanceOf,
  spoken,
  statusWord,
} from './card.js';
import { zoomTogether } from '../shared/zoom.js';
import { explore } from './view.js';

export function largeView(box, wall) {
  const view = box.querySelector('.th-light-view');
  const side = box.querySelector('.th-light-side');
  const level = make('span', 'th-light-level');
  const zoom = zoomTogether((now) => put(level, now.percent + '%'));
  const pane = zoom.add(view);
  view.tabIndex = 0;
  view.setAttribute('aria-label', 'The image; plus and minus zoom, arrow keys show the next');
  view.setAttribute('role', 'group');
  let entry = null;
  let turn = 0;
  let goesOn = false;
  let masked = false;
  let answering = null;

  const tools = make('div', 'th-light-tools');
  const buttons = new Map();
  const tool = (name, label, title, act) => {
    const button = make('button', 'th-button', label);
    button.type = 'button';
    button.title = title;
    button.setAttribute('aria-label', title);
    button.addEventListener('click', act);
    buttons.set(name, button);
    return button;
  };
  tools.append(
    tool('previous', '‹', 'Previous image (←)', () => step(-1)),
    tool('next', '›', 'Next image (→)', () => step(1)),
    tool('out', '−', 'Smaller (-)', () => zoom.by(1 / 1.5)),
    level,
    tool('in', '+', 'Larger (+)', () => zoom.by(1.5)),
    tool('fit', 'Fit', 'The whole image (0)', () => zoom.fit()),
    tool('exact', '1:1', 'Actual pixels (1)', () => zoom.exact()),
    tool('mask', 'Mask', 'Show the mask: the pixels that the rule was given (M)', () => {
      masked = !masked;
      drawMask();
    }),
    tool('close', '✕', 'Close (Esc)', () => box.close()),
  );
  const text = make('div', 'th-light-words');
  side.append(tools, text);

  // The outline of what was measured: black and white dashes, to be seen on any color.
  const SVG = 'http://www.w3.org/2000/svg';
  const maskWords = make('p', 'th-soft th-light-mask');
  maskWords.setAttribute('role', 'status');
  async function drawMask() {
    const mine = turn;
    const button = buttons.get('mask');
    button.disabled = !entry.mask;
    button.setAttribute('aria-pressed', String(masked && Boolean(entry.mask)));
    pane.cover(null);
    put(maskWords, '');
    if (!masked || !entry.mask) return;
    try {
      const result = await ask(
        `/api/explore/failures/mask?${new URLSearchParams({ mask: entry.mask })}`,
      );
      if (mine !== turn || !masked) return;
      const over = document.createElementNS(SVG, 'svg');
      over.setAttribute('viewBox', '0 0 ' + result.width + ' ' + result.height);
      over.setAttribute('class', 'th-pane-mask');
      over.setAttribute('aria-hidden', 'true');
      ['white', 'black'].forEach((name) => {
        const path = document.createElementNS(SVG, 'path');
        path.setAttribute('d', result.path);
        path.setAttribute('class', 'th-mask-' + name);
        over.append(path);
      });
      pane.cover(over);
      put(maskWords, result.words);
    } catch (error) {
      if (mine === turn) put(maskWords, 'The mask cannot be shown. ' + error.message);
    }
  }
  async function step(by) {
    const next = await wall.neighbor(entry, by);
    if (next && box.open) show(next);
  }
  function fact(name, value) {
    const line = make('p', 'th-light-fact');
    line.append(make('span', 'th-soft', name), make('span', '', value));
    return line;
  }
  function show(next) {
    entry = next;
    const mine = ++turn;
    pane.show(entry.url, entry.text, entry.picture_reason, entry.gone);
    zoom.fit();
    const head = make('p', 'th-light-head');
    const colors = targetAndMeasured(entry);
    const actions = make('div', 'th-light-actions');
    head.append(
      statusWord(entry.picture_status),
      make('span', 'th-failures-distance', distanceOf(entry)),
    );
    const facts = make('div', 'th-light-facts');
    const verdicts = make('div', 'th-light-verdicts');
    const inspect = make('button', 'th-button', 'Open in Inspect (I)');
    const compare = make('button', 'th-button', 'Compare (C)');
    inspect.type = compare.type = 'button';
    inspect.disabled = !entry.image_id;
    inspect.addEventListener('click', inspectThis);
    compare.addEventListener('click', compareThis);
    actions.append(inspect, compare);
    facts.append(
      fact('Model', entry.model_name),
      fact('Run', entry.run),
      fact('Task', entry.task_name),
    );
    verdicts.append(make('p', 'th-soft', 'Verdicts by all rules…'));
    answering = null;
    const own = make('div');
    text.replaceChildren(
      head,
      ...(colors ? [colors] : []),
      maskWords,
      targetLine('th-light-asked', entry),
      make('p', '', entry.told || entry.picture_reason),
      ...(entry.cause_words ? [make('p', 'th-soft', 'Why: ' + entry.cause_words)] : []),
      actions,
      own,
      make('h3', '', 'Prompt'),
      make('p', 'th-light-text', entry.text),
      facts,
      make('h3', '', 'All rules and objects'),
      verdicts,
    );
    side.scrollTop = 0;
    box.setAttribute('aria-label', spoken(entry));
    buttons.get('previous').disabled = !wall.has(entry, -1);
    buttons.get('next').disabled = !wall.has(entry, 1);
    drawMask();
    wall.shown(entry);
    all(facts, verdicts, own, mine);
  }
  // Every rule and object of this image; only the answer of the image on screen counts.
  async function all(facts, verdicts, own, mine) {
    try {
      const result = await ask(
        `/api/explore/failures/image?${new URLSearchParams({
          run: entry.run_id,
          position: entry.position,
          unscored: explore.slice.unscored,
        })}`,
      );
      if (mine !== turn) return;
      facts.append(...result.facts.map(([name, value]) => fact(name, value)));
      verdicts.replaceChildren(...result.items.map((item) => line(item)));
      const question = { run: entry.run_id, position: entry.position, rule: entry.rule };
      answering = judging({
        question,
        status: entry.picture_status,
        ruleName: entry.rule_name,
        evidence: null,
        answers: result,
      });
      own.replaceChildren(answering.node);
    } catch (error) {
      if (mine === turn) verdicts.replaceChildren(make('p', 'th-problem', error.message));
    }
  }
  function line(item) {
    const button = make('button', 'th-light-line');
    const first = make('span', 'th-light-first');
    const colors = targetAndMeasured(item, false);
    button.type = 'button';
    button.disabled = !item.image_id;
    button.title = item.image_id ? 'Open in Inspect by ' + item.rule_name : '';
    if (item.rule === entry.rule && item.target === entry.target)
      button.setAttribute('aria-current', 'true');
    first.append(
      make('b', '', item.rule_name),
      statusWord(item.status),
      make('span', 'th-failures-distance', distanceOf(item)),
      ...(colors ? [colors] : []),
    );
    button.append(first, make('small', '', targetLabel(item)), make('small', 'th-soft', item.told));
    button.addEventListener('click', () => {
      leave();
      wall.inspect(item);
    });
    return button;
  }
  function leave() {
    goesOn = true;
    box.close();
  }
  function inspectThis() {
    if (entry.image_id) {
      leave();
      wall.inspect(entry);
    }
  }
  function compareThis() {
    leave();
    wall.compare(entry);
  }
  box.addEventListener('keydown', (event) => {
    if (zoom.key(event)) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (answering && answering.key(event.key)) {
      event.preventDefault();
      return;
    }
    const act = {
      ArrowRight: () => step(1),
      ArrowLeft: () => step(-1),
      j: () => step(1),
      k: () => step(-1),
      i: inspectThis,
      c: compareThis,
      m: () => {
        masked = !masked;
        drawMask();
      },
      '?': wall.keys,
    }[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (act) {
      event.preventDefault();
      act();
    }
  });
  // A click beside the image and its words closes.
  box.addEventListener('click', (event) => {
    if (event.target === box) box.close();
  });
  box.addEventListener('close', () => {
    turn += 1;
    pane.show('');
    wall.closed(entry, goesOn);
    goesOn = false;
  });
  return {
    open(next) {
      if (!box.open) box.showModal();
      show(next);
      view.focus({ preventScroll: true });
    },
    close: leave,
    isOpen: () => box.open,
  };
}
