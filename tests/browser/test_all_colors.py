"""From Inspect to the distribution of what is inside the mask, before Compare was ever opened."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from playwright.sync_api import expect

from core.images.mask import Mask
from storage import Storage
from tests.browser.conftest import Visit
from tests.running import App, running

pytestmark = pytest.mark.browser

WAIT_MS = 60_000


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[App, str]]:
    """An app with one picture, gold left and black right, and a mask of its left half."""
    data = tmp_path_factory.mktemp("all-colors") / "data"
    srgb8 = np.zeros((96, 96, 3), dtype=np.uint8)
    srgb8[:, :48] = (252, 219, 66)
    left = np.zeros((96, 96), dtype=bool)
    left[:, :48] = True
    with Storage.open(data) as storage:
        image = storage.images.add(srgb8, "halves.png", "upload")
        mask = storage.masks.add(image.image_id, Mask(left, "file", {}))
    with running(data) as app:
        yield app, f"/?tab=inspect&image={image.image_id}&mask={mask.mask_id}&target=%23FCDB42"


def test_all_colors_of_a_mask_open_in_compare(opened: tuple[App, str], visit: Visit) -> None:
    app, link = opened
    page = visit(app.address + link)
    page.get_by_role("button", name="All its colors").click(timeout=WAIT_MS)
    found = page.locator("#compare-concept")
    expect(found).to_contain_text("halves.png", timeout=WAIT_MS)
    assert "view=concept" in page.url
    assert "d=image:" in page.url
    # And once more, now that the tab is there.
    page.get_by_role("tab", name="Inspect").click()
    page.get_by_role("button", name="All its colors").click()
    expect(found).to_be_visible()
    expect(found).to_contain_text("halves.png")
