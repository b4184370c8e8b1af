// The drawer of stored images: newest first, click one to open it. Opened by props.open changing.
const dialog = element.querySelector('dialog');
const grid = element.querySelector('.th-library-grid');
const status = element.querySelector('.th-library-status');
const more = element.querySelector('.th-library-more');
let shown = 0;

async function load() {
  status.textContent = 'Loading…';
  try {
    const answer = await fetch('/api/images?limit=60&offset=' + shown);
    if (!answer.ok) throw new Error('the app answered ' + answer.status);
    const data = await answer.json();
    data.images.forEach((image) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.className = 'th-library-item';
      button.dataset.image = image.image_id;
      const picture = document.createElement('img');
      picture.src = image.thumb;
      picture.alt = '';
      picture.loading = 'lazy';
      const name = document.createElement('span');
      name.textContent = image.name;
      const size = document.createElement('small');
      size.textContent = image.width + ' × ' + image.height + ' · ' + image.source;
      button.append(picture, name, size);
      button.addEventListener('click', () => {
        props.value = { opened: image.image_id, at: Date.now() };
        trigger('open');
        dialog.close();
      });
      grid.appendChild(button);
    });
    shown += data.images.length;
    more.hidden = shown >= data.total;
    status.textContent = data.total ? shown + ' of ' + data.total.toLocaleString('en-US') : 'No image is stored yet. Drop a photograph on the stage, or draw an object in Generate.';
  } catch (error) {
    status.textContent = 'The stored images could not be listed: ' + error.message + '.';
  }
}

more.addEventListener('click', load);
element.querySelector('.th-library-close').addEventListener('click', () => dialog.close());
dialog.addEventListener('click', (event) => { if (event.target === dialog) dialog.close(); });
watch('open', () => {
  if (!props.open) return;
  grid.replaceChildren();
  shown = 0;
  dialog.showModal();
  load();
});
