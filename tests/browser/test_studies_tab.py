"""Judge as a researcher uses it: a study planned, opened, answered by people, read and exported."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.axe import barriers
from tests.browser.conftest import Visit, Watch
from tests.running import App, running
from tests.storage.run_samples import fill
from tests.tabs.participants.people import Person, answer, event
from truehue.storage import Storage

pytestmark = pytest.mark.browser

CONSENT = "I take part. Questions: a@b.example."
PEOPLE = 3
GROUNDS = """(sample) => [...sample.querySelectorAll('.th-study-choice, .th-study-answers span')]
  .map((one) => getComputedStyle(one).backgroundColor)"""
"""What the answers of a sample stand on."""
VIEW = "#th-study-view > :not([hidden])"
"""The view of a study that is in front."""


@pytest.fixture
def started(tmp_path: Path) -> Iterator[App]:
    """The app with small runs of two models over the same prompts."""
    data = tmp_path / "data"
    with Storage.open(data) as storage:
        fill(storage, data / "runs", prompts=8, images=3)
    with running(data) as app:
        yield app


def judge(page: Page) -> Locator:
    room = page.locator(".th-studies")
    expect(room).to_be_visible()
    return room


def opens(room: Locator, view: str) -> Locator:
    """A view of the study on screen, by its tab."""
    room.get_by_role("tab", name=view, exact=True).click()
    expect(room.page).to_have_url(re.compile(f"view={view.lower()}"))
    return room.locator(VIEW)


def _choice(trial: dict[str, Any], index: int | None) -> int:
    """That place, or what a check asks for in words."""
    if trial["places"] or index is None:
        return index or 0
    (number,) = re.findall(r"choose (\d+) here", trial["words"])
    return int(number) - 1


def takes_part(address: str, index: int | None) -> None:
    """Somebody who follows the link and answers everything, always at this place; None looks at no
    check either."""
    parts = httpx.URL(address)
    with httpx.Client(base_url=address.removesuffix(parts.path)) as client:
        person = Person(client, parts.path)  # type: ignore[arg-type]
        version = person.state()["study"]["consent"]["version"]
        person.enroll(consent_version=version)
        person.post(event("screening", body={"plates": ["", "", "", ""], "dark": 0, "light": 0}))
        while person.waiting:
            person.post(
                *(answer(trial["position"], _choice(trial, index)) for trial in person.waiting)
            )
        person.finish()


def test_a_study_from_its_plan_to_its_files(visit: Visit, started: App, watch: Watch) -> None:
    watch.refused |= {"/api/studies/outline", "/links"}
    page = visit(started.address + "/?tab=studies")
    room = judge(page)
    # Where somebody was whenever the page asked what comes in.
    asked_at: list[str] = []
    page.on(
        "request", lambda item: asked_at.append(page.url) if item.url.endswith("/live") else None
    )

    # Nothing yet: what a study is, and one press begins one.
    expect(room.get_by_role("heading", name="No studies yet: create one")).to_be_visible()
    room.get_by_role("button", name="Create: Prompt adherence").click()
    expect(page).to_have_url(re.compile("view=new&preset=adherence"))
    made = room.get_by_role("complementary", name="Summary")
    expect(made.locator(".th-study-headline")).to_have_text(
        re.compile(r"\d+ pe\w+, about \d+ min each")
    )
    expect(made.locator(".th-study-sample img")).to_have_count(2)
    expect(made.locator(".th-study-blocks")).to_contain_text("Required before opening")
    # What is wrong is said at its field, and the field is announced with it.
    votes = room.get_by_label("Votes per stimulus")
    votes.fill("0")
    expect(votes).to_have_attribute("aria-invalid", "true")
    expect(room.locator("[data-field=votes] .th-problem")).to_contain_text("1")
    votes.fill("2")
    expect(votes).not_to_have_attribute("aria-invalid", "true")
    room.get_by_label("Title").fill("=Two models")
    room.get_by_label("Consent text").fill(CONSENT)
    expect(made.locator(".th-study-blocks")).to_be_empty()
    room.locator("summary", has_text="How many votes do I need?").click()
    room.get_by_label("Win rate of the better model, %").fill("75")
    room.get_by_role("button", name="Simulate").click()
    needed = room.get_by_role("button", name=re.compile("Apply: "))
    needed.click()
    expect(votes).not_to_have_value("2")
    votes.fill("3")
    page.evaluate(
        "document.querySelectorAll('.th-studies details').forEach((one) => one.open = true)"
    )
    assert barriers(page) == []
    sample = made.locator(".th-study-sample")
    expect(sample).to_contain_text("No difference")
    assert len(set(sample.evaluate(GROUNDS))) == 1, "as loud as each other, as participants see it"
    made.get_by_role("button", name="Create the draft").click()

    # A draft: looked at as a participant would, without a trace.
    expect(room.get_by_role("heading", name="=Two models")).to_be_visible()
    view = room.locator(VIEW)
    expect(view).to_contain_text("This study is not open yet")
    with page.expect_popup() as opened:
        room.get_by_role("button", name="Preview").click()
    expect(opened.value).to_have_url(re.compile("/study/"))
    opened.value.close()
    expect(room.locator(".th-study-said a")).to_have_text("another tab")
    room.get_by_role("button", name="Open the study").click()
    expect(room.locator(".th-study-head .th-study-state")).to_have_text(re.compile("Open"))
    expect(view).to_contain_text("No link yet")

    # A link, shown once; people answer by it, and it is seen without a reload.
    links = opens(room, "Links")
    # What is wrong stands at its field: a number that is none, a name that is too long.
    links.get_by_label("Number of links").fill("x")
    links.get_by_role("button", name="Create", exact=True).click()
    expect(links.locator("[data-field=count] .th-problem")).to_contain_text('not "x"')
    links.get_by_label("Number of links").fill("1")
    links.get_by_label("Name").fill("long " * 20)
    links.get_by_role("button", name="Create", exact=True).click()
    expect(links.locator("[data-field=label] .th-problem")).to_contain_text("at most 80")
    links.get_by_label("Name").fill("A class")
    links.get_by_role("button", name="Create", exact=True).click()
    link = links.locator(".th-study-urls code").inner_text()
    assert link.startswith(started.address + "/study/")
    expect(links.get_by_role("row", name=re.compile("A class"))).to_contain_text("Active")
    live = opens(room, "Live")
    expect(live).to_contain_text("No answers yet")
    for index in (0, 1, None):
        takes_part(link, index)
    expect(live.get_by_role("row", name=re.compile("Participant 3"))).to_contain_text("Finished")
    expect(live.locator(".th-study-tile").first).to_contain_text("24")
    assert barriers(page) == []

    # Results, then without somebody, then with them again.
    results = opens(room, "Results")
    strengths = results.get_by_role("table", name="Strengths", exact=True)
    expect(strengths.get_by_role("row")).to_have_count(3)
    expect(strengths).not_to_contain_text("After exclusion")
    people = opens(room, "People")
    expect(people.get_by_role("row")).to_have_count(1 + PEOPLE)
    people.get_by_role("button", name="Exclude… Participant 1").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Reason").fill("A test of the link")
    dialog.get_by_role("button", name="Exclude", exact=True).click()
    expect(dialog).to_be_hidden()
    row = people.get_by_role("row", name=re.compile("Participant 1"))
    expect(row).to_contain_text("excluded")
    expect(row).to_contain_text("A test of the link")
    assert barriers(page) == []
    results = opens(room, "Results")
    expect(results.locator(".th-study-lead")).to_contain_text("of 3 people are included")
    expect(results.get_by_role("table", name="Strengths", exact=True)).to_contain_text(
        "After exclusion"
    )
    assert barriers(page) == []
    page.go_back()
    expect(row).to_contain_text("excluded")
    people.get_by_role("button", name="Reinstate… Participant 1").click()
    dialog.get_by_role("button", name="Reinstate", exact=True).click()
    expect(row).not_to_contain_text("A test of the link")

    # The plan as it was served, drawn again; the log; a table; the same study after a reload.
    opens(room, "Metrics")
    plan = opens(room, "Plan")
    plan.get_by_role("button", name="Replay all trials").click()
    expect(plan.locator(".th-study-headline")).to_contain_text("✓")
    expect(plan.get_by_role("table", name="Log of this study")).to_contain_text("A class")
    export = opens(room, "Export")
    with page.expect_download() as got:
        export.get_by_role("link", name="answers as CSV").click()
    rows = list(csv.DictReader(io.StringIO(Path(got.value.path()).read_text())))
    assert len({item["participant"] for item in rows}) == PEOPLE
    page.reload()
    expect(room.get_by_role("heading", name="=Two models")).to_be_visible()
    expect(export.get_by_role("link", name="all.zip")).to_be_visible()
    room.get_by_role("button", name="All studies").click()
    expect(room.get_by_role("link", name="=Two models")).to_be_visible()
    assert barriers(page) == []
    # From Links one came to Live: the address follows a moment after the question.
    assert asked_at
    assert [url for url in asked_at if not re.search("view=(live|links)", url)] == []
