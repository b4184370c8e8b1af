"""The records of a measure and of one score by it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import numpy as np

SCORED, UNSCORED = "scored", "unscored"
IMAGE = "image"
ITEM_KINDS = (IMAGE,)
"""The kinds of scored items: a whole image, named by its ``image_id``."""
HIGH, LOW, NEITHER = "high", "low", ""

Computed = tuple[float, Mapping[str, Any]]
"""A value, and the numbers that it was made of as plain JSON."""


@dataclass(frozen=True)
class Measure:
    """A number that an item can have: a learned metric, people's rating, a benchmark's answer.

    ``id`` is what tables, links and files call it. ``version`` rises where the value of an item
    would be another one; ``parameters`` are the settings that it is computed with, as plain JSON.
    ``better`` is :data:`HIGH`, :data:`LOW`, or :data:`NEITHER` where no direction is better.
    ``low`` and ``high`` bound its values, None where there is no bound; ``decimals`` is how it is
    shown. ``unit`` is empty for a plain number. ``formula`` says what it is, ``source`` where it
    comes from. ``of`` computes it of an image, uint8 sRGB ``(H, W, 3)``, and raises a TrueHueError
    where it cannot; it is None where scores come from elsewhere: from people, or a file. ``quick``
    ones take no longer than an image takes to be shown, and are computed when one is looked at.
    A model that reads images in batches, with their prompts, is named by ``scorer``; its
    measures are computed together. ``mean_name`` is what its mean over a set of images is called
    where that could be taken for another number.
    """

    id: str
    version: str
    name: str
    better: str
    low: float | None
    high: float | None
    decimals: int
    formula: str
    source: str
    unit: str = ""
    item_kinds: tuple[str, ...] = (IMAGE,)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    of: Callable[[np.ndarray], Computed] | None = None
    quick: bool = False
    scorer: str = ""
    mean_name: str = ""

    @property
    def computed(self) -> bool:
        """Whether the program gives its scores; else they come in."""
        return self.of is not None or bool(self.scorer)

    def text(self, value: float) -> str:
        """A value as it is shown, with its unit."""
        return f"{value:.{self.decimals}f}{f' {self.unit}' if self.unit else ''}"

    @property
    def bounds_text(self) -> str:
        """``0 to 1``; an open end is named."""
        if self.low is None and self.high is None:
            return "any number"
        if self.low is None:
            return f"up to {self.high:g}"
        return f"{self.low:g} upward" if self.high is None else f"{self.low:g} to {self.high:g}"


@dataclass(frozen=True)
class ScoreRecord:
    """One score as stored: what a measure, in one version and with its parameters, says of an item.

    ``item`` names it within its ``item_kind`` (of :data:`ITEM_KINDS`). ``status`` is ``scored``, or
    ``unscored`` with the ``reason`` and without a ``value``. ``scorer`` is who gave it: empty for
    the program itself, else an id of a person or of an import. ``provenance`` is what it was made
    with, as plain JSON. Scores are added, never overwritten.
    """

    item_kind: str
    item: str
    measure: str
    version: str
    value: float | None
    status: str = SCORED
    reason: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    numbers: Mapping[str, Any] = field(default_factory=dict)
    scorer: str = ""
    provenance: Mapping[str, Any] = field(default_factory=dict)
    created_at: datetime | None = None
