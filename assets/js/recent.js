// The pictures drawn lately, newest first; a click opens one in Inspect.
const box = element.querySelector('.th-recent');
const grid = element.querySelector('.th-recent-grid');

async function load() {
  try {
    const answer = await fetch('/api/images?limit=18&source=render');
    if (!answer.ok) return;
    const data = await answer.json();
    box.hidden = !data.images.length;
    grid.replaceChildren(...data.images.map((image) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.title = image.name + ' · open in Inspect';
      button.setAttribute('aria-label', 'Open in Inspect: ' + image.name);
      const picture = document.createElement('img');
      picture.src = image.thumb;
      picture.alt = '';
      button.appendChild(picture);
      button.addEventListener('click', () => { props.value = { opened: image.image_id, at: Date.now() }; trigger('open'); });
      return button;
    }));
  } catch (error) { box.hidden = true; /* a strip of shortcuts; Inspect lists all images and says what failed */ }
}

watch('changed', load);
load();
