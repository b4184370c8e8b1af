"""Which stimuli still want answers: a study closes by itself when none does."""

from __future__ import annotations

from collections import Counter

from annotation.studies.plan import StudyPlan
from core.studies import Purpose, Trial


class Wanted:
    """``answered`` counts main answers by stimulus, ``short`` are the stimuli with fewer than the
    plan wants."""

    def __init__(self, plan: StudyPlan) -> None:
        self.answered: Counter[str] = Counter()
        self.short: set[str] = set()
        self.use(plan)

    def use(self, plan: StudyPlan) -> None:
        """Goes by this version of the plan from now on."""
        self._votes = plan.votes
        self._ids = frozenset(stimulus.id for stimulus in plan.main_stimuli)
        self.short = {name for name in self._ids if self.answered[name] < plan.votes}

    def count(self, trial: Trial, sign: int) -> None:
        """Counts an answer to a trial (1), or one that was taken back (-1)."""
        if trial.purpose is not Purpose.MAIN:
            return
        name = trial.stimulus_id
        self.answered[name] += sign
        if name in self._ids:
            (self.short.discard if self.answered[name] >= self._votes else self.short.add)(name)
