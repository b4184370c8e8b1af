// The limits of a rule, moved by hand: a slider and a number for each, and the way back to the
// rule's own; or another difference in place of the rule, with one limit. moved() is told the limits
// as a link writes them, empty where they are the rule's own.
import { make, options, put } from '../shared/dom.js';

export function liveLimits(box, said, moved) {
  const body = box.querySelector('.th-limits-body');
  const lines = new Map();
  const back = make('button', 'th-button', 'Reset to the rule');
  const summary = box.querySelector('summary');
  const why = make('p', 'th-soft');
  const formula = make('label', 'th-limit-formula');
  const select = make('select');
  let view = null;
  let timer = null;
  formula.append(make('span', '', 'Compare by'), select);
  select.addEventListener('change', () => {
    const chosen = view.formulas.find(({ id }) => id === select.value);
    moved(chosen ? chosen.id + ':' + chosen.usual : '');
  });
  back.type = 'button';
  back.addEventListener('click', () => {
    clearTimeout(timer);
    moved('');
  });
  function tell() {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const now = shown(view)
        .map((metric) => [metric, lines.get(metric.id).value()])
        .filter(([item, value]) => value > 0 && (view.formula || value !== item.usual));
      moved(now.map(([item, value]) => item.id + ':' + value).join(','));
    }, 150);
  }
  function shown({ formula: id, formulas, metrics }) {
    return id ? formulas.filter((metric) => metric.id === id) : metrics;
  }
  function lineOf(metric) {
    const node = make('label', 'th-limit-line');
    const slider = make('input');
    const number = make('input');
    slider.type = 'range';
    number.type = 'number';
    [slider, number].forEach((input) => {
      input.min = input.step = String(metric.step);
    });
    slider.max = String(metric.most);
    slider.setAttribute('aria-label', metric.name + ' below, slider');
    number.setAttribute('aria-label', metric.name + ' below');
    const set = (value) => {
      slider.value = String(value);
      number.value = String(value);
    };
    slider.addEventListener('input', () => {
      number.value = slider.value;
      tell();
    });
    number.addEventListener('input', () => {
      if (Number(number.value) > 0) {
        slider.value = number.value;
        tell();
      }
    });
    node.append(
      make('span', '', metric.name + ' below'),
      slider,
      number,
      make(
        'span',
        'th-soft',
        view.formula ? '' : metric.unit + ' · rule ' + metric.usual + metric.unit,
      ),
    );
    return {
      node,
      set,
      value: () => Number(number.value),
      held: () => node.contains(document.activeElement),
    };
  }
  return {
    draw(next) {
      const lined = shown(next);
      const made = JSON.stringify(lined.map((metric) => [metric.id, metric.usual]));
      view = next;
      options(select, [{ id: '', name: 'the rule' }, ...next.formulas], next.formula);
      box.hidden = false;
      put(why, next.why_not);
      put(said, next.words);
      said.hidden = !next.words;
      put(summary, next.words ? 'Adjust thresholds: yours are in use' : 'Adjust thresholds');
      if (next.words) box.open = true;
      if (box.dataset.made !== made) {
        box.dataset.made = made;
        lines.clear();
        lined.forEach((metric) => lines.set(metric.id, lineOf(metric)));
        // The choice keeps its place, and the focus.
        if (formula.parentElement !== body) body.replaceChildren(formula);
        while (formula.nextSibling) formula.nextSibling.remove();
        body.append(
          ...[...lines.values()].map((line) => line.node),
          ...(lined.length ? [back] : [why]),
        );
      }
      // A slider under the hand goes where the hand goes.
      lined.forEach((metric) => {
        const line = lines.get(metric.id);
        if (!line.held()) line.set(metric.now);
      });
      back.disabled = !next.words;
    },
  };
}
