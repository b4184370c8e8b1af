"""Ratings and the best of four: means and shares by model and group, and metrics against them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import kendalltau, pearsonr, spearmanr

from tests.annotation.simulated import STRENGTHS, Taste, taken
from tests.annotation.studies_made import plan
from truehue.annotation.agreement import inter_rater_spearman
from truehue.annotation.judgments.rates import choices_of
from truehue.annotation.participants import ExclusionRule
from truehue.annotation.report import Analysis, Summary, results
from truehue.annotation.studies.cases import Kind
from truehue.annotation.studies.plan import StudyPlan
from truehue.annotation.validation import _ranks, nearest, weighted_spearman

TASTE = Taste({**STRENGTHS, "m3": -0.2})


def grouped(study: StudyPlan) -> StudyPlan:
    """The study with its cases in two groups by turns."""
    cases = [replace(case, group=("plain", "vivid")[i % 2]) for i, case in enumerate(study.cases)]
    return replace(study, cases=tuple(cases))


def summary_of(study: StudyPlan, people: int, **values: object) -> Summary:
    analysis = Analysis(ExclusionRule(), {}, replicates=200)
    return results(study, taken(study, people, 3, TASTE), replace(analysis, **values)).everybody  # type: ignore[arg-type]


def test_ratings_by_group_have_intervals_and_agreement() -> None:
    study = grouped(plan(12, 3, kind=Kind.RATINGS, votes=3, trials=18, repeats=1))
    message = summary_of(study, 6)
    assert set(message.by_group) == {"plain", "vivid"}
    assert sum(part.answers for part in message.by_group.values()) == message.answers == 108
    for part in message.by_group.values():
        means = {rating.model: rating for rating in part.ratings}
        assert means["m0"].mean > means["m1"].mean > means["m2"].mean
        assert all(rating.low < rating.mean < rating.high for rating in part.ratings)
        assert part.alpha is not None
        assert part.alpha.low < part.alpha.value < part.alpha.high
        assert part.win_rates == part.choices == ()
    assert sum(rating.ratings for rating in message.ratings) == 108
    both = [part.ratings[0] for part in message.by_group.values()]
    total = sum(item.mean * item.ratings for item in both)
    assert message.ratings[0].mean == pytest.approx(total / message.ratings[0].ratings)


def test_inter_rater_spearman_is_the_mean_of_pairs_by_their_images() -> None:
    rng = np.random.default_rng(2)
    ratings = np.clip(rng.normal(rng.normal(5, 2, 40), 1.5, (4, 40)).round(), 0, 10)
    ratings[0, 20:] = ratings[1, :10] = np.nan
    ratings[3, 4:] = np.nan  # four images in common with anyone are too few
    pairs = [(0, 1), (0, 2), (1, 2)]
    shared = [np.isfinite(ratings[a]) & np.isfinite(ratings[b]) for a, b in pairs]
    each = [
        spearmanr(ratings[a, both], ratings[b, both]).statistic
        for (a, b), both in zip(pairs, shared, strict=True)
    ]
    agreement = inter_rater_spearman(ratings, rng, 300)
    assert agreement.value == pytest.approx(np.average(each, weights=[10, 20, 30]))
    assert 0 < agreement.low < agreement.value < agreement.high < 1
    assert agreement.items == 40


def test_inter_rater_spearman_needs_an_order_of_two_people() -> None:
    rng = np.random.default_rng(0)
    steady = np.vstack([np.arange(8.0), np.full(8, 5.0)])
    for ratings in (steady, steady[:1], steady[:, :0], np.full((3, 8), np.nan)):
        agreement = inter_rater_spearman(ratings, rng, 20)
        assert np.isnan([agreement.value, agreement.low, agreement.high]).all()
        assert agreement.items == 0


def test_raters_agree_in_ratings_alone() -> None:
    study = plan(12, 3, kind=Kind.RATINGS, votes=3, trials=18, repeats=1)
    between = summary_of(study, 6).inter_rater
    assert between is not None
    assert 0 < between.low < between.value < between.high < 1
    assert summary_of(plan(10, 4, kind=Kind.BEST_OF, votes=5, trials=10), 5).inter_rater is None


def test_the_best_of_four_has_shares_with_intervals() -> None:
    study = grouped(plan(10, 4, kind=Kind.BEST_OF, votes=5, trials=10, attention=1))
    message = summary_of(study, 5)
    assert [choice.model for choice in message.choices] == ["m0", "m1", "m2", "m3"]
    assert sum(choice.share for choice in message.choices) == pytest.approx(1)
    for item in message.choices:
        assert item.shown == 50
        assert item.chosen == round(item.share * 50)
        assert item.low <= item.share <= item.high
    assert message.fleiss is not None
    assert message.alpha is not None
    assert [sum(c.chosen for c in part.choices) for part in message.by_group.values()] == [25, 25]
    assert choices_of([], 0) == ()


def test_a_model_that_is_shown_less_is_measured_by_what_it_was_shown() -> None:
    study = plan(6, 5, kind=Kind.BEST_OF, votes=1, trials=30)
    message = summary_of(replace(study, model_sets=(("m0", "m1", "m2", "m3"),)), 1)
    assert {choice.shown for choice in message.choices} == {6}
    assert np.isnan(message.choices[0].low), "one person says nothing of how people differ"


def test_metrics_are_compared_with_ratings() -> None:
    study = plan(30, 3, kind=Kind.RATINGS, votes=3, trials=45)
    rng = np.random.default_rng(1)
    keys = [(case.id, model) for case in study.cases for model in case.models]
    metrics = {
        "good": {key: round(STRENGTHS[key[1]] + rng.normal(0, 0.4), 1) for key in keys},
        "noise": {key: float(rng.normal()) for key in keys},
        "half": {key: STRENGTHS[key[1]] for key in keys[:30]},
        "blind": dict.fromkeys(keys, 1.0),
    }
    message = summary_of(study, 6, metrics=metrics)
    by_name = {
        rating_validation.metric: rating_validation
        for rating_validation in message.rating_validations
    }
    good, noise = by_name["good"], by_name["noise"]
    assert good.pearson.low > 0.5 > noise.pearson.high
    assert noise.spearman.low < 0 < noise.spearman.high
    assert good.kendall.low < good.kendall.value < good.kendall.high
    assert (by_name["half"].images, by_name["half"].unscored) == (30, 60)
    assert np.isnan(by_name["blind"].pearson.value)
    assert message.validations == message.choice_validations == ()
    people = taken(study, 6, 3, TASTE)
    ratings: dict[tuple[str, str], list[int]] = {}
    for person in people:
        for trial, event in zip(person.trials, person.events, strict=True):
            key = study.by_id[trial.stimulus_id].case_id, trial.order[0]
            ratings.setdefault(key, []).append(event.body["value"])
    x = [metrics["good"][key] for key in sorted(ratings)]
    y = [float(np.mean(ratings[key])) for key in sorted(ratings)]
    assert good.pearson.value == pytest.approx(pearsonr(x, y).statistic)
    assert good.spearman.value == pytest.approx(spearmanr(x, y).statistic)
    assert good.kendall.value == pytest.approx(kendalltau(x, y).statistic)
    # "half" has the same numbers for fewer images; "blind" has no correlation.
    gaps = {difference.other: difference for difference in message.differences[""]}
    assert {gap.best for gap in gaps.values()} == {nearest(message.rating_validations).metric}  # type: ignore[union-attr]
    assert gaps["noise"].apart
    assert gaps["noise"].gap.low > 0
    assert "blind" not in gaps


def test_weighted_ranks_are_those_of_values_written_out() -> None:
    rng = np.random.default_rng(2)
    x, y = rng.integers(0, 6, 30) / 2, rng.integers(0, 6, 30) / 2
    counts = rng.integers(0, 4, (20, 30))
    for row, sample in zip(weighted_spearman(x, y, counts), counts, strict=True):
        expected = spearmanr(np.repeat(x, sample), np.repeat(y, sample)).statistic
        assert row == pytest.approx(expected)
    assert _ranks(x, counts).shape == (20, 30)


def test_metrics_are_compared_with_what_most_people_chose() -> None:
    study = plan(30, 4, kind=Kind.BEST_OF, votes=7, trials=30)
    keys = [(case.id, model) for case in study.cases for model in case.models]
    metrics = {
        "good": {key: TASTE.strengths[key[1]] for key in keys},
        "bad": {key: -TASTE.strengths[key[1]] for key in keys},
        "equal": dict.fromkeys(keys, 0.0),
        "half": {key: TASTE.strengths[key[1]] for key in keys[:62]},
    }
    message = summary_of(study, 7, metrics=metrics)
    by_name = {
        choice_validation.metric: choice_validation
        for choice_validation in message.choice_validations
    }
    good = by_name["good"]
    assert good.agreement.low > by_name["bad"].agreement.high
    assert good.agreement.value > good.chance > by_name["bad"].agreement.value
    assert by_name["equal"].agreement.value == 0.0
    assert (by_name["half"].sets, by_name["half"].unscored) == (15, 15)
    assert 0 < good.chance <= 0.25
    gaps = {difference.other: difference for difference in message.differences[""]}
    assert set(gaps) == {"bad", "equal"}, "fifteen sets are too few to be compared"
    assert gaps["bad"].apart
    expected = good.agreement.value - by_name["bad"].agreement.value
    assert gaps["bad"].gap.value == pytest.approx(expected)
    assert (gaps["bad"].best, gaps["bad"].items) == ("good", 30)
    assert message.rating_validations == ()
