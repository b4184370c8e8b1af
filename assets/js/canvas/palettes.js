// Palettes from files of the person's own: ASE (Adobe Swatch Exchange), ACO (Photoshop), GPL (GIMP)
// and lists of hex codes. Nothing is sent.
//
// RGB and HSB are taken as sRGB: these files name no other. Lab of Adobe's files is for D50, and goes
// to sRGB by the Bradford matrix of ICC profiles. CMYK, gray and colors of a book have no color of
// their own without the profile of a press, so they are left out and counted.
import { SPACES, hexOf, inGamut, reach, readHex } from './colors.js';
import { button, make } from './nodes.js';
import { labOfSrgb1 } from '../shared/spaces.js';

/** @typedef {{ hex: string, name: string }} NamedColor */
/** @typedef {{ title: string, colors: NamedColor[], left: number, edge: number,
 *   lines: number }} Palette `left` were left out, `edge` lie outside of sRGB, so that the nearest at
 *   their hue was taken, and `lines` of a list have no color */
/** @typedef {'no_palette' | 'palette_damaged' | 'palette_empty' | 'palette_cmyk'} Problem */

export const MAX_PALETTE = 512;
export const MAX_PALETTE_BYTES = 2_000_000;
const MAX_NAME = 80;
const MAX_PALETTES = 6;

/** What is wrong with a file, by the name of the words. */
export class PaletteError extends Error {
  /** @param {Problem} problem */
  constructor(problem) {
    super(problem);
    this.problem = problem;
  }
}

/** XYZ for D50 to linear sRGB: Bradford, then the matrix of sRGB (ICC.1:2010, IEC 61966-2-1). */
const D50_TO_LINEAR = [
  [3.1338561, -1.6168667, -0.4906146],
  [-0.9787684, 1.9161415, 0.033454],
  [0.0719453, -0.2289914, 1.4052427],
];
const D50 = [0.9642, 1, 0.8249];

/** @param {number[]} lab for D50: L* 0 to 100, a* and b* */
export function srgb1OfLabD50([light, a, b]) {
  const y = (light + 16) / 116;
  const xyz = [y + a / 500, y, y - b / 200].map(
    (f, i) => D50[i] * (f > 6 / 29 ? f ** 3 : 3 * (6 / 29) ** 2 * (f - 4 / 29)),
  );
  return D50_TO_LINEAR.map((row) => row.reduce((sum, factor, i) => sum + factor * xyz[i], 0)).map(
    (c) => (c <= 0.0031308 ? 12.92 * c : 1.055 * c ** (1 / 2.4) - 0.055),
  );
}

/** Colors as they are read. */
class Reader {
  /** @type {Palette} */ palette;

  /** @param {string} title */
  constructor(title) {
    this.palette = { title: title.slice(0, MAX_NAME), colors: [], left: 0, edge: 0, lines: 0 };
  }

  /** @param {string} hex @param {string} name */
  add(hex, name) {
    const { colors } = this.palette;
    const plain = name
      .replace(/[\p{Cc}\p{Cf}]/gu, ' ')
      .trim()
      .slice(0, MAX_NAME);
    if (colors.length < MAX_PALETTE) colors.push({ hex, name: plain });
    else this.palette.left++;
  }

  /** @param {number[]} srgb1 @param {string} name */
  srgb1(srgb1, name) {
    // A little more than rounding: the matrices above have seven digits.
    if (inGamut(srgb1.map((c) => c * 0.9999 + 0.00005))) this.add(hexOf(srgb1), name);
    else {
      const [light, a, b] = labOfSrgb1(srgb1);
      const hue = (Math.atan2(b, a) * 180) / Math.PI;
      const up = Math.min(Math.max(light, 0), 100);
      const across = reach(SPACES.lch, [up, Math.hypot(a, b), hue]);
      this.palette.edge++;
      this.add(hexOf(SPACES.lch.toSrgb1([up, across, hue])), name);
    }
  }

  done() {
    const { colors, left } = this.palette;
    if (!colors.length) throw new PaletteError(left ? 'palette_cmyk' : 'palette_empty');
    return this.palette;
  }
}

