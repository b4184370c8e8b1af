"""Corrected accuracies, accuracies by people and ranks: they cover, and say where they cannot."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.bench.trust import audits, coverage, false_ranks
from truehue.core.analysis.audit import people_accuracy, sample
from truehue.core.analysis.judge_error import (
    NO_BETTER,
    NO_CALIBRATION,
    PASSES_MORE,
    RENDERED,
    TOO_UNCERTAIN,
    TRACED,
    Calibration,
    Corrected,
    ErrorCounts,
    corrected_by_run,
)
from truehue.core.analysis.leaderboard import AVERAGE, POOLED, TABLE_TASKS, WILSON, leaderboard
from truehue.core.analysis.ranks import PromptScores, rank_ranges
from truehue.core.analysis.records import NOT_FOUND, TABLE_SYSTEMS, WRONG, PromptTally
from truehue.core.errors import BadInput
from truehue.core.runs.controls import summarize
from truehue.core.verdict.rules import RULES
from truehue.tabs.sources.trust import calibrations, no_calibration_text, overlap_sentence


def calibration(hits: int, accepts: int, n: int = 1_000) -> Calibration:
    return Calibration("t", "", "", "r", "1", (ErrorCounts("l2", "all", "", hits, n, accepts, n),))


def corrected(
    passes: int, errors: Calibration, task: str = "cna", system: str = "l2", prompts: int = 100
) -> Corrected:
    """Of the prompts, of one image each, ``passes`` pass."""
    tallies = [
        PromptTally("a", task, system, 1, 1, 1, passes),
        PromptTally("a", task, system, 0, 1, 1, prompts - passes),
    ]
    return corrected_by_run(tallies, leaderboard(tallies, POOLED), {"a": errors}, True)["a"][task]


def test_the_correction_is_rogan_and_gladens_and_stays_within_bounds() -> None:
    result = corrected(46, calibration(800, 100))
    assert result.percent == pytest.approx(100 * (0.46 - 0.1) / (0.8 - 0.1))
    assert result.low is not None
    assert result.high is not None
    assert result.low < 42 < 62 < result.high
    assert corrected(8, calibration(800, 100)).percent == 0
    assert corrected(84, calibration(800, 100)).percent == 100
    # A rule without errors says what it said, and none of 100 still has a width.
    exact = corrected(30, calibration(1_000, 0))
    assert exact.percent == pytest.approx(30)
    none = corrected(0, calibration(1_000, 0))
    assert none.percent == 0
    assert none.high is not None
    assert none.high > 1


def test_the_errors_of_a_rule_are_not_of_images_that_it_did_not_judge() -> None:
    """Of 100 prompts of 4 images the rule judged 3 each, and passes two thirds of those."""
    tallies = [PromptTally("a", "cna", "l2", n, 4, 4, 50, judged=3) for n in (1, 3)]
    entries, errors = leaderboard(tallies, POOLED, NOT_FOUND), {"a": calibration(800, 100)}
    result = corrected_by_run(tallies, entries, errors, True, NOT_FOUND)["a"]["cna"]
    assert result.percent == pytest.approx(100 * (0.5 - 0.75 * 0.1) / (0.8 - 0.1))
    # As all of them count, whatever the cause.
    every = [PromptTally("a", "cna", "l2", n, 3, 4, 50) for n in (1, 3)]
    entries = leaderboard(every, POOLED, WRONG)
    assert corrected_by_run(every, entries, errors, True, WRONG)["a"]["cna"] == result
    # No more images can have the color than were judged.
    most = [PromptTally("a", "cna", "l2", n, 4, 4, 50, judged=3) for n in (2, 3)]
    entries = leaderboard(most, POOLED, NOT_FOUND)
    result = corrected_by_run(most, entries, errors, True, NOT_FOUND)["a"]["cna"]
    assert result.percent == pytest.approx(75)
    assert result.high is not None
    assert result.high < 100


def test_corrected_intervals_cover_where_what_was_not_found_is_incorrect() -> None:
    """400 simulated runs; objects are harder to find in some prompts than in others."""
    result = coverage(400, 0.0, not_found=0.3)
    assert 0.92 <= result.corrected <= 0.985
    assert result.raw < 0.8


def test_no_number_where_none_can_be_had() -> None:
    assert corrected(50, calibration(500, 490)).reason == NO_BETTER
    assert corrected(99, calibration(700, 10)).reason == PASSES_MORE
    borrowed = corrected(40, calibration(800, 100), system="l3")
    assert borrowed.borrowed == ("l3",)


def test_few_images_that_pass_more_often_than_they_can_leave_much_open() -> None:
    """Eight of eight pass where a model without an error would have 80%. Their Wilson interval is
    32 points wide, and 32 / 0.8 = 40. With accuracy a all eight pass with probability (0.8 a)^8, of
    which 2.5% lie below a = 0.025^(1 / 9) = 0.66."""
    result = corrected(8, calibration(80_000, 0, 100_000), prompts=8)
    assert result.percent == 100
    assert result.low == pytest.approx(60, abs=3)
    # What is wider than 60 points is not shown, and what cannot be so is refused.
    assert corrected(5, calibration(72_000, 0, 100_000), prompts=5).reason == TOO_UNCERTAIN
    assert corrected(40, calibration(72_000, 0, 100_000), prompts=40).reason == PASSES_MORE


def test_what_is_refused_stays_refused_where_more_images_pass() -> None:
    refused = [corrected(n, calibration(700, 10)).reason == PASSES_MORE for n in range(60, 101)]
    assert refused == sorted(refused)
    assert not refused[10]
    assert refused[-1]


def test_an_average_lacks_what_a_task_lacks() -> None:
    tallies = [
        PromptTally("a", task, system, passes, 1, 1, 1 if task == "moc" else 50)
        for task in TABLE_TASKS
        for system in TABLE_SYSTEMS
        for passes in (0, 1)
    ]
    result = corrected_by_run(tallies, leaderboard(tallies), {"a": calibration(800, 100)})["a"]
    assert result["moc"].reason == TOO_UNCERTAIN
    assert result["cna"].percent is not None
    assert result[AVERAGE].reason == "no corrected number for MOC"


def test_alike_images_and_several_objects_widen() -> None:
    whole = calibration(800, 100)
    lights = tuple(
        ErrorCounts("l2", "light", str(i), hits, 250, 25, 250)
        for i, hits in enumerate((230, 210, 190, 170))
    )

    def width(result: Corrected) -> float:
        assert result.low is not None
        assert result.high is not None
        return result.high - result.low

    uneven = replace(whole, id="uneven", counts=(*whole.counts, *lights))
    assert width(corrected(46, uneven)) > width(corrected(46, whole))
    assert width(corrected(46, whole, "ica")) > width(corrected(46, whole))


def test_an_average_is_that_of_its_tasks() -> None:
    tallies = [
        PromptTally("a", task, system, passes, 4, 4, 20)
        for task in TABLE_TASKS
        for system in TABLE_SYSTEMS
        for passes in (1, 3)
    ]
    entries = leaderboard(tallies)
    result = corrected_by_run(tallies, entries, {"a": calibration(800, 100)})["a"]
    percents = [result[task].percent for task in TABLE_TASKS]
    assert result[AVERAGE].percent == pytest.approx(np.mean([p for p in percents if p is not None]))
    assert result[AVERAGE].borrowed == ("l3", "css")


def test_prompts_that_score_alike_make_no_corrected_interval_narrower() -> None:
    tallies = [
        PromptTally("a", "moc", system, passes, 2, 2, prompts)
        for system, scores in (("l2", {0: 5}), ("l3", {0: 3, 1: 1, 2: 1}), ("css", {0: 2, 2: 3}))
        for passes, prompts in scores.items()
    ]
    entries = leaderboard(tallies)
    raw = entries["a"].cells["moc"].rate
    exact = replace(
        calibration(100_000, 0, 100_000),
        counts=tuple(
            ErrorCounts(system, "all", "", 100_000, 100_000, 0, 100_000) for system in TABLE_SYSTEMS
        ),
    )
    result = corrected_by_run(tallies, entries, {"a": exact})["a"]["moc"]
    assert raw.method == WILSON
    assert raw.low is not None
    assert raw.high is not None
    assert result.low is not None
    assert result.high is not None
    assert result.low <= raw.low + 1e-9
    assert result.high >= raw.high - 1e-9


def test_every_rule_has_shipped_errors_in_its_version() -> None:
    known = {(entry.id, entry.rule, entry.version) for entry in calibrations()}
    assert {(RENDERED, rule.id, rule.version) for rule in RULES} <= known
    assert (TRACED, RULES[0].id, RULES[0].version) in known
    # A rule whose errors are known on other images is not sent to another version.
    assert no_calibration_text("paper-centred", "1.0").endswith("known in plain light only")
    assert no_calibration_text("paper-centred", "0") == NO_CALIBRATION


def test_masks_that_are_not_exact_are_named() -> None:
    exact = replace(summarize([], []), median_iou=1.0)
    rough = replace(exact, median_iou=0.94)
    assert overlap_sentence({"a": exact}, {}) == ""
    text = overlap_sentence({"a": exact, "b": rough}, {"a": "A", "b": "B"})
    assert "lower here: B 0.94. What" in text


def test_intervals_cover_and_ranks_hold() -> None:
    """The proofs of ``tests.bench.trust``, with fewer runs and so with more room for chance."""
    result = coverage(120, 0.08)
    assert result.raw < 0.6
    assert result.corrected >= 0.91
    audited = audits(120)
    assert audited.covered >= 0.90
    assert audited.width < audited.width_alone
    assert false_ranks(60, all_equal=True, prompts=20) <= 0.1


def test_a_sample_has_a_share_of_every_stratum() -> None:
    strata = {"a": list(range(90)), "b": list(range(100, 105)), "c": [200]}
    chosen = sample(strata, 20, 7)
    assert chosen == sample(dict(reversed(strata.items())), 20, 7)
    assert {key: len(own) for key, own in chosen.items()} == {"a": 18, "b": 2, "c": 1}
    assert sample(strata, 1_000, 7) == strata
    with pytest.raises(BadInput):
        sample(strata, 0, 7)


def test_people_correct_a_rule_that_is_too_strict() -> None:
    passes = {"a": {i: i % 4 == 0 for i in range(400)}}  # passes 25%, people say 50%
    people = {i: float(i % 2 == 0) for i in range(0, 400, 3)}
    result = people_accuracy(passes, people, 400)
    assert result is not None
    assert result.percent == pytest.approx(50, abs=2)
    assert result.rule_percent == 25
    assert result.low < 50 < result.high
    assert people_accuracy(passes, {0: 1.0}, 400) is None
    # Where people and rule never differ, all pass and the interval still has a width.
    alike = people_accuracy(
        {"a": dict.fromkeys(range(50), True)}, dict.fromkeys(range(20), 1.0), 50
    )
    assert alike is not None
    assert alike.percent == 100
    assert alike.low < 90
    # So it has where two of three say yes to every image, whose variance is of rounding alone.
    thirds = people_accuracy(
        {"a": dict.fromkeys(range(50), True)}, dict.fromkeys(range(20), 2 / 3), 50
    )
    assert thirds is not None
    assert thirds.high - thirds.low > 10


def test_the_ranks_that_are_left_open() -> None:
    rng = np.random.default_rng(2)
    base = rng.random((80, 1))
    shares = np.clip(np.hstack([base, base, base - 0.4]) + rng.normal(0, 0.05, (80, 3)), 0, 1)
    ranks = rank_ranges(("a", "b", "c"), [PromptScores("cna", "l2", shares)], [1.0])
    assert [ranks[run].text for run in "abc"] == ["1–2", "1–2", "3"]
    # Two prompts cannot tell two runs apart, however much they differ.
    few = rank_ranges(("a", "b"), [PromptScores("cna", "l2", np.array([[1.0, 0], [1, 0]]))], [1.0])
    assert few["a"].text == "1–2"
    # A task of one prompt does not take the rank of the average away, unless it leaves it open.
    many = PromptScores("cna", "l2", np.array([[1.0, 0]] * 200))
    for single, rank in (([1.0, 0.0], "1"), ([0.0, 1.0], "1–2")):
        task = PromptScores("moc", "l2", np.array([single]))
        assert rank_ranges(("a", "b"), [many, task], [1, 1])["a"].text == rank
