"""Planted differences between ColorBench's protocol and ours, each found again by its own share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.core.generation.images_server import Answer
from tests.core.vlm.chat_server import ChatServer, completion
from tests.workers_here import workers_here
from truehue.core.cli.vlm import main as vlm
from truehue.core.reproduce.colorbench import RECIPES
from truehue.core.reproduce.colorbench_evaluations import PAPER
from truehue.core.reproduce.recipe import ReproduceContext, find
from truehue.core.vlm.generators import Difficulty, GeneratedSettings, generated
from truehue.core.vlm.prompting import prompt_text
from truehue.core.vlm.question_set import write_set
from truehue.core.vlm.records import Question
from truehue.core.vlm.released import released_prompt

__all__ = ["workers_here"]
COUNT, RIGHT, VERBOSE = 20, 15, 3
FORM, JPEG = 2, -1
"""Questions that are right by their prompt's form, and by JPEG, more than by ours."""
HALF_A_POINT = 0.5


class PlantedModel(ChatServer):
    """Is right on the first :data:`RIGHT` questions, on more or fewer by what is sent, and says the
    first :data:`VERBOSE` in a sentence whose last letter is no choice."""

    def __init__(self, questions: list[Question]) -> None:
        super().__init__()
        self.prompts = {
            text: (number, question, form)
            for number, question in enumerate(questions)
            for form, text in (
                ("ours", prompt_text(question)),
                ("released", released_prompt(question, "gpt")),
            )
        }

    def _next(self, path: str, target: dict[str, Any]) -> Answer:
        parts = {part["type"]: part for part in target["messages"][0]["content"]}
        number, question, form = self.prompts[parts["text"]["text"]]
        is_jpeg = parts["image_url"]["image_url"]["url"].startswith("data:image/jpeg")
        right = RIGHT + FORM * (form == "released") + JPEG * is_jpeg
        letter = question.answer if number < right else "B" if question.answer == "A" else "A"
        sentence = f"The correct answer is ({letter}), as the image shows."
        return completion(sentence if number < VERBOSE else f"({letter})")


@pytest.mark.slow
def test_planted_differences_are_attributed_within_half_a_point(
    tmp_path: Path, workers_here: None
) -> None:
    settings = GeneratedSettings({"color_extraction": COUNT}, Difficulty.EASY)
    questions = write_set(tmp_path / "set", generated(settings), "Generated", {})
    server = PlantedModel(list(questions.questions()))
    assert len(server.prompts) == 2 * COUNT, "every question has prompts of its own"
    context = ReproduceContext(
        tmp_path / "data",
        (f"gpt-4o@{server.base_url}",),
        protocol="truehue",
        set=str(questions.folder),
    )
    recipe = find(RECIPES, PAPER, "table", "1")
    planted = {
        "parser": -100 * VERBOSE / COUNT,
        "prompt form": 100 * FORM / COUNT,
        "image codec": 100 * JPEG / COUNT,
        "pixels": 0.0,
        "token limit": 0.0,
    }
    with server.running():
        (step,) = recipe.steps(context)
        assert vlm([*step.command[1:]]) == 0
        (gap,) = recipe.attribution(context)
        assert gap.ours == pytest.approx(100 * RIGHT / COUNT, abs=HALF_A_POINT)
        for entry in gap.differences:
            if entry.command:
                assert vlm(entry.command.split()[2:]) == 0
    (gap,) = recipe.attribution(context)
    points = {entry.name: entry.points for entry in gap.differences if entry.points is not None}
    assert points == pytest.approx(planted, abs=HALF_A_POINT)
    # The largest share comes first, and what is left over is said.
    assert [entry.name for entry in gap.differences][:2] == ["parser", "prompt form"]
