"""The color picker in a real Chromium, in front of a tiny Gradio app."""

from collections.abc import Iterator

import gradio as gr
import pytest
from fastapi import FastAPI
from playwright.sync_api import Browser, Page, expect

from core.color.systems import SYSTEMS, parse_target, system
from core.errors import UnknownColor
from tabs.inspect.controls import color_picker
from tabs.page.asset_files import asset_routes, catalog
from tests.browser.modules import module
from tests.browser.stage_app import serving

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """An app with two pickers; what they send to Python is written into text boxes."""
    with gr.Blocks() as demo:
        asked = color_picker("Asked color", "l3:Vivid reddish orange", elem_id="asked")
        color_picker("Albedo", elem_id="albedo")
        changes = gr.Textbox(elem_id="changes")
        inputs = gr.Textbox(elem_id="inputs")
        python = gr.Textbox(elem_id="python")
        button = gr.Button("Set", elem_id="set")
        asked.change(
            lambda value, log: f"{log}[{value}]", [asked, changes], changes, trigger_mode="multiple"
        )
        asked.input(
            lambda value, log: f"{log}[{value}]", [asked, inputs], inputs, trigger_mode="multiple"
        )
        button.click(lambda text: gr.update(value=text), python, asked)
    app = FastAPI()
    app.include_router(asset_routes())
    with serving(gr.mount_gradio_app(app, demo, path="/", ssr_mode=False)) as started:
        yield started + "/"


class Picker:
    """One picker on the page, as a person meets it."""

    def __init__(self, page: Page, elem_id: str) -> None:
        self.page = page
        root = page.locator(f"#{elem_id}")
        # Its script comes a moment after its template.
        expect(root.locator(".th-picker-label")).not_to_be_empty()
        self.input = root.get_by_role("combobox")
        self.options = root.locator("[role=option]")
        self.list = root.locator("[role=listbox]")
        self.line = root.locator(".th-picker-line")
        self.tag = root.locator(".th-picker-tag")
        self.swatch = root.locator(".th-picker-box > .th-picker-swatch")

    def type(self, text: str) -> None:
        self.input.click()
        self.input.fill("")
        self.input.press_sequentially(text)

    def color(self) -> str:
        return self.swatch.evaluate("node => getComputedStyle(node).backgroundColor")


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    page = browser.new_page(viewport={"width": 900, "height": 700})
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(address)
    page.wait_for_selector("#albedo .th-picker-input")
    yield page
    page.close()
    assert faults == []


@pytest.fixture
def asked(page: Page) -> Picker:
    return Picker(page, "asked")


def changes(page: Page, log: str) -> None:
    expect(page.locator("#changes textarea")).to_have_value(log)


def test_shows_the_value_it_starts_with(asked: Picker) -> None:
    expect(asked.page.get_by_label("Asked color")).to_have_value("Vivid reddish orange")
    expect(asked.tag).to_have_text("L3 · #E83B1B")
    expect(asked.line).to_have_text(
        "Vivid reddish orange · ISCC-NBS level 3 · #E83B1B · L* 52.2 · a* 64.36 · b* 56.46"
    )
    assert asked.color() == "rgb(232, 59, 27)"
    changes(asked.page, "")


def test_empty_has_no_color(page: Page) -> None:
    albedo = Picker(page, "albedo")
    expect(albedo.input).to_have_value("")
    expect(albedo.line).to_have_text("")
    assert albedo.color() == "rgba(0, 0, 0, 0)"


def test_pick_by_keyboard(asked: Picker) -> None:
    asked.type("gr blu")
    expect(asked.options.first).to_be_visible()
    names = asked.options.all_inner_texts()
    assert all("gr" in name.lower() and "blu" in name.lower() for name in names)
    expect(asked.input).to_have_attribute("aria-expanded", "true")
    asked.input.press("ArrowDown")
    asked.input.press("ArrowDown")
    active = asked.input.get_attribute("aria-activedescendant")
    expect(asked.page.locator(f"#{active}")).to_have_attribute("aria-selected", "true")
    expect(asked.page.locator(f"#{active}")).to_contain_text("Bluish green")
    asked.input.press("Enter")
    expect(asked.list).to_be_hidden()
    expect(asked.input).to_have_value("Bluish green")
    assert asked.color() == "rgb(67, 189, 184)"
    changes(asked.page, "[l2:Bluish green]")
    expect(asked.page.locator("#inputs textarea")).to_have_value("[l2:Bluish green]")


