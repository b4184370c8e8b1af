"""Verdicts: thresholds, candidates, gates and signs, with numbers that can be done in the head."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from truehue.core.color.difference import delta_e00
from truehue.core.errors import BadInput
from truehue.core.verdict.rules import (
    DEFAULT_RULE,
    FAIL,
    PASS,
    RULES,
    UNSCORED,
    Metric,
    Rule,
    Thresholds,
    Verdict,
    judge,
    rule,
    unscored,
)

PAPER, RELEASED = rule("paper"), rule("released")
# What they judge a color by; the others put it into the image's light first (test_truehue).
PLAIN = [known for known in RULES if not known.lit]


def decide(result: tuple[float, float, float], accepted: list, by: Rule = PAPER) -> Verdict:
    """A verdict whose nominal color is the first accepted one."""
    return judge(result, tuple(accepted[0]), np.array(accepted, dtype=float), by)


def value(verdict: Verdict, name: str) -> float:
    """The metric's number."""
    metric = verdict.metric(name)
    assert metric is not None
    return metric.value


# -------------------------------------------------------------------------------- thresholds


@pytest.mark.parametrize("name", ["delta_chroma", "delta_e00", "hue_deg"])
def test_a_metric_passes_strictly_below_its_threshold(name: str) -> None:
    assert Metric(name, math.nextafter(5.0, 0.0), 5.0, 0).passed
    assert not Metric(name, 5.0, 5.0, 0).passed
    assert not Metric(name, math.nextafter(5.0, 9.0), 5.0, 0).passed


@pytest.mark.parametrize("by", PLAIN, ids=[known.id for known in PLAIN])
@pytest.mark.parametrize(("a", "status"), [(44.99, PASS), (45.0, FAIL)])
def test_delta_chroma_of_exactly_five_fails(by: Rule, a: float, status: str) -> None:
    # On the a* axis at C* 40 a step of 5 is 5 / (1 + 0.045 * 42.5) = 1.7 in CIEDE2000: only
    # delta chroma is near its limit.
    verdict = decide((50.0, a, 0.0), [(50.0, 40.0, 0.0)], by)
    assert value(verdict, "delta_chroma") == pytest.approx(a - 40.0, abs=1e-12)
    assert value(verdict, "delta_e00") < 2.0
    assert verdict.status == status


@pytest.mark.parametrize("by", PLAIN, ids=[known.id for known in PLAIN])
def test_ciede2000_at_its_limit_fails(by: Rule) -> None:
    """The limit is moved onto the number, which no pair of colors can be trusted to hit."""
    result, target = (56.0, 40.0, 0.0), (50.0, 40.0, 0.0)
    exact = float(delta_e00(np.array(target), np.array(result)))
    for limit, status in ((exact, FAIL), (math.nextafter(exact, 99.0), PASS)):
        strict = replace(by, thresholds=Thresholds(delta_e00=limit))
        assert decide(result, [target], strict).status == status


@pytest.mark.parametrize(("degrees", "status"), [(29.9, PASS), (30.1, FAIL)])
def test_hue_limit_of_thirty_degrees(degrees: float, status: str) -> None:
    # At C* 6, thirty degrees are 2 * 6 * sin(15 deg) = 3.1 in a*b*: only the hue decides.
    turn = math.radians(degrees)
    result = (50.0, 6.0 * math.cos(turn), 6.0 * math.sin(turn))
    verdict = decide(result, [(50.0, 6.0, 0.0)])
    assert value(verdict, "hue_deg") == pytest.approx(degrees, abs=1e-9)
    assert value(verdict, "delta_chroma") < 3.2
    assert value(verdict, "delta_e00") < 5.0
    assert verdict.status == status


def test_the_defaults_are_those_of_the_protocol() -> None:
    for known in PLAIN:
        assert known.thresholds == Thresholds(delta_chroma=5.0, delta_e00=5.0, hue_deg=30.0)


@pytest.mark.parametrize(
    ("result", "failing"),
    [
        ((80.0, 40.0, 0.0), {"delta_e00"}),  # 30 lighter
        ((50.0, 46.0, 0.0), {"delta_chroma"}),  # 6 more vivid: CIEDE2000 2.1
        ((50.0, 0.0, 40.0), {"delta_chroma", "delta_e00", "hue_deg"}),  # another hue
    ],
)
def test_one_failing_metric_is_enough(
    result: tuple[float, float, float], failing: set[str]
) -> None:
    verdict = decide(result, [(50.0, 40.0, 0.0)])
    assert {metric.name for metric in verdict.metrics if not metric.passed} == failing
    assert verdict.status == FAIL


