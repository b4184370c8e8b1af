"""How hard prompts are: a Rasch model with random effects of task, system, color and object.

The logit of a pass is the model's ability, plus the model's own strength in the task, plus the
easiness of the prompt: effects of its features, and of itself where stored runs have shown it.
Source: Rasch (1960); De Boeck and Wilson, Explanatory Item Response Models (2004), chapter 6.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

_ABILITY, _EFFECT, _OWN = 0.1, 2.0, 1.0
"""Precisions of the normal priors: of abilities, of effects of features, and of each prompt."""
_SWEEPS, _SMALL = 15, 0.005
_LEAST = 0.03
"""No pass is expected with less than this, or with more than one minus this."""


@dataclass(frozen=True)
class Answers:
    """Passes of images: ``models``, ``units`` (the prompts' places) and ``correct`` (0 or 1), each
    ``(n,)``."""

    models: np.ndarray
    units: np.ndarray
    correct: np.ndarray


def easiness(answers: Answers, features: np.ndarray) -> np.ndarray:
    """The easiness of every prompt in logits, float64 ``(N,)``, from stored runs.

    ``features`` int64 ``(N, F)`` are codes from 0, the task first. A prompt that no run has shown
    goes by its features alone, and without any answer all are 0.
    """
    out = np.zeros(len(features))
    if not len(answers.units):
        return out
    levels = [answers.models, *features[answers.units].T, answers.units]
    sizes = [int(answers.models.max()) + 1, *_sizes(features), len(features)]
    precisions = [_ABILITY, *[_EFFECT] * features.shape[1], _OWN]
    _, *effects, own = _fit(levels, sizes, precisions, answers.correct, np.zeros(len(levels[0])))
    return out + _sum(effects, features) + own


def expected_passes(
    answers: Answers, features: np.ndarray, models: int, base: np.ndarray
) -> np.ndarray:
    """The expected share of passes of each model on each prompt, float64 ``(models, N)``.

    ``base`` is the easiness that is known before, ``(N,)``; what ``answers`` say moves it.
    """
    tasks = features[:, 0]
    count = int(tasks.max()) + 1
    levels = [
        answers.models,
        answers.models * count + tasks[answers.units],
        *features[answers.units].T,
    ]
    sizes = [models, models * count, *_sizes(features)]
    precisions = [_ABILITY, *[_EFFECT] * (len(sizes) - 1)]
    ability, in_task, *effects = _fit(
        levels, sizes, precisions, answers.correct, base[answers.units]
    )
    logits = (base + _sum(effects, features))[None, :] + ability[:, None]
    logits = logits + in_task.reshape(models, count)[:, tasks]
    return np.asarray(np.clip(_share(logits), _LEAST, 1.0 - _LEAST))


def _share(logits: np.ndarray) -> np.ndarray:
    """The logistic function."""
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(logits, -30.0, 30.0))))


def _sizes(features: np.ndarray) -> list[int]:
    return [int(top) + 1 for top in features.max(axis=0)]


def _sum(effects: Sequence[np.ndarray], features: np.ndarray) -> np.ndarray:
    total = np.zeros(len(features))
    for effect, codes in zip(effects, features.T, strict=True):
        total += effect[codes]
    return total


def _fit(
    levels: Sequence[np.ndarray],
    sizes: Sequence[int],
    precisions: Sequence[float],
    correct: np.ndarray,
    offset: np.ndarray,
) -> list[np.ndarray]:
    """The effects of each factor's levels, by Newton's steps over one factor after the other."""
    effects = [np.zeros(size) for size in sizes]
    logits = np.array(offset, dtype=np.float64)
    for _ in range(_SWEEPS):
        largest = 0.0
        for codes, size, precision, effect in zip(levels, sizes, precisions, effects, strict=True):
            share = _share(logits)
            slope = np.bincount(codes, correct - share, size) - precision * effect
            curve = np.bincount(codes, share * (1.0 - share), size) + precision
            step = np.clip(slope / curve, -2.0, 2.0)
            effect += step
            logits += step[codes]
            largest = max(largest, float(np.abs(step).max()))
        if largest < _SMALL:
            break
    return effects
