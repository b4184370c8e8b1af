"""What people call a color: the XKCD color survey as counts of names in CIELAB.

Heer, Stone: "Color Naming Models for Color Selection, Image Editing and Palette Design", CHI 2012,
1007-1016, whose data this is: 2,677,400 answers of people at screens of their own, for 8,325 bins of
CIELAB (D65), every 5 in L*, a* and b*, and the 153 names that are used most.
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from truehue.core.color.systems import FOLDER, verified

FILE = FOLDER / "people.npz"
SHA256 = "c9738239afdf54b8d288dc4b4c23bbfa970462ac78517638d4f86f92a64f9cce"
MIN_ANSWERS = 20
"""A bin with fewer answers is pooled with its nearest bins until they have as many."""


@dataclass(frozen=True)
class NameShare:
    """A name, and what ``share`` of the answers it is, 0 to 1."""

    name: str
    share: float


@dataclass(frozen=True)
class Naming:
    """What people call one color: names by falling share, of so many ``answers``."""

    names: tuple[NameShare, ...]
    answers: int

    def share_of(self, name: str) -> float | None:
        """The share of answers with this name, 0 to 1, however it is spelled; None for a name that is
        none of the 153."""
        if _plain(name) not in _survey().spelled:
            return None
        return next((item.share for item in self.names if same_name(item.name, name)), 0.0)

    def label(self, count: int = 2, min_share: float = 0.1) -> str:
        """``brown 62%, rust 11%``: the first ones, as long as their share is ``min_share`` or more."""
        first = [item for item in self.names[:count] if item.share >= min_share] or self.names[:1]
        return ", ".join(f"{item.name} {percent_text(item.share)}" for item in first)

    @property
    def clause(self) -> str:
        """``most people would call it red``, or, where no name has half of the answers, ``people
        would call it teal (31%) or blue (17%)``."""
        first, *rest = self.names
        if first.share > 0.5:
            return f"most people would call it {first.name}"
        also = [item for item in rest[:1] if item.share >= 0.1]
        names = (f"{item.name} ({percent_text(item.share)})" for item in (first, *also))
        return f"people would call it {' or '.join(names)}"


def percent_text(share: float) -> str:
    """``41%``; ``<1%`` and ``>99%`` for what is neither never nor always."""
    if 0.0 < share < 0.005:
        return "<1%"
    return ">99%" if 0.995 <= share < 1.0 else f"{100.0 * share:.0f}%"


def naming(lab: ArrayLike) -> Naming:
    """What people call a color of CIELAB D65/2 degrees, ``(3,)``.

    Raises TrueHueError when the survey's file is missing or was changed.
    """
    survey = _survey()
    distances = np.linalg.norm(survey.lab - np.asarray(lab, dtype=np.float64), axis=1)
    # Stable: of bins equally far, the first of the survey's order.
    order = np.argsort(distances, kind="stable")
    enough = int(np.searchsorted(np.cumsum(survey.answers[order]), MIN_ANSWERS)) + 1
    counts = survey.counts_of(order[:enough])
    total = int(counts.sum())
    used = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)]
    return Naming(tuple(NameShare(survey.names[i], counts[i] / total) for i in used), total)


def colors_named(
    names: Sequence[str], min_answers: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The survey's colors with as many answers as ``min_answers`` among ``names``: CIELAB float64
    ``(N, 3)``, and how often each name was said of each, int64 ``(N, len(names))``. Raises ValueError
    for a name that is none of the 153."""
    survey = _survey()
    spelled = [_plain(name) for name in survey.names]
    index = [spelled.index(_plain(name)) for name in names]
    counts = np.stack([survey.counts_of([number])[index] for number in range(len(survey.lab))])
    enough = counts.sum(axis=1) >= min_answers
    return survey.lab[enough], counts[enough]


@dataclass(frozen=True, eq=False)
class _Survey:
    """``lab`` float64 (B, 3), ``answers`` of each bin int64 (B,), and the counts of names as rows:
    those of bin ``i`` are from ``begins[i]`` to ``begins[i + 1]``."""

    lab: NDArray[np.float64]
    names: Sequence[str]
    begins: NDArray[np.int64]
    name_of_row: NDArray[np.uint8]
    count_of_row: NDArray[np.int64]
    answers: NDArray[np.int64]
    spelled: frozenset[str]

    def counts_of(self, bins: Sequence[int] | NDArray[np.int64]) -> NDArray[np.int64]:
        """How often each name was said of these bins together, int64 (153,)."""
        counts = np.zeros(len(self.names), dtype=np.int64)
        for index in bins:
            rows = slice(self.begins[index], self.begins[index + 1])
            counts[self.name_of_row[rows]] += self.count_of_row[rows]
        return counts


@cache
def _survey() -> _Survey:
    content = verified(FILE, SHA256, "The survey of color names")
    with np.load(io.BytesIO(content)) as arrays:
        counts = arrays["counts"].astype(np.int64)
        begins = np.concatenate([[0], np.cumsum(arrays["names_of_bin"], dtype=np.int64)])
        names = tuple(str(name) for name in arrays["names"])
        return _Survey(
            arrays["lab"].astype(np.float64),
            names,
            begins,
            arrays["name"],
            counts,
            np.add.reduceat(counts, begins[:-1]),
            frozenset(map(_plain, names)),
        )


def same_name(first: str, second: str) -> bool:
    """Whether two spellings are one name: ``Navy-blue``, ``navy blue``; ``grey``, ``gray``."""
    return _plain(first) == _plain(second)


def _plain(name: str) -> str:
    return re.sub(r"[^a-z]", "", name.lower().replace("grey", "gray"))
