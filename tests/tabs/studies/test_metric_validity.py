"""What is said of metrics is what the intervals carry, and no more."""

from __future__ import annotations

from typing import Any

import pytest

from tests.annotation.studies_made import plan
from truehue.annotation.agreement import Agreement
from truehue.annotation.participants import ExclusionRule
from truehue.annotation.ranking import Ranking
from truehue.annotation.report import Analysis, Summary, results
from truehue.annotation.validation import (
    ChoiceValidation,
    Difference,
    Interval,
    RatingValidation,
    Validation,
)
from truehue.tabs.studies.metrics import StudyMetric
from truehue.tabs.studies.validation import choice_sentences, rating_sentences, trust_sentences

NAMES = ("EMD", "PCC", "ED")


def metrics(names: tuple[str, ...] = NAMES) -> list[StudyMetric]:
    return [StudyMetric(name.lower(), name, "", False, "", "", {}) for name in names]


def summary(**parts: Any) -> Summary:
    """Results of nobody with these parts in them."""
    nothing = results(plan(), [], Analysis(ExclusionRule(), {})).everybody
    return Summary(**{**vars(nothing), **parts})


def of_pairs(metric: str, value: float, half: float = 0.1, pairs: int = 450) -> Validation:
    number = Interval(value, value - half, value + half)
    agreement = Interval(0.62, 0.58, 0.66)
    return Validation(metric, number, number, agreement, agreement, pairs, 0, 0, 0)


def difference(other: str, value: float, half: float, needed: int | None = None) -> Difference:
    interval = Interval(value, value - half, value + half)
    return Difference("emd", other, interval, 450, value > half, needed)


VOTES = Ranking((), 0.0, (), 36, 2700)


def test_the_best_is_named_with_what_is_behind_it_and_what_cannot_be_told() -> None:
    said = trust_sentences(
        summary(
            ranking=VOTES,
            validations=(of_pairs("emd", 0.53), of_pairs("pcc", 0.5), of_pairs("ed", 0.26)),
            differences={"": (difference("pcc", 0.03, 0.06, 10_721), difference("ed", 0.27, 0.1))},
        ),
        metrics(),
    )
    assert said[0] == (
        "EMD agrees best with people: correlation 0.53 (0.43 to 0.63) over 450 pairs, and it "
        "prefers the same model as most people in 62% of them. ED is behind it; PCC cannot be "
        "distinguished from it."
    )
    assert said[1].startswith(
        "About 11,000 votes instead of 2,700, on proportionally more concepts"
    )
    assert "would distinguish it from PCC" in said[1]
    assert len(said) == 2


@pytest.mark.parametrize("needed", [None, 1_000_000])
def test_what_no_study_would_tell_apart_is_said(needed: int | None) -> None:
    said = trust_sentences(
        summary(
            ranking=VOTES,
            validations=(of_pairs("emd", 0.53), of_pairs("pcc", 0.53)),
            differences={"": (difference("pcc", 0.0, 0.06, needed),)},
        ),
        metrics(),
    )
    assert "do not distinguish it from any other metric here: PCC." in said[0]
    assert "too small for a study of usual size" in said[1]


def test_chance_few_pairs_and_blind_metrics_are_no_recommendation() -> None:
    weak = trust_sentences(summary(validations=(of_pairs("emd", 0.05),)), metrics())
    assert weak == [
        "These votes do not show that any metric agrees with people: the highest correlation "
        "is 0.05 (−0.05 to 0.15), of EMD."
    ]
    few = trust_sentences(summary(validations=(of_pairs("emd", 0.9, pairs=12),)), metrics())
    assert few == ["12 pairs have votes so far: metrics are compared from 20 on."]
    blind = trust_sentences(summary(validations=(of_pairs("emd", float("nan")),)), metrics())
    assert "none can be recommended" in blind[0]


