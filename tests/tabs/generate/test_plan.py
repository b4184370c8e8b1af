"""From the request card's controls to requests."""

from __future__ import annotations

import math
from typing import Any

import pytest

from truehue.core.color.systems import parse_target
from truehue.core.errors import BadInput, UnknownColor
from truehue.core.generation.registry import RENDERER
from truehue.core.generation.request import MAX_SEED
from truehue.core.prompts.prompt import ObjectTarget, Prompt
from truehue.tabs.generate.plan import (
    MAX_IMAGES,
    Controls,
    OwnPrompt,
    Settings,
    count_of,
    guidance_scales,
    own_prompt,
    requests,
    settings,
    title_of,
)

MUG = ObjectTarget("mug", parse_target("l3:vivid red"))
PROMPTS = [Prompt(f"p{n}", f"A vivid red mug, {n}", "cna", (MUG,)) for n in range(3)]
RIGHT: dict[str, Any] = {
    "models": [RENDERER],
    "seed": 3,
    "seeds": 2,
    "guidance": "",
    "steps": "",
    "size_px": 0,
    "light": "hard",
    "failure": "swapped",
}


def test_nothing_set_is_each_models_own() -> None:
    how = settings(Controls(**RIGHT))
    assert (how.guidance, how.steps, how.size_px) == ((None,), None, None)
    request = requests(PROMPTS[:1], how)[0]
    assert (request.guidance, request.steps, request.width, request.height) == (
        None,
        None,
        None,
        None,
    )


def test_every_prompt_by_every_model_guidance_and_seed() -> None:
    how = settings(
        Controls(**{**RIGHT, "models": ["sdxl-base-1.0", "kolors"], "guidance": "3, 7.5;7.5"})
    )
    made = requests(PROMPTS, how)
    assert len(made) == count_of(3, how) == 3 * 2 * 2 * 2
    assert {(r.model, r.prompt_id, r.guidance, r.seed) for r in made} == {
        (model, f"p{n}", scale, seed)
        for model in ("sdxl-base-1.0", "kolors")
        for n in range(3)
        for scale in (3.0, 7.5)
        for seed in (3, 4)
    }
    assert [r.model for r in made] == ["sdxl-base-1.0"] * 12 + ["kolors"] * 12


def test_the_renderer_is_asked_once_a_seed_whatever_the_guidance() -> None:
    how = settings(Controls(**{**RIGHT, "guidance": "3 5 7"}))
    made = requests(PROMPTS, how)
    assert len(made) == count_of(3, how) == 6
    assert {r.guidance for r in made} == {None}
    assert made[0].options == {"light": "hard", "failure": "swapped"}
    assert requests(PROMPTS, Settings(("kolors",)))[0].options == {}


def test_targets_and_text_go_with_the_request() -> None:
    made = requests(PROMPTS[1:2], settings(Controls(**RIGHT)))[0]
    assert (made.text, made.targets) == (PROMPTS[1].text, PROMPTS[1].targets)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"models": []}, "at least one model"),
        ({"seed": 1.5}, "first seed is a whole number"),
        ({"seed": -1}, "from 0 to"),
        ({"seed": MAX_SEED + 1}, "from 0 to"),
        ({"seed": math.nan}, "whole number"),
        ({"seed": None}, "whole number"),
        ({"seed": True}, "whole number"),
        ({"seeds": 0}, "Images per prompt"),
        ({"seeds": 10_000}, "Images per prompt"),
        ({"seed": MAX_SEED, "seeds": 2}, "last seed"),
        ({"guidance": "high"}, "'high' is none"),
        ({"guidance": "3, 101"}, "'101' is none"),
        ({"guidance": "nan"}, "'nan' is none"),
        ({"guidance": "-1"}, "'-1' is none"),
        ({"steps": "many"}, "Steps is a whole number"),
        ({"steps": "0"}, "Steps"),
        ({"steps": "501"}, "Steps"),
        ({"size_px": 5}, "size"),
    ],
)
def test_what_cannot_be_is_named(change: dict[str, Any], said: str) -> None:
    with pytest.raises(BadInput, match=f"(?i){said}"):
        settings(Controls(**{**RIGHT, **change}))


def test_guidance_is_read_as_people_write_it() -> None:
    assert guidance_scales(" 3,5 ;7.5\n3 ") == (3.0, 5.0, 7.5)
    assert guidance_scales(None) == (None,)
    assert guidance_scales("0") == (0.0,)


def test_too_many_images_are_refused_before_anything_is_drawn() -> None:
    how = settings(Controls(**{**RIGHT, "seeds": 1000}))
    with pytest.raises(BadInput, match=f"21,000 images.*{MAX_IMAGES:,}"):
        requests(PROMPTS * 7, how)
    with pytest.raises(BadInput, match="no prompt"):
        requests([], how)


def test_an_object_and_a_color_are_a_prompt() -> None:
    made = own_prompt(OwnPrompt("", "apple", "l3:vivid orange"))
    assert made.text == "A photo of a vivid orange apple"
    assert made.targets[0].color is not None
    assert (made.targets[0].name, made.targets[0].color.value, made.system) == (
        "apple",
        "l3:Vivid orange",
        "l3",
    )
    assert own_prompt(OwnPrompt("", "apple", "")).text == "A photo of an apple"
    assert own_prompt(OwnPrompt("", "apple", "css:aqua")).text == "A photo of an aqua apple"
    assert own_prompt(OwnPrompt("", "apple", "#dc143c")).text == "A photo of a #DC143C apple"


def test_own_words_stay_as_they_are_and_keep_their_id() -> None:
    prompt = own_prompt(OwnPrompt("  Mist  over\nthe hills ", "", ""))
    assert (prompt.text, prompt.targets, prompt.task, prompt.source) == (
        "Mist over the hills",
        (),
        "free",
        "own",
    )
    assert prompt.id == own_prompt(OwnPrompt("Mist over the hills", "", "")).id
    assert prompt.id != own_prompt(OwnPrompt("Mist over the hills", "cat", "")).id
    with pytest.raises(BadInput, match="Write a prompt"):
        own_prompt(OwnPrompt("  ", "", "css:red"))
    with pytest.raises(UnknownColor, match="blurple"):
        own_prompt(OwnPrompt("", "mug", "blurple"))


def test_a_job_is_called_by_what_it_draws() -> None:
    assert title_of(PROMPTS[:1], Settings()) == "A vivid red mug, 0"
    assert title_of(PROMPTS, Settings((RENDERER, "kolors"))) == "3 prompts · 2 models"
    assert len(title_of([Prompt("x", "word " * 100, "free")], Settings())) <= 80