/**
 * The palette of a file. Throws PaletteError where there is none.
 * @param {string} file its name
 * @param {ArrayBuffer} buffer
 * @returns {Palette}
 */
export function readPalette(file, buffer) {
  const title = file.replace(/\.[^.]*$/, '');
  const bytes = new DataView(buffer);
  const start = String.fromCharCode(...new Uint8Array(buffer, 0, Math.min(4, buffer.byteLength)));
  try {
    if (start === 'ASEF') return ase(bytes, title);
    if (/\.aco$/i.test(file)) return aco(bytes, title);
    const text = new TextDecoder('utf-8', { fatal: true }).decode(buffer);
    return /^\s*GIMP Palette/.test(text) ? gpl(text, title) : hexes(text, title);
  } catch (error) {
    // A view that ends too early, or bytes that are no text.
    if (error instanceof RangeError) throw new PaletteError('palette_damaged');
    if (error instanceof TypeError) throw new PaletteError('no_palette');
    throw error;
  }
}

/**
 * UTF-16, its first byte the high one, up to a zero.
 * @param {DataView} bytes
 * @param {number} at
 * @param {number} length in units of 16 bits
 */
function utf16(bytes, at, length) {
  let text = '';
  for (let i = 0; i < length; i++) {
    const unit = bytes.getUint16(at + 2 * i);
    if (!unit) break;
    text += String.fromCharCode(unit);
  }
  return text;
}

/**
 * Blocks of a type, a length and their content: 1 is a color, others are groups.
 * @param {DataView} bytes
 * @param {string} title
 */
function ase(bytes, title) {
  const reader = new Reader(title);
  let at = 12;
  for (let left = bytes.getUint32(8); left > 0; left--) {
    const type = bytes.getUint16(at);
    const length = bytes.getUint32(at + 2);
    at += 6;
    if (at + length > bytes.byteLength) throw new RangeError();
    if (type === 1) aseColor(reader, new DataView(bytes.buffer, at, length));
    at += length;
  }
  return reader.done();
}

/**
 * A name, a model of four letters, and its values from 0 to 1; a* and b* are as they are.
 * @param {Reader} reader
 * @param {DataView} block
 */
function aseColor(reader, block) {
  const length = block.getUint16(0);
  const name = utf16(block, 2, length);
  const at = 2 + 2 * length;
  const model = [0, 1, 2, 3].map((i) => String.fromCharCode(block.getUint8(at + i))).join('');
  const values = () => [0, 1, 2].map((i) => block.getFloat32(at + 4 + 4 * i));
  if (model === 'RGB ') reader.srgb1(values(), name);
  else if (model === 'LAB ') {
    const [light, a, b] = values();
    reader.srgb1(srgb1OfLabD50([100 * light, a, b]), name);
  } else reader.palette.left++;
}

/**
 * Version 1 has colors alone, and version 2, which may come after it or stand alone, names too.
 * @param {DataView} bytes
 * @param {string} title
 */
function aco(bytes, title) {
  let reader = new Reader(title);
  let at = 0;
  while (at + 4 <= bytes.byteLength) {
    const version = bytes.getUint16(at);
    if (version !== 1 && version !== 2) {
      if (!at) throw new PaletteError('no_palette');
      break;
    }
    const count = bytes.getUint16(at + 2);
    at += 4;
    reader = new Reader(title);
    for (let n = 0; n < count; n++) {
      const words = [0, 1, 2, 3].map((i) => bytes.getUint16(at + 2 * i));
      const place = at;
      at += 10;
      let name = '';
      if (version === 2) {
        const length = bytes.getUint32(at);
        name = utf16(bytes, at + 4, length);
        at += 4 + 2 * length;
      }
      if (at > bytes.byteLength) throw new RangeError();
      acoColor(reader, words, name, bytes, place);
    }
  }
  return reader.done();
}

/**
 * @param {Reader} reader
 * @param {number[]} words the space, and three values
 * @param {string} name
 * @param {DataView} bytes
 * @param {number} at where the words are
 */
