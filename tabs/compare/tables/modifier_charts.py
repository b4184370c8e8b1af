"""The plane and the sizes of shifts, as charts of the view on modifiers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from truehue.core.color.spaces import hex_of, lab_to_srgb8
from truehue.core.concepts.records import ConceptCell
from truehue.core.concepts.scores import base_of, by_id, moved_lab
from truehue.core.concepts.sensitivity import (
    BEHAVIORS,
    DRIFT,
    INERTIA,
    OVER_CORRECTION,
    PRECISE,
    UNDIRECTED,
    Limits,
    Shift,
    mean_color,
)
from truehue.tabs.charts.figure_parts import SHAPES, label
from truehue.tabs.compare.tables.charts import Chart, Row, run_names
from truehue.tabs.compare.tables.frame import Frame
from truehue.tabs.compare.tables.published import KINDS as KIND_NAMES
from truehue.tabs.compare.tables.view import STYLE_NAMES
from truehue.tabs.page.errors import count_noun
from truehue.tabs.page.figures import INK, LINE, SOFT

PLANE_COLUMNS = (
    "concept",
    "run",
    "style",
    "ratio",
    "shift of the run",
    "shift of people",
    "angle",
    "behavior",
)
SIZE_COLUMNS = ("concept", "of", "style", "shift")
OF_PEOPLE = "People"
MIN_RATIO, MAX_RATIO = 0.05, 8.0
"""What of the axis is always shown, and beyond what points stand at its edge."""
DEGREES_MOST = 180.0
NO_DIRECTION = 196.0
"""Where points without a direction stand, in a band of their own above 180 degrees."""
TOP = 212.0
"""Where the plane ends."""
SPOT, CROWDED = 0.06, 4
"""How wide a spot is, in powers of ten, and how many points of one are counted beside it."""


def plane_chart(frame: Frame, shifts: Sequence[Shift], limits: Limits) -> Chart:
    """Size against direction; every shift with a ratio is a point."""
    cells = _cells(frame)
    points, rows, opens = [], [], []
    for shift in shifts:
        if shift.ratio is None or shift.model_lab is None:
            continue
        weights = cells[shift.run_id, shift.style, shift.concept_id].weights
        assert weights is not None  # a shift was measured on them
        fill = mean_hex(weights)
        name = by_id()[shift.concept_id].words
        opens.append(frame.opens(shift.concept_id, shift.run_id, shift.style))
        points.append(
            Point(
                shift.run_id,
                shift.ratio,
                shift.direction_deg,
                fill,
                _hover(frame, shift),
                len(opens) - 1,
            )
        )
        rows.append(
            Row(
                (
                    name,
                    frame.names[shift.run_id],
                    STYLE_NAMES[shift.style],
                    shift.ratio,
                    shift.model_lab,
                    shift.people_lab,
                    shift.direction_deg,
                    shift.behavior,
                ),
                len(opens) - 1,
                (fill,),
            )
        )
    rows.sort(key=lambda row: (str(row.values[7]), -float(row.values[3])))
    counts = Counter(shift.behavior for shift in shifts if shift.ratio is not None)
    omissions = Counter(shift.reason for shift in shifts if shift.ratio is None)
    stands = f"{count_noun(len(points), 'modified concept')} of these runs."
    if omissions:
        why = "; ".join(f"{count:,} {reason}" for reason, count in omissions.items())
        stands += f" {sum(omissions.values()):,} excluded: {why}."
    if counts[UNDIRECTED]:
        stands += f" {counts[UNDIRECTED]:,} of the right size have no direction."
    return Chart(
        "modifiers-plane",
        "Inertia, drift, over-correction, precise adaptation",
        "Does a modifier change the colors as much as for people, and in the same direction? "
        "Each point is a modified concept, filled with the mean color of the run's images: "
        "its shift relative to people's, and the angle between the two (shift of the mean "
        "color). Click one to open it. The limits are ours; you can change them.",
        plane(points, regions(limits, shifts), _run_names(frame, points)) if points else None,
        PLANE_COLUMNS,
        tuple(rows),
        stands,
        "" if points else "No selected shift has a ratio.",
        "ColorConceptBench, section 5.1 and Figure 14, names the behaviors. "
        + " ".join(f"{name.capitalize()}: {says}" for name, says in BEHAVIORS.items()),
        tuple(opens),
    )


def sizes_chart(frame: Frame, shifts: Sequence[Shift]) -> Chart:
    """How far each run goes from a concept to the modified one, and people where there are any."""
    cells = _cells(frame)
    spreads: dict[tuple[str, str], list[tuple[float, str, str, int]]] = {}
    rows, opens = [], []
    concept_ids = set()
    for shift in shifts:
        positions = [
            (shift.run_id, shift.style, concept_id)
            for concept_id in (shift.base_id, shift.concept_id)
        ]
        pair = [cells[position].weights if position in cells else None for position in positions]
        name = by_id()[shift.concept_id].words
        opened = frame.opens(shift.concept_id, shift.run_id, shift.style)
        if shift.concept_id not in concept_ids and _of_people(frame, shift.concept_id) is not None:
            concept_ids.add(shift.concept_id)
            moved = _of_people(frame, shift.concept_id) or 0.0
            fill = mean_hex(frame.weights[shift.concept_id])
            opens.append(opened)
            spreads.setdefault((OF_PEOPLE, shift.kind), []).append(
                (moved, fill, f"<b>{label(name, 60)}</b>, people<br>{moved:.1f} ΔE", len(opens) - 1)
            )
            rows.append(Row((name, OF_PEOPLE, "", moved), len(opens) - 1, (fill,)))
        if pair[0] is None or pair[1] is None:
            continue
        moved = moved_lab(pair[0], pair[1])
        run, style = frame.names[shift.run_id], STYLE_NAMES[shift.style]
        opens.append(opened)
        fill = mean_hex(pair[1])
        hover = f"<b>{label(name, 60)}</b>, {label(run, 60)}, {style}<br>{moved:.1f} ΔE"
        spreads.setdefault((shift.run_id, shift.kind), []).append(
            (moved, fill, hover, len(opens) - 1)
        )
        rows.append(Row((name, run, style, moved), len(opens) - 1, (fill,)))
    rows.sort(key=lambda row: -float(row.values[3]))
    _spreads = [
        _spread(frame, suffix, kind, values)
        for kind in KIND_NAMES
        for (suffix, of_kind), values in _in_order(frame, spreads)
        if of_kind == kind
    ]
    runs = sum(len(values) for (suffix, _), values in spreads.items() if suffix != OF_PEOPLE)
    return Chart(
        "modifiers-sizes",
        "Color change by modifier",
        "The farther right, the more a modifier changes a concept's colors (earth mover's "
        "distance to the base concept). A bar marks the mean of a row; points are filled with "
        "the mean color of the modified concept.",
        sizes(_spreads) if runs else None,
        SIZE_COLUMNS,
        tuple(rows),
        f"{count_noun(runs, 'shift')} of these runs"
        + (
            f", {count_noun(len(concept_ids), 'shift')} of people."
            if concept_ids
            else "; no people."
        ),
        "" if runs else "No run has a modified concept together with its base concept.",
        "ColorConceptBench, section 5.1 and Figure 4.",
        tuple(opens),
    )


def mean_hex(weights: np.ndarray) -> str:
    """The mean CIELAB color of a distribution as hex."""
    return hex_of(lab_to_srgb8(mean_color(weights)))


def _cells(frame: Frame) -> Mapping[tuple[str, str, str], ConceptCell]:
    return {
        (cell.run_id, cell.style, cell.concept_id): cell
        for cell in frame.cells.kept
        if cell.guidance == frame.scale
    }


def _of_people(frame: Frame, concept_id: str) -> float | None:
    """People's shift of a modified concept, in ΔE."""
    base, own = (frame.weights.get(id_) for id_ in (base_of()[concept_id], concept_id))
    return None if base is None or own is None else moved_lab(base, own)


