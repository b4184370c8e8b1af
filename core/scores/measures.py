"""The one list of measures, for sorting failures, the leaderboard and exports."""

from __future__ import annotations

from collections.abc import Sequence

from truehue.core.errors import BadInput
from truehue.core.fidelity.cfm.registration import HOW_TO
from truehue.core.fidelity.vividness import delta_sat_score, saturation_score
from truehue.core.masks.marks import SALIENT_VERSION
from truehue.core.refinement.settings import NATURAL_SATURATION
from truehue.core.scores.learned import BY_ID
from truehue.core.scores.records import LOW, NEITHER, Measure

_CFM = ("cfm", "cfm_logit")
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
        "without its sign. A mean of it is the mean of the images' ΔSat; the paper's Table 3 most "
        f"likely has the ΔSat of the mean, the distance of the mean saturation from "
        f"{NATURAL_SATURATION:g}",
        _TOO_VIVID,
        parameters={"natural_saturation": NATURAL_SATURATION},
        of=delta_sat_score,
        quick=True,
        mean_name="Mean of the images' ΔSat",
    ),
)
"""In the order in which they are shown."""

DELTA_SAT_OF_MEAN = Measure(
    "delta_sat_of_mean",
    "1.0",
    "ΔSat of the mean",
    LOW,
    0.0,
    1.0 - NATURAL_SATURATION,
    3,
    f"Distance of a set's mean HSV saturation from {NATURAL_SATURATION:g}, as the paper's Table 3 "
    "most likely has it. It is never larger than the mean of the images' ΔSat",
    _TOO_VIVID,
    parameters={"natural_saturation": NATURAL_SATURATION},
)
"""A number of a set of images, of the mean of its ``mean_saturation``. One image has only ΔSat."""

SALIENT_OBJECT = Measure(
    "salient_object",
    SALIENT_VERSION,
    "Salient object",
    NEITHER,
    0.0,
    100.0,
    1,
    "Share of the image that stands out, by the masker salient",
    "U²-Net small: Qin and others 2020",
    unit="%",
)
"""Of an image in which nothing stands out the reason is stored; of any other its mask says more."""

_MORE: dict[str, tuple[Measure, ...]] = {}


def add_measures(owner: str, measures: Sequence[Measure]) -> None:
    """Puts the measures of this machine behind those of the list: of a registered model, of scores
    that were imported. They take the place of what the same ``owner`` added before; none takes it
    away. Ids of the list stay the list's."""
    _MORE[owner] = tuple(measures)


def all_measures() -> tuple[Measure, ...]:
    """Every measure that there is now, each id once: the list, then what was added."""
    by_id = {measure.id: measure for measure in MEASURES}
    for measures in _MORE.values():
        for measure in measures:
            by_id.setdefault(measure.id, measure)
    return tuple(by_id.values())


def measures_of(item_kind: str) -> tuple[Measure, ...]:
    """The measures that speak of such items."""
    return tuple(measure for measure in all_measures() if item_kind in measure.item_kinds)


def measure_of(measure_id: str) -> Measure:
    """The measure of that id. Raises BadInput, with the ids that there are, for another one."""
    measures = all_measures()
    for measure in measures:
        if measure.id == measure_id:
            return measure
    if measure_id in _CFM:
        raise BadInput(HOW_TO)
    if measure_id in BY_ID:
        return BY_ID[measure_id].measure()
    known = ", ".join(measure.id for measure in measures)
    raise BadInput(f"There is no measure {measure_id[:40]!r}: give one of {known}.")
