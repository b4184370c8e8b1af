"""Fewer prompts of a set: concepts come thing by thing, others one by one."""

from __future__ import annotations

from collections import Counter

import pytest

from truehue.core.prompts.concepts import build_concepts
from truehue.core.prompts.prompt import Prompt
from truehue.core.prompts.sets import prompt_set
from truehue.core.runs.subsample import family_of, subsample

pytestmark = pytest.mark.slow


def _whole(some: tuple[Prompt, ...], every: tuple[Prompt, ...]) -> bool:
    """Whether all prompts of each thing are there."""
    local, there = (Counter(family_of(prompt) for prompt in prompts) for prompts in (some, every))
    return all(count == there[family] for family, count in local.items())


@pytest.mark.parametrize("limit", [10, 50, 100, 200, 1_000, 2_500])
def test_concepts_come_as_whole_families(limit: int) -> None:
    every = build_concepts()
    some = subsample(every, limit)
    assert 0.8 * limit <= len(some) <= limit
    assert _whole(some, every)
    positions = [every.index(prompt) for prompt in some]
    assert positions == sorted(positions)
    # Whatever has a modifier has its base, in each of its styles: Modifiers has something to say.
    bases = {(prompt.concept, prompt.style) for prompt in some if not prompt.modifier}
    assert {(prompt.concept, prompt.style) for prompt in some if prompt.modifier} <= bases
    assert Counter(prompt.style for prompt in some).most_common()[0][1] * 2 == len(some)


def test_they_are_taken_from_the_whole_set() -> None:
    every = build_concepts()
    positions = [every.index(prompt) for prompt in subsample(every, 200)]
    parts = Counter(index * 4 // len(every) for index in positions)
    assert set(parts) == {0, 1, 2, 3}


def test_where_no_family_fits_a_part_of_one_does() -> None:
    apple = tuple(prompt for prompt in build_concepts() if prompt.concept == "apple")
    assert len(apple) > 8
    some = subsample(apple, 7)
    assert some == apple[:6]
    assert [item.modifier for item in some[:2]] == ["", ""]
    assert {item.style for item in some[:2]} == {item.style for item in apple}
    assert subsample(apple, 1) == apple[:1]
    assert subsample(apple, len(apple)) == apple


def test_colors_and_concepts_keep_their_parts() -> None:
    concepts, colors = build_concepts(), prompt_set("mini").prompts()
    every = (*colors, *concepts)
    some = subsample(every, 300)
    assert len(some) == 300
    share = 300 * len(concepts) / len(every)
    of_concepts = tuple(prompt for prompt in some if prompt.task == "concept")
    assert share - 30 < len(of_concepts) <= share + 1
    assert _whole(of_concepts, concepts)
    # Without concepts: single prompts at equal distances.
    assert subsample(colors, 7) == tuple(colors[index * len(colors) // 7] for index in range(7))