def _run_names(frame: Frame, points: Iterable[Point]) -> dict[str, str]:
    run_ids = {point.run for point in points}
    return {run.run_id: frame.names[run.run_id] for run in frame.runs if run.run_id in run_ids}


def regions(limits: Limits, shifts: Iterable[Shift]) -> list[Region]:
    """The plane in parts: drift at all sizes from the limit of inertia on, and over-correction also
    in the band of those without a direction."""
    low, high, turn = limits.inertia_below, limits.over_above, limits.drift_over_deg
    far = float("inf")
    counts = Counter((shift.behavior, shift.direction_deg is None) for shift in shifts)
    still = counts[INERTIA, False] + counts[INERTIA, True]
    return [
        Region(INERTIA.capitalize(), 0.0, low, (0.0, TOP), still),
        Region(DRIFT.capitalize(), low, far, (turn, 180.0), counts[DRIFT, False]),
        Region(PRECISE.capitalize(), low, high, (0.0, turn), counts[PRECISE, False]),
        Region(
            OVER_CORRECTION.capitalize(), high, far, (0.0, turn), counts[OVER_CORRECTION, False]
        ),
        Region(UNDIRECTED.capitalize(), low, high, (180.0, TOP), counts[UNDIRECTED, True]),
        Region(
            OVER_CORRECTION.capitalize(), high, far, (180.0, TOP), counts[OVER_CORRECTION, True]
        ),
    ]


