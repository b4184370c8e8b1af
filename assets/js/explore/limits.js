// The limits of a rule, moved by hand: a slider and a number for each, and the way back to the
// rule's own. moved() is told the limits as a link writes them, empty where they are the rule's own.
import { make, put } from '../shared/dom.js';

export function liveLimits(box, said, moved) {
  const body = box.querySelector('.th-limits-body');
  const lines = new Map();
  const back = make('button', 'th-button', 'Reset to the rule');
  const summary = box.querySelector('summary');
  const why = make('p', 'th-soft');
  let view = null;
  let timer = null;
  back.type = 'button';
  back.addEventListener('click', () => {
    lines.forEach((line, id) => line.set(view.metrics.find((metric) => metric.id === id).usual));
    tell();
  });
  function tell() {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const now = view.metrics
        .map((metric) => [metric, lines.get(metric.id).value()])
        .filter(([item, value]) => value > 0 && value !== item.usual);
      moved(now.map(([item, value]) => item.id + ':' + value).join(','));
    }, 150);
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
      make('span', 'th-soft', metric.unit + ' · rule ' + metric.usual + metric.unit),
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
      const made = JSON.stringify(next.metrics.map((metric) => [metric.id, metric.usual]));
      view = next;
      box.hidden = false;
      put(said, next.words);
      said.hidden = !next.words;
      put(summary, next.words ? 'Adjust thresholds: yours are in use' : 'Adjust thresholds');
      if (next.words) box.open = true;
      if (box.dataset.made !== made) {
        box.dataset.made = made;
        lines.clear();
        next.metrics.forEach((metric) => lines.set(metric.id, lineOf(metric)));
        put(why, next.why_not);
        body.replaceChildren(
          ...[...lines.values()].map((line) => line.node),
          ...(next.metrics.length ? [back] : [why]),
        );
      }
      // A slider under the hand goes where the hand goes.
      next.metrics.forEach((metric) => {
        const line = lines.get(metric.id);
        if (!line.held()) line.set(metric.now);
      });
      back.disabled = !next.words;
    },
  };
}
