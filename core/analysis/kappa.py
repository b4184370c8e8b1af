"""How well two rules agree, from the four cells of their table."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class RulePair:
    """Verdicts that two rules both gave: both pass, the first alone, the second alone, neither;
    ``unscored`` by either, which can neither agree nor disagree."""

    first: str
    second: str
    both: int
    only_first: int
    only_second: int
    neither: int
    unscored: int = 0

    @property
    def scored(self) -> int:
        """Those that both rules scored."""
        return self.both + self.only_first + self.only_second + self.neither

    @property
    def percent(self) -> float | None:
        """The share on which they say the same; None where nothing is scored by both."""
        return 100.0 * (self.both + self.neither) / self.scored if self.scored else None

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa (Cohen 1960): agreement beyond chance.

        None where it is not defined: without scores, or when both rules always say the same one
        word.
        """
        n = self.scored
        if not n:
            return None
        observed = (self.both + self.neither) / n
        first, second = (self.both + self.only_first) / n, (self.both + self.only_second) / n
        chance = first * second + (1 - first) * (1 - second)
        return None if chance == 1.0 else (observed - chance) / (1 - chance)

    def turned(self) -> RulePair:
        """The same with the rules in the other order."""
        return RulePair(
            self.second, self.first, self.both, self.only_second, self.only_first, self.neither,
            self.unscored,
        )  # fmt: skip