def _hover(frame: Frame, shift: Shift) -> str:
    angle = (
        f"no direction: {shift.direction_reason}"
        if shift.direction_deg is None
        else f"{shift.direction_deg:.0f}° from people's direction"
    )
    return (
        f"<b>{label(by_id()[shift.concept_id].words, 60)}</b>, {shift.behavior}<br>"
        f"{label(frame.names[shift.run_id], 60)}, {STYLE_NAMES[shift.style]}<br>"
        f"{shift.ratio:.2f} × people: {shift.model_lab:.1f} over {shift.people_lab:.1f} ΔE<br>"
        f"{label(angle, 90)}"
    )


def _in_order(
    frame: Frame,
    spreads: Mapping[tuple[str, str], list[tuple[float, str, str, int]]],
) -> list[tuple[tuple[str, str], list[tuple[float, str, str, int]]]]:
    """People's rows first, then the runs' in their order."""
    order = [OF_PEOPLE, *(run.run_id for run in frame.runs)]
    return sorted(spreads.items(), key=lambda entry: order.index(entry[0][0]))


def _spread(
    frame: Frame, suffix: str, kind: str, values: Sequence[tuple[float, str, str, int]]
) -> Spread:
    moved, fills, hovers, opens = zip(*values, strict=True)
    name = f"{frame.names.get(suffix, suffix)} · {KIND_NAMES[kind].lower()}"
    return Spread(name, moved, fills, hovers, opens, float(np.mean(moved)))


@dataclass(frozen=True)
class Point:
    """One modified concept of a run in the plane: ``ratio`` its shift over people's, ``angle_deg``
    None where one of the shifts has no direction; ``open`` the place of what it opens."""

    run: str
    ratio: float
    angle_deg: float | None
    hex: str
    hover: str
    open: int


@dataclass(frozen=True)
class Region:
    """A named part of the plane: from ``low`` to ``high`` times people's shift, ``angles`` in
    degrees, and how many points are in it."""

    name: str
    low: float
    high: float
    angles: tuple[float, float]
    count: int


def plane(
    points: Sequence[Point], regions: Sequence[Region], runs: Mapping[str, str]
) -> dict[str, Any]:
    """Size (log scale, 1 is people's) against direction (0 is people's); a point's fill is the mean
    color of the model's distribution, its shape tells the run. ``runs`` are names by id."""
    low = MIN_RATIO / 1.12
    high = max([2.5, *(min(point.ratio, MAX_RATIO) for point in points)]) * 1.15
    boxes = [box for region in regions if (box := _box(region, low, high))]
    series = [_name(region, box) for region, box in boxes]
    for index, (run, name) in enumerate(run_names(runs).items()):
        own = [_mark(point, high) for point in points if point.run == run]
        if not own:
            continue
        shape = SHAPES[index % len(SHAPES)]
        series += [
            {
                "rows": own,
                "marker": {
                    "symbol": shape,
                    "size": 10,
                    "opacity": 1,
                    "line": {"width": 1, "color": INK},
                },
                "cliponaxis": False,
                "showlegend": False,
            },
            # The legend's mark has no color of its own: a run has many.
            {
                "rows": [{"x": None, "y": None}],
                "name": name,
                "hoverinfo": "skip",
                "marker": {
                    "symbol": f"{shape}-open",
                    "size": 10,
                    "color": INK,
                    "line": {"width": 1.6},
                },
            },
        ]
    ticks = [value for value in (0.05, 0.1, 0.2, 0.5, 1, 2, 5) if low <= value <= high]
    return {
        "height": 520,
        "margin": {"l": 58, "r": 14, "t": 34, "b": 46},
        "series": [*series, _crowded(points, high)],
        "shapes": [box for _, box in boxes],
        "lines": [{"x": 1, "dash": "dot"}, {"y": DEGREES_MOST, "color": LINE}],
        "x": {
            "type": "log",
            "title": "Size: the model's shift over people's (EMD)",
            "range": [math.log10(low), math.log10(high)],
            "tickvals": ticks,
            "ticktext": ["≤ 0.05" if value == MIN_RATIO else f"{value:g}" for value in ticks],
            "showgrid": False,
        },
        "y": {
            "title": "Direction: angle to people's shift, °",
            "range": [-6, TOP],
            "tickvals": [0, 45, 90, 135, 180, NO_DIRECTION],
            "ticktext": ["0", "45", "90", "135", "180", "none"],
            "showgrid": False,
        },
        "legend": {"itemsizing": "constant"},
    }


