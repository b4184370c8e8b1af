// One picture by one rule, as words and swatches: on the wall, in the large view, and in a pair.
import { make, touching, touchingInWords } from '../shared/dom.js';

const WALL_MARKS = { pass: '✓', fail: '✕', unscored: '–' };
const WALL_WORDS = { pass: 'Pass', fail: 'Fail', unscored: 'Unscored' };

export function statusWord(status) {
  const word = make('b', 'th-status', WALL_MARKS[status] + ' ' + WALL_WORDS[status]);
  word.dataset.status = status;
  return word;
}
export function distanceOf(one) {
  return one.delta_e00 === null ? '' : one.delta_e00.toFixed(1) + ' ΔE00';
}
// What was asked in words: the object, and the color that it must have, or must not have.
export function askedWords(one) {
  if (!one.object) return one.color_name;
  return one.object + (one.color_name ? (one.differs ? ', not ' : ', ') + one.color_name : '');
}
// The line of the object: with its own word where the picture as a whole has another.
export function askedLine(className, one) {
  const line = make('p', className, askedWords(one));
  if (one.object && one.status !== one.picture_status) line.append(' · ', statusWord(one.status));
  return line;
}
// `words` false for a line of a list, under whose head they stand already.
export function askedFound(one, words = true) {
  if (!one.asked_hex) return null;
  const list = [
    { role: one.differs ? 'forbidden' : 'target', hex: one.asked_hex, name: one.color_name },
  ];
  if (one.found_hex) list.push({ role: 'measured', hex: one.found_hex, name: '' });
  // No color stands in for one that was not measured.
  const box = words ? touchingInWords(list) : touching(list);
  if (!one.found_hex) {
    const none = make('i', 'th-unmeasured');
    none.title = 'No color was measured';
    (words ? box.firstElementChild : box).append(none);
    if (words) box.lastElementChild.append(make('span', '', 'not measured'));
  }
  return box;
}
export function spoken(one) {
  return [
    WALL_WORDS[one.picture_status],
    askedWords(one),
    one.score || distanceOf(one),
    one.cause_words,
    one.model,
  ]
    .filter(Boolean)
    .join(', ');
}
/** Which shape stands in for an object that the renderer has no shape of; null for none. */
export function standInTag(one) {
  if (!one.stand_in) return null;
  const tag = make('span', 'th-stand-in', one.stand_in);
  tag.title = 'The renderer has no model of this object and rendered another shape';
  return tag;
}
// Opens what was measured in Inspect, by this rule.
export function openInInspect(one, openPicture) {
  if (one.image_id)
    openPicture({
      opened: one.image_id,
      mask: one.mask,
      object: one.object,
      target: one.color,
      relation: one.relation,
      rule: one.rule,
    });
}
export function wallCard(one) {
  const node = make('article', 'th-wall-card');
  const frame = make('div', 'th-wall-picture');
  node.setAttribute('aria-label', spoken(one));
  node.tabIndex = -1;
  if (one.thumb) {
    const picture = make('img');
    picture.loading = 'lazy';
    picture.decoding = 'async';
    picture.alt = '';
    picture.src = one.thumb;
    picture.addEventListener('error', () => frame.replaceChildren(make('p', '', one.gone)));
    frame.append(picture);
  } else frame.append(make('p', '', one.picture_reason || 'No image.'));
  const head = make('p', 'th-wall-head');
  const colors = askedFound(one);
  const about = make('p', 'th-wall-about th-soft');
  head.append(
    statusWord(one.picture_status),
    make('span', 'th-wall-distance', one.score || distanceOf(one)),
  );
  const asked = askedLine('th-wall-asked', one);
  const tag = standInTag(one);
  if (tag) asked.append(' ', tag);
  const told = make('p', 'th-wall-told', one.thumb ? one.told : '');
  const text = make('p', 'th-wall-text th-soft', one.text);
  told.title = one.told;
  text.title = one.text;
  about.append(make('span', '', one.model), make('span', '', one.cause_words));
  about.title = one.run;
  node.append(frame, ...(colors ? [colors] : []), head, asked, told, text, about);
  return node;
}
