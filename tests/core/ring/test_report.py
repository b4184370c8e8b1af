"""Scorers with known faults are described as what they are."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

import numpy as np
import pytest

from tests.core.ring import simulated
from tests.core.ring.simulated import keyed, measuring
from truehue.core.analysis.paired import holm
from truehue.core.color.difference import delta_e00
from truehue.core.color.systems import parse_target
from truehue.core.ring.answers import NO, YES, RingAnswer, RingAnswers
from truehue.core.ring.bias import parts_of
from truehue.core.ring.calibration import calibration
from truehue.core.ring.comparison import compare
from truehue.core.ring.folder import RingKey, RingSet
from truehue.core.ring.plan import FALSE_KINDS, PROBE, RIGHT, make_plan
from truehue.core.ring.report import RingReport, score
from truehue.core.ring.shares import Share

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def made() -> tuple[RingSet, RingKey]:
    return keyed(1)


def test_a_planted_bias_is_named_with_its_color_and_side(made: tuple[RingSet, RingKey]) -> None:
    ring_set, key = made
    assert score(ring_set, key, measuring(key)).findings == ()
    biased = score(ring_set, key, measuring(key, simulated.too_light_in_blue))
    first = biased.findings[0]
    assert first.startswith("On blue objects (230 to 310°) it accepts colors that are ")
    assert "ΔE00 lighter" in first
    blue = next(entry for entry in biased.strata if (entry.by, entry.key) == ("hue", "blue"))
    shift = next(entry for entry in blue.shifts if entry.axis == "lightness").delta_e00
    assert shift.low is not None
    assert shift.value == pytest.approx(6.0, abs=1.0)
    assert shift.low > 4.0
    assert not any("red objects" in text or "green objects" in text for text in biased.findings)
    # A threshold that is 6 ΔE00 wider there is another fault, and is told apart.
    lenient = measuring(
        key, tolerance=lambda scene: 11.0 if parts_of(scene)["hue"] == "blue" else 5.0
    )
    report = score(ring_set, key, lenient)
    assert report.findings[0].startswith("On blue objects (230 to 310°) it tolerates ")
    assert "more than on the others" in report.findings[0]
    blue = next(entry for entry in report.strata if (entry.by, entry.key) == ("hue", "blue"))
    assert blue.difference is not None
    assert blue.difference.value == pytest.approx(6.0, abs=1.0)


def test_a_scorer_that_always_says_yes_is_shown_for_what_it_is(
    made: tuple[RingSet, RingKey],
) -> None:
    ring_set, key = made
    yes = RingAnswers("yes", "", dict.fromkeys(key.questions, RingAnswer(YES, 0.9)))
    report = score(ring_set, key, yes)
    assert (report.hits.percent, report.false_accepts.percent) == (100.0, 100.0)
    assert report.youden.value == 0.0
    assert set(report.kinds) == set(FALSE_KINDS)
    assert report.findings[0].startswith("It says yes to every question.")
    assert report.findings[-1].startswith("Its confidence is higher than its accuracy")
    # Half of the answers are missing: they are counted, and are no hits.
    half = dict(list(yes.answers.items())[::2])
    report = score(ring_set, key, replace(yes, answers=half))
    assert report.missing == len(key.questions) - len(half)
    assert report.hits.percent < 70.0


def test_a_fresh_seed_moves_no_rate_beyond_its_interval(made: tuple[RingSet, RingKey]) -> None:
    def rates(ring_set: RingSet, key: RingKey, seed: int) -> RingReport:
        noisy = measuring(key, lambda scene, lab: lab + 2.0 * (lab - scene.lab), seed=seed)
        return score(ring_set, key, noisy)

    first, second = rates(*made, 1), rates(*keyed(2), 2)
    assert 50.0 < first.hits.percent < 99.0
    assert apart(first.hits, second.hits) < 0.0
    assert apart(first.false_accepts, second.false_accepts) < 0.0
    for kind in FALSE_KINDS:
        assert apart(first.kinds[kind], second.kinds[kind]) < 0.0


def apart(a: Share, b: Share) -> float:
    """How far 0 lies outside of the interval of the difference (MOVER), negative inside."""
    if a.percent < b.percent:
        a, b = b, a
    return a.percent - b.percent - sqrt((a.percent - a.low) ** 2 + (b.high - b.percent) ** 2)


def test_confidence_that_fits_and_that_does_not(made: tuple[RingSet, RingKey]) -> None:
    ring_set, key = made
    rng = np.random.default_rng(0)

    def stated(accuracy: float, said: float) -> RingReport:
        answers = {}
        for question in key.questions.values():
            right = rng.random() < accuracy
            answers[question.id] = RingAnswer(
                YES if right == (question.answer == "yes") else NO, said
            )
        return score(ring_set, key, RingAnswers("coin", "", answers))

    fits = stated(0.8, 0.8).calibration
    assert fits is not None
    assert fits.error.value < fits.chance_error
    assert fits.brier.value == pytest.approx(0.16, abs=0.02)
    over = stated(0.7, 0.95)
    assert over.calibration is not None
    assert over.calibration.error.value == pytest.approx(0.25, abs=0.04)
    assert "higher than its accuracy" in over.findings[-1]


def test_answers_alike_about_an_image_are_no_miscalibration() -> None:
    """A calibrated scorer, asked everything twice, exceeds the limit in about 2.5 of 100 sets."""
    rng, beyond = np.random.default_rng(1), 0
    images = [f"{number // 2}" for number in range(240)]
    for _ in range(60):
        stated = np.repeat(rng.uniform(0.5, 1.0, 120), 2)
        right = np.repeat(rng.random(120), 2) < stated
        made = calibration(images, stated.tolist(), right.tolist())
        assert made is not None
        beyond += made.error.value > made.chance_error
    assert beyond <= 5


def test_two_scorers_are_compared_on_the_same_images(made: tuple[RingSet, RingKey]) -> None:
    _, key = made
    good, same = measuring(key, name="good"), measuring(key, name="same")
    bad = measuring(key, lambda scene, lab: lab + np.array((4.0, 0.0, 0.0)), name="bad")
    pairs = {(pair.a, pair.b, pair.on): pair for pair in compare(key, [good, same, bad])}
    assert pairs["good", "same", "hits"].p is None
    worse = pairs["good", "bad", "hits"]
    assert worse.better == "good"
    assert worse.only_a > worse.only_b == 0
    p_values, adjusted = [0.01, 0.04, 0.03, 0.005, np.nan], [0.03, 0.06, 0.06, 0.02, np.nan]
    assert holm(p_values) == pytest.approx(adjusted, nan_ok=True)


def test_probes_come_in_pairs_at_their_distance_and_questions_tell_no_answer() -> None:
    plan = make_plan(5, 24)
    scenes = {scene.image: scene for scene in plan.scenes}
    probes: dict[tuple[str, str, float], int] = {}
    for question in plan.questions:
        lab = parse_target(
            question.color, None if question.system == "hex" else question.system
        ).lab
        distance = float(delta_e00(np.array(lab), np.array(scenes[question.image].lab)))
        if question.kind == PROBE and not question.axis:
            assert (distance, question.answer) == (pytest.approx(0.0, abs=1e-9), "yes")
        elif question.kind == PROBE:
            assert question.answer == "no"
            assert distance == pytest.approx(abs(question.displacement), abs=1.0)
            key = question.image, question.axis, abs(question.displacement)
            probes[key] = probes.get(key, 0) + (1 if question.displacement > 0 else -1)
        elif question.kind == RIGHT:
            assert distance == pytest.approx(0.0, abs=1e-9)
        else:
            assert distance >= 10.0
        assert question.kind not in question.id + question.text
    assert probes
    assert not any(probes.values())
    assert make_plan(5, 24) == plan != make_plan(6, 24)
