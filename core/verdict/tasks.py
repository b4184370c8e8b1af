"""GenColorBench's tasks: the verdict on an image from its objects, with reasons, by all rules.

CNA and NCU require the color of one object; COA requires it of the main object and its absence from
the second; MOC requires each object's own color; ICA requires the same color of a reference (Butt
et al., arXiv:2510.20586, section 3.2; measurement of each object: gen-color-bench @ 802a3ba).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from truehue.core.color.difference import delta_e00
from truehue.core.errors import BadInput, MaskError, NoPixels, TrueHueError
from truehue.core.prompts.prompt import ObjectTarget
from truehue.core.verdict import reasons
from truehue.core.verdict.candidates import AS_ASKED, Acceptance
from truehue.core.verdict.expectations import Expectation, Localization, expectations_of
from truehue.core.verdict.measure import MaskCache, Measurement, TargetObject, measure
from truehue.core.verdict.reasons import by as by_rule
from truehue.core.verdict.reasons import without_rule
from truehue.core.verdict.rules import DIFFERS, FAIL, MATCHES, PASS, UNSCORED, Rule, Verdict, rule

MIN_SHARE, MAX_SHARE = 0.4, 1.2
"""How far on the straight way in the a*b* plane, own color to the other's, a color has leaked."""

MAX_ASIDE = 0.25
"""How far it may lie beside that way, as a share of its length."""

MIN_APART = 15.0
"""Colors nearer than this in the a*b* plane say too little of who took from whom."""

Lab = tuple[float, float, float]

LEAKED, EXCHANGED, LEANS = "leaked", "exchanged", "leans"


class LeakFinding(NamedTuple):
    """What happened to an object's color: ``kind`` (leaked, exchanged, leans) and a sentence."""

    kind: str
    told: str


def find_leaks(
    wrong: Mapping[int, Lab],
    right: Collection[int],
    expectations: Sequence[Expectation],
    has: Callable[[Expectation, Expectation], bool],
) -> dict[int, LeakFinding]:
    """A story of each object of ``wrong`` whose color is found to be another one's.

    ``wrong`` are the measured colors of the objects that fail, by position of their target, and
    ``right`` the positions of those that pass: only a color that is there can have leaked in part.
    ``has(one, other)`` says whether the first object would pass with the color asked of the second.
    Where nothing of the kind is seen, there is no story.
    """
    by_position = {expectation.position: expectation for expectation in expectations}
    colored = [expectation for expectation in expectations if expectation.relation == MATCHES]
    used: dict[int, Expectation] = {}
    for position in wrong:
        expectation = by_position[position]
        if expectation.relation == DIFFERS:
            used[position] = next(c for c in colored if c.color.hex == expectation.color.hex)
            continue
        others = [other for other in colored if other.color.hex != expectation.color.hex]
        donor = next((other for other in others if has(expectation, other)), None)
        if donor is not None:
            used[position] = donor
    findings = {}
    for position, lab in wrong.items():
        expectation = by_position[position]
        if position in used:
            findings[position] = _leak_finding(expectation, used[position], used)
            continue
        near = [
            (float(delta_e00(np.array(lab), np.array(other.color.lab))), index)
            for index, other in enumerate(colored)
            if other.position in right and part_of(lab, expectation.color.lab, other.color.lab)
        ]
        if near:
            findings[position] = LeakFinding(
                LEANS, reasons.leans_to_color(expectation, colored[min(near)[1]])
            )
    return findings


def _leak_finding(
    expectation: Expectation, other: Expectation, expectations: Mapping[int, Expectation]
) -> LeakFinding:
    back = expectations.get(other.position)
    if back is not None and back.position == expectation.position:
        # The same words for both, so that the image says it once.
        first, second = sorted((expectation, other), key=lambda item: item.position)
        return LeakFinding(EXCHANGED, reasons.colors_swapped(first, second))
    return LeakFinding(LEAKED, reasons.has_other_color(expectation, other))


def part_of(lab: Lab, own_lab: Lab, other_lab: Lab) -> bool:
    """Whether a color lies, in the a*b* plane, on the way from its own color to another one.

    Lightness is left out: shading moves it. False for colors that are too near to each other.
    """
    own, other, ab = (np.array(color[1:]) for color in (own_lab, other_lab, lab))
    way = other - own
    length = float(np.hypot(*way))
    if length < MIN_APART:
        return False
    share = float((ab - own) @ way) / length**2
    aside = float(np.hypot(*(ab - own - share * way))) / length
    return MIN_SHARE <= share <= MAX_SHARE and aside <= MAX_ASIDE


log = logging.getLogger("truehue")
BROKE = "broke"
"""In the parameters of a verdict that broke: the name of the exception."""

PRESENCE_TASKS = ("coa", "moc", "ica")
"""The tasks in which the released code asks whether an object is there."""

BY_NUMBER = "ncu"
"""The task that asks for numbers."""

ENDED, NO_MASK = "ended", "no mask"
"""In the parameters of what was not measured: the step where it ended, or that nobody looked."""


