// The fields of a study's form: each holds one value and shows its error.
import { make, options, strip } from '../shared/dom.js';

/**
 * @param {Record<string, any>} form
 * @param {string} name with a dot for what lies deeper: 'completion.code'
 */
function holder(form, name) {
  const parts = name.split('.');
  const last = /** @type {string} */ (parts.pop());
  const index = parts.reduce((object, part) => (object[part] ||= {}), form);
  return { get: () => index[last], set: (value) => (index[last] = value) };
}

/**
 * Makers of fields for one form.
 * @param {Record<string, any>} form what they hold
 * @param {() => void} changed
 * @param {string} [prefix] of the fields' ids, where several forms have fields of one name
 */
export function fieldsOf(form, changed, prefix = '') {
  /**
   * @param {string} name
   * @param {string} label
   * @param {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} input
   * @param {string} [hint]
   */
  function field(name, label, input, hint) {
    const box = make('div', 'th-study-field');
    const text = make('label', '', label);
    box.dataset.field = name;
    input.id = 'th-study-' + prefix + name.replaceAll('.', '-');
    input.name = name;
    text.htmlFor = input.id;
    box.append(text, input);
    if (hint) box.append(hintOf(input, hint));
    return box;
  }
  function hintOf(input, text) {
    const about = make('p', 'th-study-hint', text);
    about.id = input.id + '-hint';
    input.setAttribute('aria-describedby', about.id);
    return about;
  }
  return {
    /**
     * Has no `maxlength`, which would cut what is pasted and not say so: the app says what is too
     * long.
     * @param {string} name
     * @param {string} label
     * @param {{ hint?: string, rows?: number, placeholder?: string }} [more]
     */
    text(name, label, { hint, rows, placeholder } = {}) {
      const input = rows ? make('textarea') : make('input');
      const held = holder(form, name);
      if (rows) /** @type {HTMLTextAreaElement} */ (input).rows = rows;
      input.value = held.get() || '';
      if (placeholder) input.placeholder = placeholder;
      input.addEventListener('input', () => {
        held.set(input.value);
        changed();
      });
      return field(name, label, input, hint);
    },
    /**
     * @param {string} name
     * @param {string} label
     * @param {{ hint?: string, placeholder?: string, per?: number, empty?: unknown }} [more]
     */
    number(name, label, { hint, placeholder, per = 1, empty = null } = {}) {
      const input = make('input');
      const held = holder(form, name);
      const value = held.get();
      input.inputMode = 'numeric';
      input.value = value === null || value === undefined ? '' : String(value / per);
      if (placeholder) input.placeholder = placeholder;
      input.addEventListener('input', () => {
        const text = input.value.trim();
        // What is no number goes as it is: the app says what is wrong with it.
        const number = per === 1 ? Number(text) : Math.round(Number(text) * per);
        held.set(text === '' ? empty : Number.isFinite(number) ? number : text);
        changed();
      });
      return field(name, label, input, hint);
    },
    /** @param {string} name @param {string} label @param {string} [hint] */
    check(name, label, hint) {
      const input = make('input');
      const held = holder(form, name);
      input.type = 'checkbox';
      input.checked = Boolean(held.get());
      input.addEventListener('change', () => {
        held.set(input.checked);
        changed();
      });
      const box = field(name, label, input, hint);
      box.classList.add('th-study-check');
      box.prepend(input);
      return box;
    },
    /**
     * @param {string} name
     * @param {string} label
     * @param {{ id: string, name: string }[]} choices
     * @param {string} [hint]
     */
    select(name, label, choices, hint) {
      const input = make('select');
      const held = holder(form, name);
      options(input, choices, held.get() || (choices[0] || { id: '' }).id);
      input.addEventListener('change', () => {
        held.set(input.value);
        changed();
      });
      return field(name, label, input, hint);
    },
    /**
     * @param {string} name
     * @param {string} label
     * @param {{ id: string, name: string, title?: string }[]} choices
     */
    strip(name, label, choices) {
      const box = make('div', 'th-study-field');
      const text = make('span', 'th-study-label', label);
      const row = make('span', 'th-strip');
      const held = holder(form, name);
      box.dataset.field = name;
      text.id = 'th-study-' + name + '-label';
      row.setAttribute('role', 'group');
      row.setAttribute('aria-labelledby', text.id);
      const draw = () =>
        strip(row, choices, held.get(), (id) => {
          held.set(id);
          draw();
          changed();
        });
      draw();
      box.append(text, row);
      return box;
    },
  };
}

