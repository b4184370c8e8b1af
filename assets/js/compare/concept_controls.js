// Display of the comparison: method, order and scales, and the pair.
import { options, put, strip } from '../shared/dom.js';

const METHOD_NAMES = {
  extracted: 'extraction as published',
  'extracted-soft': 'extraction, soft bins',
  pixels: 'all pixels',
};
// The command has another default, so the same two images have other numbers there.
const METHOD_NOTES = {
  extracted:
    'Images by extraction as published. truehue compare takes all pixels, and its numbers differ: add --method extracted for these.',
  'extracted-soft': 'Images by extraction, soft bins: --method extracted-soft of truehue compare.',
  pixels:
    'Every pixel of the masks counts, as by truehue compare. The paper’s tables are by extraction as published.',
};
const SCALES = [
  { id: 'one', name: 'Shared' },
  { id: 'own', name: 'Independent' },
];
const BETWEEN = [
  { id: 'moves', name: 'Flow' },
  { id: 'bins', name: 'Overlay' },
];
const APART = [
  { id: '1', name: 'Offset by L*' },
  { id: '0', name: 'Exact' },
];

/**
 * @param {Element} box
 * @param {object} calls
 * @param {(changes: Record<string, string>) => void} calls.go shows another choice
 * @param {() => string} calls.pair the places of the pair, as '0-1'
 * @param {(source: string) => number} calls.place where a source stands
 */
export function conceptControls(box, { go, pair, place }) {
  const part = (name) => box.querySelector('.th-concept-' + name);
  part('method').addEventListener('change', () => go({ method: part('method').value }));
  part('swap').addEventListener('click', () => go({ pair: pair().split('-').reverse().join('-') }));
  ['first', 'second'].forEach((name, side) =>
    part(name).addEventListener('change', () => {
      const positions = pair().split('-').map(Number);
      const next = place(part(name).value);
      if (positions[1 - side] === next) positions[1 - side] = positions[side];
      positions[side] = next;
      go({ pair: positions.join('-') });
    }),
  );
  return {
    // The methods that there are; once.
    methods(list, chosen) {
      options(
        part('method'),
        list.map((item) => ({ id: item.id, name: METHOD_NAMES[item.id] || item.name })),
        chosen,
      );
      list.forEach((item, index) => {
        part('method').options[index].title = item.name;
      });
    },
    draw(state, sorts, between) {
      strip(part('sort'), sorts, state.sort, (sort) => go({ sort }));
      ['scale', 'pair-scale'].forEach((name) =>
        strip(part(name), SCALES, state.scale, (scale) => go({ scale })),
      );
      strip(part('between'), BETWEEN, between, (chosen) => go({ between: chosen }));
      strip(part('apart'), APART, state.apart, (apart) => go({ apart }));
      put(
        part('map-words'),
        state.apart === '1'
          ? 'The larger a circle, the larger the share of that color. Bins with equal a*b* are offset: lighter up, darker down.'
          : 'The larger a circle, the larger the share of that color. Bins with equal a*b* overlap, the largest behind.',
      );
      part('method').value = state.method;
      put(part('method-note'), METHOD_NOTES[state.method] || '');
    },
    // Of the distributions that are there, which two are the pair.
    pair(view, there) {
      const listed = there.map((item) => ({
        id: item.source,
        name: item.letter + ' · ' + item.label,
      }));
      ['first', 'second'].forEach((name, side) =>
        options(part(name), listed, view.distributions[view.pair[side]].source),
      );
    },
  };
}
