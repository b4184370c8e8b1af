"""Win rates of models, and whether a side was preferred."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from truehue.annotation.judgments.adaptive import Sizes
from truehue.annotation.judgments.resampling import LEVEL, REPLICATES, share_of, sign_flip, tail
from truehue.annotation.judgments.votes import TIE, Vote, VoteTable


@dataclass(frozen=True)
class WinRate:
    """``rate`` of ``model`` against ``other`` (empty: against all), 0 to 1, a tie half a win;
    ``low`` and ``high`` are NaN where fewer than two participants voted."""

    model: str
    other: str
    rate: float
    low: float
    high: float
    wins: int
    losses: int
    ties: int


@dataclass(frozen=True)
class SideBias:
    """``left`` and ``right`` votes of those that are no tie; ``left_share`` with its interval over
    resampled participants; ``p`` of the sign-flip test over them
    (:func:`truehue.annotation.judgments.resampling.sign_flip`): votes of one person are no
    independent ones. NaN where fewer than two voted."""

    left: int
    right: int
    left_share: float
    low: float
    high: float
    p: float


def win_rates(
    votes: Sequence[Vote],
    seed: int,
    replicates: int = REPLICATES,
    level: float = LEVEL,
    sizes: Sizes | None = None,
) -> tuple[WinRate, ...]:
    """Every model against all, then against each other it met, in the order of names.

    Intervals resample participants (:func:`truehue.annotation.judgments.resampling.tail`). With
    ``sizes`` the rate against all is the mean of those against each, weighted by them, whatever
    number of votes these have (:mod:`truehue.annotation.judgments.adaptive`); wins, losses and ties
    stay counts.
    """
    if not votes:
        return ()
    table = VoteTable.of(votes)
    models = len(table.models)
    draws = np.concatenate(
        [table.totals[None], table.resampled(replicates, np.random.default_rng(seed))]
    )
    people = len(table.participants)
    weight = None
    if sizes is not None:
        names = [(table.models[first], table.models[second]) for first, second in table.pairs]
        weight = np.array([float(sizes.get(pair, 0)) for pair in names])

    def rate(model: int, values: np.ndarray, other: str) -> WinRate:
        second = (table.pairs[values, 0] != model).astype(int)
        indices = np.flatnonzero(values)
        wins = draws[:, indices, second].sum(axis=1)
        losses = draws[:, indices, 1 - second].sum(axis=1)
        ties = draws[:, indices, 2].sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            if weight is None:
                share = (wins + ties / 2) / (wins + losses + ties)
            else:
                number = draws[:, indices].sum(axis=2)
                each = (draws[:, indices, second] + draws[:, indices, 2] / 2) / number
                seen = (number > 0) * weight[indices]
                share = np.where(number > 0, each * seen, 0).sum(axis=1) / seen.sum(axis=1)
        sampled = share[1:][np.isfinite(share[1:])]
        low = high = float("nan")
        if people > 1 and len(sampled):
            outside = tail(people, level)
            low, high = (float(v) for v in np.quantile(sampled, [outside, 1 - outside]))
        name = table.models[model]
        numbers = (int(wins[0]), int(losses[0]), int(ties[0]))
        return WinRate(name, other, float(share[0]), low, high, *numbers)

    against_all = [rate(model, (table.pairs == model).any(axis=1), "") for model in range(models)]
    against_each = [
        rate(model, (table.pairs == sorted((model, other))).all(axis=1), table.models[other])
        for model in range(models)
        for other in range(models)
        if model != other and (table.pairs == sorted((model, other))).all(axis=1).any()
    ]
    return (*against_all, *against_each)


def side_bias(votes: Sequence[Vote], seed: int = 0, replicates: int = REPLICATES) -> SideBias:
    """Whether the left was chosen more often than the right, over all votes that are no tie."""
    sides: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])
    for vote in votes:
        if vote.winner != TIE:
            sides[vote.participant][vote.winner != vote.left] += 1
    lefts = [left for _, (left, _) in sorted(sides.items())]
    both = [left + right for _, (left, right) in sorted(sides.items())]
    share = share_of(lefts, both, seed, replicates)
    p = sign_flip([2 * n - total for n, total in zip(lefts, both, strict=True)], seed, replicates)
    return SideBias(sum(lefts), sum(both) - sum(lefts), share.value, share.low, share.high, p)
