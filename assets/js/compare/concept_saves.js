// Downloads of the figures, and the link to the page.
import { make, put } from '../shared/dom.js';

/**
 * Buttons for the files of every figure.
 * @param {Element} box
 * @param {(figure: string, format: string) => void} save
 */
export function saveButtons(box, save) {
  box.querySelectorAll('.th-concept-saves').forEach((saves) =>
    saves.append(
      ...['svg', 'png'].map((format) => {
        const button = make('button', 'th-button th-concept-' + format, format.toUpperCase());
        button.type = 'button';
        button.dataset.of = saves.dataset.of;
        button.dataset.format = format;
        button.title =
          'The figure as ' +
          format.toUpperCase() +
          ', on white' +
          (format === 'png' ? ', at double resolution' : '');
        button.addEventListener('click', () => save(saves.dataset.of, format));
        return button;
      }),
    ),
  );
}

/** @param {HTMLElement} button that copies the page's address, and says so */
export function copiesLink(button) {
  button.addEventListener('click', async () => {
    const text = button.textContent;
    try {
      await navigator.clipboard.writeText(location.href);
      put(button, 'Copied');
    } catch {
      put(button, 'Copy it from the address bar');
    }
    setTimeout(() => put(button, text), 1600);
  });
}
