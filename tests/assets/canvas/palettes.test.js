// Palettes as programs write them, byte by byte.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { PaletteError, readPalette } from '../../../assets/js/canvas/palettes.js';

const u16 = (...values) => values.flatMap((value) => [(value >> 8) & 255, value & 255]);
const u32 = (value) => u16(value >>> 16, value & 0xffff);
const f32 = (...values) =>
  values.flatMap((value) => {
    const view = new DataView(new ArrayBuffer(4));
    view.setFloat32(0, value);
    return [...new Uint8Array(view.buffer)];
  });
const ascii = (text) => [...text].map((letter) => letter.charCodeAt(0));
const utf16 = (text) => [...u16(...[...text].map((letter) => letter.charCodeAt(0)), 0)];
const buffer = (bytes) => Uint8Array.from(bytes).buffer;
const textOf = (text) => new TextEncoder().encode(text).buffer;
const pairs = ({ colors }) => colors.map(({ hex, name }) => [hex, name]);

const block = (type, content) => [...u16(type), ...u32(content.length), ...content];
const swatch = (name, model, ...values) =>
  block(1, [
    ...u16(name.length + 1),
    ...utf16(name),
    ...ascii(model),
    ...f32(...values),
    ...u16(2),
  ]);
const aseOf = (...blocks) =>
  buffer([...ascii('ASEF'), ...u16(1, 0), ...u32(blocks.length), ...blocks.flat()]);

/** @param {() => unknown} act */
function problemOf(act) {
  try {
    act();
  } catch (error) {
    assert.ok(error instanceof PaletteError, String(error));
    return error.problem;
  }
  return '';
}

test('ASE: groups, RGB, Lab for D50, and what is left out', () => {
  const palette = readPalette(
    'Brand.ase',
    aseOf(
      block(0xc001, [...u16(4), ...utf16('Set')]),
      swatch('Signal', 'RGB ', 1, 0.2, 0),
      swatch('Mid gray', 'LAB ', 0.5, 0, 0),
      swatch('Cyan ink', 'CMYK', 1, 0, 0, 0),
      swatch('Paper', 'Gray', 1),
      swatch('Neon', 'LAB ', 0.6, 120, 0),
      block(0xc002, []),
    ),
  );
  assert.equal(palette.title, 'Brand');
  assert.deepEqual(pairs(palette).slice(0, 2), [
    ['#ff3300', 'Signal'],
    ['#777777', 'Mid gray'],
  ]);
  assert.equal(palette.colors[2].name, 'Neon');
  assert.equal(palette.left, 2);
  assert.equal(palette.edge, 1);
});

test('ACO: names of version 2 after version 1, alone, and HSB and Lab', () => {
  const red = u16(0, 65_535, 0, 0, 0);
  const green = u16(1, 21_845, 65_535, 65_535, 0);
  const gray = u16(7, 5_000, 0, 0, 0);
  const blueish = u16(7, 2_957, 6_829, 65_536 - 11_203, 0);
  const ink = u16(2, 0, 65_535, 65_535, 65_535);
  const colors = [red, green, gray, blueish, ink];
  const first = [...u16(1, colors.length), ...colors.flat()];
  const second = [
    ...u16(2, colors.length),
    ...colors.flatMap((color, i) => [...color, ...u32(3), ...utf16('n' + i)]),
  ];
  const wanted = ['#ff0000', '#00ff00', '#777777', '#0000ff'];
  const plain = readPalette('old.aco', buffer(first));
  assert.deepEqual(
    pairs(plain)
      .map(([hex]) => hex)
      .slice(0, 3),
    wanted.slice(0, 3),
  );
  assert.match(plain.colors[3].hex, /^#0[0-3]0[0-3]f[d-f]$/);
  for (const bytes of [[...first, ...second], second]) {
    const named = readPalette('new.ACO', buffer(bytes));
    assert.deepEqual(
      named.colors.map(({ name }) => name),
      ['n0', 'n1', 'n2', 'n3'],
    );
    assert.equal(named.left, 1);
  }
});

test('GPL and lists of hex codes', () => {
  const gimp =
    'GIMP Palette\nName: Autumn\nColumns: 4\n# mine\n255   0  16\tLeaf red\n  0 0 0 Untitled\n';
  const palette = readPalette('x.gpl', textOf(gimp));
  assert.equal(palette.title, 'Autumn');
  assert.deepEqual(pairs(palette), [
    ['#ff0010', 'Leaf red'],
    ['#000000', ''],
  ]);
  assert.deepEqual(
    pairs(readPalette('list.txt', textOf('#ABC Fog\r\nSky blue; 87ceeb\n#112233,#445566\n\n'))),
    [
      ['#aabbcc', 'Fog'],
      ['#87ceeb', 'Sky blue'],
      ['#112233', ''],
      ['#445566', ''],
    ],
  );
  // Three digits, as in CSS; what has no code is counted.
  const short = readPalette('short.txt', textOf('; Bad list\nfff\n"0a0",\n\n12345\nAce #00f\n'));
  assert.deepEqual(pairs(short), [
    ['#ffffff', ''],
    ['#00aa00', ''],
    ['#0000ff', 'Ace'],
  ]);
  assert.equal(short.lines, 2);
  assert.deepEqual(
    pairs(readPalette('a.hex', textOf('["#010203", "0a0b0c"]'))).map(([hex]) => hex),
    ['#010203', '#0a0b0c'],
  );
});

test('what is no palette is refused by its reason', () => {
  const whole = new Uint8Array(aseOf(swatch('A', 'RGB ', 1, 1, 1)));
  assert.equal(
    problemOf(() => readPalette('a.ase', whole.slice(0, 20).buffer)),
    'palette_damaged',
  );
  assert.equal(
    problemOf(() => readPalette('a.ase', aseOf())),
    'palette_empty',
  );
  assert.equal(
    problemOf(() => readPalette('a.ase', aseOf(swatch('K', 'CMYK', 0, 0, 0, 1)))),
    'palette_cmyk',
  );
  assert.equal(
    problemOf(() => readPalette('a.aco', buffer(u16(1, 9, 0, 1)))),
    'palette_damaged',
  );
  assert.equal(
    problemOf(() => readPalette('a.aco', buffer(u16(7, 9)))),
    'no_palette',
  );
  assert.equal(
    problemOf(() => readPalette('a.png', buffer([0x89, 0x50, 0x4e, 0x47, 255]))),
    'no_palette',
  );
  assert.equal(
    problemOf(() => readPalette('a.txt', textOf('Dear diary'))),
    'palette_empty',
  );
  assert.equal(
    problemOf(() => readPalette('a.txt', textOf(''))),
    'palette_empty',
  );
});
