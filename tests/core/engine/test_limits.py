"""What may not be asked of the engine, and the words in which it is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.core.engine.models import FlatModel, House, Inbox, asked
from truehue.core.engine import checked
from truehue.core.engine.limits import MAX_REQUESTS
from truehue.core.errors import BadInput
from truehue.core.generation.request import MAX_SEED, GenerationRequest
from truehue.core.prompts.prompt import MAX_PROMPT_CHARACTERS, ObjectTarget

GOOD = GenerationRequest("flat", "a red mug", seed=3)


def deep(levels: int) -> list[Any]:
    """A list in a list, so many times."""
    out: list[Any] = []
    for _ in range(levels - 1):
        out = [out]
    return out


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"seed": 0},
        {"seed": MAX_SEED},
        {"text": "x" * MAX_PROMPT_CHARACTERS},
        {"text": "", "targets": (ObjectTarget("mug"),)},
        {"steps": 1, "guidance": 0.0, "width": 64, "height": 4096},
        {"steps": 500, "guidance": 100},
        {"text": "红色的杯子 🟥", "negative_text": "blurry"},
        {"options": {"light": "warm", "n": [1, 2.5, None, True, {"a": ("b",)}], "d": deep(9)}},
    ],
)
def test_what_may_be_asked(fields: dict[str, Any]) -> None:
    request = replace(GOOD, **fields)
    assert checked(request) is request


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"model": " "}, "names no model"),
        ({"model": None}, "names no model"),
        ({"text": " \n"}, "prompt is empty"),
        ({"text": None}, "prompt is text"),
        ({"text": "x" * (MAX_PROMPT_CHARACTERS + 1)}, "20,001 characters; 20,000"),
        ({"negative_text": "x" * (MAX_PROMPT_CHARACTERS + 1)}, "negative prompt has"),
        ({"text": "red \ud800"}, "half of a character"),
        ({"seed": -1}, "seed must be a whole number from 0 to 2,147,483,647, not -1"),
        ({"seed": MAX_SEED + 1}, "seed must be"),
        ({"seed": 1.0}, "seed must be"),
        ({"seed": True}, "seed must be"),
        ({"steps": 0}, "number of steps must be a whole number from 1 to 500, not 0"),
        ({"steps": 501}, "steps must be"),
        ({"width": 63}, "width in pixels must be a whole number from 64 to 4,096, not 63"),
        ({"height": 4097}, "height in pixels"),
        ({"height": "512"}, "height in pixels"),
        ({"guidance": -0.1}, "guidance must be a number from 0 to 100, not -0.1"),
        ({"guidance": 101}, "guidance must be"),
        ({"guidance": float("nan")}, "guidance must be"),
        ({"guidance": float("inf")}, "guidance must be"),
        ({"guidance": "7"}, "guidance must be"),
        ({"options": ["a"]}, "options"),
        ({"options": {1: 2, "b": 3}}, "names in the options are text, not 1"),
        ({"options": {"a": {"b": [{2: "c"}]}}}, "names in the options are text, not 2"),
        ({"options": {"a": {1, 2}}}, r"options are plain JSON .* not {1, 2}"),
        ({"options": {"a": float("nan")}}, "must be finite, not nan"),
        ({"options": {"a": "\ud800"}}, "text in the options holds half of a character"),
        ({"options": {"\ud800": 1}}, "in the options holds half of a character"),
        ({"options": {"a": deep(11)}}, "nested more than 10 deep"),
    ],
)
def test_what_may_not(fields: dict[str, Any], text: str) -> None:
    with pytest.raises(BadInput, match=text):
        checked(replace(GOOD, **fields))


def test_nothing_of_a_refused_job_is_drawn() -> None:
    house, inbox = House({"flat": FlatModel}), Inbox()
    with house.engine() as engine:
        with pytest.raises(BadInput, match="nothing to generate"):
            engine.submit([], inbox)
        with pytest.raises(BadInput, match=r"100,001 images are more .* \(100,000\)"):
            engine.submit([GOOD] * (MAX_REQUESTS + 1), inbox)
        with pytest.raises(BadInput, match="Request 3 of 4: The seed"):
            engine.submit([*asked(2), replace(GOOD, seed=-1), GOOD], inbox)
        with pytest.raises(BadInput, match=r"^The seed"):
            engine.submit([replace(GOOD, seed=-1)], inbox)
        with pytest.raises(BadInput, match="a str"):
            engine.submit(["a red mug"], inbox)  # type: ignore[list-item]
        assert engine.states() == ()
    assert house.opened == []
