"""The paper's analyses as roll-ups: categories, target against measured color, hue and chroma.

Source: GenColorBench (arXiv:2510.20586), Table 11, sections 4.4 and 4.5, Figure 3. All functions
take the grouped counts of storage, and identify a run by its id alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from truehue.core.analysis.intervals import Interval, Rate, mover, rates
from truehue.core.analysis.names import l2_names
from truehue.core.analysis.records import CHROMA_BANDS, NEUTRAL, SECTORS, TABLE_SYSTEMS, Count
from truehue.core.color.spaces import chroma, srgb8_to_lab
from truehue.core.color.systems import parse_target

OVERALL = "overall"
"""Beside the systems: the mean of their shares, as in Table 11."""

CATEGORIES = (
    "Clothing and accessories",
    "Vehicles",
    "Furniture and household",
    "Tools and miscellaneous",
    "Sports and toys",
    "Animals",
    "Fruits and vegetables",
)
"""In the order of Table 11."""

MAX_MEASURED_NAMES = 10


@dataclass(frozen=True)
class CategoryCell:
    """Accuracy of a run in one category. ``rate`` is None for the overall row, whose ``percent`` is
    the mean over the systems, and None unless every system has a share. ``interval`` is the 95%
    one of ``scored`` images."""

    run: str
    system: str
    category: str
    percent: float | None
    rate: Rate | None
    interval: Interval | None = None
    scored: int = 0


def category_cells(
    counts: Iterable[Count], runs: Sequence[str]
) -> tuple[tuple[str, ...], tuple[CategoryCell, ...]]:
    """The categories that occur, and a cell for each run, system (with overall) and category.

    ``counts`` are by run, system and category; runs that are not among ``runs`` and other systems
    are left out.
    """
    by_key = rates(counts, (0, 1, 2))
    place_of_run = {run: index for index, run in enumerate(runs)}
    by_category = {
        category
        for run, of_system, category in by_key
        if run in place_of_run and of_system in TABLE_SYSTEMS
    }
    extra = sorted(name for name in by_category if name not in CATEGORIES)
    categories = (*(name for name in CATEGORIES if name in by_category), *extra)
    cells = []
    for run in runs:
        for category in categories:
            parts = [by_key.get((run, system, category), Rate()) for system in TABLE_SYSTEMS]
            cells += [
                CategoryCell(run, system, category, rate.percent, rate, rate.interval, rate.scored)
                for system, rate in zip(TABLE_SYSTEMS, parts, strict=True)
            ]
            cells.append(_overall(run, category, parts))
    return categories, tuple(cells)


def _overall(run: str, category: str, parts: Sequence[Rate]) -> CategoryCell:
    shares = [
        (part.percent, part.interval)
        for part in parts
        if part.percent is not None and part.interval is not None
    ]
    between = mover(shares) if len(shares) == len(parts) else None
    scored = sum(part.scored for part in parts)
    return CategoryCell(run, OVERALL, category, mean_percent(parts), None, between, scored)


def mean_percent(parts: Sequence[Rate]) -> float | None:
    """The plain mean of the shares; None unless each has one."""
    shares = [part.percent for part in parts]
    values = [share for share in shares if share is not None]
    return sum(values) / len(values) if values and len(values) == len(shares) else None


@dataclass(frozen=True)
class Confusion:
    """Level 2 names of target colors (rows) against those of the colors that were found.

    ``counts`` is int ``(asked, found)``; ``percent`` the share of its row. Names stand in the order
    of the system, and only those that occur.
    """

    asked: tuple[str, ...]
    found: tuple[str, ...]
    counts: np.ndarray
    passes: np.ndarray

    @property
    def percent(self) -> np.ndarray:
        """Share of each row's verdicts, float ``(asked, found)``; every row has some."""
        return 100.0 * self.counts / self.counts.sum(axis=1, keepdims=True)


def confusion(counts: Iterable[Count]) -> Confusion:
    """The table of counts by asked and found level 2 name; a name that is empty or unknown is left
    out, and so is what was not measured."""
    order = {name: index for index, name in enumerate(l2_names())}
    by_key = {
        key: rate
        for key, rate in rates(counts, (0, 1)).items()
        if key[0] in order and key[1] in order and rate.scored + rate.unscored
    }
    asked_terms = tuple(sorted({key[0] for key in by_key}, key=order.__getitem__))
    found_terms = tuple(sorted({key[1] for key in by_key}, key=order.__getitem__))
    number = np.zeros((len(asked_terms), len(found_terms)), dtype=np.int64)
    passes = np.zeros_like(number)
    for (asked_term, other), rate in by_key.items():
        position = asked_terms.index(asked_term), found_terms.index(other)
        number[position] = rate.scored + rate.unscored
        passes[position] = rate.passes
    return Confusion(asked_terms, found_terms, number, passes)


