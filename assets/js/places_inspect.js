// Back and Forward to an image in Inspect: what the address says is opened there again, unless it is
// what stands there still.
let standing = new URLSearchParams(location.search).get('image') ? location.search : '';
document.addEventListener('th-shown', (event) => {
  if (!thPlaces.restoring() && (event.detail.query.get('tab') || 'inspect') === 'inspect') standing = location.search;
});
document.addEventListener('th-place', (event) => {
  const query = event.detail.query;
  if ((query.get('tab') || 'inspect') !== 'inspect' || !query.get('image') || location.search === standing) return;
  standing = location.search;
  props.value = { query: Object.fromEntries(query), at: Date.now() };
  trigger('back');
});
