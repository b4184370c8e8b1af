"""The color picker in a real Chromium: what it tells the form that it is in, and its list on a
narrow page. What is typed is in ``tests/assets/picker``."""

from collections.abc import Iterator
from string import Template

import gradio as gr
import pytest
from fastapi import FastAPI
from fastapi.responses import HTMLResponse
from playwright.sync_api import Browser, expect

from tests.browser.stage_app import serving
from truehue.tabs.page.asset_files import STYLE, asset_files, asset_routes
from truehue.tabs.page.templates import html

pytestmark = pytest.mark.browser

# What the pickers tell is written into fields; the button sets the first.
PAGE = Template("""<!doctype html><html lang="en"><meta charset="utf-8"><title>Colors</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,"><link rel="stylesheet" href="$style">
<body class="gradio-container $scope"><div class="contain">
<div id="asked" class="th-picker-block">$picker</div>
<div id="albedo" class="th-picker-block">$picker</div>
<input id="changes"><input id="inputs"><input id="form"><button id="set">Set</button></div>
<script type="module">
import { mountPart } from '$widget_script';
import { mount } from '$picker_script';
const write = (id) => () => { document.getElementById(id).value += '[' + asked.props.value + ']'; };
const held = { label: 'Target color', value: 'l3:Vivid reddish orange' };
const on = { change: write('changes'), input: write('inputs') };
const asked = mountPart(document.getElementById('asked'), mount, held, on);
mountPart(document.getElementById('albedo'), mount, { label: 'Albedo' });
document.getElementById('set').onclick = () =>
  asked({ value: document.getElementById('form').value });
</script></body></html>""")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A page with two pickers."""
    files = asset_files()
    page = PAGE.substitute(
        style=files.address(STYLE),
        scope=f"gradio-container-{gr.__version__.replace('.', '-')}",
        picker=html("picker/picker"),
        widget_script=files.address("js/shared/widget.js"),
        picker_script=files.address("js/picker/picker.js"),
    )
    app = FastAPI()
    app.include_router(asset_routes())
    app.get("/", response_class=HTMLResponse)(lambda: page)
    with serving(app) as started:
        yield started + "/"


def test_a_color_is_picked_by_key_mouse_and_the_form(browser: Browser, address: str) -> None:
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
    changes, inputs = page.locator("#changes"), page.locator("#inputs")
    expect(field).to_have_value("Vivid reddish orange")
    expect(swatch).to_have_css("background-color", "rgb(232, 59, 27)")
    albedo = page.locator("#albedo")
    expect(albedo.get_by_role("combobox")).to_have_value("")
    expect(albedo.locator(".th-picker-box > .th-picker-swatch")).to_have_css(
        "background-color", "rgba(0, 0, 0, 0)"
    )

    # By keyboard: one change and one input reach the form.
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

    # What the form sets it knows already.
    form = page.locator("#form")
    form.fill("css:teal")
    page.locator("#set").click()
    expect(field).to_have_value("teal")
    expect(changes).to_have_value("[l2:Bluish green][l2:Purplish blue][#010203]")
    expect(inputs).to_have_value("[l2:Bluish green][l2:Purplish blue][#010203]")
    form.fill("<img src=x onerror=alert(1)>${alert(1)}")
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
