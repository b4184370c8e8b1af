"""At which side each candidate stands: drawn, and even for stimuli, models and participants."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import permutations

import numpy as np

from truehue.annotation.studies.cases import Stimulus

Orders = Mapping[tuple[str, tuple[str, ...]], int]
"""How often a stimulus, by id, was shown in an order of its models."""


def ordered(
    stimuli: Iterable[Stimulus], served: Orders, rng: np.random.Generator
) -> tuple[tuple[str, ...], ...]:
    """An order of its models for each stimulus.

    The order is one in which the stimulus was ``served`` least; among those one after which every
    model of this participant has stood at every place as evenly as can be (least sum of squares);
    among those it is drawn.
    """
    counter: Counter[tuple[str, int]] = Counter()
    orders: list[tuple[str, ...]] = []
    for stimulus in stimuli:
        options = list(permutations(stimulus.models))
        keys = [
            (
                served.get((stimulus.id, option), 0),
                sum(2 * counter[model, index] + 1 for index, model in enumerate(option)),
            )
            for option in options
        ]
        best = min(keys)
        equals = [option for option, key in zip(options, keys, strict=True) if key == best]
        order = equals[int(rng.integers(len(equals)))]
        counter.update((model, index) for index, model in enumerate(order))
        orders.append(order)
    return tuple(orders)
