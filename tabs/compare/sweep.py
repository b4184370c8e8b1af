"""The saturation sweep of stored photographs: the saturation that each measure prefers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import cv2
import numpy as np

from truehue.core.errors import BadInput, TrueHueError
from truehue.core.fidelity.sweep import SCALES, Curve, curve_of, sweep_rows
from truehue.core.scores.measures import measures_of
from truehue.core.scores.records import HIGH, IMAGE, NEITHER, Measure
from truehue.tabs.charts.figure_parts import label, line_style
from truehue.tabs.compare.tables.charts import Chart, ChartJson, Row
from truehue.tabs.page.context import Context
from truehue.tabs.page.figures import INK, PANEL, SOFT

MAX_PHOTOGRAPHS = 24
MAX_PX = 512
"""On a side: scores are of copies that are no larger, so that a sweep takes seconds."""
_COLUMNS = ("measure", "scale", "mean_score", "relative", "photographs_best_here")
_WORDS = (
    "Does a metric prefer the real photograph or a more vivid copy? The HSV saturation of "
    "every pixel is multiplied by 0.4 to 2. A metric of realism is best at 1, the photograph "
    "itself; one that prefers vivid images is best above 1. ΔSat is best where the mean "
    "saturation reaches 0.33, which tells how vivid these photographs are."
)
_SOURCE = (
    "“Too Vivid to Be Real?”, figure 1 A.2. The paper names neither the color space nor the "
    "scales: HSV S and 0.4 to 2 are ours."
)


def sweep_view(context: Context, image_ids: Sequence[str]) -> ChartJson:
    """The saturation sweep of stored images; errors as of :func:`sweep_chart`."""
    return sweep_chart(context, image_ids).as_json()


def sweep_chart(context: Context, image_ids: Sequence[str]) -> Chart:
    """The curves of all quick measures that have a better end, over these stored images.

    A curve's height is the score less that at scale 1, over the largest such difference, upward
    being better. Raises BadInput for no image or more than :data:`MAX_PHOTOGRAPHS`, NotStored for
    one that is not here.
    """
    chosen = list(dict.fromkeys(filter(None, image_ids)))
    if not 1 <= len(chosen) <= MAX_PHOTOGRAPHS:
        raise BadInput(f"A sweep takes 1 to {MAX_PHOTOGRAPHS} photographs, not {len(chosen)}.")
    photographs = [_copy(context.srgb8(image_id)) for image_id in chosen]
    curves, slow = [], []
    for measure in measures_of(IMAGE):
        if measure.of is None or measure.better == NEITHER:
            continue
        if not measure.quick:
            slow.append(measure.name)
            continue
        rows = list(sweep_rows(photographs, partial(_score, measure)))
        if np.isfinite(rows).all(axis=1).any():
            curves.append((measure, curve_of(rows, higher_is_better=measure.better == HIGH)))
    count = f"{len(chosen)} photograph{'s' if len(chosen) > 1 else ''}"
    stands = [f"On {count}, as copies of at most {MAX_PX} px a side."]
    stands += [f"{by.name}: {c.unscored} unscored." for by, c in curves if c.unscored]
    if slow:
        stands.append(f"{', '.join(slow)} by command: python -m truehue fidelity sweep.")
    return Chart(
        "saturation-sweep",
        " ".join(_peak_text(by, curve) for by, curve in curves),
        _WORDS,
        _figure(curves) if curves else None,
        _COLUMNS,
        tuple(row for by, curve in curves for row in _rows(by, curve)),
        " ".join(stands),
        "" if curves else "No measure gives a score to these photographs.",
        _SOURCE,
    )


def _copy(srgb8: np.ndarray) -> np.ndarray:
    height, width = srgb8.shape[:2]
    shrink = MAX_PX / max(height, width)
    if shrink >= 1:
        return srgb8
    size = max(1, round(width * shrink)), max(1, round(height * shrink))
    return np.asarray(cv2.resize(srgb8, size, interpolation=cv2.INTER_AREA))


def _score(measure: Measure, srgb8: np.ndarray) -> float:
    """The score, NaN where there is none: the curve counts it as unscored."""
    assert measure.of is not None
    try:
        return measure.of(srgb8)[0]
    except TrueHueError:
        return float("nan")


def _upward(measure: Measure, curve: Curve) -> tuple[float, ...]:
    """The relative curve with the better end upward; + 0.0 makes -0 a 0."""
    sign = 1.0 if measure.better == HIGH else -1.0
    return tuple(sign * value + 0.0 for value in curve.relative)


def _peak_text(measure: Measure, curve: Curve) -> str:
    if not any(curve.relative):
        return f"{measure.name} does not change."
    if curve.peak == 1:
        return f"{measure.name} is best at the saturation of the photographs."
    return f"{measure.name} is best at {curve.peak:g} times the saturation."


def _rows(measure: Measure, curve: Curve) -> list[Row]:
    columns = zip(curve.scales, curve.means, _upward(measure, curve), curve.peaks_at, strict=True)
    return [Row((measure.name, *values)) for values in columns]


def _figure(curves: Sequence[tuple[Measure, Curve]]) -> dict[str, Any]:
    series = []
    for index, (measure, curve) in enumerate(curves):
        dash, shape = line_style(index)
        color = INK if index % 2 == 0 else SOFT
        rows = []
        for scale, mean, upward in zip(
            curve.scales, curve.means, _upward(measure, curve), strict=True
        ):
            best = scale == curve.peak
            rows.append(
                {
                    "x": scale,
                    "y": upward,
                    "size": 13 if best else 8,
                    "color": color if best else PANEL,
                    "hover": f"{label(measure.name)} {measure.text(mean)} at {scale:g} times"
                    + (", its best" if best else ""),
                }
            )
        series.append(
            {
                "name": label(measure.name),
                "mode": "lines+markers",
                "rows": rows,
                "line": {"color": color, "width": 2, "dash": dash},
                "marker": {"symbol": shape, "line": {"width": 2, "color": color}},
                "cliponaxis": False,
            }
        )
    return {
        "height": 340,
        "margin": {"l": 54, "r": 14, "t": 34, "b": 46},
        "series": series,
        "lines": [{"x": 1, "dash": "dot"}],
        "x": {"title": "Saturation, times", "tickvals": list(SCALES)},
        "y": {"title": "Better than at 1 ↑ (relative)"},
        "legend": {"itemclick": "toggle", "itemdoubleclick": "toggleothers"},
    }