function acoColor(reader, [space, ...values], name, bytes, at) {
  const [first, second, third] = values.map((value) => value / 65_535);
  if (space === 0) reader.srgb1([first, second, third], name);
  else if (space === 1)
    reader.srgb1(SPACES.hsv.toSrgb1([100 * third, 100 * second, (360 * first) % 360]), name);
  else if (space === 7) {
    const [a, b] = [4, 6].map((offset) => bytes.getInt16(at + offset) / 100);
    reader.srgb1(srgb1OfLabD50([values[0] / 100, a, b]), name);
  } else reader.palette.left++;
}

/**
 * Lines of three numbers from 0 to 255 and a name.
 * @param {string} text
 * @param {string} title
 */
function gpl(text, title) {
  const reader = new Reader(/^Name:\s*(.*\S)/m.exec(text)?.[1] || title);
  for (const line of text.split(/\r?\n/)) {
    const [, red, green, blue, name = ''] =
      /^\s*(\d{1,3})\s+(\d{1,3})\s+(\d{1,3})(?:\s+(.*))?$/.exec(line) || [];
    const codes = [red, green, blue].map(Number);
    if (red && codes.every((code) => code < 256))
      reader.add(hexOf(codes.map((code) => code / 255)), /^Untitled$/i.test(name) ? '' : name);
  }
  return reader.done();
}

/**
 * Hex codes, with what else is in their line as the name where a line has one alone.
 * @param {string} text
 * @param {string} title
 */
function hexes(text, title) {
  const reader = new Reader(title);
  for (const line of text.split(/[\r\n]+/)) {
    // Three digits without # are a code where they stand alone: they may be a word elsewhere.
    const found =
      line.match(/#[0-9a-f]{3}(?:[0-9a-f]{3})?(?![0-9a-z])|\b[0-9a-f]{6}\b/gi) ||
      /^\W*([0-9a-f]{3})\W*$/i.exec(line)?.slice(1) ||
      [];
    if (!found.length && line.trim()) reader.palette.lines++;
    const rest = line.replace(found[0] || '', '').replace(/^[\s,;:="']+|[\s,;:="']+$/g, '');
    for (const code of found) {
      const hex = readHex(code);
      if (hex) reader.add(hex, found.length === 1 ? rest : '');
    }
  }
  return reader.done();
}

/**
 * Reads the palette of the file that was chosen, which stays in this browser.
 * @param {import('./swatches.js').Swatches} swatches
 */
export async function importPalette(swatches) {
  const { canvas, file: input } = swatches;
  const [file] = input.files || [];
  if (!file) return;
  input.value = '';
  try {
    if (file.size > MAX_PALETTE_BYTES) throw new PaletteError('no_palette');
    const palette = readPalette(file.name, await file.arrayBuffer());
    const others = swatches.palettes.filter(({ title }) => title !== palette.title);
    swatches.keepPalettes([palette, ...others].slice(0, MAX_PALETTES));
    const { colors, left, edge, lines } = palette;
    const parts = [canvas.say('palette_read', { n: colors.length })];
    if (left) parts.push(canvas.say('palette_left', { n: left }));
    if (edge) parts.push(canvas.say('palette_edge', { n: edge }));
    if (lines) parts.push(canvas.say('palette_lines', { n: lines }));
    swatches.problem.textContent = parts.join(' ');
  } catch (error) {
    const problem = error instanceof PaletteError ? error.problem : 'palette_unread';
    swatches.problem.textContent = `${file.name}: ${canvas.say(problem)}`;
  }
}

/**
 * Shows the palettes that this browser keeps, each with a button that takes it away.
 * @param {import('./swatches.js').Swatches} swatches
 */
export function showPalettes(swatches) {
  const { canvas, palettes, imported } = swatches;
  const parts = palettes.map((palette) => {
    const { title, colors } = palette;
    const row = make('div', { class: 'cv-swatches', role: 'group', 'aria-label': title });
    for (const { hex, name } of colors)
      row.append(swatches.swatch(hex, name ? `${name}, ${hex}` : hex));
    const label = canvas.say('palette_remove', { title });
    const others = () => palettes.filter((item) => item !== palette);
    const away = button('×', () => swatches.keepPalettes(others()), {
      class: 'cv-add',
      'aria-label': label,
      title: label,
    });
    const heading = make('div', { class: 'cv-title' }, make('span', {}, title), away);
    return make('div', {}, heading, row);
  });
  imported.replaceChildren(...parts);
}
