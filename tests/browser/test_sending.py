"""Files on their way to the app, and work that is followed: the scripts by themselves, with answers
made up here."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page

from tabs.compare.tab import people_html
from tabs.page.templates import html
from tests.browser.modules import module

pytestmark = pytest.mark.browser

# The app as a script: what is asked, and answers by the first part of an address that fits.
APP = """const asked = [], rest = (ms = 0) => new Promise((done) => setTimeout(done, ms));
const answers = {}, real = window.fetch;
window.fetch = async (url, options) => {
  asked.push([url, options && options.body]);
  const name = Object.keys(answers).find((one) => url.startsWith(one));
  const [body, status] = await answers[name](url, options);
  return new Response(JSON.stringify(body), { status: status || 200 });
};
const until = async (what) => { while (!what()) await rest(5); };"""
DIALOG = f"""{APP}
const {{ mount }} = await {module("page/imports")};
const box = document.createElement('div');
box.innerHTML = value;
document.body.append(box);
const one = (name) => box.querySelector('.th-import-image-dialog ' + name);
const files = new DataTransfer();
for (let n = 0; n < 9; n++) files.items.add(new File(['x'], n + '.png'));
mount({{ element: box }});
one('.th-import-folder').files = files.files;
const status = () => one('.th-import-status').textContent;
const sent = () => asked.filter(([url]) => url.startsWith('/api/image-sets/files/'));
const plan = {{ found: 9, report: {{ title: 'mine', counts: [[9, 'files']], lists: [] }} }};
answers['/api/image-sets/files/'] = async () => [{{}}];
answers['/api/image-sets/forget'] = async () => [{{}}];
answers['/api/image-sets/plan'] = async () => [plan];
const check = async () => {{
  one('.th-import-check').click();
  await rest();
  await until(() => !one('.th-import-check').disabled);
}};
const leave = () => {{ box.remove(); window.fetch = real; }};"""


def run(modules: Page, body: str, value: Any = None) -> Any:
    return modules.evaluate(f"async (value) => {{ {body} }}", value)


def test_after_a_failure_nothing_more_is_sent(modules: Page) -> None:
    begun, ended, problem = run(
        modules,
        f"""const {{ sendAll }} = await {module("shared/http")};
        const begun = [], ended = [];
        let problem = '';
        await sendAll([0, 1, 2, 3, 4, 5], async (number) => {{
          begun.push(number);
          await new Promise((done) => setTimeout(done, number === 1 ? 0 : 20));
          if (number === 1) throw new Error('The disk is full.');
          ended.push(number);
        }}).catch((error) => {{ problem = error.message; }});
        return [begun, ended, problem];""",
    )
    assert (begun, ended, problem) == ([0, 1, 2], [0, 2], "The disk is full.")


def test_a_folder_that_did_not_arrive_is_sent_again(modules: Page) -> None:
    """No part of it is looked at or imported, however often it is checked."""
    first, again = run(
        modules,
        f"""{DIALOG}
        let full = true;
        answers['/api/image-sets/files/'] = async (url, options) =>
          full && options.body.name === '4.png' ? [{{ error: 'The disk is full.' }}, 507] : [{{}}];
        await check();
        const urls = new Set(sent().map(([url]) => url));
        const forgotten = asked.filter(([url]) => url.endsWith('/forget')).map(([, body]) => body);
        const first = [status(), urls.size, forgotten.length,
          [...urls][0].endsWith(JSON.parse(forgotten[0]).session),
          asked.some(([url]) => url.endsWith('/plan'))];
        full = false;
        asked.length = 0;
        await check();
        const session = sent()[0][0].split('/').pop();
        const again = [sent().length, new Set(sent().map(([url]) => url)).size,
          JSON.parse(asked.find(([url]) => url.endsWith('/plan'))[1]).session === session];
        leave();
        return [first, again];""",
        html("page/imports"),
    )
    assert first == ["The disk is full.", 1, 1, True, False]
    assert again == [9, 1, True]


def test_another_folder_chosen_meanwhile_is_not_mixed_up(modules: Page) -> None:
    words, planned = run(
        modules,
        f"""{DIALOG}
        answers['/api/image-sets/files/'] = async () => {{
          one('.th-import-folder').dispatchEvent(new Event('change'));
          return [{{}}];
        }};
        await check();
        const planned = asked.some(([url]) => url.endsWith('/plan'));
        leave();
        return [status(), planned];""",
        html("page/imports"),
    )
    assert words == "Another folder was chosen. Check it."
    assert not planned


def test_scoring_sends_the_import_and_says_why_it_failed(modules: Page) -> None:
    sent, words, report, shown = run(
        modules,
        f"""{DIALOG}
        const offer = {{ groups: [{{ set: 'mini', model: 'm' }}], pictures: 9, masker: 'exact',
          maskers: [{{ id: 'exact', name: 'Masks', about: '' }}] }};
        const ends = [
          {{ id: 'i', status: 'done', problem: '', result: {{ ...plan.report, score: offer }} }},
          {{ id: 's', status: 'failed', problem: 'The model is gone.', result: {{}} }},
        ];
        answers['/api/image-sets/start'] = async () => [{{ job: 'i' }}];
        answers['/api/image-sets/score'] = async () => [{{ job: 's' }}];
        answers['/api/jobs/'] = async () => [{{ version: 1, words: '', ...ends.shift() }}];
        await check();
        one('.th-import-start').click();
        await until(() => !one('.th-import-score').hidden);
        one('.th-import-score-start').click();
        await until(() => status() === 'The model is gone.');
        const body = asked.find(([url]) => url.endsWith('/score'))[1];
        const out = [JSON.parse(body), status(), one('.th-import-report').textContent,
          !one('.th-import-score').hidden];
        leave();
        return out;""",
        html("page/imports"),
    )
    assert sent == {"job": "i", "masker": "exact"}
    assert words == "The model is gone."
    assert "9files" in report
    assert shown


def test_the_bar_of_pictures_of_a_concept_follows_the_work(modules: Page) -> None:
    widths = run(
        modules,
        f"""{APP}
        const {{ pictureImport }} = await {module("compare/people_pictures")};
        const box = document.createElement('div');
        box.innerHTML = value;
        document.body.append(box);
        const part = box.querySelector('[data-part="pictures"]');
        const fill = part.querySelector('.th-bar i');
        const widths = [];
        const job = (done, active) => ({{ active, done, total: 8, words: done + ' of 8',
          version: done, problem: '', result: {{}} }});
        const jobs = [job(2, true), job(6, true), job(8, false)];
        answers['/api/compare/sets/pictures-plan/'] = async () =>
          [{{ total: 8, counts: [], problems: [], pictures: [] }}];
        answers['/api/compare/sets/pictures-store/'] = async () => [{{ job: 'j' }}];
        answers['/api/jobs/j'] = async () => {{
          if (jobs.length < 3) widths.push(fill.style.width);
          return [jobs.shift()];
        }};
        answers['/api/'] = async () => [{{ concepts: [] }}];
        const {{ take }} = pictureImport(part, {{ stored() {{}}, openPicture() {{}} }});
        await take([new File(['x'], 'a.png')]);
        part.querySelector('.th-people-concept input').value = 'mango';
        part.querySelector('.th-people-store').click();
        await until(() => part.querySelector('.th-people-status').textContent === '8 of 8');
        box.remove();
        window.fetch = real;
        return widths;""",
        people_html(),
    )
    assert widths == ["25%", "75%"]
