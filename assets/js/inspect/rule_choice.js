// The rule: the main ones in sight, their variants folded. One radio group: one tab stop, arrow keys.

/** @param {import('../shared/widget.js').Widget} widget */
export function mount({ element, props, trigger, watch }) {
  const group = element.querySelector('.th-rule');
  const strip = group.querySelector('.th-rule-main');
  const more = group.querySelector('.th-rule-more');
  const folded = group.querySelector('.th-rule-variants');
  const name = 'th-rule-' + Math.random().toString(36).slice(2);
  let unfolded = false;

  const options = props.rules.map((rule) => {
    const label = document.createElement('label');
    const input = document.createElement('input');
    const text = document.createElement('span');
    Object.assign(input, { type: 'radio', name, value: rule.id });
    label.title = rule.description;
    text.textContent = rule.name;
    label.append(input, text);
    (rule.variant_of ? folded : strip).appendChild(label);
    input.addEventListener('change', () => {
      props.value = rule.id;
      show();
      trigger('input', { value: rule.id });
    });
    return { ...rule, label, input };
  });
  function show() {
    const chosen = options.find((option) => option.id === props.value) || options[0];
    options.forEach((option) => {
      option.input.checked = option === chosen;
      option.label.classList.toggle('selected', option === chosen);
    });
    // A chosen variant is never out of sight.
    const open = unfolded || Boolean(chosen.variant_of);
    folded.hidden = !open;
    more.setAttribute('aria-expanded', String(open));
    more.disabled = Boolean(chosen.variant_of);
  }
  more.hidden = !options.some((option) => option.variant_of);
  more.addEventListener('click', () => {
    unfolded = !unfolded;
    show();
  });
  watch('value', show);
  show();
}