def test_order_of_the_list(asked: Picker) -> None:
    asked.type("pink")
    rows = [text.split("\n") for text in asked.options.all_inner_texts()]
    assert [row[:2] for row in rows[:3]] == [["pink", "CSS"], ["Pink", "L2"], ["Pink", "L1"]]
    # Names that begin with it, then names with a word that does, then any that hold it.
    assert (
        [row[0] for row in rows].index("Pinkish gray")
        < [row[0] for row in rows].index("Deep pink")
        < [row[0] for row in rows].index("hotpink")
    )


def test_pick_by_mouse_and_by_enter_alone(asked: Picker) -> None:
    asked.type("l2:purplish")
    expect(asked.options).to_have_count(3)
    asked.options.nth(1).click()
    expect(asked.input).to_have_value("Purplish blue")
    changes(asked.page, "[l2:Purplish blue]")
    asked.type("viv reddish or")
    asked.input.press("Enter")
    changes(asked.page, "[l2:Purplish blue][l3:Vivid reddish orange]")


def test_escape_goes_back(asked: Picker) -> None:
    asked.type("teal")
    asked.input.press("Escape")
    expect(asked.input).to_have_value("Vivid reddish orange")
    expect(asked.list).to_be_hidden()
    assert asked.color() == "rgb(232, 59, 27)"


def test_arrow_down_opens_the_names_of_its_own_system(asked: Picker) -> None:
    asked.input.click()
    asked.input.press("ArrowDown")
    expect(asked.options).to_have_count(260)
    expect(asked.list.locator("[aria-selected=true]")).to_contain_text("Vivid reddish orange")


def test_hex_is_picked_as_soon_as_it_is_whole(asked: Picker) -> None:
    asked.type("#0a8c3")
    expect(asked.line).to_contain_text("has 5")
    changes(asked.page, "")
    asked.input.press_sequentially("f")
    changes(asked.page, "[#0A8C3F]")
    expect(asked.tag).to_have_text("#0A8C3F")
    assert asked.color() == "rgb(10, 140, 63)"
    asked.input.press("Tab")
    expect(asked.input).to_have_value("#0A8C3F")


def test_three_digits_and_triples_wait_for_enter_or_leaving(asked: Picker) -> None:
    asked.type("#f80")
    assert asked.color() == "rgb(255, 136, 0)"
    asked.input.press("Enter")
    changes(asked.page, "[#FF8800]")
    asked.type("1, 2, 3")
    assert asked.color() == "rgb(1, 2, 3)"
    asked.input.press("Tab")
    changes(asked.page, "[#FF8800][#010203]")
    expect(asked.input).to_have_value("#010203")


def test_wrong_values_say_what_is_wrong(asked: Picker) -> None:
    asked.type("#E83G1B")
    expect(asked.line).to_contain_text("Digit 4 of the hex color is “G”")
    asked.type("12, 300, 4")
    expect(asked.line).to_contain_text("The green is 300")
    asked.input.press("Tab")
    expect(asked.input).to_have_attribute("aria-invalid", "true")
    expect(asked.line).to_contain_text("Still in use: Vivid reddish orange.")
    changes(asked.page, "")


def test_an_unknown_name_offers_the_nearest(asked: Picker) -> None:
    asked.type("vivd red")
    expect(asked.line).to_contain_text("No color is called “vivd red”. Nearest names: Vivid red")
    expect(asked.options.first).to_contain_text("Vivid red")
    asked.input.press("Enter")
    changes(asked.page, "")
    asked.type("vivd red")
    asked.input.press("ArrowDown")
    asked.input.press("Enter")
    changes(asked.page, "[l3:Vivid red]")


