// The workspace: a sketch with its canvas, its name, its saves, and its colors.
import { ColoringCanvas } from '../canvas/canvas.js';
import { largePng } from '../canvas/sharp.js';
import { inFront, make, many, put } from '../shared/dom.js';
import { send } from '../shared/http.js';
import { sideCards } from './side_cards.js';
import { draftOf, keepDraft } from './drafts.js';
import { library, libraryChanged } from './library.js';
import { ofColorizeLink } from './view.js';

const LOOK_MS = 250;
const SAVE_MS = 400;
const LOST =
  'This browser has no space for a draft. Press Save, or the coloring is lost when the page closes.';

/** Of the small image of a draft, in pixels. */
const SIDE = 256;

/**
 * The colored drawing, small, as an address.
 * @param {ColoringCanvas} canvas
 */
function thumbnail({ view: { layer, ink } }) {
  const node = make('canvas');
  const scale = SIDE / Math.max(layer.width, layer.height);
  node.width = Math.round(layer.width * scale);
  node.height = Math.round(layer.height * scale);
  const context = node.getContext('2d');
  if (!context) return '';
  context.imageSmoothingQuality = 'high';
  context.fillStyle = '#ffffff';
  context.fillRect(0, 0, node.width, node.height);
  for (const image of [layer, ink]) context.drawImage(image, 0, 0, node.width, node.height);
  return node.toDataURL();
}

/**
 * @param {HTMLElement} box
 * @param {{ closed: () => void, kept: () => Promise<void>,
 *   next: (sketch: Api.SketchJson) => Promise<import('./chooser.js').Next | null>,
 *   open: (values: Record<string, string>) => void }} calls `next`: the drawing after this one that
 *   is not finished
 */
