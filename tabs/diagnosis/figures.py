"""ROC figures: hits over false accepts of each rule as its limits are moved together."""

from __future__ import annotations

from typing import Any

from truehue.core.diagnosis.records import DiagnosisReport
from truehue.tabs.page.figures import INK, PANEL, SOFT, blank, plain_json

# Rules are told apart by line and shape, not by color: only data is colored.
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
SHAPES = ("circle", "square", "diamond", "triangle-up", "cross", "star")
NARROW_PERCENT = 25.0


def style_of(index: int) -> tuple[str, str]:
    """Dash and shape of the rule at that place of a report."""
    return DASHES[index % len(DASHES)], SHAPES[index % len(SHAPES)]


def roc_figure(report: DiagnosisReport, system: str) -> dict[str, Any]:
    """One line a rule, its operating point marked; axes in percent.

    The operating point is where every limit is as the rule has it. The left part is shown, where
    rules are used; a double click shows everything.
    """
    import plotly.graph_objects as go

    figure = blank(height=340)
    for index, rule in enumerate(report.rules):
        roc = rule.roc.get(system)
        if roc is None or not roc.points:
            continue
        dash, shape = style_of(index)
        points = sorted(roc.points, key=lambda point: point.limit)
        figure.add_trace(
            go.Scatter(
                x=[point.false_accept_percent for point in points],
                y=[point.hit_percent for point in points],
                customdata=[point.limit for point in points],
                mode="lines",
                line={"color": INK if dash == "solid" else SOFT, "width": 2, "dash": dash},
                name=rule.name,
                legendgroup=rule.id,
                showlegend=False,
                hovertemplate=f"{rule.name}, limits × %{{customdata:.2f}}<br>"
                "true accepts %{y:.1f}%, false accepts %{x:.1f}%<extra></extra>",
            )
        )
        plot = rule.figure("pooled", system)
        if plot is None or plot.hit_percent is None or plot.false_accept_percent is None:
            continue
        area = "" if roc.auc is None else f", area {roc.auc:.3f}"
        figure.add_trace(
            go.Scatter(
                x=[plot.false_accept_percent],
                y=[plot.hit_percent],
                mode="lines+markers",
                name=f"{rule.name}{area}",
                legendgroup=rule.id,
                showlegend=True,
                line={"color": INK if dash == "solid" else SOFT, "width": 2, "dash": dash},
                cliponaxis=False,
                marker={
                    "symbol": shape,
                    "size": 11,
                    "color": PANEL,
                    "line": {"width": 2, "color": INK},
                },
                hovertemplate=f"{rule.name}, as it is<br>"
                "true accepts %{y:.1f}%, false accepts %{x:.1f}%"
                "<extra></extra>",
            )
        )
    figure.update_layout(
        showlegend=True,
        margin={"l": 46, "r": 10, "t": 10, "b": 40},
        legend={
            "x": 1,
            "y": 0,
            "xanchor": "right",
            "yanchor": "bottom",
            "bgcolor": PANEL,
            "font": {"size": 11, "color": INK},
            "itemclick": False,
            "itemdoubleclick": False,
        },
    )
    figure.update_xaxes(range=[-0.4, NARROW_PERCENT], title_text="False accept rate, %")
    figure.update_yaxes(range=[0, 102], title_text="True accept rate, %")
    return plain_json(figure)
