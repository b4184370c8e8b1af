"""Figures as plotly objects. Colors of the page are CSS variables, which the browser fills in, so
that one figure serves the light and the dark page; every other color is a measured one."""

from __future__ import annotations

import base64
import io
import json
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
from truehue.core.verdict.region import acceptance_outline, line_across, space_left, square_around
from truehue.core.verdict.rules import DIFFERS, rule

INK, SOFT, LINE = "var(--th-ink)", "var(--th-soft)", "var(--th-line)"
PANEL = "var(--th-panel)"
MOST_DRAWN = 60
"""Accepted colors drawn in the a*b* plane; a Munsell category can hold hundreds."""


def plotly_version() -> str:
    """The version whose script the page loads."""
    return version("plotly")


def blank(**layout: Any) -> Any:
    """An empty figure in the page's colors; ``layout`` goes to plotly."""
    import plotly.graph_objects as go

    figure = go.Figure()
    figure.update_layout(
        margin={"l": 38, "r": 10, "t": 10, "b": 34},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"size": 11, "color": SOFT},
        showlegend=False,
        hovermode="closest",
        hoverlabel={"bgcolor": PANEL, "bordercolor": LINE, "font": {"color": INK}},
        **layout,
    )
    grid = {
        "gridcolor": LINE,
        "linecolor": LINE,
        "zeroline": False,
        "ticks": "outside",
        "tickcolor": LINE,
        "title": {"standoff": 6},
    }
    figure.update_xaxes(**grid)
    figure.update_yaxes(**grid)
    return figure


def _png_url(rgba8: np.ndarray) -> str:
    from PIL import Image

    png = io.BytesIO()
    Image.fromarray(rgba8, mode="RGBA").save(png, format="PNG")
    return "data:image/png;base64," + base64.b64encode(png.getvalue()).decode("ascii")


def _hex(lab: tuple[float, float, float]) -> str:
    return hex_of(lab_to_srgb8(np.array(lab)))


def chromaticity(measurement: Measurement) -> dict[str, Any]:
    """The a*b* plane: pixels in their colors, neutral point, axis, found, asked, acceptance."""
    import plotly.graph_objects as go

    assert measurement.colors is not None
    assert measurement.verdict.lab is not None
    density = chromaticity_density(measurement.colors.lab, measurement.colors.counts)
    figure = blank(height=400)
    _pixels(figure, density)
    low, high = _in_view(measurement, density)
    _axis_line(figure, measurement, low, high)
    for index, outline in enumerate(_outlines(measurement)):
        figure.add_trace(
            go.Scatter(
                x=outline[:, 0],
                y=outline[:, 1],
                mode="lines",
                hoverinfo="skip",
                line={"color": INK, "width": 1.4 if index == 0 else 0.8},
            )
        )
    for candidate in measurement.candidates[1:MOST_DRAWN]:
        figure.add_trace(_point(candidate.lab, candidate.name, candidate.hex, "circle", 6))
    _neutral(figure)
    target = measurement.candidates[0]
    found_lab = measurement.verdict.lab
    which = "forbidden" if measurement.relation == DIFFERS else "asked"
    label = f"{which}: {target.name or target.hex}"
    figure.add_trace(_point(target.lab, label, target.hex, "circle", 11))
    light = measurement.verdict.light
    if light is not None:
        seen = light.seen_lab
        figure.add_trace(
            _point(seen, f"{which} under the estimated light", _hex(seen), "diamond", 9)
        )
    figure.add_trace(_point(found_lab, "found", _hex(found_lab), "square", 11))
    _labels(
        figure, {"neutral": (0.0, 0.0), "asked": target.lab[1:], "found": found_lab[1:]}, low, high
    )
    return _plane(figure, low, high)


def chromaticity_of_colors(colors: MaskedColors, described: ColorDescription) -> dict[str, Any]:
    """The a*b* plane without a question: pixels, neutral point, lit region and mean."""
    density = chromaticity_density(colors.lab, colors.counts)
    figure = blank(height=400)
    _pixels(figure, density)
    lit, mean_lab = described.lit_lab, described.mean_lab
    points = np.array([*density.corners, np.zeros(2), lit[1:], mean_lab[1:]])
    low, high = square_around(points)
    _neutral(figure)
    figure.add_trace(_point(mean_lab, "mean of all pixels", _hex(mean_lab), "circle", 10))
    figure.add_trace(_point(lit, "lit region", _hex(lit), "square", 11))
    _labels(
        figure,
        {"neutral": (0.0, 0.0), "asked": mean_lab[1:], "found": lit[1:]},
        low,
        high,
        {"asked": "mean", "found": "lit"},
    )
    return _plane(figure, low, high)