@dataclass(frozen=True)
class MeasuredShare:
    """How often a color was found in a category. ``name`` is empty for all the others together."""

    category: str
    name: str
    count: int
    percent: float


def top_measured(
    counts: Iterable[Count], limit: int = MAX_MEASURED_NAMES
) -> tuple[MeasuredShare, ...]:
    """The ``limit`` most frequent found level 2 names of each category, then the rest as one.

    ``counts`` are by category and found name. Most frequent first, equal ones in the system's
    order; categories in the order of Table 11, then by name.
    """
    order = {name: index for index, name in enumerate(l2_names())}
    by_category: dict[str, dict[str, int]] = {}
    for (category, name), rate in rates(counts, (0, 1)).items():
        number = rate.scored + rate.unscored
        if name in order and number:
            by_category.setdefault(category, {})[name] = number
    shares: list[MeasuredShare] = []
    rank = {name: index for index, name in enumerate(CATEGORIES)}
    for category in sorted(by_category, key=lambda name: (rank.get(name, len(rank)), name)):
        names = by_category[category]
        in_all = sum(names.values())
        sorted_names = sorted(names, key=lambda name: (-names[name], order[name]))
        top = [(name, names[name]) for name in sorted_names[:limit]]
        rest = in_all - sum(number for _, number in top)
        top += [("", rest)] if rest else []
        shares += [
            MeasuredShare(category, name, number, 100.0 * number / in_all) for name, number in top
        ]
    return tuple(shares)


@dataclass(frozen=True)
class HueCell:
    """Accuracy for target colors of one hue sector and one band of chroma, from ``low`` on.

    ``lab`` is the mean of the target colors in it, weighted by their verdicts.
    """

    sector: str
    low: float
    rate: Rate
    colors: int
    lab: tuple[float, float, float]


def hue_cells(counts: Iterable[Count]) -> tuple[HueCell, ...]:
    """Cells that have verdicts; ``counts`` are by target color and its sector.

    Sectors in the order of SECTORS, bands from neutral outwards (its band begins at 0).
    """
    color_cells = [
        (key[0], key[1], rate)
        for key, rate in rates(counts, (0, 1)).items()
        if key[1] in SECTORS and rate.scored + rate.unscored
    ]
    labs = labs_of([color for color, _, _ in color_cells])
    starts = bands_of(labs, [sector for _, sector, _ in color_cells])
    gathered: dict[tuple[str, float], list[int]] = {}
    for index, (_, sector, _) in enumerate(color_cells):
        gathered.setdefault((sector, float(starts[index])), []).append(index)
    cells = []
    for sector, low in sorted(gathered, key=lambda key: (SECTORS.index(key[0]), key[1])):
        positions = gathered[sector, low]
        parts = [color_cells[position][2] for position in positions]
        weights = np.array([rate.scored + rate.unscored for rate in parts], dtype=np.float64)
        mean = weights @ labs[positions] / weights.sum()
        together = sum(parts, Rate())
        point = (float(mean[0]), float(mean[1]), float(mean[2]))
        cells.append(HueCell(sector, low, together, len(parts), point))
    return tuple(cells)


def bands_of(labs: np.ndarray, sectors: Sequence[str]) -> np.ndarray:
    """Where the band of chroma begins that each color ``(N, 3)`` is in; 0 for neutral ones."""
    indices = np.searchsorted(CHROMA_BANDS, chroma(labs), side="right") - 1
    starts = np.array(CHROMA_BANDS)[np.maximum(indices, 0)]
    return np.where(np.array(sectors, dtype=str) == NEUTRAL, 0.0, starts)


def labs_of(colors: Sequence[str]) -> np.ndarray:
    """CIELAB float64 ``(N, 3)`` of colors as ColorTarget.value spells them: hex ones all at once,
    for there may be many thousand. Raises UnknownColor."""
    lab = np.empty((len(colors), 3))
    hexes = [position for position, color in enumerate(colors) if _HEX.fullmatch(color)]
    if hexes:
        codes = bytes.fromhex("".join(colors[hex][1:] for hex in hexes))
        lab[hexes] = srgb8_to_lab(np.frombuffer(codes, np.uint8).reshape(-1, 3))
    for index in set(range(len(colors))).difference(hexes):
        lab[index] = _named_lab(colors[index])
    return lab


_HEX = re.compile("#[0-9A-Fa-f]{6}")


@cache
def _named_lab(color: str) -> tuple[float, float, float]:
    return parse_target(color).lab
