// The drawn picture with its exact pixels, or what to do to get one.
const image = element.querySelector('img');
const empty = element.querySelector('.th-picture-empty');
const text = element.querySelector('.th-picture-text');
const size = element.querySelector('.th-picture-size');

function draw() {
  const view = props.view || {};
  image.hidden = !view.url;
  empty.hidden = Boolean(view.url);
  if (view.url) { image.src = view.url; image.alt = view.alt; image.dataset.image = view.image_id; } else image.removeAttribute('src');
  empty.textContent = view.error || view.empty || '';
  empty.classList.toggle('th-error', Boolean(view.error));
  text.textContent = view.text || '';
  size.textContent = view.size || '';
  publish();
}

// As in the verdict card: the address opens what is on screen.
function publish() {
  const view = props.view;
  if (view && view.link && element.offsetParent !== null) history.replaceState(null, '', view.link);
}
new IntersectionObserver((seen) => { if (seen.some((entry) => entry.isIntersecting)) publish(); }).observe(element);

watch('view', draw);
draw();
// Now this tab is drawn, so that what a link names can be put into it.
trigger('ready');
