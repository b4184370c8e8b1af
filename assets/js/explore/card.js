// One image by one rule, as words and swatches: on the wall, in the large view, and in a pair.
import { make, touching, touchingInWords } from '../shared/dom.js';

const STATUS_MARKS = { pass: '✓', fail: '✕', unscored: '–' };
const STATUS_LABELS = { pass: 'Pass', fail: 'Fail', unscored: 'Unscored' };

export function statusWord(status) {
  const word = make('b', 'th-status', STATUS_MARKS[status] + ' ' + STATUS_LABELS[status]);
  word.dataset.status = status;
  return word;
}
/** @param {Api.ResultJson} item */
export function distanceOf(item) {
  return item.delta_e00 === null ? '' : item.delta_e00.toFixed(1) + ' ΔE00';
}
// What was asked in words: the object, and the color that it must have, or must not have.
/** @param {Api.ResultJson} item */
export function targetLabel(item) {
  if (!item.object) return item.color_name;
  return item.object + (item.color_name ? (item.differs ? ', not ' : ', ') + item.color_name : '');
}
// The line of the object: with its own word where the image as a whole has another.
export function targetLine(className, item) {
  const line = make('p', className, targetLabel(item));
  if (item.object && item.status !== item.picture_status)
    line.append(' · ', statusWord(item.status));
  return line;
}
// `words` false for a line of a list, under whose head they stand already.
/** @param {Api.ResultJson} item */
export function targetAndMeasured(item, text = true) {
  if (!item.asked_hex) return null;
  const list = [
    { role: item.differs ? 'forbidden' : 'target', hex: item.asked_hex, name: item.color_name },
  ];
  if (item.found_hex) list.push({ role: 'measured', hex: item.found_hex, name: '' });
  // No color stands in for one that was not measured.
  const box = text ? touchingInWords(list) : touching(list);
  if (!item.found_hex) {
    const none = make('i', 'th-unmeasured');
    none.title = 'No color was measured';
    (text ? box.firstElementChild : box).append(none);
    if (text) box.lastElementChild.append(make('span', '', 'not measured'));
  }
  return box;
}
/** @param {Api.ResultJson} item */
export function spoken(item) {
  return [
    STATUS_LABELS[item.picture_status],
    targetLabel(item),
    item.score || distanceOf(item),
    item.cause_words,
    item.model,
  ]
    .filter(Boolean)
    .join(', ');
}
/**
 * Which shape stands in for an object that the renderer has no shape of; null for none.
 * @param {Api.ResultJson} item
 */
export function standInTag(item) {
  if (!item.stand_in) return null;
  const tag = make('span', 'th-stand-in', item.stand_in);
  tag.title = 'The renderer has no model of this object and rendered another shape';
  return tag;
}
// Opens what was measured in Inspect, by this rule.
/** @param {Api.ResultJson} item */
export function openInInspect(item, openPicture) {
  if (item.image_id)
    openPicture({
      image: item.image_id,
      mask: item.mask,
      object: item.object,
      target: item.color,
      relation: item.relation,
      rule: item.rule,
    });
}
/** @param {Api.ResultJson} item */
export function resultCard(item) {
  const node = make('article', 'th-failures-card');
  const frame = make('div', 'th-failures-picture');
  node.setAttribute('aria-label', spoken(item));
  node.tabIndex = -1;
  if (item.thumb) {
    const image = make('img');
    image.loading = 'lazy';
    image.decoding = 'async';
    image.alt = '';
    image.src = item.thumb;
    image.addEventListener('error', () => frame.replaceChildren(make('p', '', item.gone)));
    frame.append(image);
  } else frame.append(make('p', '', item.picture_reason || 'No image.'));
  const head = make('p', 'th-failures-head');
  const colors = targetAndMeasured(item);
  const about = make('p', 'th-failures-about th-soft');
  head.append(
    statusWord(item.picture_status),
    make('span', 'th-failures-distance', item.score || distanceOf(item)),
  );
  const request = targetLine('th-failures-asked', item);
  const tag = standInTag(item);
  if (tag) request.append(' ', tag);
  const message = make('p', 'th-failures-told', item.thumb ? item.told : '');
  const text = make('p', 'th-failures-text th-soft', item.text);
  message.title = item.told;
  text.title = item.text;
  about.append(make('span', '', item.model), make('span', '', item.cause_words));
  about.title = item.run;
  node.append(frame, ...(colors ? [colors] : []), head, request, message, text, about);
  return node;
}