# -------------------------------------------------------------------------------- candidates

# Found (50, 40, 0). The first has the same a*b* but is 7 darker: delta chroma 0 and CIEDE2000 7.
# The second is nearer by CIEDE2000, 2.1, but 6 away in a*b*. Neither alone would do.
FOUND = (50.0, 40.0, 0.0)
DARKER, VIVID = (43.0, 40.0, 0.0), (50.0, 46.0, 0.0)


def test_paper_takes_the_minimum_of_each_metric() -> None:
    assert decide(FOUND, [DARKER]).status == FAIL
    assert decide(FOUND, [VIVID]).status == FAIL
    both = decide(FOUND, [DARKER, VIVID])
    assert both.status == PASS
    assert {m.name: m.candidate for m in both.metrics} == {
        "delta_chroma": 0,
        "delta_e00": 1,
        "hue_deg": 0,
    }
    assert value(both, "delta_chroma") == 0.0
    # 6 / (1 + 0.045 * 43) = 2.0445 but for G, which stretches a* by under 2% here.
    assert value(both, "delta_e00") == pytest.approx(2.04, abs=0.05)
    assert both.nearest == 1


def test_released_wants_all_metrics_on_one_candidate() -> None:
    verdict = decide(FOUND, [DARKER, VIVID], RELEASED)
    assert verdict.status == FAIL
    # When none passes, the numbers are those of the nominal color.
    assert [metric.candidate for metric in verdict.metrics] == [0, 0, 0]
    assert value(verdict, "delta_e00") > 5.0
    assert value(verdict, "delta_chroma") == 0.0


def test_released_passes_on_a_candidate_that_is_not_the_nominal_color() -> None:
    verdict = decide(FOUND, [DARKER, VIVID, (51.0, 41.0, 0.0)], RELEASED)
    assert verdict.status == PASS
    assert {metric.candidate for metric in verdict.metrics} == {2}
    assert value(verdict, "delta_chroma") == pytest.approx(1.0, abs=1e-12)


def test_released_keeps_to_the_nominal_color_when_it_passes() -> None:
    """A candidate that is nearer still does not take its place."""
    verdict = decide(FOUND, [(51.0, 41.0, 0.0), FOUND], RELEASED)
    assert verdict.status == PASS
    assert {metric.candidate for metric in verdict.metrics} == {0}
    assert value(verdict, "delta_chroma") == pytest.approx(1.0, abs=1e-12)


# Found (50, 40, 0) once more. Along a* a candidate d more vivid is d away in ΔChroma and, at hue
# 0, about d / (1 + 0.045 * (40 + d / 2)) in ΔE00; one d lighter is d in ΔE00 (SL is 1 at L* 50).
# So the sums of the three metrics come in the order of d.


def at(d: float) -> tuple[float, float, float]:
    """A candidate that is ``d`` more vivid than what was found."""
    return 50.0, 40.0 + d, 0.0


FAR = (44.0, 40.0, 0.0)
"""A nominal color that fails by lightness alone: ΔChroma 0, hue 0, ΔE00 about 6."""


def chosen(*accepted: tuple[float, float, float]) -> int:
    """The candidate that the released search ends with."""
    (index,) = {metric.candidate for metric in decide(FOUND, list(accepted), RELEASED).metrics}
    return index


def test_released_search_goes_on_to_a_lesser_sum_while_none_is_below_half_of_the_limits() -> None:
    # Sums about 4.9 + 1.7, 4 + 1.4 and 3 + 1.0: each below the one before; none has a ΔChroma
    # below 2.5, so the search goes to the end, and the least counts.
    assert chosen(DARKER, at(4.0), at(3.0), at(4.9)) == 2
    assert chosen(DARKER, at(4.0), at(4.9), at(3.0)) == 3


def test_released_search_ends_at_the_first_below_half_of_the_limits() -> None:
    # 2.4 ends it, though 0.5 stands behind; 2.5 does not, for it is not below.
    assert chosen(DARKER, at(4.0), at(2.4), at(0.5)) == 2
    assert chosen(DARKER, at(2.5), at(0.5)) == 2
    # A later one that is farther than the best so far cannot end it.
    assert chosen(DARKER, at(0.5), at(2.4)) == 1


