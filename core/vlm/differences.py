"""Two sets of answers to the same questions: with and without reasoning, in color and in gray."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from truehue.core.analysis.intervals import Z_95
from truehue.core.analysis.paired import PairCounts
from truehue.core.vlm.records import Answer, Outcome, Question
from truehue.core.vlm.scoring import outcomes_of, seeds_of
from truehue.core.vlm.tasks import ROBUSTNESS

Interval = tuple[float, float]


@dataclass(frozen=True)
class Difference:
    """What the second set gets right more often than the first, over what both were asked.

    In ``pairs`` right is a pass, and an answer that is unreadable or missing because the model
    failed is none; its ``unscored`` are what only one set was asked, which is in no number here.
    """

    pairs: PairCounts

    @property
    def points(self) -> float | None:
        """Second less first in percentage points; None without pairs."""
        pairs = self.pairs
        return 100.0 * (pairs.only_b - pairs.only_a) / pairs.scored if pairs.scored else None

    @property
    def interval(self) -> Interval | None:
        """Its 95% interval, by Newcombe's method 10 for paired shares: Wilson intervals, squared
        and added with the correlation (Newcombe 1998, Statistics in Medicine 17: 2635-2650)."""
        pairs = self.pairs
        if not pairs.scored:
            return None
        # Here the first of Newcombe's pair is our second set.
        low, high = _newcombe(pairs.both, pairs.only_b, pairs.only_a, pairs.neither)
        return 100.0 * low, 100.0 * high

    @property
    def p_value(self) -> float | None:
        """McNemar's exact test, two-sided; None where no question differs. Nothing is corrected for
        testing many tasks."""
        return self.pairs.p_value

    @property
    def change_ratio(self) -> float | None:
        """(first − second) / first, as ColorBench takes it of colored and gray images (its Figure
        5): positive where the second is worse. None where the first has nothing right."""
        first = self.pairs.both + self.pairs.only_a
        return (self.pairs.only_a - self.pairs.only_b) / first if first else None

    @property
    def change_ratio_interval(self) -> Interval | None:
        """Its 95% interval, from the one of a ratio of paired shares by Bonett and Price (2006,
        Journal of Quality Technology 38: 1-12; the hybrid of Wilson intervals)."""
        pairs = self.pairs
        if not pairs.both + pairs.only_a:
            return None
        low, high = _bonett_price(pairs.both, pairs.only_b, pairs.only_a)
        return 1.0 - high, 1.0 - low


@dataclass(frozen=True)
class Differences:
    """By task, over all questions together (micro), and of seeds that are right throughout."""

    tasks: Mapping[str, Difference]
    overall: Difference
    robust: Difference


@dataclass(frozen=True)
class Rights:
    """Whether each question that was asked is right, by its id: by task, of all together (micro), and
    of each seed whether all of it is."""

    tasks: Mapping[str, Mapping[str, bool]]
    overall: Mapping[str, bool]
    robust: Mapping[str, bool]


def rights_of(questions: Sequence[Question], answers: Iterable[Answer]) -> Rights:
    """What is right in a set of answers. Raises BadInput as
    :func:`truehue.core.vlm.scoring.score`."""
    outcomes = {key: outcome for key, (outcome, _) in outcomes_of(questions, answers).items()}
    plain = [
        question for question in questions if not question.seed_id and question.task != ROBUSTNESS
    ]
    tasks = {
        task: _right([question for question in plain if question.task == task], outcomes)
        for task in dict.fromkeys(question.task for question in plain)
    }
    return Rights(tasks, _right(plain, outcomes), _robust(seeds_of(questions), outcomes))


def differences(
    questions: Sequence[Question], first: Iterable[Answer], second: Iterable[Answer]
) -> Differences:
    """Changes from the first set of answers to the second, question by question.

    Both answer the same questions, whatever was done to their images. Raises BadInput as
    :func:`truehue.core.vlm.scoring.score`.
    """
    return compare_rights(rights_of(questions, first), rights_of(questions, second))


def compare_rights(first: Rights, second: Rights) -> Differences:
    """The same of what is right in each, both of the same questions."""
    return Differences(
        {task: compare_paired(of, second.tasks[task]) for task, of in first.tasks.items()},
        compare_paired(first.overall, second.overall),
        compare_paired(first.robust, second.robust),
    )


def compare_paired(first: Mapping[str, bool], second: Mapping[str, bool]) -> Difference:
    """Two sets of what is right, by question or seed, compared over the keys that both have."""
    shared = first.keys() & second.keys()
    cells = [(first[key], second[key]) for key in shared]
    return Difference(
        PairCounts(
            both=cells.count((True, True)),
            only_a=cells.count((True, False)),
            only_b=cells.count((False, True)),
            neither=cells.count((False, False)),
            unscored=len(first.keys() ^ second.keys()),
        )
    )


def _right(questions: Sequence[Question], outcomes: Mapping[str, Outcome]) -> dict[str, bool]:
    return {
        question.question_id: outcomes[question.question_id] is Outcome.RIGHT
        for question in questions
        if question.question_id in outcomes
    }


def _robust(
    seeds: Mapping[str, Sequence[Question]], outcomes: Mapping[str, Outcome]
) -> dict[str, bool]:
    """Whether a seed is right throughout, for those with variants of which all were asked."""
    return {
        seed: all(outcomes[member.question_id] is Outcome.RIGHT for member in members)
        for seed, members in seeds.items()
        if len(members) > 1 and all(member.question_id in outcomes for member in members)
    }


def _wilson(count: float, total: float, z: float) -> Interval:
    share, square = count / total, z * z
    middle = (share + square / (2 * total)) / (1 + square / total)
    half = z / (1 + square / total) * sqrt(share * (1 - share) / total + square / (4 * total**2))
    return max(0.0, middle - half), min(1.0, middle + half)


def _newcombe(both: int, first_only: int, second_only: int, neither: int) -> Interval:
    """Of the first share less the second."""
    total = both + first_only + second_only + neither
    number, other = both + first_only, both + second_only
    low_1, high_1 = _wilson(number, total, Z_95)
    low_2, high_2 = _wilson(other, total, Z_95)
    share_1, share_2 = number / total, other / total
    product = number * (total - number) * other * (total - other)
    determinant = float(both * neither - first_only * second_only)
    if determinant > 0:
        determinant = max(0.0, determinant - total / 2)
    phi = determinant / sqrt(product) if product else 0.0
    below, above = (share_1 - low_1, high_2 - share_2), (high_1 - share_1, share_2 - low_2)
    down, up = (sqrt(max(0.0, a * a - 2 * phi * a * b + b * b)) for a, b in (below, above))
    return share_1 - share_2 - down, share_1 - share_2 + up


def _bonett_price(both: int, first_only: int, second_only: int) -> Interval:
    """Of the first share over the second, which is not 0."""
    total = both + first_only + second_only
    number, other = both + first_only, both + second_only
    joint = sqrt((first_only + second_only + 2) / ((number + 1) * (other + 1)))
    single = sum(sqrt((1 - (count + 1) / (total + 2)) / (count + 1)) for count in (number, other))
    z = Z_95 * joint / single
    low_1, high_1 = _wilson(number, total, z)
    low_2, high_2 = _wilson(other, total, z)
    return low_1 / high_2, high_1 / low_2
