from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.annotation.colored import colorings_of
from truehue.annotation.quality.consensus import (
    ALIKE,
    ALONE,
    NOTHING,
    ONE,
    SAME,
    Coloring,
    distribution_of,
    expected_gains,
    radius,
    width_of,
)
from truehue.annotation.quality.control import (
    MIN_LAB,
    STANDS_FOR,
    UNSTABLE,
    Evidence,
    Level,
    Mark,
    Outcome,
    Votes,
    saved_of,
    stabilities,
    threshold_of,
    thresholds,
)
from truehue.core.color.distances import emd
from truehue.core.color.uw71 import distances71
from truehue.core.concepts.records import PIXELS

pytestmark = pytest.mark.slow

RED, BLUE, GREEN = 20, 45, 60
PEOPLE = ({RED: 0.9, BLUE: 0.1}, {RED: 0.7, BLUE: 0.3}, {RED: 1.0}, {GREEN: 1.0})


def repeated(first: Coloring, like: Coloring, position: int) -> Coloring:
    """A second coloring by the same person, with the colors of another one."""
    return replace(like, participant=first.participant, position=position, original=0)


def kept(colorings: list[Coloring], level: Level, evidence: Evidence | None = None) -> set[object]:
    message = saved_of(colorings, level, evidence or Evidence(), thresholds(colorings))
    return {coloring_status.coloring.key for coloring_status in message if coloring_status.kept}


def test_a_consistent_second_coloring_keeps_the_first_one() -> None:
    colorings = colorings_of("apple", PEOPLE)
    colorings.append(repeated(colorings[3], colorings[3], 9))
    coloring_status = saved_of(colorings, Level.MARKS, Evidence(), thresholds(colorings))
    by_key = {item.coloring.key: item for item in coloring_status}
    assert by_key["000003", 0].kept
    assert by_key["000003", 9].reasons == (STANDS_FOR,)


def test_an_inconsistent_second_coloring_leaves_the_person_out_until_two_agree() -> None:
    colorings = colorings_of("apple", PEOPLE)
    red, green = colorings[2], colorings[3]
    colorings.append(repeated(green, red, 9))
    stable = stabilities(colorings, thresholds(colorings))
    (check,) = stable["000003", 0].checks
    assert not check.consistent
    assert check.emd_lab > check.threshold_lab >= MIN_LAB
    assert check.farther == pytest.approx(1 / 6)  # of six pairs only the same two colors
    limits = thresholds(colorings)
    message = {
        coloring_status.coloring.key: coloring_status
        for coloring_status in saved_of(colorings, Level.MARKS, Evidence(), limits)
    }
    assert message["000003", 0].reasons == (UNSTABLE,)
    assert ("000003", 0) in kept(colorings, Level.ALL)
    colorings.append(repeated(green, red, 11))
    assert ("000003", 9) in kept(colorings, Level.MARKS)
    assert ("000003", 0) not in kept(colorings, Level.MARKS)


def test_limits_of_few_pairs_are_those_of_all_concepts() -> None:
    assert threshold_of(np.zeros(0), np.zeros(0)).lab == MIN_LAB
    assert threshold_of(np.array([90.0]), np.array([20.0, 30.0, 40.0])).lab == 30.0
    assert threshold_of(np.array([1.0, 2.0, 3.0]), np.array([50.0])).lab == MIN_LAB
    assert "never below" in threshold_of(np.array([1.0, 2.0, 3.0]), np.zeros(0)).why


def test_every_level_takes_more_away_and_gives_it_back() -> None:
    colorings = colorings_of("apple", PEOPLE)
    evidence = Evidence(
        votes={("000003", 0): Votes(1, 2, Outcome.INCONSISTENT)},
        marks={("000000", 0): Mark(False, "the mango was colored")},
        people_out={"000001": "a decision"},
    )
    every = {coloring.key for coloring in colorings}
    assert kept(colorings, Level.ALL, evidence) == every
    assert kept(colorings, Level.MAJORITY, evidence) == every - {("000003", 0)}
    assert kept(colorings, Level.MARKS, evidence) == {("000002", 0)}
    coloring_status = saved_of(colorings, Level.MARKS, evidence, thresholds(colorings))
    assert "the mango was colored" in coloring_status[0].reasons[0]
    assert "1 yes, 2 no" in coloring_status[3].reasons[0]


def test_what_a_researcher_keeps_stays_against_experts_and_rules() -> None:
    colorings = colorings_of("apple", PEOPLE)
    colorings.append(repeated(colorings[3], colorings[2], 9))
    evidence = Evidence(
        votes={("000003", 9): Votes(0, 3, Outcome.INCONSISTENT)},
        marks={("000003", 9): Mark(True)},
        people_out={"000003": "too fast"},
    )
    assert ("000003", 9) in kept(colorings, Level.MARKS, evidence)
    assert ("000003", 0) not in kept(colorings, Level.MARKS, evidence)


