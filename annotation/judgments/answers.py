"""The valid answers among participants' events, and votes on pairs, by model and not by side."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import Any

import numpy as np

from truehue.annotation.judgments.resampling import weights
from truehue.annotation.studies.cases import Kind
from truehue.annotation.studies.plan import RATING_STEPS, StudyPlan
from truehue.core.errors import BadInput
from truehue.core.studies import Event, EventKind, Purpose, Trial

TIE = ""
"""The winner of a tie."""
MAX_MS = 7 * 24 * 3_600_000
UNKNOWN_WORD = "unknown-word"
SKIP_REASONS = (UNKNOWN_WORD, "other")
"""Why somebody colors nothing."""
_CHECKSUM = re.compile(r"[0-9a-f]{8}")


@dataclass(frozen=True)
class Vote:
    """``winner`` is ``left`` or ``right``, the models that stood there, or :data:`TIE`.

    ``participant`` is an id, and the cluster of all resampling. ``response_ms`` is the time from
    the moment both images were shown to the answer.
    """

    participant: str
    case_id: str
    left: str
    right: str
    winner: str
    group: str = ""
    response_ms: float = 0.0

    def __post_init__(self) -> None:
        if self.left == self.right:
            raise ValueError(f"A pair is of two models, not twice of {self.left!r}.")
        if self.winner not in (self.left, self.right, TIE):
            raise ValueError(f"{self.winner!r} stood at neither side of this pair.")


@dataclass(frozen=True)
class VoteTable:
    """Votes counted by participant and pair of models, for resampling.

    ``models`` are sorted; ``pairs`` is int ``(P, 2)``, indices into them with the first smaller;
    ``counts`` is float ``(N, P, 3)``: participants × pairs × (first wins, second wins, ties).
    """

    models: tuple[str, ...]
    participants: tuple[str, ...]
    pairs: np.ndarray
    counts: np.ndarray

    @classmethod
    def of(cls, votes: Sequence[Vote], models: Sequence[str] = ()) -> VoteTable:
        """Counts the votes; ``models`` are there even where no vote names them."""
        names = tuple(sorted({*models, *(m for vote in votes for m in (vote.left, vote.right))}))
        people = tuple(sorted({vote.participant for vote in votes}))
        index = {name: i for i, name in enumerate(names)}
        row = {name: i for i, name in enumerate(people)}
        pair_of = {
            pair: i
            for i, pair in enumerate(
                sorted({tuple(sorted((index[v.left], index[v.right]))) for v in votes})
            )
        }
        counts = np.zeros((len(people), len(pair_of), 3))
        for vote in votes:
            first, second = sorted((index[vote.left], index[vote.right]))
            outcome = 2 if vote.winner == TIE else int(index[vote.winner] == second)
            counts[row[vote.participant], pair_of[first, second], outcome] += 1
        pairs = np.array(list(pair_of), dtype=np.intp).reshape(-1, 2)
        return cls(names, people, pairs, counts)

    @cached_property
    def totals(self) -> np.ndarray:
        """float ``(P, 3)``: the counts of all participants together."""
        return np.asarray(self.counts.sum(axis=0))

    def resampled(self, replicates: int, rng: np.random.Generator) -> np.ndarray:
        """float ``(replicates, P, 3)``: the totals of participants drawn with replacement."""
        people = len(self.participants)
        flat = weights(people, replicates, rng) @ self.counts.reshape(people, -1)
        return flat.reshape(replicates, *self.counts.shape[1:])


class AnswerKind(StrEnum):
    """What an answer is. A skip says that the participant could not answer."""

    PLACE = "place"
    TIE = "tie"
    SKIP = "skip"
    RATING = "rating"
    COLORING = "coloring"


@dataclass(frozen=True)
class Answer:
    """``value`` is the chosen place from 0, or the rating, None for ties and skips.

    ``response_ms`` runs from the moment everything of the trial was on the screen to the answer.
    ``revisions`` counts the answers to the same trial that were undone before. Of a coloring,
    ``actions`` is the number of actions in its log, ``checksum`` that of the layer on the page, and
    ``active_ms`` the time in which something was done; ``background_part``: the
    surround was said to be part of the concept; ``reason`` is that of a skip.
    """

    event_id: str
    position: int
    kind: AnswerKind
    value: int | None
    response_ms: float
    revisions: int = 0
    actions: int = 0
    checksum: str = ""
    active_ms: float | None = None
    background_part: bool = False
    reason: str = ""


def read_answer(plan: StudyPlan, trial: Trial, event: Event) -> Answer:
    """An answer event of a trial, checked against what the plan lets people answer.

    Raises BadInput, in words for whoever writes a page, for anything else.
    """
    body = event.body
    try:
        kind = AnswerKind(str(body.get("kind")))
    except ValueError:
        raise BadInput(f"An answer is one of {', '.join(AnswerKind)}.", "kind") from None
    if plan.kind is Kind.COLORINGS or kind is AnswerKind.COLORING:
        return _coloring(plan, trial, event, kind)
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
        question = plan.question_of(trial.stimulus_id)
        positions = len(question.choices) if question is not None else plan.choice_count
        limit = (RATING_STEPS if rating else positions) - 1
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= limit:
            raise BadInput(f"The value of a {kind} is a whole number from 0 to {limit}.", "value")
    return Answer(event.id, trial.position, kind, value, _ms(body, "response_ms"))


def _coloring(plan: StudyPlan, trial: Trial, event: Event, kind: AnswerKind) -> Answer:
    body = event.body
    if plan.kind is not Kind.COLORINGS or kind not in (AnswerKind.COLORING, AnswerKind.SKIP):
        requested = "coloring" if plan.kind is Kind.COLORINGS else "choice or a rating"
        raise BadInput(f"This study asks for a {requested}.", "kind")
    if body.get("value") is not None:
        raise BadInput(f"A {kind} has no value.", "value")
    answer = Answer(event.id, trial.position, kind, None, _ms(body, "response_ms"))
    if kind is AnswerKind.SKIP:
        reason = body.get("reason")
        if not plan.skip:
            raise BadInput("This study takes no skip.", "kind")
        if reason not in SKIP_REASONS:
            raise BadInput(f"The reason of a skip is {' or '.join(SKIP_REASONS)}.", "reason")
        return replace(answer, reason=str(reason))
    count, layer = body.get("actions"), body.get("checksum")
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise BadInput("A coloring says how many actions it has, 1 or more.", "actions")
    if not isinstance(layer, str) or not _CHECKSUM.fullmatch(layer):
        raise BadInput("The checksum of a coloring is 8 hexadecimal characters.", "checksum")
    active = None if body.get("active_ms") is None else _ms(body, "active_ms")
    background = body.get("background")
    part = isinstance(background, Mapping) and background.get("part") is True
    return replace(answer, actions=count, checksum=layer, active_ms=active, background_part=part)


def _ms(body: Mapping[str, Any], name: str) -> float:
    ms = body.get(name)
    if isinstance(ms, bool) or not isinstance(ms, int | float) or not 0 <= ms <= MAX_MS:
        raise BadInput(f"{name} is a number of milliseconds, 0 or more.", name)
    return float(ms)


def answers_of(
    plan: StudyPlan, trials: Sequence[Trial], events: Iterable[Event]
) -> dict[int, Answer]:
    """The answers that stand, by position.

    ``events`` are one participant's in the order of their numbers. An undo takes back the answer
    to its position; answers before it stay stored and count as revisions.
    """
    by_position = {trial.position: trial for trial in trials}
    answers: dict[int, Answer] = {}
    revisions: dict[int, int] = {}
    for event in events:
        if event.position is None or event.position not in by_position:
            continue
        if event.kind is EventKind.UNDO:
            if answers.pop(event.position, None) is not None:
                revisions[event.position] = revisions.get(event.position, 0) + 1
        elif event.kind is EventKind.ANSWER:
            answer = read_answer(plan, by_position[event.position], event)
            count = revisions.get(event.position, 0)
            answers[event.position] = replace(answer, revisions=count) if count else answer
    return answers


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
