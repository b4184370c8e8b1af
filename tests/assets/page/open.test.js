// A tab that is opened for the first time, and what it says where its files do not come.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { answer, faults, load, requests, settled } from '../page.js';
import { held, until } from '../until.js';

const { open } = await load('page/open');
const folder = mkdtempSync(join(tmpdir(), 'tab'));
after(() => rmSync(folder, { recursive: true }));

const TEMPLATE = '/assets/0/html/tab.html';
const STYLE = '/assets/0/css/tab.css';
let number = 0;

beforeEach(() => {
  requests.length = 0;
  document.body.replaceChildren();
  for (const link of document.head.querySelectorAll('link')) link.remove();
  answer('GET ' + TEMPLATE, '<p id="in-tab">The tab</p>');
});

/** A tab of its own script, which is there unless `missing`. */
function tab(more = {}, missing = false) {
  const path = join(folder, `tab${++number}.js`);
  const write = () => writeFileSync(path, `export const tab = () => ${number};\n`);
  if (!missing) write();
  const element = document.createElement('div');
  element.inert = true; // as the page leaves it (ON_LOAD of tabs/page/widgets.py)
  document.body.append(element);
  const script = pathToFileURL(path).href;
  const opened = open(element, { script, name: 'tab', style: '', template: TEMPLATE, ...more });
  const button = () => element.querySelector('button');
  return { element, opened, button, write, says: () => element.textContent };
}

const links = () => [...document.head.querySelectorAll('link[rel=stylesheet]')];

test('a tab is shown when its template, style and script are there', async () => {
  const made = tab({ style: STYLE });
  await until(() => requests.length === 1 && links().length === 1);
  await settled();
  assert.notEqual(made.says(), 'The tab');
  links()[0].dispatchEvent(new window.Event('load'));
  const mount = await made.opened;
  assert.equal(mount(), number);
  assert.equal(made.says(), 'The tab');
  links()[0].remove();
});

test('a tab that takes long says that it loads', async () => {
  const waiting = held();
  answer('GET ' + TEMPLATE, async () => {
    await waiting.answer;
    return '<p>The tab</p>';
  });
  const made = tab();
  await until(() => made.says() === 'Loading…');
  waiting.release();
  await made.opened;
  assert.equal(made.says(), 'The tab');
});

test('the template that the page brought is not fetched', async () => {
  const brought = document.createElement('template');
  brought.dataset.address = TEMPLATE;
  brought.innerHTML = '<p>Brought</p>';
  document.body.append(brought);
  // Also where Gradio mounts the tab again.
  for (let time = 0; time < 2; time++) {
    const made = tab();
    await made.opened;
    assert.equal(made.says(), 'Brought');
  }
  assert.deepEqual(requests, []);
});

test('a tab whose template does not come says why, and is tried again', async () => {
  const gone = 'There is no such file of the page. Reload the page.';
  answer('GET ' + TEMPLATE, { error: gone }, 404);
  const made = tab();
  await until(made.button);
  assert.equal(
    made.element.querySelector('[role=alert]').textContent,
    `This tab did not load. ${gone}`,
  );
  assert.equal(made.element.inert, false);
  // The app ends; after that it is there again.
  const ended = held();
  answer('GET ' + TEMPLATE, async () => {
    await ended.answer;
    throw new TypeError('Failed to fetch');
  });
  made.button().click();
  await until(() => made.says() === 'Loading…' && made.element.inert);
  ended.release();
  await until(() => /did not load\. The app does not answer/.test(made.says()));
  answer('GET ' + TEMPLATE, '<p>The tab</p>');
  made.button().click();
  assert.equal((await made.opened)(), number);
  assert.equal(made.says(), 'The tab');
});

test('a script that did not load is requested again', async () => {
  const made = tab({}, true);
  await until(made.button);
  assert.match(made.says(), /^This tab did not load\. Its script did not load\. Is the app/);
  made.write();
  made.button().click();
  assert.equal((await made.opened)(), number);
  assert.equal(made.says(), 'The tab');
});

test('a style that did not load keeps the tab from being shown bare', async () => {
  const made = tab({ style: STYLE });
  await until(() => links().length === 1);
  links()[0].dispatchEvent(new window.Event('error'));
  await until(made.button);
  assert.match(made.says(), /Its style did not load/);
  assert.deepEqual(links(), []);
  made.button().click();
  await until(() => links().length === 1);
  links()[0].dispatchEvent(new window.Event('load'));
  await made.opened;
  assert.equal(made.says(), 'The tab');
});

test('nothing was thrown on the way', () => assert.deepEqual(faults, []));
