"""Adaptive rounds replayed on stored runs: models that are the renderer with planted mixes of failures.

Each failure of the renderer is a run of its own over the same prompts, executed and scored like any
other; its rows are read from its folder. A model then fails on a planted share of the prompts, each
in one planted way: its image of a prompt is that of the run with this failure, as the renderer would
have made it. What is replayed are these stored verdicts. Nothing of them is simulated.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy.stats import kendalltau

from tests.bench.adaptive import MIN_TAU, measure_errors, play
from tests.core.runs.samples import OBJECTS, done, planned
from truehue.core.analysis.adaptive import features_of
from truehue.core.prompts.prompt import Prompt
from truehue.core.prompts.sets import prompt_set
from truehue.core.runs.adaptive import results_of
from truehue.core.runs.folder import RunFolder

RULE = "truehue"
FAILURES = ("ignored", "too-vivid", "leaked", "swapped", "one-missing")
SCENES, MODELS = 20, 10
WORST = 0.9
"""The worst model fails on this share of the prompts, the best on none."""
FAVORITE = 0.6
"""Of a model's failures, the share that is of one kind; the others share the rest."""
LARGE = 44_464
"""The prompts of GenColorBench."""


SEVERAL = 0.4
"""Of the prompts, the share with several objects: only these can be swapped, or lack one."""


def spread_prompts(count: int) -> list[Prompt]:
    """Prompts of GenColorBench in few scenes, evenly spread over their tasks and colors: the same
    scene in other colors takes the renderer a hundredth of the time."""
    every = prompt_set("gencolorbench").prompts()
    single = [p for p in every if p.task in ("cna", "ncu") and p.targets[0].name in OBJECTS]
    scenes: dict[tuple[str, ...], list[Prompt]] = {}
    for prompt in every:
        if prompt.task in ("coa", "moc", "ica"):
            scenes.setdefault(tuple(target.name for target in prompt.targets), []).append(prompt)
    few = list(scenes.values())[:: len(scenes) // SCENES]
    several = [prompt for scene in few for prompt in scene]
    return [
        prompts[index * len(prompts) // size]
        for prompts, size in (
            (single, count - round(SEVERAL * count)),
            (several, round(SEVERAL * count)),
        )
        for index in range(size)
    ]


def stored_passes(prompts: list[Prompt], root: Path) -> dict[str, np.ndarray]:
    """Passes of the run of each failure, bool ``(N,)``, from its stored rows."""
    passes = {}
    for failure in ("none", *FAILURES):
        plan = planned(
            prompts,
            images=1,
            size_px=64,
            options={"failure": failure, "light": "overcast"},
            rules=(RULE,),
            keep_images="none",
            name=failure,
        )
        folder = RunFolder.create(root, plan)
        state = done(folder)
        assert (state.status, state.failed) == ("finished", 0)
        passes[failure] = results_of(folder, plan.rules[0])[0] == 1.0
    return passes


def mixed_models(passes: dict[str, np.ndarray], models: int) -> np.ndarray:
    """Passes of models with planted mixes, bool ``(models, N)``, the best first."""
    chance = np.random.default_rng(34)
    count = len(passes["none"])
    rows = []
    for model in range(models):
        weights = np.full(len(FAILURES), (1.0 - FAVORITE) / (len(FAILURES) - 1))
        weights[model % len(FAILURES)] = FAVORITE
        kinds = chance.choice(len(FAILURES), count, p=weights)
        fails = chance.random(count) < WORST * model / (models - 1)
        failed = np.stack([passes[failure] for failure in FAILURES])[kinds, np.arange(count)]
        rows.append(np.where(fails, failed, passes["none"]))
    return np.array(rows)


def equal_models(passes: np.ndarray, tasks: np.ndarray, chance: np.random.Generator) -> np.ndarray:
    """Each model beside one of the same accuracy, to the last image: its verdicts dealt out anew to
    the prompts of the same task."""
    dealt = passes.copy()
    for row in dealt:
        for task in np.unique(tasks):
            own = np.flatnonzero(tasks == task)
            row[own] = row[chance.permutation(own)]
    return np.concatenate([passes, dealt])


def measure_order(
    features: np.ndarray, passes: np.ndarray, sizes: Sequence[int], repetitions: int
) -> float:
    """Prints tau after at most so many images of each model; returns the share of intervals that
    held."""
    truth, total = passes.mean(axis=1), passes.shape[1]
    pairs = len(passes) * (len(passes) - 1) / 2
    covered = []
    for size in sizes:
        taus, used, decided, wrong = [], [], [], 0
        for seed in range(repetitions):
            adaptive, images, is_wrong, held = play(
                features, passes, np.zeros(len(features)), size / total, seed
            )
            taus.append(kendalltau(adaptive.test.accuracy(), truth)[0])
            used.append(images / len(passes))
            decided.append(adaptive.test.better().sum() / pairs)
            covered.append(held.mean())
            wrong += is_wrong
        enough = f", {MIN_TAU} reached" if np.mean(taus) >= MIN_TAU else ""
        print(
            f"  {size / total:.1%}: {np.mean(used):,.0f} images of each model, tau {np.mean(taus):.3f} "
            f"(least {min(taus):.3f}){enough}; {np.mean(decided):.0%} of the pairs decided; a wrong "
            f'"better" in {wrong} of {repetitions}',
            flush=True,
        )
    return float(np.mean(covered))


def three_equal_pairs(features: np.ndarray, passes: np.ndarray, seed: int) -> np.ndarray:
    """Passes of three of the models, each beside an equal one."""
    chance = np.random.default_rng([seed, 78])
    three = passes[np.sort(chance.choice(len(passes), 3, replace=False))]
    return equal_models(three, features[:, 0], chance)


def measure_stored(count: int, orders: int, errors: int) -> bool:
    """Runs, replays and prints; whether wrong orders are rare and intervals hold."""
    prompts = spread_prompts(count)
    features = features_of(prompts)
    with tempfile.TemporaryDirectory(prefix="truehue-adaptive-") as root:
        stored = stored_passes(prompts, Path(root))
    rates = ", ".join(f"{name} {passes.mean():.0%}" for name, passes in stored.items())
    print(f"stored runs of {count:,} prompts pass: {rates}", flush=True)
    return replay(features, mixed_models(stored, MODELS), orders, errors)


def replay(features: np.ndarray, passes: np.ndarray, orders: int, errors: int) -> bool:
    """The replays of stored verdicts, bool ``(models, N)``."""
    count = len(features)
    shares = ", ".join(f"{share:.1%}" for share in np.sort(passes.mean(axis=1)))
    print(f"{len(passes)} models with planted mixes pass {shares}", flush=True)
    sizes = [round(share * count) for share in (0.03, 0.1, 0.3, 1.0)]
    held = [measure_order(features, passes, sizes, orders)]
    times = LARGE // count
    print(f"each stored verdict {times} times, as a set of {times * count:,} prompts", flush=True)
    large = np.repeat(features, times, axis=0), np.repeat(passes, times, axis=1)
    sizes = [round(share * times * count) for share in (0.003, 0.01, 0.03, 0.1)]
    held.append(measure_order(*large, sizes, orders))
    wrong, held_of_equal = measure_errors(
        features, errors, 1.0, lambda seed: three_equal_pairs(features, passes, seed)
    )
    print(f"intervals held {min(*held, held_of_equal):.1%} or more", flush=True)
    return wrong <= 0.05 * errors and min(*held, held_of_equal) >= 0.95
