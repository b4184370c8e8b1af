// The switch between the views of Compare.
const tabs = [...element.querySelectorAll('[data-view]')];
function show() {
  tabs.forEach((tab) => {
    const on = tab.dataset.view === compare.view;
    tab.setAttribute('aria-selected', String(on));
    tab.tabIndex = on ? 0 : -1;
  });
  publishCompare();
}
tabs.forEach((tab) => tab.addEventListener('click', () => openCompare(tab.dataset.view)));
arrowKeys(tabs);
document.addEventListener('th-compare', show);
new IntersectionObserver((seen) => { if (seen.some((entry) => entry.isIntersecting)) publishCompare(); }).observe(element);
openCompare(compare.view);
// Back and Forward: the view and what it showed.
document.addEventListener('th-place', (event) => {
  const query = event.detail.query;
  if (query.get('tab') !== 'compare') return;
  const view = query.get('view'), values = Object.fromEntries([...query].filter(([name]) => name !== 'tab' && name !== 'view'));
  openCompare(compare.values[view] ? view : 'concept', values);
});
// Another tab of the page asks for something to be compared.
document.addEventListener('th-open-compare', () => {
  openCompare('concept', window.thCompareAsked);
  window.thCompareAsked = null;
});
