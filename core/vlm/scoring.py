"""Scores of a set of answers: by task, over all, and robustness to recoloring.

As published (ColorBench, arXiv:2504.10514, section 2.3), an unreadable answer, an answer truncated
at the token limit before its conclusion and a failed request count as wrong. All three have counts,
and the share among readable answers is reported too. A question that was not asked is in no share,
and has a count of its own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from truehue.core.analysis.intervals import Rate, mover
from truehue.core.errors import BadInput
from truehue.core.vlm.records import Answer, Outcome, Question
from truehue.core.vlm.tasks import ROBUSTNESS, TASKS, Benchmark

VARIANTS = 9
"""Recolored variants of a seed in the published design: three regions, three shifts of hue."""
CEILING_PERCENT = 99.0
"""A task is at its ceiling where the interval reaches this."""

Interval = tuple[float, float]


@dataclass(frozen=True)
class Tally:
    """Questions of one task, or of several, by what came of them.

    ``not_asked`` have no answer record. ``chance_sum`` adds up the shares, 0 to 1, that guessing
    gets right, over the questions that were asked.
    """

    right: int = 0
    wrong: int = 0
    unreadable: int = 0
    truncated: int = 0
    unanswered: int = 0
    not_asked: int = 0
    chance_sum: float = 0.0

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            self.right + other.right,
            self.wrong + other.wrong,
            self.unreadable + other.unreadable,
            self.truncated + other.truncated,
            self.unanswered + other.unanswered,
            self.not_asked + other.not_asked,
            self.chance_sum + other.chance_sum,
        )

    @property
    def total(self) -> int:
        """All questions with an answer record: the denominator of the accuracy."""
        return self.right + self.wrong + self.unreadable + self.truncated + self.unanswered

    @property
    def percent(self) -> float | None:
        """Accuracy as published: right among all that were asked; None without any."""
        return Rate(self.right, self.total - self.right).percent

    @property
    def interval(self) -> Interval | None:
        """Wilson's 95% interval of it in percent."""
        return Rate(self.right, self.total - self.right).interval

    @property
    def readable_percent(self) -> float | None:
        """Right among the answers that could be read; None without any."""
        return Rate(self.right, self.wrong).percent

    @property
    def readable_interval(self) -> Interval | None:
        """Wilson's 95% interval of it in percent."""
        return Rate(self.right, self.wrong).interval

    @property
    def chance_percent(self) -> float | None:
        """What guessing gets right on average."""
        return 100.0 * self.chance_sum / self.total if self.total else None

    @property
    def at_floor(self) -> bool:
        """Whether the interval reaches down to chance: then nothing shows more than guessing."""
        chance, interval = self.chance_percent, self.interval
        return interval is not None and chance is not None and interval[0] <= chance

    @property
    def at_ceiling(self) -> bool:
        """Whether the interval reaches up to :data:`CEILING_PERCENT`: there is no room above, and a
        change for the better could not be seen."""
        interval = self.interval
        return interval is not None and interval[1] >= CEILING_PERCENT


@dataclass(frozen=True)
class Macro:
    """The mean of the tasks' accuracies, each task of the same weight, in percent.

    ``interval`` is the 95% one by MOVER: the tasks are independent strata, and each brings its
    Wilson interval (Zou, Huang and Zhang 2009, Computational Statistics and Data Analysis 53:
    1080-1085). Unlike a normal interval it has a width where a task is at 0 or 100.
    """

    percent: float
    interval: Interval
    chance_percent: float
    tasks: int


@dataclass(frozen=True)
class Robustness:
    """Seeds that are right throughout, by equations 1 and 2 of ColorBench, in two readings.

    ``as_made`` counts every seed of which the original and all variants that it has were asked:
    the n of equation 1 is the seed's own. ``complete`` counts of these only the seeds that have all
    :data:`VARIANTS` variants; some of the published set have fewer, and fewer are easier.
    ``partly_asked`` seeds lack the answer of a question that exists and are in neither reading, as
    are ``without_variants`` seeds, which have nothing to be robust to. ``orphans`` are variants
    whose original is not in the set. ``by_variant`` is the accuracy of single questions, the
    originals under an empty name. Of ``as_made``, chance is what guessing every question gets.
    """

    as_made: Tally
    complete: Tally
    partly_asked: int
    without_variants: int
    orphans: int
    by_variant: Mapping[str, Tally]


@dataclass(frozen=True)
class Scores:
    """``tasks`` by id, in the questions' order; ``overall`` is the micro average: all questions of
    these tasks together, and ``categories`` the same for ColorBench's Perception and Reasoning.
    ``macro`` is None where a task has no answer. ``robust`` is None without
    seeds."""

    tasks: Mapping[str, Tally]
    overall: Tally
    macro: Macro | None
    robust: Robustness | None
    reasons: Mapping[str, int] = field(default_factory=dict)
    categories: Mapping[str, Tally] = field(default_factory=dict)


