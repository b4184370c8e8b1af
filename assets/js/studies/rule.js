// The rule of exclusion as a form, with a live preview of its effect.
import { make, put } from '../shared/dom.js';
import { button, card, doing, problemLine } from './parts.js';

/** What the rule looks at, by its field. */
const READ = {
  least_attention: (quality) => quality.attention,
  least_consistency: (quality) => quality.consistency,
  most_fast: (quality) => quality.fast,
  most_one_side: (quality) => quality.one_side,
  least_answered: (quality) => (quality.trials ? quality.answered / quality.trials : null),
  least_plates: (quality) => quality.plates,
  least_training: (quality) => quality.training.at(-1) ?? null,
};

/**
 * Whether a share is beyond the bound of a field.
 * @param {string} field
 * @param {number | null} value
 * @param {Record<string, any>} rule
 */
export function beyond(field, value, rule) {
  const bound = rule[field];
  if (value === null || value === undefined || bound === null || bound === undefined) return false;
  return field.startsWith('least') ? value < bound : value > bound;
}

/** Whether the rule leaves somebody out, as the app says it too. */
function leavesOut(quality, rule) {
  const shares = Object.entries(READ).some(([field, read]) => beyond(field, read(quality), rule));
  return shares || Boolean(rule.screen && quality.screen === false);
}

/**
 * @param {import('./results_of.js').Results} results
 * @param {HTMLElement} said
 */
export function ruleCard(results, said) {
  const part = card(
    'Exclusion rule',
    'Participants outside these limits do not count in results. Nothing is deleted.',
  );
  const form = make('form', 'th-study-rule');
  const fields = make('div', 'th-study-rule-fields');
  const effect = make('p', 'th-study-effect');
  const line = problemLine();
  const foot = make('div', 'th-study-buttons');
  let made = '';
  let data = null;
  effect.setAttribute('role', 'status');
  form.noValidate = true;
  part.node.classList.add('th-study-rules');

  const inputs = () => [...fields.querySelectorAll('input')];
  function values() {
    return Object.fromEntries(
      inputs().map((input) => {
        if (input.type === 'checkbox') return [input.name, input.checked];
        const text = input.value.trim();
        return [input.name, text === '' ? null : Number(text) / 100];
      }),
    );
  }
  function report() {
    const rule = values();
    const bad = inputs().find(
      (input) =>
        input.type !== 'checkbox' &&
        input.value.trim() &&
        !(rule[input.name] >= 0 && rule[input.name] <= 1),
    );
    inputs().forEach((input) => input.toggleAttribute('aria-invalid', input === bad));
    if (bad) bad.setAttribute('aria-invalid', 'true');
    if (bad) {
      put(effect, 'A limit is a number from 0 to 100, or empty.');
      return;
    }
    const out = data.people.filter((person) => leavesOut(person.quality, rule));
    const names = out.slice(0, 8).map((person) => person.label);
    put(
      effect,
      'These limits would exclude ' +
        out.length +
        ' of ' +
        data.people.length +
        ' people' +
        (out.length ? ': ' + names.join(', ') + (out.length > 8 ? ' and others' : '') + '.' : '.'),
    );
  }
  const apply = doing(
    'Apply the rule',
    async () => {
      await results.act('/rule', values());
      put(said, 'The rule is applied.');
    },
    line,
    'th-study-do',
  );
  const usual = doing(
    'Use defaults',
    async () => {
      await results.act('/rule', { default: true });
      put(said, 'The default rule is applied.');
    },
    line,
  );
  foot.append(
    apply,
    usual,
    button('Undo changes', () => fill()),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    apply.click();
  });
  form.addEventListener('input', report);
  form.append(fields, effect, line, foot);
  part.body.append(form);

  function fill() {
    fields.replaceChildren(
      ...data.rule_fields.map((field) => {
        const node = make('div', 'th-study-field');
        const label = make('label', '', field.label);
        const input = make('input');
        const hint = make('p', 'th-study-hint', field.help);
        input.name = field.name;
        input.id = 'th-study-rule-' + field.name;
        label.htmlFor = input.id;
        hint.id = input.id + '-hint';
        input.setAttribute('aria-describedby', hint.id);
        if (field.kind === 'yes') {
          input.type = 'checkbox';
          input.checked = Boolean(field.value);
          node.classList.add('th-study-check');
          node.append(input, label, hint);
          return node;
        }
        const row = make('span', 'th-study-percent');
        input.inputMode = 'decimal';
        input.placeholder = 'not checked';
        input.value = field.value === null ? '' : String(Math.round(1000 * field.value) / 10);
        row.append(input, make('span', '', '%'));
        node.append(label, row, hint);
        return node;
      }),
    );
    report();
  }
  return {
    node: part.node,
    /** @param {any} now the results */
    draw(now) {
      data = now;
      const signature = JSON.stringify(now.rule_fields);
      if (signature !== made) {
        made = signature;
        fill();
      } else report();
      usual.hidden = now.rule_is_default;
    },
  };
}
