"""The submitted colorings of a study, read from the log without their pixels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypedDict

from truehue.annotation.judgments.answers import AnswerKind, answers_of
from truehue.annotation.quality.consensus import Key
from truehue.annotation.studies.cases import Case, Kind
from truehue.annotation.studies.plan import StudyPlan
from truehue.core.errors import BadInput, NotStored
from truehue.core.studies import ColoringMark, Event, MarkKind, ParticipantRecord, Purpose, Trial
from truehue.tabs.page.context import Context
from truehue.tabs.sources.studies import StudySource, person_name

SECOND, TRAINING, MAIN = "second", "training", "trial"
_PURPOSES = {
    Purpose.MAIN: MAIN,
    Purpose.REPEAT: SECOND,
    Purpose.TRAINING: TRAINING,
}
"""What a trial of a study of colorings is called."""


@dataclass(frozen=True)
class SubmittedColoring:
    """One coloring that stands: whose it is, of what, and the event that ended it.

    ``key`` is the participant's name and the trial's position, as quality control takes it.
    """

    key: Key
    participant: ParticipantRecord
    trial: Trial
    case: Case
    answer: Event
    revisions: int

    @property
    def purpose(self) -> str:
        """``trial``, ``second`` or ``training``."""
        return _PURPOSES[self.trial.purpose]

    @property
    def original(self) -> int | None:
        """The position of the coloring that a second one repeats."""
        return self.trial.original

    @property
    def at(self) -> datetime:
        """When it was stored."""
        return self.answer.at or self.participant.enrolled_at

    def number(self, name: str) -> float | None:
        """A number of what the page sent with it, None where it sent none."""
        value = self.answer.body.get(name)
        real = isinstance(value, int | float) and not isinstance(value, bool)
        return float(value) if real and value is not None else None


def require_colorings(plan: StudyPlan) -> None:
    """Raises BadInput for a study in which nothing is colored."""
    if plan.kind is not Kind.COLORINGS:
        raise BadInput("Nothing is colored in this study: it asks something else.", "study")


def submitted_of(source: StudySource) -> tuple[SubmittedColoring, ...]:
    """All colorings that stand, practice too, by participant and position; skips are none."""
    require_colorings(source.plan)
    colorings: list[SubmittedColoring] = []
    for participant in source.participants:
        trials = {trial.position: trial for trial in source.trials.get(participant.id, ())}
        events = source.events.get(participant.id, ())
        by_id = {event.id: event for event in events}
        known = [trial for trial in trials.values() if trial.stimulus_id in source.plan.by_id]
        for position, answer in sorted(answers_of(source.plan, known, events).items()):
            trial = trials[position]
            if answer.kind is AnswerKind.SKIP or trial.purpose not in _PURPOSES:
                continue
            case = source.plan.case_by_id[source.plan.by_id[trial.stimulus_id].case_id]
            colorings.append(
                SubmittedColoring(
                    (person_name(participant.number), position),
                    participant,
                    trial,
                    case,
                    by_id[answer.event_id],
                    answer.revisions,
                )
            )
    return tuple(colorings)


def single_of(
    colorings: Iterable[SubmittedColoring], participant_id: str, position: int
) -> SubmittedColoring:
    """The coloring of that participant and trial. Raises NotStored where none stands."""
    for coloring in colorings:
        if coloring.participant.id == participant_id and coloring.trial.position == position:
            return coloring
    raise NotStored("There is no coloring of that participant at that position (any more).")


Marks = Mapping[tuple[str, int], ColoringMark]
"""The latest mark of one kind by participant's id and position."""


def latest(marks: Iterable[ColoringMark], kind: MarkKind) -> dict[tuple[str, int], ColoringMark]:
    """The latest mark of a kind on every trial; one that takes back what was said is there too."""
    return {(mark.participant_id, mark.position): mark for mark in marks if mark.kind is kind}


def is_of(mark: ColoringMark, coloring: SubmittedColoring) -> bool:
    """Whether a mark is about a coloring as it stands: one that was set before it was changed is
    about another picture."""
    return mark.at >= coloring.at


