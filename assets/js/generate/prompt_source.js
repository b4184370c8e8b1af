// What will be drawn: the basket, the chosen prompt, or one's own words. The button that draws them
// is a widget of its own, below the settings; it reads store.get('request').
import { basket } from '../shared/basket.js';
import { arrange, arrowKeys, make, many, swatches } from '../shared/dom.js';
import { send } from '../shared/http.js';
import { store } from '../shared/state.js';

const SHOWN = 100;

function chosenNodes() {
  const item = store.get('chosen');
  if (!item) return [make('p', 'th-hint', 'No prompt selected.')];
  const text = make('p', 'th-request-text', item.text);
  const targets = make('ul', 'th-request-targets');
  (item.targets || []).forEach((target) => {
    const line = make('li');
    if (target.hex) line.append(swatches([target.hex]));
    const label = target.color_label
      ? target.object + ': ' + target.color_label
      : target.role === 'bystander'
        ? target.object + ': must not take the color'
        : target.object;
    line.append(
      make('span', '', label + (target.role === 'reference' ? ' (the same color, implied)' : '')),
    );
    targets.appendChild(line);
  });
  const put = make(
    'button',
    'th-button',
    basket.has(item) ? 'Remove from the selection' : 'Add to the selection',
  );
  put.type = 'button';
  put.addEventListener('click', () => basket.toggle(item));
  return [text, targets, put];
}

/** @param {import('../shared/widget.js').Widget} widget */
export function mount({ element, props, trigger }) {
  const tabs = [...element.querySelectorAll('[data-mode]')];
  const body = element.querySelector('.th-request-body');
  let emptied = [];
  let mode = 'own';
  let before = null;

  function number() {
    return mode === 'basket'
      ? basket.size()
      : mode === 'chosen'
        ? store.get('chosen')
          ? 1
          : 0
        : 1;
  }
  function tell() {
    const value = { mode, prompts: number() };
    if (JSON.stringify(value) !== JSON.stringify(props.value)) {
      props.value = value;
      trigger('plan');
    }
  }
  function choose(next) {
    mode = next;
    show();
    tell();
  }

  // The tour brings a form of its own, and gives the reader's back at its end.
  function tour() {
    const wanted = store.take('tour-example');
    if (!wanted) return;
    if (wanted === 'begin' && !before) {
      const query = new URLSearchParams(location.search);
      before = {
        mode,
        query: query.get('tab') === 'generate' ? Object.fromEntries(query) : {},
      };
      choose('own');
      trigger('example', {});
    } else if (wanted === 'end' && before) {
      trigger('example', before.query);
      choose(before.mode);
      before = null;
    }
  }
  store.subscribe('tour-example', tour);

  function show() {
    tabs.forEach((tab) => {
      const on = tab.dataset.mode === mode;
      tab.setAttribute('aria-selected', String(on));
      tab.tabIndex = on ? 0 : -1;
      if (tab.dataset.mode === 'basket')
        tab.textContent = basket.size()
          ? 'Selection · ' + basket.size().toLocaleString('en-US')
          : 'Selection';
    });
    const own = document.querySelector('#own-words');
    if (own) own.classList.toggle('th-off', mode !== 'own');
    arrange(body, mode === 'basket' ? basketNodes() : mode === 'chosen' ? chosenNodes() : []);
    body.hidden = mode === 'own';
    store.set('request', {
      mode,
      prompts: number(),
      refs: () =>
        mode === 'basket'
          ? basket.refs()
          : mode === 'chosen' && store.get('chosen')
            ? [[store.get('chosen').source, store.get('chosen').id]]
            : [],
    });
  }
  // Made once: a name that is being typed stays when the basket changes.
  const saving = savingNodes();
  function savingNodes() {
    const bar = make('form', 'th-basket-bar');
    const name = make('input');
    name.placeholder = 'Selection name';
    name.maxLength = 80;
    name.setAttribute('aria-label', 'Selection name');
    const save = make('button', 'th-button', 'Save');
    const clear = make('button', 'th-button', 'Clear selection');
    clear.type = 'button';
    clear.addEventListener('click', () => {
      emptied = basket.items();
      basket.clear();
    });
    const said = make('p', 'th-request-note');
    said.setAttribute('role', 'status');
    bar.append(name, save, clear);
    bar.addEventListener('submit', async (event) => {
      event.preventDefault();
      save.disabled = true;
      try {
        const saved = await send('/api/selections', { name: name.value, refs: basket.refs() });
        said.textContent =
          'Saved as “' +
          saved.name +
          '” with ' +
          many(saved.count, 'prompt') +
          ': it is in the list of prompt sets.' +
          (saved.missing
            ? ' ' +
              many(saved.missing, 'prompt') +
              (saved.missing === 1 ? ' is' : ' are') +
              ' no longer available and ' +
              (saved.missing === 1 ? 'was' : 'were') +
              ' left out.'
            : '');
        said.classList.remove('th-problem');
        store.tell('sets');
      } catch (error) {
        said.textContent = error.message;
        said.classList.add('th-problem');
      }
      save.disabled = false;
    });
    return [bar, said];
  }
  function basketNodes() {
    const items = basket.items();
    if (!items.length) {
      const line = make(
        'p',
        'th-hint',
        emptied.length
          ? 'Selection cleared: ' + many(emptied.length, 'prompt') + '. '
          : 'The selection is empty.',
      );
      if (!emptied.length) return [line];
      const undo = make('button', 'th-button th-basket-undo', 'Undo');
      undo.type = 'button';
      undo.addEventListener('click', () => {
        const back = emptied;
        emptied = [];
        basket.add(back);
      });
      line.appendChild(undo);
      return [line];
    }
    emptied = [];
    const list = make('ul', 'th-basket-list');
    items.slice(0, SHOWN).forEach((item) => {
      const line = make('li');
      const out = make('button', 'th-basket-out', '✕');
      out.type = 'button';
      out.title = 'Remove from the selection';
      out.setAttribute('aria-label', 'Remove from the selection: ' + (item.text || item.id));
      out.addEventListener('click', () => basket.toggle(item));
      line.append(swatches(item.hexes || []), make('span', '', item.text || item.id), out);
      list.appendChild(line);
    });
    if (items.length > SHOWN)
      list.appendChild(
        make('li', 'th-hint', 'and ' + many(items.length - SHOWN, 'prompt') + ' more'),
      );
    return [list, ...saving];
  }

  tabs.forEach((tab) => tab.addEventListener('click', () => choose(tab.dataset.mode)));
  arrowKeys(tabs);
  let held = basket.size();
  basket.watch((elsewhere) => {
    saving[1].textContent = '';
    saving[1].classList.remove('th-problem');
    // The first prompt put in says what is meant to be drawn; one put in on another page does not.
    if (!elsewhere && basket.size() > held && mode !== 'basket') {
      held = basket.size();
      choose('basket');
      return;
    }
    held = basket.size();
    show();
    tell();
  });
  store.subscribe('chosen', (detail) => {
    // A link that says what to draw is not overruled by the prompt that it names too.
    const linked = detail && detail.restored && MODES.includes(wanted);
    if (linked || (mode === 'basket' && basket.size())) {
      show();
      tell();
      return;
    }
    choose('chosen');
  });
  const MODES = ['own', 'basket', 'chosen'];
  const wanted = new URLSearchParams(location.search).get('mode');
  if (MODES.includes(wanted)) mode = wanted;
  else if (basket.size()) mode = 'basket';
  show();
  tell();
  // Now this tab is drawn, so that what a link names can be put into it.
  trigger('ready');
  tour();
}
