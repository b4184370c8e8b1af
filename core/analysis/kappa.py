"""How well two rules agree, from the four cells of their table."""

from __future__ import annotations

from core.analysis.records import RuleAgreement


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


def turned(pair: RuleAgreement) -> RuleAgreement:
    """The same with the rules in the other order."""
    return RuleAgreement(
        pair.rule_b, pair.rule_a, pair.both, pair.only_b, pair.only_a, pair.neither, pair.unscored
    )
