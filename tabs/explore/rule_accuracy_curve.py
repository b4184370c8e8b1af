"""The curve of each rule: hits against false accepts, with its operating point and intervals."""

from __future__ import annotations

from typing import Any

from truehue.core.diagnosis.records import DiagnosisReport
from truehue.tabs.charts.figure_parts import line_style
from truehue.tabs.page.figures import INK, PANEL, SOFT

NARROW_PERCENT = 25.0
RATES = "true accepts %{y:.1f}%, false accepts %{x:.1f}%<extra></extra>"


def roc_figure(report: DiagnosisReport, system: str) -> dict[str, Any]:
    """One line a rule, its operating point marked with the box of its intervals; axes in percent.

    The operating point is where every limit is as the rule has it. The left part is shown, where
    rules are used; a double click shows everything.
    """
    series: list[dict[str, Any]] = []
    shapes: list[dict[str, Any]] = []
    for index, rule in enumerate(report.rules):
        roc = rule.roc.get(system)
        if roc is None or not roc.points:
            continue
        dash, shape = line_style(index)
        look = {
            "legendgroup": rule.id,
            "line": {"color": INK if dash == "solid" else SOFT, "width": 2, "dash": dash},
        }
        points = [
            {"x": point.false_accept_percent, "y": point.hit_percent, "hover": f"{point.limit:.2f}"}
            for point in sorted(roc.points, key=lambda point: point.limit)
        ]
        hover = f"{rule.name}, limits × %{{hovertext}}<br>{RATES}"
        series.append(
            {"mode": "lines", "rows": points, "hovertemplate": hover, "showlegend": False, **look}
        )
        plot = rule.figure("pooled", system)
        if plot is None or plot.hit_percent is None or plot.false_accept_percent is None:
            continue
        shapes.append(
            interval_box(
                plot.false_accept_low or 0.0,
                plot.false_accept_high or 0.0,
                plot.hit_low or 0.0,
                plot.hit_high or 0.0,
            )
        )
        series.append(
            {
                "mode": "lines+markers",
                "rows": [{"x": plot.false_accept_percent, "y": plot.hit_percent}],
                "name": rule.name + ("" if roc.auc is None else f", area {roc.auc:.3f}"),
                "cliponaxis": False,
                "marker": {
                    "symbol": shape,
                    "size": 11,
                    "color": PANEL,
                    "line": {"width": 2, "color": INK},
                },
                "hovertemplate": f"{rule.name}, as it is<br>{RATES}",
                **look,
            }
        )
    corner = {"orientation": "v", "x": 1, "y": 0, "xanchor": "right", "yanchor": "bottom"}
    return {
        "height": 340,
        "margin": {"l": 46, "r": 10, "t": 10, "b": 40},
        "series": series,
        "shapes": shapes,
        "x": {"title": "False accept rate, %", "range": [-0.4, NARROW_PERCENT]},
        "y": {"title": "True accept rate, %", "range": [0, 102]},
        "legend": {**corner, "bgcolor": PANEL},
    }


def interval_box(left: float, right: float, low: float, high: float) -> dict[str, Any]:
    """A box of plotly's around a point of a curve: the intervals of both of its rates."""
    return {
        "type": "rect",
        "x0": left,
        "x1": right,
        "y0": low,
        "y1": high,
        "line": {"color": SOFT, "width": 1},
        "fillcolor": SOFT,
        "opacity": 0.35,
        "layer": "below",
    }
