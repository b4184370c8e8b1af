"""Shared parts of the generators: platform-independent randomness, difficulty, question format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from truehue.core.errors import BadInput
from truehue.core.images.load import image_id
from truehue.core.vlm.records import LETTERS, Form, IllustratedQuestion, Question
from truehue.core.vlm.tasks import COLORBENCH, Task, task

_Item = TypeVar("_Item")

VERSION = 1
"""Of the generators together: another number, other questions from the same seed."""
TRAINING_SEEDS = range(2**31, 2**32)
"""Seeds of questions to train on; tests have others, as all sets that the page makes."""
_OF_PLACES = 2**32  # no question has this index


class Difficulty(StrEnum):
    """How near wrong choices are to the right one; each generator's module says in what measure."""

    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"


class Draws:
    """Numbers from a key of whole numbers of 0 or more.

    They are made of the bits of PCG64 alone, which NumPy keeps the same in all versions (NEP 19);
    what its Generator makes of them it may change.
    """

    def __init__(self, *key: int) -> None:
        self._bits = np.random.PCG64(np.random.SeedSequence(key))

    def units(self, count: int) -> NDArray[np.float64]:
        """``(count,)``, 0 up to but not 1, in steps of 2**-53."""
        raw = np.asarray(self._bits.random_raw(count), dtype=np.uint64)
        return (raw >> np.uint64(11)).astype(np.float64) * 2.0**-53

    def integers(self, low: int, high: int, count: int) -> NDArray[np.int64]:
        """``(count,)``, ``low`` to ``high``, both among them."""
        return low + np.floor(self.units(count) * (high - low + 1)).astype(np.int64)

    def integer(self, low: int, high: int) -> int:
        """``low`` to ``high``, both among them."""
        return int(self.integers(low, high, 1)[0])

    def between(self, low: float, high: float) -> float:
        """A number from ``low`` up to ``high``."""
        return low + float(self.units(1)[0]) * (high - low)

    def shuffled(self, items: Sequence[_Item]) -> list[_Item]:
        """All of them in another order."""
        return [items[int(index)] for index in np.argsort(self.units(len(items)), kind="stable")]

    def pick(self, items: Sequence[_Item]) -> _Item:
        """One of them."""
        return items[self.integer(0, len(items) - 1)]


@dataclass(frozen=True)
class Slot:
    """A question that is to be made: ``place`` of its right answer among ``choices`` choices."""

    task: Task
    difficulty: Difficulty
    seed: int
    index: int
    choices: int
    place: int
    draws: Draws

    @property
    def question_id(self) -> str:
        """Such as ``color_blindness-hard-7-0012``."""
        return f"{self.task.id}-{self.difficulty}-{self.seed}-{self.index:04d}"


def slots(
    task_id: str, count: int, seed: int, difficulty: Difficulty | str, choices: int
) -> Iterator[Slot]:
    """``count`` questions to be made, each with draws of its own, so that the first ones stay the
    same however many are made. Among every ``choices`` of them each place comes once.

    Raises BadInput for a count or seed below 0 and an unknown difficulty or task.
    """
    chosen = task(task_id)
    if count < 0 or seed < 0:
        raise BadInput(f"The count and the seed are 0 or more, not {count} and {seed}.")
    if difficulty not in list(Difficulty):
        raise BadInput(f'"{difficulty}" is none of {", ".join(Difficulty)}.', "difficulty")
    level = Difficulty(difficulty)
    key = (VERSION, seed, COLORBENCH.index(chosen), list(Difficulty).index(level))
    positions: list[int] = []
    for index in range(count):
        if not index % choices:
            positions = Draws(*key, _OF_PLACES + index).shuffled(range(choices))
        position = positions[index % choices]
        yield Slot(chosen, level, seed, index, choices, position, Draws(*key, index))


def illustrate(
    slot: Slot,
    text: str,
    choices: Sequence[str],
    srgb8: NDArray[np.uint8],
    construction: Mapping[str, Any],
) -> IllustratedQuestion:
    """The question of a slot, whose right choice stands in its place already.

    ``construction`` is what else somebody needs to check it: plain numbers, words and lists.
    Raises ValueError where two choices are equal or are not as many as announced.
    """
    if len(set(choices)) != len(choices) or len(choices) != slot.choices:
        raise ValueError(f"{slot.question_id} has the choices {choices}.")
    question = Question(
        question_id=slot.question_id,
        task=slot.task.id,
        form=Form.CHOICE,
        text=text,
        choices=tuple(choices),
        answer=LETTERS[slot.place],
        image_id=image_id(srgb8),
        construction={
            "generator_version": VERSION,
            "seed": slot.seed,
            "index": slot.index,
            "difficulty": str(slot.difficulty),
            **construction,
        },
    )
    return IllustratedQuestion(question, srgb8)


def with_answer(slot: Slot, right: _Item, wrong: Sequence[_Item]) -> list[_Item]:
    """The choices with the right one in its place."""
    choices = list(wrong)
    choices.insert(slot.place, right)
    return choices


def numbers_around(slot: Slot, right: int) -> list[str]:
    """As many whole numbers in a row as there are choices, the right one in its place."""
    return [str(right - slot.place + step) for step in range(slot.choices)]
