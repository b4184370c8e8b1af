"""What designers see before they color for a study: practice sketches, do and do-not examples."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from truehue.core.errors import BadInput

MOST_SKETCHES = 12
MOST_EXAMPLES = 24
MOST_TEXT = 500
_IMAGE = re.compile(r"([0-9a-f]{64})?")


class Review(StrEnum):
    """Who says that the practice was good enough to go on."""

    RESEARCHER = "researcher"
    AUTOMATIC = "automatic"
    """Each practice sketch has colors on a part of it, put there by more than one action."""
    NONE = "none"


@dataclass(frozen=True)
class Practice:
    """Sketches that are colored before the rest: ``case_ids`` of the plan's cases, of which no
    coloring is wanted then."""

    case_ids: tuple[str, ...] = ()
    review: Review = Review.RESEARCHER

    def __post_init__(self) -> None:
        if len(self.case_ids) > MOST_SKETCHES:
            raise BadInput(f"A practice has at most {MOST_SKETCHES} sketches.", "practice")
        if len(set(self.case_ids)) < len(self.case_ids):
            raise BadInput("The practice names one sketch twice. Take another for it.", "practice")


@dataclass(frozen=True)
class Example:
    """How it is done, or, where it is not ``good``, how not: ``text`` beside a stored image, whose
    id is empty where the text says enough."""

    text: str
    good: bool
    image_id: str = ""

    def __post_init__(self) -> None:
        if not self.text.strip() or len(self.text) > MOST_TEXT:
            raise BadInput(f"An example has a text of at most {MOST_TEXT} characters.", "examples")
        if not _IMAGE.fullmatch(self.image_id):
            raise BadInput("An example names its image by 64 hexadecimal characters.", "examples")
