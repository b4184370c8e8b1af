"""Every room by axe-core: nothing serious, in light and in dark, on a screen and on a phone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from tests.browser import axe
from tests.browser.axe import barriers
from tests.browser.conftest import Visit
from tests.browser.still_life import png, still_life
from tests.browser.workbench import Workbench
from tests.running import App, running
from tests.storage import run_samples
from tests.tabs.studies.studies_here import answered, enrolled, form, opened
from truehue.core.vlm.generators import GeneratedSettings, generated
from truehue.storage import Storage
from truehue.tabs.shell.compose import make_context

pytestmark = pytest.mark.browser

SHOWN_MS = 120_000
SCREEN: ViewportSize = {"width": 1360, "height": 1000}
# What is in sight when a room has come, by its address; those of one page are opened one after the
# other. What lies hidden in other rooms costs each run of axe-core time too, so none has all of
# them. STUDY is the id of the one study.
PAGES = {
    "generate": {"tab=generate": "#prompts .th-row"},
    "explore": {
        "tab=explore&view=runs": "#explore-runs h3",
        "tab=explore&view=disagreements": ".th-disagreements-title",
        "tab=explore&view=leaderboard": "#explore-leaderboard .th-leaderboard-run",
    },
    "failures": {"tab=explore&view=failures": "#explore-failures article.th-failures-card"},
    "rule_accuracy": {"tab=explore&view=rule_accuracy": ".th-part tbody tr"},
    "compare": {
        "tab=compare&view=concept": ".th-compare-switch",
        "tab=compare&view=people": ".th-compare-switch",
    },
    "colorize": {
        "tab=colorize&view=color": ".th-colorize-tile img",
        "tab=colorize&view=color&drawing=concept-0041": ".cv[data-ready]",
        "tab=colorize&view=sketches&thing=apple": ".th-sketches-candidate",
    },
    "prompt-source": {"tab=vlm": ".th-vlm-lane"},
    "questions": {"tab=vlm&view=questions": ".th-vlm-item img"},
    "judge": {
        "tab=studies": ".th-study-entry",
        "tab=studies&view=new&preset=questions": ".th-study-headline",
        "tab=studies&study=STUDY&view=results": ".th-questions-table",
    },
}
TASKS = ("color_extraction", "color_proportion", "color_counting", "color_comparison")


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[App, str]]:
    """The app with two runs on the same 40 prompts, a set of questions, and the id of a study of
    them that one person took part in."""
    folder = tmp_path_factory.mktemp("axe")
    with Storage.open(folder / "data") as storage:
        run_samples.fill(storage, folder / "runs", ("model-a", "model-b"), prompts=40, images=1)
        one_each = GeneratedSettings(dict.fromkeys(TASKS, 1))
        target, _ = storage.question_sets.add(generated(one_each), "Four questions", {})
        context = make_context(storage, "data")
        study, plan = opened(context, form(preset="questions", question_set=target, votes=1))
        answered(context, *enrolled(context, study, plan))
        context.close()
    with running(folder / "data") as app:
        yield app, study


# Another room of the page that is there, as Forward leads to it.
GO = """(room) => {
  history.pushState({}, '', '/?' + room);
  dispatchEvent(new PopStateEvent('popstate', { state: history.state }));
}"""


@pytest.mark.parametrize("name", PAGES)
def test_no_room_keeps_anybody_out(visit: Visit, started: tuple[App, str], name: str) -> None:
    app, study = started
    page: Page | None = None
    for room, sight in PAGES[name].items():
        address = room.replace("STUDY", study)
        if page is None:
            page = visit(f"{app.address}/?{address}")
        else:
            page.set_viewport_size(SCREEN)
            page.evaluate(GO, address)
        expect(page.locator(sight).filter(visible=True).first).to_be_visible(timeout=SHOWN_MS)
        assert barriers(page) == [], room


def test_a_verdict_keeps_nobody_out(visit: Visit, started: tuple[App, str]) -> None:
    bench = Workbench(visit(f"{started[0].address}/?tab=inspect"))
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
#on-phones { color: #ccc } .phone { display: none } #scrolls { max-height: 1000px }
@media (max-width: 500px) {
  .phone { display: block } #other-there { color: #ddd }
  #scrolls { max-height: 10px; overflow: auto }
}
</style><main><h1>Faults</h1><p id="everywhere">Words</p><p id="in-dark">Words</p>
<p id="on-phones" class="phone">Words</p><p id="other-there">Words</p><input>
<div class="phone"><input></div><div id="scrolls"><p>Many</p><p>Words</p></div></main>"""


def test_each_fault_is_found_where_it_is(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(axe, "LATER_MS", 0)
    page = browser.new_page()
    page.set_content(FAULTS)
    result = [(line.split(":")[0], line.split(": ")[1]) for line in barriers(page)]
    assert [(view, rest.split(" at ")[0], rest.count("<p id=")) for view, rest in result] == [
        ("light, 1360 px", "color-contrast", 1),
        ("light, 1360 px", "label", 0),
        ("dark, 1360 px", "color-contrast", 2),
        ("light, 390 px", "color-contrast", 2),
        ("light, 390 px", "label", 0),
        ("light, 390 px", "scrollable-region-focusable", 0),
    ]
    page.close()
