"""The first screen: an example with its verdict, and from there to a photograph of one's own."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.still_life import box_around, png, still_life
from tests.browser.workbench import Workbench
from tests.running import App, running

pytestmark = pytest.mark.browser

PHOTOGRAPH, TRUTH = still_life()
DRAWN_MS = 150_000
"""Drawing an example takes seconds, on a busy machine many."""


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """An app whose data folder is new: that is what a first screen is of."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRUEHUE_EXAMPLE", "1")
        with running(tmp_path_factory.mktemp("first") / "data") as started:
            yield started


DROP = """([at, name, base64]) => {
  const bytes = Uint8Array.from(atob(base64), (one) => one.charCodeAt(0));
  const carried = new DataTransfer();
  carried.items.add(new File([bytes], name, { type: 'image/png' }));
  const node = document.querySelector(at);
  const send = (kind) => node.dispatchEvent(new DragEvent(kind, {
    bubbles: true, cancelable: true, composed: true, dataTransfer: carried }));
  send('dragover');
  const covered = !document.querySelector('.th-page-drop').hidden;
  send('drop');
  return covered;
}"""


def drop(page: Page, time_text: str, content: bytes, name: str) -> bool:
    """Drops a file on the first element of that selector; whether the page said where it goes."""
    return bool(page.evaluate(DROP, [time_text, name, base64.b64encode(content).decode("ascii")]))


COPIES = """() => {
  const inner = { list: [1, 'two', null, undefined, 3n], at: new Date(5) };
  const whole = { inner, again: inner };
  const copy = structuredClone(whole);
  let refused = '';
  try { structuredClone(() => 1); } catch (error) { refused = error.name; }
  const moved = new ArrayBuffer(8);
  structuredClone(moved, { transfer: [moved] });
  return [
    copy !== whole, copy.inner !== inner, copy.again === copy.inner, copy.inner.list[1],
    copy.inner.list[3] === undefined, copy.inner.at.getTime(), refused, moved.byteLength,
    ['text', 7, true, null, undefined].every((one) => Object.is(structuredClone(one), one)),
  ];
}"""


# How often the page asks for a frame while 60 of our own go by.
FRAMES = """async () => {
  const request = window.requestAnimationFrame;
  let wanted = 0;
  window.requestAnimationFrame = (frame) => {
    wanted += 1;
    return request.call(window, frame);
  };
  requestAnimationFrame(() => {});
  const counted = wanted;
  wanted = 0;
  for (let own = 0; own < 60; own++) await new Promise((done) => request.call(window, done));
  window.requestAnimationFrame = request;
  return [counted, wanted];
}"""


# How many of the page's own scripts it has asked for.
SCRIPTS = r"""() => performance.getEntriesByType('resource')
  .filter(({ name }) => /\/js\/.*\.js$/.test(new URL(name).pathname)).length"""


