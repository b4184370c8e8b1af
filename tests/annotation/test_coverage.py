"""Intervals hold what is true at the rate that they say: whole studies, served and answered."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest

from tests.annotation.simulated import STRENGTHS, Taste, answered, taken
from tests.annotation.studies_made import plan
from truehue.annotation.judgments.answers import answers_of, votes_of
from truehue.annotation.ranking import fit, rank
from truehue.annotation.studies.plan import Method, StudyPlan

pytestmark = pytest.mark.slow

TASTE = Taste(log_tie=-0.7, person_sd=0.4)
"""A quarter of the votes between equals are ties, and people differ."""


def true_strengths(taste: Taste) -> dict[str, float]:
    """The log strengths that endless votes of endless people would be fitted by: each person has a
    preference of their own, and a mean of many is nearer to a half than their mean preference."""
    names = sorted(taste.strengths)
    rng = np.random.default_rng(1)
    mean = np.array([taste.strengths[name] for name in names])
    own = mean + taste.person_sd * rng.normal(size=(200_000, len(names)))
    pairs = np.array(list(combinations(range(len(names)), 2)))
    counts = np.empty((1, len(pairs), 3))
    for row, (i, j) in enumerate(pairs):
        weight = np.exp(
            np.stack([own[:, i], own[:, j], taste.log_tie + (own[:, i] + own[:, j]) / 2])
        )
        counts[0, row] = (weight / weight.sum(axis=0)).mean(axis=1) * 1e6
    fitted = fit(pairs, counts, len(names), prior_sd=np.inf)
    return dict(zip(names, fitted.log_strength[0], strict=True))


def covered(study: StudyPlan, people: int, repetitions: int) -> float:
    """The share of intervals that hold the true strength of their model."""
    truth = true_strengths(TASTE)
    served = taken(study, people, 0, TASTE) if study.method is Method.BALANCED else None
    inside = total = 0
    for repetition in range(repetitions):
        votes = []
        if served is None:
            values = taken(study, people, repetition, TASTE)
        else:  # What is served is the same every time: only the answers are other ones.
            values = answered(study, served, repetition, TASTE)
        for person in values:
            answers = answers_of(study, person.trials, person.events)
            votes += votes_of(study, person.id, person.trials, answers)
        assert len(votes) == people * study.trials
        for strength in rank(votes, repetition, 400).strengths:
            inside += strength.low <= truth[strength.model] <= strength.high
            total += 1
    assert total == repetitions * len(STRENGTHS)
    return inside / total


@pytest.mark.parametrize(
    ("values", "repetitions", "within"),
    [
        # A few studies tell intervals that are far too narrow or too wide.
        ({"method": Method.BALANCED}, 12, 0.05),
        ({"method": Method.ADAPTIVE}, 4, 0.09),
        # 95% ± 3 over 200 simulated studies; an adaptive one has to be served anew each time.
        # Intervals of votes taken as independent hold the truth in 85% or less, which 40 studies (a
        # standard error of 2 to 3%) still tell from 95%.
        pytest.param({"method": Method.BALANCED}, 200, 0.03, marks=pytest.mark.nightly),
        pytest.param({"method": Method.ADAPTIVE}, 40, 0.05, marks=pytest.mark.nightly),
    ],
    ids=["balanced", "adaptive", "200 balanced", "40 adaptive"],
)
def test_intervals_hold_the_truth_at_their_nominal_rate(
    values: dict[str, Any], repetitions: int, within: float
) -> None:
    """Studies of 24 people with ties, who differ; adaptive choice changes which pairs are voted on
    by the votes before, which a likelihood does not mind."""
    study = plan(24, 3, votes=8, trials=24, **values)
    assert covered(study, 24, repetitions) == pytest.approx(0.95, abs=within)
