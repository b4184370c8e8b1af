// The uncolored original beside the sketch.
import { make } from './nodes.js';
import { LOOKS_PX, PADDING_PX } from './view.js';

const MIN_PX = 88;
const MAX_PX = 240;
const SHARE = 0.16;
const MARGIN_PX = 24;

const FRAME =
  'position:absolute;border:2px solid #000;box-shadow:0 0 0 1px #fff,inset 0 0 0 1px #fff;';

/** @typedef {HTMLElement & { show: (on: boolean) => void, follow: () => void }} Original */

/**
 * @param {import('./canvas.js').ColoringCanvas} canvas
 * @returns {Original}
 */
export function original(canvas) {
  const { view, sketch } = canvas;
  const { width, height } = sketch;
  const image = make('img', { alt: canvas.say('original_alt'), draggable: 'false' });
  const frame = make('i', { hidden: '' });
  const node = make('figure', { class: 'cv-original', hidden: '' }, image, frame);
  node.style.overflow = 'hidden';
  /** Shows which part of a drawing that is looked at closer is on the stage. */
  const follow = () => {
    const { box, stage } = view;
    frame.hidden = view.fitted;
    const part = (/** @type {number} */ value, /** @type {number} */ size) =>
      (100 * value) / size + '%';
    frame.style.cssText =
      FRAME +
      `left:${part(-box.left, box.width)};width:${part(stage.clientWidth, box.width)};` +
      `top:${part(-box.top, box.height)};height:${part(stage.clientHeight, box.height)}`;
  };
  /** Stands at the longer side of the stage, where it costs the drawing least. */
  const layOut = () => {
    const { clientWidth, clientHeight } = view.stage;
    const wide = clientWidth / width > clientHeight / height;
    const [long, across] = wide
      ? [clientWidth, clientHeight]
      : [clientHeight - LOOKS_PX, clientWidth];
    const [rendered, drawnAcross] = wide ? [width, height] : [height, width];
    const free = long - (across * rendered) / drawnAcross;
    const least = Math.max(MIN_PX, SHARE * long);
    const side = Math.min(Math.max(free - MARGIN_PX, least), MAX_PX, clientWidth / 3);
    const scale = side / (wide ? width : height);
    image.style.width = width * scale + 'px';
    image.style.height = height * scale + 'px';
    const others = node.hidden ? 0 : side + PADDING_PX;
    view.reserved.left = wide ? others : 0;
    view.reserved.top = wide ? 0 : others;
    // What is set for the tools is in the same corner.
    const { style } = canvas.tools.options;
    style.setProperty('--cv-under', wide && others ? height * scale + 12 + 'px' : '0px');
    style.setProperty('--cv-aside', wide ? '0px' : others ? width * scale + 8 + 'px' : '0px');
    view.layOut();
  };
  new ResizeObserver(layOut).observe(view.stage);
  view.stage.after(node);
  return Object.assign(node, {
    follow,
    show: (/** @type {boolean} */ on) => {
      if (on) image.src = sketch.ink;
      node.hidden = !on;
      layOut();
      follow();
      canvas.tools.show();
    },
  });
}
