"""The saturation of two pictures as one figure."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from truehue.core.fidelity.vividness import saturation_histogram
from truehue.core.refinement.settings import NATURAL_SATURATION
from truehue.tabs.page.figures import INK, SOFT, blank

BINS = 25
HEIGHT_PX = 210


def histograms(before: np.ndarray, after: np.ndarray) -> dict[str, Any]:
    """HSV saturation of all pixels of both pictures in 25 bins, percent of the pixels in each, as a
    plotly figure in plain JSON."""
    import plotly.graph_objects as go

    figure = blank(height=HEIGHT_PX)
    edges = np.linspace(0.0, 1.0, BINS + 1)
    for name, srgb8, line in (
        ("without CFR", before, {"color": SOFT, "dash": "dot", "width": 2}),
        ("with CFR", after, {"color": INK, "width": 2}),
    ):
        percent = 100 * saturation_histogram(srgb8, BINS)
        figure.add_trace(
            go.Scatter(
                x=edges.tolist(),
                # The last step ends where its bin ends.
                y=[*percent.tolist(), float(percent[-1])],
                name=name,
                line={**line, "shape": "hv"},
                mode="lines",
                hovertemplate=f"{name}: %{{y:.1f}}% from S = %{{x:.2f}}<extra></extra>",
            )
        )
    figure.add_vline(
        NATURAL_SATURATION,
        line={"color": SOFT, "width": 1},
        annotation={
            "text": f"{NATURAL_SATURATION:g}, mean of photographs",
            "font": {"size": 10, "color": SOFT},
        },
        annotation_position="top right",
    )
    figure.update_xaxes(title="HSV saturation", range=[0, 1], dtick=0.2)
    figure.update_yaxes(title="% of pixels", rangemode="tozero")
    figure.update_layout(
        showlegend=True,
        margin={"l": 46, "r": 10, "t": 30, "b": 38},
        legend={"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "font": {"color": INK}},
    )
    out: dict[str, Any] = json.loads(figure.to_json())
    return out
