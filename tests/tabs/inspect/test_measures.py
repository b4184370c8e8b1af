"""The measures of a whole image in Inspect."""

from __future__ import annotations

import numpy as np
import pytest

from truehue.core.fidelity.vividness import mean_saturation
from truehue.core.records import ImageRecord
from truehue.core.scores import measures as listed
from truehue.core.scores.records import IMAGE, Measure, ScoreRecord
from truehue.tabs.inspect.score import ImageMeasures
from truehue.tabs.page.context import Context

LIKED = Measure("liked", "1", "Liked", "high", 0.0, 10.0, 0, "Mean rating", "people")


def test_measures_stand_as_stored_else_as_computed(
    context: Context, stored: ImageRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listed, "MEASURES", (listed.measure_of("mean_saturation"), LIKED))
    shown, image_id = ImageMeasures(), stored.image_id
    saturation = mean_saturation(np.asarray(context.srgb8(image_id)))
    (row,) = shown.of(context, image_id)
    assert (row["name"], row["text"]) == ("Mean saturation", f"{saturation:.3f}")
    assert "HSV" in row["title"]
    assert context.storage.scores.count() == 0
    refused = ScoreRecord(IMAGE, image_id, "liked", "1", None, "unscored", "Nobody answered.")
    score_record = ScoreRecord(IMAGE, image_id, "mean_saturation", "1.0", 0.25)
    context.storage.scores.add_many([refused, score_record])
    assert [(row["text"], row["title"][:6]) for row in shown.of(context, image_id)] == [
        ("0.250", row["title"][:6]),
        ("unscored", "Nobody"),
    ]
