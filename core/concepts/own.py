"""Concepts of one's own: base, modifier and kind as an imported set of prompts has them.

Their ids hold all that is known of them, so that no list of them is needed: ``own:`` and four parts
in percent-encoding, kind, category, base and modifier, such as
``own:visual%20state:food:injera:fresh``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import TypeVar
from urllib.parse import quote, unquote

from truehue.core.prompts.concepts import STYLES, Concept
from truehue.core.prompts.prompt import Prompt

Value = TypeVar("Value")
PREFIX = "own:"
BASE, VISUAL_STATE = "base", "visual state"
MODIFIED = (VISUAL_STATE, "emotional")
OWN_STYLE = "own"
"""The style of a prompt that is neither a natural photo nor a clip-art cartoon."""


def own_id(prompt: Prompt) -> str:
    """The id of the concept that a prompt of one's own names; empty where it names none. A modifier
    whose kind is none of the paper's two counts as a visual state."""
    base, modifier = prompt.concept.strip(), prompt.modifier.strip()
    if not base:
        return ""
    named = prompt.modifier_kind.strip().casefold()
    kind = (named if named in MODIFIED else VISUAL_STATE) if modifier else BASE
    return _id(kind, prompt.category.strip(), base, modifier)


def own_style(prompt: Prompt) -> str:
    """``photo`` or ``cartoon`` where the prompt's style is ColorConceptBench's, else ``own``."""
    named = {text: style for style, text in STYLES.items()}
    style = prompt.style.strip().casefold()
    return style if style in STYLES else named.get(style, OWN_STYLE)


@lru_cache(maxsize=65_536)
def own_concept(concept_id: str) -> Concept | None:
    """The concept of an id of :func:`own_id`; None for any other text."""
    if not concept_id.startswith(PREFIX):
        return None
    parts = [unquote(part) for part in concept_id.removeprefix(PREFIX).split(":")]
    if len(parts) != 4 or not parts[2] or concept_id != _id(*parts):
        return None
    kind, category, base, modifier = parts
    return Concept(concept_id, 0, category, base, modifier, kind, countable=True)


def own_base_id(concept_id: str) -> str | None:
    """The id of the thing as such of a modified concept; None for any other text."""
    concept = own_concept(concept_id)
    if concept is None or not concept.modifier:
        return None
    return _id(BASE, concept.category, concept.concept, "")


def _id(*parts: str) -> str:
    return PREFIX + ":".join(quote(part, safe="") for part in parts)


class WithOwn(Mapping[str, Value]):
    """A mapping of the benchmark's concepts that finds those of one's own too. It lists the
    benchmark's alone."""

    def __init__(self, listed: Mapping[str, Value], of_own: Callable[[str], Value | None]) -> None:
        self._listed, self._of_own = listed, of_own

    def __getitem__(self, concept_id: str) -> Value:
        value = self._listed.get(concept_id)
        value = self._of_own(concept_id) if value is None else value
        if value is None:
            raise KeyError(concept_id)
        return value

    def __iter__(self) -> Iterator[str]:
        return iter(self._listed)

    def __len__(self) -> int:
        return len(self._listed)
