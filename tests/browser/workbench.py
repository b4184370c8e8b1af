"""The Inspect tab on a page, by the words and places that a person uses."""

from __future__ import annotations

import base64
import io
import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from PIL import Image
from playwright.sync_api import Locator, Page, expect

# What the canvas gives back, as base64: JSON would be ten times as long.
READ_BACK = """async (image) => {
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = image.naturalWidth;
  canvas.height = image.naturalHeight;
  const context = canvas.getContext('2d', { colorSpace: 'srgb' });
  context.drawImage(image, 0, 0);
  const data = context.getImageData(0, 0, canvas.width, canvas.height).data;
  let text = '';
  for (let i = 0; i < data.length; i += 30000) {
    text += String.fromCharCode(...data.subarray(i, i + 30000));
  }
  return [canvas.width, canvas.height, btoa(text)];
}"""
FETCH = """async (image) => {
  const answer = await fetch(image.src);
  const bytes = new Uint8Array(await answer.arrayBuffer());
  let text = '';
  for (let i = 0; i < bytes.length; i += 30000) {
    text += String.fromCharCode(...bytes.subarray(i, i + 30000));
  }
  return [answer.headers.get('content-type'), btoa(text)];
}"""


def drawn_pixels(image: Locator) -> np.ndarray:
    """The pixels that the browser has for an ``img``, uint8 ``(H, W, 3)``."""
    width, height, text = image.evaluate(READ_BACK)
    rgba = np.frombuffer(base64.b64decode(text), np.uint8).reshape(height, width, 4)
    assert (rgba[..., 3] == 255).all()
    return rgba[..., :3]


def fetched(image: Locator) -> tuple[bytes, np.ndarray]:
    """The file behind an ``img`` as the page gets it, and its pixels."""
    kind, text = image.evaluate(FETCH)
    assert kind == "image/png"
    data = base64.b64decode(text)
    with Image.open(io.BytesIO(data)) as opened:
        return data, np.asarray(opened.convert("RGB"))


# The parts of the card of a stored verdict that is not ``other``; nothing while one is missing.
SHOWN = """(other) => {
  const card = document.querySelector('#verdict');
  const id = card?.querySelector('.th-judging')?.dataset.verdict ?? '';
  const parts = ['.th-headline h2', '.th-reason', '.th-swatch-found', '.th-swatch-asked'];
  if (!/^[0-9a-f]{64}$/.test(id) || id === other) return null;
  const [headline, reason, found, asked] = parts.map((part) => card.querySelector(part));
  if (!headline || !reason || !found || !asked) return null;
  return {
    evidence_id: id,
    headline: headline.textContent,
    reason: reason.textContent,
    metrics: [...card.querySelectorAll('.th-metric')].map((row) => ['label', 'value', 'limit',
      'state'].map((part) => row.querySelector('.th-' + part).textContent)),
    found: found.innerText.replaceAll('\u00a0', ' '),
    asked: asked.innerText.replaceAll('\u00a0', ' '),
  };
}"""


@dataclass(frozen=True)
class Shown:
    """What the verdict card says."""

    evidence_id: str
    headline: str
    reason: str
    metrics: tuple[tuple[str, ...], ...]
    found: str
    asked: str


class Workbench:
    """One page of the app with Inspect in front."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.stage = page.locator("#stage .th-stage")
        self.mask = page.locator("#stage .th-stage-mask")
        self.message = page.locator("#stage .th-stage-message-text")
        self.picture = page.locator("#stage img.th-stage-picture")
        self.verdict = page.locator("#verdict")
        self.object_name = page.get_by_role("textbox", name="Object", exact=True)
        self.asked = page.locator("#asked-color").get_by_role("combobox")
        self.data = page.locator("#th-header .th-data")
        expect(self.stage).to_be_visible()
        # Until the card has asked for what the link names, a mark could be overtaken by it.
        expect(self.verdict.locator(".th-waiting, .th-headline")).to_be_visible()

    # ── the stage ────────────────────────────────────────────────────────────────────────────

    def choose(self, data: bytes, name: str, kind: str = "image/png") -> None:
        """Gives a file to the file chooser."""
        with self.page.expect_file_chooser() as chooser:
            self.stage.locator("[data-action=choose]:visible").click()
        chooser.value.set_files([{"name": name, "mimeType": kind, "buffer": data}])

    def open(self, data: bytes, name: str, kind: str = "image/png") -> None:
        """Uploads a photograph and waits until it is on the stage."""
        self.choose(data, name, kind)
        expect(self.stage.locator(".th-stage-name")).to_have_text(name)
        self.settle()

    def settle(self) -> None:
        """Waits for the answer to the last mark."""
        expect(self.stage).to_have_attribute("aria-busy", "false")

    def button(self, name: str) -> Locator:
        return self.stage.get_by_role("button", name=name, exact=True)

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Where an image pixel is on the page."""
        frame = self.page.locator("#stage .th-stage-overlay").bounding_box()
        assert frame is not None
        width = self.picture.evaluate("image => image.naturalWidth")
        scale = frame["width"] / width
        return frame["x"] + x * scale, frame["y"] + y * scale

    def mark(self, tool: str, *points: tuple[float, float]) -> None:
        """Drags a tool through image pixels and waits for the mask."""
        self.button(tool).click()
        positions = [self.at(*point) for point in points]
        self.page.mouse.move(*positions[0])
        self.page.mouse.down()
        for index in positions[1:]:
            self.page.mouse.move(*index, steps=8)
        self.page.mouse.up()
        self.settle()

    def mask_px(self) -> int:
        """The area that the mask's line says."""
        match = re.search(r"([\d,]+) px", self.mask.inner_text())
        assert match is not None
        return int(match[1].replace(",", ""))

    # ── the question ─────────────────────────────────────────────────────────────────────────

    def ask(self, color: str) -> None:
        """Types a color and takes it."""
        self.asked.click()
        self.asked.fill("")
        self.asked.press_sequentially(color)
        self.asked.press("Enter")

    def name(self, text: str) -> None:
        self.object_name.fill(text)
        self.object_name.press("Enter")

    def rule(self, name: str) -> None:
        choice = self.page.locator("#rule label").filter(has_text=re.compile(f"^\\s*{name}\\s*$"))
        if not choice.is_visible():
            self.page.locator("#rule .th-rule-more").click()
        choice.click()

    def chosen_rule(self) -> str:
        return str(self.page.locator("#rule input:checked").get_attribute("value"))

    # ── the answer ───────────────────────────────────────────────────────────────────────────

    def shown(self, other_than: str | None = None) -> Shown:
        """The verdict, once there is one; another one than ``other_than`` if that is given."""
        # One look at all of it, once all of it is there, so that no part is of a later verdict.
        wait = self.page.wait_for_function(SHOWN, arg=other_than)
        got: Any = wait.json_value()
        got["metrics"] = tuple(tuple(row) for row in got["metrics"])
        return Shown(**got)

    def problem(self) -> Locator:
        """The sentence of a card that says why nothing is judged."""
        return self.verdict.locator(".th-verdict > .th-reason, .th-verdict > .th-waiting")
