// Reads what a person types in the color picker; no page, no events. It reads as
// core/color/systems.py and core/color/notation.py do, and tests/assets/picker/test_reading.py
// holds them together.
import { labOfSrgb1 } from '../shared/spaces.js';
import { readFunction } from './functions.js';

const tidy = (text) => text.normalize('NFKC').toLowerCase().replace(/['’`]/g, '');
const letters = (text) => tidy(text).replace(/[\s_\-‐-―]+/g, '');
const fold = (text) => letters(text).replace(/grey/g, 'gray');
const describe = (text) =>
  tidy(text)
    .replace(/[\s_\-‐-―]+/g, ' ')
    .trim()
    .replace(/grey/g, 'gray');

export const valueOf = (color) =>
  color.name ? color.system + ':' + color.name : color.notation || color.hex;

export const hexOf = (codes) =>
  '#' +
  codes
    .map((c) => c.toString(16).padStart(2, '0'))
    .join('')
    .toUpperCase();

const codesOf = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));

function numeric(codes) {
  return {
    name: null,
    system: null,
    hex: hexOf(codes),
    lab: labOfSrgb1(codes.map((c) => c / 255)),
  };
}

// --- Reading: {color}, {wrong: message}, or {} for a name that may still be on its way -----------

function readHex(text) {
  const digits = text.replace(/^#/, '').trim();
  const wrong = [...digits].findIndex((sign) => !/[0-9a-f]/i.test(sign));
  if (!text.startsWith('#')) {
    const misses = [...digits].filter((sign) => !/[0-9a-f]/i.test(sign)).length;
    if (!/^[0-9a-z]{6}$/i.test(digits) || !/[0-9]/.test(digits) || misses > 1) return null;
  }
  if (wrong >= 0) {
    return {
      wrong:
        'Digit ' +
        (wrong + 1) +
        ' of the hex color is “' +
        [...digits][wrong] +
        '”; hex digits are 0–9 and A–F.',
    };
  }
  if (digits.length !== 3 && digits.length !== 6) {
    return {
      wrong:
        'A hex color has 6 digits (#D51C3C) or 3 (#F80); this has ' +
        digits.length +
        '.' +
        (digits.length === 8 ? ' Leave the transparency at its end out.' : ''),
      partial: digits.length < 6,
    };
  }
  const full = digits.length === 3 ? [...digits].map((d) => d + d).join('') : digits;
  return { color: numeric([0, 2, 4].map((i) => parseInt(full.slice(i, i + 2), 16))) };
}

function readRgb(text) {
  const match =
    text.match(/^rgb\s*\(([^()]*)\)?$/i) ||
    text.match(/^(?=.*[0-9])[([]?([-+0-9.%]+(?:[\s,;]+[-+0-9.%]+)*)[\s,;]*[)\]]?$/);
  if (!match) return null;
  const parts = match[1].split(/[\s,;]+/).filter(Boolean);
  if (parts.length !== 3) {
    return {
      wrong: 'An rgb color has three numbers: red, green and blue; this has ' + parts.length + '.',
      partial: parts.length < 3,
    };
  }
  const bad = parts.findIndex((part) => !/^[0-9]{1,3}$/.test(part) || Number(part) > 255);
  if (bad >= 0) {
    return {
      wrong:
        'The ' +
        ['red', 'green', 'blue'][bad] +
        ' is ' +
        parts[bad] +
        '; it must be a whole number from 0 to 255.',
    };
  }
  return { color: numeric(parts.map(Number)) };
}

export function split(text) {
  const clean = text.normalize('NFKC').trim();
  const match = clean.match(/^([a-z0-9]+)\s*:\s*(.*)$/i);
  return match ? { key: match[1].toLowerCase(), rest: match[2] } : { key: null, rest: clean };
}

/**
 * What reads a catalog's names: `catalog` of tabs/page/asset_files.py.
 * @param {{ systems: [string, string][], colors: any[][] }} catalog
 */
export function colorReading(catalog) {
  const systems = new Map(catalog.systems);
  const order = [...systems.keys()];
  const colors = catalog.colors.map(([system, name, hex], index) => ({
    system,
    name,
    hex,
    lab: labOfSrgb1(codesOf(hex).map((code) => code / 255)),
    index,
    words: describe(name),
    fold: fold(name),
    letters: letters(name),
  }));

  /**
   * A color, what is wrong with the text, or neither of a name that may still be on its way.
   * @param {string} text
   * @returns {{ color?: any, wrong?: string, partial?: boolean }}
   */
  function read(text) {
    const { key, rest } = split(text);
    if (key !== null && !systems.has(key)) {
      return {
        wrong:
          '“' + key + '” is no color system: write ' + order.join(':, ') + ': before the name.',
      };
    }
    const written = readFunction(rest);
    if (written) {
      if (written.wrong) return written;
      const { lab, codes, notation } = written;
      return { color: { name: null, system: null, hex: hexOf(codes), lab, notation } };
    }
    const number = readHex(rest) || readRgb(rest);
    if (number) return number;
    if (!fold(rest)) return {};
    for (const reading of [
      ['words', describe(rest)],
      ['fold', fold(rest)],
    ]) {
      for (const id of key ? [key] : order) {
        const result = colors.filter((c) => c.system === id && c[reading[0]] === reading[1]);
        if (result.length)
          return { color: result.find((c) => c.letters === letters(rest)) || result[0] };
      }
    }
    return {};
  }

  // Every word must be somewhere in the name. Ranks: the name itself, its beginning, the beginnings
  // of its words, anywhere; then the shorter name, then the order of the systems.
  function matches(text) {
    const { key, rest } = split(text);
    if (key !== null && !systems.has(key)) return [];
    if (readFunction(rest)) return [];
    const all = describe(rest);
    const folded = fold(rest);
    const parts = all.split(' ').filter(Boolean);
    if (/[0-9#(]/.test(rest)) return [];
    const rank = (c) => {
      if (c.words === all) return 0;
      if (c.fold === folded) return 1;
      if (c.words.startsWith(all) || c.fold.startsWith(folded)) return 2;
      return parts.every((part) => (' ' + c.words).includes(' ' + part)) ? 3 : 4;
    };
    return colors
      .filter((c) => (!key || c.system === key) && parts.every((part) => c.fold.includes(part)))
      .map((c) => ({
        color: c,
        // A standard's name comes before one of people.
        order: [rank(c), Number(c.system === 'people'), parts.length ? c.name.length : 0, c.index],
      }))
      .sort((x, y) => x.order.map((n, k) => n - y.order[k]).find(Boolean) || 0)
      .map(({ color }) => color);
  }

  // The names spelled most like a text, by the share of letters that stay (edit distance).
  function similar(text, count) {
    const { key, rest } = split(text);
    const a = fold(rest).slice(0, 40);
    const seen = new Set();
    const share = (b) => {
      let row = Array.from({ length: b.length + 1 }, (_, j) => j);
      for (let i = 1; i <= a.length; i += 1) {
        const next = [i];
        for (let j = 1; j <= b.length; j += 1) {
          next[j] = Math.min(
            row[j] + 1,
            next[j - 1] + 1,
            row[j - 1] + Number(a[i - 1] !== b[j - 1]),
          );
        }
        row = next;
      }
      return 1 - row[b.length] / Math.max(a.length, b.length, 1);
    };
    return colors
      .filter((c) => !systems.has(key) || c.system === key)
      .map((color) => ({ kept: share(color.fold), color }))
      .filter((row) => row.kept >= 0.6)
      .sort((x, y) => y.kept - x.kept || x.color.index - y.color.index)
      .map((row) => row.color)
      .filter((c) => !seen.has(c.fold) && seen.add(c.fold))
      .slice(0, count);
  }

  // The other colors that have this color's name: of systems that agree, the first.
  function namesakes(color) {
    const seen = new Set([color.hex]);
    return order
      .map((id) => colors.find((c) => c.system === id && c.fold === fold(color.name)))
      .filter((c) => c && !seen.has(c.hex) && seen.add(c.hex));
  }

  return { systems, read, matches, namesakes, similar };
}
