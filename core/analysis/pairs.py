"""Two runs on the same prompts: who passes where, and whether chance alone would do that."""

from __future__ import annotations

from dataclasses import dataclass

CELLS = ("both", "only_a", "only_b", "neither")
"""Both pass, the first alone passes, the second alone passes, both fail."""


@dataclass(frozen=True)
class PairCounts:
    """Pictures of two runs by the same prompt and number, counted by who passes.

    ``unscored`` are pairs of which one has no score or the other; they are in no other count.
    """

    both: int = 0
    only_a: int = 0
    only_b: int = 0
    neither: int = 0
    unscored: int = 0

    @property
    def scored(self) -> int:
        """The pairs of two scores."""
        return self.both + self.only_a + self.only_b + self.neither

    @property
    def percent_a(self) -> float | None:
        """The pass rate of the first run over the scored pairs; None without any."""
        return 100.0 * (self.both + self.only_a) / self.scored if self.scored else None

    @property
    def percent_b(self) -> float | None:
        """The pass rate of the second run over the scored pairs; None without any."""
        return 100.0 * (self.both + self.only_b) / self.scored if self.scored else None

    @property
    def p_value(self) -> float | None:
        """McNemar's exact test, two-sided (McNemar 1947; the binomial of the pairs that differ).

        The probability of a split at least as uneven as that of ``only_a`` and ``only_b`` if either
        were as likely. None where no pair differs. Pairs count as independent, though pictures of
        one prompt are often right or wrong together: then p is smaller than it should be.
        """
        from scipy.stats import binomtest

        apart = self.only_a + self.only_b
        return float(binomtest(self.only_a, apart, 0.5).pvalue) if apart else None
