"""Every room by axe-core: nothing serious, in light and in dark, on a screen and on a phone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from core.vision_language.generators import GeneratedSettings, generated
from storage import Storage
from tests.browser import axe
from tests.browser.axe import barriers
from tests.browser.conftest import Visit
from tests.browser.still_life import png, still_life
from tests.browser.workbench import Workbench
from tests.running import App, running
from tests.storage import run_samples

pytestmark = pytest.mark.browser

SHOWN_MS = 120_000
# What is in sight when a room has come, by its address.
ROOMS = {
    "tab=generate": "#prompts .th-row",
    "tab=explore&view=board": "#explore-board .th-board-run",
    "tab=explore&view=wall": "#explore-wall article.th-wall-card",
    "tab=explore&view=runs": "#explore-runs h3",
    "tab=explore&view=trust": ".th-trust-table tbody tr",
    "tab=explore&view=audit": ".th-agree-title",
    "tab=compare&view=concept": ".th-compare-switch",
    "tab=compare&view=people": ".th-compare-switch",
    "tab=colorize&view=color": ".th-col-tile img",
    "tab=colorize&view=color&drawing=concept-0041": ".cv[data-ready]",
    "tab=colorize&view=sketches&thing=apple": ".th-sk-candidate",
    "tab=ask": ".th-qa-lane",
    "tab=ask&view=questions": ".th-qa-item img",
}


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """The app with two runs on the same 40 prompts, and a set of two questions."""
    folder = tmp_path_factory.mktemp("axe")
    with Storage.open(folder / "data") as storage:
        run_samples.fill(storage, folder / "runs", ("model-a", "model-b"), prompts=40, images=1)
        one_each = GeneratedSettings({"color_extraction": 1, "color_proportion": 1})
        storage.question_sets.add(generated(one_each), "Two questions", {})
    with running(folder / "data") as app:
        yield app


@pytest.mark.parametrize("room", ROOMS)
def test_no_room_keeps_anybody_out(visit: Visit, started: App, room: str) -> None:
    page = visit(f"{started.address}/?{room}")
    expect(page.locator(ROOMS[room]).filter(visible=True).first).to_be_visible(timeout=SHOWN_MS)
    assert barriers(page) == []


def test_a_verdict_keeps_nobody_out(visit: Visit, started: App) -> None:
    bench = Workbench(visit(f"{started.address}/?tab=inspect"))
    bench.open(png(still_life(seed=53)[0]), "axe.png")
    bench.button("Whole image").click()
    bench.ask("css:tomato")
    bench.shown()
    assert barriers(bench.page) == []


FAULTS = """<!doctype html><html lang="en"><title>Faults</title><meta name="viewport"
content="width=device-width"><style>
body { background: #fff; color: #000 }
#everywhere { color: #bbb }
.dark #in-dark { background: #222; color: #333 }
#on-phones { color: #ccc; display: none }
@media (max-width: 500px) { #on-phones { display: block } #other-there { color: #ddd } }
</style><main><h1>Faults</h1><p id="everywhere">Words</p><p id="in-dark">Words</p>
<p id="on-phones">Words</p><p id="other-there">Words</p><input></main>"""


def test_each_fault_is_found_where_it_is(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(axe, "LATER_MS", 0)
    page = browser.new_page()
    page.set_content(FAULTS)
    found = [(line.split(":")[0], line.split(": ")[1]) for line in barriers(page)]
    assert [(view, rest.split(" at ")[0], rest.count("<p id=")) for view, rest in found] == [
        ("light, 1360 px", "color-contrast", 1),
        ("light, 1360 px", "label", 0),
        ("dark, 1360 px", "color-contrast", 2),
        ("light, 390 px", "label", 0),
        ("light, 390 px", "color-contrast", 2),
    ]
    page.close()
