"""Figures of colors: target against measured, drift of targets, most frequent colors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from truehue.core.analysis.groups import MeasuredShare, confusion, top_measured
from truehue.core.analysis.intervals import Rate, total
from truehue.core.analysis.paired import Arrow, arrows, most_colorful
from truehue.core.analysis.records import Count, Drift, Slice
from truehue.core.color.systems import parse_target
from truehue.core.verdict.truehue import square_around
from truehue.tabs.charts.figure_parts import (
    NOTHING,
    FigureRow,
    HeatCell,
    Picks,
    Plot,
    heat_map,
    label,
    percent_text,
)
from truehue.tabs.page.figures import INK, LINE, SOFT

MANY_COLORS, MAX_ARROWS = 60, 150
"""More asked colors than the first are gathered under their level 2 names; more arrows than the
second cannot be told apart."""
FEW_NAMES = 10
NOT_MEASURED = "Nothing was measured in this selection: no measured color to show."


@cache
def _hex(name: str) -> str:
    return parse_target(name, "l2").hex


def target_measured(counts: Sequence[Count], selection: Slice) -> Plot:
    """Level 2 names asked (down) and found (across); ``counts`` are by both."""
    picks = Picks(selection)
    columns = ("asked_l2", "found_l2", "verdicts", "percent_of_asked", "passes")
    table = confusion(counts)
    stands = total(counts)
    if not table.asked:
        return Plot(None, picks, columns, (), stands, empty=NOT_MEASURED)
    cells, lines = [], []
    for requested, row, shares, passes in zip(
        table.asked, table.counts, table.percent, table.passes, strict=True
    ):
        heat_cells = []
        for name, number, share, passed in zip(table.found, row, shares, passes, strict=True):
            pick = picks.add(asked_l2=requested, found_l2=name) if number else NOTHING
            hover = (
                f"target <b>{requested}</b>, measured <b>{name}</b><br>{percent_text(float(share))}% "
                f"of the objects with the target {requested}<br>{number:,} objects, {passed:,} pass"
            )
            heat_cells.append(
                HeatCell(
                    float(share) if number else None, f"{share:.0f}" if number else "", hover, pick
                )
            )
            if number:
                values = (requested, name, int(number), float(share), int(passed))
                lines.append(FigureRow(values, pick, (_hex(requested), _hex(name))))
        cells.append(heat_cells)
    down, across = len(table.asked), len(table.found)
    few = max(down, across) <= FEW_NAMES
    row_px = 24 if few else 16
    at_left = [_swatch(-1, y, "asked_l2", name, picks) for y, name in enumerate(table.asked)]
    below = [_swatch(x, down, "found_l2", name, picks) for x, name in enumerate(table.found)]
    marker = {"symbol": "square", "size": 15 if few else 11, "line": {"color": INK}}
    figure = heat_map(
        cells,
        table.found,
        table.asked,
        picks,
        gap=1,
        text_px=11 if few else None,
        height=row_px * (down + 1) + 150,
        series=[{"rows": at_left + below, "marker": marker, "cliponaxis": False}],
        x={
            "title": "measured",
            "range": [-1.6, across - 0.4],
            "tickangle": -90,
            "tickfont": {"size": 10},
        },
        y={"title": "target", "range": [down + 0.5, -0.6], "autorange": False},
    )
    lines.sort(key=lambda line: -line.values[2])
    return Plot(figure, picks, columns, tuple(lines), stands)


def _swatch(x: int, y: int, by: str, name: str, picks: Picks) -> dict[str, Any]:
    """A color itself, beside its name at an axis; it chooses the name."""
    pick = picks.add(**{by: name})
    return {
        "x": x,
        "y": y,
        "hover": f"{'target' if by == 'asked_l2' else 'measured'} {name}",
        "pick": pick,
        "color": _hex(name),
        "edge": 2.5 if picks.used(pick) else 0,
    }


def drift(drifts: Sequence[Drift], selection: Slice, by: str = "") -> Plot:
    """The a*b* plane with an arrow from each asked color to the mean of what was found."""
    picks = Picks(selection)
    grouped = by == "names" or (not by and len(drifts) > MANY_COLORS)
    every = arrows(drifts, grouped)
    shown, rest = every[:MAX_ARROWS], every[MAX_ARROWS:]
    columns = (
        "asked",
        "asked_colors",
        "verdicts",
        "percent_pass",
        "asked_L",
        "asked_a",
        "asked_b",
        "found_L",
        "found_a",
        "found_b",
        "asked_hex",
        "found_hex",
        "delta_ab",
        "delta_e00",
    )
    stands = Rate(
        sum(arrow.passes for arrow in every), sum(arrow.count - arrow.passes for arrow in every)
    )
    if not every:
        return Plot(None, picks, columns, (), stands, empty=NOT_MEASURED)
    field = "asked_l2" if grouped else "color"
    outline = [{"x": a, "y": b} for a, b in most_colorful().tolist()]
    shafts = [
        {"x": lab and lab[1], "y": lab and lab[2]}
        for arrow in shown
        for lab in (arrow.asked_lab, arrow.found_lab, None)
    ]
    heads = [_arrow_ends(arrow, picks.add(**{field: arrow.value}), picks) for arrow in shown]
    line = {"mode": "lines", "hoverinfo": "skip"}
    marker = {"opacity": 1, "line": {"color": INK}}
    ends = [lab[1:] for arrow in shown for lab in (arrow.asked_lab, arrow.found_lab)]
    low, high = (corner.tolist() for corner in square_around(np.array([*ends, (0.0, 0.0)])))
    axis = {"zeroline": True, "zerolinecolor": LINE, "fixedrange": True, "constrain": "domain"}
    figure = {
        "height": 420,
        "dragmode": False,
        "series": [
            line | {"rows": outline, "line": {"color": LINE, "width": 1}},
            line | {"rows": shafts, "line": {"color": SOFT, "width": 1}},
            {"rows": [start for start, _ in heads], "marker": marker | {"symbol": "circle"}},
            {"rows": [end for _, end in heads], "marker": marker | {"symbol": "arrow"}},
        ],
        "x": {"title": "a*", "range": [low[0], high[0]], **axis},
        "y": {"title": "b*", "range": [low[1], high[1]], "scaleanchor": "x", **axis},
    }
    notes = []
    if grouped:
        notes.append(f"{len(drifts):,} target colors under their level 2 names.")
    if rest:
        notes.append(
            f"The {len(rest):,} target colors with the fewest objects are not shown; "
            "the CSV has them."
        )
    lines = [_arrow_line(arrow, picks, field) for arrow in every]
    return Plot(figure, picks, columns, tuple(lines), stands, tuple(notes))


def _arrow_ends(arrow: Arrow, pick: int, picks: Picks) -> list[dict[str, Any]]:
    """The disk at the asked color and the head at the found one."""
    used = picks.used(pick)
    ends = (
        (arrow.asked_lab, arrow.asked_hex, 7, 0.0),
        (arrow.found_lab, arrow.found_hex, 11, arrow.heading_deg),
    )
    return [
        {
            "x": lab[1],
            "y": lab[2],
            "hover": _arrow_text(arrow),
            "pick": pick,
            "color": hex_,
            "size": size + 5 if used else size,
            "angle": angle,
            "edge": 2.5 if used else 1,
        }
        for lab, hex_, size, angle in ends
    ]


def _arrow_text(arrow: Arrow) -> str:
    requested, name = (
        f"L* {lab[0]:.1f}, a* {lab[1]:.2f}, b* {lab[2]:.2f}"
        for lab in (arrow.asked_lab, arrow.found_lab)
    )
    more = f" ({arrow.colors:,} colors)" if arrow.colors > 1 else ""
    return (
        f"target <b>{label(arrow.name)}</b>{more} {arrow.asked_hex}<br>{requested}<br>"
        f"measured on average {arrow.found_hex}<br>{name}<br>ΔE00 of the two {arrow.delta_e00:.1f}<br>"
        f"{arrow.count:,} objects, {percent_text(arrow.percent)}% pass"
    )


def _arrow_line(arrow: Arrow, picks: Picks, field: str) -> FigureRow:
    values = (
        arrow.name,
        arrow.colors,
        arrow.count,
        arrow.percent,
        *arrow.asked_lab,
        *arrow.found_lab,
        arrow.asked_hex,
        arrow.found_hex,
        arrow.length_ab,
        arrow.delta_e00,
    )
    return FigureRow(values, picks.add(**{field: arrow.value}), (arrow.asked_hex, arrow.found_hex))


def measured_colors(counts: Sequence[Count], selection: Slice) -> Plot:
    """The most frequent found colors of each category; ``counts`` are by category and name."""
    picks = Picks(selection)
    columns = ("category", "found_l2", "verdicts", "percent_of_category")
    shares = top_measured(counts)
    stands = total(counts)
    if not shares:
        return Plot(None, picks, columns, (), stands, empty=NOT_MEASURED)
    names = list(dict.fromkeys(share.category for share in shares))
    ranks: list[list[dict[str, Any]]] = []
    lines = []
    before: Counter[str] = Counter()
    for share in shares:
        pick = picks.add(category=share.category, found_l2=share.name) if share.name else NOTHING
        rank = before[share.category]
        before[share.category] += 1
        if rank == len(ranks):
            ranks.append([])
        ranks[rank].append(_bar(share, names.index(share.category), pick, picks))
        values = (share.category, share.name or "all others", share.count, share.percent)
        lines.append(FigureRow(values, pick, (_hex(share.name),) if share.name else ()))
    figure = {
        "height": 34 * len(names) + 62,
        "margin": {"l": 8, "r": 14, "t": 8, "b": 46},
        "dragmode": False,
        "barmode": "stack",
        "bargap": 0.22,
        "series": [{"type": "bar", "orientation": "h", "rows": rank} for rank in ranks],
        "x": {
            "title": "Share of the measured colors, %",
            "range": [0, 100],
            "fixedrange": True,
            "showgrid": False,
        },
        "y": {
            "names": [
                label(name or "no category", 40).replace(" and ", " and<br>") for name in names
            ],
            "autorange": "reversed",
        },
    }
    return Plot(figure, picks, columns, tuple(lines), stands)


def _bar(share: MeasuredShare, y: int, pick: int, picks: Picks) -> dict[str, Any]:
    used = picks.used(pick)
    return {
        "x": share.percent,
        "y": y,
        "hover": f"{label(share.category or 'no category', 60)}<br>"
        f"<b>{share.name or 'all others'}</b><br>"
        f"{percent_text(share.percent)}%, {share.count:,} objects",
        "pick": pick,
        "color": _hex(share.name) if share.name else "rgba(0,0,0,0)",
        "edge": 3 if used else 0.5,
        "edgeColor": INK if used else SOFT,
    }
