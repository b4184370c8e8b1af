// A photograph may be dropped anywhere on the page: it opens in Inspect, in Compare it is compared,
// in Colorize it is prepared for coloring.
// Places with a drop of their own keep theirs: they take the event before it comes here.
import { openTab } from '../shared/dom.js';
import { store } from '../shared/state.js';

const files = (event) =>
  [...(event.dataTransfer ? event.dataTransfer.types : [])].includes('Files');

const WORDS = {
  Compare: 'Drop to compare',
  Colorize: 'Drop to prepare for coloring',
};

const room = () =>
  (
    document.querySelector('#th-tabs [role=tab][aria-selected=true]') || { textContent: '' }
  ).textContent.trim();

/** @param {import('../shared/widget.js').Widget} widget */
export function mount({ element }) {
  const cover = element.querySelector('.th-page-drop');
  let covered = null;
  function show(on) {
    clearTimeout(covered);
    if (on) cover.textContent = WORDS[room()] || 'Drop to open in Inspect';
    cover.hidden = !on;
    // A drag that ends outside of the window says nothing more.
    if (on)
      covered = setTimeout(() => {
        cover.hidden = true;
      }, 700);
  }
  document.addEventListener('dragover', (event) => {
    if (!files(event) || event.defaultPrevented) {
      show(false);
      return;
    }
    event.preventDefault();
    const busy = document.querySelector('dialog[open]');
    event.dataTransfer.dropEffect = busy ? 'none' : 'copy';
    show(!busy);
  });
  document.addEventListener('drop', (event) => {
    show(false);
    if (!files(event) || event.defaultPrevented) return;
    event.preventDefault();
    if (document.querySelector('dialog[open]')) return;
    const news = { Compare: 'dropped-here', Colorize: 'dropped-colorize' }[room()];
    if (news) {
      store.tell(news, { files: [...event.dataTransfer.files] });
      return;
    }
    // The room may never have been opened: its stage takes the files up when it starts.
    openTab('Inspect');
    store.set('dropped', [...event.dataTransfer.files]);
  });
}
