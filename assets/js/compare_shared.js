// What the views of Compare share: which view is in front, the link, and opening one from another.
// Needs basket.js and explore_shared.js.
const compare = (window.thCompare ||= (() => {
  const query = new URLSearchParams(location.search), linked = query.get('tab') === 'compare';
  const views = ['concept', 'tables', 'modifiers', 'guidance', 'people'], wanted = query.get('view');
  const asked = window.thCompareAsked;
  window.thCompareAsked = null;
  const view = linked && views.includes(wanted) && !asked ? wanted : 'concept';
  // What each view was last told to show: plain text by name, as it stands in the link.
  const values = Object.fromEntries(views.map((name) => [name, {}]));
  if (linked) query.forEach((value, name) => { if (name !== 'tab' && name !== 'view' && !name.startsWith('__')) values[view][name] = value; });
  if (asked) values.concept = asked;
  return { view, values };
})());
// Brings a view to the front; with values it is told to show those. Every view listens.
function openCompare(view, values) {
  const other = compare.view !== view, held = document.activeElement;
  compare.view = view;
  if (values) compare.values[view] = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== '' && value !== null && value !== undefined));
  document.dispatchEvent(new CustomEvent('th-compare', { detail: { told: values ? view : '' } }));
  publishCompare();
  const nav = other && document.querySelector('.th-compare-switch');
  if (!nav || nav.offsetParent === null) return;
  if (nav.getBoundingClientRect().top < 0) window.scrollTo(0, 0);
  if (held && held !== document.body && held.offsetParent === null) nav.querySelector('[data-view="' + view + '"]').focus({ preventScroll: true });
}
// The address bar always opens what is on screen.
function publishCompare() {
  const nav = document.querySelector('.th-compare-switch');
  if (!nav || nav.offsetParent === null) return;
  const values = new URLSearchParams({ tab: 'compare', view: compare.view });
  Object.entries(compare.values[compare.view]).forEach(([name, value]) => { if (value) values.set(name, value); });
  const address = '?' + values.toString().replace(/%2C/g, ',').replace(/%3A/g, ':').replace(/%2F/g, '/');
  thPlaces.show(address);
}
// The form that starts runs, with the concepts chosen in it.
function openConceptRun() {
  explore.runSet = 'concepts';
  openView('runs');
  document.dispatchEvent(new CustomEvent('th-runs-set'));
  openTab('Explore');
}
function openTab(name) {
  const tab = [...document.querySelectorAll('#th-tabs [role=tab]')].find((one) => one.textContent.trim() === name);
  if (tab) tab.click();
}
// What the view shows now, for the link.
function ofCompareLink(view, values) { compare.values[view] = values; if (compare.view === view) publishCompare(); }
// A view's part of the page: hidden unless it is in front. `shown(told)` is called each time that it
// comes to be seen; `told` says that another view asked it to show compare.values[name].
function compareView(name, { shown }) {
  const box = element.querySelector('[data-compare-view]');
  let seen = false;
  function front(told) {
    box.hidden = compare.view !== name;
    const now = !box.hidden && box.offsetParent !== null;
    if (now && (told || !seen)) shown(told);
    seen = now;
  }
  document.addEventListener('th-compare', (event) => front(event.detail && event.detail.told === name));
  new IntersectionObserver(() => { front(false); if (compare.view === name && box.offsetParent !== null) publishCompare(); }).observe(box);
  front(false);
  return box;
}
