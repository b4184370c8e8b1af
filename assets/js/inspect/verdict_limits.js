// Limits that a person moves: who would pass, at once, and no stored verdict changes. A verdict passes
// where one of its alternatives (core/verdict/audit.py) has every judged number below its limit.
// Stands before verdict.js; keeps the limits of the image that is shown, by metric.

export const LIMIT_STEPS = { misfit: 0.1, delta_e00: 0.1, delta_chroma: 0.1, hue_deg: 1 };
const LIMIT_NAMES = {
  misfit: 'mismatch score',
  delta_e00: 'ΔE00',
  delta_chroma: 'Δa*b*',
  hue_deg: 'hue',
};
export function moveableLimits(changed) {
  let own = {};
  /** @type {Api.VerdictCard | null} */
  let view = null;
  let image = '';

  const ruled = () =>
    Object.fromEntries(
      view.metrics
        .filter((metric) => metric.limit !== null)
        .map((metric) => [metric.name, metric.limit]),
    );
  function limits() {
    const out = ruled();
    Object.keys(out).forEach((name) => {
      if (name in own) out[name] = own[name];
    });
    return out;
  }
  // Those of the judged numbers that are not the rule's.
  function moved() {
    const known = ruled();
    return Object.keys(known).filter((name) => name in own && own[name] !== known[name]);
  }
  // One that must not have the color passes where no alternative matches.
  const forbidden = () => view.relation === 'differs';
  const matches = (bounds) =>
    view.alternatives.some((alternative) =>
      Object.entries(alternative).every(([name, value]) => value < bounds[name]),
    );
  const passes = (bounds) => matches(bounds) !== forbidden();
  // The first place of the slider above a value: a number passes strictly below its limit.
  const above = (name, value) =>
    (Math.floor(value / LIMIT_STEPS[name] + 1e-9) + 1) * LIMIT_STEPS[name];
  // The limit of the slider that just lets it pass, the others as they are; null for none.
  function passesFrom(name, bounds) {
    const values = view.alternatives
      .filter((alternative) =>
        Object.entries(alternative).every(
          ([other, value]) => other === name || value < bounds[other],
        ),
      )
      .map((alternative) => alternative[name]);
    if (!values.length) return null;
    const least = Math.min(...values);
    if (!forbidden()) return above(name, least);
    return above(name, least) - LIMIT_STEPS[name] || null;
  }
  // Where no single limit would do: those that the nearest of the alternatives goes over.
  function together(bounds) {
    const over = (item) => Object.entries(item).filter(([name, value]) => value >= bounds[name]);
    const excess = (item) =>
      over(item).reduce((sum, [name, value]) => sum + value / bounds[name], 0);
    const nearest = [...view.alternatives].sort((item, other) => excess(item) - excess(other))[0];
    return over(nearest)
      .map(([name, value]) => LIMIT_NAMES[name] + ' ' + number(name, above(name, value)))
      .join(' and ');
  }
  const unit = (name) => (name === 'hue_deg' ? '°' : '');
  const number = (name, value) =>
    (name === 'hue_deg' ? String(Math.round(value)) : value.toFixed(1)) + unit(name);

  return {
    limits,
    moved,
    number,
    most: (metric) => metric.limit * 3,
    take(next, text) {
      view = next;
      const shown = new URLSearchParams(next.link || '').get('image') || '';
      if (shown !== image) own = {};
      image = shown;
      if (text) {
        own = {};
        text.split(',').forEach((part) => {
          const [name, value] = part.split(':');
          if (name in LIMIT_STEPS && Number(value) > 0) own[name] = Number(value);
        });
      }
    },
    set(name, value) {
      own[name] = Math.round(value * 10) / 10;
      changed();
    },
    reset() {
      own = {};
      changed();
    },
    passes: () => passes(limits()),
    // A sentence for a verdict that fails: one limit alone, or that no single one would do.
    hint() {
      const bounds = limits();
      if (passes(bounds)) return '';
      const ways = Object.keys(bounds)
        .map((name) => [name, passesFrom(name, bounds)])
        .filter((way) => way[1] !== null);
      if (!ways.length) return 'Would pass with limits of ' + together(bounds) + '.';
      return (
        'Would pass with a limit of ' +
        ways
          .map(([name, value]) => LIMIT_NAMES[name] + ' ' + number(name, value))
          .join(', or of ') +
        (forbidden() ? ' or less.' : '.')
      );
    },
    // For the address: "delta_e00:8,hue_deg:40"; empty for the rule's own.
    text: () =>
      view && view.metrics
        ? moved()
            .map((name) => name + ':' + own[name])
            .join(',')
        : '',
  };
}
