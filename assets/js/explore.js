// The switch between the views of Explore.
const tabs = [...element.querySelectorAll('[data-view]')];
function show() {
  tabs.forEach((tab) => {
    const on = tab.dataset.view === explore.view;
    tab.setAttribute('aria-selected', String(on));
    tab.tabIndex = on ? 0 : -1;
  });
  document.dispatchEvent(new CustomEvent('th-explore'));
  publishExplore();
}
tabs.forEach((tab, index) => {
  tab.addEventListener('click', () => { explore.view = tab.dataset.view; show(); });
  tab.addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = tabs[(index + step + tabs.length) % tabs.length];
    next.focus();
    next.click();
  });
});
new IntersectionObserver((seen) => { if (seen.some((entry) => entry.isIntersecting)) publishExplore(); }).observe(element);
show();
