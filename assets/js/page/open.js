// A tab that is opened for the first time: its template, its style and its script come at once, and
// it is shown when all are there.
import { make } from '../shared/dom.js';
import { askText } from '../shared/http.js';

const LATE_MS = 400;

/** @param {string} path the whole address: see ON_LOAD in tabs/page/widgets.py */
const here = (path) => new URL(path, location.origin);

/**
 * Of the tab that a link opens, the page brings the template itself (page/head.html).
 * @param {string} address
 * @returns {Promise<DocumentFragment>}
 */
async function loadTemplate(address) {
  const template = [...document.getElementsByTagName('template')].find(
    ({ dataset }) => dataset.address === address,
  );
  if (template) return document.importNode(template.content, true);
  return document.createRange().createContextualFragment(await askText(here(address).href));
}

/**
 * A browser keeps a script that did not load as one that does not: each attempt has an address of
 * its own.
 * @param {string} address
 * @param {number} attempt
 */
async function loadScript(address, attempt) {
  const url = here(address);
  if (attempt) url.search = `attempt=${attempt}`;
  try {
    return await import(url.href);
  } catch (cause) {
    throw new Error('Its script did not load. Is the app still running? If so, reload this page.', {
      cause,
    });
  }
}

/** @param {string} address of a style sheet, which stands behind all others; may be empty */
async function loadStyle(address) {
  if (!address) return;
  const { href } = here(address);
  if ([...document.styleSheets].some((sheet) => sheet.href === href)) return;
  const link = make('link');
  link.rel = 'stylesheet';
  link.href = href;
  await new Promise((done, failed) => {
    link.onload = done;
    link.onerror = () => {
      link.remove();
      failed(new Error('Its style did not load. Is the app still running?'));
    };
    document.head.append(link);
  });
}

/**
 * Says in the tab why it is not shown, until somebody tries again.
 * @param {HTMLElement} element
 * @param {Error} error
 */
async function tryAgain(element, { message }) {
  const problem = make('p', 'th-problem', 'This tab did not load. ' + message);
  problem.setAttribute('role', 'alert');
  const button = make('button', 'th-button', 'Try again');
  button.type = 'button';
  element.replaceChildren(problem, button);
  element.inert = false;
  await new Promise((pressed) => button.addEventListener('click', pressed));
  element.inert = true;
  showLoading(element);
}

/** @param {HTMLElement} element */
function showLoading(element) {
  element.replaceChildren(make('p', 'th-soft', 'Loading…'));
}

/**
 * @param {HTMLElement} element where the tab is drawn
 * @param {{ script: string, name: string, style: string, template: string }} tab addresses, and what
 *   of the script mounts the tab
 * @returns {Promise<(widget: import('../shared/widget.js').Widget) => void>} what mounts it
 */
export async function open(element, { script, name, style, template }) {
  let attempt = 0;
  for (;;) {
    const late = setTimeout(showLoading, LATE_MS, element);
    // What the app says of the template is the clearest reason.
    const [content, page, styled] = await Promise.allSettled([
      loadTemplate(template),
      loadScript(script, attempt),
      loadStyle(style),
    ]);
    clearTimeout(late);
    if (
      content.status === 'fulfilled' &&
      page.status === 'fulfilled' &&
      styled.status === 'fulfilled'
    ) {
      element.replaceChildren(content.value);
      return page.value[name];
    }
    if (page.status === 'rejected') attempt += 1;
    const [refused] = [content, page, styled].filter((part) => part.status === 'rejected');
    await tryAgain(element, refused.reason);
  }
}
