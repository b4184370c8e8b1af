// Nodes of the participants' page. Text always goes in as text, never as HTML.

/**
 * A new element.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {string} [className]
 * @param {string | null} [text]
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function make(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined && text !== null) node.textContent = text;
  return node;
}

/**
 * A button with its key shown beside the words; the key is drawn only where there is a keyboard.
 * @param {string} words
 * @param {string} className
 * @param {(event: MouseEvent) => void} act
 * @param {string} [key]
 */
export function button(words, className, act, key) {
  const node = make('button', className);
  node.type = 'button';
  node.append(make('span', '', words));
  if (key) {
    const cap = make('kbd', '', key);
    cap.setAttribute('aria-hidden', 'true');
    node.append(cap);
  }
  node.addEventListener('click', act);
  return node;
}

/**
 * A text of somebody's, a paragraph for each part between empty lines.
 * @param {string} text
 */
export function paragraphs(text) {
  return text
    .split(/\n\s*\n/)
    .filter((part) => part.trim())
    .map((part) => make('p', 'text', part.trim()));
}

/**
 * Sets a text where it is another one, so that nothing is read out twice.
 * @param {Element} node
 * @param {string} text
 */
export function put(node, text) {
  if (node.textContent !== text) node.textContent = text;
}
