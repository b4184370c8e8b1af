// Fields of Inspect's form that are more than one element: a number with its slider, a model, a rule.

/**
 * A number that is typed or slid; what was typed is handed on as it is. `get` is '' for none.
 * @param {HTMLElement} box
 * @param {() => void} [changed]
 */
export function numberField(box, changed = () => {}) {
  const [number, slider] = [box.querySelector('[type=number]'), box.querySelector('[type=range]')];
  const first = number.value;
  const set = (value) => {
    number.value = slider.value = String(value);
  };
  number.addEventListener('input', () => {
    slider.value = number.value;
    changed();
  });
  slider.addEventListener('input', () => {
    number.value = slider.value;
    changed();
  });
  box.querySelector('button').addEventListener('click', () => {
    set(first);
    changed();
  });
  return { set, get: () => (number.value === '' ? '' : Number(number.value)) };
}

/**
 * A model by the name of a choice, or by what was typed: an id, or a path. The list of choices shows
 * all of them while nothing is typed; what is left empty stays what it was.
 * @param {any} input with a list
 * @returns {() => string} the model's id
 */
export function modelField(input) {
  input.addEventListener('focus', () => {
    input.placeholder = input.value;
    input.value = '';
  });
  input.addEventListener('blur', () => {
    input.value = input.value.trim() || input.placeholder;
    input.placeholder = '';
  });
  return () => {
    const text = input.value.trim() || input.placeholder;
    const choice = [...input.list.options].find((option) => option.value === text);
    return choice ? choice.dataset.id : text;
  };
}

/**
 * The rule: the main ones in sight, their variants folded, but for one that is chosen.
 * @param {HTMLElement} group
 * @param {() => void} changed
 */
export function ruleField(group, changed) {
  const more = group.querySelector('.th-rule-more');
  const folded = group.querySelector('.th-rule-variants');
  let unfolded = false;

  const get = () => group.querySelector(':checked').value;
  function show() {
    more.disabled = folded.querySelector(':checked') !== null;
    folded.hidden = !unfolded && !more.disabled;
    more.setAttribute('aria-expanded', String(!folded.hidden));
  }
  function set(id) {
    group.querySelector(`[value="${id}"]`).checked = true;
    show();
  }
  more.addEventListener('click', () => {
    unfolded = !unfolded;
    show();
  });
  group.addEventListener('change', () => {
    show();
    changed();
  });
  show();
  return { get, set };
}
