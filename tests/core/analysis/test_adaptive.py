"""The adaptive order of models: unbiased whatever is guessed, and rarely wrong at any look."""

from __future__ import annotations

import numpy as np
import pytest

from truehue.core.analysis.adaptive import AdaptiveOrder, features_of
from truehue.core.analysis.difficulty import Answers, easiness
from truehue.core.analysis.sequential import FLOOR, OrderTest, Sample, chances
from truehue.core.color.systems import parse_target
from truehue.core.prompts.prompt import ObjectTarget, Prompt

IMAGES = 1_500


def planted(seed: int) -> np.ndarray:
    """Passes of two models of equal accuracy, to the last image, and of one 20 points better; hard
    and easy images by their place."""
    chance = np.random.default_rng(seed)
    share = np.linspace(0.1, 0.7, IMAGES)
    passes = chance.random((3, IMAGES)) < np.stack([share, share, share + 0.2])
    excess = int(passes[0].sum()) - int(passes[1].sum())
    fewer = 1 if excess > 0 else 0
    passes[fewer, np.flatnonzero(~passes[fewer])[: abs(excess)]] = True
    return passes


def features() -> np.ndarray:
    """One task, and ten levels of a feature that goes with the difficulty."""
    levels = np.arange(IMAGES) * 10 // IMAGES
    return np.stack([np.zeros(IMAGES, dtype=np.int64), levels], axis=1)


def test_draws_are_unbiased_whatever_was_guessed() -> None:
    passes = planted(0).astype(float)
    wrong_way = 1.0 - np.stack([np.linspace(0.1, 0.9, IMAGES)] * 3)
    chance = chances(wrong_way, [1, 1, 1])
    every = Sample(
        np.arange(IMAGES),
        1.0 / (IMAGES * chance),
        np.arange(3),
        wrong_way,
        wrong_way.mean(axis=1),
        1.0 / FLOOR,
        1.0,
    )
    # The expectation over all that may be drawn.
    assert (every.values(passes) * chance).sum(axis=1) == pytest.approx(passes.mean(axis=1))


def test_chances_have_a_floor_and_prefer_what_is_unknown() -> None:
    chance = chances(np.array([[0.5, 0.03, 0.97, 0.5]]), [1])
    assert chance.sum() == pytest.approx(1.0)
    assert chance[0] == chance[3] > 2 * chance[1] == pytest.approx(2 * chance[2])
    assert (chance >= FLOOR / 4).all()


def test_equal_models_are_rarely_told_apart_at_any_look_and_better_ones_are_found() -> None:
    wrong, held, found = 0, [], 0
    for seed in range(25):
        passes = planted(seed)
        truth = passes.mean(axis=1)
        order, errs = AdaptiveOrder(features(), 3, np.zeros(IMAGES), seed=seed), False
        covers = np.ones(3, dtype=bool)
        while order.draws < 900:
            sample = order.choose(order.round_size(900 - order.draws))
            order.add(sample, passes[np.ix_(sample.models, sample.positions)])
            better = order.test.better()
            errs |= bool(better[:2, :2].any() or better[:2, 2].any())
            low, high = order.test.intervals().T
            covers &= (low <= truth) & (truth <= high)
        wrong += errs
        held.append(covers.mean())
        found += int(better[2, :2].all())
    # By chance over 5 of 25 with a probability below 0.1% if each errs with 5%.
    assert wrong <= 5
    assert np.mean(held) >= 0.95
    assert found == 25


def test_a_decided_model_is_not_drawn_any_more() -> None:
    passes = np.zeros((3, IMAGES))
    passes[2] = 1.0
    passes[0, ::2] = passes[1, 1::2] = 1.0
    order = AdaptiveOrder(features(), 3, np.zeros(IMAGES))
    while order.open_pairs()[2] and order.draws < IMAGES / 2:
        sample = order.choose(order.round_size(1_000))
        order.add(sample, passes[np.ix_(sample.models, sample.positions)])
    assert order.choose(10).models.tolist() == [0, 1]
    assert order.test.better().tolist() == [[False] * 3, [False] * 3, [True, True, False]]
    # The same rounds give the same next draws.
    again = AdaptiveOrder(features(), 3, np.zeros(IMAGES))
    for sample in order.samples:
        again.add(sample, passes[np.ix_(sample.models, sample.positions)])
    assert np.array_equal(again.choose(50).positions, order.choose(50).positions)


def test_without_draws_nothing_is_said() -> None:
    test = OrderTest(2)
    assert not test.better().any()
    assert np.isnan(test.accuracy()).all()
    assert test.intervals().tolist() == [[0.0, 1.0], [0.0, 1.0]]


def test_easiness_is_learned_from_runs_and_goes_by_features_where_there_is_none() -> None:
    passes = planted(3).astype(float)
    shown = np.flatnonzero(np.arange(IMAGES) % 3 > 0)
    models, units = np.repeat(np.arange(2), len(shown)), np.tile(shown, 2)
    base = easiness(Answers(models, units, passes[:2, shown].ravel()), features())
    hidden = np.setdiff1d(np.arange(IMAGES), shown)
    assert np.corrcoef(base[hidden], hidden)[0, 1] > 0.9
    both, neither = (passes[:2, shown].sum(axis=0) == count for count in (2, 0))
    assert base[shown][both].mean() > base[shown][neither].mean() + 1.0


def test_features_are_task_system_color_and_object() -> None:
    def prompt(task: str, color: str, name: str) -> Prompt:
        target = parse_target(color)
        return Prompt(name, name, task, (ObjectTarget(name, target),), target.system or "")

    codes = features_of(
        [
            prompt("cna", "css:crimson", "mug"),
            prompt("cna", "l2:Red", "mug"),
            prompt("ncu", "l2:Blue", "car"),
            Prompt("x", "x", "free"),
        ]
    )
    assert codes[0, 0] == codes[1, 0] != codes[2, 0]
    assert codes[0, 1] != codes[1, 1] == codes[2, 1]
    assert codes[0, 2] == codes[1, 2] != codes[2, 2] != codes[3, 2]
    assert codes[0, 3] == codes[1, 3] != codes[2, 3]
