"""Figures of a number against guidance, against the size of a model, and by category."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from truehue.core.analysis.records import Slice
from truehue.tabs.compare.sources import written_scale
from truehue.tabs.compare.tables.charts import line_style, run_names
from truehue.tabs.explore.figure_parts import HeatCell, Picks, finished, heat_map, label
from truehue.tabs.page.figures import INK, PANEL, SOFT, blank

WEAKEST_SHADE = 6.0


@dataclass(frozen=True)
class Mark:
    """One number of a run: ``x`` guidance or billions of parameters, ``low`` and ``high`` the
    interval, None where there is none."""

    run: str
    x: float
    y: float
    low: float | None
    high: float | None
    hover: str


def lines(marks: Sequence[Mark], runs: Mapping[str, str], unit: str) -> dict[str, Any]:
    """One line a run over guidance scales, told apart by dash and shape."""
    import plotly.graph_objects as go

    figure = blank(height=380)
    for index, (run, name) in enumerate(run_names(runs).items()):
        own = sorted((mark for mark in marks if mark.run == run), key=lambda mark: mark.x)
        if not own:
            continue
        dash, shape = line_style(index)
        color = INK if index % 2 == 0 else SOFT
        figure.add_trace(
            go.Scatter(
                x=[mark.x for mark in own],
                y=[mark.y for mark in own],
                name=name,
                showlegend=True,
                mode="lines+markers",
                line={"color": color, "width": 2, "dash": dash},
                marker={
                    "symbol": shape,
                    "size": 9,
                    "color": PANEL,
                    "line": {"width": 2, "color": color},
                },
                error_y=_bars(own, color),
                hovertext=[mark.hover for mark in own],
                hovertemplate="%{hovertext}<extra></extra>",
                cliponaxis=False,
            )
        )
    scales = sorted({mark.x for mark in marks})
    figure.update_xaxes(
        title_text="Guidance scale",
        tickvals=scales,
        ticktext=[written_scale(scale) for scale in scales],
    )
    figure.update_yaxes(title_text=unit)
    return finished(_with_legend(figure))


def by_size(marks: Sequence[Mark], runs: Mapping[str, str], unit: str) -> dict[str, Any]:
    """Each run at its model's size in billions of parameters, on a log scale."""
    import plotly.graph_objects as go

    figure = blank(height=380)
    for index, (run, name) in enumerate(run_names(runs).items()):
        own = [mark for mark in marks if mark.run == run]
        if not own:
            continue
        _, shape = line_style(index)
        figure.add_trace(
            go.Scatter(
                x=[mark.x for mark in own],
                y=[mark.y for mark in own],
                name=name,
                showlegend=True,
                mode="markers",
                error_y=_bars(own, SOFT),
                hovertext=[mark.hover for mark in own],
                hovertemplate="%{hovertext}<extra></extra>",
                cliponaxis=False,
                marker={
                    "symbol": shape,
                    "size": 11,
                    "color": PANEL,
                    "line": {"width": 2, "color": INK},
                },
            )
        )
    sizes = sorted({mark.x for mark in marks})
    figure.update_xaxes(
        type="log",
        title_text="Parameters, billions",
        tickvals=sizes,
        ticktext=[f"{size:g}" for size in sizes],
    )
    figure.update_yaxes(title_text=unit)
    return finished(_with_legend(figure))


def _bars(own: Sequence[Mark], color: str) -> dict[str, Any]:
    return {
        "type": "data",
        "symmetric": False,
        "color": color,
        "thickness": 1,
        "width": 3,
        "array": [0.0 if mark.high is None else mark.high - mark.y for mark in own],
        "arrayminus": [0.0 if mark.low is None else mark.y - mark.low for mark in own],
    }


def _with_legend(figure: Any) -> Any:
    figure.update_layout(
        margin={"l": 54, "r": 14, "t": 40, "b": 46},
        showlegend=True,
        legend={
            "orientation": "h",
            "x": 0,
            "y": 1,
            "yanchor": "bottom",
            "itemclick": False,
            "itemdoubleclick": False,
            "font": {"color": INK},
        },
    )
    return figure


@dataclass(frozen=True)
class Tile:
    """A number of a run in a category, None where there is none; ``better`` 0 (worst of the table)
    to 1 (best)."""

    value: float | None
    text: str
    better: float
    hover: str


def heat(
    tiles: Sequence[Sequence[Tile]], categories: Sequence[str], runs: Mapping[str, str]
) -> dict[str, Any]:
    """Runs down, categories across; the stronger a cell is shaded, the farther from people."""
    cells = [
        [
            HeatCell(
                None
                if tile.value is None
                else WEAKEST_SHADE + (100.0 - WEAKEST_SHADE) * (1.0 - tile.better),
                tile.text,
                tile.hover,
            )
            for tile in row
        ]
        for row in tiles
    ]
    across = [label(name.capitalize()) for name in categories]
    figure = heat_map(cells, across, list(run_names(runs).values()), Picks(Slice()), row_px=34)
    figure.update_traces(customdata=None, selector={"type": "heatmap"})
    return finished(figure)
