"""What people call a color: the XKCD color survey as counts of names in CIELAB.

Heer, Stone: "Color Naming Models for Color Selection, Image Editing and Palette Design", CHI 2012,
1007-1016, whose data this is: 2,677,400 answers of people at screens of their own, for 8,325 bins of
CIELAB (D65), every 5 in L*, a* and b*, and the 153 names that are used most.

Answers of other people, in any language, can stand beside it: files that the environment names in
``TRUEHUE_NAMES`` (:func:`read_survey`).
"""

from __future__ import annotations

import csv
import io
import math
import os
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from truehue.core.color.notation import read_hex
from truehue.core.color.spaces import srgb8_to_lab
from truehue.core.color.systems import FOLDER, verified
from truehue.core.errors import BadInput, UnknownColor

FILE = FOLDER / "people.npz"
SHA256 = "c9738239afdf54b8d288dc4b4c23bbfa970462ac78517638d4f86f92a64f9cce"
MIN_ANSWERS = 20
"""A bin with fewer answers is pooled with its nearest bins until they have as many."""
VARIABLE = "TRUEHUE_NAMES"
BIN = 5.0
"""The side of a bin in CIELAB."""
MAX_DISTANCE = 15.0
"""Of a survey with few colors, answers to one farther away in CIELAB say nothing of a color."""
MAX_NAMES, MAX_COUNT = 60_000, 1_000_000_000


@dataclass(frozen=True)
class NameShare:
    """A name, and what ``share`` of the answers it is, 0 to 1."""

    name: str
    share: float


@dataclass(frozen=True)
class Naming:
    """What people call one color: names by falling share, of so many ``answers``. ``spelled`` are all
    names of the survey, as :func:`same_name` compares them."""

    names: tuple[NameShare, ...]
    answers: int
    spelled: frozenset[str] = field(default=frozenset(), repr=False, compare=False)

    def share_of(self, name: str) -> float | None:
        """The share of answers with this name, 0 to 1, however it is spelled; None for a name that is
        none of the survey's."""
        if _plain(name) not in self.spelled:
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


SHOWN_NAMES = 5
"""Names that a result lists."""


def naming(lab: ArrayLike, survey: Survey | None = None) -> Naming:
    """What people call a color of CIELAB D65/2 degrees, ``(3,)``, by the XKCD survey or another, which
    may have no answer for it.

    Raises TrueHueError when the survey's file is missing or was changed.
    """
    survey = survey or _survey()
    distances = np.linalg.norm(survey.lab - np.asarray(lab, dtype=np.float64), axis=1)
    # Stable: of bins equally far, the first of the survey's order.
    order = np.argsort(distances, kind="stable")
    order = order[distances[order] <= survey.max_distance]
    enough = int(np.searchsorted(np.cumsum(survey.answers[order]), MIN_ANSWERS)) + 1
    counts = survey.counts_of(order[:enough])
    total = int(counts.sum())
    used = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)]
    return Naming(
        tuple(NameShare(survey.names[i], counts[i] / total) for i in used), total, survey.spelled
    )


def naming_fields(lab: ArrayLike | None) -> dict[str, Any]:
    """What people call a color, as JSON: its ``people`` with their shares, the first five, and how
    many answers they are of. Empty where there is no color."""
    if lab is None:
        return {"people": [], "people_answers": 0}
    found = naming(lab)
    names = [{"name": item.name, "share": item.share} for item in found.names[:SHOWN_NAMES]]
    return {"people": names, "people_answers": found.answers}


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
class Survey:
    """``lab`` of its bins float64 (B, 3), ``answers`` of each bin int64 (B,), and the counts of names
    as rows: those of bin ``i`` are from ``begins[i]`` to ``begins[i + 1]``."""

    title: str
    lab: NDArray[np.float64]
    names: Sequence[str]
    begins: NDArray[np.int64]
    name_of_row: NDArray[np.integer[Any]]
    count_of_row: NDArray[np.int64]
    answers: NDArray[np.int64]
    spelled: frozenset[str]
    max_distance: float = math.inf

    def counts_of(self, bins: Sequence[int] | NDArray[np.int64]) -> NDArray[np.int64]:
        """How often each name was said of these bins together, int64 ``(len(names),)``."""
        counts = np.zeros(len(self.names), dtype=np.int64)
        for index in bins:
            rows = slice(self.begins[index], self.begins[index + 1])
            counts[self.name_of_row[rows]] += self.count_of_row[rows]
        return counts


@cache
def _survey() -> Survey:
    content = verified(FILE, SHA256, "The survey of color names")
    with np.load(io.BytesIO(content)) as arrays:
        counts = arrays["counts"].astype(np.int64)
        begins = np.concatenate([[0], np.cumsum(arrays["names_of_bin"], dtype=np.int64)])
        names = tuple(str(name) for name in arrays["names"])
        return Survey(
            "XKCD survey",
            arrays["lab"].astype(np.float64),
            names,
            begins,
            arrays["name"],
            counts,
            np.add.reduceat(counts, begins[:-1]),
            frozenset(map(_plain, names)),
        )


def surveys() -> tuple[Survey, ...]:
    """The XKCD survey, then those of the files in TRUEHUE_NAMES, in that order; raises BadInput for two
    of one title, and as :func:`read_survey`."""
    paths = filter(None, os.environ.get(VARIABLE, "").split(os.pathsep))
    others = [_read_once(Path(path).expanduser()) for path in paths]
    titles = [survey.title for survey in others]
    for title in titles:
        if titles.count(title) > 1:
            raise BadInput(f"{VARIABLE} names two files called {title}: rename one.")
    return _survey(), *others


