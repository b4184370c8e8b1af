// An image with CFR and the one without it, large: a wipe between them, side by side, the difference
// of every pixel, the map; and what measures say of both.
import { arrange, make, put, strip, table as drawTable } from '../shared/dom.js';
import { figure, onTheme } from '../shared/figure.js';
import { ask } from '../shared/http.js';
import { places } from '../shared/links.js';
import { store } from '../shared/state.js';
import { zoomTogether } from '../shared/zoom.js';

const VIEWS = [
  { id: 'wipe', name: 'Wipe', title: 'Overlaid: drag the line, or use the arrow keys' },
  { id: 'beside', name: 'Side by side', title: 'Both, with one zoom' },
  { id: 'difference', name: 'Difference', title: 'ΔE00 of every pixel' },
  { id: 'map', name: 'Map', title: 'Where guidance was lowered: white is most' },
];
const WIPE_STEP = 2;
/** Characters of an id that a link carries. */
const ID_LENGTH = 16;

/** @param {number} value */
const short = (value) => value.toFixed(1);
/** @param {number} share */
const percent = (share) => (100 * share).toFixed(share > 0.995 && share < 1 ? 1 : 0) + '%';

/** @param {import('../shared/widget.js').Widget} widget */
export function mount({ element }) {
  const dialog = element.querySelector('.th-cfr');
  const find = (name) => dialog.querySelector('.th-cfr-' + name);
  const stage = find('stage');
  const side = dialog.querySelector('.th-light-side');
  const wipe = find('wipe');
  const level = make('span', 'th-light-level');
  const zoom = zoomTogether((now) => put(level, now.percent + '%'));
  const [before, after, extra] = ['before', 'after', 'extra'].map((name) => zoom.add(find(name)));
  const chart = make('div', 'th-cfr-chart');
  const content = make('div', 'th-light-words');
  side.append(tools(), content);
  let view = 'wipe';
  let pair = null;
  let turn = 0;

  function tools() {
    const box = make('div', 'th-light-tools');
    const tool = (label, title, act) => {
      const button = make('button', 'th-button', label);
      button.type = 'button';
      button.title = title;
      button.setAttribute('aria-label', title);
      button.addEventListener('click', act);
      return button;
    };
    box.append(
      tool('−', 'Smaller (-)', () => zoom.by(1 / 1.5)),
      level,
      tool('+', 'Larger (+)', () => zoom.by(1.5)),
      tool('Fit', 'The whole image (0)', () => zoom.fit()),
      tool('1:1', 'Actual pixels (1)', () => zoom.exact()),
      tool('✕', 'Close (Esc)', () => dialog.close()),
    );
    return box;
  }

  function updateWipe() {
    stage.style.setProperty('--wipe', wipe.value + '%');
    wipe.setAttribute('aria-valuetext', wipe.value + '% without CFR');
  }
  function choose(name) {
    view = name;
    show();
    if (view === 'wipe') wipe.focus({ preventScroll: true });
  }
  function show() {
    const whole = pair && pair.before;
    const can = { wipe: whole, beside: whole, difference: whole, map: pair && pair.map };
    if (pair && !can[view]) view = VIEWS.map((item) => item.id).find((id) => can[id]) || 'beside';
    strip(find('views'), VIEWS, view, choose);
    find('views')
      .querySelectorAll('button')
      .forEach((button) => {
        button.disabled = !can[button.dataset.id];
      });
    stage.dataset.view = view;
    const difference = whole ? pair.difference : null;
    if (view === 'difference' && difference.problem) extra.show('', '', difference.problem);
    else if (view === 'difference')
      extra.show(difference.url, 'Difference of every pixel, in ΔE00');
    else if (view === 'map')
      extra.show(pair.map, 'Guidance map: white where guidance is lowered most');
    else extra.show('');
    find('scale').hidden = view !== 'difference' || Boolean(difference.problem);
    zoom.layOut();
  }
  function differenceWords(item) {
    if (item.problem) return item.problem;
    return (
      'ΔE00 of each pixel: mean ' +
      short(item.mean) +
      ', median ' +
      short(item.median) +
      ', 95% below ' +
      short(item.percentile_95) +
      ', maximum ' +
      short(item.most) +
      '. ' +
      (item.equal_share > 0
        ? percent(item.equal_share) + ' of the pixels are identical.'
        : 'No pixel is identical.')
    );
  }
  function table(rows) {
    const lines = rows.map((row) => {
      const name = make('th');
      name.title = row.title;
      name.append(row.name, ...(row.better ? [make('small', 'th-soft', row.better)] : []));
      const change = make('td', '', row.change);
      if (row.toward) change.append(make('small', 'th-soft', row.toward));
      return [name, row.before, row.after, change];
    });
    return drawTable('th-table th-cfr-table', ['', 'Without', 'With', 'Change'], lines);
  }
  function facts(rows) {
    const box = make('div', 'th-light-facts');
    rows.forEach(([name, value]) => {
      const line = make('p', 'th-light-fact');
      line.append(make('span', 'th-soft', name), make('span', '', value));
      box.append(line);
    });
    return box;
  }
  function describe() {
    const parts = [];
    if (pair.before) {
      parts.push(
        make('h3', '', 'How vivid'),
        table(pair.measures),
        make(
          'p',
          'th-soft th-cfr-note',
          'The CFM score appears here once the images are scored with it.',
        ),
        make('h3', '', 'Saturation of all pixels'),
        chart,
        make('h3', '', 'Difference'),
        make('p', '', differenceWords(pair.difference)),
      );
      // A score that is there speaks for itself.
      if (pair.measures.some((row) => /CFM/i.test(row.name))) parts.splice(2, 1);
    }
    parts.push(make('h3', '', 'CFR'), facts(pair.settings));
    if (pair.before) parts.push(paintButton());
    parts.push(
      make('h3', '', 'Prompt'),
      make('p', 'th-light-text', pair.text),
      make('p', 'th-soft', pair.about),
    );
    arrange(content, parts);
    if (pair.before) figure(chart, pair.figure);
  }
  function paintButton() {
    const button = make('button', 'th-button th-cfr-paint', 'Paint your own map over it…');
    button.type = 'button';
    button.addEventListener('click', () => {
      const { image_id } = pair.before;
      const { width, height } = pair;
      dialog.close();
      store.tell('paint', { image_id, width, height });
    });
    return button;
  }
  function fill(data) {
    pair = data;
    const missing = find('missing');
    put(missing, data.reason || '');
    missing.hidden = !data.reason;
    stage.classList.toggle('th-cfr-alone', !data.before);
    before.show(data.before ? data.before.url : '', 'Without CFR: ' + data.text);
    after.show(data.after.url, 'With CFR: ' + data.text);
    zoom.fit();
    if (data.before) {
      const { scale, top, most } = data.difference;
      find('scale').querySelector('i').style.background =
        'linear-gradient(to right, ' + (scale || ['#000', '#000']).join(', ') + ')';
      put(find('top'), top + (most > top ? ' and more' : ''));
    }
    show();
    describe();
  }
  async function open(id) {
    const mine = ++turn;
    pair = null;
    wipe.value = '50';
    updateWipe();
    content.replaceChildren(make('p', 'th-soft', 'Comparing…'));
    if (!dialog.open) dialog.showModal();
    wipe.focus({ preventScroll: true });
    store.set('pair', id.slice(0, ID_LENGTH));
    try {
      const data = await ask(`/api/drawings/${encodeURIComponent(id)}/pair`);
      if (mine === turn) fill(data);
    } catch (error) {
      if (mine === turn) content.replaceChildren(make('p', 'th-problem', error.message));
    }
  }
  const address = (id) => {
    const query = new URLSearchParams(location.search);
    query.delete('pair');
    if (id) query.set('pair', id.slice(0, ID_LENGTH));
    return '?' + query.toString().replace(/%3A/g, ':').replace(/%2C/g, ',');
  };

  wipe.addEventListener('input', updateWipe);
  dialog.addEventListener('keydown', (event) => {
    if (zoom.key(event) || event.target === wipe || view !== 'wipe') return;
    const by = { ArrowLeft: -WIPE_STEP, ArrowRight: WIPE_STEP }[event.key];
    if (!by || dialog.querySelector('.th-cfr-views:focus-within')) return;
    wipe.value = String(Number(wipe.value) + by);
    updateWipe();
    event.preventDefault();
  });
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close();
  });
  dialog.addEventListener('close', () => {
    turn += 1;
    [before, after, extra].forEach((pane) => pane.show(''));
    if (!store.get('pair')) return;
    store.set('pair', '');
    places.close(address(''));
  });
  store.subscribe('compare-pair', (item) => {
    places.show(address(item.drawing_id));
    open(item.drawing_id);
  });
  // Back and Forward.
  store.subscribe('place', ({ query }) => {
    const id = query.get('tab') === 'generate' ? query.get('pair') || '' : '';
    if (id) open(id);
    else if (dialog.open) {
      store.set('pair', '');
      dialog.close();
    }
  });
  onTheme(() => {
    if (pair && pair.before && dialog.open) figure(chart, pair.figure);
  });
  updateWipe();
  show();
  const linked = new URLSearchParams(location.search);
  if (linked.get('tab') === 'generate' && linked.get('pair')) open(linked.get('pair'));
}
