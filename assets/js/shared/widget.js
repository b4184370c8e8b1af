// Gradio's arguments for a widget's script, which each module's `mount` receives.

/**
 * @typedef {object} Widget
 * @property {HTMLElement} element where the template stands
 * @property {Record<string, any>} props what Python sent; a new object set to `value` goes back
 * @property {(event: string, data?: unknown) => void} trigger
 * @property {(names: string | string[], call: () => void) => void} watch
 */

/**
 * Mounts a part of a widget, and returns what sets its props. `on` are its events; `change` comes
 * when it has a new value.
 * @param {HTMLElement} element
 * @param {(widget: Widget) => void} mount
 * @param {Record<string, any>} [held]
 * @param {Record<string, (data?: any) => void>} [on]
 */
export function mountPart(element, mount, held = {}, on = {}) {
  const watched = [];
  /** @type {Record<string, any>} */
  const all = { ...held };
  const set = (changes) => {
    Object.assign(all, changes);
    for (const [names, call] of watched) if (names.some((name) => name in changes)) call();
  };
  const props = new Proxy(all, {
    set(_, name, value) {
      all[String(name)] = value;
      if (name === 'value') on.change?.();
      return true;
    },
  });
  mount({
    element,
    props,
    trigger: (event, data) => on[event]?.(data),
    watch: (names, call) => watched.push([[names].flat(), call]),
  });
  return Object.assign(set, { props: all });
}

/**
 * Mounts several parts of one widget, each in the element of its id.
 * @param {Record<string, (widget: Widget) => void>} parts
 * @returns {(widget: Widget) => void}
 */
export const mountParts = (parts) => (widget) => {
  for (const [id, mount] of Object.entries(parts))
    mount({ ...widget, element: widget.element.querySelector(`#${id}`) });
};
