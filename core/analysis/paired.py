"""Two runs or two rules on the same prompts: who passes where, McNemar's test and Cohen's kappa."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass

from truehue.core.analysis.records import RuleAgreement

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


def scored_by_both(pair: RuleAgreement) -> int:
    """The pictures that both rules scored; an unscored one can neither agree nor disagree."""
    return pair.both + pair.only_a + pair.only_b + pair.neither


def agree_percent(pair: RuleAgreement) -> float | None:
    """The share on which both say the same; None where nothing is scored by both."""
    scored = scored_by_both(pair)
    return 100.0 * (pair.both + pair.neither) / scored if scored else None


def kappa(pair: RuleAgreement) -> float | None:
    """Cohen's kappa (Cohen 1960): agreement beyond chance.

    None where it is not defined: without scores, or when both rules always say the same one word.
    """
    n = scored_by_both(pair)
    if not n:
        return None
    observed = (pair.both + pair.neither) / n
    a, b = (pair.both + pair.only_a) / n, (pair.both + pair.only_b) / n
    chance = a * b + (1 - a) * (1 - b)
    return None if chance == 1.0 else (observed - chance) / (1 - chance)


def nominal_kappa(pairs: Iterable[tuple[Hashable, Hashable]]) -> float | None:
    """Cohen's kappa (Cohen 1960) of two who answer with any of several words: agreement beyond what
    their shares of each word would give by chance.

    None without pairs, or where both say the same one word throughout.
    """
    both = list(pairs)
    if not both:
        return None
    observed = sum(hashable == other for hashable, other in both) / len(both)
    first, second = (Counter(pair[side] for pair in both) for side in (0, 1))
    chance = sum(count * second[word] for word, count in first.items()) / len(both) ** 2
    return None if chance == 1.0 else (observed - chance) / (1 - chance)


def turned(pair: RuleAgreement) -> RuleAgreement:
    """The same with the rules in the other order."""
    return RuleAgreement(
        pair.rule_b, pair.rule_a, pair.both, pair.only_b, pair.only_a, pair.neither, pair.unscored
    )
