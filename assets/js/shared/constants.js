// Constants that Python writes into the page's head: see tabs/page/asset_files.py.

/** @type {{ rule: string, plotly: string, renderer: string }} */
const constants = { rule: '', plotly: '', renderer: '' };
const text = document.getElementById('th-constants')?.textContent;
if (text) Object.assign(constants, JSON.parse(text));

/** The id of the rule that everything is judged by unless another one is chosen. */
export const DEFAULT_RULE = constants.rule;
/** The version of plotly, which its address names. */
export const PLOTLY_VERSION = constants.plotly;
/** The id of the generator that needs no weights. */
export const RENDERER = constants.renderer;
