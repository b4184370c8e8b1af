"""``python -m tests.bench.adaptive``: the order of 20 simulated models from 3% of the images.

The images are those of GenColorBench's 44,464 prompts, four each as in the paper. A pass follows a
logistic model with effects of task, system, color and object, of the prompt itself, and of each
model's strength in the task. Three claims, and exit status 1 where one does not hold:

- Kendall's tau between the estimated order and that of the whole set, mean over the repetitions, is
  0.95 or more from 3% of the images. Beside it stands that of as many images drawn evenly, the same
  for all models; and both from 1%, and from 3% of one image a prompt.
- With pairs of models of equal accuracy to the last image, a wrong "better than" is said in at most
  5% of the comparisons, looked at after every round.
- Intervals hold the accuracy of the whole set at all looks together in 95% of the cases or more.

Before that, tests.bench.adaptive_stored replays the rounds on verdicts of stored runs, for which the
last two claims must hold as well. Their tau is printed; several hundred prompts are too few for 3%.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable

import numpy as np
from scipy.special import expit
from scipy.stats import binomtest, kendalltau

from truehue.core.analysis.adaptive import AdaptiveOrder, features_of
from truehue.core.analysis.difficulty import Answers, easiness
from truehue.core.prompts.sets import prompt_set

MODELS, STORED, MIN_TAU = 20, 3, 0.95
SPREAD = 0.8
"""The standard deviation of abilities in logits: accuracies of about 20 to 80%."""
FEATURES, PROMPT, IN_TASK = (0.7, 0.5, 0.8, 0.8), 1.0, 0.3
"""Standard deviations in logits: of task, system, color and object, of a prompt, of a model in a
task."""


def simulate(
    features: np.ndarray, models: int, images: int, chance: np.random.Generator
) -> np.ndarray:
    """Passes of every model on every image, bool ``(models, N * images)``."""
    logits = chance.normal(0, PROMPT, len(features))
    for codes, spread in zip(features.T, FEATURES, strict=True):
        logits += chance.normal(0, spread, int(codes.max()) + 1)[codes]
    tasks = features[:, 0]
    in_task = chance.normal(0, IN_TASK, (models, int(tasks.max()) + 1))[:, tasks]
    abilities = chance.normal(0, SPREAD, models)[:, None]
    chances = expit(logits - logits.mean() + abilities + in_task).astype(np.float32)
    chances = np.repeat(chances, images, axis=1)
    return np.asarray(chance.random(chances.shape, dtype=np.float32) < chances)


def learned(features: np.ndarray, passes: np.ndarray) -> np.ndarray:
    """The easiness by whole stored runs."""
    runs, count = passes.shape
    units = np.tile(np.arange(count) * len(features) // count, runs)
    models = np.repeat(np.arange(runs), count)
    return easiness(Answers(models, units, passes.ravel().astype(float)), features)


def equal_pairs(passes: np.ndarray, pairs: int, chance: np.random.Generator) -> np.ndarray:
    """The same, where the first ``pairs`` pairs have equal accuracies, to the last image."""
    passes = passes.copy()
    for first in range(0, 2 * pairs, 2):
        excess = int(passes[first].sum()) - int(passes[first + 1].sum())
        fewer = first + 1 if excess > 0 else first
        more = chance.choice(np.flatnonzero(~passes[fewer]), abs(excess), replace=False)
        passes[fewer, more] = True
    return passes


def play(
    features: np.ndarray, passes: np.ndarray, base: np.ndarray, share: float, seed: int
) -> tuple[AdaptiveOrder, int, bool, np.ndarray]:
    """Rounds until so large a share of the images is used. Returns the order, the images, whether a
    wrong "better" was said after any round, and which intervals held after all rounds."""
    images = passes.shape[1] // len(features)
    adaptive = AdaptiveOrder(features, len(passes), base, images, seed)
    truth = passes.mean(axis=1)
    seen = np.zeros(passes.shape, dtype=bool)
    budget, wrong, held = int(share * passes.size), False, np.ones(len(passes), dtype=bool)
    while open_models := int(np.count_nonzero(adaptive.open_pairs())):
        size = adaptive.round_size((budget - int(seen.sum())) // open_models)
        if not size:
            break
        sample = adaptive.choose(size)
        adaptive.add(sample, passes[np.ix_(sample.models, sample.positions)])
        seen[np.ix_(sample.models, sample.positions)] = True
        better = adaptive.test.better()
        wrong |= bool((better & (truth[:, None] <= truth[None, :])).any())
        low, high = adaptive.test.intervals().T
        held &= (low <= truth) & (truth <= high)
    return adaptive, int(seen.sum()), wrong, held


def measure_order(
    features: np.ndarray, repetitions: int, stored: int, images: int, share: float
) -> tuple[float, float]:
    """Prints and returns the mean tau, and the share of intervals that held."""
    rows, covered = [], []
    for seed in range(repetitions):
        chance = np.random.default_rng([seed, stored])
        every = simulate(features, MODELS + stored, images, chance)
        passes, earlier = every[:MODELS], every[MODELS:]
        base = learned(features, earlier) if stored else np.zeros(len(features))
        adaptive, count, _, held = play(features, passes, base, share, seed)
        truth = passes.mean(axis=1)
        evenly = [
            kendalltau(
                passes[:, chance.integers(0, passes.shape[1], count // MODELS)].mean(axis=1), truth
            )[0]
            for _ in range(10)
        ]
        decided = adaptive.test.better().sum() / (MODELS * (MODELS - 1) // 2)
        tau = kendalltau(adaptive.test.accuracy(), truth)[0]
        rows.append((tau, np.mean(evenly), decided, count / passes.size))
        covered.append(held.mean())
    tau, even, decided, used = np.mean(rows, axis=0)
    print(
        f"{images} images a prompt, {stored} earlier runs: tau {tau:.3f} (least "
        f"{min(row[0] for row in rows):.3f}) from {used:.2%}; drawn evenly {even:.3f}; {decided:.0%} "
        f"of the pairs decided; intervals held {np.mean(covered):.1%}",
        flush=True,
    )
    return float(tau), float(np.mean(covered))


def measure_stop(features: np.ndarray, repetitions: int, models: int) -> None:
    """Prints how many images it takes until all pairs of a few models are decided."""
    used, done = [], 0
    for seed in range(repetitions):
        passes = simulate(features, models, 4, np.random.default_rng([seed, 5]))
        adaptive, count, _, _ = play(features, passes, np.zeros(len(features)), 0.03, seed)
        done += not adaptive.open_pairs().any()
        used.append(count / passes.size)
    print(
        f"{models} models: all pairs decided within 3% of the images in {done} of {repetitions} "
        f"comparisons, from {np.median(used):.2%} of the images (median)",
        flush=True,
    )


def measure_errors(
    features: np.ndarray, repetitions: int, share: float, simulated: Callable[[int], np.ndarray]
) -> tuple[int, float]:
    """Prints and returns in how many comparisons a wrong "better" was said at any look, and the share
    of intervals that held. ``simulated`` gives the passes of six models in three equal pairs for a
    seed, bool ``(6, N * images)``; ``share`` of the images are used at most."""
    wrong, covered = 0, []
    for seed in range(repetitions):
        _, _, is_wrong, held = play(features, simulated(seed), np.zeros(len(features)), share, seed)
        wrong += is_wrong
        covered.append(held.mean())
    low, high = binomtest(wrong, repetitions).proportion_ci(method="wilson")
    print(
        f'three equal pairs: a wrong "better" in {wrong} of {repetitions} comparisons '
        f"({low:.1%} to {high:.1%}); intervals held {np.mean(covered):.1%}",
        flush=True,
    )
    return wrong, float(np.mean(covered))


def three_equal_pairs(features: np.ndarray, seed: int) -> np.ndarray:
    """Passes of six simulated models, each two of equal accuracy."""
    chance = np.random.default_rng([seed, 77])
    return equal_pairs(simulate(features, 6, 1, chance), 3, chance)


def main(arguments: list[str] | None = None) -> int:
    """Measures, and returns 1 where a claim does not hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--orders", type=int, default=10, help="repetitions with 20 models")
    parser.add_argument("--stored", type=int, default=300, help="prompts of each stored run")
    parser.add_argument("--errors", type=int, default=200, help="repetitions with equal pairs")
    options = parser.parse_args(arguments)
    began = time.process_time()
    # Imports this module.
    from tests.bench.adaptive_stored import measure_stored

    stored_is_sound = measure_stored(options.stored, 2 * options.orders, options.errors)
    features = features_of(prompt_set("gencolorbench").prompts())
    results = [measure_order(features, options.orders, stored, 4, 0.03) for stored in (0, STORED)]
    measure_order(features, options.orders, 0, 4, 0.01)
    measure_order(features, options.orders, 0, 1, 0.03)
    for models in (3, 5):
        measure_stop(features, options.orders, models)
    eighth = features[::8]
    wrong, held = measure_errors(
        eighth, options.errors, 0.2, lambda seed: three_equal_pairs(eighth, seed)
    )
    print(f"{time.process_time() - began:.0f} s of processor time")
    sound = (
        stored_is_sound
        and wrong <= 0.05 * options.errors
        and min(held, *(row[1] for row in results)) >= 0.95
    )
    return 0 if sound and min(row[0] for row in results) >= MIN_TAU else 1


if __name__ == "__main__":
    sys.exit(main())
