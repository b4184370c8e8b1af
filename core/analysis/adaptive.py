"""Which images next: the draws that tell most of the order of models, round by round."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from truehue.core.analysis.difficulty import Answers, expected_passes
from truehue.core.analysis.names import nearest_l2
from truehue.core.analysis.sequential import OrderTest, Sample, chances
from truehue.core.prompts.prompt import Prompt

FIRST_ROUND, GROWTH = 64, 0.25
"""Draws of the first round; a later one adds this share of all before, or as many as the first."""


def features_of(prompts: Sequence[Prompt]) -> np.ndarray:
    """Codes of task, color system, ISCC-NBS level 2 name of the first color, and first object of
    each prompt, int64 ``(N, 4)``."""
    labs = [
        next((target.color.lab for target in prompt.targets if target.color), None)
        for prompt in prompts
    ]
    colors = dict.fromkeys(lab for lab in labs if lab is not None)
    named = dict(zip(colors, nearest_l2(np.array(list(colors))).tolist(), strict=True))
    columns = (
        [prompt.task for prompt in prompts],
        [prompt.system for prompt in prompts],
        [-1 if lab is None else named[lab] for lab in labs],
        [prompt.targets[0].name if prompt.targets else prompt.concept for prompt in prompts],
    )
    return np.stack([np.unique(column, return_inverse=True)[1] for column in columns], axis=1)


class AdaptiveOrder:
    """The rounds of ``models`` models over prompts with these ``features``, int64 ``(N, F)``.

    ``base`` is the easiness of each prompt in logits that earlier runs have shown, ``(N,)``. Each
    prompt has ``images`` images; the position of an image is ``prompt * images + image``, as in a
    run. A model whose pairs are all decided is not drawn any more.
    """

    def __init__(
        self, features: np.ndarray, models: int, base: np.ndarray, images: int = 1, seed: int = 0
    ) -> None:
        self.test = OrderTest(models)
        self.samples: list[Sample] = []
        self._images = images
        self._features, self._models, self._base, self._seed = features, models, base, seed
        self._answers: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []

    @property
    def draws(self) -> int:
        """All draws until now; an image may be drawn twice."""
        return sum(len(sample.positions) for sample in self.samples)

    def open_pairs(self) -> np.ndarray:
        """In how many undecided pairs each model is, int64 ``(models,)``."""
        better = self.test.better()
        return np.asarray(self._models - 1 - better.sum(axis=0) - better.sum(axis=1))

    def round_size(self, most: int) -> int:
        """The draws of the next round, at most so many; 0 where as many images were drawn as there
        are: then the whole set costs no more."""
        left = len(self._features) * self._images - self.draws
        return max(min(max(FIRST_ROUND, int(GROWTH * self.draws)), most, left), 0)

    def choose(self, size: int) -> Sample:
        """The next round's draws, the same ones for all models that are in an open pair. The same
        seed and answers give the same draws."""
        left = self.open_pairs()
        models = np.flatnonzero(left)
        expected = self._expected()[models]
        chance = chances(expected, left[models])
        generator = np.random.default_rng([self._seed, len(self.samples)])
        prompts = generator.choice(len(chance), size, p=chance)
        weights = 1.0 / (len(chance) * chance)
        return Sample(
            prompts * self._images + generator.integers(0, self._images, size),
            weights[prompts],
            models,
            expected[:, prompts],
            expected.mean(axis=1),
            float(weights.max()),
            float((expected.max(axis=0) - expected.min(axis=0)).max()),
        )

    def add(self, sample: Sample, correct: np.ndarray) -> None:
        """Takes up a round: ``correct`` 0 or 1, ``(k, m)``, of the sample's models and draws."""
        self.test.add(sample, correct)
        self.samples.append(sample)
        count = len(sample.positions)
        self._answers.append(
            (
                np.repeat(sample.models, count),
                np.tile(sample.positions // self._images, len(sample.models)),
                np.asarray(correct, dtype=np.float64).ravel(),
            )
        )

    def _expected(self) -> np.ndarray:
        nothing = (np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))
        answers = Answers(
            *(np.concatenate(part) for part in zip(nothing, *self._answers, strict=True))
        )
        return expected_passes(answers, self._features, self._models, self._base)
