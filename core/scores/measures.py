"""The one list of measures: what the wall sorts by, the leaderboard shows and exports write."""

from __future__ import annotations

from core.errors import BadInput
from core.scores.records import Measure

MEASURES: tuple[Measure, ...] = ()
"""In the order in which they are shown."""


def measures_of(item_kind: str) -> tuple[Measure, ...]:
    """The measures that speak of such items."""
    return tuple(measure for measure in MEASURES if item_kind in measure.item_kinds)


def measure_of(measure_id: str) -> Measure:
    """The measure of that id. Raises BadInput, with the ids that there are, for another one."""
    for measure in MEASURES:
        if measure.id == measure_id:
            return measure
    known = ", ".join(measure.id for measure in MEASURES)
    raise BadInput(f"There is no measure {measure_id[:40]!r}: give one of {known}.")
