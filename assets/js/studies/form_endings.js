// What participants get at each ending: codes, return URLs and texts, as their recruiting site expects.
import { make } from '../shared/dom.js';
import { fieldsOf, fold, part, row } from './form_fields.js';
import { button } from './parts.js';

const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const CODE_LENGTH = 8;
const RETURNS_AFTER_S = 10;

/** A code that cannot be guessed, without letters that look alike. */
function newCode() {
  const values = crypto.getRandomValues(new Uint8Array(CODE_LENGTH));
  return [...values].map((value) => LETTERS[value % LETTERS.length]).join('');
}

/**
 * Fills in what a recruiting site expects, and keeps codes; without a site everything is emptied.
 * @param {any} form
 * @param {Record<string, string[]>} endings
 * @param {any} [site]
 */
export function fillFor(form, endings, site) {
  const page = (name, text) => {
    const code = site?.codes.includes(name) ? codes[name] || newCode() : '';
    const has = name === 'completed' || code;
    return { code, url: site && has ? site.url : '', text };
  };
  const codes = { completed: form.completion?.code };
  for (const [name, { code }] of Object.entries(form.endings || {})) codes[name] = code;
  form.completion = page('completed', '');
  form.endings = {};
  for (const name of site ? Object.keys(endings) : [])
    form.endings[name] = page(name, site.texts[form.language] || site.texts.en);
  form.returns_after_s = site?.url ? RETURNS_AFTER_S : null;
}

/**
 * @param {{ form: any, presets: any, changed: () => void }} given
 * @param {number} number of the part
 */
export function endingsPart({ form, presets, changed }, number) {
  const node = part(number, 'Endings', 'What participants get when their participation ends.');
  const sites = make('div', 'th-study-buttons');
  const fields = make('div', 'th-study-endings');
  const hint = make('p', 'th-study-hint');
  hint.setAttribute('role', 'status');
  form.completion ||= {};
  form.endings ||= {};
  for (const site of [...presets.sites, null])
    sites.append(
      button(
        site ? site.name : 'No site',
        () => {
          fillFor(form, presets.endings, site);
          hint.textContent = site ? site.hint : '';
          draw();
          changed();
        },
        'th-study-small',
      ),
    );
  function draw() {
    const source = fieldsOf(form, changed);
    const others = Object.entries(presets.endings).map(([name, [title, about]]) => {
      const box = make('section', 'th-study-ending');
      const head = make('h4', '', title);
      box.setAttribute('aria-label', title);
      head.append(make('small', '', about));
      box.append(
        head,
        row(
          source.text(`endings.${name}.code`, 'Code'),
          source.text(`endings.${name}.url`, 'Return URL', { placeholder: 'https://…' }),
        ),
        source.text(`endings.${name}.text`, 'Text below the page’s own', { rows: 2 }),
      );
      return box;
    });
    fields.replaceChildren(
      row(
        source.text('completion.code', 'Completion code', { hint: 'Shown at the end.' }),
        source.text('completion.url', 'Return URL', {
          placeholder: 'https://…',
          hint: 'A button on the last page opens it. {code} and {id} are filled in: the code, and the site’s id of the participant.',
        }),
        source.number('returns_after_s', 'Go back automatically after … seconds', {
          placeholder: 'never',
          hint: 'Participants can stay on the page.',
        }),
      ),
      fold('Other endings: no consent, screened out, failed checks, full, …', ...others),
    );
  }
  const label = make('p', 'th-study-label', 'Fill in for a recruiting site');
  node.append(label, sites, hint, fields);
  draw();
  return node;
}
