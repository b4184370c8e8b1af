// All names of the four color systems, fetched once for the page.

const answer = await fetch(new URL('./catalog.json', import.meta.url));

/** @type {{ systems: [string, string][], colors: any[][] }} */
export const catalog = await answer.json();
