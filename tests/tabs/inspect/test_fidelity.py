"""Color fidelity in Inspect, with the tiny CFM in the engine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.tiny_models import cfm
from truehue.core.errors import BadInput, NotAllowed
from truehue.core.fidelity.vividness import delta_sat_score
from truehue.core.records import GenerationRecord, ImageRecord
from truehue.core.scores.measures import add_measures
from truehue.tabs.inspect.fidelity import (
    RegisterCfm,
    ScoreImage,
    fidelity_view,
    register_cfm,
    score_by_cfm,
)
from truehue.tabs.page.context import Context
from truehue.tabs.page.requests import read_as
from truehue.tabs.page.roles import OWNER, Actor, Role

pytestmark = pytest.mark.weights


@pytest.fixture(autouse=True)
def unlisted() -> Iterator[None]:
    yield
    add_measures("cfm", ())


def three_of_a_prompt(context: Context) -> list[ImageRecord]:
    """A gray, a vivid and a duller picture of one prompt."""
    images = []
    for code in (120, 0, 60):
        srgb8 = np.full((40, 60, 3), 120, np.uint8)
        srgb8[..., 2] = code
        images.append(context.storage.images.add(srgb8, str(code), "generated"))
    context.storage.drawings.add_many(
        [GenerationRecord("a market", "m", image_id=image.image_id) for image in images]
    )
    return images


def test_images_of_a_prompt_are_ranked_and_nothing_is_scored_without_cfm(
    context: Context, stored: ImageRecord
) -> None:
    images = three_of_a_prompt(context)
    view = fidelity_view(context, images[0].image_id)
    assert (view["prompt"], view["by"], view["map"]) == ("a market", "delta_sat", None)
    assert "17 GB" in view["how_to"]
    numbers = {
        image.image_id: delta_sat_score(context.srgb8(image.image_id))[0] for image in images
    }
    assert [row["image"] for row in view["others"]] == sorted(
        numbers, key=lambda number: numbers[number]
    )
    assert [row["image"] for row in view["others"] if row["here"]] == [images[0].image_id]
    alone = fidelity_view(context, stored.image_id)
    assert (alone["prompt"], alone["others"]) == ("", [])
    assert "no prompt is known" in alone["no_prompt"]
    with pytest.raises(BadInput, match="No CFM is registered here"):
        score_by_cfm(context, OWNER, read_as(ScoreImage, {"image": stored.image_id}))
    with pytest.raises(BadInput, match="There is no measure 'beauty'"):
        fidelity_view(context, stored.image_id, "beauty")


def test_a_registered_cfm_scores_and_maps_an_image(
    context: Context, stored: ImageRecord, tmp_path: Path
) -> None:
    tiny = cfm.save(tmp_path / "tiny")
    wish = read_as(RegisterCfm, {"model": str(tiny)})
    with pytest.raises(NotAllowed, match="Paths of folders work only"):
        register_cfm(context, Actor("ann", Role.RESEARCHER), wish)
    version = register_cfm(context, OWNER, wish)["version"]
    images = three_of_a_prompt(context)
    assert fidelity_view(context, images[0].image_id)["scores"][-1]["text"] == "not scored yet"
    for image in images:
        view = score_by_cfm(context, OWNER, read_as(ScoreImage, {"image": image.image_id}))
    assert (view["cfm"], view["how_to"], view["by"]) == (str(tiny), "", "cfm")
    values = [float(row["text"]) for row in view["others"]]
    assert values == sorted(values, reverse=True)
    assert len(values) == 3
    rows = view["map"]
    assert {len(row) for row in rows} == {2 * round(len(rows[0]) / 2)}
    assert {"00", "ff"} <= {
        row[index : index + 2] for row in rows for index in range(0, len(row), 2)
    }
    (score, _) = context.storage.scores.of_items("image", [view["image"]])[view["image"]]
    assert (score.version, score.provenance["prompt"]) == (version, "a market")
    # A photograph that was brought has no prompt: who asks writes one.
    with pytest.raises(BadInput, match="Enter a description"):
        score_by_cfm(context, OWNER, read_as(ScoreImage, {"image": stored.image_id}))
    view = score_by_cfm(
        context, OWNER, read_as(ScoreImage, {"image": stored.image_id, "prompt": "a mug"})
    )
    assert view["map"]
