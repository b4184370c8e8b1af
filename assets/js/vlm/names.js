// What evaluations are called where several are shown: by the model, and where two have the same one, by
// what of their settings is different.

/**
 * Names that tell evaluations apart.
 * @param {{ id: string, name: string, settings: string }[]} rows
 * @returns {Map<string, string>}
 */
export function namesOf(rows) {
  const parts = (row) => row.settings.split(/ · |, /).filter(Boolean);
  return new Map(
    rows.map((row) => {
      const same = rows.filter((other) => other.name === row.name);
      const own = parts(row).filter((part) => !same.every((other) => parts(other).includes(part)));
      return [row.id, [row.name, ...own].join(', ')];
    }),
  );
}
