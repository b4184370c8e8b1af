"""The order in which a job is drawn: by model, then by what may share a batch."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Sequence

from core.generation.request import GenerationRequest

Row = tuple[int, GenerationRequest]  # position in the submitted order, request


def by_model(requests: Sequence[GenerationRequest]) -> list[tuple[str, list[Row]]]:
    """Rows of each model, models in the order of their first appearance."""
    groups: dict[str, list[Row]] = {}
    for position, request in enumerate(requests):
        groups.setdefault(request.model, []).append((position, request))
    return list(groups.items())


def by_settings(rows: Iterable[Row]) -> list[list[Row]]:
    """Rows of one model that differ in text, targets, seed and prompt id only, and so may share
    a batch; settings in the order of their first appearance."""
    groups: dict[Hashable, list[Row]] = {}
    for row in rows:
        groups.setdefault(settings_of(row[1]), []).append(row)
    return list(groups.values())


def settings_of(request: GenerationRequest) -> Hashable:
    """What all requests of a batch have in common."""
    options = json.dumps(dict(request.options), sort_keys=True, default=repr)
    return (
        request.model,
        request.steps,
        request.guidance,
        request.width,
        request.height,
        request.negative_text,
        options,
    )
