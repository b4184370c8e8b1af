"""Counts on path-traced pictures that are not shipped: how rules do where light is not kind.

``assets/diagnosis/README.md`` says how the pictures were made and what the file's names mean.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from truehue.core.diagnosis.figures import rate_percent
from truehue.core.diagnosis.records import Figure
from truehue.core.errors import BadInput

SCHEMA = 1


@dataclass(frozen=True)
class TracedSet:
    """One set of pictures: what its light was, and what it was used for."""

    id: str
    name: str
    words: str
    scenes: int


@dataclass(frozen=True)
class TracedRule:
    """A rule's version on one set; ``figures`` by color system."""

    set: str
    rule: str
    version: str
    figures: dict[str, Figure]


@dataclass(frozen=True)
class Reliability:
    """Verdicts of ``truehue`` whose confidence lies in one bin: what was said, and how often it
    was right, both in percent, weighted so that five near names stand beside each true color."""

    set: str
    status: str
    from_percent: int
    verdicts: int
    said_percent: float
    right_percent: float


@dataclass(frozen=True)
class PathTraced:
    """The whole file."""

    sets: tuple[TracedSet, ...]
    rules: tuple[TracedRule, ...]
    calibration: tuple[Reliability, ...]


def read_path_traced(path: Path) -> PathTraced:
    """The counts in a file. Raises BadInput where it is missing, damaged or of another schema."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if data["schema"] != SCHEMA:
            raise BadInput(f"{path.name} has schema {data['schema']!r}, not {SCHEMA}.")
        return PathTraced(
            tuple(TracedSet(**entry) for entry in data["sets"]),
            _rules(data["figures"]),
            tuple(Reliability(**entry) for entry in data["calibration"]),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadInput(f"{path.name} cannot be read: {error!r}.") from error


def _rules(figures: list[Mapping[str, Any]]) -> tuple[TracedRule, ...]:
    figures_by_rule: dict[tuple[str, str, str], dict[str, Figure]] = {}
    for figure in figures:
        if figure["by"] == "all":
            cells_of_rule = figures_by_rule.setdefault(
                (figure["set"], figure["rule"], figure["version"]), {}
            )
            cells_of_rule[figure["system"]] = Figure(
                figure["set"],
                figure["system"],
                "all",
                "",
                figure["hits"],
                figure["asked"],
                figure["false_accepts"],
                figure["tried"],
                0,
                *rate_percent(figure["hits"], figure["asked"]),
                *rate_percent(figure["false_accepts"], figure["tried"]),
            )
    return tuple(TracedRule(*key, cells) for key, cells in figures_by_rule.items())