def test_released_neighbor_has_to_be_nearer_than_the_nominal_color_by_the_sum() -> None:
    # The nominal color fails by ΔE00 alone, about 6 in all. A neighbor 4.9 more vivid passes
    # every metric, but its sum is 4.9 + 1.7 = 6.6: it does not count, and the verdict is a fail.
    verdict = decide(FOUND, [FAR, at(4.9)], RELEASED)
    nominal = sum(metric.value for metric in verdict.metrics)
    assert nominal == pytest.approx(6.0, abs=0.35)
    assert verdict.status == FAIL
    assert {metric.candidate for metric in verdict.metrics} == {0}
    assert sum(m.value for m in decide(FOUND, [at(4.9)], RELEASED).metrics) > nominal
    assert decide(FOUND, [at(4.9)], RELEASED).status == PASS
    # 4.0 + 1.4 = 5.4 is below: it counts.
    assert decide(FOUND, [FAR, at(4.0)], RELEASED).status == PASS


def test_released_search_near_neutral() -> None:
    # Grays: only lightness differs, and at L* 50 a step of d is about d in ΔE00. The nominal color
    # is 8 away; of its neighbors at 4, 3 and 2, the last is the first below 2.5.
    result, nominal = (50.0, 0.0, 0.0), (58.0, 0.0, 0.0)
    grays = [nominal, (54.0, 0.0, 0.0), (53.0, 0.0, 0.0), (52.0, 0.0, 0.0), (50.0, 0.0, 0.0)]
    verdict = decide(result, grays, RELEASED)
    assert verdict.status == PASS
    assert {metric.candidate for metric in verdict.metrics} == {3}
    assert value(verdict, "hue_deg") == 0.0


@pytest.mark.parametrize("seed", range(20))
def test_released_search_is_the_loop_written_out(seed: int) -> None:
    random = np.random.default_rng(seed)
    spread = random.choice([3.0, 6.0])
    accepted = np.array([FOUND]) + random.normal(0.0, spread, (60, 3))
    verdict = judge(FOUND, tuple(accepted[0]), accepted, RELEASED)

    def numbers(index: int) -> tuple[float, float, float]:
        alone = decide(FOUND, [tuple(accepted[index])])
        return tuple(value(alone, name) for name in ("delta_chroma", "delta_e00", "hue_deg"))

    def passes(three: tuple[float, float, float]) -> bool:
        return three[0] < 5.0 and three[1] < 5.0 and three[2] < 30.0

    location, least = 0, sum(numbers(0))
    for position in range(1, len(accepted)):
        three = numbers(position)
        if passes(numbers(0)) or not (passes(three) and sum(three) < least):
            continue
        location, least = position, sum(three)
        if three[0] < 2.5 and three[1] < 2.5:
            break
    assert {metric.candidate for metric in verdict.metrics} == {location}
    assert verdict.status == (PASS if location or passes(numbers(0)) else FAIL)


def test_a_candidate_far_away_changes_nothing() -> None:
    alone = decide(FOUND, [DARKER])
    more = decide(FOUND, [DARKER, (10.0, -60.0, 60.0)])
    assert [m.value for m in more.metrics] == [m.value for m in alone.metrics]
    assert more.offset == alone.offset


@pytest.mark.parametrize("by", PLAIN, ids=[known.id for known in PLAIN])
def test_the_same_color_is_no_distance_away(by: Rule) -> None:
    verdict = decide(FOUND, [FOUND], by)
    assert verdict.status == PASS
    assert [metric.value for metric in verdict.metrics] == [0.0, 0.0, 0.0]
    assert (verdict.rule, verdict.version) == (by.id, by.version)


@pytest.mark.parametrize("result", [(math.nan, 0.0, 0.0), (50.0, math.inf, 0.0)])
def test_numbers_that_are_none_are_refused(result: tuple[float, float, float]) -> None:
    with pytest.raises(BadInput):
        decide(result, [FOUND])


def test_no_candidate_is_refused() -> None:
    with pytest.raises(BadInput):
        judge(FOUND, FOUND, np.zeros((0, 3)), PAPER)


# ----------------------------------------------------------------------------------- the gate


@pytest.mark.parametrize(
    ("found_chroma", "asked_chroma", "hue"),
    [
        (5.0, 5.0, 180.0),
        (math.nextafter(5.0, 0.0), 5.0, 0.0),
        (5.0, math.nextafter(5.0, 0.0), 0.0),
        (40.0, 4.9, 0.0),
        (4.9, 40.0, 0.0),
        (40.0, 40.0, 180.0),
    ],
)
def test_hue_counts_from_a_chroma_of_five_on_both_sides(
    found_chroma: float, asked_chroma: float, hue: float
) -> None:
    verdict = decide((50.0, found_chroma, 0.0), [(50.0, -asked_chroma, 0.0)])
    assert value(verdict, "hue_deg") == pytest.approx(hue, abs=1e-9)
    assert verdict.offset is not None
    if hue:
        assert abs(verdict.offset.hue_deg or 0.0) == pytest.approx(hue, abs=1e-9)
    else:
        assert verdict.offset.hue_deg is None


