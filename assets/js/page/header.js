// The gray that surrounds every image, and the data folder. The choice is kept in this browser.
import { tabButton } from '../shared/dom.js';
import { places, unknownPart } from '../shared/links.js';
import { store } from '../shared/state.js';
import { toast } from '../shared/toast.js';
import { mountBackup } from './backup.js';
import { follow } from './view.js';
import { mountVision } from './vision.js';
import { mountWork } from './work.js';

const SURROUNDS = { light: '#cfcfcf', middle: '#777777', dark: '#262626' };

/** @param {import('../shared/widget.js').Widget} widget */
export function mount({ element }) {
  const buttons = [...element.querySelectorAll('[data-surround]')];

  function choose(name) {
    document.documentElement.style.setProperty('--th-surround', SURROUNDS[name]);
    buttons.forEach((button) =>
      button.setAttribute('aria-pressed', String(button.dataset.surround === name)),
    );
    try {
      localStorage.setItem('th-surround', name);
    } catch {
      /* private windows may refuse */
    }
  }

  buttons.forEach((button) =>
    button.addEventListener('click', () => choose(button.dataset.surround)),
  );
  let saved = null;
  try {
    saved = localStorage.getItem('th-surround');
  } catch {
    /* as above */
  }
  choose(SURROUNDS[saved] ? saved : 'middle');

  const themes = element.querySelector('.th-theme');
  themes.addEventListener('click', () => {
    const dark = !document.body.classList.contains('dark');
    document.body.classList.toggle('dark', dark);
    try {
      localStorage.setItem('th-theme', dark ? 'dark' : 'light');
    } catch {
      /* as above */
    }
  });
  let theme = new URLSearchParams(location.search).get('__theme');
  if (!theme) {
    try {
      theme = localStorage.getItem('th-theme');
    } catch {
      /* as above */
    }
  }
  if (theme) document.body.classList.toggle('dark', theme === 'dark');

  const unknown = unknownPart(new URLSearchParams(location.search));
  if (unknown) toast(unknown);
  // Inspect is in front then; it shows no address of its own until an image is in it.
  if (unknown.includes(' no tab ')) places.show('?tab=inspect');

  const data = element.querySelector('.th-data');
  /** @param {string} text the folder and what it holds; a long folder loses its beginning */
  function showData(text) {
    data.firstElementChild.textContent = data.title = text;
  }

  const account = element.querySelector('.th-account');

  const showBackup = mountBackup(element);
  store.subscribe('data', showData);
  /** @param {Api.PageView} view */
  function show(view) {
    showData(view.data);
    account.hidden = !view.account;
    const name = account.querySelector('.th-account-name');
    name.textContent = name.title = view.account;
    showBackup(view.backup);
  }
  store.subscribe('page', show);
  follow();
  mountWork(element);
  mountVision(element);
  // The tour begins on the Generate tab.
  element.querySelector('.th-tour-button').addEventListener('click', () => {
    tabButton('Generate')?.click();
    setTimeout(() => store.tell('tour'), 300);
  });
}
