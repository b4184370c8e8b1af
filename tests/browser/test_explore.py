"""The Explore tab as a person uses it: reports, pictures, runs, and disagreements."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from core.verdict.rules import RULES
from storage import Storage
from tabs.diagnosis.report import rate_text
from tabs.diagnosis.store import SHIPPED_FILE
from tabs.shell.compose import make_context
from tests.browser.conftest import Visit, Watch
from tests.browser.explore_app import small_app
from tests.browser.workbench import Workbench
from tests.running import App, running
from tests.tabs.drawn import drawn

pytestmark = pytest.mark.browser

TRUST, AUDIT = "/?tab=explore&view=trust", "/?tab=explore&view=audit"
# Drawing shares two cores with Chromium here.
DRAWN_MS = 60_000
COLORED = [("mug", "l3:Vivid reddish orange"), ("apple", "l2:Red"), ("vase", "css:seagreen")]
BOTH = "&a=paper&b=released"


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """The app with the shipped report, and six pictures that every rule has judged."""
    data = tmp_path_factory.mktemp("explore") / "data"
    with Storage.open(data) as storage:
        context = make_context(storage, "data")
        for seed, light in enumerate(("studio", "overcast")):
            for name, color in COLORED:
                drawn(context, name, color, light, seed, 192)
        context.close()
    with running(data) as app:
        yield app


def trust(page: Page) -> Locator:
    box = page.locator("#explore-trust .th-trust")
    expect(box.locator(".th-trust-table tbody tr").first).to_be_visible(timeout=DRAWN_MS)
    return box


def audit(page: Page) -> Locator:
    box = page.locator("#explore-audit .th-agree")
    expect(box.locator(".th-agree-sentence")).not_to_be_empty(timeout=DRAWN_MS)
    return box


def shipped() -> dict[str, Any]:
    return dict(json.loads(SHIPPED_FILE.read_text()))


def sideways(page: Page) -> int:
    """Pixels by which the page is wider than the window."""
    return int(page.evaluate("document.documentElement.scrollWidth - window.innerWidth"))


# ── can the measure be trusted? ──────────────────────────────────────────────────────────────


def test_the_shipped_report_is_shown_as_it_is(visit: Visit, started: App) -> None:
    page = visit(started.address + TRUST)
    box = trust(page)
    for rule in shipped()["rules"]:
        row = box.locator("tbody tr").filter(has=page.locator(f"[data-rule='{rule['id']}']"))
        figures = {
            one["system"]: one
            for one in rule["figures"]
            if (one["set"], one["by"]) == ("pooled", "all")
        }
        wanted = [
            rate_text(figures[system][name])
            for system in ("l2", "css")
            for name in ("hit_percent", "false_accept_percent")
        ]
        expect(row.locator(".th-rate-numbers b")).to_have_text(wanted)
    # The paper's row; the path-traced sets have rows of that kind too.
    published = box.locator(".th-published", has_text="paper, as published")
    expect(published).to_contain_text("96.46")
    expect(published).to_contain_text("92.00")
    expect(published.locator("td").filter(has_text="not published")).to_have_count(3)
    # Two figures with an operating point for each rule.
    for system in ("l2", "css"):
        figure = box.locator(f"[data-system={system}] .th-figure")
        expect(figure.locator(".legend .traces")).to_have_count(len(RULES))
    expect(box.locator(".th-part[data-by=light] tbody tr")).to_have_count(len(shipped()["lights"]))


def test_sets_rules_and_links(visit: Visit, started: App) -> None:
    page = visit(started.address + TRUST)
    box = trust(page)
    first = box.locator(".th-trust-table tbody").inner_text()
    box.get_by_role("button", name="Held out").click()
    expect(box.locator(".th-trust-words")).to_contain_text(
        "Kept aside when parameters of our own rule were ranked"
    )
    expect(box.locator(".th-trust-table tbody")).not_to_have_text(first, use_inner_text=True)
    box.locator("[data-rule=released]").click()
    box.locator(".th-parts-system").get_by_role("button", name="CSS").click()
    box.locator(".th-parts-what").get_by_role("button", name="False accepts").click()
    expect(page).to_have_url(
        re.compile(r"\?tab=explore&view=trust&set=held_out&rule=released&system=css&what=false$")
    )
    again = visit(page.url)
    other = trust(again)
    for name in ("Held out", "CSS", "False accepts"):
        pressed = other.get_by_role("button", name=name, exact=True)
        expect(pressed).to_have_attribute("aria-pressed", "true")
    expect(other.locator("[data-rule=released]")).to_have_attribute("aria-pressed", "true")
    expect(other.locator(".th-trust-table tbody")).to_have_text(
        box.locator(".th-trust-table tbody").inner_text(), use_inner_text=True
    )
    # Figures follow the page from light to dark.
    ink = "figure => getComputedStyle(figure.querySelector('.xtitle')).fill"
    figure = other.locator("[data-system=l2] .th-figure")
    expect(figure.locator(".xtitle")).to_be_visible()
    before = figure.evaluate(ink)
    again.locator(".th-theme").click()
    again.wait_for_timeout(600)
    assert figure.evaluate(ink) != before


def test_an_example_opens_in_inspect_with_its_rule(visit: Visit, started: App) -> None:
    worst = next(
        one for rule in shipped()["rules"] if rule["id"] == "paper" for one in rule["worst"]
    )
    page = visit(started.address + TRUST + "&rule=paper")
    box = trust(page)
    first = box.locator(".th-example").first
    first.scroll_into_view_if_needed()
    picture = first.locator("img")
    expect(picture).to_have_js_property("naturalWidth", 192, timeout=DRAWN_MS)
    expect(first.locator(".th-touching i").last).to_have_attribute(
        "title", re.compile("^found: #"), timeout=DRAWN_MS
    )
    expect(first).to_contain_text(f"{worst['delta_e00']:.1f} ΔE00")
    first.get_by_role("button").click()
    expect(page.get_by_role("tab", name="Inspect")).to_have_attribute(
        "aria-selected", "true", timeout=DRAWN_MS
    )
    bench = Workbench(page)
    found = bench.shown()
    assert bench.chosen_rule() == "paper"
    expect(bench.object_name).to_have_value(worst["object"])
    assert found.headline == ("Fails" if worst["kind"] == "missed" else "Passes")
    assert worst["asked"] in found.asked
    assert f"{worst['delta_e00']:.1f}" in [row[1] for row in found.metrics]
    expect(bench.mask).to_contain_text("Exact")
    # Back on Explore, its address is there again.
    page.get_by_role("tab", name="Explore").click()
    expect(page).to_have_url(re.compile(r"tab=explore&view=trust&rule=paper$"))


def test_without_a_report_and_running_one(visit: Visit, tmp_path: Path) -> None:
    with small_app(tmp_path, tmp_path / "none.json") as app:
        page = visit(app.address + TRUST)
        box = page.locator("#explore-trust .th-trust")
        empty = box.locator(".th-trust-empty")
        expect(empty).to_contain_text("No report is here yet", timeout=DRAWN_MS)
        expect(empty.locator("code")).to_have_text("python -m core.diagnose --out DIR")
        expect(box.locator(".th-trust-table")).not_to_be_visible()
        expect(box.locator(".th-trust-rocs")).not_to_be_visible()
        # All colors, cancelled; the button waits meanwhile.
        box.get_by_role("button", name="All colors").click()
        start, job = box.get_by_role("button", name="Run", exact=True), box.locator(".th-job")
        # A second click is no second wish, and nothing is refused.
        start.dblclick()
        expect(job.get_by_role("progressbar")).to_be_visible()
        expect(box.get_by_role("alert")).to_have_count(0)
        expect(start).to_have_attribute("aria-disabled", "true")
        expect(job).to_contain_text(re.compile(r"\d+ of [\d,]+ pictures"), timeout=DRAWN_MS)
        # The work goes on while the page is loaded again, and is still mine to cancel.
        page.reload()
        expect(job).to_contain_text(re.compile(r"\d+ of [\d,]+ pictures"), timeout=DRAWN_MS)
        job.get_by_role("button", name="Cancel").click()
        expect(job).to_contain_text("Cancelled. What was done is kept", timeout=DRAWN_MS)
        expect(empty).to_be_visible()
        # Every 10th color, to its end: the report is shown.
        box.get_by_role("button", name="Every 10th color").click()
        expect(start).to_have_attribute("aria-disabled", "false")
        start.click()
        expect(job).to_contain_text("Done in", timeout=4 * DRAWN_MS)
        expect(empty).not_to_be_visible()
        expect(box.locator(".th-trust-about")).to_contain_text("This machine")
        expect(box.locator(".th-trust-about")).to_contain_text("every 10th color")
        expect(box.locator(".th-rule")).to_have_text([by.name for by in RULES])
        # An app that ends under an open page is another test's matter.
        visit.leave()


def test_this_machine_beside_a_shipped_report_of_another_version(
    visit: Visit, tmp_path: Path
) -> None:
    data = shipped()
    data["rules"][0]["version"] = "0.1"
    old = tmp_path / "old.json"
    old.write_text(json.dumps(data))
    mine = tmp_path / "data" / "diagnosis" / "all"
    mine.mkdir(parents=True)
    (mine / "report.json").write_text(SHIPPED_FILE.read_text())
    with small_app(tmp_path, old) as app:
        page = visit(app.address + TRUST)
        box = trust(page)
        now = RULES[0].version
        marked = f"made with {RULES[0].id} 0.1, now {now}"
        expect(box.locator(".th-stale")).to_have_text(marked)
        expect(box.locator(".th-beside")).to_have_count(len(RULES))
        expect(box.locator(".th-beside").first).to_contain_text("This machine, ")
        box.get_by_label("Report", exact=True).select_option("all")
        expect(box.locator(".th-beside").first).to_contain_text("Shipped with TrueHue")
        expect(page).to_have_url(re.compile("source=all"))
        visit.leave()


# ── where the rules disagree ─────────────────────────────────────────────────────────────────


def test_disagreements_with_reasons_filters_and_inspect(visit: Visit, started: App) -> None:
    page = visit(started.address + AUDIT + BOTH)
    box = audit(page)
    expect(box.locator(".th-agree-sentence")).to_contain_text("Of 6 questions judged by both")
    counts = {
        name: int(box.locator(f"[data-cell={name}]").inner_text())
        for name in ("both", "neither", "first", "second", "unscored")
    }
    assert sum(counts.values()) == 6
    apart = counts["first"] + counts["second"]
    assert apart > 0
    cards = box.locator(".th-pair-card")
    expect(cards).to_have_count(apart)
    expect(cards.first.locator(".th-pair-why")).to_contain_text(
        re.compile("Target guidance|Gray pixels|Other pixels"), timeout=DRAWN_MS
    )
    box.locator("[data-cell=both]").click()
    expect(cards).to_have_count(counts["both"])
    expect(box.locator("[data-cell=both]")).to_be_focused()
    box.locator("[data-cell=both]").click()
    expect(cards).to_have_count(apart)
    box.get_by_label("Color system").select_option("css")
    expect(box.locator(".th-agree-sentence")).to_contain_text("Of 2 questions")
    box.get_by_label("Rule B").select_option("truehue")
    expect(box.locator(".th-agree-sentence")).to_contain_text("paper and truehue")
    expect(page).to_have_url(re.compile(r"view=audit&a=paper&b=truehue&system=css$"))
    again = audit(visit(page.url))
    expect(again.locator(".th-agree-sentence")).to_contain_text("Of 2 questions")
    expect(again.get_by_label("Rule B")).to_have_value("truehue")
    page.goto(started.address + AUDIT + BOTH)
    audit(page)
    said = cards.first.locator(".th-pair-said").nth(1)
    expected = said.get_attribute("data-status")
    said.click()
    expect(page.get_by_role("tab", name="Inspect")).to_have_attribute("aria-selected", "true")
    bench = Workbench(page)
    assert bench.shown().headline == {"pass": "Passes", "fail": "Fails"}[str(expected)]
    assert bench.chosen_rule() == "released"


def test_stored_images_are_judged_from_here(visit: Visit, started: App) -> None:
    page = visit(started.address + AUDIT + BOTH)
    box = audit(page)
    box.get_by_role("button", name="Judge stored images by paper and released").click()
    expect(box.locator(".th-agree-job .th-job")).to_contain_text(
        "0 images judged, 6 had all verdicts before", timeout=DRAWN_MS
    )


def test_a_link_to_an_unknown_rule_says_so(visit: Visit, app: App, watch: Watch) -> None:
    watch.refused.add("a=nobody")
    page = visit(app.address + AUDIT + "&a=nobody")
    box = page.locator("#explore-audit .th-agree")
    expect(box.locator(".th-agree-empty")).to_contain_text("No rule is called")
    page.get_by_role("tab", name="Can the measure be trusted?").click()
    expect(box).not_to_be_visible()
    trust(page)
    expect(page).to_have_url(re.compile("view=trust"))


@pytest.mark.parametrize("address", [TRUST, AUDIT])
def test_on_a_phone_nothing_scrolls_sideways(visit: Visit, started: App, address: str) -> None:
    page = visit(started.address + address)
    page.set_viewport_size({"width": 390, "height": 844})
    (trust if address == TRUST else audit)(page)
    page.wait_for_timeout(1500)
    assert sideways(page) <= 0