def decisions(
    marks: Iterable[ColoringMark], colorings: Iterable[SubmittedColoring]
) -> dict[Key, ColoringMark]:
    """What a researcher decided of colorings as they stand, by key; what was taken back, or
    decided of an earlier version, is not there."""
    keep = latest(marks, MarkKind.KEEP)
    return {
        coloring.key: mark
        for coloring in colorings
        if (mark := keep.get((coloring.participant.id, coloring.trial.position))) is not None
        and mark.value
        and is_of(mark, coloring)
    }


SENT, WITHDRAWN = "sent", "withdrawn"
Reviewed = tuple[SubmittedColoring, ColoringMark]
"""A coloring and an expert's review of it."""


def sent_back(marks: Iterable[ColoringMark]) -> dict[tuple[str, int], ColoringMark]:
    """The latest mark, by participant's id and position, that gave a coloring back to its experts
    and was not withdrawn."""
    stacks: dict[tuple[str, int], list[ColoringMark]] = {}
    for mark in marks:
        if mark.kind is not MarkKind.SENT_BACK:
            continue
        stack = stacks.setdefault((mark.participant_id, mark.position), [])
        if mark.value == SENT:
            stack.append(mark)
        elif stack:
            stack.pop()
    return {key: stack[-1] for key, stack in stacks.items() if stack}


def latest_reviews(
    marks: Sequence[ColoringMark], colorings: Iterable[SubmittedColoring]
) -> list[Reviewed]:
    """The last review by each expert of every coloring, in the order in which they were given:
    also of a coloring that was sent back since, but not what was taken back. A review of a coloring
    that was changed afterwards is of another image, and is not there."""
    by_trial = {
        (coloring.participant.id, coloring.trial.position): coloring for coloring in colorings
    }
    last: dict[tuple[str, int, str], Reviewed] = {}
    for mark in marks:
        coloring = by_trial.get((mark.participant_id, mark.position))
        if mark.kind is MarkKind.REVIEW and coloring is not None and is_of(mark, coloring):
            last[mark.participant_id, mark.position, mark.author] = coloring, mark
    return [entry for entry in last.values() if entry[1].value]


def counted_reviews(
    marks: Sequence[ColoringMark], colorings: Iterable[SubmittedColoring]
) -> list[Reviewed]:
    """The reviews that count: the latest ones but those of a coloring that was sent back since."""
    back = sent_back(marks)
    return [
        (coloring, mark)
        for coloring, mark in latest_reviews(marks, colorings)
        if (sent := back.get((mark.participant_id, mark.position))) is None
        or sent.number < mark.number
    ]


def reviewers_of(marks: Iterable[ColoringMark]) -> dict[str, int]:
    """Numbers from 1 for those who reviewed, in the order of their first review."""
    numbers: dict[str, int] = {}
    for mark in marks:
        if mark.kind is MarkKind.REVIEW:
            numbers.setdefault(mark.author, len(numbers) + 1)
    return numbers


def reviewer_names(context: Context, marks: Iterable[ColoringMark]) -> dict[str, str]:
    """What those who reviewed are called, for researchers: the name of the account, else a number."""
    names = {account.id: account.name for account in context.storage.accounts.all()}
    return {
        author: names.get(author, f"Expert {number}")
        for author, number in reviewers_of(marks).items()
    }


def marks_of(context: Context, study_id: str) -> list[ColoringMark]:
    """All marks of a study in the order of adding."""
    return list(context.storage.coloring_marks.of_study(study_id))


class ColoringAuthor(TypedDict):
    """Who a coloring is by."""

    participant: str
    number: int
    label: str


def label_of(coloring: SubmittedColoring) -> ColoringAuthor:
    """Who a coloring is by, as researchers see it."""
    return {
        "participant": coloring.participant.id,
        "number": coloring.participant.number,
        "label": f"Participant {coloring.participant.number + 1}",
    }