/** Fields beside each other. @param {Node[]} nodes */
export function row(...nodes) {
  const box = make('div', 'th-study-row');
  box.append(...nodes);
  return box;
}

/**
 * What is looked at before the trials, with its pass marks.
 * @param {ReturnType<typeof fieldsOf>} source
 */
export function screeningFields(source) {
  return [
    row(
      source.check(
        'screening.plates',
        'Color-vision plates',
        'Four generated plates with numbers. The answers are recorded.',
      ),
      source.number('screening.needed_plates', 'Plates to read, of 4', {
        hint: 'Participants who read fewer are screened out. 0 screens nobody out.',
        empty: 0,
      }),
    ),
    row(
      source.check(
        'screening.patches',
        'Dark and light patches',
        'Checks whether the screen hides shadows or highlights.',
      ),
      source.check(
        'screening.needs_patches',
        'Both patches must be found',
        'Participants who miss one are screened out.',
      ),
    ),
  ];
}

/**
 * How many missed attention checks end a participation.
 * @param {ReturnType<typeof fieldsOf>} source
 */
export const missedChecksField = (source) =>
  source.number('missed_checks_limit', 'End after … missed checks', {
    placeholder: 'never',
    hint: 'Other participants get the remaining trials. Recruiting sites expect 2 or more.',
  });

/**
 * What most studies leave as it is.
 * @param {string} title
 * @param {Node[]} nodes
 */
export function fold(title, ...nodes) {
  const box = make('details', 'th-study-more');
  box.append(make('summary', '', title), ...nodes);
  return box;
}

/**
 * A numbered part of the form.
 * @param {number} number
 * @param {string} title
 * @param {string} text
 */
export function part(number, title, text) {
  const node = make('section', 'th-card th-study-part');
  const head = make('header');
  head.append(make('h3', '', number + '. ' + title));
  if (text) head.append(make('span', 'th-soft', text));
  node.append(head);
  return node;
}

/**
 * Says what is wrong at the field that it is about; true where there is such a field.
 * @param {HTMLElement} root
 * @param {string} name
 * @param {string} text
 */
export function tellField(root, name, text) {
  root.querySelectorAll('.th-study-wrong').forEach((node) => node.remove());
  root.querySelectorAll('[aria-invalid]').forEach((node) => {
    node.removeAttribute('aria-invalid');
    const hint = root.querySelector('#' + CSS.escape(node.id + '-hint'));
    if (hint) node.setAttribute('aria-describedby', hint.id);
    else node.removeAttribute('aria-describedby');
  });
  if (!name || !text) return false;
  const all = [...root.querySelectorAll('[data-field]')];
  const box =
    all.find((node) => node.dataset.field === name) ||
    all.find((node) => (node.dataset.field || '').startsWith(name + '.')) ||
    all
      .filter((node) => name.startsWith(node.dataset.field + '.'))
      .sort((one, other) => other.dataset.field.length - one.dataset.field.length)[0];
  if (!box) return false;
  const problem = make('p', 'th-problem th-study-wrong', text);
  problem.id = 'th-study-wrong';
  problem.setAttribute('role', 'alert');
  box.append(problem);
  const control = box.querySelector('input, select, textarea');
  if (control) {
    control.setAttribute('aria-invalid', 'true');
    control.setAttribute('aria-describedby', problem.id);
  }
  for (
    let folded = box.closest('details');
    folded;
    folded = folded.parentElement?.closest('details')
  )
    folded.open = true;
  return true;
}
