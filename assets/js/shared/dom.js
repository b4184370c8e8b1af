// Nodes of the page: made, put in order, and small pieces that several tabs show. Text always goes
// in as text, never as HTML.

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
 * Puts nodes into a box in this order. What stays is not taken out in between: it keeps focus,
 * scroll position, and a press that has begun.
 * @param {Element} box
 * @param {Node[]} nodes
 */
export function arrange(box, nodes) {
  const keep = new Set(nodes);
  const focused = document.activeElement;
  [...box.childNodes].forEach((node) => {
    if (!keep.has(node)) node.remove();
  });
  /** @type {Node | null} */
  let firstChild = box.firstChild;
  nodes.forEach((node) => {
    if (node === firstChild) firstChild = firstChild.nextSibling;
    else box.insertBefore(node, firstChild);
  });
  if (
    focused instanceof HTMLElement &&
    focused !== document.activeElement &&
    box.contains(focused)
  ) {
    focused.focus({ preventScroll: true });
  }
}

/**
 * Sets a text where it is another one, so that nothing is read out twice.
 * @param {Element} node
 * @param {string} text
 */
export function put(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/**
 * "1 image", "2 images", "1,200 images".
 * @param {number} number
 * @param {string} noun
 */
export function many(number, noun) {
  const ending = number === 1 ? '' : /(?:s|x|ch|sh)$/.test(noun) ? 'es' : 's';
  return number.toLocaleString('en-US') + ' ' + noun + ending;
}

/**
 * A time in words, in the unit that it is long in.
 * @param {number} seconds
 */
export function duration(seconds) {
  if (seconds < 60) return Math.max(1, Math.round(seconds)) + ' s';
  return seconds < 3600 ? Math.round(seconds / 60) + ' min' : (seconds / 3600).toFixed(1) + ' h';
}

/**
 * Small squares of these colors.
 * @param {string[]} hexes
 */
export function swatches(hexes) {
  const box = make('span', 'th-swatches');
  hexes.forEach((hex) => {
    const item = make('i');
    item.style.background = hex;
    item.title = hex;
    box.appendChild(item);
  });
  return box;
}

/**
 * Swatches that are compared: they touch each other.
 * @param {{ hex: string, role: string, name?: string }[]} list
 */
export function touching(list) {
  const box = make('span', 'th-touching');
  list.forEach((item) => {
    const part = make('i');
    part.style.background = item.hex;
    part.title = item.role + ': ' + [item.name, item.hex].filter(Boolean).join(' ');
    box.appendChild(part);
  });
  return box;
}

/**
 * The same with a word under each: what was asked stands left of what was found, everywhere.
 * @param {{ hex: string, role: string, name?: string }[]} list
 */
export function touchingInWords(list) {
  const pair = make('span', 'th-touching-pair');
  const text = make('small', 'th-touching-words');
  list.forEach((item) => text.appendChild(make('span', '', item.role)));
  pair.append(touching(list), text);
  return pair;
}

/**
 * Arrow keys go through a row of tabs, as the role promises.
 * @param {HTMLElement[]} tabs
 */
export function arrowKeys(tabs) {
  tabs.forEach((tab, index) => {
    tab.addEventListener('keydown', (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const next = tabs[(index + step + tabs.length) % tabs.length];
      next.focus();
      next.click();
    });
  });
}

/** @type {WeakMap<Element, (id: any) => void>} */
const choosers = new WeakMap();

/**
 * A strip of buttons of which one is pressed. The same buttons get new words: one that is being
 * pressed, or has the focus, stays.
 * @param {Element} box
 * @param {{ id: string | number, name: string, title?: string }[]} choices
 * @param {unknown} chosen
 * @param {(id: any) => void} choose
 */
export function strip(box, choices, chosen, choose) {
  choosers.set(box, choose);
  const known = new Map(
    [...box.children].map((node) => [/** @type {HTMLElement} */ (node).dataset.id, node]),
  );
  arrange(
    box,
    choices.map((choice) => {
      let button = /** @type {HTMLButtonElement | undefined} */ (known.get(String(choice.id)));
      if (!button) {
        button = make('button');
        button.type = 'button';
        button.dataset.id = String(choice.id);
        button.addEventListener('click', () => choosers.get(box)?.(choice.id));
      }
      put(button, choice.name);
      button.title = choice.title || '';
      button.setAttribute('aria-pressed', String(button.dataset.id === String(chosen)));
      return button;
    }),
  );
}

/**
 * The options of a select, made again only where they are others, and the chosen one.
 * @param {HTMLSelectElement | Found} select
 * @param {{ id: string, name: string }[]} choices
 * @param {string} chosen
 */
export function options(select, choices, chosen) {
  const made = JSON.stringify(choices);
  if (select.dataset.choices !== made) {
    select.dataset.choices = made;
    select.replaceChildren(...choices.map((choice) => new Option(choice.name, choice.id)));
  }
  select.value = chosen;
}

/**
 * The tab of a room in the page's tab bar.
 * @param {string} name
 * @returns {HTMLElement | undefined}
 */
export function tabButton(name) {
  return tabButtons().find((tab) => tab.textContent?.trim() === name);
}

/**
 * Brings a room to the front, where it is not there already.
 * @param {string} name
 */
export function openTab(name) {
  const tab = tabButton(name);
  if (tab && tab.getAttribute('aria-selected') !== 'true') tab.click();
}

/** @returns {HTMLElement[]} */
function tabButtons() {
  return [
    .../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('#th-tabs [role=tab]')),
  ];
}

/**
 * Whether a node is on screen or could be scrolled to: its room and view are in front.
 * @param {Element} node
 */
export function inFront(node) {
  return /** @type {HTMLElement} */ (node).offsetParent !== null;
}

// ── tables ───────────────────────────────────────────────────────────────────────────────────────
// Each head says what it heads, for those who listen.

/** What a cell has in it. @typedef {string | number | Node} Content */

/**
 * Content as a cell of a table; what is one already stays as it is.
 * @param {'td' | 'th'} tag
 * @param {Content} content
 */
function cell(tag, content) {
  if (content instanceof HTMLTableCellElement) return content;
  const made = make(tag);
  made.append(content instanceof Node ? content : String(content));
  return made;
}

/**
 * A line of heads.
 * @param {Content[]} heads
 */
export function headLine(heads) {
  const line = make('tr');
  line.append(...heads.map((head) => cell('th', head)));
  [...line.cells].forEach((head) => {
    if (head.tagName === 'TH') head.scope = 'col';
  });
  return line;
}

/**
 * The body of a table: the first cell of a row is the row's head.
 * @param {Content[][]} rows
 */
export function tableBody(rows) {
  const body = make('tbody');
  body.append(
    ...rows.map(([head, ...others]) => {
      const line = make('tr');
      const first = cell('th', head);
      first.scope = 'row';
      line.append(first, ...others.map((content) => cell('td', content)));
      return line;
    }),
  );
  return body;
}

/**
 * @param {string} className
 * @param {Content[]} heads none: no line of heads
 * @param {Content[][]} rows
 */
export function table(className, heads, rows) {
  const made = make('table', className);
  if (heads.length) {
    const top = make('thead');
    top.append(headLine(heads));
    made.append(top);
  }
  made.append(tableBody(rows));
  return made;
}
