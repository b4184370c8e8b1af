// The switch between the views of Explore.
const tabs = [...element.querySelectorAll('[data-view]')];
function show() {
  tabs.forEach((tab) => {
    const on = tab.dataset.view === explore.view;
    tab.setAttribute('aria-selected', String(on));
    tab.tabIndex = on ? 0 : -1;
  });
  publishExplore();
}
tabs.forEach((tab) => tab.addEventListener('click', () => openView(tab.dataset.view)));
arrowKeys(tabs);
document.addEventListener('th-explore', show);
new IntersectionObserver((seen) => { if (seen.some((entry) => entry.isIntersecting)) publishExplore(); }).observe(element);
openView(explore.view);