def _mark(point: Point, high: float) -> dict[str, Any]:
    x, y = _position(point, high)
    return {"x": x, "y": y, "hover": point.hover, "pick": point.open, "color": point.hex}


def _position(point: Point, high: float) -> tuple[float, float]:
    """Where a point stands: in view, and in the band above where it has no direction."""
    x = min(max(point.ratio, MIN_RATIO), high / 1.05)
    return x, NO_DIRECTION if point.angle_deg is None else point.angle_deg


def _crowded(points: Sequence[Point], high: float) -> dict[str, Any]:
    """Says how many points lie on each other at the edge of the plane and where no direction is:
    there the last one hides the others."""
    spots = Counter(
        (round(math.log10(x) / SPOT), y)
        for x, y in (_position(point, high) for point in points)
        if x <= MIN_RATIO * 10**SPOT or y == NO_DIRECTION
    )
    rows = [
        {"x": 10 ** (SPOT * (x + 1)), "y": y, "text": f"  {count:,} here"}
        for (x, y), count in spots.items()
        if count >= CROWDED
    ]
    return _texts(rows, "middle right") | {"cliponaxis": False}


def _texts(rows: Sequence[Mapping[str, Any]], position: str) -> dict[str, Any]:
    """Texts as a series and no notes: they lie below the points that follow, and hide none."""
    return {
        "mode": "text",
        "rows": rows,
        "textposition": position,
        "textfont": {"size": 12, "color": INK},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _box(region: Region, low: float, high: float) -> tuple[Region, dict[str, Any]] | None:
    """The part of a region that is in view; None where nothing is."""
    left, right = max(region.low, low), min(region.high, high)
    bottom, top = region.angles
    if right <= left or top <= bottom:
        return None
    line = {"color": SOFT, "width": 1}
    ends = {"x0": left, "x1": right, "y0": bottom, "y1": top}
    return region, {"type": "rect", "layer": "below", "line": line, **ends}


def _name(region: Region, box: Mapping[str, Any]) -> dict[str, Any]:
    """The name and count of a region: at the left, away from the line at 1; in the band at its
    lower end, where no neighbor's name is."""
    bottom, top = region.angles
    band = bottom >= DEGREES_MOST
    row = {
        "x": box["x0"] * 1.015,
        "y": bottom + 2 if band else top - 3,
        "text": f"<b>{label(region.name, 40)}</b> {region.count:,}",
    }
    return _texts([row], "top right" if band else "bottom right")


@dataclass(frozen=True)
class Spread:
    """The sizes of the shifts of one row: ``values`` in ΔE, with what each shows and opens."""

    name: str
    values: tuple[float, ...]
    hexes: tuple[str, ...]
    hovers: tuple[str, ...]
    opens: tuple[int, ...]
    mean: float


def sizes(rows: Sequence[Spread]) -> dict[str, Any]:
    """A line of points a row, and its mean as a bar across."""
    points, means = [], []
    for position, row in enumerate(rows):
        for index, (value, hex_, hover, open_) in enumerate(
            zip(row.values, row.hexes, row.hovers, row.opens, strict=True)
        ):
            # Neighbors are moved apart a little, always in the same way.
            y = position + 0.07 * ((index * 7) % 5 - 2)
            points.append({"x": value, "y": y, "color": hex_, "hover": hover, "pick": open_})
        means.append({"x": row.mean, "y": position, "hover": f"mean {row.mean:.1f} ΔE"})
    limit = max([1.0, *(value for row in rows for value in row.values)])
    dot = {"symbol": "circle", "size": 8, "opacity": 1, "line": {"width": 0.8, "color": SOFT}}
    bar = {"symbol": "line-ns", "size": 24, "line": {"width": 3, "color": INK}}
    return {
        "height": 34 * len(rows) + 84,
        "margin": {"l": 8, "r": 14, "t": 10, "b": 46},
        "series": [
            {"rows": points, "marker": dot, "cliponaxis": False},
            {"rows": means, "marker": bar},
        ],
        # Room for the marks that stand at 0.
        "x": {
            "title": "Shift from the concept without it, EMD in ΔE*ab",
            "range": [-0.03 * limit, 1.04 * limit],
        },
        "y": {
            "names": [label(row.name, 44) for row in rows],
            "range": [len(rows) - 0.5, -0.5],
        },
    }
