// Nodes of the canvas. Text always goes in as text.

/**
 * A new element with these attributes; a function becomes a listener, false and null nothing.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, any>} [attributes]
 * @param {(Node | string)[]} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') node.addEventListener(name, value);
    else if (value !== null && value !== false) node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

/**
 * A button with these words.
 * @param {string} text
 * @param {() => void} act
 * @param {Record<string, any>} [attributes]
 */
export const button = (text, act, attributes) =>
  make('button', { type: 'button', click: act, ...attributes }, text);

/**
 * A drawing of lines, 24 by 24.
 * @param {string} path
 */
export function icon(path) {
  const [svg, line] = ['svg', 'path'].map((tag) =>
    document.createElementNS('http://www.w3.org/2000/svg', tag),
  );
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  line.setAttribute('d', path);
  svg.append(line);
  return svg;
}

/**
 * Says whether a button is pressed, or can be.
 * @param {Element} node
 * @param {string} name such as "pressed"
 * @param {boolean} on
 */
export const aria = (node, name, on) => node.setAttribute('aria-' + name, String(on));

/**
 * What this browser keeps under a name, and nothing where it keeps nothing.
 * @param {string} name
 * @returns {string[]}
 */
export function kept(name) {
  try {
    const list = JSON.parse(localStorage.getItem(name) || '[]');
    return list.filter((/** @type {unknown} */ item) => /^#[0-9a-f]{6}$/.test(String(item)));
  } catch {
    return [];
  }
}

/**
 * @param {string} name
 * @param {string[]} list
 */
export function keep(name, list) {
  try {
    localStorage.setItem(name, JSON.stringify(list));
  } catch {
    // It holds until the page closes.
  }
}
