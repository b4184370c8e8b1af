"""The saturation of two pictures as one figure."""

from __future__ import annotations

from typing import Any

import numpy as np

from truehue.core.fidelity.vividness import saturation_histogram
from truehue.core.refinement.settings import NATURAL_SATURATION
from truehue.tabs.page.figures import INK, SOFT

BINS = 25
HEIGHT_PX = 210


def histograms(before: np.ndarray, after: np.ndarray) -> dict[str, Any]:
    """HSV saturation of all pixels of both pictures in 25 bins, percent of the pixels in each."""
    series = []
    for name, srgb8, color, dash in (
        ("without CFR", before, SOFT, "dot"),
        ("with CFR", after, INK, "solid"),
    ):
        percent = (100 * saturation_histogram(srgb8, BINS)).tolist()
        # The last step ends where its bin ends.
        steps = [*percent, percent[-1]]
        series.append(
            {
                "name": name,
                "mode": "lines",
                "rows": [{"x": index / BINS, "y": value} for index, value in enumerate(steps)],
                "line": {"color": color, "dash": dash, "width": 2, "shape": "hv"},
                "hovertemplate": f"{name}: %{{y:.1f}}% from S = %{{x:.2f}}<extra></extra>",
            }
        )
    natural = {
        "x": NATURAL_SATURATION,
        "y": 1,
        "yref": "paper",
        "xanchor": "left",
        "yanchor": "top",
        "text": f"{NATURAL_SATURATION:g}, mean of photographs",
        "font": {"size": 10, "color": SOFT},
    }
    return {
        "height": HEIGHT_PX,
        "margin": {"l": 46, "r": 10, "t": 30, "b": 38},
        "series": series,
        "lines": [{"x": NATURAL_SATURATION}],
        "notes": [natural],
        "x": {"title": "HSV saturation", "range": [0, 1], "dtick": 0.2},
        "y": {"title": "% of pixels", "rangemode": "tozero"},
        "legend": {"y": 1.02, "itemclick": "toggle", "itemdoubleclick": "toggleothers"},
    }