@dataclass(frozen=True)
class ObjectOutcome:
    """A rule's outcome for one object.

    ``step`` (of :data:`truehue.core.verdict.expectations.STEPS`) is where the judging ended;
    ``told`` is one sentence that names the object. The measurement of an object that was not
    measured has a reason and no numbers; its ``parameters`` say what was known of the object
    instead. ``story`` is a kind of :class:`truehue.core.verdict.tasks.LeakFinding` where another
    object's color was found on it.
    """

    asked: Expectation
    step: str
    told: str
    measurement: Measurement
    story: str = ""

    @property
    def status(self) -> str:
        """pass, fail or unscored."""
        return self.measurement.verdict.status


@dataclass(frozen=True)
class TaskVerdict:
    """A rule's verdict on an image; ``outcomes`` in the order of the targets."""

    task: str
    status: str
    reason: str
    rule: str
    version: str
    outcomes: tuple[ObjectOutcome, ...]


def combine_statuses(statuses: Iterable[str]) -> str:
    """One fail is a fail, then one unscored is unscored: all objects have to be right. In shares an
    image with an unscored object is left out in either case (truehue.core.analysis.records)."""
    status_set = set(statuses)
    return FAIL if FAIL in status_set else UNSCORED if UNSCORED in status_set else PASS


def judge_task(
    task: str,
    targets: Sequence[ObjectTarget],
    findings: Mapping[int, Localization],
    srgb8: np.ndarray,
    rule_ids: Iterable[str],
    acceptance: Acceptance = AS_ASKED,
) -> Iterator[TaskVerdict]:
    """Yields the verdict on an image by each rule, in their order, looking at pixels once.

    ``task`` is a key of :data:`truehue.core.prompts.prompt.TASKS`; ``findings`` by the position of
    the target; ``srgb8`` uint8 ``(H, W, 3)``. The task says whether numbers were asked for,
    whatever ``acceptance`` says. An object without a finding is unscored. Every object is measured,
    whatever became of the others. Yields nothing where no color is asked for. Raises BadInput for
    an unknown rule.
    """
    expectations = expectations_of(targets)
    acceptance = replace(acceptance, by_number=task == BY_NUMBER)
    stored = _Image(task, srgb8, acceptance, findings, {})
    for rule_id in rule_ids if expectations else ():
        by = rule(rule_id)
        first = [stored.outcome(expectation, by) for expectation in expectations]
        outcomes = tuple(stored.explained(first, by))
        status = combine_statuses(outcome.status for outcome in outcomes)
        reason = reason_of(outcomes, by.id)
        yield TaskVerdict(task, status, reason, by.id, by.version, outcomes)


def reason_of(outcomes: Sequence[ObjectOutcome], rule_id: str) -> str:
    """Why, by a rule, an image is right, wrong or unscored: what decided it, and nothing twice."""
    status = combine_statuses(outcome.status for outcome in outcomes)
    if status == PASS:
        return by_rule(rule_id, reasons.right([outcome.asked for outcome in outcomes]))
    return reasons.join_sentences(outcome.told for outcome in outcomes if outcome.status == status)


@dataclass(frozen=True)
class _Image:
    """An image with what is known of its objects; ``known`` by position of the target."""

    task: str
    srgb8: np.ndarray
    acceptance: Acceptance
    findings: Mapping[int, Localization]
    known: dict[int, MaskCache]

    def outcome(self, expectation: Expectation, by: Rule) -> ObjectOutcome:
        finding = self.findings.get(expectation.position)
        if finding is None:
            text = f"There is no mask of {expectation.label}."
            return _without(expectation, by, UNSCORED, "mask", text, {ENDED: NO_MASK})
        ended = _absent(expectation, finding, by, self.task)
        if ended is not None:
            return ended
        assert finding.mask is not None
        try:
            measurement = self.measured(expectation, finding.mask, by)
        except TrueHueError as error:
            step = "mask" if isinstance(error, (MaskError, NoPixels)) else "color"
            text = reasons.sentence(f"{expectation.label} cannot be scored", str(error))
            return _without(expectation, by, UNSCORED, step, text, {ENDED: step})
        return ObjectOutcome(
            expectation, "color", reasons.measured(expectation, measurement.verdict), measurement
        )

    def measured(self, expectation: Expectation, mask: np.ndarray, by: Rule) -> Measurement:
        cache = self.known.setdefault(expectation.position, MaskCache())
        return measure(
            self.srgb8,
            mask,
            expectation.color,
            by.id,
            acceptance=self.acceptance,
            target_object=TargetObject(
                expectation.target.name, expectation.relation, expectation.guided
            ),
            cache=cache,
        )

    def explained(self, outcomes: Sequence[ObjectOutcome], by: Rule) -> Iterator[ObjectOutcome]:
        """The outcomes; an object that fails says whose color it has, where that can be seen."""
        wrong = {
            outcome.asked.position: outcome.measurement.verdict.lab
            for outcome in outcomes
            if outcome.status == FAIL and outcome.measurement.verdict.lab is not None
        }

        def has(expectation: Expectation, other: Expectation) -> bool:
            mask = self.findings[expectation.position].mask
            assert mask is not None
            try:
                measurement = self.measured(replace(expectation, color=other.color), mask, by)
            except BadInput:  # that color cannot be judged, as the other object's reason says
                return False
            return measurement.verdict.status == PASS

        right = {outcome.asked.position for outcome in outcomes if outcome.status == PASS}
        seen = find_leaks(wrong, right, [outcome.asked for outcome in outcomes], has)
        for outcome in outcomes:
            story = seen.get(outcome.asked.position)
            if story is None:
                yield outcome
                continue
            measurement = outcome.measurement
            told_by = by_rule(by.id, story.told)
            _, numbers = without_rule(measurement.verdict.reason)
            reason = f"{told_by.removesuffix('.')}: {numbers}"
            yield replace(
                outcome,
                told=told_by,
                story=story.kind,
                measurement=replace(
                    measurement, verdict=replace(measurement.verdict, reason=reason)
                ),
            )


