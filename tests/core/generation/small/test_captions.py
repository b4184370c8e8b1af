"""What the small model is asked for while it learns."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest

from truehue.core.color.systems import parse_target
from truehue.core.generation.small.parts import tokenizer
from truehue.core.generation.small.scenes import (
    Caption,
    captions,
    colors_by_name,
    has_held_out_pair,
    held_out_pairs,
    is_held_out,
    named_colors,
    several_objects,
)
from truehue.core.generation.small.settings import Settings
from truehue.core.prompts.gencolorbench import build
from truehue.core.prompts.prompt import format_color


@pytest.fixture(scope="module")
def drawn() -> list[Caption]:
    return captions(Settings(), np.random.default_rng(1), 3000)


def test_no_held_out_prompt_is_a_caption(drawn: list[Caption]) -> None:
    never = {prompt.text for prompt in build() if has_held_out_pair(prompt, 0.1)}
    shown = {caption.text for caption in (*drawn, *several_objects(0.1))}
    assert len(never) > 3000
    assert not shown & never
    # All else of level 1 can come: a caption is a prompt of the benchmark, word for word.
    every = {prompt.text for prompt in build()}
    assert len(shown & every) > 0.5 * len(shown)


def test_about_a_tenth_of_the_pairs_is_held_out_and_of_each_color_some() -> None:
    pairs = held_out_pairs(0.1)
    assert 0.09 < len(pairs) / (450 * 107) < 0.11
    assert len({color for color, _ in pairs if color.startswith("l1:")}) == 13
    assert held_out_pairs(0.0) == []
    assert is_held_out(parse_target("l1:Blue"), "mug", 1.0)


def test_a_name_means_one_color() -> None:
    meaning = colors_by_name()
    assert meaning["blue"].value == "l1:Blue"
    assert meaning["vivid red"].system == "l3"
    assert meaning["hot pink"].system == "css"
    assert "blue" not in {format_color(color) for color in named_colors("css")}


def test_captions_come_in_the_shares_of_the_mix(drawn: list[Caption]) -> None:
    assert captions(Settings(), np.random.default_rng(1), 3000) == drawn
    level_1 = {color.srgb8 for color in named_colors("l1")}
    every = {caption.text for caption in several_objects(0.1)}
    several = [caption for caption in drawn if caption.text in every]
    assert 0.09 < len(several) / len(drawn) < 0.16
    singles = [caption for caption in drawn if len(caption.shapes) == 1]
    assert sum(caption.colors[0] in level_1 for caption in singles) / len(drawn) > 0.5
    assert 0.04 < sum("#" in caption.text for caption in drawn) / len(drawn) < 0.09
    assert Counter(len(caption.shapes) for caption in drawn).keys() == {1, 2}


def test_the_colors_of_a_caption_are_those_of_its_picture(drawn: list[Caption]) -> None:
    for caption in drawn:
        assert len(caption.shapes) == len(caption.colors) == len(caption.asked)
        for code in re.findall(r"#([0-9A-F]{6})", caption.text):
            assert bytes(caption.colors[0]).hex().upper() == code
    both = next(c for c in several_objects(0.1) if "same color" in c.text)
    assert both.colors[0] == both.colors[1]
    bystander = next(c for c in several_objects(0.1) if c.asked == (True, False))
    red, green, blue = bystander.colors[1]
    assert red == green == blue


def test_the_tokenizer_reads_every_prompt_and_spells_hex_codes() -> None:
    text = tokenizer()
    # All words are in a part of them: each object and color stands in many.
    texts = [prompt.text for prompt in build()[::12]]
    encoded = text(texts)["input_ids"]
    assert max(map(len, encoded)) < 120
    assert not any(text.unk_token_id in ids for ids in encoded)
    assert text.tokenize("a #FACADE mug")[-8:] == ["#", *"FACADE", "▁mug"]
    assert text.tokenize("A bus") == ["▁A", "▁bus"]
