"""Results where pairs were chosen adaptively: what is a mean over pairs stays one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.annotation.simulated import Taste, taken
from tests.annotation.studies_made import plan
from truehue.annotation.judgments.answers import Vote, answers_of, votes_of
from truehue.annotation.judgments.rates import ADAPTIVE_NOTES, sizes_of, win_rates
from truehue.annotation.participants import ExclusionRule
from truehue.annotation.report import Analysis, results
from truehue.annotation.studies.plan import Method
from truehue.annotation.validation import differences, validate

pytestmark = pytest.mark.slow

SIZES = {("a", "b"): 10, ("a", "c"): 30}


def votes() -> list[Vote]:
    """Of ten pairs of a and b all have two votes for a; of thirty of a and c six have one for c."""
    rows = [
        Vote(f"p{i % 4}", f"c{i % 10}", "a", "b", "a" if i % 10 < 9 else "b") for i in range(20)
    ]
    return rows + [Vote(f"p{i % 4}", f"c{i}", "c", "a", "c") for i in range(6)]


def test_a_rate_against_all_is_the_mean_over_pairs() -> None:
    plain = {(win_rate.model, win_rate.other): win_rate for win_rate in win_rates(votes(), 0)}
    weighted = {
        (win_rate.model, win_rate.other): win_rate
        for win_rate in win_rates(votes(), 0, sizes=SIZES)
    }
    assert plain["a", ""].rate == pytest.approx(18 / 26)
    assert weighted["a", ""].rate == pytest.approx((10 * 0.9 + 30 * 0.0) / 40)
    assert weighted["a", ""].wins == plain["a", ""].wins == 18
    assert weighted["a", "b"] == plain["a", "b"]
    assert weighted["c", ""].rate == plain["c", ""].rate == 1.0


def test_metrics_are_compared_over_all_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The metric says what people say of a and b, and the contrary of a and c."""
    quality = {
        (f"c{i}", model): {"a": 2.0, "b": 1.0, "c": 0.0}[model]
        for i in range(30)
        for model in "abc"
    }
    other = {key: -value for key, value in quality.items()}
    rng = np.random.default_rng(0)
    plain = validate("m", quality, votes(), rng)
    validation = validate("m", quality, votes(), rng, sizes=SIZES)
    assert plain.agreement.value == pytest.approx(9 / 16)
    assert validation.agreement.value == pytest.approx(10 * 0.9 / 40)
    assert validation.pearson.value < plain.pearson.value
    monkeypatch.setattr("truehue.annotation.validation.MIN_PAIRS", 16)
    (difference,) = differences({"m": quality, "n": other}, "m", votes(), 0, sizes=SIZES)
    assert difference.gap.value == pytest.approx(2 * validation.pearson.value)


def test_only_adaptive_studies_are_weighted_and_say_so() -> None:
    study = plan(6, 3, method=Method.ADAPTIVE)
    assert sizes_of(study) == {("m0", "m1"): 6, ("m0", "m2"): 6, ("m1", "m2"): 6}
    cases = tuple(replace(case, group="g" * (i % 2)) for i, case in enumerate(study.cases))
    assert sizes_of(replace(study, cases=cases), "g") == dict.fromkeys(sizes_of(study) or (), 3)
    assert sizes_of(plan(6, 3)) is None
    analysis = Analysis(ExclusionRule(), {}, replicates=50)
    assert results(study, taken(study, 3, 1), analysis).everybody.notes == ADAPTIVE_NOTES
    assert results(plan(6, 3), [], analysis).everybody.notes == ()


@pytest.mark.slow
def test_weights_take_away_what_adaptive_choice_puts_in() -> None:
    """A strong model meets its nearest rival most, so that of plain votes it wins too few."""
    strengths = {"m0": 1.6, "m1": 1.2, "m2": -0.6, "m3": -2.2}
    taste = Taste(strengths, log_tie=-1.0)
    study = plan(30, 4, votes=40, trials=40, method=Method.ADAPTIVE)
    truth = []
    for other in ("m1", "m2", "m3"):
        first, second = strengths["m0"], strengths[other]
        weight = np.exp([first, second, -1.0 + (first + second) / 2])
        truth.append((weight[0] + weight[2] / 2) / weight.sum())
    plain, weighted = [], []
    for seed in range(25):
        values = []
        for person in taken(study, 8, seed, taste):
            answers = answers_of(study, person.trials, person.events)
            values += votes_of(study, person.id, person.trials, answers)
        plain.append(win_rates(values, 0, 2)[0].rate)
        weighted.append(win_rates(values, 0, 2, sizes=sizes_of(study))[0].rate)
    error = float(np.std(weighted)) / 25**0.5
    assert np.mean(weighted) == pytest.approx(np.mean(truth), abs=3 * error)
    assert np.mean(plain) < np.mean(truth) - 0.01
