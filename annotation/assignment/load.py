"""One participant of a study as its log has them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from truehue.annotation.studies.plan import StudyPlan
from truehue.core.studies import ColoringMark, Event, StoredTrial, Trial


@dataclass(frozen=True)
class Enrolled:
    """One participant as the log has them, with the trials that were stored.

    Of the actions on the canvas one a minute is enough; ``marks`` are those on their colorings. A
    trial that does not say when it was assigned was assigned at the enrolment. ``plan`` is the
    version that they are served; None is the study's.
    """

    number: int
    enrolled_at: datetime
    trials: Sequence[Trial]
    events: Sequence[Event]
    marks: Sequence[ColoringMark] = ()
    plan: StudyPlan | None = None

    def assigned_at(self, trial: Trial) -> datetime:
        """When one of the trials was written down."""
        return trial.assigned_at if isinstance(trial, StoredTrial) else self.enrolled_at

    def before(self, time: datetime) -> list[Event]:
        """The events up to and with that time, in the order of storing."""
        return [event for event in self.events if event.at is not None and event.at <= time]
