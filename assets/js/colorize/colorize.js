// The Colorize tab: coloring a sketch, and preparing sketches; one of both is visible.
import { arrowKeys, inFront, put } from '../shared/dom.js';
import { ask, sendFile } from '../shared/http.js';
import { store } from '../shared/state.js';
import { chooser } from './chooser.js';
import { desk } from './workspace.js';
import { savedList } from './saved.js';
import { library, libraryChanged } from './library.js';
import { preparePanel } from './prepare.js';
import { sketchesView } from './sketches.js';
import { colorize, ofColorizeLink, openColorize, publishColorize } from './view.js';

const REFUSED = 'The drawing could not be read: ';

/** @param {import('../shared/widget.js').Widget} widget */
export function mount({ element }) {
  const root = element.querySelector('.th-colorize');
  const part = (name) => root.querySelector('.th-colorize-' + name);
  const views = [...root.querySelectorAll('[data-col-view]')];
  const tabs = [...root.querySelectorAll('.th-colorize-switch [data-view]')];
  const problem = part('problem');
  let latest = 0; // only the latest choice is opened, whichever answer comes last

  const drawings = chooser(part('begin'), { open, bring });
  const saved = savedList(
    part('kept'),
    (item) => open({ kept: item.id, words: item.words }),
    drawings.saved,
  );
  const table = desk(part('desk'), {
    closed: begin,
    kept: saved.show,
    next: drawings.next,
    open,
  });
  const panel = preparePanel(part('bring'), {
    title: 'Your drawing',
    does: 'Color it',
    words: true,
    left: begin,
    done(stored) {
      libraryChanged();
      open({ sketch: stored.sketch.id, words: stored.sketch.words });
    },
  });
  const sketches = sketchesView(root.querySelector('[data-col-view="sketches"]'), (values) => {
    openColorize('color');
    open(values);
  });

  function say(text) {
    put(problem, text);
    problem.hidden = !text;
  }
  /** The drawings to choose from. */
  function begin() {
    latest += 1;
    table.away();
    part('begin').hidden = false;
    ofColorizeLink({ drawing: '', sketch: '', kept: '', words: '' });
    drawings.show();
    if (root.getBoundingClientRect().top < 0) root.scrollIntoView();
  }
  /**
   * Opens a drawing, or a kept coloring of one.
   * @param {Record<string, string>} values
   */
  async function open({ drawing = '', sketch = '', kept: coloring = '', words = '' }) {
    const mine = ++latest;
    say('');
    try {
      /** @type {Partial<Api.OpenedColoring>} */
      const result = coloring
        ? await ask(`/api/colorize/kept/${encodeURIComponent(coloring)}`)
        : {
            sketch: await ask(`/api/colorize/sketch?${new URLSearchParams({ drawing, sketch })}`),
            words,
          };
      if (mine !== latest) return;
      panel.close();
      part('begin').hidden = true;
      await table.open(result.sketch, {
        words: words || result.words,
        actions: result.actions,
        link: { drawing, sketch, kept: coloring },
      });
    } catch (error) {
      if (mine !== latest) return;
      begin();
      say(error.message);
    }
  }
  /**
   * Takes line drawings that somebody brings: one is prepared and colored, several go to Sketches.
   * @param {File[]} files
   */
  async function bring(files) {
    if (!files.length) return;
    if (files.length > 1) {
      openColorize('sketches');
      sketches.bring(files);
      return;
    }
    const mine = ++latest;
    say('');
    try {
      const image = await sendFile('/api/colorize/import', files[0]);
      if (mine !== latest) return;
      table.away();
      part('begin').hidden = true;
      panel.open({ image: image.image_id, words: image.words });
    } catch (error) {
      if (mine !== latest) return;
      begin();
      say(REFUSED + error.message);
    }
  }
  /** Opens what the link says. */
  function follow() {
    const { drawing, sketch, kept: coloring, words } = colorize;
    if (drawing || sketch || coloring) open({ drawing, sketch, kept: coloring, words });
    else begin();
  }
  async function concepts() {
    const { bases } = await library();
    const names = bases.flatMap((base) => [base.words, ...base.modifiers.map(([, name]) => name)]);
    root
      .querySelector('#th-colorize-concepts')
      .replaceChildren(
        ...names.map((name) => Object.assign(document.createElement('option'), { value: name })),
      );
  }

  let shown = '';
  function front() {
    views.forEach((view) => {
      view.hidden = view.dataset.colView !== colorize.view;
    });
    tabs.forEach((tab) => {
      const on = tab.dataset.view === colorize.view;
      tab.setAttribute('aria-selected', String(on));
      tab.tabIndex = on ? 0 : -1;
    });
    if (!inFront(root)) return;
    if (shown !== colorize.view) {
      shown = colorize.view;
      if (colorize.view === 'sketches') sketches.show();
      else if (!table.isOpen() && part('bring').hidden) follow();
    }
  }
  tabs.forEach((tab) => tab.addEventListener('click', () => openColorize(tab.dataset.view || '')));
  arrowKeys(tabs);
  store.subscribe('colorize', front);
  store.subscribe('colorize-back', () => {
    if (colorize.view === 'color') follow();
    else sketches.show();
  });
  store.subscribe('dropped-colorize', (detail) => {
    if (colorize.view === 'color') bring(detail.files);
    else sketches.bring(detail.files);
  });
  let seen = false;
  new IntersectionObserver(() => {
    const now = inFront(root);
    if (now && !seen) {
      front();
      saved.show();
      concepts().catch(() => {});
      publishColorize();
    }
    seen = now;
  }).observe(element);
  front();
}
