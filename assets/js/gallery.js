// All pictures, newest first, with what they were drawn from and their verdicts. A click on an
// object opens it in Inspect.
const grid = element.querySelector('.th-gallery-grid'), status = element.querySelector('.th-gallery-status');
const more = element.querySelector('.th-gallery-more'), filters = [...element.querySelectorAll('[data-filter]')];
const modelBox = element.querySelector('.th-gallery-model'), ruleBox = element.querySelector('.th-gallery-rule');
const MARKS = { pass: '✓', fail: '✕', unscored: '–' };
let filter = 'all', shown = 0, asked = 0;

function open(item, target) {
  props.value = { opened: item.image_id, object: target ? target.object : '', target: target ? target.color : '', mask: target ? target.mask : '', at: Date.now() };
  trigger('open');
}
function card(item) {
  const node = make('article', 'th-shot' + (item.status === 'failed' ? ' th-shot-failed' : ''));
  node.dataset.drawing = item.drawing_id;
  if (item.image_id) {
    const button = make('button', 'th-shot-picture');
    button.type = 'button';
    button.title = 'Open in Inspect';
    button.setAttribute('aria-label', 'Open in Inspect: ' + item.text);
    const picture = make('img');
    picture.src = item.thumb;
    picture.alt = '';
    picture.loading = 'lazy';
    button.appendChild(picture);
    button.addEventListener('click', () => open(item, item.targets.find((target) => target.color) || null));
    node.appendChild(button);
  } else node.appendChild(make('p', 'th-shot-reason', item.reason));
  const text = make('p', 'th-shot-text', item.text || item.name);
  text.title = item.text;
  node.appendChild(text);
  const targets = make('div', 'th-shot-targets');
  item.targets.filter((target) => target.color).forEach((target) => {
    const button = make('button', 'th-shot-target');
    button.type = 'button';
    button.disabled = !item.image_id;
    button.append(swatches([target.hex]), make('span', '', target.object));
    const main = target.verdicts.find((one) => one.rule === window.thRule);
    if (main) {
      button.appendChild(make('b', 'th-badge th-badge-' + main.status, MARKS[main.status]));
      button.title = target.object + ', ' + target.color_label + ': ' + target.verdicts.map((one) => one.rule + ' ' + one.status).join(', ') + '. Open in Inspect';
    } else button.title = target.object + ', ' + target.color_label + ': no verdict by ' + window.thRule + ' yet. Open in Inspect';
    button.addEventListener('click', () => open(item, target));
    targets.appendChild(button);
  });
  node.appendChild(targets);
  const about = make('p', 'th-shot-about', item.about);
  about.title = item.details;
  node.appendChild(about);
  if (item.notes.length) {
    const notes = make('p', 'th-shot-about', item.notes.join(' '));
    notes.title = item.notes.join('\n');
    node.appendChild(notes);
  }
  return node;
}
function query(limit, offset) {
  const values = new URLSearchParams({ limit, offset });
  if (filter === 'failed') values.set('status', 'failed');
  else if (filter !== 'all') values.set('verdict', filter);
  if (modelBox.value) values.set('model', modelBox.value);
  values.set('rule', window.thRule);
  return values;
}
async function load(again) {
  const mine = ++asked;
  const limit = again ? Math.max(24, Math.min(shown, 96)) : 24;
  try {
    const data = await ask('/api/drawings?' + query(limit, again ? 0 : shown));
    if (mine !== asked) return;
    if (again) { grid.replaceChildren(); shown = 0; }
    grid.append(...data.items.map(card));
    shown += data.items.length;
    more.hidden = shown >= data.total;
    status.textContent = data.total ? many(data.total, filter === 'failed' ? 'attempt' : 'picture') + (filter === 'failed' ? ' without an image' : '') : '';
    const empty = element.querySelector('.th-gallery-empty');
    empty.hidden = data.total > 0;
    empty.textContent = filter === 'all' && !modelBox.value ? 'Nothing is drawn yet. Press Draw: the reference renderer needs no weights.' : 'Nothing of this kind.';
    const chosen = modelBox.value;
    modelBox.replaceChildren(new Option('All models', ''), ...data.models.map((one) => new Option(one.name + ' · ' + one.count.toLocaleString('en-US'), one.id)));
    modelBox.value = chosen;
    modelBox.hidden = data.models.length < 2 && !chosen;
  } catch (error) { if (mine === asked) status.textContent = 'The pictures could not be listed: ' + error.message; }
}
filters.forEach((button) => button.addEventListener('click', () => {
  filter = button.dataset.filter;
  filters.forEach((other) => other.setAttribute('aria-pressed', String(other === button)));
  load(true);
}));
modelBox.addEventListener('change', () => load(true));
ruleBox.replaceChildren(...(props.rules || []).map((rule) => new Option('Judged by ' + rule, rule)));
if (!(props.rules || []).includes(window.thRule)) window.thRule = (props.rules || ['paper'])[0];
ruleBox.value = window.thRule;
ruleBox.addEventListener('change', () => {
  window.thRule = ruleBox.value;
  try { localStorage.setItem('th-rule', window.thRule); } catch (error) { /* it holds until the page closes */ }
  document.dispatchEvent(new CustomEvent('th-rule'));
  load(true);
});
more.addEventListener('click', () => load(false));
element.querySelector('.th-import-images').addEventListener('click', () => { document.dispatchEvent(new CustomEvent('th-import', { detail: { kind: 'images' } })); });
document.addEventListener('th-drawn', () => load(true));
new IntersectionObserver((seen) => { if (seen.some((entry) => entry.isIntersecting)) load(true); }).observe(element);
