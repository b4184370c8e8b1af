// All names of the color systems, fetched once for the page: from here, and from a chunk of
// assets/bundle.

const answer = await fetch(new URL('../picker/catalog.json', import.meta.url));

/** @type {{ systems: [string, string][], colors: any[][], forms: string }} */
export const catalog = await answer.json();
