// A message that belongs to no part of the page, for a while.
import { make } from './dom.js';

const SHOWN_MS = 10_000;

/** @param {string} text */
export function toast(text) {
  document.querySelector('.th-toast')?.remove();
  const box = make('div', 'th-toast');
  const close = make('button', '', '✕');
  box.setAttribute('role', 'alert');
  close.type = 'button';
  close.setAttribute('aria-label', 'Close this message');
  close.addEventListener('click', () => box.remove());
  box.append(make('span', '', text), close);
  (document.querySelector('.gradio-container .contain') || document.body).append(box);
  setTimeout(() => box.remove(), SHOWN_MS);
}
