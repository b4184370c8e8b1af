// The stage without a pointer: Enter starts, arrows move, Shift and arrows resize a box, Enter takes,
// Escape leaves. What happens is said in the line below the image, which is read out.
import { POINTS } from './hands.js';

const KEY_HINTS = {
  box: 'Enter starts a box in the middle; arrows move it, Shift+arrows resize it, Enter applies it.',
  pick: 'Enter starts in the middle; arrows move by a pixel, Shift+arrows by ten; Enter shows the color, Enter again makes it the target.',
};

const boxWords = ([x0, y0, x1, y1]) =>
  'Box ' +
  (x1 - x0) +
  ' × ' +
  (y1 - y0) +
  ' pixels, from ' +
  x0 +
  ', ' +
  y0 +
  ' to ' +
  x1 +
  ', ' +
  y1 +
  '.';

/**
 * @param {import('./hands.js').Stage} stage
 * @returns {{ drop: () => void, announce: (text: string) => void, hint: () => string }}
 */
export function stageKeys(stage) {
  const { view, pick, radius, showable, boxMark, change, addPoint, refresh } = stage;
  // What is moved by the arrow keys.
  let keyBox = null;
  let keyPoint = null;
  function announce(text) {
    stage.hint = text;
    refresh();
  }
  function dropKeys() {
    if (keyBox) view.showMarks(showable());
    if (keyBox || keyPoint) view.showCursor(null);
    keyBox = keyPoint = null;
  }
  const keyHint = () =>
    KEY_HINTS[stage.tool] || 'Enter starts in the middle; arrows move, Enter selects the point.';

  function startKeys() {
    const [width, height] = view.size();
    if (stage.tool === 'box') {
      keyBox = [0.3 * width, 0.3 * height, 0.7 * width, 0.7 * height].map(Math.round);
      view.showMarks([{ type: 'box', box: keyBox }]);
      announce(boxWords(keyBox) + ' Arrows move it, Shift+arrows resize it, Enter applies it.');
      return;
    }
    keyPoint = [Math.floor(width / 2), Math.floor(height / 2)];
    moveKeys([0, 0]);
  }
  function moveKeys([dx, dy], resize) {
    const [width, height] = view.size();
    if (keyBox) {
      const [x0, y0, x1, y1] = keyBox;
      const within = (value, low, high) => Math.min(Math.max(value, low), high);
      if (resize) {
        keyBox = [x0, y0, within(x1 + dx, x0 + 2, width), within(y1 + dy, y0 + 2, height)];
      } else {
        const x = within(x0 + dx, 0, width - (x1 - x0));
        const y = within(y0 + dy, 0, height - (y1 - y0));
        keyBox = [x, y, x + x1 - x0, y + y1 - y0];
      }
      view.showMarks([{ type: 'box', box: keyBox }]);
      announce(boxWords(keyBox));
      return;
    }
    keyPoint = [
      Math.min(Math.max(keyPoint[0] + dx, 0), width - 1),
      Math.min(Math.max(keyPoint[1] + dy, 0), height - 1),
    ];
    if (stage.tool === 'pick') pick.look(keyPoint);
    else {
      view.showCursor(keyPoint);
      announce('At ' + keyPoint[0] + ', ' + keyPoint[1] + '.');
    }
  }
  function takeKeys() {
    if (stage.tool === 'pick') {
      pick.press(keyPoint);
      return;
    }
    const box = keyBox;
    const point = keyPoint && [keyPoint[0] + 0.5, keyPoint[1] + 0.5];
    if (box) {
      dropKeys();
      stage.addBox(boxMark(box));
      return;
    }
    if (POINTS.includes(stage.tool))
      addPoint({ type: 'point', x: point[0], y: point[1], inside: stage.tool === 'point-in' });
    else change([...stage.marks, { type: stage.tool, radius: radius(), points: [point] }]);
  }

  view.scroll.addEventListener('focus', () => {
    if (stage.imageId && view.scroll.matches(':focus-visible')) announce(keyHint());
  });
  view.scroll.addEventListener('blur', () => {
    if (keyBox || stage.hint === keyHint()) {
      dropKeys();
      announce('');
    }
  });
  view.scroll.addEventListener('keydown', (event) => {
    if (!stage.imageId || event.ctrlKey || event.metaKey || event.altKey) return;
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[
      event.key
    ];
    const started = keyBox || keyPoint;
    if (event.key === 'Enter') {
      if (started) takeKeys();
      else startKeys();
    } else if (event.key === 'Escape' && started) {
      dropKeys();
      announce('Cancelled.');
    } else if (way && started) {
      const coarse = Math.max(1, Math.round(Math.max(...view.size()) / 100));
      const step = stage.tool === 'pick' ? (event.shiftKey ? 10 : 1) : coarse;
      moveKeys(
        way.map((part) => part * step),
        event.shiftKey,
      );
    } else return;
    event.preventDefault();
  });

  return { drop: dropKeys, announce, hint: keyHint };
}
