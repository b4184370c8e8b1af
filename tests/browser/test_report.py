"""The report of a run in Chromium: from its file, without a network, whatever the prompts say."""

from __future__ import annotations

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest
from playwright.sync_api import Browser, Page, Request, expect

from tests.core.export.made import EVIL, make_run, plan
from truehue.storage import Storage
from truehue.tabs.batches.supervisor import RunSupervisor
from truehue.tabs.export.service import export
from truehue.tabs.shell.compose import make_context

pytestmark = pytest.mark.browser

DRAWN_MS = 60_000
# Ends when the page is no wider than the window.
NARROW = """() => new Promise((done) => {
  const look = () => (document.documentElement.scrollWidth <= window.innerWidth
    ? done() : requestAnimationFrame(look));
  look();
})"""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a small run whose name and one prompt want to be markup."""
    folder = tmp_path_factory.mktemp("report")
    with Storage.open(folder / "data") as storage:
        context = make_context(storage, "data")
        run = make_run(context.service(RunSupervisor).root, plan(f"Run {EVIL}"))
        export(context, run, "html", folder / "report.html")
        context.close()
    return folder / "report.html"


@pytest.fixture(scope="module")
def page(browser: Browser, report: Path) -> Iterator[Page]:
    """The report opened from the disk where there is no network; every request is kept."""
    context = browser.new_context(offline=True, viewport={"width": 1200, "height": 900})
    opened = context.new_page()
    requested: list[str] = []
    faults: list[str] = []

    def request(item: Request) -> None:
        if not item.url.startswith("data:"):
            requested.append(item.url)

    opened.on("request", request)
    opened.on("pageerror", lambda error: faults.append(str(error)))
    opened.on("console", lambda said: faults.append(said.text) if said.type == "error" else None)
    opened.goto(report.as_uri())
    plots = opened.locator(".plot")
    assert plots.count() >= 3
    expect(opened.locator(".plot[data-drawn]")).to_have_count(plots.count(), timeout=DRAWN_MS)
    yield opened
    context.close()
    assert requested == [report.as_uri()]
    assert faults == []


def test_a_report_stands_alone(page: Page) -> None:
    for plot in page.locator(".plot").all():
        assert plot.locator("svg.main-svg").count() >= 1
        assert "could not be drawn" not in plot.inner_text()
    images = page.locator("figure img")
    assert images.count() > 3
    assert page.evaluate("[...document.images].every((one) => one.naturalWidth === 64)")
    first = page.locator("figure").first
    target, result = (first.locator(f"i[title^={role}]") for role in ("target", "measured"))
    sides = [item.bounding_box() for item in (target, result)]
    assert sides[0]
    assert sides[1]
    # Swatches that are compared touch each other.
    assert abs(sides[0]["x"] + sides[0]["width"] - sides[1]["x"]) < 0.6
    expect(first.locator("figcaption")).to_contain_text("ΔE00")
    expect(page.get_by_role("heading", name="Table 4")).to_contain_text("published under paper")


def test_hostile_text_is_text(page: Page) -> None:
    expect(page.locator("h1")).to_have_text(f"Run {' '.join(EVIL.split())}")
    assert page.title().startswith("Run </script>")
    assert page.locator("h1 b, figcaption script, section script:not([type])").count() == 0
    texts = page.locator("figcaption p").all_inner_texts()
    assert any(
        "</script><script>document.title='broken'</script>${1+1} <b>" in text for text in texts
    )


def test_nothing_can_be_fetched_or_run(browser: Browser, report: Path) -> None:
    """The policy of the page, tried: there is a network and a server, and still nothing leaves."""
    heard: list[str] = []

    class Server(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            heard.append(self.path)
            self.send_response(204)
            self.end_headers()

    with HTTPServer(("127.0.0.1", 0), Server) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        context = browser.new_context()
        page = context.new_page()
        page.goto(report.as_uri())
        said = page.evaluate(
            """async (address) => {
              const found = [];
              const heard = (event) => found.push(event.effectiveDirective);
              document.addEventListener('securitypolicyviolation', heard);
              try { await fetch(address + 'a'); } catch (error) { /* as it should */ }
              const script = document.createElement('script');
              script.textContent = 'window.ran = true';
              const image = document.createElement('img'), frame = document.createElement('iframe');
              image.src = address + 'b';
              frame.src = address + 'c';
              document.body.append(script, image, frame);
              await new Promise((done) => setTimeout(done, 500));
              return [found.sort(), window.ran === undefined];
            }""",
            f"http://127.0.0.1:{server.server_port}/",
        )
        context.close()
        server.shutdown()
    assert said == [["connect-src", "frame-src", "img-src", "script-src-elem"], True]
    assert heard == []


def test_it_follows_the_readers_theme_and_width(page: Page) -> None:
    tick = page.locator(".plot .xtick text").first
    page.set_viewport_size({"width": 390, "height": 844})
    for scheme, ground, label in (
        ("light", "rgb(228, 228, 228)", "rgb(93, 93, 93)"),
        ("dark", "rgb(29, 29, 29)", "rgb(163, 163, 163)"),
    ):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        expect(page.locator("html")).to_have_css("background-color", ground)
        expect(tick).to_have_css("fill", label)
        # The figures take their new width a moment later.
        page.evaluate(NARROW)
