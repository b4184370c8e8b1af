"""Figures of colors: asked against found, where asked ones drift, what is found most often."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from truehue.core.analysis.groups import MeasuredShare, confusion, top_measured
from truehue.core.analysis.intervals import Rate, total
from truehue.core.analysis.paired import Arrow, arrows, most_colorful
from truehue.core.analysis.records import Count, Drift, Slice
from truehue.core.color.systems import parse_target
from truehue.core.verdict.region import square_around
from truehue.tabs.explore.figure_parts import (
    NOTHING,
    FigureRow,
    HeatCell,
    Picks,
    Plot,
    finished,
    heat_map,
    label,
    percent_text,
)
from truehue.tabs.page.figures import INK, LINE, SOFT, blank

MANY_COLORS, MOST_ARROWS = 60, 150
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
    few = max(len(table.asked), len(table.found)) <= FEW_NAMES
    figure = heat_map(
        cells,
        table.found,
        table.asked,
        picks,
        row_px=24 if few else 16,
        gap=1,
        text_px=11 if few else None,
    )
    down, across = range(len(table.asked)), range(len(table.found))
    figure.add_trace(_swatches([-1] * len(down), list(down), table.asked, "asked_l2", picks, few))
    below = [len(table.asked)] * len(across)
    figure.add_trace(_swatches(list(across), below, table.found, "found_l2", picks, few))
    figure.update_xaxes(
        range=[-1.6, len(across) - 0.4], title_text="measured", tickangle=-90, tickfont={"size": 10}
    )
    figure.update_yaxes(range=[len(down) + 0.5, -0.6], autorange=False, title_text="target")
    figure.update_layout(height=(24 if few else 16) * (len(down) + 1) + 150)
    lines.sort(key=lambda line: -line.values[2])
    return Plot(finished(figure), picks, columns, tuple(lines), stands)


def _swatches(
    x: list[int], y: list[int], names: Sequence[str], by: str, picks: Picks, large: bool
) -> Any:
    """The colors themselves along an axis; each chooses its name."""
    import plotly.graph_objects as go

    chosen = [picks.add(**{by: name}) for name in names]
    word = "target" if by == "asked_l2" else "measured"
    return go.Scatter(
        x=x,
        y=y,
        mode="markers",
        customdata=chosen,
        cliponaxis=False,
        hovertext=[f"{word} {name}" for name in names],
        hovertemplate="%{hovertext}<extra></extra>",
        marker={
            "symbol": "square",
            "size": 15 if large else 11,
            "color": [_hex(name) for name in names],
            "line": {"color": INK, "width": [2.5 if picks.used(value) else 0 for value in chosen]},
        },
    )


def drift(drifts: Sequence[Drift], selection: Slice, by: str = "") -> Plot:
    """The a*b* plane with an arrow from each asked color to the mean of what was found."""
    import plotly.graph_objects as go

    picks = Picks(selection)
    grouped = by == "names" or (not by and len(drifts) > MANY_COLORS)
    every = arrows(drifts, grouped)
    shown, rest = every[:MOST_ARROWS], every[MOST_ARROWS:]
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
    chosen = [picks.add(**{field: arrow.value}) for arrow in shown]
    figure = blank(height=420, dragmode=False)
    outline = most_colorful()
    figure.add_trace(
        go.Scatter(
            x=outline[:, 0].tolist(),
            y=outline[:, 1].tolist(),
            mode="lines",
            hoverinfo="skip",
            line={"color": LINE, "width": 1},
        )
    )
    figure.add_trace(
        go.Scatter(
            x=[
                value for arrow in shown for value in (arrow.asked_lab[1], arrow.found_lab[1], None)
            ],
            y=[
                value for arrow in shown for value in (arrow.asked_lab[2], arrow.found_lab[2], None)
            ],
            mode="lines",
            hoverinfo="skip",
            line={"color": SOFT, "width": 1},
        )
    )
    hovers = [_arrow_text(arrow) for arrow in shown]
    used = [picks.used(pick) for pick in chosen]
    for end, symbol, size in (("asked", "circle", 7), ("found", "arrow", 11)):
        points = [getattr(arrow, f"{end}_lab") for arrow in shown]
        figure.add_trace(
            go.Scatter(
                x=[lab[1] for lab in points],
                y=[lab[2] for lab in points],
                mode="markers",
                customdata=chosen,
                hovertext=hovers,
                hovertemplate="%{hovertext}<extra></extra>",
                marker={
                    "symbol": symbol,
                    "opacity": 1,
                    "size": [size + 5 if is_used else size for is_used in used],
                    "angle": [arrow.heading_deg for arrow in shown] if end == "found" else 0,
                    "color": [getattr(arrow, f"{end}_hex") for arrow in shown],
                    "line": {"color": INK, "width": [2.5 if is_used else 1 for is_used in used]},
                },
            )
        )
    ends = [lab[1:] for arrow in shown for lab in (arrow.asked_lab, arrow.found_lab)]
    low, high = square_around(np.array([*ends, (0.0, 0.0)]))
    axis: dict[str, Any] = {"zeroline": True, "zerolinecolor": LINE, "fixedrange": True}
    figure.update_xaxes(range=[low[0], high[0]], title_text="a*", constrain="domain", **axis)
    figure.update_yaxes(
        range=[low[1], high[1]], title_text="b*", scaleanchor="x", constrain="domain", **axis
    )
    notes = []
    if grouped:
        notes.append(f"{len(drifts):,} target colors under their level 2 names.")
    if rest:
        notes.append(
            f"The {len(rest):,} target colors with the fewest objects are not shown; "
            "the CSV has them."
        )
    lines = [_arrow_line(arrow, picks, field) for arrow in every]
    return Plot(finished(figure), picks, columns, tuple(lines), stands, tuple(notes))


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
    import plotly.graph_objects as go

    picks = Picks(selection)
    columns = ("category", "found_l2", "verdicts", "percent_of_category")
    shares = top_measured(counts)
    stands = total(counts)
    if not shares:
        return Plot(None, picks, columns, (), stands, empty=NOT_MEASURED)
    names = list(dict.fromkeys(share.category for share in shares))
    ranks: list[list[MeasuredShare]] = []
    for category in names:
        for index, share in enumerate(share for share in shares if share.category == category):
            if index == len(ranks):
                ranks.append([])
            ranks[index].append(share)
    lines = {}
    figure = blank(height=34 * len(names) + 62, dragmode=False, barmode="stack", bargap=0.22)
    for rank in ranks:
        chosen = [
            picks.add(category=share.category, found_l2=share.name) if share.name else NOTHING
            for share in rank
        ]
        used = [picks.used(pick) for pick in chosen]
        figure.add_trace(
            go.Bar(
                orientation="h",
                y=[names.index(share.category) for share in rank],
                x=[share.percent for share in rank],
                customdata=chosen,
                hovertext=[
                    f"{label(measured_share.category or 'no category', 60)}<br>"
                    f"<b>{measured_share.name or 'all others'}</b><br>"
                    f"{percent_text(measured_share.percent)}%, {measured_share.count:,} objects"
                    for measured_share in rank
                ],
                hovertemplate="%{hovertext}<extra></extra>",
                marker={
                    "color": [
                        _hex(share.name) if share.name else "rgba(0,0,0,0)" for share in rank
                    ],
                    "line": {
                        "color": [INK if on else SOFT for on in used],
                        "width": [3 if on else 0.5 for on in used],
                    },
                },
            )
        )
        for share, pick in zip(rank, chosen, strict=True):
            values = (share.category, share.name or "all others", share.count, share.percent)
            hexes = (_hex(share.name),) if share.name else ()
            lines[share] = FigureRow(values, pick, hexes)
    figure.update_xaxes(
        range=[0, 100],
        title_text="Share of the measured colors, %",
        fixedrange=True,
        showgrid=False,
    )
    figure.update_yaxes(
        tickvals=list(range(len(names))),
        ticktext=[label(name or "no category", 40).replace(" and ", " and<br>") for name in names],
        autorange="reversed",
        showgrid=False,
        ticks="",
        automargin=True,
        fixedrange=True,
    )
    figure.update_layout(margin={"l": 8, "r": 14, "t": 8, "b": 46})
    ordered = tuple(lines[share] for share in shares)
    return Plot(finished(figure), picks, columns, ordered, stands)
