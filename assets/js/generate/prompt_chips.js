// Buttons below the search: the active filters, and alternative meanings of the words.
import { make } from '../shared/dom.js';

function pressed(className, text, title, press) {
  const button = make('button', className, text);
  button.type = 'button';
  if (title) button.title = title;
  button.addEventListener('click', press);
  return button;
}

/**
 * @param {HTMLElement} box
 * @param {Record<string, string[]>} chosen the values of the filters in use
 * @param {any[]} facets with the titles and labels of filters
 * @param {object} calls
 * @param {(name: string, values: string[]) => void} calls.choose
 * @param {() => void} calls.clear
 */
export function showChips(box, chosen, facets, { choose, clear }) {
  const nodes = Object.entries(chosen).flatMap(([name, values]) => {
    const facet = facets.find((item) => item.name === name);
    return values.map((value) => {
      const known = facet && facet.values.find((item) => item.value === value);
      return pressed(
        'th-chip-button',
        (facet ? facet.title : name) + ': ' + ((known && known.label) || value) + '  ✕',
        'Remove this filter',
        () =>
          choose(
            name,
            values.filter((other) => other !== value),
          ),
      );
    });
  });
  if (nodes.length > 1)
    nodes.push(pressed('th-chip-button th-chip-clear', 'Clear all filters', '', clear));
  box.replaceChildren(...nodes);
  box.hidden = !nodes.length;
}

/**
 * @param {HTMLElement} box
 * @param {{ instead?: string, facets?: any[] }} found words that are written so, and filters
 * @param {object} calls
 * @param {(words: string) => void} calls.search
 * @param {(facet: string, value: string, rest: string) => void} calls.filter with the words that
 *   are left
 */
export function showSuggestions(box, { instead, facets }, { search, filter }) {
  const offer = (text, title, press) => pressed('th-suggest-button', text, title, press);
  const message = instead
    ? [
        make('span', '', 'Did you mean'),
        offer('“' + instead + '”', 'Search for this instead', () => search(instead)),
      ]
    : [];
  const listed = facets || [];
  const filters = listed.length
    ? [
        make('span', '', instead ? 'or the filter' : 'As a filter'),
        ...listed.map((item) =>
          offer(
            item.title + ': ' + item.label + ' (' + item.count.toLocaleString('en-US') + ')',
            'Select this filter and search for the remaining words',
            () => filter(item.facet, item.value, item.rest),
          ),
        ),
      ]
    : [];
  box.replaceChildren(...message, ...filters);
  box.hidden = !box.childElementCount;
}
