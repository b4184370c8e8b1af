"""The one list of measures: what the wall sorts by, the leaderboard shows and exports write."""

from __future__ import annotations

from core.errors import BadInput
from core.fidelity.vividness import delta_sat_score, saturation_score
from core.refinement.maps import NATURAL_SATURATION
from core.scores.records import LOW, NEITHER, Measure

_TOO_VIVID = "“Too Vivid to Be Real?”, which does not state the color space: HSV is ours"

MEASURES: tuple[Measure, ...] = (
    Measure(
        "mean_saturation",
        "1.0",
        "Mean saturation",
        NEITHER,
        0.0,
        1.0,
        3,
        "Mean HSV saturation of all pixels of the image",
        _TOO_VIVID,
        of=saturation_score,
        quick=True,
    ),
    Measure(
        "delta_sat",
        "1.0",
        "ΔSat",
        LOW,
        0.0,
        1.0 - NATURAL_SATURATION,
        3,
        f"Mean HSV saturation of the whole image less {NATURAL_SATURATION:g}, that of photographs, "
        "without its sign",
        _TOO_VIVID,
        parameters={"natural_saturation": NATURAL_SATURATION},
        of=delta_sat_score,
        quick=True,
    ),
)
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
