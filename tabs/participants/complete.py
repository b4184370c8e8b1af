"""Which stimuli still want answers: a study closes by itself when none does."""

from __future__ import annotations

from collections import Counter

from truehue.annotation.judgments.answers import Answer, AnswerKind
from truehue.annotation.studies.cases import Kind
from truehue.annotation.studies.plan import StudyPlan
from truehue.core.studies import Purpose, Trial


class RemainingAnswers:
    """``answered`` counts main answers by stimulus, ``short`` are the stimuli with fewer than the
    plan wants. A sketch that somebody left uncolored still wants its coloring."""

    def __init__(self, plan: StudyPlan) -> None:
        self.answered: Counter[str] = Counter()
        self.short: set[str] = set()
        self.use(plan)

    def use(self, plan: StudyPlan) -> None:
        """Goes by this version of the plan from now on."""
        self._votes, self._colorings = plan.votes, plan.kind is Kind.COLORINGS
        self._ids = frozenset(stimulus.id for stimulus in plan.main_stimuli)
        self.short = {name for name in self._ids if self.answered[name] < plan.votes}

    def lacks(self, name: str, without: int) -> bool:
        """Whether a stimulus wants more answers where so many of its own do not count."""
        return name in self._ids and self.answered[name] - without < self._votes

    def count(self, trial: Trial, answer: Answer, sign: int) -> None:
        """Counts an answer to a trial (1), or one that was taken back (-1)."""
        if trial.purpose is not Purpose.MAIN:
            return
        if self._colorings and answer.kind is AnswerKind.SKIP:
            return
        name = trial.stimulus_id
        self.answered[name] += sign
        if name in self._ids:
            (self.short.discard if self.answered[name] >= self._votes else self.short.add)(name)
