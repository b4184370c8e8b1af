"""Simulated color vision: what Chromium shows is what Python computes, and nothing else changes."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.workbench import Workbench
from tests.running import App
from truehue.core.color.vision import simulate

pytestmark = pytest.mark.browser

COLORS = np.array(
    [[200, 30, 40], [30, 160, 60], [20, 60, 200], [12, 9, 4], [230, 200, 40], [119, 119, 119]],
    np.uint8,
)
SHOW = """(hexes) => {
  const box = document.createElement('div');
  box.id = 'patches';
  box.style = 'position:fixed;z-index:100;left:0;top:0;display:flex';
  box.append(...hexes.map((hex) => Object.assign(document.createElement('i'), {
    style: `width:20px;height:20px;background:${hex}` })));
  document.body.append(box);
}"""


def seen(page: Page) -> np.ndarray:
    """The colors of the patches as the screen has them, int ``(N, 3)``."""
    shot = Image.open(io.BytesIO(page.locator("#patches").screenshot())).convert("RGB")
    return np.asarray(shot).astype(int)[10, 10::20]


def test_the_screen_is_simulated_and_says_so(app: App, visit: Visit) -> None:
    bench = Workbench(visit(f"{app.address}/?tab=inspect"))
    page = bench.page
    page.evaluate(SHOW, ["#" + bytes(color).hex() for color in COLORS])
    np.testing.assert_array_equal(seen(page), COLORS)
    note = page.locator(".th-vision-note")
    expect(note).to_be_hidden()

    page.get_by_role("button", name="Color vision").click()
    kind = page.get_by_label("Color vision", exact=True).locator("select")
    severity = page.get_by_role("slider", name="Severity")
    expect(severity).to_be_disabled()
    kind.select_option("deutan")
    expect(note).to_contain_text("Simulated: deuteranopia, severity 1.0")
    np.testing.assert_allclose(seen(page), simulate(COLORS, "deutan").astype(int), atol=1)
    severity.fill("0.6")
    expect(note).to_contain_text("deuteranomaly, severity 0.6")
    np.testing.assert_allclose(seen(page), simulate(COLORS, "deutan", 0.6).astype(int), atol=1)

    # What a script reads of an image, and what is measured, is not what the screen shows.
    read = page.evaluate(
        """() => {
          const canvas = document.createElement('canvas');
          const drawn = canvas.getContext('2d');
          drawn.fillStyle = '#c81e28';
          drawn.fillRect(0, 0, 1, 1);
          return [...drawn.getImageData(0, 0, 1, 1).data];
        }"""
    )
    assert read == [200, 30, 40, 255]

    # In the other tabs and after a reload it is the same; a dialog too is simulated.
    page.get_by_role("tab", name="Compare").click()
    expect(note).to_be_visible()
    page.reload()
    expect(note).to_contain_text("deuteranomaly, severity 0.6")
    page.evaluate(SHOW, ["#" + bytes(color).hex() for color in COLORS])
    page.evaluate(
        """() => {
          const dialog = document.createElement('dialog');
          dialog.style = 'margin:0;left:0;top:0;padding:0;border:0';
          const patches = document.querySelector('#patches');
          patches.style.position = 'static';
          dialog.append(patches);
          document.body.append(dialog);
          dialog.showModal();
        }"""
    )
    np.testing.assert_allclose(seen(page), simulate(COLORS, "deutan", 0.6).astype(int), atol=1)
    page.evaluate("document.querySelector('dialog:modal').close()")
    note.get_by_role("button", name="True colors").click()
    expect(note).to_be_hidden()
    assert not page.locator("html.th-simulated").count()
