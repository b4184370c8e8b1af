// Colors written as lab(), lch(), oklab(), oklch() or hsl(). Reads as core/color/notation.py
// does, and tests/assets/picker/test_reading.py holds them together. No page, no events.
// CIELAB is for D65 and 2 degrees, as everywhere in TrueHue; in CSS it is for D50.

import { labOfOklab, labOfSrgb1, srgb1OfLab } from '../shared/spaces.js';

// The nearest 8-bit code, a half to the even one as numpy rounds.
export function codesOfLab(lab) {
  return srgb1OfLab(lab).map((c) => {
    const code = Math.min(Math.max(c, 0), 1) * 255;
    const low = Math.floor(code);
    return code - low === 0.5 ? low + (low % 2) : Math.round(code);
  });
}
// Numbers that were rounded to be read may lie half a unit of CIELAB outside.
export function inSrgb(lab) {
  const srgb = srgb1OfLab(lab);
  if (srgb.every((c) => c >= 0 && c <= 1)) return true;
  const clipped = labOfSrgb1(srgb.map((c) => Math.min(Math.max(c, 0), 1)));
  return Math.hypot(...lab.map((v, i) => v - clipped[i])) <= 0.5;
}
const fromPolar = ([light, size, hue]) => [
  light,
  size * Math.cos((hue * Math.PI) / 180),
  size * Math.sin((hue * Math.PI) / 180),
];
const TO_LAB = {
  lab: (v) => v,
  lch: fromPolar,
  oklab: labOfOklab,
  oklch: (v) => labOfOklab(fromPolar(v)),
};
const turned = (hue) => ((hue % 360) + 360) % 360;
function codesOfHsl([hue, saturation, lightness]) {
  const turn = turned(hue);
  const s = saturation / 100;
  const l = lightness / 100;
  const reach = s * Math.min(l, 1 - l);
  return [0, 8, 4].map((n) => {
    const k = (n + turn / 30) % 12;
    const value = l - reach * Math.max(-1, Math.min(k - 3, 9 - k, 1));
    return Math.floor(255 * Math.min(Math.max(value, 0), 1) + 0.5);
  });
}

// Of each function: its parts, what 100% of each is (null for an angle), and its least and most.
const FUNCTION_PARTS = {
  lab: [
    ['L*', 100, 0, 100],
    ['a*', 125],
    ['b*', 125],
  ],
  lch: [
    ['L*', 100, 0, 100],
    ['C*', 150, 0],
    ['hue', null],
  ],
  oklab: [
    ['L', 1, 0, 1],
    ['a', 0.4],
    ['b', 0.4],
  ],
  oklch: [
    ['L', 1, 0, 1],
    ['C', 0.4, 0],
    ['hue', null],
  ],
  hsl: [
    ['hue', null],
    ['saturation', 100, 0, 100],
    ['lightness', 100, 0, 100],
  ],
};
const TURNS = { '': 1, deg: 1, grad: 0.9, rad: 180 / Math.PI, turn: 360 };
const plainNumber = (value) => (value ? String(Number(value.toPrecision(10))) : '0');

function readPart(part, [label, full]) {
  if (part === 'none') return { value: 0 };
  const match = part
    .replace(/−/g, '-')
    .replace(/°/g, 'deg')
    .match(/^([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?)(%|deg|grad|rad|turn)?$/);
  const unit = match ? match[2] || '' : '';
  const fits = match && (full === null ? unit in TURNS : unit === '' || unit === '%');
  if (!fits || !Number.isFinite(Number(match[1]))) {
    return {
      wrong:
        'The ' +
        label +
        ' is ' +
        part.slice(0, 20) +
        '; it must be ' +
        (full === null ? 'an angle such as 120 or 120deg.' : 'a number or a percentage.'),
    };
  }
  const number = Number(match[1]);
  return {
    value: full === null ? number * TURNS[unit] : unit === '%' ? (number * full) / 100 : number,
  };
}
const written = (name, values) => name + '(' + values.map(plainNumber).join(' ') + ')';
// The numbers, in the function of that name, of the color of sRGB that has the lightness and hue of
// these and the most chroma: C* for lab and lch, C of OKLab for oklab and oklch.
function reduceChromaToSrgb(name, values) {
  const [lightness, second, third] = values;
  const [scale, beyond] = name.startsWith('ok') ? [1000, 0.4] : [10, 150];
  const polar = name.endsWith('lch');
  const chroma = polar ? second : Math.hypot(second, third);
  const cut = (v) => Math.trunc(scale * v) / scale;
  const colorOf = (size) =>
    polar
      ? [lightness, cut(size), turned(third)]
      : [lightness, cut((second * size) / chroma), cut((third * size) / chroma)];
  let low = 0;
  let high = beyond;
  for (let i = 0; i < 40; i += 1) {
    const middle = (low + high) / 2;
    if (srgb1OfLab(TO_LAB[name](colorOf(middle))).every((c) => c >= 0 && c <= 1)) low = middle;
    else high = middle;
  }
  return colorOf(low);
}
// {lab, codes, notation}, or {wrong, partial}; null for a text that is no such function.
export function readFunction(text) {
  const match = text.trim().match(/^([a-z]+)\s*\(([^]*?)\)?$/i);
  if (!match) return null;
  const said = match[1].toLowerCase();
  const name = said in FUNCTION_PARTS ? said : said.replace(/a$/, '');
  if (!(name in FUNCTION_PARTS)) return null;
  if (match[2].includes('/'))
    return { wrong: 'Leave out the slash and the transparency after it.' };
  const parts = match[2]
    .toLowerCase()
    .split(/[\s,;]+/)
    .filter(Boolean);
  const wanted = FUNCTION_PARTS[name];
  if (parts.length !== 3) {
    return {
      wrong:
        name +
        ' has three numbers: ' +
        wanted.map((part) => part[0]).join(', ') +
        '; this has ' +
        parts.length +
        '.',
      partial: parts.length < 3,
    };
  }
  const open = !text.trim().endsWith(')');
  const values = [];
  for (let i = 0; i < 3; i += 1) {
    const [label, , least, max] = wanted[i];
    const got = readPart(parts[i], wanted[i]);
    if (got.wrong) return { ...got, partial: open };
    if (got.value < least || got.value > max) {
      return {
        wrong:
          'The ' +
          label +
          ' is ' +
          plainNumber(got.value) +
          '; it must be ' +
          (max === undefined ? '0 or more.' : 'from 0 to ' + max + '.'),
      };
    }
    values.push(got.value);
  }
  if (name === 'hsl') {
    const codes = codesOfHsl(/** @type {[number, number, number]} */ (values));
    return { codes, lab: labOfSrgb1(codes.map((c) => c / 255)), notation: '' };
  }
  const lab = TO_LAB[name](values);
  if (!inSrgb(lab)) {
    return {
      wrong:
        'That lies outside of sRGB, so no image here can have it. The most vivid of its ' +
        'lightness and hue: ' +
        written(name, reduceChromaToSrgb(name, values)) +
        '.',
      partial: open,
    };
  }
  return {
    lab,
    codes: codesOfLab(lab),
    notation: written(name, values),
  };
}
