"""What a metric's scores of groups say of it: order, and agreement with people."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from truehue.core.fidelity.agreement import Agreement, agreement
from truehue.core.fidelity.groups import Group
from truehue.core.fidelity.order import (
    Accuracy,
    adjacent_accuracy,
    neighbor_accuracy,
    real_accuracy,
)

Rows = Sequence[Sequence[float]]
"""A number for each file of each group, the photograph first; NaN where there is none."""


@dataclass(frozen=True)
class Evaluation:
    """What is said of one metric; ``agreement`` is None without ratings. ``parts`` are SynPairs and
    Real&Syn by category and by the model that drew, where the groups name several."""

    metric: str
    higher_is_better: bool
    syn_pairs: Accuracy
    real_syn: Accuracy
    adjacent: Accuracy
    agreement: Agreement | None
    parts: Mapping[str, tuple[Accuracy, Accuracy]]

    def as_json(self) -> dict[str, Any]:
        """Plain JSON, None where a number is none."""
        return dict(_finite(asdict(self)))


def evaluate(
    metric: str,
    groups: Sequence[Group],
    scores: Rows,
    higher_is_better: bool = True,
    ratings: Rows | None = None,
) -> Evaluation:
    """``ratings`` (higher is better) are NaN where nobody rated; an image that stands in several
    groups is counted once, by its file, and those groups are resampled as one. Raises BadInput for
    a group of fewer than two images."""
    rated = None
    if ratings is not None:
        joined = joined_groups(groups)
        seen: dict[Any, tuple[float, float, int]] = {}
        for number, group in enumerate(groups):
            for path, score, rating in zip(
                group.files, scores[number], ratings[number], strict=True
            ):
                if not math.isnan(rating):
                    seen.setdefault(path, (score, rating, joined[number]))
        columns = list(zip(*seen.values(), strict=True)) or [(), (), ()]
        rated = agreement(columns[0], columns[1], columns[2], higher_is_better)
    parts = {}
    for kind, names in (
        ("category", [group.category for group in groups]),
        ("model", [group.model for group in groups]),
    ):
        if len(set(names)) > 1:
            for name in sorted(set(names)):
                entries = [row for row, other in zip(scores, names, strict=True) if other == name]
                pair = (
                    neighbor_accuracy(entries, higher_is_better),
                    real_accuracy(entries, higher_is_better),
                )
                parts[name or f"{kind} not stated"] = pair
    return Evaluation(
        metric,
        higher_is_better,
        neighbor_accuracy(scores, higher_is_better),
        real_accuracy(scores, higher_is_better),
        adjacent_accuracy(scores, higher_is_better),
        rated,
        parts,
    )


def joined_groups(groups: Sequence[Group]) -> list[int]:
    """Of each group the position of the first that it is joined to by files that both have, through
    others too: a photograph that several models drew of ties their groups together."""
    first_with: dict[Path, int] = {}
    root = list(range(len(groups)))

    def first(number: int) -> int:
        while root[number] != number:
            number = root[number]
        return number

    for number, group in enumerate(groups):
        for path in group.files:
            index, other = first(number), first(first_with.setdefault(path, number))
            root[max(index, other)] = min(index, other)
    return [first(number) for number in range(len(groups))]


def _finite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _finite(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