def test_who_loses_the_first_coloring_keeps_the_second() -> None:
    colorings = colorings_of("apple", PEOPLE)
    green = colorings[3]
    colorings.append(repeated(green, green, 9))
    evidence = Evidence(marks={("000003", 0): Mark(False, "the sky was colored")})
    message = {
        coloring_status.coloring.key: coloring_status
        for coloring_status in saved_of(colorings, Level.MARKS, evidence, thresholds(colorings))
    }
    assert message["000003", 9].kept
    assert message["000003", 0].reasons == ("discarded by a researcher: the sky was colored",)
    assert ("000003", 0) in kept(colorings, Level.MAJORITY, evidence)
    discarded = replace(evidence, marks={**evidence.marks, ("000003", 9): Mark(False)})
    assert not {("000003", 0), ("000003", 9)} & kept(colorings, Level.MARKS, discarded)


def test_a_discarded_coloring_does_not_say_whether_the_others_agree() -> None:
    colorings = colorings_of("apple", PEOPLE)
    green, red = colorings[3], colorings[2]
    colorings += [repeated(green, red, 9), repeated(green, green, 11)]
    assert not {key for key in kept(colorings, Level.MARKS) if key[0] == "000003"}  # type: ignore[index]
    evidence = Evidence(marks={("000003", 9): Mark(False)})
    assert ("000003", 0) in kept(colorings, Level.MARKS, evidence)
    assert ("000003", 11) not in kept(colorings, Level.MARKS, evidence)


def test_reviews_that_are_open_leave_nothing_out() -> None:
    colorings = colorings_of("apple", PEOPLE)
    evidence = Evidence(votes={("000003", 0): Votes(0, 1, Outcome.OPEN)})
    assert len(kept(colorings, Level.MARKS, evidence)) == 4


def test_people_who_differ_make_an_interval_wider() -> None:
    same = width_of(distribution_of("a", colorings_of("a", [{RED: 1.0}] * 5)))
    near = width_of(distribution_of("a", colorings_of("a", [*PEOPLE[:3], *PEOPLE[:2]])))
    far = width_of(distribution_of("a", colorings_of("a", [*PEOPLE, {BLUE: 1.0}])))
    assert same == pytest.approx(0.0, abs=1e-9)
    assert near is not None
    assert far is not None
    assert 0 < near < far
    assert width_of(distribution_of("a", colorings_of("a", [{RED: 1.0}]))) is None


def test_the_next_coloring_is_worth_most_where_there_is_none_and_then_where_people_differ() -> None:
    concept_uncertainties = expected_gains(
        {"wide": (5, 40.0), "narrow": (5, 4.0), "one": (1, None), "none": (0, None)}
    )
    assert [concept_uncertainty.case_id for concept_uncertainty in concept_uncertainties] == [
        "none",
        "one",
        "wide",
        "narrow",
    ]
    assert [concept_uncertainty.place for concept_uncertainty in concept_uncertainties] == [
        1,
        2,
        3,
        4,
    ]
    assert [concept_uncertainty.why for concept_uncertainty in concept_uncertainties] == [
        NOTHING,
        ONE,
        "",
        "",
    ]
    assert concept_uncertainties[0].narrowing_lab is None
    assert concept_uncertainties[2].narrowing_lab is not None
    # Of many colorings a width falls with the root of their number.
    (counted,) = expected_gains({"a": (100, 10.0)})
    assert counted.narrowing_lab == pytest.approx(10 * (1 - np.sqrt(100 / 101)))


def test_a_radius_of_few_people_is_wider() -> None:
    assert radius(1.0, 5) == pytest.approx(2.776 / 1.96, abs=1e-3)
    assert radius(1.0, 1_000) == pytest.approx(1.0, abs=2e-3)
    assert radius(100.0, 2) == pytest.approx(distances71().max())


def test_nine_of_ten_intervals_of_five_designers_hold_what_all_designers_would_give() -> None:
    rng = np.random.default_rng(3)
    held = []
    for _ in range(6):
        bins, taste = rng.choice(71, 5, replace=False).tolist(), 4 * rng.dirichlet(np.ones(5))
        people = [
            dict(zip(bins, rng.dirichlet(taste + 0.3).tolist(), strict=True)) for _ in range(60)
        ]
        everybody = colorings_of("a", people)
        truth = distribution_of("a", everybody, PIXELS).weights
        for draw in range(12):
            five = [everybody[i] for i in rng.choice(60, 5, replace=False)]
            some = distribution_of("a", five, PIXELS)
            width = width_of(some, 100, seed=draw)
            held.append(emd(some.weights, truth) <= radius(width or 0.0, 5))
    assert 0.88 <= np.mean(held) <= 1.0


def test_two_who_happen_to_agree_do_not_make_a_concept_certain() -> None:
    message = {
        concept_uncertainty.case_id: concept_uncertainty
        for concept_uncertainty in expected_gains({"two": (2, 0.0), "a": (5, 9.0), "b": (5, 9.0)})
    }
    # Nor is it told to be: its interval is that of people who differ a little less than elsewhere.
    assert message["two"].why == ALIKE
    assert (message["two"].width_lab or 0) > (message["a"].width_lab or 0) > 0
    assert (message["two"].narrowing_lab or 0) > (message["a"].narrowing_lab or 0)


def test_without_two_colorings_anywhere_nothing_is_said_of_width() -> None:
    (concept_uncertainty,) = expected_gains({"a": (1, None)})
    assert concept_uncertainty.narrowing_lab is None
    assert concept_uncertainty.why == ALONE
    for concept_uncertainty in expected_gains({"a": (5, 0.0), "b": (3, 0.0)}):
        assert (concept_uncertainty.width_lab, concept_uncertainty.why) == (None, SAME)
