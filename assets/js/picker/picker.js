// The color picker on the page. Text goes to the page through textContent alone.
import { store } from '../shared/state.js';
import { catalog } from './catalog.js';
import { colorPlane } from './plane.js';
import { colorReading, split, valueOf } from './reading.js';

const RECENT = 'th-colors';
const MAX_RECENT = 6;

const labelOf = (color) => color.name || color.notation || color.hex;

function cell(kind, text) {
  const node = document.createElement('span');
  node.className = 'th-picker-' + kind;
  node.textContent = text;
  return node;
}

/** @param {import('../shared/widget.js').Widget} widget */
export function mount({ element, props, trigger, watch }) {
  const { systems, read, matches, namesakes, similar } = colorReading(catalog);
  function describe(color) {
    const [l, a, b] = color.lab;
    const tidyZero = (v, n) =>
      v
        .toFixed(n)
        .replace(/^-(0\.?0*)$/, '$1')
        .replace('-', '−');
    const numbers =
      (color.notation ? 'nearest ' : '') +
      color.hex +
      ' · L*\u00a0' +
      tidyZero(l, 1) +
      ' · a*\u00a0' +
      tidyZero(a, 2) +
      ' · b*\u00a0' +
      tidyZero(b, 2);
    if (!color.name) return numbers;
    const others = namesakes(color).map(
      (other) => systems.get(other.system) + ', type ' + valueOf(other),
    );
    return (
      color.name +
      ' · ' +
      systems.get(color.system) +
      ' · ' +
      numbers +
      (others.length ? ' · another color in: ' + others.join('; ') : '')
    );
  }
  function missing(text) {
    const near = similar(text, 4).map((c) => c.name);
    const { key, rest } = split(text);
    return (
      'No color is called “' +
      rest.slice(0, 40) +
      '”' +
      (systems.has(key) ? ' in ' + systems.get(key) : '') +
      '.' +
      (near.length ? ' Names spelled alike: ' + near.join(', ') + '.' : ' ' + catalog.forms)
    );
  }
  function recent() {
    let saved = [];
    try {
      saved = JSON.parse(localStorage.getItem(RECENT)) || [];
    } catch {
      /* none then */
    }
    return (Array.isArray(saved) ? saved : [])
      .map((text) => read(String(text)).color)
      .filter(Boolean);
  }
  function remember(color) {
    const saved = [
      valueOf(color),
      ...recent()
        .map(valueOf)
        .filter((text) => text !== valueOf(color)),
    ];
    try {
      localStorage.setItem(RECENT, JSON.stringify(saved.slice(0, MAX_RECENT)));
    } catch {
      /* private windows may refuse */
    }
  }
  const find = (part) => element.querySelector('.th-picker-' + part);
  const label = find('label');
  const box = find('box');
  const swatch = find('swatch');
  const input = find('input');
  const tag = find('tag');
  const popup = find('popup');
  const list = find('list');
  const foot = find('foot');
  const line = find('line');
  const opener = find('open');
  const planePanel = find('plane');
  const uid = 'th-picker-' + Math.random().toString(36).slice(2);
  input.id = uid;
  list.id = uid + '-list';
  line.id = uid + '-line';
  label.htmlFor = uid;
  label.textContent = props.label || 'Color';
  input.setAttribute('aria-controls', list.id);
  input.setAttribute('aria-describedby', line.id);
  list.setAttribute('aria-label', 'Colors');

  // --- What is shown ------------------------------------------------------------------------------

  let picked = null; // the color that Python has, or null
  let shown = []; // the colors in the open list
  let rows = []; // their rows; headings stand between them
  let active = -1; // the highlighted one
  let edited = false; // the text is not that of the picked color

  function say(text, wrong) {
    // The list covers the line, so its foot says the same.
    for (const node of [line, foot]) if (node.textContent !== text) node.textContent = text;
    line.classList.toggle('wrong', Boolean(wrong));
  }
  function paint(color) {
    swatch.classList.toggle('none', !color);
    swatch.style.background = color ? color.hex : '';
    const typed = color && !color.name && !color.notation && input.value.trim() === color.hex;
    tag.textContent =
      !color || typed
        ? ''
        : (color.name ? color.system.toUpperCase() + ' ·\u00a0' : '') + color.hex;
  }
  function showPicked() {
    close();
    edited = false;
    input.value = picked ? labelOf(picked) : '';
    input.removeAttribute('aria-invalid');
    paint(picked);
    say(picked ? describe(picked) : '');
  }
  function refuse(message) {
    const saved = picked ? ' Still in use: ' + labelOf(picked) + '.' : '';
    input.setAttribute('aria-invalid', 'true');
    paint(null);
    say(message + saved, true);
  }
  // `headings` go before the colors at these places of the list.
  function open(result, headings = {}) {
    shown = result;
    if (result.length) showPlane(false);
    rows = result.map((color, index) => {
      const row = document.createElement('div');
      row.className = 'th-picker-option';
      row.id = uid + '-' + index;
      row.setAttribute('role', 'option');
      row.setAttribute('aria-selected', 'false');
      const patch = cell('swatch', '');
      patch.style.background = color.hex;
      row.append(
        patch,
        cell('name', labelOf(color)),
        cell('system', color.system ? color.system.toUpperCase() : ''),
        cell('hex', color.hex),
      );
      return row;
    });
    list.replaceChildren(
      ...rows.flatMap((row, index) => {
        if (!headings[index]) return [row];
        const heading = cell('heading', headings[index]);
        heading.setAttribute('role', 'presentation');
        return [heading, row];
      }),
    );
    active = -1;
    input.removeAttribute('aria-activedescendant');
    popup.hidden = !result.length;
    input.setAttribute('aria-expanded', String(!popup.hidden));
    if (popup.hidden) return;
    list.scrollTop = 0;
    popup.classList.remove('up', 'end');
    const rect = box.getBoundingClientRect();
    const size = popup.getBoundingClientRect();
    const below = window.innerHeight - rect.bottom;
    popup.classList.toggle('up', below < size.height + 8 && rect.top > below);
    popup.classList.toggle(
      'end',
      rect.left + size.width > window.innerWidth && rect.right > size.width,
    );
  }
  function close() {
    open([]);
  }
  function highlight(index, scroll) {
    if (rows[active]) rows[active].setAttribute('aria-selected', 'false');
    active = index;
    const row = rows[active];
    if (!row) return;
    row.setAttribute('aria-selected', 'true');
    input.setAttribute('aria-activedescendant', row.id);
    if (scroll) row.scrollIntoView({ block: 'nearest' });
    paint(shown[active]);
    say(describe(shown[active]));
  }

  // --- What the person does -----------------------------------------------------------------------

  function pick(color, keepText) {
    const changed = !picked || valueOf(picked) !== valueOf(color);
    picked = color;
    if (keepText) {
      paint(color);
      say(describe(color));
    } else {
      showPicked();
    }
    remember(color);
    if (!changed) return;
    props.value = valueOf(color);
    trigger('input', { value: valueOf(color) });
  }
  function settle(takeFirst) {
    if (!edited) return;
    const text = input.value;
    const result = read(text);
    if (result.color) pick(result.color);
    else if (!text.trim()) showPicked();
    else {
      const match = takeFirst && !result.wrong ? matches(text) : [];
      if (match.length) {
        pick(match[0]);
        if (match.length > 1)
          say(`First of ${match.length} names with “${text.trim()}”: ` + describe(match[0]));
      } else refuse(result.wrong || missing(text));
    }
  }
  function typed() {
    edited = true;
    input.removeAttribute('aria-invalid');
    const text = input.value;
    const result = read(text);
    paint(result.color);
    if (!text.trim()) {
      close();
      say(picked ? 'Still in use: ' + labelOf(picked) + '.' : '');
      return;
    }
    const match = result.wrong ? [] : matches(text);
    // Nothing has all these words: the list offers what is spelled like them.
    open(match.length || result.color || result.wrong ? match : similar(text, 6));
    if (result.color) {
      say(describe(result.color));
      // Six digits are a whole color; three may still become six, and "1, 2, 3" may become 30.
      if (!result.color.name && /^#?[0-9a-f]{6}$/i.test(text.trim())) pick(result.color, true);
    } else if (result.wrong) say(result.wrong, !result.partial);
    else if (match.length) say(match.length + (match.length === 1 ? ' name' : ' names'));
    else say(missing(text), true);
  }
  // With nothing typed: what was asked last, the thirteen basic names, then all.
  function browseAll() {
    const last = recent();
    const basic = matches('l1:');
    const headings = {};
    if (last.length) headings[0] = 'Recent';
    headings[last.length] = 'Basic names · ' + systems.get('l1');
    headings[last.length + basic.length] = 'All names';
    open([...last, ...basic, ...matches('')], headings);
  }
  function browse() {
    if (edited && input.value.trim()) open(matches(input.value));
    else if (edited || !picked || !picked.name) {
      browseAll();
    } else {
      open(matches(picked.system + ':'));
      highlight(shown.indexOf(picked), true);
    }
  }

  input.addEventListener('input', typed);
  input.addEventListener('focus', () => input.select());
  input.addEventListener('click', () => {
    if (!input.value && popup.hidden) browse();
  });
  input.addEventListener('blur', () => {
    close();
    settle(false);
    if (!edited) showPicked();
  });
  input.addEventListener('keydown', (event) => {
    if (event.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key];
    if (step) {
      event.preventDefault();
      if (popup.hidden) browse();
      else if (active < 0) highlight(step > 0 ? 0 : shown.length - 1, true);
      else if (Math.abs(step) === 1) highlight((active + step + shown.length) % shown.length, true);
      else highlight(Math.min(Math.max(active + step, 0), shown.length - 1), true);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      if (!popup.hidden && active >= 0) pick(shown[active]);
      else {
        settle(true);
        close();
      }
    } else if (event.key === 'Escape') {
      if (popup.hidden && !edited) return;
      event.preventDefault();
      event.stopPropagation();
      showPicked();
      input.select();
    }
  });
  box.addEventListener('mousedown', (event) => {
    const target = /** @type {Element} */ (event.target);
    if (target === input || planePanel.contains(target) || target === opener) return;
    event.preventDefault();
    if (!popup.contains(target)) input.focus();
  });
  list.addEventListener('mousemove', (event) => {
    const row = /** @type {Element} */ (event.target).closest('.th-picker-option');
    if (row && row !== rows[active]) highlight(rows.indexOf(row), false);
  });
  list.addEventListener('click', (event) => {
    const row = /** @type {Element} */ (event.target).closest('.th-picker-option');
    if (row) pick(shown[rows.indexOf(row)]);
  });

  // --- The a*b* plane ------------------------------------------------------------------------------

  const plane = colorPlane(planePanel, (lab) => {
    pick(read('lab(' + lab.join(' ') + ')').color);
  });
  function showPlane(visible) {
    if (planePanel.hidden === !visible) return;
    planePanel.hidden = !visible;
    opener.setAttribute('aria-expanded', String(visible));
    if (!visible) return;
    close();
    plane.start(picked && picked.lab);
    planePanel.classList.remove('up', 'end');
    const rect = box.getBoundingClientRect();
    const size = planePanel.getBoundingClientRect();
    const below = window.innerHeight - rect.bottom;
    planePanel.classList.toggle('up', below < size.height + 8 && rect.top > below);
    planePanel.classList.toggle('end', rect.left + size.width > window.innerWidth);
    plane.focus();
  }
  opener.addEventListener('click', () => showPlane(planePanel.hidden));
  planePanel.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    showPlane(false);
    opener.focus();
  });
  box.addEventListener('focusout', (event) => {
    // Into nothing is a click on the panel itself: that closes it by the listener below.
    const next = /** @type {Element | null} */ (event.relatedTarget);
    if (next && !box.contains(next)) showPlane(false);
  });
  function elsewhere(event) {
    if (!element.isConnected) {
      document.removeEventListener('pointerdown', elsewhere);
      return;
    }
    if (!box.contains(event.target)) showPlane(false);
  }
  document.addEventListener('pointerdown', elsewhere);

  // --- What the page asks: the eyedropper of the stage -----------------------------------------------

  const leave = store.subscribe('ask-color', ({ picker, text }) => {
    if (!element.isConnected) {
      leave();
      return;
    }
    if (!picker || !element.closest('#' + picker)) return;
    const { color } = read(String(text));
    if (color) pick(color);
  });

  // --- What Python sets ---------------------------------------------------------------------------

  function fromPython() {
    const text = String(props.value || '');
    const result = text ? read(text) : {};
    picked = result.color || null;
    showPicked();
    if (text && !picked) {
      input.value = text;
      input.setAttribute('aria-invalid', 'true');
      say(result.wrong || missing(text), true);
    }
  }
  watch('value', fromPython);
  function showLabel() {
    label.textContent = props.label || 'Color';
  }
  watch('label', showLabel);
  fromPython();
}
