"""Pictures of one concept on their way into Compare, in a page without a browser."""

from __future__ import annotations

import pytest

from tests.house import ROOT
from tests.node import run_module
from truehue.tabs.compare.tab import people_html

pytestmark = pytest.mark.process

CODE = """
const { answer, faults, requests, settled } = await import(value.page);
const { pictureImport } = await load('compare/people_images');
const box = document.createElement('div');
box.innerHTML = value.html;
document.body.append(box);
const part = box.querySelector('[data-part="pictures"]');
const status = () => part.querySelector('.th-people-status').textContent;
const fill = part.querySelector('.th-bar i');
const widths = [];
const job = (done, active) => ({ active, done, total: 8, words: done + ' of 8', version: done,
  problem: '', result: {} });
const jobs = [job(2, true), job(6, true), job(8, false)];
const plain = globalThis.fetch;
globalThis.fetch = window.fetch = (url, options) => {
  // Addresses end in an id that the page makes.
  const { pathname } = new URL(url, location.href);
  const end = pathname.split('/')[4];
  if (end === 'pictures') answer('POST ' + pathname, {});
  if (end === 'pictures-plan')
    answer('POST ' + pathname, { total: 8, counts: [], problems: [], pictures: [] });
  if (end === 'pictures-store') answer('POST ' + pathname, { job: 'j' });
  return plain(url, options);
};
answer('GET /api/jobs/j', () => {
  if (jobs.length < 3) widths.push(fill.style.width);
  return jobs.shift();
});
const { take } = pictureImport(part, { stored() {}, openPicture() {} });
await take([new window.File(['x'], 'a.png')]);
part.querySelector('.th-people-concept input').value = 'mango';
part.querySelector('.th-people-store').click();
for (let turn = 0; turn < 1000 && status() !== '8 of 8'; turn++) await settled();
const stored = requests.find((one) => one.path.includes('/pictures-store/'));
const button = part.querySelector('.th-people-store');
return [widths, status(), stored.body.words, button.ariaDisabled, faults.length];
"""


def test_the_bar_of_pictures_of_a_concept_follows_the_work() -> None:
    page = (ROOT / "tests/assets/page.js").as_uri()
    message = run_module(CODE, {"page": page, "html": people_html()}, jsdom=True)
    # It failed with what the job said last; Store can be pressed again.
    assert message == [["25%", "75%"], "8 of 8", "mango", "false", 0]
