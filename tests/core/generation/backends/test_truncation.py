"""What is said of a prompt that is longer than the text encoders read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.tiny_models import vocabularies
from truehue.core.generation.backends.diffusion import notes_on_cut

pytestmark = pytest.mark.weights


def test_a_prompt_that_is_read_gets_no_note() -> None:
    assert notes_on_cut("a red mug", {"tokenizer": vocabularies.clip()}, {"tokenizer": 77}) == []
    # 75 letters and two special tokens are CLIP's 77.
    for text, cut in (("a" * 75, False), ("a" * 75 + "  ", False), ("a" * 76, True)):
        notes = notes_on_cut(text, {"tokenizer": vocabularies.clip()}, {"tokenizer": 77})
        assert bool(notes) == cut, text


def test_the_note_says_where_reading_ended() -> None:
    text = "a" * 75 + " with a blue rim and a handle"
    note = notes_on_cut(text, {"tokenizer": vocabularies.clip()}, {"tokenizer": 77})[0]
    assert note == (
        "The prompt was cut at 77 tokens for tokenizer: the last 29 of 104 characters "
        "were not read, from “with a blue rim and a handle” on."
    )


def test_encoders_are_told_apart() -> None:
    tokenizers = {
        "tokenizer": vocabularies.clip(),
        "tokenizer_2": vocabularies.clip(),
        "tokenizer_3": vocabularies.t5(),
        "tokenizer_4": None,
    }
    limits = {"tokenizer": 77, "tokenizer_2": 77, "tokenizer_3": 256, "tokenizer_4": 9}
    short, long = "red mug " * 15, "red mug " * 60
    notes = notes_on_cut(short, tokenizers, limits)
    assert len(notes) == 1
    assert "cut at 77 tokens for tokenizer and tokenizer_2:" in notes[0]
    assert notes[0].endswith("(Read as a whole by tokenizer_3.)")
    notes = notes_on_cut(long, tokenizers, limits)
    assert len(notes) == 2
    assert "cut at 256 tokens for tokenizer_3:" in notes[1]


@pytest.mark.parametrize(
    "made",
    [vocabularies.t5, vocabularies.bert, vocabularies.gemma, vocabularies.qwen, vocabularies.glm],
)
def test_every_tokenizer_tells_where_it_stopped(made: Any) -> None:
    tokenizer = made()
    text = "abcdefghij" * 10
    note = notes_on_cut(text, {"tokenizer": tokenizer}, {"tokenizer": 20})[0]
    saved = 20 - len(tokenizer("")["input_ids"])
    # T5 and Gemma may spend a token on the mark of a word's beginning.
    assert any(f"the last {100 - saved + more} of 100 characters" in note for more in (0, 1))


def test_a_slow_tokenizer_tells_too(tmp_path: Path) -> None:
    tokenizer = vocabularies.chatglm(tmp_path)
    text = "abcdefghij" * 10
    note = notes_on_cut(text, {"tokenizer": tokenizer}, {"tokenizer": 20})[0]
    assert "of 100 characters were not read" in note
    assert notes_on_cut("abc", {"tokenizer": tokenizer}, {"tokenizer": 20}) == []
