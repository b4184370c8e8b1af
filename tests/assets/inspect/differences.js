// The table of differences below a verdict, with a card and the answer that Python makes. Run by
// tests/tabs/inspect/test_cards.py.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { answer, requests, settled, widget } from '../page.js';

const { value: views } = JSON.parse(process.env.TRUEHUE_PAGE);
window.HTMLElement.prototype.scrollIntoView = () => {};

async function card(view) {
  document.body.replaceChildren();
  const made = await widget('inspect/verdict', { props: { view, limits: '' } });
  const box = made.element.querySelector('.th-formulas');
  const field = (label) =>
    [...box.querySelectorAll('label')]
      .find((line) => line.textContent.startsWith(label))
      .querySelector('input, select');
  const rows = () =>
    [...box.querySelectorAll('tr')].map((row) =>
      [...row.cells].map((cell) => (cell.querySelector('span') || cell).firstChild.textContent),
    );
  return { ...made, box, field, rows };
}
async function unfold(box) {
  box.open = true;
  box.dispatchEvent(new window.Event('toggle'));
  await settled();
}
const sent = () => requests.filter((request) => request.path === '/api/differences');
async function choose(field, value) {
  field.value = value;
  field.dispatchEvent(new window.Event('change'));
  await settled();
}

test('it is folded and asks nothing until it is opened', async () => {
  answer('POST /api/differences', views.differences);
  const { box, rows } = await card(views.truehue);
  assert.equal(box.open, false);
  assert.deepEqual(sent(), []);
  await unfold(box);
  const { lab, references } = views.truehue.differences;
  assert.deepEqual(sent()[0].body, { lab, references: references.map((color) => color.lab) });
  const [head, ...lines] = rows();
  assert.deepEqual(head, ['Formula', 'To target', 'To target under this light']);
  assert.equal(lines.length, views.differences.formulas.length);
  lines.forEach((line, index) => {
    const { name, values } = views.differences.formulas[index];
    assert.deepEqual(line, [name, ...values.map((value) => value.toFixed(2))]);
  });
  assert.match(box.textContent, /They change no verdict/);
  assert.match(box.textContent, /kL = 2, K1 = 0\.048, K2 = 0\.014/);
});

test('viewing conditions are those of the answer, and stay for the next verdict', async () => {
  const { box, field } = await card(views.fails);
  assert.equal(box.open, true, 'it stays open');
  await settled();
  assert.equal(field('Surround').value, 'average');
  assert.equal(field('Adapting L_A').value, '4.07');
  assert.equal(field('White').value, '100');
  await choose(field('Surround'), 'dim');
  await choose(field('Adapting L_A'), '60');
  assert.deepEqual([sent().at(-1).body.surround, sent().at(-1).body.adapting_cd_m2], ['dim', 60]);
  await card(views.truehue);
  await settled();
  assert.equal(sent().at(-1).body.surround, 'dim');
  await choose(field('Adapting L_A'), '');
  assert.ok(!('adapting_cd_m2' in sent().at(-1).body), 'an empty field is the first value');
});

test('a difference that is not defined is none, and an error is said', async () => {
  const [first, ...others] = views.differences.formulas;
  answer('POST /api/differences', {
    ...views.differences,
    formulas: [{ ...first, values: [null, 1] }, ...others],
  });
  const made = await card(views.truehue);
  await settled();
  assert.deepEqual(made.rows()[1].slice(1), ['none', '1.00']);
  answer('POST /api/differences', { error: 'Install truehue[app].', field: '' }, 400);
  await choose(made.field('Surround'), 'dark');
  assert.equal(made.box.querySelector('[role=status]').textContent, 'Install truehue[app].');
  assert.equal(made.box.querySelector('table'), null);
});