def _pixels(figure: Any, density: ChromaticityDensity) -> None:
    """The pixels in their colors, a square a cell, its area their number; hover counts them."""
    import plotly.graph_objects as go

    height, width = density.counts.shape
    figure.add_layout_image(
        source=_png_url(density_image(density)[::-1]),
        xref="x",
        yref="y",
        x=density.a_min,
        y=density.b_min + height * density.step,
        sizex=width * density.step,
        sizey=height * density.step,
        sizing="stretch",
        layer="below",
    )
    center = (np.array([density.a_min, density.b_min]) + density.step / 2.0).tolist()
    figure.add_trace(
        go.Heatmap(
            z=np.where(density.counts > 0, density.counts, np.nan),
            opacity=0,
            showscale=False,
            x0=center[0],
            dx=density.step,
            y0=center[1],
            dy=density.step,
            hoverongaps=False,
            hovertemplate="a* %{x:.1f} · b* %{y:.1f}<br>%{z:,} px<extra></extra>",
        )
    )


def _neutral(figure: Any) -> None:
    import plotly.graph_objects as go

    figure.add_trace(
        go.Scatter(
            x=[0],
            y=[0],
            mode="markers",
            hovertemplate="neutral: a* = b* = 0<extra></extra>",
            marker={"symbol": "circle-open", "size": 9, "color": INK, "line": {"width": 1.5}},
        )
    )


def _plane(figure: Any, low: np.ndarray, high: np.ndarray) -> dict[str, Any]:
    """The figure with axes of the same unit, as plain JSON."""
    figure.update_xaxes(range=[low[0], high[0]], title_text="a*", constrain="domain")
    figure.update_yaxes(
        range=[low[1], high[1]],
        title_text="b*",
        scaleanchor="x",
        constrain="domain",
        constraintoward="top",
    )
    return plain_json(figure)


def _point(lab: Any, label: str, fill: str, symbol: str, size: int) -> Any:
    import plotly.graph_objects as go

    return go.Scatter(
        x=[lab[1]],
        y=[lab[2]],
        mode="markers",
        text=[label],
        hovertemplate="%{text}<br>a* %{x:.2f} · b* %{y:.2f}<extra></extra>",
        marker={"symbol": symbol, "size": size, "color": fill, "line": {"width": 2, "color": INK}},
    )


def _in_view(
    measurement: Measurement, density: ChromaticityDensity
) -> tuple[np.ndarray, np.ndarray]:
    """The square that holds the pixels, the neutral point, found and the accepted colors."""
    assert measurement.verdict.lab is not None
    points = [*density.corners, np.zeros(2), np.array(measurement.verdict.lab[1:])]
    points += [np.array(candidate.lab[1:]) for candidate in measurement.candidates[:MOST_DRAWN]]
    for outline in _outlines(measurement):
        points.extend(outline)
    return square_around(np.array(points))


def _outlines(measurement: Measurement) -> list[np.ndarray]:
    """What passes: around each accepted color, or around the nearest as the light shows it."""
    verdict = measurement.verdict
    by = rule(verdict.rule)
    if verdict.light is None:
        return [
            acceptance_outline(candidate.lab, by.thresholds)
            for candidate in measurement.candidates[:MOST_DRAWN]
        ]
    room = space_left(verdict.light, by.thresholds)
    return [] if room is None else [acceptance_outline(verdict.light.seen_lab, room)]


