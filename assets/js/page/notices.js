// Above everything: that nothing can be stored, or that something is lost. Drawn into the body, so
// that it takes no room in the page's layout while there is nothing to tell.
import { arrange, make, put } from '../shared/dom.js';
import { send } from '../shared/http.js';
import { store } from '../shared/state.js';

/** @param {import('../shared/widget.js').Widget} widget */
export function mount({ element }) {
  const box = element.querySelector('.th-notices');
  document.body.prepend(box);

  function show(notices) {
    box.hidden = !notices.length;
    const known = new Map(
      [...box.children].map((node) => [node.dataset.number + node.firstChild.textContent, node]),
    );
    arrange(
      box,
      notices.map((notice) => known.get(String(notice.number) + notice.text) || render(notice)),
    );
  }

  function render(item) {
    const node = make('div', 'th-notice');
    node.dataset.number = String(item.number);
    node.appendChild(make('p', '', item.text));
    if (item.number !== null) {
      const read = make('button', 'th-button', 'I have read this');
      read.type = 'button';
      read.addEventListener('click', async () => {
        read.disabled = true;
        try {
          show((await send('/api/notices/read', { number: item.number })).notices);
        } catch (error) {
          read.disabled = false;
          put(node.firstElementChild, item.text + ' ' + error.message);
        }
      });
      node.appendChild(read);
    }
    return node;
  }

  // What stands on the page is kept: it is gone on with from another window, or left.
  function signedOut() {
    if (box.querySelector('[data-number="signed-out"]')) return;
    const node = make('div', 'th-notice');
    node.dataset.number = 'signed-out';
    node.appendChild(make('p', '', 'You are signed out: nothing is saved until you sign in.'));
    const door = make('a', 'th-button', 'Sign in');
    door.href = '/signin?next=' + encodeURIComponent(location.pathname + location.search);
    node.appendChild(door);
    box.appendChild(node);
    box.hidden = false;
  }

  document.addEventListener('th-signed-out', signedOut);
  store.subscribe('page', (view) => show(view.notices));
  if (store.get('page')) show(store.get('page').notices);
}
