"""What a modifier moves: the shift from "mango" to "rotten mango", the model's against people's.

ColorConceptBench, section 5.1, figures 4 and 14, tables 6 to 8: the shift is the EMD between the
colors of a thing and those of the modified thing, and sensitivity the model's shift over people's.
The paper names three behaviors and gives no limits for them; ours, and the direction of a shift,
are in :class:`Limits`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import Event
from types import MappingProxyType

import numpy as np

from truehue.core.color.uw71 import lab71
from truehue.core.concepts.means import Number, mean_of, ratio_of
from truehue.core.concepts.records import ConceptCell
from truehue.core.concepts.scores import (
    NO_PEOPLE,
    NOT_DRAWN,
    UNMEASURED,
    OnProgress,
    base_of,
    by_id,
    moved_lab,
    people_of,
    placed_cells,
)
from truehue.core.errors import BadInput

INERTIA, DRIFT, OVER_CORRECTION, PRECISE, UNDIRECTED = (
    "inertia",
    "drift",
    "over-correction",
    "precise adaptation",
    "no direction",
)
BEHAVIORS: Mapping[str, str] = MappingProxyType(
    {
        INERTIA: "The shift is much smaller than people's: the modifier hardly matters.",
        DRIFT: "The shift is not small, but goes elsewhere than people's, however large it is.",
        OVER_CORRECTION: "The shift does not go elsewhere, but is much larger than people's: the "
        "thing loses its identity.",
        PRECISE: "The shift is as large as people's and goes the same way.",
        UNDIRECTED: "The shift is as large as people's, but a mean color hardly moves, so that it "
        "has no direction.",
    }
)
"""What a model does about a modifier, with a sentence each, in the order in which they are asked
for: the first that fits is it (:func:`behavior_of`)."""

NO_BASE_PEOPLE = "no distribution of people for the thing as such"
NOT_DRAWN_BASE = "the thing as such not drawn by this run"
UNMEASURED_BASE = "no picture of the thing as such could be measured"
PEOPLE_STAY = "people's shift is 0"
MODEL_STILL = "the model's mean color hardly moves"
PEOPLE_STILL = "people's mean color hardly moves"

KEYS = ("run_id", "style", "kind", "category", "modifier")
"""What shifts can be summed up by."""

# Less than rounding makes of equal distributions.
_NO_SHIFT_LAB = 1e-6
_PROGRESS_EVERY = 200


@dataclass(frozen=True)
class Limits:
    """Where one behavior ends and the next begins. All four are TrueHue's choice; the paper has
    none.

    ``inertia_below`` and ``over_above`` are limits of the ratio of shifts; ``drift_over_deg`` of
    the angle between the model's and people's shift of the mean color in CIELAB, 0 to 180 degrees;
    it holds for every shift that is no inertia, so that a large one the wrong way is drift and no
    over-correction. A mean color that moves less than ``still_below_lab`` has no direction.
    """

    inertia_below: float = 0.5
    over_above: float = 1.5
    drift_over_deg: float = 60.0
    still_below_lab: float = 2.0

    def __post_init__(self) -> None:
        if not 0.0 < self.inertia_below < self.over_above:
            raise BadInput("The limit of inertia lies above 0 and below that of over-correction.")
        if not 0.0 < self.drift_over_deg <= 180.0 or not self.still_below_lab >= 0.0:
            raise BadInput("Drift begins between 0 and 180 degrees; stillness at 0 Lab or more.")


OURS = Limits()


@dataclass(frozen=True)
class Shift:
    """A modified concept of one run in one style against the thing as such.

    ``model_lab`` and ``people_lab`` are the EMDs from base to modified, ``ratio`` the first over
    the second. ``model_way`` and ``people_way`` are the shifts of the mean CIELAB color, and
    ``direction_deg`` the angle between them. What could not be had is None: ``reason`` says why
    there is no ratio, ``direction_reason`` why there is no direction. ``behavior`` is a key of
    :data:`BEHAVIORS`, empty without a ratio.
    """

    run_id: str
    concept_id: str
    base_id: str
    modifier: str
    kind: str
    category: str
    style: str
    model_lab: float | None = None
    people_lab: float | None = None
    ratio: float | None = None
    reason: str = ""
    model_way: tuple[float, float, float] | None = None
    people_way: tuple[float, float, float] | None = None
    direction_deg: float | None = None
    direction_reason: str = ""
    behavior: str = ""


@dataclass(frozen=True)
class Summary:
    """Shifts summed up. ``sensitivity`` is the ratio of the mean shifts, of all concepts that have
    both; ``mean_ratio`` and ``median_ratio`` are of the single ratios, which a small shift of
    people's makes large, and which there are not where people's is 0.
    ``direction_deg`` is the mean angle. ``behaviors`` counts the concepts; ``behavior`` is that of
    the whole, from ``sensitivity`` and ``direction_deg``.
    """

    sensitivity: Number
    mean_ratio: Number
    median_ratio: float | None
    direction_deg: Number
    model_lab: float | None
    people_lab: float | None
    behaviors: Mapping[str, int] = field(default_factory=dict)
    behavior: str = ""


@dataclass(frozen=True)
class ModelsMean:
    """The mean sensitivity of several runs, each counting once: ``runs`` have one, ``missing``
    do not. None where no run has one."""

    value: float | None
    runs: int
    missing: int


def behavior_of(ratio: float, direction_deg: float | None, limits: Limits = OURS) -> str:
    """Where a shift lies on the plane of size against direction: a key of :data:`BEHAVIORS`.

    A small shift is inertia wherever it goes; of the others, one that goes elsewhere is drift at
    any size; of the rest, a large one is over-correction. A shift without a direction is nowhere
    else, so that a large one is over-correction, too.
    """
    if ratio < limits.inertia_below:
        return INERTIA
    if direction_deg is not None and direction_deg > limits.drift_over_deg:
        return DRIFT
    if ratio > limits.over_above:
        return OVER_CORRECTION
    return UNDIRECTED if direction_deg is None else PRECISE


def shifts(
    cells: Sequence[ConceptCell],
    people: Mapping[str, np.ndarray],
    *,
    guidance: float | None = None,
    limits: Limits = OURS,
    on_progress: OnProgress = lambda done, total: None,
    stop: Event | None = None,
) -> tuple[Shift, ...] | None:
    """A shift for every run, style and modified concept that one of the cells or people have.

    ``people`` are distributions ``(71,)`` by concept id; ``guidance`` chooses the cells of one
    scale, None those of all together. Returns None once ``stop`` is set. Raises BadInput for cells
    of more than one method, two cells of one place, and people's numbers that are no distribution.
    """
    placed = placed_cells(cell for cell in cells if cell.guidance == guidance)
    people_weights = people_of(people)
    concept_ids = sorted(
        ({place[3] for place in placed} | people_weights.keys()) & base_of().keys()
    )
    groups = sorted({place[:2] for place in placed})
    total, shift_list = len(groups) * len(concept_ids), []
    for run_id, style in groups:
        own = {place[3]: cell for place, cell in placed.items() if place[:2] == (run_id, style)}
        for concept_id in concept_ids:
            if stop is not None and stop.is_set():
                return None
            shift_list.append(_shift(run_id, style, concept_id, own, people_weights, limits))
            if len(shift_list) % _PROGRESS_EVERY == 0:
                on_progress(len(shift_list), total)
    on_progress(total, total)
    return tuple(shift_list)


def summaries(
    shift_list: Sequence[Shift], by: Sequence[str] = ("run_id",), limits: Limits = OURS
) -> dict[tuple[str, ...], Summary]:
    """Shifts summed up by some of :data:`KEYS`, in the order of their first appearance.

    The paper's table 6 is by run and style, table 7 by run and kind. Raises BadInput for other
    keys.
    """
    for key in by:
        if key not in KEYS:
            raise BadInput(f"Shifts are summed up by {', '.join(KEYS)}, not by {key!r}.")
    groups: dict[tuple[str, ...], list[Shift]] = defaultdict(list)
    for shift in shift_list:
        groups[tuple(str(getattr(shift, key)) for key in by)].append(shift)
    return {key: summary_of(own, limits) for key, own in groups.items()}


def summary_of(shift_list: Sequence[Shift], limits: Limits = OURS) -> Summary:
    """All these shifts summed up."""
    # A concept that people leave as it is has no single ratio, but it has two shifts: without it
    # the ratio of means would be of concepts chosen by how far people go.
    both = [shift for shift in shift_list if shift.model_lab is not None]
    model = [shift.model_lab or 0.0 for shift in both]
    people = [shift.people_lab or 0.0 for shift in both]
    sensitivity = ratio_of(
        model,
        people,
        [shift.reason for shift in shift_list if shift.model_lab is None],
        [shift.concept_id for shift in both],
    )
    reasons = [shift.reason for shift in shift_list if shift.ratio is None]
    if sensitivity.value is None:  # then those that people leave as they are have no part either
        sensitivity = replace(sensitivity, left_out=dict(Counter(reasons)))
    ratio_shifts = [shift for shift in shift_list if shift.ratio is not None]
    ratios = [shift.ratio for shift in ratio_shifts if shift.ratio is not None]
    names = [shift.concept_id for shift in ratio_shifts]
    angles = [shift.direction_deg for shift in ratio_shifts if shift.direction_deg is not None]
    still = [shift.direction_reason for shift in ratio_shifts if shift.direction_deg is None]
    turned = [shift.concept_id for shift in ratio_shifts if shift.direction_deg is not None]
    direction = mean_of(angles, [*reasons, *still], turned)
    return Summary(
        sensitivity=sensitivity,
        mean_ratio=mean_of(ratios, reasons, names),
        median_ratio=float(np.median(ratios)) if ratios else None,
        direction_deg=direction,
        model_lab=float(np.mean(model)) if model else None,
        people_lab=float(np.mean(people)) if people else None,
        behaviors=dict(Counter(shift.behavior for shift in ratio_shifts)),
        behavior=""
        if sensitivity.value is None
        else behavior_of(sensitivity.value, direction.value, limits),
    )


def mean_of_models(shift_list: Sequence[Shift]) -> ModelsMean:
    """The mean of the runs' sensitivities to these shifts, each run counting once. Of the shifts of
    one kind and style it is a number of the paper's table 8."""
    values = [summary.sensitivity.value for summary in summaries(shift_list).values()]
    numbers = [value for value in values if value is not None]
    mean = float(np.mean(numbers)) if numbers else None
    return ModelsMean(mean, len(numbers), len(values) - len(numbers))