def _axis_line(figure: Any, measurement: Measurement, low: np.ndarray, high: np.ndarray) -> None:
    """The first component: through the neutral point, or through the mean when centered."""
    import plotly.graph_objects as go

    dominant = measurement.dominant
    if dominant is None or dominant.axis is None or measurement.colors is None:
        return
    centered = dominant.method != "paper"
    through = (
        mean(measurement.colors.lab[:, 1:], measurement.colors.counts) if centered else np.zeros(2)
    )
    ends = line_across(through, np.array(dominant.axis), low, high)
    figure.add_trace(
        go.Scatter(
            x=ends[:, 0],
            y=ends[:, 1],
            mode="lines",
            hoverinfo="skip",
            line={"color": SOFT, "width": 1, "dash": "dash"},
        )
    )


def _labels(
    figure: Any,
    points: dict[str, Any],
    low: np.ndarray,
    high: np.ndarray,
    terms: Mapping[str, str] | None = None,
) -> None:
    """The names of the points beside them; ``words`` are what a name reads instead."""
    terms = terms or {}
    shifts = {"neutral": -11}
    apart = (np.array(points["found"]) - np.array(points["asked"])) / (high - low)
    if abs(apart[0]) < 0.12 and abs(apart[1]) < 0.05:
        # Words of one place would cover each other: one stands above, one below.
        up = 8 if apart[1] >= 0 else -8
        shifts |= {"found": up, "asked": -up}
    for name, (a, b) in points.items():
        near_edge = float(a) > float(high[0]) - 12.0
        figure.add_annotation(
            x=float(a),
            y=float(b),
            text=terms.get(name, name),
            showarrow=False,
            font={"size": 11, "color": INK},
            xanchor="right" if near_edge else "left",
            xshift=-11 if near_edge else 11,
            yshift=shifts.get(name, 0),
        )


def lightness(measurement: Measurement) -> dict[str, Any]:
    """Histogram of L* with the found and the asked lightness."""
    assert measurement.colors is not None
    assert measurement.verdict.lab is not None
    lines = (
        ("asked", measurement.target.lab[0], "solid"),
        ("found", measurement.verdict.lab[0], "dash"),
    )
    return _lightness(measurement.colors, lines)


def lightness_of_colors(colors: MaskedColors, described: ColorDescription) -> dict[str, Any]:
    """Histogram of L* with that of the lit region and of the mean."""
    lines = (("lit", described.lit_lab[0], "solid"), ("mean", described.mean_lab[0], "dash"))
    return _lightness(colors, lines)


def _lightness(colors: MaskedColors, lines: Sequence[tuple[str, float, str]]) -> dict[str, Any]:
    """Histogram of L* with two lines: name, value and dash of each."""
    import plotly.graph_objects as go

    counts = lightness_histogram(colors.lab, colors.counts)
    share = 100.0 * counts / counts.sum()
    figure = blank(bargap=0.12)
    figure.add_trace(
        go.Bar(
            x0=1.0,
            dx=2.0,
            y=share,
            marker={"color": SOFT, "line": {"width": 0}},
            hovertemplate="L* %{x:.0f} ± 1<br>%{y:.1f}% of the pixels<extra></extra>",
        )
    )
    (_, first, _), (_, second, _) = lines
    for (name, value, dash), level, to_right in zip(
        lines, (1.0, 0.86), (second < first, second >= first), strict=True
    ):
        figure.add_vline(x=value, line={"color": INK, "width": 2, "dash": dash})
        # Words stand outside the pair of lines, and inside the plot.
        outside = (to_right and value < 80) or value < 20
        figure.add_annotation(
            x=value,
            y=level,
            yref="paper",
            text=f"{name} {value:.1f}",
            showarrow=False,
            xanchor="left" if outside else "right",
            xshift=4 if outside else -4,
            yanchor="top",
            font={"size": 11, "color": INK},
            bgcolor=PANEL,
        )
    figure.update_xaxes(range=[0, 100], title_text="L*", showgrid=False, dtick=20)
    figure.update_yaxes(showgrid=False, showticklabels=False, ticks="", fixedrange=True)
    figure.update_layout(margin={"l": 8, "r": 8, "t": 6, "b": 44}, height=230)
    return plain_json(figure)


def plain_json(figure: Any) -> dict[str, Any]:
    """The figure as plain JSON."""
    plain: dict[str, Any] = json.loads(figure.to_json())
    # The default template is a thousand lines that blank overrides.
    plain["layout"].pop("template", None)
    return plain


def warm() -> None:
    """Imports plotly and draws once, which takes two seconds the first time."""
    plain_json(blank())