def test_a_metric_of_a_handful_of_pairs_does_not_win() -> None:
    rows = (of_pairs("emd", 0.5), of_pairs("pcc", 0.99, half=0.005, pairs=5))
    said = trust_sentences(summary(ranking=VOTES, validations=rows), metrics())
    assert said[0].startswith(
        "EMD agrees best with people: correlation 0.50 (0.40 to 0.60) over 450"
    )
    assert said[1] == "PCC is not compared: too few values."
    shown = Interval(0.9, 0.85, 0.95)
    few = RatingValidation("pcc", shown, shown, shown, 12, 288)
    said = rating_sentences(summary(rating_validations=(rated("emd", 0.7, 250), few)), metrics())
    assert "(0.65 to 0.75) with the mean ratings of 250 images." in said[0]
    assert "Two people" not in said[0]
    between = Agreement(0.85, 0.8, 0.9, 250)
    said = rating_sentences(
        summary(rating_validations=(rated("emd", 0.7, 250), few), inter_rater=between), metrics()
    )
    assert "same images correlate by 0.85 (0.80 to 0.90); a metric can exceed that" in said[0]
    assert said[1] == "PCC is not compared: too few values."
    sets = (chosen("pcc", 0.9, 6), chosen("emd", 0.5, 44))
    said = choice_sentences(summary(choice_validations=sets), metrics())
    assert said[0].startswith("EMD agrees best")
    assert "of 44 sets" in said[0]


def test_many_metrics_make_the_best_look_better() -> None:
    names = tuple(f"M{index}" for index in range(9))
    rows = tuple(of_pairs(name.lower(), 0.5 - index / 50) for index, name in enumerate(names))
    message = tuple(difference(name.lower(), 0.3, 0.1) for name in names[1:])
    said = trust_sentences(
        summary(ranking=VOTES, validations=rows, differences={"": message}), metrics(names)
    )
    assert "9 metrics were compared with the same answers" in said[-1]
    assert "M1, M2, M3, M4, M5 and 3 more" in said[0]


def rated(metric: str, value: float, images: int = 300) -> RatingValidation:
    number = Interval(value, value - 0.05, value + 0.05)
    return RatingValidation(metric, number, number, number, images, 0)


def chosen(metric: str, value: float, sets: int = 60) -> ChoiceValidation:
    return ChoiceValidation(metric, Interval(value, value - 0.1, value + 0.1), 0.25, sets, 0)


def test_ratings_and_choices_are_told_apart_by_the_same_resamples() -> None:
    """The intervals of EMD and PCC overlap, that of their difference lies above 0."""
    rows = (rated("ed", 0.3), rated("emd", 0.7), rated("pcc", 0.65))
    apart = {"": (difference("ed", 0.4, 0.1), difference("pcc", 0.05, 0.03))}
    said = rating_sentences(
        summary(rating_validations=rows, differences=apart, answers=900), metrics()
    )
    assert said == [
        "EMD agrees best with people: rank correlation 0.70 (0.65 to 0.75) with the mean "
        "ratings "
        "of 300 images. All others agree less: ED and PCC."
    ]
    open_ = {"": (difference("ed", 0.4, 0.1), difference("pcc", 0.05, 0.06, 1_234))}
    said = rating_sentences(
        summary(rating_validations=rows, differences=open_, answers=900), metrics()
    )
    assert said[0].endswith("ED is behind it; PCC cannot be distinguished from it.")
    assert said[1].startswith("About 1,300 ratings instead of 900")
    names = tuple(f"M{index}" for index in range(8))
    counted = tuple(rated(name.lower(), 0.5) for name in names)
    said = rating_sentences(summary(rating_validations=counted), metrics(names))
    assert said[-1].startswith("8 metrics were compared with the same answers")
    weak = choice_sentences(summary(choice_validations=(chosen("emd", 0.3),)), metrics())
    assert "do not show" in weak[0]
    best = choice_sentences(summary(choice_validations=(chosen("emd", 0.5),)), metrics())
    assert "in 50% (40% to 60%) of 60 sets; by chance it would be 25%." in best[0]
