// The filters beside the prompts, each with its values and their counts.
import { arrange, make, put, swatches } from '../shared/dom.js';

// The most values that are shown without a field to find one.
const MAX_VALUES = 12;

/**
 * @param {Element} box
 * @param {object} calls
 * @param {(name: string) => string[]} calls.chosen the values of a filter that are ticked
 * @param {(name: string, values: string[]) => void} calls.choose
 */
export function promptFacets(box, { chosen, choose }) {
  const groups = new Map();
  const opened = new Set(['task', 'objects', 'system']);

  // One group of filters; it stays the same box while its values and their counts change.
  function facetGroup({ name, title }) {
    const node = make('details', 'th-facet');
    const head = make('summary', '', title);
    const number = make('b');
    const find = make('input', 'th-facet-find');
    const values = make('div', 'th-facet-values');
    const labels = new Map();
    let before = 0;
    node.dataset.facet = name;
    node.open = opened.has(name);
    node.addEventListener('toggle', () => {
      if (node.open) opened.add(name);
      else opened.delete(name);
    });
    head.appendChild(number);
    find.type = 'search';
    find.setAttribute('aria-label', 'Find in ' + title);
    find.addEventListener('input', narrow);
    node.append(head, find, values);
    function narrow() {
      const wanted = find.value.trim().toLowerCase();
      labels.forEach(({ label }) => {
        label.hidden = !label.textContent.toLowerCase().includes(wanted);
      });
    }
    function facetOption(value) {
      const label = make('label');
      const tick = make('input');
      const count = make('small');
      tick.type = 'checkbox';
      tick.addEventListener('change', () => {
        const now = new Set(chosen(name));
        if (tick.checked) now.add(value.value);
        else now.delete(value.value);
        choose(name, [...now]);
      });
      label.append(tick);
      if (value.hex) label.append(swatches([value.hex]));
      label.append(make('span', '', value.label), count);
      return { label, tick, count };
    }
    function update(facet) {
      const ticked = chosen(name);
      const scrolled = values.scrollTop;
      if (ticked.length && !before) node.open = true;
      before = ticked.length;
      put(number, ticked.length ? String(ticked.length) : '');
      number.hidden = !ticked.length;
      find.hidden = facet.values.length <= MAX_VALUES && !find.value;
      find.placeholder = 'Find among ' + facet.values.length;
      const now = facet.values.map((value) => {
        if (!labels.has(value.value)) labels.set(value.value, facetOption(value));
        const { label, tick, count } = labels.get(value.value);
        tick.checked = ticked.includes(value.value);
        put(count, value.count.toLocaleString('en-US'));
        label.classList.toggle('th-none', !value.count);
        return label;
      });
      arrange(values, now);
      narrow();
      values.scrollTop = scrolled;
    }
    return { node, update };
  }

  return {
    draw(facets) {
      const shown = facets.filter((facet) => facet.values.length > 1 || chosen(facet.name).length);
      const scrolled = box.scrollTop;
      arrange(
        box,
        shown.map((facet) => {
          if (!groups.has(facet.name)) groups.set(facet.name, facetGroup(facet));
          return groups.get(facet.name).node;
        }),
      );
      shown.forEach((facet) => groups.get(facet.name).update(facet));
      box.scrollTop = scrolled;
    },
    // Another set has other values.
    forget() {
      groups.clear();
    },
  };
}
