// The parameters of one concept's view, and their form in the link.

/** The most distributions that stand side by side. */
export const MAX_SOURCES = 6;

/** The usual answers, which a link leaves out. */
export const DEFAULTS = {
  method: 'extracted',
  sort: 'hue',
  scale: 'one',
  apart: '1',
  between: '',
  pair: '0-1',
  steps: '',
};

/**
 * A question about the concept itself.
 * @param {Record<string, any>} state
 * @param {Record<string, any>} more
 */
export function conceptQuery({ concept, words, method }, more) {
  const values = new URLSearchParams();
  Object.entries({ concept, words, method, ...more }).forEach(([name, value]) => {
    if (value !== '' && value !== null) values.set(name, value);
  });
  return values;
}

/**
 * The question for all that stands side by side.
 * @param {Record<string, any>} state
 */
export function viewQuery(state) {
  const { d, sort, scale, apart, between, pair } = state;
  return conceptQuery(state, { d: d.join(','), sort, scale, apart, between, pair });
}

/**
 * What a link asks for and there is not becomes the usual: the page shows something, and says what.
 * @param {Record<string, any>} state which is changed
 * @param {{ methods: { id: string }[], sorts: { id: string }[] }} known
 * @returns {string[]} a sentence for each correction
 */
export function takeUsual(state, known) {
  const sentences = [];
  /** @type {[string, string, { id: string }[]][]} */
  const choices = [
    ['method', 'method', known.methods],
    ['sort', 'order of bins', known.sorts],
  ];
  choices.forEach(([key, text, there]) => {
    if (there.some((item) => item.id === state[key])) return;
    sentences.push(
      'There is no ' +
        text +
        ' “' +
        state[key].slice(0, 40) +
        '”, which the link requests. The default is shown.',
    );
    state[key] = DEFAULTS[key];
  });
  state.d = state.d && [...new Set(state.d)];
  if (state.d && state.d.length > MAX_SOURCES) {
    sentences.push('The link has ' + state.d.length + ' distributions. The first six are shown.');
    state.d = state.d.slice(0, MAX_SOURCES);
  }
  return sentences;
}

/**
 * The rows of a concept that was just chosen: what is on the page of it stays, else its first rows
 * come; images of one's own, which are of no concept, stay after them.
 * @param {string[]} shown what was on the page before
 * @param {{ choices: { source: string }[], begin: string[] }} answer what there is of the concept
 * @returns {{ rows: string[], own: string[], left: number }} `left` of the images had no room
 */
export function rowsOfConcept(shown, answer) {
  const there = new Set(answer.choices.map((choice) => choice.source));
  const own = shown.filter((item) => item.startsWith('image:'));
  const stay = shown.filter((item) => there.has(item));
  const first = stay.length > 1 ? stay : [...stay, ...answer.begin];
  const rows = [...new Set([...first, ...own])];
  const fit = rows.slice(0, MAX_SOURCES);
  return {
    rows: fit,
    own: own.filter((item) => fit.includes(item)),
    left: rows.length - fit.length,
  };
}

/**
 * What a link says, as the view takes it.
 * @param {Record<string, string>} values
 */
export function ofLink(values) {
  /** @type {Record<string, any>} */
  const state = {
    concept: values.concept || '',
    words: values.words || '',
    d: values.d ? values.d.split(',').filter(Boolean) : null,
  };
  Object.entries(DEFAULTS).forEach(([name, value]) => {
    state[name] = values[name] || value;
  });
  return state;
}

/**
 * The link of this state. It names the masks that were measured in the view: marked again elsewhere,
 * an image still opens as it was. Without a view it leaves them open.
 * @param {Record<string, any>} state
 * @param {{ distributions: any[] } | null} view
 */
export function linkOf(state, view) {
  const pinned = (source) => {
    const row =
      /^image:[0-9a-f]+$/.test(source) && view
        ? view.distributions.find((distribution) => distribution.source === source)
        : null;
    return row && row.image ? source + '/' + row.image.mask_id.slice(0, 16) : source;
  };
  const values = { concept: state.concept, words: state.words, d: state.d.map(pinned).join(',') };
  Object.entries(DEFAULTS).forEach(([name, value]) => {
    if (state[name] !== value) values[name] = name === 'steps' ? pinned(state[name]) : state[name];
  });
  return values;
}