def test_python_sets_the_value(asked: Picker) -> None:
    python = asked.page.locator("#python textarea")
    python.fill("css:teal")
    asked.page.locator("#set").click()
    expect(asked.input).to_have_value("teal")
    expect(asked.tag).to_have_text("CSS · #008080")
    changes(asked.page, "[css:teal]")
    expect(asked.page.locator("#inputs textarea")).to_have_value("")
    python.fill("rgb(1, 2, 300)")
    asked.page.locator("#set").click()
    expect(asked.line).to_contain_text("The blue is 300")
    python.fill("<img src=x onerror=alert(1)>${alert(1)}")
    asked.page.locator("#set").click()
    expect(asked.line).to_contain_text("No color is called “<img src=x onerror=alert(1)>")


def test_stays_on_a_narrow_page(browser: Browser, address: str) -> None:
    page = browser.new_page(viewport={"width": 360, "height": 640})
    page.goto(address)
    picker = Picker(page, "asked")
    picker.type("light")
    popup = page.locator("#asked .th-picker-popup").bounding_box()
    assert popup is not None
    assert popup["x"] >= 0
    assert popup["x"] + popup["width"] <= 360
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.close()


def test_browser_and_core_read_alike(modules: Page) -> None:
    texts = [f"{key}:{color.name}" for key in SYSTEMS for color in system(key).colors]
    texts += [color.name.upper() for key in SYSTEMS for color in system(key).colors]
    texts += [color.hex.lower() for color in system("l3").colors]
    texts += [
        "dark grey",
        "darkgrey",
        "Dark-Slate_Grey",
        "yellow green",
        "yellowgreen",
        "vi vid re d",
        "light greyish red",
        "css : GREY",
        "L1: pink",
        "#f80",
        "E83B1B",
        "000000",
        "rgb(1, 2, 3)",
        "1,2,3",
        "(1 2 3)",
        "1;2;3",
        "l3:#E83B1B",
        "１，２，３",
        " teal ",
        "'teal'",
        "",
        " ",
        "'",
        "#",
        "#12345",
        "#12345678",
        "#E83G1B",
        "E83B1G",
        "E83BZG",
        "facade",
        "123",
        "1,2",
        "1,2,256",
        "rgb(-1,2,3)",
        "1, 2.5, 3",
        "50% 20% 10%",
        "rgb(1,2,3,4)",
        "rgb(",
        "lab(52 40 30)",
        "LAB(52%, 32%, 24%)",
        "lab(52 40 30",
        "lch(52.5 40 30deg)",
        "lch(50 40 0.1turn)",
        "oklch(70% 0.1 120)",
        "oklab(0.6 0.1 -0.05)",
        "oklch(0.7 0.1 2rad)",
        "hsl(12, 82%, 51%)",
        "hsla(-240 100% 50%)",
        "lab(50 none −12.5)",
        "lab(46.4 65.94 32.92)",
        "lab(50 100 0)",
        "lch(80 140 30)",
        "lab(52 40)",
        "lab(120 0 0)",
        "lch(50 -3 0)",
        "lab(52 40deg 30)",
        "lab(1 2 3 / 1)",
        "lab(32.3 79.19 -107.86)",
        "hwb(1 2 3)",
        "lab()",
        "l3:lab(52 40 30)",
        "l4:red",
        "l3:",
        "css:Vivid red",
        "vivd red",
        "gray50",
        "rgb",
        "-",
        "+1,2,3",
    ]
    answers = modules.evaluate(
        f"""async ([catalog, texts]) => {{
          const {{ colorReading, valueOf }} = await {module("picker/reading")};
          const {{ read }} = colorReading(catalog);
          return texts.map((text) => {{
            const {{ color }} = read(text);
            return color ? [valueOf(color), color.hex, ...color.lab] : null;
          }});
        }}""",
        [catalog(), texts],
    )
    for text, answer in zip(texts, answers, strict=True):
        try:
            target = parse_target(text)
        except UnknownColor:
            assert answer is None, text
        else:
            assert answer is not None, text
            assert answer[:2] == [target.value, target.hex], text
            assert answer[2:] == pytest.approx(target.lab, abs=1e-4), text
