"""What a scorer's answers to a ring test show: rates, bias and calibration, with intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np

from truehue.core.analysis.intervals import interval
from truehue.core.errors import BadInput
from truehue.core.ring.answers import NONE, YES, RingAnswer, RingAnswers
from truehue.core.ring.bias import MIN_SEEN, RANGES, Shift, Stratum, bias
from truehue.core.ring.calibration import RingCalibration, calibration
from truehue.core.ring.folder import RingKey, RingSet
from truehue.core.ring.plan import (
    FALSE_KINDS,
    HEX,
    LEVELS,
    PROBE,
    RIGHT,
    SYSTEMS,
    RingQuestion,
)
from truehue.core.ring.shares import Estimate, Share, share, weights
from truehue.core.version import VERSION

SCHEMA = 1
SIGNIFICANT = 0.05
MAX_POINTS = 60
KIND_NAMES = {
    "right": "the true color",
    "same_system": "another color of the same system",
    "other_system": "a color of another system",
    "leaked": "the backdrop's color",
    "swapped": "the other object's color",
}
_SIDES = {
    "lightness": ("lighter", "darker"),
    "chroma": ("more colorful", "less colorful"),
    "hue": ("turned toward higher hue angles", "turned toward lower hue angles"),
}


@dataclass(frozen=True)
class RingPoint:
    """A point of the curve, in percent: what is accepted where every answer counts as yes whose
    probability of yes, by its confidence, is at least ``limit``."""

    limit: float
    hit_percent: float
    false_accept_percent: float


@dataclass(frozen=True)
class SystemRates:
    """The rates of questions on colors of one color system, by name and by code."""

    hits: Share
    false_accepts: Share


@dataclass(frozen=True)
class RingReport:
    """One scorer on one set.

    ``hits`` and ``false_accepts`` count unscored and missing answers as not accepted. ``kinds``
    are the false accepts by kind of question, ``systems`` both rates by color system. ``youden``
    is hits minus false accepts in percent points: 0 for a scorer that cannot tell colors apart.
    ``accepted_share`` counts all answers but probes. ``curve`` is empty without confidences.
    ``findings`` are sentences.
    """

    scorer: str
    scorer_version: str
    answers_sha256: str
    set_id: str
    key_sha256: str
    images: int
    questions: int
    missing: int
    unscored: int
    hits: Share
    false_accepts: Share
    kinds: Mapping[str, Share]
    systems: Mapping[str, SystemRates]
    youden: Estimate
    accepted_share: Share
    strata: tuple[Stratum, ...]
    calibration: RingCalibration | None
    curve: tuple[RingPoint, ...]
    findings: tuple[str, ...]
    set_version: str
    renderer_version: str
    version: str
    created_at: str
    schema: int = SCHEMA

    def as_json(self) -> dict[str, Any]:
        """Plain JSON with the same names."""
        return asdict(self)


def score(ring_set: RingSet, key: RingKey, answers: RingAnswers) -> RingReport:
    """The report of some answers to a set that :func:`read_key` opened the key of."""
    questions = list(key.questions.values())
    accepted = accepted_of(questions, answers)
    rated = [i for i, question in enumerate(questions) if question.kind != PROBE]
    rates = _rates(questions, accepted)
    if RIGHT not in rates or "" not in rates:
        raise BadInput(f"The set {ring_set.name} has no questions on true and on other colors.")
    youden = _youden(questions, accepted)
    accepted_share = share([questions[i].image for i in rated], [accepted[i] for i in rated], "yes")
    assert accepted_share is not None
    strata = bias(key.scenes, questions, accepted)
    calibrated = _calibration(questions, answers)
    return RingReport(
        scorer=answers.scorer,
        scorer_version=answers.version,
        answers_sha256=answers.sha256,
        set_id=ring_set.id,
        key_sha256=key.sha256,
        images=ring_set.images,
        questions=len(questions),
        missing=sum(question.id not in answers.answers for question in questions),
        unscored=sum(entry.answer == NONE for entry in answers.answers.values()),
        hits=rates[RIGHT],
        false_accepts=rates[""],
        kinds={kind: rates[kind] for kind in FALSE_KINDS if kind in rates},
        systems=_systems(questions, accepted),
        youden=youden,
        accepted_share=accepted_share,
        strata=strata,
        calibration=calibrated,
        curve=_curve(questions, answers),
        findings=(
            *_worth(youden, accepted_share),
            *bias_findings(strata),
            *_calibration_finding(calibrated),
        ),
        set_version=ring_set.version,
        renderer_version=ring_set.renderer_version,
        version=VERSION,
        created_at=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def accepted_of(questions: Sequence[RingQuestion], answers: RingAnswers) -> list[bool]:
    """Whether each question was answered yes; a missing and an unscored answer is not."""
    given = answers.answers
    return [question.id in given and given[question.id].answer == YES for question in questions]


def _rates(questions: Sequence[RingQuestion], accepted: Sequence[bool]) -> dict[str, Share]:
    """By kind, and of all false accepts as ""."""
    groups: dict[str, list[tuple[str, bool]]] = {}
    for question, yes in zip(questions, accepted, strict=True):
        if question.kind == PROBE:
            continue
        groups.setdefault(question.kind, []).append((question.image, yes))
        if question.kind != RIGHT:
            groups.setdefault("", []).append((question.image, yes))
    out = {}
    for kind, entries in groups.items():
        rate = share([image for image, _ in entries], [yes for _, yes in entries], f"kind {kind}")
        if rate is not None:
            out[kind] = rate
    return out


def _systems(questions: Sequence[RingQuestion], accepted: Sequence[bool]) -> dict[str, SystemRates]:
    """The systems that have questions on true and on other colors."""
    rated = [question for question in questions if question.kind != PROBE]
    named = {(q.image, q.hex): q.system for q in rated if q.system != HEX}
    groups: dict[tuple[str, bool], list[tuple[str, bool]]] = {}
    for question, yes in zip(questions, accepted, strict=True):
        if question.kind != PROBE:
            key = named[question.image, question.hex], question.kind == RIGHT
            groups.setdefault(key, []).append((question.image, yes))

    def rate(system: str, is_right: bool) -> Share | None:
        entries = groups.get((system, is_right), [])
        name = f"system {system} {is_right}"
        return share([image for image, _ in entries], [yes for _, yes in entries], name)

    out = {}
    for system in SYSTEMS:
        hits, false_accepts = rate(system, True), rate(system, False)
        if hits is not None and false_accepts is not None:
            out[system] = SystemRates(hits, false_accepts)
    return out


def _youden(questions: Sequence[RingQuestion], accepted: Sequence[bool]) -> Estimate:
    """Hits minus false accepts, resampled over rated images."""
    images = sorted({question.image for question in questions if question.kind != PROBE})
    index = {image: number for number, image in enumerate(images)}
    sums = np.zeros((len(images), 4))
    for question, yes in zip(questions, accepted, strict=True):
        if question.kind != PROBE:
            column = 0 if question.kind == RIGHT else 2
            sums[index[question.image], column] += yes
            sums[index[question.image], column + 1] += 1

    def difference(totals: np.ndarray) -> np.ndarray:
        return np.asarray(100.0 * (totals[:, 0] / totals[:, 1] - totals[:, 2] / totals[:, 3]))

    value = float(difference(sums.sum(0, keepdims=True))[0])
    ends = interval(difference(weights(len(images), "youden") @ sums))
    return Estimate(value, *(ends or (None, None)))


def _calibration(questions: Sequence[RingQuestion], answers: RingAnswers) -> RingCalibration | None:
    images, stated, right = [], [], []
    for question in questions:
        entry = answers.answers.get(question.id)
        if question.kind == PROBE or entry is None or entry.confidence is None:
            continue
        if entry.answer != NONE:
            images.append(question.image)
            stated.append(entry.confidence)
            right.append(entry.answer == question.answer)
    return calibration(images, stated, right)


def _curve(questions: Sequence[RingQuestion], answers: RingAnswers) -> tuple[RingPoint, ...]:
    """Empty where an answer states no confidence; unscored and missing ones are never accepted."""
    yes: dict[bool, list[float]] = {True: [], False: []}
    for question in questions:
        if question.kind == PROBE:
            continue
        entry = answers.answers.get(question.id)
        if entry is not None and entry.answer != NONE and entry.confidence is None:
            return ()
        yes[question.kind == RIGHT].append(_probability_of_yes(entry))
    true, false = np.array(yes[True]), np.array(yes[False])
    limits = np.unique(np.concatenate((true, false)))
    limits = limits[limits >= 0.0]
    if limits.size < 3:
        return ()
    if limits.size > MAX_POINTS:
        limits = np.unique(np.quantile(limits, np.linspace(0, 1, MAX_POINTS), method="nearest"))
    return tuple(
        RingPoint(
            round(float(limit), 4),
            100.0 * float((true >= limit).mean()),
            100.0 * float((false >= limit).mean()),
        )
        for limit in limits[::-1]
    )


def _probability_of_yes(entry: RingAnswer | None) -> float:
    if entry is None or entry.answer == NONE or entry.confidence is None:
        return -1.0
    return entry.confidence if entry.answer == YES else 1.0 - entry.confidence


def _worth(youden: Estimate, accepted_share: Share) -> tuple[str, ...]:
    """Whether the scorer tells colors apart at all."""
    if accepted_share.count in (0, accepted_share.total):
        word = "yes" if accepted_share.count else "no"
        return (
            f"It says {word} to every question. So its rates tell nothing: it cannot tell the true "
            "color from another.",
        )
    if youden.low is not None and youden.low <= 0.0:
        return (
            "It does not tell the true color from others better than chance: hits minus false "
            f"accepts are {youden.value:.1f} points ({youden.low:.1f} to {youden.high:.1f}).",
        )
    return ()


_NAMES = {
    ("lightness", "middle"): "objects of middle lightness",
    ("chroma", "low"): "objects of low chroma",
    ("chroma", "middle"): "objects of middle chroma",
    ("chroma", "high"): "objects of high chroma",
}


def stratum_name(stratum: Stratum) -> str:
    """``blue objects (230 to 310°)``, ``hard light``, or ``all images``."""
    if stratum.by == "all":
        return "all images"
    if stratum.by == "light":
        return f"images in {stratum.key} light"
    name = _NAMES.get((stratum.by, stratum.key), f"{stratum.key} objects")
    return f"{name} ({RANGES[stratum.by, stratum.key]})"


def bias_findings(strata: Sequence[Stratum]) -> tuple[str, ...]:
    """A sentence for each shift of all images, and for each stratum whose shift or tolerance
    differs from the others', the largest first."""
    findings: list[tuple[float, str]] = []
    for stratum in strata:
        for shift in stratum.shifts:
            size, apart = abs(shift.delta_e00.value), shift.difference or shift.delta_e00
            if _is_found(min(size, abs(apart.value)), shift.p_adjusted):
                findings.append((abs(apart.value), _shift_text(stratum, shift)))
        difference = stratum.difference
        if difference is not None and _is_found(abs(difference.value), stratum.p_adjusted):
            word = "more" if difference.value > 0 else "less"
            text = (
                f"On {stratum_name(stratum)} it tolerates {abs(difference.value):.1f} ΔE00 {word} "
                f"than on the others{_range(difference, abs_=difference.value < 0)}."
            )
            findings.append((abs(difference.value), text))
    return tuple(text for _, text in sorted(findings, key=lambda pair: -pair[0]))


