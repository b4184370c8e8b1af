// A table that is wider than its box can be scrolled with arrow keys too: its box takes the focus
// while there is something to scroll, and only then.

export function mount() {
  let waiting = 0;
  function look() {
    waiting = 0;
    document.querySelectorAll('.th-scroll, .th-part').forEach((box) => {
      const wide = box.clientWidth > 0 && box.scrollWidth > box.clientWidth + 1;
      if (wide === box.hasAttribute('tabindex')) return;
      if (wide) box.setAttribute('tabindex', '0');
      else box.removeAttribute('tabindex');
    });
  }
  function soon() {
    waiting ||= setTimeout(look, 300);
  }
  new MutationObserver(soon).observe(document.body, {
    childList: true,
    subtree: true,
    attributes: true,
    attributeFilter: ['hidden', 'style'],
  });
  window.addEventListener('resize', soon);
  soon();
}
