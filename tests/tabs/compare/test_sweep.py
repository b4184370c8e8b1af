"""The saturation sweep of stored photographs."""

from __future__ import annotations

import csv
import io
from colorsys import hsv_to_rgb

import numpy as np
import pytest

from truehue.core.errors import BadInput, NotStored
from truehue.tabs.compare.sweep import MAX_PHOTOGRAPHS, sweep_chart
from truehue.tabs.page.context import Context


def flat(context: Context, saturation: float) -> str:
    """The id of an image of one color of that HSV saturation."""
    pixel = [round(255 * channel) for channel in hsv_to_rgb(0.1, saturation, 1.0)]
    srgb8 = np.broadcast_to(np.array(pixel, np.uint8), (700, 8, 3))
    return context.storage.images.add(srgb8, f"{saturation}.png", "upload").image_id


def test_the_curve_of_delta_sat_by_hand(context: Context) -> None:
    # 0.165 reaches the 0.33 of photographs at twice its saturation, 0.55 at 0.6 of it.
    dull, vivid = flat(context, 0.165), flat(context, 0.55)
    for images, best in (([dull], 2.0), ([vivid], 0.6), ([dull, vivid, dull], 0.6)):
        chart = sweep_chart(context, images)
        assert chart.title == f"ΔSat is best at {best:g} times the saturation."
        assert not chart.empty
    rows = list(csv.DictReader(io.StringIO(sweep_chart(context, [dull]).csv())))
    scores = [float(row["mean_score"]) for row in rows if row["measure"] == "ΔSat"]
    scales = [float(row["scale"]) for row in rows if row["measure"] == "ΔSat"]
    expected = np.abs(0.165 * np.array(scales) - 0.33)
    # Levels of 8 bits.
    np.testing.assert_allclose(scores, expected, atol=1 / 255)
    upward = [float(row["relative"]) for row in rows if row["measure"] == "ΔSat"]
    assert upward[scales.index(1.0)] == 0.0
    assert max(upward) == upward[-1] == 1.0
    # A measure of which neither end is better has no maximum to look for.
    assert {row["measure"] for row in rows} == {"ΔSat"}


def test_gray_changes_nothing_and_is_said(context: Context) -> None:
    assert "ΔSat does not change." in sweep_chart(context, [flat(context, 0.0)]).title


def test_what_cannot_be_swept_is_said(context: Context) -> None:
    for count in (0, MAX_PHOTOGRAPHS + 1):
        with pytest.raises(BadInput, match=f"1 to {MAX_PHOTOGRAPHS} photographs, not {count}"):
            sweep_chart(context, [f"{index:064x}" for index in range(count)])
    with pytest.raises(NotStored):
        sweep_chart(context, ["0" * 64])
