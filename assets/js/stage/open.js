// Opening an image: drop, paste or choose; the app stores the raw file and returns an id.
import { store } from '../shared/state.js';

export function stageOpen(root, usable, onOpened, onError) {
  const find = (name) => root.querySelector('.th-stage-' + name);
  const input = find('input');
  const progress = find('progress');
  const message = find('progress-text');
  const bar = find('progress-bar');
  let running = null;

  function show(text, share) {
    progress.hidden = !text;
    message.textContent = text;
    bar.style.transform = 'scaleX(' + share + ')';
  }

  function failed(text) {
    running = null;
    show('', 0);
    onError(text);
  }

  function upload(file) {
    if (running) running.abort();
    const name = file.name || 'pasted image.png';
    const request = new XMLHttpRequest();
    running = request;
    store.tell('photograph');
    show('Sending ' + name + '…', 0);
    request.open('POST', '/api/images');
    request.setRequestHeader('X-TrueHue', '1');
    request.setRequestHeader('X-File-Name', encodeURIComponent(name));
    request.upload.onprogress = (event) => {
      if (running !== request || !event.lengthComputable) return;
      const done = event.loaded === event.total;
      show((done ? 'Reading ' : 'Sending ') + name + '…', event.loaded / event.total);
    };
    request.onload = () => {
      if (running !== request) return;
      let answer = {};
      try {
        answer = JSON.parse(request.responseText);
      } catch {
        /* said below */
      }
      if (request.status >= 400 || !answer.image_id) {
        failed(
          answer.error || 'The app could not read ' + name + ' (answer ' + request.status + ').',
        );
        return;
      }
      running = null;
      show('', 0);
      onOpened(answer.image_id);
    };
    request.onerror = () => {
      if (running === request)
        failed(name + ' did not reach the app. Check that it is still running, then try again.');
    };
    request.send(file);
  }

  function take(files) {
    const list = [...(files || [])];
    if (!list.length) return false;
    upload(list.find((file) => file.type.startsWith('image/')) || list[0]);
    return true;
  }

  root.querySelectorAll('[data-action=choose]').forEach((button) => {
    button.addEventListener('click', () => input.click());
  });
  input.addEventListener('change', () => {
    take(input.files);
    input.value = '';
  });

  let inside = 0;
  const carriesFiles = (event) =>
    [...(event.dataTransfer ? event.dataTransfer.types : [])].includes('Files');
  const mark = (change) => {
    inside = Math.max(0, inside + change);
    root.classList.toggle('dropping', inside > 0);
  };
  root.addEventListener('dragenter', (event) => {
    if (carriesFiles(event)) {
      event.preventDefault();
      mark(1);
    }
  });
  root.addEventListener('dragover', (event) => {
    if (carriesFiles(event)) event.preventDefault();
  });
  root.addEventListener('dragleave', (event) => {
    if (carriesFiles(event)) mark(-1);
  });
  root.addEventListener('drop', (event) => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    mark(-inside);
    take(event.dataTransfer.files);
  });

  // What was dropped elsewhere on the page (page/drop.js).
  function dropped() {
    if (root.isConnected) take(store.take('dropped'));
    else leave();
  }
  const leave = store.subscribe('dropped', dropped);
  if (store.get('dropped')) setTimeout(dropped, 0);

  function paste(event) {
    if (!root.isConnected) {
      document.removeEventListener('paste', paste);
      return;
    }
    if (usable(event) && take(event.clipboardData && event.clipboardData.files))
      event.preventDefault();
  }
  document.addEventListener('paste', paste);
}
