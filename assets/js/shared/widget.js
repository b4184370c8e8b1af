// What Gradio gives to the script of a widget, and `mount` of every widget's module is called with.

/**
 * @typedef {object} Widget
 * @property {HTMLElement} element where the template stands
 * @property {Record<string, any>} props what Python sent; a new object set to `value` goes back
 * @property {(event: string, data?: unknown) => void} trigger
 * @property {(names: string | string[], call: () => void) => void} watch
 */

export {};
