import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as live from '../live.js';

const { button, choose, field, says, textOf, until } = live;

history.replaceState({}, '', '?tab=explore&view=runs');
live.rooms('Explore');
await live.widget('explore/switch');
const { element } = await live.widget('explore/runs');
const { openConceptRun } = await live.load('compare/view');
const box = element.querySelector('.th-runs');
const form = box.querySelector('form');
const total = form.querySelector('.th-runs-total');
const count = form.querySelector('.th-runs-count');
const write = (name, text) => {
  const input = field(form, name);
  input.value = text;
  input.dispatchEvent(new window.Event('input', { bubbles: true }));
  return input;
};

test('the form says how many images a run has, and what is wrong under its field', async () => {
  await until(() => textOf(total));
  const few = [...form.elements.namedItem('set').options].find((option) => /few/.test(option.text));
  choose(field(form, 'Prompt set'), few.value);
  write('Images per prompt', '20');
  await says(total, '12 prompts × 20 = 240 images');
  const seed = write('First seed', '-1');
  await until(() => seed.getAttribute('aria-invalid') === 'true');
  const problem = form.querySelector('#th-runs-problem');
  assert.match(textOf(problem), /The first seed is a whole number/);
  assert.equal(seed.getAttribute('aria-describedby'), problem.id);
  write('First seed', '0');
  await until(() => !form.querySelector('#th-runs-problem'));
  await says(count, /^12 prompts$/);
});

test('another model gets masks that can be made; what is lacking stands beside the button', async () => {
  const small = field(form, 'Small (trained on the renderer)');
  small.click();
  const masks = form.querySelector('.th-runs-masker');
  const pressed = () => textOf(masks.querySelector('[aria-pressed=true]'));
  await until(() => pressed() === 'Whole image');
  assert.match(
    textOf(form.querySelector('[data-field=masker] .th-runs-hint')),
    /The background counts too/,
  );
  const node = form.querySelector(':scope > .th-problem');
  await live.answered('/api/runs/estimate', () => {
    button(masks, 'Find objects').click();
    button(form, 'Start').click();
  });
  // The estimate of the same comes after the refusal, which stays.
  await says(node, 'The weights of GroundingDINO base');
  small.click();
  button(masks, 'Exact').click();
  await until(() => node.hidden);
});

test('several models can be compared by few images, beside what the whole set takes', async () => {
  const shown = () => !form.querySelector('[data-field=adaptive]').classList.contains('th-off');
  assert.equal(shown(), false);
  const small = field(form, 'Small (trained on the renderer)');
  small.click();
  assert.equal(shown(), true);
  button(form.querySelector('.th-runs-masker'), 'Whole image').click();
  button(form, 'As many as the order needs').click();
  await says(total, /= 480 images\. At most 3% of them are generated: 14 images, all models/);
  assert.match(textOf(form.querySelector('.th-runs-estimate dl')), /Whole set ?time unknown, /);
  write('At most, % of all images', '200');
  await until(() =>
    /The share of images/.test(form.querySelector('#th-runs-problem')?.textContent),
  );
  write('At most, % of all images', '3');
  button(form.querySelector('.th-runs-part'), 'All').click();
  await says(total, /= 480 images/);
  small.click();
  button(form.querySelector('.th-runs-masker'), 'Exact').click();
  assert.equal(shown(), false);
});

test('CFR asks for what its variant reads, and is sent with nothing else', async () => {
  const shown = () =>
    ['cfr_strength', 'cfr_map'].filter(
      (name) => !form.querySelector('[data-field=' + name + ']').closest('.th-off'),
    );
  const problem = () => form.querySelector('#th-runs-problem')?.textContent || '';
  assert.deepEqual(shown(), []);
  choose(field(form, 'Refinement (CFR)'), 'full');
  assert.deepEqual(shown(), ['cfr_strength', 'cfr_map']);
  await until(() => /Give λ of CFR/.test(problem()));
  choose(field(form, 'Guidance map'), 'predicted');
  write('λ, 0 to 1', '0.7');
  await until(() => /computes its images without guidance/.test(problem()));
  // The map that was chosen is not sent for a variant that reads none, nor is λ without CFR.
  choose(field(form, 'Refinement (CFR)'), 'temporal');
  assert.deepEqual(shown(), ['cfr_strength']);
  await until(() => /computes its images without guidance/.test(problem()));
  choose(field(form, 'Refinement (CFR)'), '');
  assert.deepEqual(shown(), []);
  await until(() => !problem());
});

test('a concept that another room wants is chosen in the form', async () => {
  openConceptRun('mango');
  await until(() => form.elements.namedItem('set').value === 'concepts');
  assert.equal(form.elements.namedItem('concepts').value, 'mango');
  await says(count, /^2 prompts of 2,558$/);
});

test('nothing went wrong unseen', () => assert.deepEqual(live.faults, []));
