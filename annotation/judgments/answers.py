"""From events to answers: the last of each trial that was not undone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from annotation.judgments.votes import TIE, Vote
from annotation.studies.cases import Kind
from annotation.studies.plan import RATING_STEPS, StudyPlan
from core.errors import BadInput
from core.studies import Event, EventKind, Purpose, Trial

MOST_MS = 7 * 24 * 3_600_000


class AnswerKind(StrEnum):
    """What an answer is. A skip says that the participant could not answer."""

    PLACE = "place"
    TIE = "tie"
    SKIP = "skip"
    RATING = "rating"


@dataclass(frozen=True)
class Answer:
    """``value`` is the chosen place from 0, or the rating, None for ties and skips.

    ``response_ms`` runs from the moment everything of the trial was on the screen to the answer.
    ``revisions`` counts the answers to the same trial that were undone before.
    """

    event_id: str
    position: int
    kind: AnswerKind
    value: int | None
    response_ms: float
    revisions: int = 0


def read_answer(plan: StudyPlan, trial: Trial, event: Event) -> Answer:
    """An answer event of a trial, checked against what the plan lets people answer.

    Raises BadInput, in words for whoever writes a page, for anything else.
    """
    body = event.body
    try:
        kind = AnswerKind(str(body.get("kind")))
    except ValueError:
        raise BadInput(f"An answer is one of {', '.join(AnswerKind)}.", "kind") from None
    value = body.get("value")
    if kind in (AnswerKind.TIE, AnswerKind.SKIP):
        allowed = plan.tie if kind is AnswerKind.TIE else plan.skip
        if not allowed or (kind is AnswerKind.TIE and plan.kind is not Kind.PAIRS):
            raise BadInput(f"This study takes no {kind}.", "kind")
        if value is not None:
            raise BadInput(f"A {kind} has no value.", "value")
    else:
        rating = plan.kind is Kind.RATINGS
        if (kind is AnswerKind.RATING) != rating:
            raise BadInput(f"This study asks for a {'rating' if rating else 'place'}.", "kind")
        most = (RATING_STEPS if rating else plan.places) - 1
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
            raise BadInput(f"The value of a {kind} is a whole number from 0 to {most}.", "value")
    ms = body.get("response_ms")
    if isinstance(ms, bool) or not isinstance(ms, int | float) or not 0 <= ms <= MOST_MS:
        raise BadInput("response_ms is a number of milliseconds, 0 or more.", "response_ms")
    return Answer(event.id, trial.position, kind, value, float(ms))


def answers_of(
    plan: StudyPlan, trials: Sequence[Trial], events: Iterable[Event]
) -> dict[int, Answer]:
    """The answers that stand, by position.

    ``events`` are one participant's in the order of their numbers. An undo takes back the answer
    to its position; answers before it stay stored and count as revisions.
    """
    by_position = {trial.position: trial for trial in trials}
    standing: dict[int, Answer] = {}
    revisions: dict[int, int] = {}
    for event in events:
        if event.position is None or event.position not in by_position:
            continue
        if event.kind is EventKind.UNDO:
            if standing.pop(event.position, None) is not None:
                revisions[event.position] = revisions.get(event.position, 0) + 1
        elif event.kind is EventKind.ANSWER:
            answer = read_answer(plan, by_position[event.position], event)
            count = revisions.get(event.position, 0)
            standing[event.position] = Answer(
                answer.event_id,
                answer.position,
                answer.kind,
                answer.value,
                answer.response_ms,
                count,
            )
    return standing


def votes_of(
    plan: StudyPlan,
    participant: str,
    trials: Sequence[Trial],
    answers: Mapping[int, Answer],
    purpose: Purpose = Purpose.MAIN,
) -> list[Vote]:
    """The votes of one participant in a study of pairs; skips are none."""
    votes = []
    for trial in trials:
        answer = answers.get(trial.position)
        if trial.purpose is not purpose or answer is None or answer.kind is AnswerKind.SKIP:
            continue
        case = plan.case_by_id[plan.by_id[trial.stimulus_id].case_id]
        left, right = trial.order
        winner = TIE if answer.value is None else trial.order[answer.value]
        votes.append(
            Vote(participant, case.id, left, right, winner, case.group, answer.response_ms)
        )
    return votes