def _absent(
    expectation: Expectation, finding: Localization, by: Rule, task: str
) -> ObjectOutcome | None:
    """The outcome of an object that cannot be measured; None for one that can."""
    released = by.dominant == "released"
    presence = finding.presence
    if released and task not in PRESENCE_TASKS and finding.mask is not None:
        presence = ""  # the released code does not ask after the one object of CNA and NCU
    label, parameters, why = expectation.label, {"presence": presence}, finding.reason
    if presence == "no":
        text = reasons.sentence(f"{label} is not in the image", why)
        return _without(expectation, by, FAIL, "presence", text, parameters)
    if presence == "unknown" and released:
        text = f"nothing confirms that {label} is in the image, which counts as absent"
        return _without(expectation, by, FAIL, "presence", reasons.sentence(text, why), parameters)
    if presence == "unknown":
        text = reasons.sentence(f"it is not known whether {label} is in the image", why)
        return _without(expectation, by, UNSCORED, "presence", text, parameters)
    if finding.mask is None:
        text = reasons.sentence(f"{label} was not found", why)
        if why and finding.step == "mask":
            text = why  # it may be there: the reason is all that there is to say
        return _without(expectation, by, UNSCORED, finding.step, text, {ENDED: finding.step})
    return None


def _without(
    expectation: Expectation,
    by: Rule,
    status: str,
    step: str,
    text: str,
    parameters: dict[str, str],
) -> ObjectOutcome:
    """The outcome of an object that was not measured; ``parameters`` tells its evidence from
    others'."""
    verdict = Verdict(status, text, by.id, by.version, dict(parameters))
    blank = Measurement(
        verdict, expectation.color, (), expectation.target.name, relation=expectation.relation
    )
    return ObjectOutcome(expectation, step, text, blank)


def judge_all(
    task: str,
    targets: Sequence[ObjectTarget],
    findings: Mapping[int, Localization],
    srgb8: np.ndarray,
    rule_ids: Sequence[str],
    acceptance: Acceptance = AS_ASKED,
) -> Iterator[TaskVerdict]:
    """Yields what :func:`truehue.core.verdict.tasks.judge_task` does, one verdict a rule; ``srgb8``
    is uint8 ``(H, W, 3)``.

    A rule that breaks is ``unscored`` with what broke, on every object, and does not take the
    others with it. Raises BadInput for an unknown rule, and MemoryError: that is no fault of the
    image, and may be mended.
    """

    def judged(some: Sequence[str]) -> Iterator[TaskVerdict]:
        return judge_task(task, targets, findings, srgb8, some, acceptance)

    for rule_id in rule_ids:
        rule(rule_id)
    done = 0
    try:
        for verdict in judged(rule_ids):
            yield verdict
            done += 1
        return
    except MemoryError:
        raise
    except Exception:
        log.exception("an image could not be judged by all rules")
    for rule_id in rule_ids[done:]:
        try:
            yield from list(judged([rule_id]))
        except MemoryError:
            raise
        except Exception as error:
            yield broken(task, targets, rule_id, error)


def broken(
    task: str, targets: Sequence[ObjectTarget], rule_id: str, error: Exception
) -> TaskVerdict:
    """The verdict of a rule that broke: unscored, with what broke."""
    by = rule(rule_id)
    label = str(error) if isinstance(error, TrueHueError) else f"{type(error).__name__}: {error}"
    reason = f"Scoring failed: {label}"

    def outcome(expectation: Expectation) -> ObjectOutcome:
        verdict = Verdict(UNSCORED, reason, by.id, by.version, {BROKE: type(error).__name__})
        blank = Measurement(
            verdict, expectation.color, (), expectation.target.name, relation=expectation.relation
        )
        return ObjectOutcome(expectation, "color", reason, blank)

    outcomes = tuple(outcome(expectation) for expectation in expectations_of(targets))
    return TaskVerdict(task, UNSCORED, reason, by.id, by.version, outcomes)
