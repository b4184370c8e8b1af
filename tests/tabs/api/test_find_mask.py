"""The endpoint ``find_mask``, by tiny real models."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser.still_life import still_life
from tests.tiny_models import grounding
from tests.tiny_models.folder import DETECTOR, SAM2
from truehue.core.generation.weights.sources import Sources
from truehue.core.masks.grounded.compose import is_automatic, steps_of
from truehue.storage import Storage
from truehue.tabs.api.endpoints import FindMask, find_mask
from truehue.tabs.page.roles import OWNER
from truehue.tabs.shell.compose import make_context

pytestmark = pytest.mark.weights

MAX_S = 120.0


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    grounding.detector(folder / DETECTOR)
    grounding.sam2(folder / SAM2)
    return folder


def test_an_object_is_found_as_the_page_does_it_by_itself(models: Path, tmp_path: Path) -> None:
    with Storage.open(tmp_path / "data") as storage:
        context = make_context(storage, "data", sources=Sources(models))
        try:
            image = storage.images.add(still_life()[0], "jar.png", "upload")
            request = FindMask(image_id=image.image_id, object_name="mug")
            record = context.jobs.wait(find_mask(context, OWNER, request)["job"], MAX_S)
            assert record.status == "done", record.problem
            mask = storage.masks.get(record.result["mask_id"])
        finally:
            context.close()
    assert is_automatic(mask.maker, mask.parameters)
    assert [negative.label for negative in steps_of(mask.parameters).negatives] == [
        "handle",
        "rim",
        "base",
    ]
