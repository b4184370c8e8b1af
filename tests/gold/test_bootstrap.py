"""The leaderboard's bootstrap against a plain loop, every resample there is, and scipy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from scipy import stats

from truehue.core.analysis.intervals import CONFIDENCE, RESAMPLES, interval, ratios, resampled_sums
from truehue.core.analysis.leaderboard import AVERAGED, POOLED, leaderboard
from truehue.core.analysis.records import TABLE_SYSTEMS, PromptTally

Prompts = list[tuple[int, int]]


def some(count: int, seed: int, mean: float = 0.4) -> Prompts:
    """Prompts whose pictures are alike, some of them unscored: passes and scored of four."""
    rng = np.random.default_rng(seed)
    scored = 4 - rng.binomial(4, 0.15, count)
    return [
        (int(passes), int(source))
        for passes, source in zip(
            rng.binomial(scored, rng.beta(mean, 1 - mean, count)), scored, strict=True
        )
    ]


def looped(strata: list[Prompts], measure: Callable[[list[np.ndarray]], float]) -> np.ndarray:
    """The bootstrap as a textbook has it: draw prompts one by one within each stratum, add up."""
    rng = np.random.default_rng(99)
    out = []
    for _ in range(RESAMPLES):
        sums = []
        for prompts in strata:
            sample = [prompts[integer] for integer in rng.integers(len(prompts), size=len(prompts))]
            sums.append(np.sum(sample, axis=0))
        out.append(measure(sums))
    return np.array(out)


def tallies(strata: dict[tuple[str, str], Prompts]) -> list[PromptTally]:
    return [
        PromptTally("run", task, system, passes, scored, 4, count)
        for (task, system), prompts in strata.items()
        for (passes, scored), count in Counter(prompts).items()
    ]


def percent(sums: np.ndarray) -> float:
    return float(100 * sums[0] / sums[1])


def near(ours: tuple[float, float], theirs: tuple[float, float]) -> None:
    """Equal but for chance: two ends of 1,000 resamples each differ with a standard deviation of 3%
    of the width between the ends where they are nearly normal."""
    width = theirs[1] - theirs[0]
    assert ours == pytest.approx(theirs, abs=0.1 * width)


def test_all_resamples_there_are_come_as_often_as_they_must() -> None:
    prompts = [(0, 4), (1, 3), (4, 4)]
    expected = Counter(
        tuple(np.sum(chosen, axis=0).tolist()) for chosen in product(prompts, repeat=3)
    )
    sums = resampled_sums(Counter(prompts), "test")
    counter = Counter((int(passes), int(source)) for passes, source in sums)
    assert set(counter) == set(expected)
    counts = np.array([counter[key] for key in expected])
    shares = np.array([expected[key] for key in expected]) / 27 * RESAMPLES
    assert stats.chisquare(counts, shares).pvalue > 0.01


@pytest.mark.parametrize(("count", "seed"), [(40, 1), (700, 2)])
def test_one_stratum_is_the_plain_loop(count: int, seed: int) -> None:
    prompts = some(count, seed)
    ours = ratios(resampled_sums(Counter(prompts), "test"))
    plain = looped([prompts], lambda sums: percent(sums[0]))
    assert stats.ks_2samp(ours, plain).pvalue > 0.01
    near(interval(ours) or (0, 0), interval(plain) or (0, 0))


def test_the_mean_of_three_systems_is_stratified() -> None:
    strata = {
        ("cna", system): some(count, seed, mean)
        for seed, (system, count, mean) in enumerate(
            zip(TABLE_SYSTEMS, (120, 300, 60), (0.6, 0.3, 0.45), strict=True)
        )
    }
    lists = list(strata.values())
    measures: dict[str, Callable[[list[np.ndarray]], float]] = {
        AVERAGED: lambda sums: float(np.mean([percent(item) for item in sums])),
        POOLED: lambda sums: percent(np.sum(sums, axis=0)),
    }
    for systems, measure in measures.items():
        rate = leaderboard(tallies(strata), systems)["run"].cells["cna"].rate
        assert rate.percent == pytest.approx(measure([np.sum(item, axis=0) for item in lists]))
        assert rate.low is not None
        assert rate.high is not None
        near((rate.low, rate.high), interval(looped(lists, measure)) or (0, 0))


def test_scipy_says_the_same() -> None:
    prompts = some(250, 5)
    passes, scored = np.array(prompts).T
    theirs = stats.bootstrap(
        (passes, scored),
        lambda passes, scored, axis: 100 * passes.sum(axis=axis) / scored.sum(axis=axis),
        paired=True,
        vectorized=True,
        method="percentile",
        n_resamples=RESAMPLES,
        confidence_level=CONFIDENCE,
        rng=7,
    ).confidence_interval
    near(
        interval(ratios(resampled_sums(Counter(prompts), "test"))) or (0, 0),
        (float(theirs.low), float(theirs.high)),
    )
