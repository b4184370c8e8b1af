// sRGB, CIELAB for D65 and 2 degrees, and Oklab (Ottosson 2020), with the constants of
// core/color/spaces.py. Channels are 0 to 1 and go on beyond where a color is outside of sRGB.

/** Of CIELAB, where its numbers stand alone. */
export const LAB_TITLE = 'CIELAB for illuminant D65 and the 2° observer';

/** @typedef {number[]} Triple */

const TO_XYZ = [
  [0.4124, 0.3576, 0.1805],
  [0.2126, 0.7152, 0.0722],
  [0.0193, 0.1192, 0.9505],
];
const WHITE = [0.3127 / 0.329, 1, 0.3583 / 0.329];
/** @type {(matrix: Triple[], v: Triple) => Triple} */
const times = (matrix, v) => matrix.map((row) => row[0] * v[0] + row[1] * v[1] + row[2] * v[2]);
/**
 * @param {Triple[]} m
 * @returns {Triple[]}
 */
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
const XYZ_TO_LMS = [
  [0.8189330101, 0.3618667424, -0.1288597137],
  [0.0329845436, 0.9293118715, 0.0361456387],
  [0.0482003018, 0.2643662691, 0.633851707],
];
const LMS_TO_XYZ = inverse(XYZ_TO_LMS);
const LMS_TO_OKLAB = [
  [0.2104542553, 0.793617785, -0.0040720468],
  [1.9779984951, -2.428592205, 0.4505937099],
  [0.0259040371, 0.7827717662, -0.808675766],
];
const OKLAB_TO_LMS = inverse(LMS_TO_OKLAB);

/** @param {number} c */
const decoded = (c) =>
  Math.sign(c) *
  (Math.abs(c) <= 0.04045 ? Math.abs(c) / 12.92 : ((Math.abs(c) + 0.055) / 1.055) ** 2.4);
/** @param {number} c */
const encoded = (c) =>
  Math.sign(c) *
  (Math.abs(c) <= 0.0031308 ? Math.abs(c) * 12.92 : 1.055 * Math.abs(c) ** (1 / 2.4) - 0.055);
/** @param {Triple} xyz */
function labOfXyz(xyz) {
  const f = xyz
    .map((v, i) => v / WHITE[i])
    .map((t) => (t > (6 / 29) ** 3 ? Math.cbrt(t) : (t * (29 / 6) ** 2) / 3 + 4 / 29));
  return [116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])];
}
/** @param {Triple} srgb */
export const labOfSrgb1 = (srgb) => labOfXyz(times(TO_XYZ, srgb.map(decoded)));

/** @param {Triple} lab */
export function srgb1OfLab([light, a, b]) {
  const y = (light + 16) / 116;
  const xyz = [y + a / 500, y, y - b / 200].map(
    (f, i) => (f > 6 / 29 ? f ** 3 : (f - 4 / 29) / ((29 / 6) ** 2 / 3)) * WHITE[i],
  );
  return times(TO_LINEAR, xyz).map(encoded);
}

/** @param {Triple} oklab */
const xyzOfOklab = (oklab) =>
  times(
    LMS_TO_XYZ,
    times(OKLAB_TO_LMS, oklab).map((v) => v ** 3),
  );

/** @param {Triple} oklab */
export const labOfOklab = (oklab) => labOfXyz(xyzOfOklab(oklab));

/** @param {Triple} oklab */
export const srgb1OfOklab = (oklab) => times(TO_LINEAR, xyzOfOklab(oklab)).map(encoded);

/** @param {Triple} srgb */
export const oklabOfSrgb1 = (srgb) =>
  times(LMS_TO_OKLAB, times(XYZ_TO_LMS, times(TO_XYZ, srgb.map(decoded))).map(Math.cbrt));