export function desk(box, { closed, kept, next: following, open }) {
  const part = (name) => box.querySelector('.th-colorize-' + name);
  const message = part('words');
  const side = sideCards(box);
  const texts = JSON.parse(part('canvas').dataset.texts);
  /** @type {ColoringCanvas | null} */
  let canvas = null;
  /** @type {Api.SketchJson | null} */
  let sketch = null;
  let key = '';
  let coloringKept = '';
  let looking = 0;
  let saving = 0;
  /** @type {AbortController | null} */
  let request = null;

  // ── what the app says ────────────────────────────────────────────────────────────────────────
  function look(delay = LOOK_MS) {
    clearTimeout(looking);
    looking = setTimeout(now, delay);
  }
  async function now() {
    if (!canvas) return;
    request?.abort();
    const mine = (request = new AbortController());
    side.busy(true);
    try {
      const answer = await send('/api/colorize/compare', coloring(), {}, mine.signal);
      if (mine === request) side.show(answer);
    } catch (error) {
      if (mine === request && error.name !== 'AbortError') side.problem(error.message);
    } finally {
      if (mine === request) side.busy(false);
    }
  }
  const coloring = () => ({
    sketch: sketch.id,
    words: message.value.trim(),
    actions: canvas ? canvas.actions : [],
  });

  // ── what the browser keeps ───────────────────────────────────────────────────────────────────
  /** @param {boolean} [done] whether it is what the server has */
  function save(done = false) {
    clearTimeout(saving);
    saving = 0;
    if (!canvas || !canvas.actions.length) return;
    const draft = {
      key,
      kept: coloringKept,
      drawing: sketch.drawing || '',
      sketch: sketch.id,
      words: message.value.trim(),
      at: Date.now(),
      count: canvas.actions.length,
      done,
      thumb: thumbnail(canvas),
    };
    const there = keepDraft(draft, canvas.actions);
    put(part('autosaved'), there ? 'Saved in this browser' : LOST);
  }
  function later() {
    if (!saving) saving = setTimeout(() => save(), SAVE_MS);
  }
  window.addEventListener('pagehide', () => {
    if (saving) save();
  });
  document.addEventListener('visibilitychange', () => {
    if (document.hidden && saving) save();
  });

  // ── its name ─────────────────────────────────────────────────────────────────────────────────
  async function family() {
    const row = part('family');
    const { bases } = await library();
    const now = message.value.trim().toLowerCase();
    const base = bases.find(
      (item) => item.words === now || item.modifiers.some(([, name]) => name === now),
    );
    row.hidden = !base || !base.modifiers.length;
    if (!base) return;
    const names = [
      [base.words, base.words, ''],
      ...base.modifiers.map(([, name, kind]) => [name, name.replace(' ' + base.words, ''), kind]),
    ];
    row.replaceChildren(
      ...names.map(([name, short, kind]) => {
        const button = make('button', 'th-concept-concept', short);
        button.type = 'button';
        button.title = name + (kind ? ': ' + kind : '');
        button.setAttribute('aria-pressed', String(name === now));
        button.addEventListener('click', () => rename(name));
        return button;
      }),
    );
  }
  function rename(name) {
    message.value = name;
    named();
  }
  function named() {
    ofColorizeLink({ words: message.value.trim() });
    family().catch(() => {});
    later();
    look(0);
  }
  message.addEventListener('change', named);

  // ── kept and saved ───────────────────────────────────────────────────────────────────────────
  function say(text) {
    put(part('said'), text);
    part('refused').hidden = true;
  }
  function refuse(text) {
    put(part('refused'), text);
    part('refused').hidden = false;
    put(part('said'), '');
  }
  /**
   * Presses wait for the one before.
   * @param {Found} button
   * @param {() => Promise<void>} act
   */
  function pressed(button, act) {
    button.addEventListener('click', async () => {
      if (!canvas || button.getAttribute('aria-disabled') === 'true') return;
      button.setAttribute('aria-disabled', 'true');
      try {
        await act();
      } catch (error) {
        refuse(error.message);
        if (error.field === 'words') message.focus();
      } finally {
        button.setAttribute('aria-disabled', 'false');
      }
    });
  }
  pressed(part('keep'), async () => {
    canvas?.endStroke();
    await send('/api/colorize/keep', { ...coloring(), checksum: canvas?.checksum() });
    save(true);
    say('Saved with every step. It is listed below.');
    libraryChanged();
    await kept();
    await showNext();
  });
  /** @param {string} kind @returns {Promise<[string, Blob]>} the name of a file, and the file */
  async function fileOf(kind) {
    if (kind === 'large' && canvas) {
      canvas.endStroke();
      say('Preparing the image…');
      const name = message.value.trim().replace(/[^a-z\d]+/gi, '-') || 'drawing';
      return [name + '-large.png', await largePng(canvas.view)];
    }
    const file = await send('/api/colorize/picture', { ...coloring(), kind });
    const bytes = Uint8Array.from(atob(file.data), (letter) => letter.charCodeAt(0));
    return [file.name, new Blob([bytes], { type: file.type })];
  }
  box.querySelectorAll('[data-kind]').forEach((button) =>
    pressed(button, async () => {
      const [name, blob] = await fileOf(button.dataset.kind);
      const link = make('a');
      link.href = URL.createObjectURL(blob);
      link.download = name;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
      say('Saved as ' + name + '.');
      download.open = false;
    }),
  );

  // A browser of a phone has no full screen; there the drawing fills it already.
  const full = part('full');
  full.hidden = !document.fullscreenEnabled;
  full.addEventListener('click', () => {
    if (document.fullscreenElement) document.exitFullscreen();
    else part('work').requestFullscreen();
  });
  document.addEventListener('fullscreenchange', () => {
    full.setAttribute('aria-pressed', String(document.fullscreenElement === part('work')));
    // The keys of the drawing work at once.
    if (document.activeElement === full) canvas?.view.stage.focus({ preventScroll: true });
  });
  // What is hidden leaves an empty screen: the list, a dropped file and another tab need the page.
  new IntersectionObserver((entries) => {
    const isShown = entries[entries.length - 1].isIntersecting;
    if (!isShown && document.fullscreenElement === part('work')) document.exitFullscreen();
  }).observe(part('work'));
  part('back').addEventListener('click', () => close());

  const download = part('download');
  const menu = download.querySelector('summary');
  document.addEventListener('pointerdown', ({ target }) => {
    if (!download.contains(/** @type {Node} */ (target))) download.open = false;
  });
  download.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || !download.open) return;
    event.stopPropagation();
    download.open = false;
    menu.focus();
  });

  // ── the next drawing ─────────────────────────────────────────────────────────────────────────
  /** @type {import('./chooser.js').Next | null} */
  let nextOne = null;
  async function showNext() {
    const mine = sketch;
    nextOne = mine && (await following(mine).catch(() => null));
    if (mine !== sketch) return;
    const button = part('next');
    button.setAttribute('aria-disabled', String(!nextOne));
    button.title = nextOne
      ? 'Next drawing: ' + nextOne.words
      : 'All other drawings of the list are saved.';
  }
  part('next').addEventListener('click', () => {
    if (!nextOne) return;
    part('next').setAttribute('aria-disabled', 'true'); // until it is there
    open(nextOne.values);
    nextOne = null;
  });

  function away() {
    canvas?.destroy();
    if (saving) save();
    clearTimeout(looking);
    request?.abort();
    request = null;
    canvas = null;
    box.hidden = true;
  }
  function close() {
    away();
    ofColorizeLink({ drawing: '', sketch: '', kept: '', words: '' });
    closed();
  }
  return {
    away,
    isOpen: () => Boolean(canvas),
    /**
     * Puts a drawing on the desk, with what was begun on it in this browser.
     * @param {Api.SketchJson} next the sketch
     * @param {{ words?: string, actions?: any[], link: Record<string, string> }} how `actions` are
     *   those of a kept coloring
     */
    async open(next, { words: name, actions, link }) {
      away();
      side.clear();
      sketch = next;
      coloringKept = link.kept || '';
      key = coloringKept ? next.id + '-' + coloringKept : next.id;
      const started = draftOf(key);
      message.value = name || next.words || '';
      box.hidden = false;
      put(part('autosaved'), '');
      say(started ? 'Restored your draft: ' + many(started.length, 'step') + '.' : '');
      ofColorizeLink({ drawing: '', sketch: '', kept: '', ...link, words: message.value });
      canvas = new ColoringCanvas({
        sketch: next,
        texts,
        actions: started || actions || [],
        onAction() {
          later();
          look();
          if (part('said').textContent) say('');
        },
      });
      part('canvas').replaceChildren(canvas.node);
      // From the top of the page: from where the list was scrolled to, the nearest place is another.
      if (inFront(box)) {
        window.scrollTo(0, 0);
        // On a phone it fills the screen.
        part('work').scrollIntoView({ block: 'nearest' });
      }
      showNext();
      family().catch(() => {});
      await canvas.ready;
      look(0);
    },
  };
}
