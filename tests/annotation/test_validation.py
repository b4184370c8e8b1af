"""Metrics against votes: the same numbers as scipy's on every pair written out in both orders."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr

from truehue.annotation.judgments.answers import Vote
from truehue.annotation.validation import PairVotes, differences, measures, validate


def votes_for(shares: dict[str, float], votes: int = 6) -> list[Vote]:
    """So many votes a case on models ``a`` and ``b``, of which that share is for ``a``."""
    return [
        Vote(f"p{i}", case, "a", "b", "a" if i < round(share * votes) else "b")
        for case, share in shares.items()
        for i in range(votes)
    ]


def test_weighted_measures_are_those_of_pairs_written_out() -> None:
    rng = np.random.default_rng(5)
    x = rng.integers(-3, 4, 40) / 3  # with ties and zeros
    y = np.clip(x + rng.normal(0, 0.7, 40), -1, 1).round(1)
    counts = rng.integers(0, 4, (25, 40))
    for row, sample in zip(measures(x, y, counts), counts, strict=True):
        many_x, many_y = np.repeat(x, sample), np.repeat(y, sample)
        both_x = np.concatenate([many_x, -many_x])
        both_y = np.concatenate([many_y, -many_y])
        same = (np.sign(many_x) == np.sign(many_y)) & (many_y != 0)
        assert row[0] == pytest.approx(pearsonr(both_x, both_y).statistic)
        assert row[1] == pytest.approx(spearmanr(both_x, both_y).statistic)
        assert row[2] == pytest.approx(same.mean())
        assert row[3] == pytest.approx(same.sum() / ((many_x != 0) & (many_y != 0)).sum())


def test_nothing_is_said_where_nothing_varies() -> None:
    votes = votes_for({"c0": 0.5, "c1": 0.5, "c2": 0.5, "c3": 0.5})
    quality = {(f"c{i}", model): float(i * (model == "a")) for i in range(4) for model in "ab"}
    validation = validate("m", quality, votes, np.random.default_rng(0), 50)
    assert np.isnan(validation.pearson.value)
    assert np.isnan(validation.agreement_decided.value)
    assert validation.agreement.value == 0
    assert validation.vote_ties == 4
    none = validate("m", {}, votes, np.random.default_rng(0), 50)
    assert (none.pairs, none.unscored) == (0, 4)
    assert np.isnan(none.agreement.value)


def test_metrics_are_told_apart_only_where_the_votes_do() -> None:
    rng = np.random.default_rng(3)
    truth = {f"c{i}": float(v) for i, v in enumerate(rng.uniform(-1, 1, 120))}
    votes = votes_for({case: float(np.clip(0.5 + v / 2, 0, 1)) for case, v in truth.items()})

    def noisy(sd: float) -> dict[tuple[str, str], float]:
        return {(case, "a"): v + rng.normal(0, sd) for case, v in truth.items()} | {
            (case, "b"): 0.0 for case in truth
        }

    metrics = {"best": noisy(0.1), "near": noisy(0.14), "far": noisy(3.0), "none": {}}
    by_other = {
        difference.other: difference for difference in differences(metrics, "best", votes, 0, 400)
    }
    assert set(by_other) == {"near", "far"}
    assert by_other["far"].apart
    assert by_other["far"].votes_needed is None
    assert by_other["far"].gap.value > 0.4
    near = by_other["near"]
    assert near.items == 120
    assert near.apart == (near.gap.low > 0)
    small = differences(metrics, "best", votes[: 6 * 24], 0, 400)
    message = {item.other: item for item in small}["near"]
    if not message.apart and message.gap.value > 0:
        assert message.votes_needed is not None
        assert message.votes_needed > 6 * 24


def test_pairs_hold_their_votes() -> None:
    votes = [*votes_for({"c": 0.5}, 2), Vote("p9", "c", "b", "a", "")]
    table = PairVotes.of(votes)
    assert table.pairs == (("c", "a", "b"),)
    assert table.for_first.tolist() == [1.5]
    assert table.all_votes.tolist() == [3.0]
    with pytest.raises(ValueError, match="no votes"):
        PairVotes.of([])
