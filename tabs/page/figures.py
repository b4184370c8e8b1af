"""The charts of a measurement: rows, and their appearance.

``assets/js/shared/chart.js`` renders a chart. Colors of the page are CSS variables, which the
browser fills in, so that one chart serves the light and the dark page; every other color is a
measured one.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

import numpy as np

from truehue.core.color.spaces import hex_of, lab_to_srgb8
from truehue.core.color.statistics import (
    ChromaticityDensity,
    chromaticity_density,
    density_image,
    lightness_histogram,
    mean,
)
from truehue.core.concepts.palette import ColorDescription
from truehue.core.images.pixels import MaskedColors
from truehue.core.verdict.measure import Measurement
from truehue.core.verdict.rules import DIFFERS, Thresholds, rule
from truehue.core.verdict.truehue import (
    LIGHTNESS_K,
    acceptance_outline,
    line_across,
    space_left,
    square_around,
)

INK, SOFT, LINE = "var(--th-ink)", "var(--th-soft)", "var(--th-line)"
PANEL = "var(--th-panel)"
PLOT = "var(--th-plot)"
"""Behind pixels in their own colors: dark ones are seen on the dark page too."""
MAX_POINTS_DRAWN = 60
"""Accepted colors drawn in the a*b* plane; a Munsell category can hold hundreds."""


def plotly_version() -> str:
    """The version whose script the page loads."""
    return version("plotly")


def _png_url(rgba8: np.ndarray) -> str:
    from PIL import Image

    png = io.BytesIO()
    Image.fromarray(rgba8, mode="RGBA").save(png, format="PNG")
    return "data:image/png;base64," + base64.b64encode(png.getvalue()).decode("ascii")


def _hex(lab: tuple[float, float, float]) -> str:
    return hex_of(lab_to_srgb8(np.array(lab)))


def chromaticity(measurement: Measurement) -> dict[str, Any]:
    """The a*b* plane: pixels in their colors, neutral point, axis, found, asked, acceptance."""
    assert measurement.colors is not None
    assert measurement.verdict.lab is not None
    low, high = _in_view(measurement)
    density = _density(measurement.colors, low, high)
    series = _axis_line(measurement, low, high)
    for index, outline in enumerate(_outlines(measurement)):
        line = _line(outline, {"color": INK, "width": 1.4 if index == 0 else 0.8})
        series.append(line | ({} if index else {"name": _limits_text(measurement)}))
    for candidate in measurement.candidates[1:MAX_POINTS_DRAWN]:
        series.append(_point(candidate.lab, candidate.name, candidate.hex, "circle", 6))
    series.append(NEUTRAL)
    target = measurement.candidates[0]
    found_lab = measurement.verdict.lab
    which = "forbidden" if measurement.relation == DIFFERS else "target"
    label = f"{which}: {target.name or target.hex}"
    series.append(_point(target.lab, label, target.hex, "circle", 11))
    light = measurement.verdict.light
    if light is not None:
        seen = light.seen_lab
        series.append(_point(seen, f"{which} under the estimated light", _hex(seen), "diamond", 9))
    series.append(_point(found_lab, "measured", _hex(found_lab), "square", 11))
    points = {"neutral": (0.0, 0.0), "target": target.lab[1:], "measured": found_lab[1:]}
    return _plane(density, series, _labels(points, low, high), low, high)


def chromaticity_of_colors(colors: MaskedColors, described: ColorDescription) -> dict[str, Any]:
    """The a*b* plane without a question: pixels, neutral point, lit region and mean."""
    lit, mean_lab = described.lit_lab, described.mean_lab
    low, high = square_around(np.array([*_ends(colors), np.zeros(2), lit[1:], mean_lab[1:]]))
    density = _density(colors, low, high)
    series = [
        NEUTRAL,
        _point(mean_lab, "mean of all pixels", _hex(mean_lab), "circle", 10),
        _point(lit, "lit region", _hex(lit), "square", 11),
    ]
    points = {"neutral": (0.0, 0.0), "target": mean_lab[1:], "measured": lit[1:]}
    labels = _labels(points, low, high, {"target": "mean", "measured": "lit"})
    return _plane(density, series, labels, low, high)


def _plane(
    density: ChromaticityDensity,
    series: Sequence[Mapping[str, Any]],
    notes: Sequence[Mapping[str, Any]],
    low: np.ndarray,
    high: np.ndarray,
) -> dict[str, Any]:
    """The pixels below, in axes of the same unit; the legend has what bears a name."""
    image, counts = _pixels(density)
    x, y = ([float(low[axis]), float(high[axis])] for axis in (0, 1))
    return {
        "height": 400,
        "margin": {"l": 48, "r": 10, "t": 10, "b": 38},
        "plot_bgcolor": PLOT,
        "images": [image],
        "series": [counts, *({"showlegend": "name" in item, **item} for item in series)],
        "legend": True,
        "notes": list(notes),
        "x": {"title": "a*", "range": x, "constrain": "domain"},
        "y": {
            "title": "b*",
            "range": y,
            "scaleanchor": "x",
            "constrain": "domain",
            "constraintoward": "top",
        },
    }


def _pixels(density: ChromaticityDensity) -> tuple[dict[str, Any], dict[str, Any]]:
    """The pixels in their colors, a square a cell, its area their number; hover counts them."""
    height, width = density.counts.shape
    image = {
        "source": _png_url(density_image(density)[::-1]),
        "xref": "x",
        "yref": "y",
        "x": float(density.a_min),
        "y": float(density.b_min + height * density.step),
        "sizex": float(width * density.step),
        "sizey": float(height * density.step),
        "sizing": "stretch",
        "layer": "below",
    }
    counts = {
        "type": "heatmap",
        "z": [[int(count) or None for count in row] for row in density.counts],
        "opacity": 0,
        "showscale": False,
        "x0": float(density.a_min + density.step / 2.0),
        "dx": float(density.step),
        "y0": float(density.b_min + density.step / 2.0),
        "dy": float(density.step),
        "hoverongaps": False,
        "hovertemplate": "a* %{x:.1f} · b* %{y:.1f}<br>%{z:,} px<extra></extra>",
    }
    return image, counts


NEUTRAL: Mapping[str, Any] = {
    "rows": [{"x": 0.0, "y": 0.0, "hover": "neutral: a* = b* = 0"}],
    "marker": {"symbol": "circle-open", "size": 9, "color": INK, "line": {"width": 1.5}},
}


def _point(lab: Sequence[float], label: str, fill: str, symbol: str, size: int) -> dict[str, Any]:
    return {
        "rows": [{"x": float(lab[1]), "y": float(lab[2]), "hover": label}],
        "hovertemplate": "%{hovertext}<br>a* %{x:.2f} · b* %{y:.2f}<extra></extra>",
        "marker": {
            "symbol": symbol,
            "size": size,
            "color": fill,
            "line": {"width": 2, "color": INK},
        },
    }


def _line(points: np.ndarray, line: Mapping[str, Any]) -> dict[str, Any]:
    rows = [{"x": a, "y": b} for a, b in points.tolist()]
    return {"mode": "lines", "hoverinfo": "skip", "rows": rows, "line": line}


def _ends(colors: MaskedColors) -> tuple[np.ndarray, np.ndarray]:
    """Lowest and highest (a*, b*) of the pixels."""
    ab = colors.lab[:, 1:]
    return ab.min(axis=0), ab.max(axis=0)


def _density(colors: MaskedColors, low: np.ndarray, high: np.ndarray) -> ChromaticityDensity:
    return chromaticity_density(colors.lab, colors.counts, float(high[0] - low[0]))


def _in_view(measurement: Measurement) -> tuple[np.ndarray, np.ndarray]:
    """The square that holds the pixels, the neutral point, found and the accepted colors."""
    assert measurement.colors is not None
    assert measurement.verdict.lab is not None
    points = [*_ends(measurement.colors), np.zeros(2), np.array(measurement.verdict.lab[1:])]
    points += [
        np.array(candidate.lab[1:]) for candidate in measurement.candidates[:MAX_POINTS_DRAWN]
    ]
    for outline in _outlines(measurement):
        points.extend(outline)
    return square_around(np.array(points))


def _outlines(measurement: Measurement) -> list[np.ndarray]:
    """What passes: around each accepted color, or around the nearest as the light shows it."""
    light, limits = measurement.verdict.light, _limits(measurement)
    if limits is None:
        return []
    if light is not None:
        return [acceptance_outline(light.seen_lab, limits)]
    return [
        acceptance_outline(candidate.lab, limits)
        for candidate in measurement.candidates[:MAX_POINTS_DRAWN]
    ]


def _limits(measurement: Measurement) -> Thresholds | None:
    """The limits of the rule, and what of them the light leaves; None where it leaves nothing, or
    where a rival decides."""
    light, thresholds = measurement.verdict.light, rule(measurement.verdict.rule).thresholds
    return thresholds if light is None else space_left(light, thresholds, measurement.verdict.rival)


def _limits_text(measurement: Measurement) -> str:
    """The name of the outlines: the differences that they are limits of."""
    limits, lit = _limits(measurement), measurement.verdict.light
    assert limits is not None
    named = (
        ("Δa*b*", limits.delta_chroma, ""),
        ("ΔE00" if lit is None else f"ΔE00 (k_L = {LIGHTNESS_K:g})", limits.delta_e00, ""),
        ("hue", limits.hue_deg, "°"),
    )
    texts = [f"{name} < {limit:.2g}{unit}" for name, limit, unit in named if limit is not None]
    # In two lines, for the legend of a narrow page.
    under = ": " if lit is None else " under this light, without rivals:<br>"
    return f"limit{under}{', '.join(texts)}"


def _axis_line(
    measurement: Measurement, low: np.ndarray, high: np.ndarray
) -> list[Mapping[str, Any]]:
    """The first component: through the neutral point, or through the mean when centered."""
    dominant = measurement.dominant
    if dominant is None or dominant.axis is None or measurement.colors is None:
        return []
    centered = dominant.method != "paper"
    through = (
        mean(measurement.colors.lab[:, 1:], measurement.colors.counts) if centered else np.zeros(2)
    )
    ends = line_across(through, np.array(dominant.axis), low, high)
    return [_line(ends, {"color": SOFT, "width": 1, "dash": "dash"})]


def _labels(
    points: dict[str, Any],
    low: np.ndarray,
    high: np.ndarray,
    terms: Mapping[str, str] | None = None,
) -> list[dict[str, Any]]:
    """The names of the points beside them; ``terms`` are what a name reads instead."""
    terms = terms or {}
    shifts = {"neutral": -11}
    apart = (np.array(points["measured"]) - np.array(points["target"])) / (high - low)
    if abs(apart[0]) < 0.12 and abs(apart[1]) < 0.05:
        # Words of one place would cover each other: one stands above, one below.
        up = 8 if apart[1] >= 0 else -8
        shifts |= {"measured": up, "target": -up}
    notes = []
    for name, (a, b) in points.items():
        near_edge = float(a) > float(high[0]) - 12.0
        note = {"x": float(a), "y": float(b), "text": terms.get(name, name), "bgcolor": PLOT}
        note |= (
            {"xanchor": "right", "xshift": -11} if near_edge else {"xanchor": "left", "xshift": 11}
        )
        notes.append(note | {"yshift": shifts.get(name, 0)})
    return notes


def lightness(measurement: Measurement) -> dict[str, Any]:
    """Histogram of L* with the measured and the target lightness; also with the target's under the
    light of the image where the rule compares with that."""
    assert measurement.colors is not None
    assert measurement.verdict.lab is not None
    light = measurement.verdict.light
    lines = [
        ("target", measurement.target.lab[0], "solid"),
        ("measured", measurement.verdict.lab[0], "dash"),
    ]
    if light is not None:
        lines.append(("target under this light", light.seen_lab[0], "dot"))
    return _lightness(measurement.colors, lines)


def lightness_of_colors(colors: MaskedColors, described: ColorDescription) -> dict[str, Any]:
    """Histogram of L* with that of the lit region and of the mean."""
    lines = (("lit", described.lit_lab[0], "solid"), ("mean", described.mean_lab[0], "dash"))
    return _lightness(colors, lines)


def _lightness(colors: MaskedColors, lines: Sequence[tuple[str, float, str]]) -> dict[str, Any]:
    """Histogram of L* with lines: name, value and dash of each."""
    counts = lightness_histogram(colors.lab, colors.counts)
    share = (100.0 * counts / counts.sum()).tolist()
    lightest = max((value, index) for index, (_, value, _) in enumerate(lines))
    notes = []
    for index, (name, value, _) in enumerate(lines):
        text = f"{name} {value:.1f}"
        # Words stand outside the lines, and inside the plot, of which a letter takes 1.8.
        room = 1.8 * len(text)
        to_right = ((value, index) == lightest and value < 100 - room) or value < room
        notes.append(
            {
                "x": float(value),
                "y": 1.0 - 0.14 * index,
                "yref": "paper",
                "text": text,
                "xanchor": "left" if to_right else "right",
                "xshift": 4 if to_right else -4,
                "yanchor": "top",
                "bgcolor": PANEL,
            }
        )
    bars = {
        "type": "bar",
        "rows": [{"x": 2 * index + 1, "y": percent} for index, percent in enumerate(share)],
        "hovertemplate": "L* %{x:.0f} ± 1<br>%{y:.1f}% of the pixels<extra></extra>",
        "marker": {"color": SOFT, "line": {"width": 0}},
    }
    return {
        "height": 230,
        "margin": {"l": 8, "r": 8, "t": 6, "b": 44},
        "bargap": 0.12,
        "series": [bars],
        "lines": [
            {"x": float(value), "color": INK, "width": 2, "dash": dash} for _, value, dash in lines
        ],
        "notes": notes,
        "x": {"title": "L*", "range": [0, 100], "showgrid": False, "dtick": 20},
        "y": {"showgrid": False, "showticklabels": False, "ticks": "", "fixedrange": True},
    }
