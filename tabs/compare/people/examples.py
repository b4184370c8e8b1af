"""A small example file of each import format, made from UW-71. The numbers are invented."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from truehue.core.color.notation import read_hex
from truehue.core.color.spaces import srgb8_to_lab
from truehue.core.color.uw71 import COUNT, assign, uw71

# Colors with weights, by concept and modifier.
_PALETTES: dict[tuple[str, str], tuple[tuple[str, float], ...]] = {
    ("banana", ""): (("#F2D23C", 0.7), ("#E3B62E", 0.2), ("#7C5A2E", 0.1)),
    ("banana", "rotten"): (("#4B3621", 0.6), ("#8A6A2F", 0.3), ("#1E1712", 0.1)),
    ("forest", ""): (("#3E7D3A", 0.6), ("#6B4A2E", 0.25), ("#8FBF5A", 0.15)),
}
_CONTRIBUTORS = ("p01", "p02")


@dataclass(frozen=True)
class Example:
    """A file to download, and what its format is in a sentence."""

    file_name: str
    title: str
    about: str
    make: Callable[[], str]


def ratings_csv() -> str:
    """One row a concept, one column a bin by index: mean ratings from 0 to 1 of no common sum."""
    rows: list[list[object]] = [["", *range(COUNT)]]
    for key in _PALETTES:
        weights = _weights(key)
        rows.append([_text(key), *(f"{value:.4f}" for value in 0.95 * weights / weights.max())])
    return _csv(rows)


def histograms_csv() -> str:
    """One row a concept and contributor, one column a bin by its color; each row sums to 1."""
    rows: list[list[object]] = [
        ["concept", "modifier", "contributor", *(bin_.hex for bin_ in uw71())]
    ]
    for who in _CONTRIBUTORS:
        rows += [[*key, who, *_texts(_weights(key))] for key in _PALETTES]
    return _csv(rows)


def palettes_csv() -> str:
    """One row a color of a palette."""
    rows: list[list[object]] = [["concept", "modifier", "contributor", "hex", "weight"]]
    for key, palette in _PALETTES.items():
        rows += [[*key, "p01", color, weight] for color, weight in palette]
    return _csv(rows)


def distributions_json() -> str:
    """A list of objects: weights of the 71 bins, or a palette."""
    records = []
    for key, palette in _PALETTES.items():
        concept, modifier = key
        records.append(
            {
                "concept": concept,
                "modifier": modifier,
                "contributor": "p01",
                "palette": [{"hex": color, "weight": weight} for color, weight in palette],
            }
        )
    return json.dumps(records, indent=1)


def single_csv() -> str:
    """71 numbers in a column: one distribution, whose concept the page asks for."""
    return _csv([[text] for text in _texts(_weights(("banana", "")))])


def contributors_csv() -> str:
    """Who colored which picture."""
    names = ("sheet-1.png", "sheet-2.png", "sheet-3.png")
    return _csv([["file", "contributor"], *zip(names, ("p01", "p02", "p03"), strict=True)])


EXAMPLES = (
    Example(
        "ratings.csv",
        "Association ratings",
        "One row per concept, its name first, and 71 columns named 0 to 70 in UW-71's "
        "canonical order. Ratings do not sum to 1; they are normalized after you confirm that "
        "they are ratings, and labeled as ratings everywhere.",
        ratings_csv,
    ),
    Example(
        "histograms.csv",
        "Histograms",
        "One row per concept and contributor; 71 columns named by the bins’ colors, here as "
        "hex (“L,a,b” works too). Columns can be in any order: their colors identify the "
        "bins. Each row sums to 1; counts and percent are divided by their sum after you "
        "confirm. A table with one row per bin and one column per concept is read as well.",
        histograms_csv,
    ),
    Example(
        "palettes.csv",
        "Palettes",
        "One row per color: concept, color as hex (or r, g, b or L, a, b) and weight. Without "
        "weights all colors have the same weight. Each color goes to the closest of the 71 "
        "bins.",
        palettes_csv,
    ),
    Example(
        "distributions.json",
        "JSON",
        "A list of objects with concept, and a palette or weights (71 numbers); or one object "
        "with 71 numbers per concept.",
        distributions_json,
    ),
    Example(
        "one.csv",
        "One distribution",
        "Only 71 numbers, in a row or a column; the page asks for their concept.",
        single_csv,
    ),
    Example(
        "contributors.csv",
        "Contributors of the images",
        "For sets of images: file names and who colored them.",
        contributors_csv,
    ),
)


def _text(key: tuple[str, str]) -> str:
    concept, modifier = key
    return f"{modifier} {concept}".strip()


@cache
def _weights(key: tuple[str, str]) -> np.ndarray:
    palette = _PALETTES[key]
    srgb8 = np.array([read_hex(color) for color, _ in palette])
    return assign(srgb8_to_lab(srgb8), np.array([weight for _, weight in palette]), "soft")


def _texts(weights: np.ndarray) -> list[str]:
    # Ten decimals: the sum of 71 rounded numbers stays within the tolerance of a sum of 1.
    return [f"{value:.10f}" for value in weights]


def _csv(rows: Iterable[Sequence[object]]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows(rows)
    return buffer.getvalue()
