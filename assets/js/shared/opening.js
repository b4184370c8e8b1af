// Opens a picture in Inspect from another room, which then begins at its top.
import { inFront } from './dom.js';

/**
 * The function that opens pictures from this widget: its event 'open' takes them to Inspect.
 * @param {import('./widget.js').Widget} widget
 * @returns {(picture: Record<string, unknown>) => void}
 */
export function opener({ element, props, trigger }) {
  return (image) => {
    props.value = { ...image, at: Date.now() };
    trigger('open');
    const left = new IntersectionObserver((entries) => {
      if (entries.some((entry) => entry.isIntersecting) || inFront(element)) return;
      left.disconnect();
      window.scrollTo(0, 0);
    });
    left.observe(element);
  };
}