@pytest.mark.parametrize("by", PLAIN, ids=[known.id for known in PLAIN])
def test_a_grayish_color_passes_whatever_its_hue(by: Rule) -> None:
    # Chromas 2 and 2 on opposite sides: 4 in a*b*, which is below 5, and no hue to compare.
    assert decide((50.0, 2.0, 0.0), [(50.0, -2.0, 0.0)], by).metric("hue_deg").value == 0.0


# ------------------------------------------------------------------------------------ offsets


def test_offsets_are_found_minus_accepted() -> None:
    verdict = decide((60.0, 30.0, 40.0), [(50.0, 24.0, 7.0)])
    # C* 50 against 25; hue atan2(40, 30) = 53.130 against atan2(7, 24) = 16.260.
    assert verdict.offset.lightness == pytest.approx(10.0, abs=1e-12)
    assert verdict.offset.chroma == pytest.approx(25.0, abs=1e-12)
    assert verdict.offset.hue_deg == pytest.approx(53.130102 - 16.260205, abs=1e-6)
    back = decide((50.0, 24.0, 7.0), [(60.0, 30.0, 40.0)]).offset
    assert back.lightness == pytest.approx(-10.0, abs=1e-12)
    assert back.chroma == pytest.approx(-25.0, abs=1e-12)
    assert back.hue_deg == pytest.approx(16.260205 - 53.130102, abs=1e-6)


@pytest.mark.parametrize(
    ("found_deg", "asked_deg", "offset"),
    [(350.0, 10.0, -20.0), (10.0, 350.0, 20.0), (100.0, 80.0, 20.0), (200.0, 10.0, -170.0)],
)
def test_hue_offset_takes_the_short_way(found_deg: float, asked_deg: float, offset: float) -> None:
    def at(degrees: float) -> tuple[float, float, float]:
        turn = math.radians(degrees)
        return 50.0, 30.0 * math.cos(turn), 30.0 * math.sin(turn)

    verdict = decide(at(found_deg), [at(asked_deg)])
    assert verdict.offset.hue_deg == pytest.approx(offset, abs=1e-9)
    assert value(verdict, "hue_deg") == pytest.approx(abs(offset), abs=1e-9)


def test_offset_refers_to_the_candidate_nearest_by_ciede2000() -> None:
    verdict = decide(FOUND, [DARKER, VIVID])
    assert verdict.offset.lightness == 0.0
    assert verdict.offset.chroma == pytest.approx(-6.0, abs=1e-12)


# ----------------------------------------------------------------------------------- unscored


def test_unscored_has_a_reason_and_no_numbers() -> None:
    verdict = unscored("The mask is empty.", PAPER)
    assert verdict.status == UNSCORED
    assert verdict.reason == "The mask is empty."
    assert (verdict.rule, verdict.version) == ("paper", PAPER.version)
    assert verdict.metrics == ()
    assert verdict.metric("delta_e00") is None
    assert verdict.lab is None
    assert verdict.target_lab is None
    assert verdict.offset is None


# -------------------------------------------------------------------------------------- rules


def test_rules_are_named_once_and_versioned() -> None:
    ids = [known.id for known in RULES]
    assert ids == [
        "truehue",
        "paper",
        "released",
        "paper-centred",
        "released-unguided",
        "released-munsell",
    ]
    assert [known.id for known in RULES if known.main] == ["truehue", "paper", "released"]
    assert all(rule(known.variant_of).main for known in RULES if not known.main)
    assert RULES[0].id == DEFAULT_RULE == "truehue"
    assert all(known.version for known in RULES)
    assert [rule(name) for name in ids] == list(RULES)


def test_an_unknown_rule_names_the_known_ones() -> None:
    with pytest.raises(BadInput, match=r'"strict".*truehue, paper, released'):
        rule("strict")


def test_only_the_released_rules_clean_up_and_one_of_them_is_not_guided() -> None:
    released = ["released", "released-unguided", "released-munsell"]
    assert [known.id for known in RULES if known.cleanup] == released
    assert [known.id for known in RULES if known.same_candidate] == released
    assert [known.id for known in RULES if known.guided] == ["released", "released-munsell"]
    assert [known.id for known in RULES if known.reconstructed] == ["released-munsell"]