def score(
    questions: Sequence[Question],
    answers: Iterable[Answer],
    overall_tasks: Collection[str] | None = None,
) -> Scores:
    """The scores of one set of answers to a set of questions.

    Variants and the task :data:`ROBUSTNESS` count for robustness alone; ``overall_tasks`` are the
    tasks of both averages, all others by default. Raises BadInput for an answer to a question that
    is not in the set, and for two to the same one.
    """
    outcomes = outcomes_of(questions, answers)
    by_id = {answer: outcome for answer, (outcome, _) in outcomes.items()}
    tasks: dict[str, Tally] = {}
    for question in questions:
        if not question.seed_id and question.task != ROBUSTNESS:
            item = tally_of(question, by_id.get(question.question_id))
            tasks[question.task] = tasks.get(question.task, Tally()) + item
    counted = [
        tally for task, tally in tasks.items() if overall_tasks is None or task in overall_tasks
    ]
    reasons: dict[str, int] = defaultdict(int)
    for outcome, reason in outcomes.values():
        if outcome not in (Outcome.RIGHT, Outcome.WRONG):
            reasons[reason] += 1
    categories: dict[str, Tally] = {}
    for task_id, tally in tasks.items():
        task = TASKS.get(task_id)
        if task is not None and task.benchmark is Benchmark.COLORBENCH:
            name = str(task.category)
            categories[name] = categories.get(name, Tally()) + tally
    ranked = dict(sorted(reasons.items(), key=lambda entry: (-entry[1], entry[0])))
    return Scores(
        tasks,
        sum(counted, Tally()),
        macro(counted),
        robustness(questions, by_id),
        ranked,
        categories,
    )


def outcomes_of(
    questions: Sequence[Question], answers: Iterable[Answer]
) -> dict[str, tuple[Outcome, str]]:
    """Outcome and reason by question id. Raises BadInput as :func:`score`, and for two questions of
    one id."""
    known = {question.question_id for question in questions}
    if len(known) < len(questions):
        raise BadInput("Two questions of the set have the same id.")
    outcomes: dict[str, tuple[Outcome, str]] = {}
    for answer in answers:
        if answer.question_id not in known:
            raise BadInput(f"The set has no question {answer.question_id!r}.")
        if answer.question_id in outcomes:
            raise BadInput(f"Question {answer.question_id} is answered twice.")
        outcomes[answer.question_id] = (answer.outcome, answer.reason)
    return outcomes


def macro(tallies: Sequence[Tally]) -> Macro | None:
    """The mean of accuracies with its interval; None without tasks, or where one has no answer."""
    parts = [(tally.percent, tally.interval, tally.chance_percent) for tally in tallies]
    shares = [
        (percent, interval, chance)
        for percent, interval, chance in parts
        if percent is not None and interval is not None and chance is not None
    ]
    if not parts or len(shares) < len(parts):
        return None
    count = len(shares)
    mean = sum(percent for percent, _, _ in shares) / count
    interval = mover([(percent, ends) for percent, ends, _ in shares])
    chance = sum(chance for _, _, chance in shares) / count
    return Macro(mean, interval, chance, count)


def seeds_of(questions: Sequence[Question]) -> dict[str, list[Question]]:
    """Of each original with variants, or of the task :data:`ROBUSTNESS`: it and its variants."""
    variants: dict[str, list[Question]] = defaultdict(list)
    for question in questions:
        if question.seed_id:
            variants[question.seed_id].append(question)
    return {
        question.question_id: [question, *variants.get(question.question_id, [])]
        for question in questions
        if not question.seed_id
        and (question.question_id in variants or question.task == ROBUSTNESS)
    }


def robustness(questions: Sequence[Question], outcomes: Mapping[str, Outcome]) -> Robustness | None:
    """Equations 1 and 2 over the seeds of a set; None where it has none."""
    seeds = seeds_of(questions)
    orphans = sum(
        bool(question.seed_id) and question.seed_id not in seeds for question in questions
    )
    if not seeds and not orphans:
        return None
    as_made, complete = Tally(), Tally()
    partly = bare = 0
    by_variant: dict[str, Tally] = {}
    for members in seeds.values():
        for member in members:
            tally = tally_of(member, outcomes.get(member.question_id))
            by_variant[member.variant] = by_variant.get(member.variant, Tally()) + tally
        if len(members) == 1:
            bare += 1
            continue
        came = [outcomes.get(question.question_id) for question in members]
        if None in came:
            partly += 1
            continue
        right = all(outcome is Outcome.RIGHT for outcome in came)
        chance = 1.0
        for member in members:
            chance *= member.chance
        seed = Tally(right=int(right), wrong=int(not right), chance_sum=chance)
        as_made += seed
        if len(members) > VARIANTS:
            complete += seed
    return Robustness(as_made, complete, partly, bare, orphans, by_variant)


def tally_of(question: Question, outcome: Outcome | None) -> Tally:
    """The tally of one question; None: it was not asked."""
    if outcome is None:
        return Tally(not_asked=1)
    return Tally(
        right=int(outcome is Outcome.RIGHT),
        wrong=int(outcome is Outcome.WRONG),
        unreadable=int(outcome is Outcome.UNREADABLE),
        truncated=int(outcome is Outcome.TRUNCATED),
        unanswered=int(outcome is Outcome.UNANSWERED),
        chance_sum=question.chance,
    )
