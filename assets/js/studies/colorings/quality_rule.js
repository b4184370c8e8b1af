// The rule of quality control: flags, and numbers of experts.
import { make, options } from '../../shared/dom.js';
import { send } from '../../shared/http.js';
import { button, card, doing, problemLine } from '../parts.js';

/**
 * @param {import('../study.js').Current} current
 * @param {(answer: Api.QualityView) => void} take what the app answers
 */
export function ruleForm(current, take) {
  const part = card(
    'Review rule',
    'Sets which concepts are flagged and reviewed. As published: 10% flagged, three experts each.',
  );
  const form = make('form', 'th-study-rule th-colorings-rule');
  const fields = make('div', 'th-study-rule-fields');
  const line = problemLine();
  const foot = make('div', 'th-study-buttons');
  const share = make('input');
  const reviewers = make('input');
  const scope = make('select');
  let rule = null;
  let shown = '';
  form.noValidate = true;
  part.node.classList.add('th-study-rules');

  /** @param {string} id @param {string} name @param {HTMLElement} input @param {string} hint */
  function field(id, name, input, hint) {
    const node = make('div', 'th-study-field');
    const label = make('label', '', name);
    const about = make('p', 'th-study-hint', hint);
    input.id = 'th-colorings-' + id;
    label.htmlFor = input.id;
    about.id = input.id + '-hint';
    input.setAttribute('aria-describedby', about.id);
    node.append(label, input, about);
    return node;
  }
  share.inputMode = 'decimal';
  reviewers.inputMode = 'numeric';
  fields.append(
    field('share', 'Flagged concepts, %', share, 'The concepts with the highest mean EMD.'),
    field('reviewers', 'Experts per coloring', reviewers, 'The majority decides.'),
    field('scope', 'Colorings to review', scope, 'The gallery shows all colorings.'),
  );
  /** @param {Record<string, unknown>} values */
  async function set(values) {
    const { share: part_, reviewers: number, scope: label, level } = { ...rule, ...values };
    take(
      await send(`${current.address}/quality`, {
        share: part_,
        reviewers: number,
        scope: label,
        level,
      }),
    );
  }
  function fill() {
    share.value = String(Math.round(1000 * rule.share) / 10);
    reviewers.value = String(rule.reviewers);
    options(
      scope,
      rule.scopes.map((item) => ({ id: item.id, name: item.words })),
      rule.scope,
    );
  }
  const apply = doing(
    'Apply',
    async () => {
      const values = {
        share: Number(share.value) / 100,
        reviewers: Number(reviewers.value),
        scope: scope.value,
      };
      await set(values);
      apply.blur();
    },
    line,
    'th-study-do',
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    apply.click();
  });
  foot.append(
    apply,
    button('Undo changes', () => fill()),
  );
  form.append(fields, line, foot);
  part.body.append(form);
  return {
    node: part.node,
    set,
    /** @param {Api.ColoringRuleJson} now */
    draw(now) {
      rule = now;
      if (JSON.stringify(now) === shown) return;
      shown = JSON.stringify(now);
      fill();
    },
  };
}
