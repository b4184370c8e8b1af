"""The records of a question about an image and of an answer to it."""

from __future__ import annotations

import string
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truehue.core.errors import BadInput

LETTERS = string.ascii_uppercase


class Form(StrEnum):
    """How a question is answered: by a letter of its choices, by yes or no, or in words."""

    CHOICE = "choice"
    BINARY = "binary"
    OPEN = "open"


@dataclass(frozen=True)
class Question:
    """One question about one image.

    ``question_id`` is unique in its set; ``task`` is an id of
    ``truehue.core.vlm.tasks``. ``choices`` are the texts without their letters, in
    order; empty but for ``Form.CHOICE``. ``answer`` is a letter for ``Form.CHOICE``, ``yes`` or
    ``no`` for ``Form.BINARY``, and the expected words for ``Form.OPEN``. ``image_id`` is the
    SHA-256 of the image's pixels (``truehue.core.images.load.image_id``). Of a robustness question,
    ``seed_id`` is the question that it is a variant of and ``variant`` says which; both are empty
    for an original. ``construction`` is all that made it: seed, difficulty, measured ground truth.

    Raises BadInput where the answer does not fit the form.
    """

    question_id: str
    task: str
    form: Form
    text: str
    choices: tuple[str, ...]
    answer: str
    image_id: str
    seed_id: str = ""
    variant: str = ""
    construction: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.form is Form.CHOICE:
            letters = LETTERS[: len(self.choices)]
            if not 2 <= len(self.choices) <= len(LETTERS):
                raise BadInput(f"Question {self.question_id} has {len(self.choices)} choices.")
            if len(self.answer) != 1 or self.answer not in letters:
                raise BadInput(
                    f"Question {self.question_id} is answered by {self.answer!r}, which is none of "
                    f"its choices {', '.join(letters)}."
                )
        elif self.form is Form.BINARY and self.answer not in ("yes", "no"):
            raise BadInput(f"Question {self.question_id} is answered by yes or no.")
        elif not self.answer:
            raise BadInput(f"Question {self.question_id} has no answer.")

    @property
    def released_image_id(self) -> str:
        """The id of its image as ``convert("RGB")`` gives it."""
        return str(self.construction.get(RELEASED_IMAGE, self.image_id))

    @property
    def listed(self) -> tuple[str, ...]:
        """The names that the text of an open question lists; empty where it lists none."""
        return tuple(self.construction.get("names", ())) if self.form is Form.OPEN else ()

    @property
    def right(self) -> frozenset[str]:
        """The answers that are right: ``answer``, and other names of the very same color."""
        return frozenset((self.answer, *self.construction.get("also", ())))

    @property
    def exact_chance(self) -> Fraction:
        """Of a right answer by guessing among the letters, yes and no, or the names that it lists;
        0 for open questions that list none."""
        if self.form is Form.CHOICE:
            return Fraction(1, len(self.choices))
        if self.form is Form.BINARY:
            return Fraction(1, 2)
        names, right = self.listed, self.right
        return Fraction(sum(name in right for name in names), len(names) or 1)

    @property
    def chance(self) -> float:
        """:attr:`exact_chance`, 0 to 1."""
        return float(self.exact_chance)


RELEASED_IMAGE = "released_image"
"""What a construction calls the id of the image as ``convert("RGB")`` gives it; only where that has
other pixels than the image whose EXIF, ICC profile and alpha were resolved."""


@dataclass(frozen=True)
class IllustratedQuestion:
    """A question with its image: uint8 sRGB ``(H, W, 3)``; ``released_srgb8`` is the image that its
    construction names by :data:`RELEASED_IMAGE`, None where it names none."""

    question: Question
    srgb8: NDArray[np.uint8]
    released_srgb8: NDArray[np.uint8] | None = None


class Outcome(StrEnum):
    """What came of a question. An answer that cannot be read is no wrong letter, one that was cut
    off at the token limit before its conclusion is no unreadable one, and a question without an
    answer (the model failed) is none of these."""

    RIGHT = "right"
    WRONG = "wrong"
    UNREADABLE = "unreadable"
    TRUNCATED = "truncated"
    UNANSWERED = "unanswered"


@dataclass(frozen=True)
class Answer:
    """A model's, a person's or a baseline's answer to a question.

    ``words`` are as they came; ``reading`` is what was read of them: a letter, ``yes``, ``no``,
    words, or None where nothing could be read; ``reason`` says why not, or why there is no answer.
    """

    question_id: str
    words: str
    reading: str | None
    outcome: Outcome
    reason: str = ""