def test_from_the_first_screen_to_a_photograph_of_ones_own(fresh: App, visit: Visit) -> None:
    page = visit(fresh.address)
    bench, examples = Workbench(page), page.get_by_role("navigation", name="Examples")
    # Alive without a click: a picture, its verdict, and a rule that says otherwise.
    expect(bench.verdict.locator(".th-headline")).to_contain_text("Passes", timeout=DRAWN_MS)
    paper = bench.verdict.locator(".th-other").filter(has_text="paper").first
    expect(paper).to_contain_text("fails")
    expect(bench.stage.locator(".th-stage-name")).to_have_text("Example: A mug of known color")
    expect(examples.get_by_role("button", name="A mug of known color")).to_have_attribute(
        "aria-pressed", "true"
    )
    expect(bench.data).to_contain_text("0 images · 0 verdicts")
    assert 0 < page.evaluate(SCRIPTS) <= 15
    check_style(page, bench)
    check_quiet(page)

    # Texts and numbers are handed on (QUICK_COPIES of ``page/head.html``), not the rest.
    assert page.evaluate("window.structuredClone.toString().includes('slow')")
    assert page.evaluate(COPIES) == [True, True, True, "two", True, 5, "DataCloneError", 0, True]

    # Dropped beside the stage: it takes the example's place, and the example's question goes.
    assert drop(page, "#verdict", png(PHOTOGRAPH), "my jar.png")
    expect(bench.stage.locator(".th-stage-name")).to_have_text("my jar.png")
    expect(bench.object_name).to_have_value("")
    expect(bench.verdict).to_contain_text("Colors of the whole image")
    expect(examples).to_be_hidden()
    expect(bench.data).to_contain_text("1 image · 0 verdicts")

    bench.mark("Box", *box_around(TRUTH))
    expect(bench.mask).to_contain_text("GrabCut · box")
    expect(bench.verdict).to_contain_text("What color is it?")
    expect(bench.verdict.locator(".th-palette")).to_be_visible()
    bench.ask("vivid reddish orange")
    expect(bench.verdict.locator(".th-headline h2")).to_have_text(re.compile("Passes|Fails"))

    # Dropped in another tab, a photograph opens in Inspect too, with the target color entered before.
    page.get_by_role("tab", name="Generate").click()
    expect(page.locator("#generate-button .th-primary")).to_be_visible()
    assert drop(page, "#th-header", png(PHOTOGRAPH[:, ::-1].copy()), "from generate.png")
    expect(bench.stage.locator(".th-stage-name")).to_have_text("from generate.png")
    expect(page.get_by_role("combobox", name="Target color")).to_have_value("Vivid reddish orange")

    # Somebody has brought pictures: the page waits for them, the examples for being pressed.
    page = visit(fresh.address)
    bench, examples = Workbench(page), page.get_by_role("navigation", name="Examples")
    expect(examples).to_be_visible()
    expect(bench.problem()).to_contain_text("Open a photograph")
    before = images_of(fresh)
    examples.get_by_role("button", name="Two objects, one leaked").click()
    expect(bench.verdict.locator(".th-headline")).to_contain_text("Fails", timeout=DRAWN_MS)
    expect(bench.object_name).to_have_value("mug")
    examples.get_by_role("button", name="A scene with a box selection").click()
    expect(bench.mask).to_contain_text("GrabCut · box", timeout=DRAWN_MS)
    expect(bench.object_name).to_have_value("banana")
    assert images_of(fresh) == before + 2

    # A link that names a picture shows no examples.
    image = fresh.upload(png(PHOTOGRAPH[::-1].copy()), "upside down.png").json["image_id"]
    page = visit(f"{fresh.address}/?tab=inspect&image={image}")
    expect(page.locator("#stage .th-stage-name")).to_have_text("upside down.png")
    expect(page.locator("#examples .th-examples")).to_be_hidden()


def images_of(app: App) -> int:
    """How many pictures the data folder has."""
    return len(list((app.data / "images").rglob("*.png")))


def check_style(page: Page, bench: Workbench) -> None:
    """The page's style is stronger than Gradio's: linked before Gradio's own sheets, it left the
    header crooked and the rooms indented."""
    brand = page.locator(".th-brand").bounding_box()
    tab = page.get_by_role("tab", name="Inspect", exact=True).bounding_box()
    card = bench.stage.bounding_box()
    assert brand
    assert tab
    assert card
    middle = brand["y"] + brand["height"] / 2
    assert abs(middle - (tab["y"] + tab["height"] / 2)) < 4
    # The brand, the cards below it: one left edge, one small margin.
    assert abs(brand["x"] - card["x"]) < 4
    assert brand["x"] < 24
    # On a narrow screen the tabs have their room: what is said of the data gives way.
    page.set_viewport_size({"width": 1200, "height": 800})
    last = page.get_by_role("tab", name="Studies", exact=True).bounding_box()
    tour = page.get_by_role("button", name="Tour").bounding_box()
    assert last
    assert tour
    assert last["x"] + last["width"] < tour["x"]
    page.set_viewport_size({"width": 1360, "height": 1000})


def check_quiet(page: Page) -> None:
    """A page that nobody touches asks for no frames: the clock of Gradio's first "Loading" has
    ended (LOADING_CLOCK of ``page/head.html``)."""
    rounds = []
    for _ in range(20):
        counted, wanted = page.evaluate(FRAMES)
        assert counted == 1
        rounds.append(wanted)
        if wanted < 20:
            return
    raise AssertionError(f"In each 60 frames of the screen the page asked for {rounds}.")
