// The difference by other formulas, folded below a verdict: evidence, which changes no verdict.
import { make, options, table } from '../shared/dom.js';
import { send } from '../shared/http.js';

const SURROUNDS = ['average', 'dim', 'dark'];
const NUMBERS = {
  adapting_cd_m2: {
    label: 'Adapting L_A',
    unit: 'cd/m²',
    title: 'CAM16: luminance of the adapting field; sRGB’s own is 4.07, a fifth of 64 lx / π',
  },
  background_percent: {
    label: 'Background Y_b',
    unit: '% of white',
    title: 'CAM16: luminance of the background relative to white; usually 20',
  },
  white_cd_m2: {
    label: 'White',
    unit: 'cd/m²',
    title: 'ΔE ITP: luminance of sRGB’s white; 100 on the reference display of ITU-R BT.2035',
  },
};
// For the visit: whether it is open, and the viewing conditions that somebody set.
let open = false;
/** @type {Record<string, number | string>} */
const chosen = {};

/** @param {Api.ComparedColors} colors */
export function differenceTable(colors) {
  const box = make('details', 'th-formulas');
  box.open = open;
  box.setAttribute('aria-live', 'off');
  const note = make(
    'p',
    '',
    'They change no verdict. CIELAB, D65, 2°. CIE 1994 and CMC weight by the target.',
  );
  const rows = make('div', 'th-formulas-rows');
  const message = make('p', 'th-formulas-message');
  message.setAttribute('role', 'status');
  const conditions = make('div', 'th-formulas-viewing');
  conditions.setAttribute('role', 'group');
  conditions.setAttribute('aria-label', 'Viewing conditions of CAM16 and ΔE ITP');
  const fields = {};
  let latest = 0;

  async function fill() {
    const mine = ++latest;
    if (!rows.firstChild) message.textContent = 'Computing…';
    try {
      const found = await send('/api/differences', {
        lab: colors.lab,
        references: colors.references.map((reference) => reference.lab),
        ...chosen,
      });
      if (mine !== latest) return;
      message.textContent = '';
      for (const [name, field] of Object.entries(fields)) field.value = found.viewing[name];
      rows.replaceChildren(tableOf(colors, found));
    } catch (error) {
      if (mine !== latest) return;
      rows.replaceChildren();
      message.textContent = error.message;
    }
  }

  function condition(name, label, title, field, unit = '') {
    const line = make('label', '', label);
    line.title = title;
    line.append(field, unit);
    fields[name] = field;
    field.addEventListener('change', () => {
      // An empty field is as it was to begin with.
      if (field.value === '') delete chosen[name];
      else chosen[name] = field.type === 'number' ? Number(field.value) : field.value;
      fill();
    });
    conditions.append(line);
  }
  const surround = make('select');
  options(
    surround,
    SURROUNDS.map((name) => ({ id: name, name })),
    'average',
  );
  condition('surround', 'Surround', 'CAM16: the surround of the display', surround);
  for (const [name, { label, unit, title }] of Object.entries(NUMBERS)) {
    const field = make('input');
    Object.assign(field, { type: 'number', step: 'any', min: 0 });
    condition(name, label, title, field, unit);
  }

  box.append(make('summary', '', 'Difference by other formulas'), note, conditions, message, rows);
  box.addEventListener('toggle', () => {
    open = box.open;
    if (open && !rows.firstChild) fill();
  });
  if (open) fill();
  return box;
}

/** @param {Api.ComparedColors} colors @param {Api.ColorDifferences} found */
function tableOf(colors, found) {
  const heads = [
    'Formula',
    ...colors.references.map((reference) => 'To ' + lower(reference.title)),
  ];
  const lines = found.formulas.map((formula) => {
    const name = make('span', '', formula.name);
    name.title = formula.source;
    name.append(make('small', '', formula.definition));
    const values = formula.values.map((value) => {
      const cell = make('span', '', value === null ? 'none' : value.toFixed(2));
      if (value === null) cell.title = 'Not defined for these colors';
      return cell;
    });
    return [name, ...values];
  });
  return table('th-formulas-table', heads, lines);
}

const lower = (text) => text.charAt(0).toLowerCase() + text.slice(1);
