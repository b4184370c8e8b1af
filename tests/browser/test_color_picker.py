"""The color picker in a real Chromium, in front of a tiny Gradio app: what Gradio makes of its
events, and its list on a narrow page. What is typed is in ``tests/assets/picker``."""

from collections.abc import Iterator

import gradio as gr
import pytest
from fastapi import FastAPI
from playwright.sync_api import Browser, expect

from tests.browser.stage_app import serving
from truehue.tabs.inspect.tab import color_picker
from truehue.tabs.page.asset_files import asset_routes

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """An app with two pickers; what they send to Python is written into text boxes."""
    with gr.Blocks() as demo:
        html = color_picker("Target color", "l3:Vivid reddish orange", elem_id="asked")
        color_picker("Albedo", elem_id="albedo")
        changes = gr.Textbox(elem_id="changes")
        inputs = gr.Textbox(elem_id="inputs")
        python = gr.Textbox(elem_id="python")
        button = gr.Button("Set", elem_id="set")
        html.change(
            lambda value, log: f"{log}[{value}]", [html, changes], changes, trigger_mode="multiple"
        )
        html.input(
            lambda value, log: f"{log}[{value}]", [html, inputs], inputs, trigger_mode="multiple"
        )
        button.click(lambda text: gr.update(value=text), python, html)
    app = FastAPI()
    app.include_router(asset_routes())
    with serving(gr.mount_gradio_app(app, demo, path="/", ssr_mode=False)) as started:
        yield started + "/"


def test_a_color_is_picked_by_key_mouse_and_python(browser: Browser, address: str) -> None:
    page = browser.new_page(viewport={"width": 900, "height": 700})
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(address)
    root = page.locator("#asked")
    # Its script comes a moment after its template.
    expect(root.locator(".th-picker-label")).not_to_be_empty()
    field, options = page.get_by_label("Target color"), root.locator("[role=option]")
    line, swatch = (
        root.locator(".th-picker-line"),
        root.locator(".th-picker-box > .th-picker-swatch"),
    )
    changes, inputs = page.locator("#changes textarea"), page.locator("#inputs textarea")
    expect(field).to_have_value("Vivid reddish orange")
    expect(swatch).to_have_css("background-color", "rgb(232, 59, 27)")
    albedo = page.locator("#albedo")
    expect(albedo.get_by_role("combobox")).to_have_value("")
    expect(albedo.locator(".th-picker-box > .th-picker-swatch")).to_have_css(
        "background-color", "rgba(0, 0, 0, 0)"
    )

    # By keyboard: one change and one input reach Python.
    field.click()
    field.fill("")
    field.press_sequentially("gr blu")
    expect(options.first).to_be_visible()
    field.press("ArrowDown")
    field.press("ArrowDown")
    active = page.locator(f"#{field.get_attribute('aria-activedescendant')}")
    expect(active).to_have_attribute("aria-selected", "true")
    expect(active).to_contain_text("Bluish green")
    field.press("Enter")
    expect(root.locator("[role=listbox]")).to_be_hidden()
    expect(field).to_have_value("Bluish green")
    expect(swatch).to_have_css("background-color", "rgb(67, 189, 184)")
    expect(changes).to_have_value("[l2:Bluish green]")
    expect(inputs).to_have_value("[l2:Bluish green]")

    # By mouse, and by leaving the field.
    field.fill("l2:purplish")
    expect(options).to_have_count(3)
    options.nth(1).click()
    expect(field).to_have_value("Purplish blue")
    expect(changes).to_have_value("[l2:Bluish green][l2:Purplish blue]")
    field.fill("1, 2, 3")
    field.press("Tab")
    expect(changes).to_have_value("[l2:Bluish green][l2:Purplish blue][#010203]")

    # What Python sets is a change and no input.
    python = page.locator("#python textarea")
    python.fill("css:teal")
    page.locator("#set").click()
    expect(field).to_have_value("teal")
    expect(changes).to_have_value("[l2:Bluish green][l2:Purplish blue][#010203][css:teal]")
    expect(inputs).to_have_value("[l2:Bluish green][l2:Purplish blue][#010203]")
    python.fill("<img src=x onerror=alert(1)>${alert(1)}")
    page.locator("#set").click()
    expect(line).to_contain_text("No color is called “<img src=x onerror=alert(1)>")

    # Its list stays on a narrow page.
    page.set_viewport_size({"width": 360, "height": 640})
    field.fill("light")
    popup = root.locator(".th-picker-popup")
    expect(popup).to_be_visible()
    box = popup.bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 360
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.close()
    assert faults == []
