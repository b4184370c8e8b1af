"""All facts about a study's colorings: the current log, and values computed from it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

import numpy as np

from truehue.annotation.quality.consensus import (
    Coloring,
    ConceptUncertainty,
    Consensus,
    Key,
    by_case,
    consensus,
    distribution_of,
    expected_gains,
    pairwise_emd,
)
from truehue.annotation.quality.control import (
    ColoringStatus,
    Evidence,
    Level,
    Mark,
    Review,
    Stability,
    saved_of,
    stabilities,
    thresholds,
    votes_of,
)
from truehue.annotation.report import PersonResult, people_results
from truehue.annotation.studies.plan import StudyPlan
from truehue.core.cache import LruCache
from truehue.core.studies import ColoringMark, EventKind
from truehue.storage.store import Storage
from truehue.tabs.page.context import Context
from truehue.tabs.sources.studies import StudySource, read_source
from truehue.tabs.studies.colorings.layers import Measured, Result, measured_of, result_of
from truehue.tabs.studies.colorings.rule import ColoringRule, coloring_rule, named_experts
from truehue.tabs.studies.colorings.submitted import (
    TRAINING,
    SubmittedColoring,
    counted_reviews,
    decisions,
    marks_of,
    require_colorings,
    reviewers_of,
    submitted_of,
)
from truehue.tabs.studies.results import Computed, ResultsService

_MAX_KEPT = 16
KEPT = "kept"
_LEVELS = (Level.ALL, Level.MAJORITY, Level.MARKS)
Step = Callable[[str], None]


@dataclass(frozen=True)
class CurrentColorings:
    """The colorings of a study that stand, and all marks on them. ``experts`` are the ids of the
    accounts that were named to review; none where any expert may."""

    source: StudySource
    given: tuple[SubmittedColoring, ...]
    marks: tuple[ColoringMark, ...]
    rule: ColoringRule
    experts: tuple[str, ...] = ()

    @property
    def study_id(self) -> str:
        """The whole id of the study."""
        return self.source.study.id

    @property
    def plan(self) -> StudyPlan:
        """The plan that was served."""
        return self.source.plan


@dataclass
class ColoringCache:
    """The colorings that stand of the studies that were asked for last; a service of the app."""

    _saved: LruCache[tuple[object, StudySource, tuple[SubmittedColoring, ...]]] = field(
        default_factory=lambda: LruCache(_MAX_KEPT), repr=False
    )

    def read(
        self, context: Context, study_id: str
    ) -> tuple[StudySource, tuple[SubmittedColoring, ...]]:
        """A study with its colorings that stand."""
        storage = context.storage
        key = (
            storage.studies.get(study_id).version,
            storage.study_events.count(study_id, without=EventKind.ACTION),
            storage.participants.count(study_id),
            storage.participants.changes,
        )

        def make() -> tuple[object, StudySource, tuple[SubmittedColoring, ...]]:
            source = read_source(context, study_id)
            return key, source, submitted_of(source)

        _, source, colorings = self._saved.get(study_id, make, lambda entry: entry[0] == key)
        return source, colorings


def current_colorings_of(context: Context, study_id: str) -> CurrentColorings:
    """The colorings of a study. Raises NotStored, and BadInput where nothing is colored."""
    study = context.storage.studies.get(study_id)
    source, values = context.service(ColoringCache).read(context, study.id)
    require_colorings(source.plan)
    stored = context.storage.studies.rule(study.id)
    marks = tuple(marks_of(context, study.id))
    return CurrentColorings(source, values, marks, coloring_rule(stored), named_experts(stored))


class ColoringFactsService(ResultsService):
    """What is known of the colorings of studies, one of each; a service of the app."""


@dataclass(frozen=True)
class Facts:
    """What is known of a study's colorings at one moment.

    ``given`` are all that stand, practice too; ``colorings`` the measured ones but practice, by
    key; ``problems`` say why others could not be measured. ``background`` is the colored share of
    the surround, 0 to 1, of practice too. ``kept`` is by level and key.
    ``before`` is the consensus of first colorings of everybody, ``flags`` that of those whose
    authors are not left out, which decides what experts look at, ``after`` that of what is kept.
    ``final`` is P_H ``(71,)`` of every case with a coloring that is kept, at the rule's level.
    """

    source: StudySource
    rule: ColoringRule
    given: tuple[SubmittedColoring, ...]
    marks: tuple[ColoringMark, ...]
    people: tuple[PersonResult, ...]
    colorings: Mapping[Key, Coloring] = field(repr=False)
    problems: Mapping[Key, str]
    background: Mapping[Key, float]
    evidence: Evidence
    reviews: tuple[Review, ...]
    stable: Mapping[Key, Stability] = field(repr=False)
    kept: Mapping[Level, Mapping[Key, ColoringStatus]] = field(repr=False)
    before: tuple[Consensus, ...]
    flags: tuple[Consensus, ...]
    after: tuple[Consensus, ...]
    worth: tuple[ConceptUncertainty, ...]
    final: Mapping[str, np.ndarray] = field(repr=False)
    seconds: float
    computed_at: datetime

    @property
    def level(self) -> Level:
        """What results are of, as the rule says."""
        return Level(self.rule.level)

    @cached_property
    def flagged(self) -> frozenset[str]:
        """The ids of the cases with the least consensus."""
        return frozenset(flag.case_id for flag in self.flags if flag.flagged)

    def saved_colorings(self, level: Level) -> dict[str, list[Coloring]]:
        """The colorings that results at a level are of, by case."""
        return by_case(
            coloring_status.coloring
            for coloring_status in self.kept[level].values()
            if coloring_status.kept
        )

    def distributions(self, level: Level) -> dict[str, np.ndarray]:
        """P_H ``(71,)`` of every case with a coloring that is kept, in the order of the plan."""
        if level not in self._made:
            self._made[level] = (
                self.final if level is self.level else _distributions(self.saved_colorings(level))
            )
        made = self._made[level]
        return {case.id: made[case.id] for case in self.source.plan.cases if case.id in made}

    @cached_property
    def _made(self) -> dict[Level, Mapping[str, np.ndarray]]:
        """Distributions by level, as they were asked for."""
        return {}


def _distributions(groups: Mapping[str, Sequence[Coloring]]) -> dict[str, np.ndarray]:
    return {case_id: distribution_of("", own).weights for case_id, own in groups.items()}


def facts_key(storage: Storage, study_id: str) -> tuple[Any, ...]:
    """Equal as long as :class:`Facts` are: all that they depend on, by cheap questions."""
    study = storage.studies.get(study_id)
    decisions = storage.participants.decisions(study.id)
    return (
        study.id,
        study.version,
        storage.study_events.count(study.id, without=EventKind.ACTION),
        storage.participants.count(study.id),
        storage.participants.erasures(study.id),
        repr(storage.studies.rule(study.id)),
        tuple(
            sorted(
                (decision.participant_id, decision.excluded, decision.at)
                for decision in decisions.values()
            )
        ),
        len(storage.coloring_marks.of_study(study.id)),
    )


def known(context: Context, study_id: str, wait_s: float = 2.0) -> tuple[Facts | None, Computed]:
    """The facts of a study as far as they are known, after ``wait_s`` seconds; they may be of a
    moment ago while new ones are computed. Raises BadInput for a study without colorings."""
    study = context.storage.studies.get(study_id)
    key = facts_key(context.storage, study.id)
    computed = context.service(ColoringFactsService).get(
        study.id, key, lambda step: {"facts": facts_of(context, study.id, step)}, wait_s
    )
    return (computed.results or {}).get("facts"), computed


def known_without_marks(context: Context, study_id: str) -> tuple[Facts | None, Computed]:
    """The facts for those who review: what marks were set since they were computed changes nothing
    of what is flagged and measured, and an expert does not wait for it."""
    study = context.storage.studies.get(study_id)
    peek = context.service(ColoringFactsService).peek(study.id)
    *now, _ = facts_key(context.storage, study.id)
    if peek is not None and isinstance(peek[0], tuple) and [*peek[0][:-1]] == now:
        return peek[1]["facts"], Computed(peek[1], False, None)
    return known(context, study.id, 0.5)


@dataclass(frozen=True)
class ColoringSnapshot:
    """A study of colorings as it is stored at one moment, under its key (:func:`facts_key`)."""

    key: tuple[Any, ...]
    source: StudySource
    rule: ColoringRule
    marks: tuple[ColoringMark, ...]


def moment_of(context: Context, source: StudySource) -> ColoringSnapshot:
    """What belongs to a source; read both in one snapshot. Raises BadInput for a study without
    colorings."""
    require_colorings(source.plan)
    study_id = source.study.id
    return ColoringSnapshot(
        facts_key(context.storage, study_id),
        source,
        coloring_rule(context.storage.studies.rule(study_id)),
        tuple(marks_of(context, study_id)),
    )


def known_of(
    context: Context, moment: ColoringSnapshot, wait_s: float
) -> tuple[Facts | None, Computed]:
    """The facts of that moment, whatever has come in since, as :func:`known`."""
    study_id = moment.source.study.id
    computed = context.service(ColoringFactsService).get(
        study_id,
        moment.key,
        lambda step: {"facts": facts_of(context, study_id, step, moment)},
        wait_s,
    )
    return (computed.results or {}).get("facts"), computed


def facts_of(
    context: Context,
    study_id: str,
    step: Step = lambda text: None,
    moment: ColoringSnapshot | None = None,
) -> Facts:
    """Computes everything of that moment, or of now; ``step`` is told what is at work."""
    began = time.monotonic()
    step("reading")
    if moment is None:
        with context.storage.snapshot():
            moment = moment_of(context, read_source(context, study_id))
    source, rule, marks = moment.source, moment.rule, moment.marks
    submitted_colorings = submitted_of(source)
    measured, problems = measured_of(context, submitted_colorings, step)
    step("distributions")
    colorings = _colorings(submitted_colorings, measured)
    people = people_results(source.plan, source.people, source.rule)
    evidence, reviews = evidence_of(submitted_colorings, marks, people, rule)
    step("second colorings")
    limits = thresholds(colorings.values())
    stable = stabilities(colorings.values(), limits)
    retained = {
        level: {
            coloring_status.coloring.key: coloring_status
            for coloring_status in saved_of(tuple(colorings.values()), level, evidence, limits)
        }
        for level in _LEVELS
    }
    step("consensus")
    cases = [stimulus.case_id for stimulus in source.plan.main_stimuli]
    firsts = [
        coloring_status.coloring
        for coloring_status in retained[Level.ALL].values()
        if coloring_status.kept
    ]
    included = [first for first in firsts if first.participant not in evidence.people_out]
    final = [
        coloring_status.coloring
        for coloring_status in retained[Level(rule.level)].values()
        if coloring_status.kept
    ]
    groups = by_case(final)
    results = _results(context, source.plan.seed, groups, step)
    return Facts(
        source,
        rule,
        submitted_colorings,
        marks,
        people,
        colorings,
        problems,
        {key: item.background for key, item in measured.items()},
        evidence,
        reviews,
        stable,
        retained,
        _consensus(cases, firsts, rule.share),
        _consensus(cases, included, rule.share),
        _consensus(cases, final, rule.share),
        expected_gains(_widths(cases, groups, results)),
        {case_id: result.weights for case_id, result in results.items()},
        round(time.monotonic() - began, 2),
        datetime.now(UTC),
    )


def evidence_of(
    colorings: Sequence[SubmittedColoring],
    marks: Sequence[ColoringMark],
    people: Iterable[PersonResult],
    rule: ColoringRule,
) -> tuple[Evidence, tuple[Review, ...]]:
    """What experts, researchers and the rule of exclusion say of colorings, and the reviews; those
    who reviewed are numbers, so that a name changes no result."""
    numbers = reviewers_of(marks)
    reviews = tuple(
        Review(coloring.key, f"{numbers[mark.author]:04d}", mark.value == "consistent")
        for coloring, mark in counted_reviews(marks, colorings)
        if coloring.purpose != TRAINING
    )
    decided = {
        key: Mark(mark.value == KEPT, mark.reason)
        for key, mark in decisions(marks, colorings).items()
    }
    return (
        Evidence(
            votes_of(reviews, rule.reviewers),
            decided,
            {person.id: "; ".join(person.excluded) for person in people if person.excluded},
        ),
        reviews,
    )


def _colorings(
    colorings: Sequence[SubmittedColoring], measured: Mapping[Key, Measured]
) -> dict[Key, Coloring]:
    """The measured colorings but practice."""
    return {
        coloring.key: Coloring(
            *coloring.key,
            coloring.case.id,
            measured[coloring.key].profile,
            measured[coloring.key].weights,
            coloring.original,
        )
        for coloring in colorings
        if coloring.purpose != TRAINING and coloring.key in measured
    }


def _consensus(
    cases: Sequence[str], colorings: Iterable[Coloring], share: float
) -> tuple[Consensus, ...]:
    groups = by_case(colorings)
    apart = {
        case_id: pairwise_emd(
            np.array([coloring.weights for coloring in groups.get(case_id, ())]).reshape(-1, 71)
        )
        for case_id in cases
    }
    return consensus(apart, share)


def _results(
    context: Context, seed: int, groups: Mapping[str, list[Coloring]], step: Step
) -> dict[str, Result]:
    """What every case with a kept coloring gives; only those that changed are computed."""
    results: dict[str, Result] = {}
    for done, (case_id, group) in enumerate(groups.items()):
        if done % 10 == 0:
            step(f"intervals {done:,} of {len(groups):,}")
        results[case_id] = result_of(context, group, seed)
    return results


def _widths(
    cases: Sequence[str], groups: Mapping[str, list[Coloring]], results: Mapping[str, Result]
) -> dict[str, tuple[int, float | None]]:
    """How many colorings each case has, and how wide its interval is."""
    return {
        case_id: (len(groups[case_id]), results[case_id].width_lab)
        if case_id in groups
        else (0, None)
        for case_id in cases
    }
