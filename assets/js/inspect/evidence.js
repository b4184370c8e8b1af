// The four evidence cards: two plotly figures, nearest names, and the measurement's steps.
import { openSweep } from '../compare/sweep.js';
import { colorCard } from '../shared/colors.js';
import { figure, onTheme } from '../shared/figure.js';
import { fidelityCard } from './fidelity.js';

function el(tag, cls, text) {
  const node = document.createElement(tag);
  if (cls) node.className = cls;
  if (text !== undefined && text !== null) node.textContent = text;
  return node;
}

/** @param {import('../shared/widget.js').Widget} widget */
export function mount({ element, props, watch }) {
  const cards = {
    ab: element.querySelector('.th-card-ab .th-figure'),
    light: element.querySelector('.th-card-light .th-figure'),
    offsets: element.querySelector('.th-offsets'),
    names: element.querySelector('.th-names'),
    steps: element.querySelector('.th-steps'),
  };
  const grid = element.querySelector('.th-evidence');

  /** @param {Api.EvidenceCards['offsets']} data */
  function offsets(data) {
    element.querySelector('.th-difference').hidden = !data;
    cards.offsets.replaceChildren();
    if (!data) return;
    const title = element.querySelector('.th-offsets-to');
    title.textContent = 'Measured minus ' + data.to;
    const full = Math.max(20, ...data.rows.map((row) => Math.abs(row.value)));
    data.rows.forEach((row) => {
      const line = el('div', 'th-offset');
      const track = el('div', 'th-signed');
      const fill = el('i');
      const size = Math.min(50, (Math.abs(row.value) / full) * 50);
      fill.style.left = (row.value < 0 ? 50 - size : 50) + '%';
      fill.style.width = size + '%';
      track.appendChild(fill);
      [
        el('span', 'th-label', row.label),
        track,
        el('span', 'th-value', row.text),
        el('span', 'th-word', row.word),
      ].forEach((n) => line.appendChild(n));
      cards.offsets.appendChild(line);
    });
  }

  /**
   * @param {Api.SystemNames[]} systems
   * @param {Api.PeopleNames[]} people
   */
  function names(systems, people) {
    const table = el('table');
    cards.names.replaceChildren(table);
    people.forEach((survey) => {
      const body = table.createTBody();
      const heading = el('th', '', survey.text);
      heading.colSpan = 4;
      heading.scope = 'rowgroup';
      body.insertRow().append(heading);
      survey.rows.forEach((row) => {
        const name = el('td', 'th-name', row.name + (row.target ? ' · the target' : ''));
        name.colSpan = 2;
        const numbers = [row.interval, row.percent].map((text) => el('td', 'th-num', text));
        body.insertRow().append(name, ...numbers);
      });
    });
    systems.forEach((system) => {
      const body = table.createTBody();
      const head = el('th', '', system.system + ', by ΔE00');
      head.colSpan = 4;
      head.scope = 'rowgroup';
      body.insertRow().append(head);
      system.rows.forEach((row) => {
        const line = el('tr');
        const chip = el('i', 'th-chip');
        chip.style.background = row.hex;
        const cell = el('td', 'th-chip-cell');
        cell.appendChild(chip);
        [
          cell,
          el('td', 'th-name', row.name),
          el('td', 'th-num', row.hex),
          el('td', 'th-num', row.delta_e00),
        ].forEach((n) => line.appendChild(n));
        body.append(line);
      });
    });
  }

  /** @param {Api.StepJson[]} list */
  function steps(list) {
    cards.steps.replaceChildren();
    list.forEach((step) => {
      const item = el('li');
      const text = el('span');
      text.appendChild(el('span', '', step.title));
      text.appendChild(el('small', '', step.text));
      item.appendChild(el('b', 'th-step-mark', step.mark));
      item.appendChild(text);
      cards.steps.appendChild(item);
    });
  }

  /** Numbers of the whole image, which decide no verdict. @param {Api.MeasureText[]} list */
  function measures(list) {
    const box = element.querySelector('.th-whole');
    box.hidden = !list.length;
    box.querySelector('dl').replaceChildren(
      ...list.flatMap((measure) => {
        const value = el('dd', 'th-num', measure.text);
        value.title = measure.title;
        return [el('dt', '', measure.name), value];
      }),
    );
  }

  function draw() {
    /** @type {Api.EvidenceJson['view']} */
    const view = props.view;
    grid.hidden = !view;
    if (!view) return;
    offsets(view.offsets);
    element.querySelector('.th-palette-part').hidden = !view.colors;
    element
      .querySelector('.th-palette-box')
      .replaceChildren(...(view.colors ? [colorCard(view.colors, false, props.image)] : []));
    element.querySelector('.th-names-title').textContent = 'Names of ' + view.names_of;
    names(view.names, view.people);
    steps(view.steps);
    measures(view.measures || []);
    figure(cards.ab, view.chromaticity, true);
    figure(cards.light, view.lightness, true);
  }

  const fidelity = fidelityCard(element.querySelector('.th-fidelity'));
  watch('image', () => fidelity(props.image || ''));
  fidelity(props.image || '');
  element.querySelector('.th-sweep-open').addEventListener('click', () => openSweep([props.image]));
  watch('view', draw);
  onTheme(draw);
  draw();
}
