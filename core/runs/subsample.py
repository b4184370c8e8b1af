"""Subsample the prompts of a set at equal distances; concepts stay complete families."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from truehue.core.prompts.prompt import Prompt
from truehue.core.runs.concepts import CONCEPT


def family_of(prompt: Prompt) -> Hashable:
    """What the prompts of one thing share, "a mango" and "a rotten mango", in every style; of its
    own for a prompt that names no concept."""
    if prompt.task == CONCEPT and prompt.concept:
        return prompt.source, prompt.category, prompt.concept
    return prompt.source, prompt.id


def subsample(prompts: Sequence[Prompt], limit: int) -> tuple[Prompt, ...]:
    """At most ``limit`` (1 or more) of ``prompts``, in their order.

    Sets go task by task, so that every task keeps its part. A concept with a modifier says little
    without the thing as such, so concepts are taken thing by thing: as many as fit, each with all
    its modifiers and styles. Where not one fits, it is the first that comes with modifiers, with as
    many of them as fit.
    """
    if limit >= len(prompts):
        return tuple(prompts)
    concepts = [index for index, prompt in enumerate(prompts) if prompt.task == CONCEPT]
    chosen: list[int] = []
    if concepts:
        # Rounded up: a few concepts among many colors are not lost.
        share = -(-limit * len(concepts) // len(prompts))
        chosen = _families(prompts, concepts, share)
    others = [index for index, prompt in enumerate(prompts) if prompt.task != CONCEPT]
    count = min(limit - len(chosen), len(others))
    chosen += [others[index * len(others) // count] for index in range(count)]
    return tuple(prompts[index] for index in sorted(chosen))


def _families(prompts: Sequence[Prompt], positions: Sequence[int], limit: int) -> list[int]:
    """The places of as many whole families as ``limit`` prompts hold."""
    by_family: dict[Hashable, list[int]] = {}
    for index in positions:
        by_family.setdefault(family_of(prompts[index]), []).append(index)
    families = list(by_family.values())
    sizes = np.array([len(family) for family in families])
    # About as many as fit on average; where to begin is what fills the limit best.
    for count in range(max(1, limit * len(families) // len(positions)), 0, -1):
        chosen = np.arange(count) * len(families) // count
        shifts = np.arange(len(families) // count)
        sums = sizes[chosen[:, None] + shifts].sum(axis=0)
        if (sums <= limit).any():
            shift = int(np.argmax(np.where(sums <= limit, sums, 0)))
            return [family for number in (chosen + shift).tolist() for family in families[number]]
    return _part(
        prompts, next((family for family in families if len(family) > limit), families[0]), limit
    )


def _part(prompts: Sequence[Prompt], family: Sequence[int], limit: int) -> list[int]:
    """The first of a family, the thing as such before its modifiers; both styles of each where
    ``limit`` holds them."""
    by_modifier: dict[str, list[int]] = {}
    for index in family:
        by_modifier.setdefault(prompts[index].modifier, []).append(index)
    positions: list[int] = []
    for group in by_modifier.values():
        if len(positions) + len(group) > limit:
            return positions or group[:limit]
        positions += group
    return positions
