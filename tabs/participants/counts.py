"""Where a study stands, kept up to date answer by answer: what assignments and closing go by."""

from __future__ import annotations

from collections import Counter, deque
from datetime import datetime, timedelta

from annotation.assignment.further import SETTLED_S, Standing
from annotation.judgments.answers import Answer, AnswerKind
from annotation.studies.plan import Method, StudyPlan
from core.studies import Purpose, Trial
from tabs.participants.seat import Seat


class Counts:
    """The same as :func:`annotation.assignment.further.standing_of` says of all participants,
    without reading them all again each time.

    ``answered`` counts main answers by stimulus, ``short`` are the stimuli with fewer than wanted.
    """

    def __init__(self, plan: StudyPlan) -> None:
        self._load: Counter[str] = Counter()
        self._served: Counter[tuple[str, tuple[str, ...]]] = Counter()
        self._counted: dict[str, list[Trial]] = {}
        self._present: set[str] = set()
        self._tallies: dict[tuple[str, str], list[int]] = {}
        self._unsettled: deque[tuple[datetime, tuple[str, str], int, int]] = deque()
        self.answered: Counter[str] = Counter()
        self.plan = plan
        self.short: set[str] = set()
        self.use(plan)

    def use(self, plan: StudyPlan) -> None:
        """Goes on with another version of the plan."""
        self.plan = plan
        self._after = timedelta(seconds=plan.abandoned_after_s)
        self.short = {
            stimulus.id for stimulus in plan.main_stimuli if self.answered[stimulus.id] < plan.votes
        }

    def gone(self, seat: Seat, now: datetime) -> bool:
        """Whether nothing more is expected of somebody: done, or without a sign for long."""
        return seat.done or now - seat.sign_at > self._after

    def seat(self, seat: Seat, now: datetime) -> None:
        """Counts a participant's trials as they are expected now, anew."""
        person = seat.person.id
        self._add(self._counted.pop(person, []), -1)
        gone = self.gone(seat, now)
        expected = [t for t in seat.main if not gone or t.position in seat.answers]
        self._add(expected, 1)
        self._counted[person] = expected
        (self._present.discard if gone else self._present.add)(person)

    def forget(self, seat: Seat) -> None:
        """Takes a participant out who was erased."""
        self._add(self._counted.pop(seat.person.id, []), -1)
        self._present.discard(seat.person.id)
        for position, answer in seat.answers.items():
            self._answer(seat.trials[position], answer, -1, seat.sign_at)

    def present(self, seat: Seat) -> bool:
        """Whether answers are still expected, as it was counted last."""
        return seat.person.id in self._present

    @property
    def people_present(self) -> int:
        """How many answers are still expected of, as it was counted last."""
        return len(self._present)

    def answer(self, trial: Trial, answer: Answer, sign: int, at: datetime) -> None:
        """Counts an answer (``sign`` 1), or one that was taken back (-1), at that time."""
        self._answer(trial, answer, sign, at)

    def standing(self, seats: dict[str, Seat], now: datetime) -> Standing:
        """Where the study stands at that time; not to be written to."""
        for person in [p for p in self._present if self.gone(seats[p], now)]:
            self.seat(seats[person], now)
        settled = now - timedelta(seconds=SETTLED_S)
        waiting: deque[tuple[datetime, tuple[str, str], int, int]] = deque()
        for entry in self._unsettled:
            at, pair, outcome, sign = entry
            if at <= settled:
                self._tallies.setdefault(pair, [0, 0, 0])[outcome] += sign
            else:
                waiting.append(entry)
        self._unsettled = waiting
        tallies = {
            pair: (first, second, ties)
            for pair, (first, second, ties) in self._tallies.items()
            if first or second or ties
        }
        return Standing(self._load, self._served, tallies)

    def _add(self, trials: list[Trial], sign: int) -> None:
        for trial in trials:
            self._load[trial.stimulus_id] += sign
            self._served[trial.stimulus_id, trial.order] += sign

    def _answer(self, trial: Trial, answer: Answer, sign: int, at: datetime) -> None:
        if trial.purpose is not Purpose.MAIN:
            return
        self.answered[trial.stimulus_id] += sign
        if trial.stimulus_id in self.plan.by_id:
            enough = self.answered[trial.stimulus_id] >= self.plan.votes
            (self.short.discard if enough else self.short.add)(trial.stimulus_id)
        if self.plan.method is Method.ADAPTIVE and answer.kind is not AnswerKind.SKIP:
            left, right = trial.order
            first, second = sorted((left, right))
            winner = None if answer.value is None else trial.order[answer.value]
            outcome = 2 if winner is None else int(winner == second)
            self._unsettled.append((at, (first, second), outcome, sign))
