"""Single images in Compare without a browser: how they are measured, marked and pooled."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from tests.salient import needs_weights, network
from truehue import render
from truehue.core.color.uw71 import uw71
from truehue.core.errors import BadInput, NotStored
from truehue.core.generation.weights.sources import Sources
from truehue.tabs.compare.concept.service import concept_view
from truehue.tabs.compare.images import Mark, Pool, pool, review_mark, save_mark
from truehue.tabs.compare.routes import compare_routes
from truehue.tabs.page.context import Context
from truehue.tabs.page.requests import read_as
from truehue.tabs.page.roles import OWNER

pytestmark = pytest.mark.slow

__all__ = ["network"]
YELLOW, BROWN = 69, 37


def photograph(context: Context, index: int) -> str:
    """A gray picture of 60 × 80 with a square in the color of a bin; no mask, no transparency."""
    srgb8 = np.full((60, 80, 3), 119, np.uint8)
    srgb8[20:40, 30:50] = uw71()[index].srgb8
    return str(context.storage.images.add(srgb8, f"{index}.png", "upload").image_id)


def view(context: Context, *sources: str, **more: str) -> dict[str, Any]:
    return concept_view(context, {"d": ",".join(sources), "method": "pixels", **more})


def test_two_new_photographs_are_measured_whole_and_what_moves_comes_first(
    context: Context,
) -> None:
    sources = [f"image:{photograph(context, index)}" for index in (YELLOW, BROWN)]
    shown = view(context, *sources)
    assert [distribution["problem"] for distribution in shown["distributions"]] == ["", ""]
    assert [distribution["image"]["whole"] for distribution in shown["distributions"]] == [
        True,
        True,
    ]
    assert shown["distributions"][0]["weights"][YELLOW] == pytest.approx(400 / 4800)
    assert shown["between"] == "moves"
    assert view(context, *sources, between="bins")["between"] == "bins"
    assert view(context, *sources, f"image:{photograph(context, 40)}")["between"] == "bins"


@needs_weights
def test_what_stands_out_counts_where_nobody_has_selected_anything(
    context: Context, network: Path
) -> None:
    with_network = replace(context, sources=Sources(network))
    mug = context.storage.images.add(render("mug", "#B4532A", size_px=200).srgb8, "m.png", "upload")
    (first,) = view(with_network, f"image:{mug.image_id}")["distributions"]
    assert re.match(r"Salient object v1 · [\d,]+ px · ", first["image"]["words"])
    assert (first["image"]["whole"], first["image"]["salient"]) == (False, True)
    assert any("which nobody has checked" in note for note in first["notes"])
    (record,) = context.storage.masks.for_image(mug.image_id)
    assert record.maker == "salient"
    (again,) = view(with_network, f"image:{mug.image_id}")["distributions"]
    assert again["notes"] == first["notes"]
    # What was measured before stays what it was, and a person's choice of the whole image counts.
    values = {"image": mug.image_id, "marks": [{"type": "whole"}]}
    whole = save_mark(with_network, OWNER, read_as(Mark, values))
    assert view(with_network, whole["source"])["distributions"][0]["image"]["whole"] is True


def test_a_box_is_looked_at_before_it_counts(context: Context) -> None:
    image_id = photograph(context, YELLOW)
    values = {"image": image_id, "marks": [{"type": "box", "box": [25, 15, 55, 45]}]}
    assert re.match(
        r"GrabCut · box · (39\d|4\d\d) px",
        review_mark(context, OWNER, read_as(Mark, values))["words"],
    )
    assert context.storage.masks.for_image(image_id) == []
    saved = save_mark(context, OWNER, read_as(Mark, values))
    (row,) = view(context, saved["source"])["distributions"]
    assert row["image"]["mask_id"] == saved["mask_id"]
    assert row["weights"][YELLOW] > 0.95
    # Without a mask in the link the newest is taken.
    assert view(context, f"image:{image_id}")["distributions"][0]["image"]["whole"] is False


def test_rows_are_pooled_by_the_pixels_that_they_are_measured_by(context: Context) -> None:
    first, second = photograph(context, YELLOW), photograph(context, BROWN)
    box = [{"type": "box", "box": [25, 15, 55, 45]}]
    marked = save_mark(context, OWNER, read_as(Mark, {"image": first, "marks": box}))
    sources = [marked["source"], f"image:{second}"]
    made = pool(context, OWNER, read_as(Pool, {"sources": sources, "words": "banana"}))
    assert made["concept"] == "concept-0044"
    result, unscored = context.storage.picture_sets.image_profiles(made["set_id"])
    assert result[0].mask_id == marked["mask_id"]
    assert unscored == []
    marked_px, whole_px = (item.profile.mask_px for item in result)
    assert 380 < marked_px < 450
    assert whole_px == 4800


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({"sources": ["image:00000000"], "words": "banana"}, "a list of 2 to 6 entries"),
        ({"sources": ["set:00000000", "image:00000000"], "words": "banana"}, "not a single image"),
        ({"sources": 7, "words": "banana"}, "The list of images to pool is a list"),
        ({"sources": ["image:0", "image:1"]}, "Enter the concept"),
    ],
)
def test_what_cannot_be_pooled_is_refused(
    context: Context, values: dict[str, Any], text: str
) -> None:
    with pytest.raises(BadInput, match=text):
        pool(context, OWNER, read_as(Pool, values))


def test_the_routes_answer_in_words(context: Context) -> None:
    app = FastAPI()
    app.include_router(compare_routes(context))
    client = TestClient(app, headers={"X-TrueHue": "1"})
    none = {"image": "0" * 16, "marks": [{"type": "whole"}]}
    assert client.post("/api/compare/image/look", json=none).status_code == 404
    empty = client.post("/api/compare/image/mark", json={"image": "x", "marks": []})
    assert empty.status_code == 400
    assert "The list of selections is a list" in empty.json()["error"]
    with pytest.raises(NotStored):
        save_mark(context, OWNER, read_as(Mark, none))
