"""What results are computed of: a study as it is stored, read once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from annotation.participants.quality import ExclusionRule
from annotation.participants.screening import patches_for, plates_for, scored
from annotation.report import Person
from annotation.studies.files import from_json
from annotation.studies.plan import StudyPlan
from core.studies import Decision, Event, EventKind, ParticipantRecord, StudyRecord, Trial
from tabs.page.context import Context
from tabs.page.errors import many

NO_REASON = "no reason was given"


@dataclass(frozen=True)
class StudySource:
    """A study with all that its participants saw and did.

    ``plan`` is what they were served: where it was changed meanwhile, the newest version that
    anybody was served. ``left_out`` are the ids of participants whom it does not fit, ``notes``
    sentences on that.
    """

    study: StudyRecord
    plan: StudyPlan
    rule: ExclusionRule
    rule_is_default: bool
    participants: tuple[ParticipantRecord, ...]
    trials: Mapping[str, Sequence[Trial]]
    events: Mapping[str, Sequence[Event]]
    decisions: Mapping[str, Decision]
    erased: tuple[int, ...]
    left_out: frozenset[str]
    notes: tuple[str, ...]

    @property
    def people(self) -> list[Person]:
        """The participants as the science wants them, by their numbers and not by their ids: what
        is drawn by chance must not depend on an id of chance."""
        return [
            Person(
                person_name(one.number),
                one.number,
                [trial for trial in self.trials.get(one.id, ()) if self._known(trial)],
                self.events.get(one.id, ()),
                self.decision_words(one.id),
            )
            for one in self.participants
            if one.id not in self.left_out
        ]

    def _known(self, trial: Trial) -> bool:
        return not trial.stimulus_id or trial.stimulus_id in self.plan.by_id

    def decision_words(self, participant_id: str) -> str:
        """Why a researcher left that participant out, empty where nobody did."""
        decision = self.decisions.get(participant_id)
        return (decision.reason or NO_REASON) if decision and decision.excluded else ""


def person_name(number: int) -> str:
    """What a participant is called in computations and exports: ``000007``."""
    return f"{number:06d}"


def read_source(context: Context, study_id: str) -> StudySource:
    """Reads a study. Raises NotStored for one that is not here."""
    storage = context.storage
    study = storage.studies.get(study_id)
    participants = tuple(sorted(storage.participants.of(study.id), key=lambda one: one.number))
    plan, left_out, notes = _served_plan(context, study, participants)
    rule = storage.studies.rule(study.id)
    return StudySource(
        study,
        plan,
        rule_of(rule),
        rule is None,
        participants,
        storage.participants.trials_of_study(study.id),
        storage.study_events.of_study(study.id),
        storage.participants.decisions(study.id),
        tuple(storage.participants.erasures(study.id)),
        left_out,
        notes,
    )


def source_key(context: Context, study_id: str) -> tuple[Any, ...]:
    """Equal as long as the results of a study are: all that they depend on, by cheap questions."""
    storage = context.storage
    study = storage.studies.get(study_id)
    decisions = storage.participants.decisions(study.id)
    return (
        study.id,
        study.version,
        study.title,
        study.state,
        storage.study_events.count(study.id),
        len(storage.participants.of(study.id)),
        tuple(storage.participants.erasures(study.id)),
        repr(storage.studies.rule(study.id)),
        tuple(sorted((one.participant_id, one.excluded, one.at) for one in decisions.values())),
        storage.runs.changes,
        context.deletions,
    )


def rule_of(stored: Mapping[str, Any] | None) -> ExclusionRule:
    """The rule of exclusion as it is stored, the default one where none is."""
    if stored is None:
        return ExclusionRule()
    names = {one.name for one in fields(ExclusionRule)}
    return ExclusionRule(**{name: value for name, value in stored.items() if name in names})


def rule_json(rule: ExclusionRule) -> dict[str, Any]:
    """The rule as it is stored and shown."""
    return asdict(rule)


def _served_plan(
    context: Context, study: StudyRecord, participants: Sequence[ParticipantRecord]
) -> tuple[StudyPlan, frozenset[str], tuple[str, ...]]:
    """The newest plan that was served; who was served one of another kind; what to say of it."""
    versions = sorted({one.plan_version for one in participants}) or [study.version]
    plans = {version: _plan(context, study, version) for version in versions}
    newest = plans[versions[-1]]
    others = {
        version
        for version, plan in plans.items()
        if (plan.kind, plan.material, plan.seed) != (newest.kind, newest.material, newest.seed)
    }
    left_out = frozenset(one.id for one in participants if one.plan_version in others)
    fitting = [plan for version, plan in plans.items() if version not in others]
    plan = replace(
        newest,
        tie=any(one.tie for one in fitting),
        skip=any(one.skip for one in fitting),
    )
    notes = []
    if len(versions) > 1:
        notes.append(
            f"The plan was changed while people took part: versions {', '.join(map(str, versions))}"
            f" were served. Results are of version {versions[-1]}."
        )
    if left_out:
        notes.append(
            f"{many(len(left_out), 'participant')} were asked something else by an earlier version "
            "and are not in these results."
        )
    return plan, left_out, tuple(notes)


def _plan(context: Context, study: StudyRecord, version: int) -> StudyPlan:
    content = study.plan if version == study.version else None
    return from_json(content or context.storage.studies.plan(study.id, version))


def screening_of(source: StudySource, participant: ParticipantRecord) -> dict[str, Any] | None:
    """What the last screening of a participant says; None where there was none."""
    bodies = [
        event.body
        for event in source.events.get(participant.id, ())
        if event.kind is EventKind.SCREENING
    ]
    if not bodies:
        return None
    seed, number = source.plan.seed, participant.number
    return scored(bodies[-1], plates_for(seed, number), patches_for(seed, number))
