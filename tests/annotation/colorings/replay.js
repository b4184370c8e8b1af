// Paints logs of actions as a page does: node replay.js LOGS.json PIXELS. Writes the bytes of every
// layer one after the other, and says what else the page would: checksums and refused actions. What
// hands do goes through the canvas's own tools, which make the log of it.
import { readFileSync, writeFileSync } from 'node:fs';
import { isAction } from '../../../assets/js/canvas/actions.js';
import { ColoringCanvas } from '../../../assets/js/canvas/canvas.js';
import { Layer } from '../../../assets/js/canvas/layer.js';
import { decode } from '../../../assets/js/canvas/regions.js';
import { Strokes } from '../../../assets/js/canvas/strokes.js';
import { Sweeps } from '../../../assets/js/canvas/sweeps.js';

const { sketches, logs, hands, refused } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const regions = sketches.map((coded) =>
  decode(Uint8Array.from(Buffer.from(coded, 'base64')).buffer),
);
const pixels = [];
const results = logs.map(({ sketch, actions }) => {
  const { width, height, maps } = regions[sketch];
  const layer = new Layer(width, height, maps);
  const taken = actions.every(isAction);
  for (const action of actions) layer.apply(action);
  pixels.push(Buffer.from(layer.bytes));
  return { checksum: layer.checksum(), coloredShare: layer.coloredShare, taken };
});

/** What a canvas without a page logs, and at some times the length of the log and the checksum. */
function handled({ sketch, moves }) {
  const { width, height, maps } = regions[sketch];
  const { fill, simply, endStroke } = ColoringCanvas.prototype;
  const log = [];
  const looks = [];
  const nothing = () => {};
  const canvas = {
    layer: new Layer(width, height, maps),
    regions: regions[sketch],
    enabled: true,
    hands: { hover: nothing },
    view: { paint: nothing },
    colored: () => true,
    hasRoom: () => true,
    tell: nothing,
    tellNoRegion: nothing,
    tellPaper: nothing,
    announce: nothing,
    percent: nothing,
    log: (action) => log.push(structuredClone(action)),
    fill,
    simply,
    endStroke,
    picker: { swatches: { used: nothing, undone: nothing } },
  };
  canvas.strokes = new Strokes(canvas);
  canvas.sweeps = new Sweeps(canvas);
  const active = () => (canvas.sweeps.active ? canvas.sweeps : canvas.strokes);
  const does = {
    set: (values) => Object.assign(canvas, values),
    begin: ({ x, y, erases }) => canvas.strokes.begin(x, y, erases),
    sweep: ({ x, y, erases }) => canvas.sweeps.begin(x, y, erases),
    extend: ({ x, y }) => active().extend(x, y),
    end: () => active().end(),
    cancel: () => active().cancel(),
    fill: ({ x, y, erases }) => canvas.fill(x, y, erases, 0),
    simply: ({ what }) => canvas.simply(what),
    look() {
      canvas.endStroke();
      looks.push([log.length, canvas.layer.checksum()]);
    },
  };
  moves.forEach(([name, values]) => does[name](values));
  does.look();
  return { log, looks };
}

const drawn = hands.map(handled);
writeFileSync(process.argv[3], Buffer.concat(pixels));
console.log(
  JSON.stringify({ results, drawn, refused: refused.map((action) => !isAction(action)) }),
);