def _is_found(size: float, p_adjusted: float | None) -> bool:
    return p_adjusted is not None and p_adjusted < SIGNIFICANT and size >= MIN_SEEN


def _shift_text(stratum: Stratum, shift: Shift) -> str:
    value = shift.delta_e00.value
    turn = "" if shift.degrees is None else f" ({shift.degrees:+.1f}°)"
    elsewhere = ""
    if shift.difference is not None:
        other = value - shift.difference.value
        elsewhere = f"; on the others the shift is {other:+.1f}"
    return (
        f"On {stratum_name(stratum)} it accepts colors that are {abs(value):.1f} ΔE00{turn} "
        f"{_SIDES[shift.axis][value < 0]}{_range(shift.delta_e00, abs_=value < 0)}{elsewhere}."
    )


def _range(estimate: Estimate, abs_: bool) -> str:
    if estimate.low is None or estimate.high is None:
        return ""
    low, high = (-estimate.high, -estimate.low) if abs_ else (estimate.low, estimate.high)
    return f" (95%: {low:.1f} to {high:.1f})"


def _calibration_finding(calibrated: RingCalibration | None) -> tuple[str, ...]:
    if calibrated is None or calibrated.error.value <= calibrated.chance_error:
        return ()
    stated = sum(entry.stated_percent * entry.right.total for entry in calibrated.bins)
    right = sum(entry.right.count for entry in calibrated.bins)
    over = stated / 100.0 > right
    return (
        f"Its confidence is {'higher' if over else 'lower'} than its accuracy: the expected "
        f"calibration error is {calibrated.error.value:.3f}, and chance explains at most "
        f"{calibrated.chance_error:.3f}.",
    )


def is_beyond(estimate: Estimate) -> bool:
    """Whether a tolerance reaches the farthest probes, and may be larger."""
    return estimate.value > LEVELS[-1] - 0.5
