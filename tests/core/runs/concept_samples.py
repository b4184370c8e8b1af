"""Small plans of concepts, drawn by the renderer."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tests.core.runs.samples import planned
from truehue.core.prompts.concepts import build_concepts
from truehue.core.prompts.prompt import Prompt
from truehue.core.runs.records import RunPlan


def concept_prompts(terms: Iterable[str] = ("apple", "banana")) -> list[Prompt]:
    """The prompts of some base concepts with their first modifiers, in both styles."""
    wanted = set(terms)
    result = [prompt for prompt in build_concepts() if prompt.concept in wanted]
    first: dict[tuple[str, str], int] = {}
    out = []
    for item in result:
        key = item.concept, item.style
        if first.setdefault(key, 0) < 3:
            first[key] += 1
            out.append(item)
    return out


def concept_plan(prompts: Iterable[Prompt] | None = None, **more: Any) -> RunPlan:
    """A run of the renderer at its smallest size; two seeds at three guidance scales."""
    values = {"images": 2, "guidances": (3.0, 5.0, 9.0), "size_px": 64, "set_name": "concepts"}
    return planned(prompts or concept_prompts(), **{**values, **more})
