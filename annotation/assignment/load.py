"""How many answers each stimulus has or will have, and in which orders it was served."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import datetime, timedelta

from core.studies import Purpose, Trial


@dataclass(frozen=True)
class Progress:
    """One participant: ``answered`` are positions, ``sign_at`` is the last sign of them, ``done``
    that they finished or withdrew."""

    trials: Sequence[Trial]
    answered: AbstractSet[int]
    sign_at: datetime
    done: bool

    def expected(self, now: datetime, abandoned_after_s: int) -> list[Trial]:
        """The main trials that have an answer, or will have: of somebody who finished, withdrew,
        or gave no sign for that long, those that have one."""
        gone = self.done or now - self.sign_at > timedelta(seconds=abandoned_after_s)
        return [
            trial
            for trial in self.trials
            if trial.purpose is Purpose.MAIN and (not gone or trial.position in self.answered)
        ]


def loads(
    people: Iterable[Progress], now: datetime, abandoned_after_s: int
) -> tuple[Mapping[str, int], Mapping[tuple[str, tuple[str, ...]], int]]:
    """By stimulus the answers it has or will have; by stimulus and order how often it was, or will
    be, shown so. What an abandoned participant did not answer counts for neither."""
    load: Counter[str] = Counter()
    served: Counter[tuple[str, tuple[str, ...]]] = Counter()
    for person in people:
        for trial in person.expected(now, abandoned_after_s):
            load[trial.stimulus_id] += 1
            served[trial.stimulus_id, trial.order] += 1
    return load, served
