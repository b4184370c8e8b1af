"""People's accuracy on questions about color: shares by task with 95% intervals.

A share counts all answers, as a model's accuracy does: "cannot tell" is not correct. Intervals
resample participants, because one person's answers are a cluster: they say how other people would
do on these questions. If all resamples are equal (one participant, or equal participants), the
interval is Wilson's over the answered questions, as for a model: it says how these people would do
on other questions of the kind.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from truehue.annotation.judgments.rates import Given
from truehue.annotation.judgments.resampling import LEVEL, REPLICATES, Share, tail, weights
from truehue.annotation.studies.cases import Kind, answer_record
from truehue.annotation.studies.plan import StudyPlan
from truehue.core.analysis.intervals import Rate
from truehue.core.errors import BadInput
from truehue.core.vlm.records import Answer, Outcome, Question
from truehue.core.vlm.scoring import Tally
from truehue.core.vlm.scoring import macro as macro_of

PARTICIPANTS, QUESTIONS = "participants", "questions"
"""What an interval is over."""
_COLUMNS = {Outcome.RIGHT: 0, Outcome.WRONG: 1, Outcome.UNREADABLE: 2, Outcome.UNANSWERED: 2}

Questions = Mapping[str, tuple[str, float]]
"""By question id its task, and the share that guessing gets right, 0 to 1."""
PersonAnswers = Mapping[str, Sequence[Answer]]
"""By participant their answers, in the form of a model's."""


@dataclass(frozen=True)
class RightShare:
    """The share right of one task, or of all where ``task`` is empty.

    ``right``, ``wrong`` and ``skips`` count answers of so many ``people`` to so many ``questions``.
    ``share`` is right among all answers, 0 to 1, ``told`` among those that are no skip; ``over``
    says what the interval of ``share`` is over. ``chance`` is what guessing gets; NaN without an
    answer.
    """

    task: str
    right: int
    wrong: int
    skips: int
    questions: int
    people: int
    share: Share
    told: Share
    over: str
    chance: float

    @property
    def answers(self) -> int:
        """All of them: the denominator of the share."""
        return self.right + self.wrong + self.skips


@dataclass(frozen=True)
class MacroShare:
    """The mean of the shares of so many ``tasks``, each of the same weight, 0 to 1."""

    share: Share
    over: str
    chance: float
    tasks: int


@dataclass(frozen=True)
class PersonShare:
    """One participant's answers: how many were right, how many there are, how many are skips."""

    participant: str
    right: int
    answers: int
    skips: int


@dataclass(frozen=True)
class RightShares:
    """``tasks`` in the order in which questions have them, ``overall`` of all questions together
    (micro), ``macro`` None where a task has no answer, ``people`` by their names."""

    tasks: tuple[RightShare, ...]
    overall: RightShare
    macro: MacroShare | None
    people: tuple[PersonShare, ...]


@dataclass(frozen=True)
class QuestionAnswers:
    """What was answered to one question: ``counts`` by the place of the choice, and skips."""

    case_id: str
    counts: tuple[int, ...]
    skips: int


@dataclass(frozen=True)
class QuestionResults:
    """The results of a study of questions: shares, and every question in the order of the plan."""

    shares: RightShares
    questions: tuple[QuestionAnswers, ...]


def target_in(questions: Iterable[Question]) -> dict[str, tuple[str, float]]:
    """Tasks and chance of questions of a set, by their ids."""
    return {question.question_id: (question.task, question.chance) for question in questions}


def right_shares(
    questions: Questions, answers: PersonAnswers, seed: int, replicates: int = REPLICATES
) -> RightShares:
    """Shares of what these people answered; a person is one cluster, whichever study they were in.

    The same arguments give the same numbers. Raises BadInput for an answer to a question that is
    not among ``questions``.
    """
    table = _Table(questions, answers, seed, replicates)
    tasks = tuple(table.share([index], task) for index, task in enumerate(table.tasks))
    everything = table.share(list(range(len(table.tasks))), "")
    return RightShares(tasks, everything, table.macro(tasks), table.by_person())


def answers_by_person(plan: StudyPlan, values: Given) -> dict[str, list[Answer]]:
    """The answers to main trials of each participant in the form of a model's."""
    by_person: dict[str, list[Answer]] = defaultdict(list)
    for person, trial, answer in values:
        question = plan.question_of(trial.stimulus_id)
        if question is not None:
            by_person[person].append(answer_record(question, answer.value))
    return dict(by_person)


def question_results(
    plan: StudyPlan, values: Given, seed: int, replicates: int = REPLICATES
) -> QuestionResults | None:
    """The results of the answers to main trials of a study of questions; None of another one."""
    if plan.kind is not Kind.QUESTIONS:
        return None
    questions = {
        case.question.question_id: (case.group, case.question.chance)
        for case in plan.cases
        if case.question is not None
    }
    counts: dict[str, Counter[int | None]] = defaultdict(Counter)
    for _, trial, answer in values:
        counts[plan.by_id[trial.stimulus_id].case_id][answer.value] += 1
    return QuestionResults(
        right_shares(questions, answers_by_person(plan, values), seed, replicates),
        tuple(
            QuestionAnswers(
                case.id,
                tuple(counts[case.id][index] for index in range(len(case.question.choices))),
                counts[case.id][None],
            )
            for case in plan.cases
            if case.question is not None
        ),
    )