def read_survey(path: Path) -> Survey:
    """Answers of people from a CSV file in UTF-8, called as the file is.

    Columns: ``name``; the color as ``hex``, as ``r``, ``g`` and ``b`` (sRGB, 0 to 255) or as ``l``,
    ``a`` and ``b`` (CIELAB, D65 and 2 degrees); and ``count``, how many gave this answer, 1 where it is
    left out. A color counts in the nearest bin of 5 in CIELAB. Raises BadInput naming the line that
    cannot be read.
    """
    answers = list[tuple[str, int]]()
    colors = list[Sequence[float]]()
    line = 1
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.DictReader(file)
            reader.fieldnames = [name.strip().casefold() for name in reader.fieldnames or ()]
            read_color, to_lab = _color_reader(reader.fieldnames)
            for row in reader:
                line = reader.line_num
                name = unicodedata.normalize("NFC", " ".join((row["name"] or "").split())).lower()
                if not name or len(name) > 80:
                    raise ValueError("a name has 1 to 80 characters")
                count = int(row.get("count") or 1)
                if not 1 <= count <= MAX_COUNT:
                    raise ValueError(f"count is {count}, and lies from 1 to {MAX_COUNT:,}")
                colors.append(read_color(row))
                answers.append((name, count))
    except _NoColor as error:
        raise BadInput(f"{path.name} {error}") from error
    except (OSError, UnicodeError) as error:
        raise BadInput(f"The color names {path} cannot be read: {error}.") from error
    except (ValueError, TypeError, UnknownColor, csv.Error) as error:
        raise BadInput(f"{path.name}, line {line}: {str(error).rstrip('.')}.") from error
    if not answers:
        raise BadInput(f"{path.name} has no answer.")
    counts: dict[tuple[float, ...], Counter[str]] = {}
    bins = BIN * np.round(to_lab(np.array(colors)) / BIN)
    for lab, (name, count) in zip(bins.tolist(), answers, strict=True):
        counts.setdefault(tuple(lab), Counter())[name] += count
    return _survey_of(path.stem, counts)


class _NoColor(Exception):
    """A header names no color."""


_ColorReader = Callable[[Mapping[str, str]], Sequence[float]]


def _color_reader(
    columns: Sequence[str],
) -> tuple[_ColorReader, Callable[[NDArray[Any]], NDArray[np.float64]]]:
    """Reads the color of a row, and converts those of all rows, ``(N, 3)``, to CIELAB."""
    if "name" in columns and "hex" in columns:
        return lambda row: _hex(row["hex"]), srgb8_to_lab
    if {"name", "r", "g", "b"} <= set(columns):
        return _codes, srgb8_to_lab
    if {"name", "l", "a", "b"} <= set(columns):
        return _lab, lambda lab: lab
    raise _NoColor(
        "needs the columns name and hex, or name, r, g, b, or name, l, a, b; count is optional. It has "
        f"{', '.join(columns) or 'none'}."
    )


def _hex(text: str | None) -> tuple[int, int, int]:
    srgb8 = read_hex((text or "").strip())
    if srgb8 is None:
        raise ValueError("the hex code is missing")
    return srgb8


def _codes(row: Mapping[str, str]) -> list[int]:
    codes = [int(row[name]) for name in "rgb"]
    if not all(0 <= code <= 255 for code in codes):
        raise ValueError("r, g and b lie from 0 to 255")
    return codes


def _lab(row: Mapping[str, str]) -> list[float]:
    lab = [float(row[name]) for name in "lab"]
    if not (0 <= lab[0] <= 100 and all(-200 <= value <= 200 for value in lab[1:])):
        raise ValueError("l lies from 0 to 100, a and b from -200 to 200")
    return lab


def _survey_of(title: str, counts: Mapping[tuple[float, ...], Counter[str]]) -> Survey:
    names = sorted({name for counted in counts.values() for name in counted})
    if len(names) > MAX_NAMES:
        raise BadInput(f"{title} has {len(names):,} names; at most {MAX_NAMES:,} are read.")
    number = {name: index for index, name in enumerate(names)}
    rows = [(number[name], count) for counted in counts.values() for name, count in counted.items()]
    table = np.array(rows, dtype=np.int64)
    sizes = [len(counted) for counted in counts.values()]
    begins = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
    return Survey(
        title,
        np.array(list(counts), dtype=np.float64),
        names,
        begins,
        table[:, 0],
        table[:, 1],
        np.add.reduceat(table[:, 1], begins[:-1]),
        frozenset(map(_plain, names)),
        MAX_DISTANCE,
    )


@cache
def _read_once(path: Path) -> Survey:
    return read_survey(path)


def same_name(first: str, second: str) -> bool:
    """Whether two spellings are one name: ``Navy-blue``, ``navy blue``; ``grey``, ``gray``."""
    return _plain(first) == _plain(second)


def _plain(name: str) -> str:
    letters = unicodedata.normalize("NFKC", name).casefold()
    # Marks too: vowels of Hindi and Thai are some.
    signs = (sign for sign in letters if unicodedata.category(sign)[0] in "LMN")
    return "".join(signs).replace("grey", "gray")
