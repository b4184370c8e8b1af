"""Figures of a number against guidance, against the size of a model, and by category."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from truehue.tabs.compare.sources import written_scale
from truehue.tabs.compare.tables.charts import line_style, run_names
from truehue.tabs.explore.figure_parts import HeatCell, heat_map, label
from truehue.tabs.page.figures import INK, PANEL, SOFT

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
    series = []
    for index, name, own in _by_run(sorted(marks, key=lambda mark: mark.x), runs):
        dash, shape = line_style(index)
        color = INK if index % 2 == 0 else SOFT
        line = {"color": color, "width": 2, "dash": dash}
        series.append(
            _series(name, own, (shape, 9, color), color) | {"mode": "lines+markers", "line": line}
        )
    scales = sorted({mark.x for mark in marks})
    x = {
        "title": "Guidance scale",
        "tickvals": scales,
        "ticktext": [written_scale(scale) for scale in scales],
    }
    return _with_legend(series, x, unit)


def by_size(marks: Sequence[Mark], runs: Mapping[str, str], unit: str) -> dict[str, Any]:
    """Each run at its model's size in billions of parameters, on a log scale."""
    series = [
        _series(name, own, (line_style(index)[1], 11, INK), SOFT)
        for index, name, own in _by_run(marks, runs)
    ]
    sizes = sorted({mark.x for mark in marks})
    x = {
        "type": "log",
        "title": "Parameters, billions",
        "tickvals": sizes,
        "ticktext": [f"{size:g}" for size in sizes],
    }
    return _with_legend(series, x, unit)


def _by_run(
    marks: Sequence[Mark], runs: Mapping[str, str]
) -> Iterator[tuple[int, str, list[Mark]]]:
    """The place, name and marks of each run that has any."""
    for index, (run, name) in enumerate(run_names(runs).items()):
        own = [mark for mark in marks if mark.run == run]
        if own:
            yield index, name, own


def _series(
    name: str, own: Sequence[Mark], look: tuple[str, int, str], bars: str
) -> dict[str, Any]:
    """Hollow marks of that shape, size and color, with their intervals."""
    symbol, size, color = look
    line = {"width": 2, "color": color}
    return {
        "name": name,
        "rows": [asdict(mark) for mark in own],
        "marker": {"symbol": symbol, "size": size, "color": PANEL, "line": line},
        "error": {"along": "y", "color": bars, "thickness": 1, "width": 3},
        "showlegend": True,
        "cliponaxis": False,
    }


def _with_legend(
    series: Sequence[Mapping[str, Any]], x: Mapping[str, Any], unit: str
) -> dict[str, Any]:
    return {
        "height": 380,
        "margin": {"l": 54, "r": 14, "t": 40, "b": 46},
        "series": series,
        "x": x,
        "y": {"title": unit},
        "legend": True,
    }


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
    return heat_map(cells, across, list(run_names(runs).values()), row_px=34)