class _Table:
    """``counts``: int ``(people, tasks, 3)`` answers that are right, wrong, and skips; ``drawn``:
    int ``(replicates, people)``, how often each is in a resample."""

    def __init__(
        self, questions: Questions, answers: PersonAnswers, seed: int, replicates: int
    ) -> None:
        self.people = sorted(name for name, values in answers.items() if values)
        self.tasks = list(dict.fromkeys(task for task, _ in questions.values()))
        column = {name: index for index, name in enumerate(self.tasks)}
        self.counts = np.zeros((len(self.people), len(self.tasks), 3), dtype=np.int64)
        self._chance = np.zeros(len(self.tasks))
        self._questions: list[set[str]] = [set() for _ in self.tasks]
        for row, name in enumerate(self.people):
            for answer in answers[name]:
                if answer.question_id not in questions:
                    raise BadInput(f"The set has no question {answer.question_id!r}.")
                task, chance = questions[answer.question_id]
                self.counts[row, column[task], _COLUMNS[answer.outcome]] += 1
                self._chance[column[task]] += chance
                self._questions[column[task]].add(answer.question_id)
        rng = np.random.default_rng([seed, 9])
        self.drawn = weights(len(self.people), replicates, rng) if self.people else None

    def share(self, columns: Sequence[int], task: str) -> RightShare:
        """Of the tasks in these columns together."""
        counts = self.counts[:, columns].sum(axis=1)
        right, wrong, skips = (int(number) for number in counts.sum(axis=0))
        answers, whole = right + wrong + skips, counts.sum(axis=1)
        questions = sum(len(self._questions[column]) for column in columns)
        share, over = self._interval(counts[:, 0], whole, questions)
        said_share, _ = self._interval(counts[:, 0], counts[:, :2].sum(axis=1), questions)
        chance = float(self._chance[columns].sum() / answers) if answers else float("nan")
        people = int((whole > 0).sum())
        return RightShare(
            task, right, wrong, skips, questions, people, share, said_share, over, chance
        )

    def macro(self, tasks: Sequence[RightShare]) -> MacroShare | None:
        """The mean of the tasks, by the same resamples as they; by MOVER over Wilson's intervals
        (:func:`truehue.core.vlm.scoring.macro`) where these have no width."""
        if self.drawn is None or any(not task.answers for task in tasks):
            return None
        value = float(np.mean([task.share.value for task in tasks]))
        chance = float(np.mean([task.chance for task in tasks]))
        if len(self.people) > 1:
            sums = np.einsum("rp,ptk->rtk", self.drawn, self.counts)
            whole = sums.sum(axis=2)
            saved = (whole > 0).all(axis=1)
            bounds = _bounds((sums[saved, :, 0] / whole[saved]).mean(axis=1), len(self.people))
            if bounds is not None:
                return MacroShare(Share(value, *bounds), PARTICIPANTS, chance, len(tasks))
        macro = macro_of([_tally(task) for task in tasks])
        assert macro is not None
        low, high = macro.interval
        return MacroShare(Share(value, low / 100, high / 100), QUESTIONS, chance, len(tasks))

    def by_person(self) -> tuple[PersonShare, ...]:
        """Everybody's own."""
        sums = self.counts.sum(axis=1)
        return tuple(
            PersonShare(person, int(sums[index, 0]), int(sums[index].sum()), int(sums[index, 2]))
            for index, person in enumerate(self.people)
        )

    def _interval(self, part: np.ndarray, whole: np.ndarray, questions: int) -> tuple[Share, str]:
        """The share of ``part`` in ``whole``, counts by participant, and what its interval is
        over."""
        if self.drawn is None or not whole.sum():
            return Share(), PARTICIPANTS
        value = float(part.sum() / whole.sum())
        people = int((whole > 0).sum())
        if people > 1:
            total = self.drawn @ whole
            bounds = _bounds((self.drawn @ part)[total > 0] / total[total > 0], people)
            if bounds is not None:
                return Share(value, *bounds), PARTICIPANTS
        interval = Rate(_right_of(value, questions), _wrong_of(value, questions)).interval
        assert interval is not None
        return Share(value, interval[0] / 100, interval[1] / 100), QUESTIONS


def _bounds(sampled: np.ndarray, people: int) -> tuple[float, float] | None:
    """The expanded percentile interval; None where it has no width."""
    if not len(sampled):
        return None
    outside = tail(people, LEVEL)
    low, high = (float(bound) for bound in np.quantile(sampled, [outside, 1 - outside]))
    return (low, high) if high - low > 1e-9 else None


def _tally(right_share: RightShare) -> Tally:
    """A task as scores of models have it: over its questions, not over all answers to them."""
    return Tally(
        _right_of(right_share.share.value, right_share.questions),
        _wrong_of(right_share.share.value, right_share.questions),
        chance_sum=right_share.chance * right_share.questions,
    )


def _right_of(share: float, questions: int) -> int:
    """So many of the questions, to the nearest whole one: answers of several people to one are no
    several questions."""
    return round(share * questions)


def _wrong_of(share: float, questions: int) -> int:
    return questions - _right_of(share, questions)
