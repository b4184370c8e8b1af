"""Generators of questions with images, so that the answer is known by construction."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from truehue.core.errors import BadInput
from truehue.core.vlm.generators import (
    blindness,
    color_counting,
    comparison,
    extraction,
    illusion,
    object_counting,
    proportion,
)
from truehue.core.vlm.generators.draws import VERSION, Difficulty
from truehue.core.vlm.records import IllustratedQuestion

__all__ = ["GENERATORS", "VERSION", "Difficulty", "GeneratedSettings", "generated"]

Make = Callable[[int, int, Difficulty | str], Iterator[IllustratedQuestion]]

GENERATORS: dict[str, Make] = {
    "color_extraction": extraction.make,
    "color_proportion": proportion.make,
    "color_comparison": comparison.make,
    "color_counting": color_counting.make,
    "object_counting": object_counting.make,
    "color_illusion": illusion.make,
    "color_blindness": blindness.make,
}
"""By the id of the task, in the order of ``truehue.core.vlm.tasks``."""
MAX_A_TASK = 10_000


@dataclass(frozen=True)
class GeneratedSettings:
    """How many questions of each task, by its id, of which difficulty and from which seed.

    Tasks that are not named have none. Raises BadInput for what cannot be made.
    """

    counts: Mapping[str, int] = field(default_factory=lambda: dict.fromkeys(GENERATORS, 20))
    difficulty: Difficulty = Difficulty.MEDIUM
    seed: int = 0

    def __post_init__(self) -> None:
        for task, count in self.counts.items():
            if task not in GENERATORS:
                raise BadInput(
                    f'There is no generator of "{task}". The tasks are: {", ".join(GENERATORS)}.',
                    "counts",
                )
            if isinstance(count, bool) or not 0 <= count <= MAX_A_TASK:
                raise BadInput(
                    f"{task} takes 0 to {MAX_A_TASK:,} questions, not {count}.", "counts"
                )
        if self.difficulty not in list(Difficulty):
            raise BadInput(f'"{self.difficulty}" is none of {", ".join(Difficulty)}.', "difficulty")
        if self.seed < 0:
            raise BadInput(f"The seed is 0 or more, not {self.seed}.", "seed")


def generated(settings: GeneratedSettings) -> Iterator[IllustratedQuestion]:
    """All the questions, task by task, one image at a time."""
    for task, make in GENERATORS.items():
        yield from make(settings.counts.get(task, 0), settings.seed, settings.difficulty)