def mean_color(weights: np.ndarray) -> np.ndarray:
    """The mean CIELAB color ``(3,)`` of a distribution over the bins."""
    return np.asarray(weights @ lab71())


def direction(
    model_way: np.ndarray, people_way: np.ndarray, still_below_lab: float = OURS.still_below_lab
) -> tuple[float | None, str]:
    """The angle between two shifts of a mean color ``(3,)``, 0 to 180 degrees, or None and why."""
    sizes = float(np.linalg.norm(model_way)), float(np.linalg.norm(people_way))
    for size, reason in zip(sizes, (MODEL_STILL, PEOPLE_STILL), strict=True):
        if size <= 0.0 or size < still_below_lab:
            return None, reason
    cosine = float(model_way @ people_way) / (sizes[0] * sizes[1])
    return float(np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0)))), ""


def _shift(
    run_id: str,
    style: str,
    concept_id: str,
    own: Mapping[str, ConceptCell],
    people_weights: Mapping[str, np.ndarray],
    limits: Limits,
) -> Shift:
    concept, base_id = by_id()[concept_id], base_of()[concept_id]
    plain = Shift(
        run_id,
        concept_id,
        base_id,
        concept.modifier,
        concept.modifier_kind,
        concept.category,
        style,
    )
    if base_id not in people_weights or concept_id not in people_weights:
        return replace(plain, reason=NO_PEOPLE if base_id in people_weights else NO_BASE_PEOPLE)
    base, modified = own.get(base_id), own.get(concept_id)
    if base is None or modified is None:
        return replace(plain, reason=NOT_DRAWN if base is not None else NOT_DRAWN_BASE)
    if base.weights is None or modified.weights is None:
        return replace(plain, reason=UNMEASURED_BASE if base.weights is None else UNMEASURED)
    model_lab = moved_lab(base.weights, modified.weights)
    people_lab = moved_lab(people_weights[base_id], people_weights[concept_id])
    model_way = mean_color(modified.weights) - mean_color(base.weights)
    people_way = mean_color(people_weights[concept_id]) - mean_color(people_weights[base_id])
    measured = replace(
        plain,
        model_lab=model_lab,
        people_lab=people_lab,
        model_way=_triple(model_way),
        people_way=_triple(people_way),
    )
    if people_lab < _NO_SHIFT_LAB:
        return replace(measured, reason=PEOPLE_STAY, direction_reason=PEOPLE_STILL)
    angle, why = direction(model_way, people_way, limits.still_below_lab)
    ratio = model_lab / people_lab
    return replace(
        measured,
        ratio=ratio,
        direction_deg=angle,
        direction_reason=why,
        behavior=behavior_of(ratio, angle, limits),
    )


def _triple(way: np.ndarray) -> tuple[float, float, float]:
    lightness, a, b = (float(value) for value in way)
    return lightness, a, b
