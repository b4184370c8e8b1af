"""What results are computed of: a study as it is stored, read once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from truehue.annotation.participants import ExclusionRule, rule_of, too_fast
from truehue.annotation.report import Person
from truehue.annotation.studies.plan import StudyPlan, from_json
from truehue.core.studies import Decision, Event, EventKind, ParticipantRecord, StudyRecord, Trial
from truehue.tabs.page.context import Context

NO_REASON = "no reason was given"


@dataclass(frozen=True)
class StudySource:
    """A study with all that its participants saw and did, but single actions on a canvas.

    ``plan`` is the newest version: once somebody took part, none changes what people see and
    answer (:data:`truehue.tabs.studies.study.REVISABLE`), and no import brings one that does.
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

    @property
    def people(self) -> list[Person]:
        """The participants as the science wants them, by their numbers and not by their ids: what
        is drawn by chance must not depend on an id of chance."""
        return [
            Person(
                person_name(participant.number),
                participant.number,
                [trial for trial in self.trials.get(participant.id, ()) if self._known(trial)],
                self.events.get(participant.id, ()),
                self.decision_text(participant.id),
            )
            for participant in self.participants
        ]

    def _known(self, trial: Trial) -> bool:
        return not trial.stimulus_id or trial.stimulus_id in self.plan.by_id

    def decision_text(self, participant_id: str) -> str:
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
    participants = tuple(
        sorted(
            storage.participants.of(study.id),
            key=lambda participant_record: participant_record.number,
        )
    )
    rule = storage.studies.rule(study.id)
    return StudySource(
        study,
        from_json(study.plan),
        rule_of(rule),
        rule is None or not rule.keys() & {field.name for field in fields(ExclusionRule)},
        participants,
        storage.participants.trials_of_study(study.id),
        storage.study_events.of_study(study.id, without=EventKind.ACTION),
        storage.participants.decisions(study.id),
        tuple(storage.participants.erasures(study.id)),
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
        storage.study_events.count(study.id, without=EventKind.ACTION),
        len(storage.participants.of(study.id)),
        tuple(storage.participants.erasures(study.id)),
        repr(storage.studies.rule(study.id)),
        tuple(
            sorted(
                (decision.participant_id, decision.excluded, decision.at)
                for decision in decisions.values()
            )
        ),
        storage.runs.changes,
        storage.evidence.changes,
        context.deletions,
    )


def rule_json(rule: ExclusionRule) -> dict[str, Any]:
    """The rule as it is stored and shown."""
    return asdict(rule)


def too_fast_json(participant: ParticipantRecord, events: Sequence[Event]) -> dict[str, Any] | None:
    """How many answers in how many seconds, where nobody can be so fast; their completion code was
    withheld."""
    kinds = Counter(event.kind for event in events)
    answers = kinds[EventKind.ANSWER] - kinds[EventKind.UNDO]
    ends = [event.at for event in events if event.kind is EventKind.FINISH and event.at is not None]
    if not ends or not too_fast(participant.enrolled_at, ends[-1], answers):
        return None
    seconds = (ends[-1] - participant.enrolled_at).total_seconds()
    return {"answers": answers, "seconds": round(seconds, 3)}
