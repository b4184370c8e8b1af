// Colors written as lab(), lch(), oklab(), oklch() or hsl(). Reads as core/color/functional_notation.py
// does, and tests/browser/test_color_picker.py holds them together. No page, no events.
// CIELAB is for D65 and 2 degrees, as everywhere in TrueHue; in CSS it is for D50.

// sRGB (IEC 61966-2-1) and CIELAB: the constants of core/color/spaces.py.
const TO_XYZ = [
  [0.4124, 0.3576, 0.1805],
  [0.2126, 0.7152, 0.0722],
  [0.0193, 0.1192, 0.9505],
];
const WHITE = [0.3127 / 0.329, 1, 0.3583 / 0.329];
const times = (matrix, v) => matrix.map((row) => row[0] * v[0] + row[1] * v[1] + row[2] * v[2]);
function inverse(m) {
  const minor = (i, j) => {
    const [a, b] = [0, 1, 2].filter((k) => k !== i);
    const [c, d] = [0, 1, 2].filter((k) => k !== j);
    return m[a][c] * m[b][d] - m[a][d] * m[b][c];
  };
  const sign = (i, j) => ((i + j) % 2 ? -1 : 1);
  const size = [0, 1, 2].reduce((sum, j) => sum + sign(0, j) * m[0][j] * minor(0, j), 0);
  return [0, 1, 2].map((i) => [0, 1, 2].map((j) => (sign(i, j) * minor(j, i)) / size));
}
const TO_LINEAR = inverse(TO_XYZ);
const LMS_TO_XYZ = inverse([
  [0.8189330101, 0.3618667424, -0.1288597137],
  [0.0329845436, 0.9293118715, 0.0361456387],
  [0.0482003018, 0.2643662691, 0.633851707],
]);
const OKLAB_TO_LMS = inverse([
  [0.2104542553, 0.793617785, -0.0040720468],
  [1.9779984951, -2.428592205, 0.4505937099],
  [0.0259040371, 0.7827717662, -0.808675766],
]);

const decoded = (c) =>
  Math.sign(c) *
  (Math.abs(c) <= 0.04045 ? Math.abs(c) / 12.92 : ((Math.abs(c) + 0.055) / 1.055) ** 2.4);
const encoded = (c) =>
  Math.sign(c) *
  (Math.abs(c) <= 0.0031308 ? Math.abs(c) * 12.92 : 1.055 * Math.abs(c) ** (1 / 2.4) - 0.055);
function labOfXyz(xyz) {
  const f = xyz
    .map((v, i) => v / WHITE[i])
    .map((t) => (t > (6 / 29) ** 3 ? Math.cbrt(t) : (t * (29 / 6) ** 2) / 3 + 4 / 29));
  return [116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])];
}
export const labOfSrgb1 = (srgb) => labOfXyz(times(TO_XYZ, srgb.map(decoded)));
export function srgb1OfLab([light, a, b]) {
  const y = (light + 16) / 116;
  const xyz = [y + a / 500, y, y - b / 200].map(
    (f, i) => (f > 6 / 29 ? f ** 3 : (f - 4 / 29) / ((29 / 6) ** 2 / 3)) * WHITE[i],
  );
  return times(TO_LINEAR, xyz).map(encoded);
}
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
const labOfOklab = (oklab) =>
  labOfXyz(
    times(
      LMS_TO_XYZ,
      times(OKLAB_TO_LMS, oklab).map((v) => v ** 3),
    ),
  );
const TO_LAB = {
  lab: (v) => v,
  lch: fromPolar,
  oklab: labOfOklab,
  oklch: (v) => labOfOklab(fromPolar(v)),
};
function codesOfHsl([hue, saturation, lightness]) {
  const turn = ((hue % 360) + 360) % 360;
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
const labText = (lab) =>
  'lab(' + lab.map((v) => plainNumber(Math.trunc(10 * v) / 10)).join(' ') + ')';
function mostVividWithin(lab) {
  let low = 0;
  let high = 1;
  for (let i = 0; i < 40; i += 1) {
    const middle = (low + high) / 2;
    if (inSrgb([lab[0], lab[1] * middle, lab[2] * middle])) low = middle;
    else high = middle;
  }
  return [lab[0], lab[1] * low, lab[2] * low];
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
    const [label, , least, most] = wanted[i];
    const got = readPart(parts[i], wanted[i]);
    if (got.wrong) return { ...got, partial: open };
    if (got.value < least || got.value > most) {
      return {
        wrong:
          'The ' +
          label +
          ' is ' +
          plainNumber(got.value) +
          '; it must be ' +
          (most === undefined ? '0 or more.' : 'from 0 to ' + most + '.'),
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
        labText(mostVividWithin(lab)) +
        '.',
      partial: open,
    };
  }
  return {
    lab,
    codes: codesOfLab(lab),
    notation: name + '(' + values.map(plainNumber).join(' ') + ')',
  };
}
