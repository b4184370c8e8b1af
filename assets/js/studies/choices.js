// Materials for studies and presets: loaded once, and again when a form opens.
import { make } from '../shared/dom.js';
import { ask } from '../shared/http.js';
import { KINDS, button, whole } from './parts.js';

export const API = '/api/studies';

/** @type {Promise<any> | undefined} */
let presets;

/** Presets, languages, limits and default texts; they do not change while the app runs. */
export function readPresets() {
  presets ||= ask(`${API}/presets`).catch((error) => {
    presets = undefined;
    throw error;
  });
  return presets;
}

/** What a preset asks of people, in one line. @param {Api.PresetJson} preset */
function sizeWords(preset) {
  const { form } = preset;
  const parts = [];
  const { models } = preset;
  if (preset.kind === 'colorings')
    return (
      form.votes +
      ' colorings per concept · ' +
      form.trials +
      ' sketches per person, after ' +
      form.practice.number +
      ' for practice'
    );
  if (preset.kind === 'questions')
    return (
      'up to ' +
      form.number +
      ' questions per task · ' +
      form.votes +
      ' answers each · ' +
      form.trials +
      ' questions per person'
    );
  if (form.number && models && preset.kind === 'pairs')
    parts.push(
      whole(form.number) +
        ' cases × ' +
        (models * (models - 1)) / 2 +
        ' pairs × ' +
        form.votes +
        ' votes',
    );
  else
    parts.push(
      form.votes + (preset.kind === 'ratings' ? ' ratings per image' : ' votes per stimulus'),
    );
  const people = form.closing && form.closing.participants;
  parts.push((people ? people + ' people with ' : '') + form.trials + ' trials per person');
  return parts.join(' · ');
}

/**
 * Presets as cards, each of which begins a study in one press.
 * @param {Element} box
 * @param {Api.PresetJson[]} list
 * @param {(id: string) => void} choose
 * @param {string} [chosen]
 */
export function presetCards(box, list, choose, chosen) {
  box.replaceChildren(
    ...list.map((preset) => {
      const node = make('article', 'th-study-preset');
      const head = make(chosen === undefined ? 'h4' : 'h3', '', preset.name);
      const kind = make('p', 'th-study-preset-kind', KINDS[preset.kind] || '');
      if (preset.minutes) kind.append(' · about ' + Math.round(preset.minutes) + ' min per person');
      const act = button(chosen === undefined ? 'Create' : 'Choose', () => choose(preset.id));
      act.setAttribute('aria-label', act.textContent + ': ' + preset.name);
      node.append(head, kind, make('p', '', preset.form.question || 'Write your own question.'));
      node.append(make('p', 'th-soft', sizeWords(preset)), make('p', 'th-soft', preset.source));
      if (chosen === preset.id) {
        node.dataset.chosen = '';
        act.setAttribute('aria-pressed', 'true');
        act.textContent = 'Chosen';
      } else if (chosen !== undefined) act.setAttribute('aria-pressed', 'false');
      node.append(act);
      return node;
    }),
  );
}
