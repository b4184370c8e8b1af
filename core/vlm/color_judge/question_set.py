"""Appendix E's questions on the diagnostic renders, which test a model as a judge."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from truehue.core.diagnosis.colors import DEFAULT_LIGHTS, DEFAULT_SIZE_PX, set_colors
from truehue.core.errors import BadInput
from truehue.core.generation.renderer import OBJECTS
from truehue.core.vlm.color_judge.questions import SYSTEM_NAMES, questions, render_question
from truehue.core.vlm.generators.draws import Draws
from truehue.core.vlm.records import IllustratedQuestion, Question

MARK = "appendix_e"
"""True in the settings of such a set."""
DEFAULT_RENDERS = 40
_AT_ONCE = 200
"""Renders that are held in memory, about a megabyte each at 512 pixels."""


@dataclass(frozen=True)
class JudgeSettings:
    """Which renders are asked about: ``renders`` of them in colors of ``system`` (css or l2), sides
    of ``size_px``; ``near`` makes letters of Q2's list
    (:func:`truehue.core.vlm.color_judge.questions.questions`). ``seed`` draws the order of scenes
    and the false colors.

    Raises BadInput for another system, or more renders than there are.
    """

    system: str = "l2"
    renders: int = DEFAULT_RENDERS
    seed: int = 0
    size_px: int = DEFAULT_SIZE_PX
    near: int | None = None

    def __post_init__(self) -> None:
        if self.system not in SYSTEM_NAMES:
            raise BadInput(f"Appendix E asks on css and l2, not on {self.system}.", "system")
        limit = len(set_colors(self.system)) * len(OBJECTS) * len(DEFAULT_LIGHTS)
        if type(self.renders) is not int or not 1 <= self.renders <= limit:
            raise BadInput(f"There are 1 to {limit:,} renders, not {self.renders!r:.20}.", "count")
        if type(self.seed) is not int or not 0 <= self.seed < 2**31:
            raise BadInput(f"The seed is 0 to {2**31 - 1:,}, not {self.seed!r:.20}.", "seed")

    def as_json(self) -> dict[str, Any]:
        """For the manifest of a set, which is known by :data:`MARK`."""
        return {
            MARK: True,
            "system": self.system,
            "renders": self.renders,
            "seed": self.seed,
            "size_px": self.size_px,
            "near": self.near,
            "lights": list(DEFAULT_LIGHTS),
        }


def is_judge_set(settings: Mapping[str, Any]) -> bool:
    """Whether a set's settings are those of such a set."""
    return settings.get(MARK) is True


def queries_of_render(question: Question) -> bool:
    """Whether a question says of which render it is, so that rules can judge it too."""
    return bool(question.construction.get("render"))


def scenes(settings: JudgeSettings) -> Iterator[tuple[str, tuple[str, str, int]]]:
    """Name of a color, and (object, light, seed of the renderer), as many as there are renders.

    Colors take turns. Of each color every object comes once before one comes again, in another
    light then: so 406 of l2 and 2,058 of css are every object in every color once, as in the paper.
    """
    draws = Draws(settings.seed, *(ord(sign) for sign in settings.system))
    names = draws.shuffled([color.name for color in set_colors(settings.system)])
    orders = {name: list(_scenes_of(draws)) for name in names}
    for number in range(settings.renders):
        turn, index = divmod(number, len(names))
        yield names[index], orders[names[index]][turn]


def _scenes_of(draws: Draws) -> Iterator[tuple[str, str, int]]:
    objects: Sequence[str] = draws.shuffled(OBJECTS)
    lights = {name: draws.shuffled(DEFAULT_LIGHTS) for name in objects}
    for turn in range(len(DEFAULT_LIGHTS)):
        for name in objects:
            yield name, lights[name][turn], 0


def judge_questions(settings: JudgeSettings) -> Iterator[IllustratedQuestion]:
    """Nine questions a render on css, six on l2, in the order of :func:`scenes`. Raises BadInput as
    :func:`truehue.core.vlm.color_judge.questions.questions` and for a size that the renderer does
    not take."""
    waiting = scenes(settings)
    while part := list(islice(waiting, _AT_ONCE)):
        # Light and shade of a scene are computed once for its colors that come together.
        renders = {
            pair: render_question(settings.system, *pair, settings.size_px)
            for pair in sorted(part, key=lambda pair: pair[1])
        }
        for entry in part:
            render = renders.pop(entry)
            for question in questions(render, settings.near, settings.seed):
                yield IllustratedQuestion(question, render.srgb8)
