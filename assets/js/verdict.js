// The verdict card. Drawn from props.view by DOM calls only: text never becomes markup.
// Listens to nothing but its own buttons; 'rule' is triggered with the rule that was clicked.
const root = element.querySelector('.th-verdict');

function el(tag, cls, text) {
  const node = document.createElement(tag);
  if (cls) node.className = cls;
  if (text !== undefined && text !== null) node.textContent = text;
  return node;
}

function add(parent, ...nodes) { nodes.forEach((node) => node && parent.appendChild(node)); return parent; }

const SHAPES = { pass: '✓', fail: '✕', unscored: '–', waiting: '' };

function headline(view) {
  const row = el('div', 'th-headline');
  const mark = el('span', 'th-mark th-mark-' + view.status, SHAPES[view.status]);
  mark.setAttribute('aria-hidden', 'true');
  add(row, mark, el('h2', '', view.title));
  if (view.confidence) {
    const sure = el('span', 'th-confidence', 'confidence ' + view.confidence.text + ' · ' + view.confidence.word);
    sure.title = 'How sure the verdict is, from 50% up: how far it is from the limit, and how clearly one material leads.';
    row.appendChild(sure);
  }
  return row;
}

function swatch(side, data, title) {
  const box = el('div', 'th-swatch th-swatch-' + side + (data.dark_text ? ' th-on-light' : ''));
  box.style.background = data.hex;
  return add(box, el('b', '', title), el('span', '', data.name || ''), el('span', '', data.hex), el('span', '', data.lab));
}

function bar(metric) {
  const row = el('div', 'th-metric');
  row.title = metric.help;
  // The limit stands at a third of the bar, so three limits fill it; what is beyond is cut off. A
  // number without a limit is told, not judged: no limit, no mark.
  const judged = metric.limit !== null;
  const full = judged ? metric.limit * 3 : metric.full;
  const track = el('div', 'th-track');
  const fill = el('i');
  fill.style.width = Math.min(100, (100 * metric.value) / full) + '%';
  track.appendChild(fill);
  if (judged) {
    const limit = el('b');
    limit.style.left = 100 / 3 + '%';
    track.appendChild(limit);
  }
  row.classList.toggle('th-told', !judged);
  const state = el('span', 'th-state', !judged ? '' : metric.passed ? '✓ pass' : '✕ fail');
  add(row, el('span', 'th-label', metric.label), track, el('span', 'th-value', metric.text), el('span', 'th-limit', metric.limit_text), state);
  if (metric.on) row.appendChild(el('span', 'th-on', 'on ' + metric.on));
  return row;
}

function others(view) {
  const box = el('div', 'th-others');
  box.appendChild(el('b', '', 'Other rules'));
  const list = el('div', 'th-others-list');
  view.others.forEach((other) => {
    const line = el('button', 'th-other');
    line.type = 'button';
    line.title = other.help + ' Click to judge by this rule.';
    line.addEventListener('click', () => { props.value = { rule: other.id, at: Date.now() }; trigger('rule'); });
    add(line, el('span', 'th-other-name', other.name), el('span', 'th-other-status', SHAPES[other.status] + ' ' + (other.title || '').toLowerCase()), el('span', 'th-other-text', other.text));
    list.appendChild(line);
  });
  return add(box, list);
}

// Where rules disagree on these pixels, and why. Folded: the sentence is what one needs first.
function audit(view) {
  if (!view.audit) return null;
  const box = el('details', 'th-audit');
  add(box, add(el('summary'), el('b', '', 'The rules disagree: '), el('span', '', view.audit.sentence)));
  const list = el('dl');
  view.audit.reasons.forEach(([title, text]) => add(list, el('dt', '', title), el('dd', '', text)));
  return add(box, list);
}

async function copy(button, text) {
  const label = button.dataset.label;
  let done = true;
  try { await navigator.clipboard.writeText(text); } catch (error) {
    // Without https the clipboard may be closed; a selection still works.
    const area = el('textarea');
    area.value = text;
    document.body.appendChild(area);
    area.select();
    done = document.execCommand('copy');
    area.remove();
  }
  button.textContent = done ? 'Copied' : 'Press Ctrl+C';
  setTimeout(() => { button.textContent = label; }, 1500);
}

function action(label, cls, run) {
  const button = el('button', 'th-button ' + cls, label);
  button.type = 'button';
  button.dataset.label = label;
  button.addEventListener('click', () => run(button));
  return button;
}

function actions(view) {
  const row = el('div', 'th-actions');
  add(row,
    action('Copy JSON', 'th-copy-json', (b) => copy(b, view.json)),
    action('Copy link', 'th-copy-link', (b) => copy(b, location.origin + location.pathname + view.link)));
  const shown = new URLSearchParams(view.link), mask = shown.get('mask');
  if (mask) {
    const all = action('All its colors', 'th-all-colors', () => {
      // A tab that was never opened has no script yet: it takes up what was asked when it starts.
      window.thCompareAsked = { d: 'image:' + shown.get('image') + '/' + mask };
      document.dispatchEvent(new CustomEvent('th-open-compare'));
      [...document.querySelectorAll('#th-tabs button[role=tab]')].find((tab) => tab.textContent.trim() === 'Compare').click();
    });
    all.title = 'The distribution of the colors inside the mask, in Compare';
    row.appendChild(all);
  }
  const stored = el('span', 'th-stored', 'Stored · ' + view.evidence_id.slice(0, 8));
  stored.title = 'Evidence ' + view.evidence_id + ' in the database of the data folder. Evidence is added, never overwritten.';
  stored.dataset.evidence = view.evidence_id;
  return add(row, stored);
}

// The address bar always opens what is on screen: set when the verdict is new, and again when its
// tab comes back to the front.
function publish() {
  const view = props.view;
  if (view && view.link && element.offsetParent !== null) history.replaceState(null, '', view.link);
}
new IntersectionObserver((seen) => { if (seen.some((entry) => entry.isIntersecting)) publish(); }).observe(root);

function draw() {
  const view = props.view;
  root.replaceChildren();
  if (!view) return;
  root.dataset.status = view.status;
  publish();
  if (view.status === 'waiting') { root.appendChild(el('p', 'th-waiting', view.reason)); return; }
  root.appendChild(headline(view));
  root.appendChild(el('p', 'th-reason', view.reason));
  if (view.absent) root.appendChild(el('p', 'th-absent', view.absent));
  if (!view.metrics) return;
  const pair = el('div', 'th-pair');
  pair.classList.toggle('th-three', Boolean(view.accepted));
  add(pair, swatch('found', view.found, 'Found'), view.accepted && swatch('accepted', view.accepted, view.accepted.title), swatch('asked', view.asked, 'Asked'));
  const metrics = el('div', 'th-metrics');
  view.metrics.forEach((metric) => metrics.appendChild(bar(metric)));
  add(root, pair, metrics, view.light && el('p', 'th-light', view.light), others(view), audit(view), actions(view));
}

watch('view', draw);
draw();
// Now this tab is drawn, so that what a link names can be put into it.
trigger('ready');
