// What a prompt of one's own will be judged by, before it is drawn. Words of people: text only.
import { make, put, swatches } from '../shared/dom.js';

/** @param {import('../shared/widget.js').Widget} widget */
export function mount({ element, props, trigger, watch }) {
  const judged = element.querySelector('.th-reading-judged');
  const hand = element.querySelector('.th-reading-hand');
  const notes = element.querySelector('ul');
  function draw() {
    const view = props.view || {};
    const found = view.judged || [];
    judged.hidden = !found.length;
    judged.replaceChildren(
      make('span', '', 'Judged as: '),
      ...found.flatMap((one, at) => {
        const words = make('b', '', one.object + ', ' + one.label);
        return [...(at ? [make('span', '', '; ')] : []), swatches([one.hex]), words];
      }),
      ...(view.more
        ? [make('span', '', ' and ' + view.more.toLocaleString('en-US') + ' more')]
        : []),
    );
    hand.hidden = !view.hand;
    put(hand.querySelector('span'), view.hand || '');
    notes.replaceChildren(...(view.notes || []).map((text) => make('li', '', text)));
  }
  hand.querySelector('button').addEventListener('click', () => {
    props.value = { object: false, target: false };
    trigger('follow');
  });
  watch('view', draw);
  draw();
}
