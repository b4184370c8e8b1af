"""The protocols as named, versioned rules, and their verdicts with numbers and thresholds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from truehue.core.color.difference import (
    HUE_GATE_CHROMA,
    delta_chroma,
    delta_e00,
    hue_difference_deg,
)
from truehue.core.color.spaces import chroma, hue_deg
from truehue.core.errors import BadInput

MATCHES, DIFFERS = "matches", "differs"
"""The requirement of a question: the object must have the color, or must not."""

RELATIONS = (MATCHES, DIFFERS)
"""An object's relation to a color: have it, or (COA's second object) not have it."""


@dataclass(frozen=True)
class Thresholds:
    """A metric passes strictly below its threshold; without one it is reported, not judged."""

    delta_chroma: float | None = 5.0
    delta_e00: float | None = 5.0
    hue_deg: float | None = 30.0
    misfit: float | None = None


@dataclass(frozen=True)
class Rule:
    """One protocol.

    ``same_candidate``: all metrics must pass on one candidate; otherwise each metric takes its
    minimum over the candidates. ``guided``: the dominant color is found with the target color's
    help. ``cleanup``: the released mask clean-up comes first. ``lit``: the target color is put into
    the light of the image before it is compared (truehue.core.verdict.truehue). ``reconstructed``:
    Munsell samples of our own reconstruction are accepted too, and no file of the user's.
    ``variant_of`` is the rule that this one is a variant of, empty for a main rule.
    """

    id: str
    version: str
    name: str
    description: str
    dominant: str
    same_candidate: bool
    guided: bool = False
    cleanup: bool = False
    lit: bool = False
    reconstructed: bool = False
    thresholds: Thresholds = Thresholds()
    variant_of: str = ""

    @property
    def main(self) -> bool:
        """True for a rule that stands by itself, False for a variant of one."""
        return not self.variant_of


RULES: tuple[Rule, ...] = (
    Rule(
        id="truehue",
        version="1.2",
        name="truehue",
        description=(
            "Ours: the lit part of the largest material is compared with the target color as the "
            "light of this image would show it. Shade and haze are excused the less, the less "
            "likely they are; another hue or more chroma never. A named color that explains the "
            "image better speaks against the target."
        ),
        dominant="truehue",
        same_candidate=False,
        lit=True,
        thresholds=Thresholds(None, None, None, misfit=2.5),
    ),
    Rule(
        id="paper",
        version="1.0",
        name="paper",
        description=(
            "The paper's text: a* and b* of the pixels are projected onto one line through gray, then "
            "averaged. That line is their first chromatic component; each metric takes its minimum "
            "over the candidates."
        ),
        dominant="paper",
        same_candidate=False,
    ),
    Rule(
        id="released",
        version="1.1",
        name="released",
        description=(
            "The released code: shadows and grays are left out, then only the tenth of the pixels "
            "nearest to the target color counts; all metrics must pass on one candidate."
        ),
        dominant="released",
        same_candidate=True,
        guided=True,
        cleanup=True,
    ),
    Rule(
        id="paper-centred",
        version="1.0",
        name="paper-centred",
        description=(
            "The paper's text with the component taken through the mean chromaticity: "
            "the plain mean color."
        ),
        dominant="paper-centred",
        same_candidate=False,
        variant_of="paper",
    ),
    Rule(
        id="released-unguided",
        version="1.1",
        name="released-unguided",
        description=(
            "The released code without its step that keeps only the pixels nearest to the target "
            "color, as it does for second and reference objects."
        ),
        dominant="released",
        same_candidate=True,
        cleanup=True,
        variant_of="released",
    ),
    Rule(
        id="released-munsell",
        version="1.0",
        name="released-munsell",
        description=(
            "The released code with the Munsell samples of the target category accepted too, by our "
            "own reconstruction: the authors' file is not public. It probably shows what the "
            "paper's number costs, as it accepts many colors that were not asked for."
        ),
        dominant="released",
        same_candidate=True,
        guided=True,
        cleanup=True,
        reconstructed=True,
        variant_of="released",
    ),
)
"""Main rules first, each list in the order of the screens."""

DEFAULT_RULE = "truehue"
"""The rule that a verdict is by where none was chosen."""


def rule(rule_id: str) -> Rule:
    """The rule of that id; raises BadInput naming the known ones."""
    for entry in RULES:
        if entry.id == rule_id:
            return entry
    ids = ", ".join(entry.id for entry in RULES)
    raise BadInput(f'No rule is called "{rule_id}". Known rules: {ids}.')


PASS, FAIL, UNSCORED = STATUSES = ("pass", "fail", "unscored")
NO_TARGET = "no_target"
"""In place of a status where there is no target color."""
RULE_NAMES = {entry.id: entry.name for entry in RULES}


@dataclass(frozen=True)
class Metric:
    """One number against its threshold. ``candidate`` is the index of the color it was met on.

    A number without a threshold is reported, and judges nothing.
    """

    name: str
    value: float
    threshold: float | None
    candidate: int

    @property
    def passed(self) -> bool:
        """True strictly below the threshold, or where there is none."""
        return self.threshold is None or self.value < self.threshold


@dataclass(frozen=True)
class Offset:
    """How the found color differs from the accepted one of ``Verdict.nearest``: found minus it.

    ``hue_deg`` is signed, -180 to 180, counterclockwise; None where either C*ab is below 5.
    """

    lightness: float
    chroma: float
    hue_deg: float | None


@dataclass(frozen=True)
class LightMatch:
    """The light in which an accepted color comes nearest to the found one
    (truehue.core.verdict.truehue).

    ``factor`` is its share of full light; ``haze_percent`` the white over it, in percent of white's
    linear light; ``cost`` what this light costs, in ΔE00. ``percentile`` is where in the object's
    shade, from its darkest pixel on, full light was taken to lie; ``clipped_percent`` how much of
    the object the camera could not hold. ``seen_lab`` is the accepted color in this light.
    """

    factor: float
    haze_percent: float
    cost: float
    percentile: float
    clipped_percent: float
    seen_lab: tuple[float, float, float]


@dataclass(frozen=True)
class Rival:
    """The named color that explains an image best, if it does so better than the accepted ones
    (truehue.core.verdict.truehue).

    Level 2 and CSS share names for different colors, so ``system`` ("l2" or "css") belongs to
    ``name``. ``misfit`` is its own mismatch score; ``cost`` what this costs the target color, in ΔE00.
    ``decides``: without it the target color would pass.
    """

    name: str
    system: str
    hex: str
    misfit: float
    cost: float
    decides: bool


@dataclass(frozen=True)
class Verdict:
    """The outcome for one object.

    ``status`` is pass, fail or unscored; an unscored verdict has a reason and no numbers.
    ``nearest`` is the index of the candidate on which ΔE00 was taken, to which ``offset`` refers:
    the nearest one by the paper's rules; by the released ones the passing one, or the nominal
    color when none passes. ``light`` and ``confidence_percent`` (50 to 100) come with the rule
    ``truehue``, and ``rival`` where there is one; there metrics and ``offset`` are taken to the
    accepted color as the light shows it.
    """

    status: str
    reason: str
    rule: str
    version: str
    parameters: dict[str, Any] = field(default_factory=dict)
    lab: tuple[float, float, float] | None = None
    target_lab: tuple[float, float, float] | None = None
    metrics: tuple[Metric, ...] = ()
    nearest: int = 0
    offset: Offset | None = None
    light: LightMatch | None = None
    rival: Rival | None = None
    confidence_percent: float | None = None

    def metric(self, name: str) -> Metric | None:
        """The metric of that name, None when unscored."""
        return next((metric for metric in self.metrics if metric.name == name), None)


def unscored(reason: str, rule: Rule, parameters: dict[str, Any] | None = None) -> Verdict:
    """The verdict of an image that could not be judged; never a pass, never a fail."""
    return Verdict(UNSCORED, reason, rule.id, rule.version, parameters or {})


def judge(
    lab: tuple[float, float, float],
    target_lab: tuple[float, float, float],
    candidates_lab: np.ndarray,
    rule: Rule,
    parameters: dict[str, Any] | None = None,
) -> Verdict:
    """Judges a found color; ``candidates_lab`` ``(M, 3)`` with the nominal color first.

    Without ``rule.same_candidate`` each metric takes its own minimum (paper, 3.4). With it, the
    nominal color counts when it passes, else the candidate that :func:`_searched` finds; when there
    is none, the numbers are those of the nominal color, as in the released code. Raises BadInput
    for numbers that are not finite. The reason is left empty; truehue.core.verdict.reasons writes
    it.
    """
    candidates_lab = np.asarray(candidates_lab, dtype=np.float64).reshape(-1, 3)
    color_lab = np.asarray(lab, dtype=np.float64)
    if not candidates_lab.size or not np.isfinite(color_lab).all():
        raise BadInput("A verdict needs a measured color of finite numbers and a candidate.")
    values = {
        "delta_chroma": delta_chroma(color_lab, candidates_lab),
        "delta_e00": delta_e00(candidates_lab, color_lab),
        "hue_deg": hue_difference_deg(color_lab, candidates_lab),
    }
    limits = {name: getattr(rule.thresholds, name) for name in values}
    if rule.same_candidate:
        options = dict.fromkeys(values, _searched(values, limits))
    else:
        options = {name: int(np.argmin(values[name])) for name in values}
    metrics = tuple(
        Metric(name, float(values[name][options[name]]), limits[name], options[name])
        for name in values
    )
    nearest = options["delta_e00"]
    return Verdict(
        status=PASS if all(metric.passed for metric in metrics) else FAIL,
        reason="",
        rule=rule.id,
        version=rule.version,
        parameters=parameters or {},
        lab=lab,
        target_lab=target_lab,
        metrics=metrics,
        nearest=nearest,
        offset=offset_between(color_lab, candidates_lab[nearest]),
    )


def _searched(values: dict[str, np.ndarray], limits: dict[str, float]) -> int:
    """The candidate that the released search ends with; 0 is the nominal color.

    The nominal color when it passes. Else the others are gone through in their order: one counts
    when it passes and the sum of its three metrics is below the least so far, the nominal color's
    to begin with; the search ends at the first of those whose ΔChroma and ΔE00 are below half of
    their limits.
    """
    passes = np.logical_and.reduce([values[name] < limits[name] for name in values])
    if passes[0] or not passes.any():
        return 0
    total = values["delta_chroma"] + values["delta_e00"] + values["hue_deg"]
    reached = np.where(passes, total, np.inf)
    reached[0] = total[0]
    least = np.minimum.accumulate(reached)
    counts = np.flatnonzero(reached[1:] < least[:-1]) + 1
    if not counts.size:
        return 0
    good = [values[name][counts] < 0.5 * limits[name] for name in ("delta_chroma", "delta_e00")]
    ends = np.flatnonzero(np.logical_and.reduce(good))
    return int(counts[ends[0]] if ends.size else counts[-1])


def offset_between(lab: np.ndarray, accepted: np.ndarray) -> Offset:
    """How one CIELAB color ``(3,)`` differs from another."""
    c_found, c_accepted = float(chroma(lab)), float(chroma(accepted))
    turn: float | None = None
    if min(c_found, c_accepted) >= HUE_GATE_CHROMA:
        turn = float((hue_deg(lab) - hue_deg(accepted) + 180.0) % 360.0 - 180.0)
    return Offset(float(lab[0] - accepted[0]), c_found - c_accepted, turn)
