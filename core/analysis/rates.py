"""Shares of passes with their intervals, summed up from counts of verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from truehue.core.analysis.intervals import wilson
from truehue.core.analysis.records import Count


@dataclass(frozen=True)
class Rate:
    """Verdicts of one group. Unscored ones are counted, and stay out of the share."""

    passes: int = 0
    fails: int = 0
    unscored: int = 0

    def __add__(self, other: Rate) -> Rate:
        return Rate(
            self.passes + other.passes, self.fails + other.fails, self.unscored + other.unscored
        )

    @property
    def scored(self) -> int:
        """Passes and fails."""
        return self.passes + self.fails

    @property
    def percent(self) -> float | None:
        """Passes among the scored; None where nothing is scored."""
        return 100.0 * self.passes / self.scored if self.scored else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Low and high end of Wilson's 95% interval in percent; None where nothing is scored.

        It takes verdicts as independent. Pictures of one prompt are alike, so it is rather narrow.
        """
        return wilson(self.passes / self.scored, self.scored) if self.scored else None


def rate_of(count: Count) -> Rate:
    """The rate of one group."""
    return Rate(count.passes, count.fails, count.unscored)


def rates(counts: Iterable[Count], index: Sequence[int]) -> dict[tuple[str, ...], Rate]:
    """The counts summed up over all parts of their keys but those at the places ``at``.

    In the order in which the keys first come.
    """
    by_key: dict[tuple[str, ...], Rate] = {}
    for count in counts:
        key = tuple(count.key[position] for position in index)
        by_key[key] = by_key.get(key, Rate()) + rate_of(count)
    return by_key


def total(counts: Iterable[Count]) -> Rate:
    """All counts together."""
    return sum((rate_of(count) for count in counts), Rate())
