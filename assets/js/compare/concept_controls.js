// How what stands side by side is shown: method, order and scales, and which two are the pair.
import { options, put, strip } from '../shared/dom.js';

const METHOD_NAMES = {
  extracted: 'extraction as published',
  'extracted-soft': 'extraction, soft bins',
  pixels: 'all pixels',
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
  const part = (name) => box.querySelector('.th-cc-' + name);
  part('method').addEventListener('change', () => go({ method: part('method').value }));
  part('swap').addEventListener('click', () => go({ pair: pair().split('-').reverse().join('-') }));
  ['first', 'second'].forEach((name, side) =>
    part(name).addEventListener('change', () => {
      const places = pair().split('-').map(Number);
      const next = place(part(name).value);
      if (places[1 - side] === next) places[1 - side] = places[side];
      places[side] = next;
      go({ pair: places.join('-') });
    }),
  );
  return {
    // The methods that there are; once.
    methods(list, chosen) {
      options(
        part('method'),
        list.map((one) => ({ id: one.id, name: METHOD_NAMES[one.id] || one.name })),
        chosen,
      );
      list.forEach((one, index) => {
        part('method').options[index].title = one.name;
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
    },
    // Of the distributions that are there, which two are the pair.
    pair(view, there) {
      const listed = there.map((one) => ({ id: one.source, name: one.letter + ' · ' + one.label }));
      ['first', 'second'].forEach((name, side) =>
        options(part(name), listed, view.distributions[view.pair[side]].source),
      );
    },
  };
}
