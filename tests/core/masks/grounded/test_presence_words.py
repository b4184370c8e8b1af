"""The words of a presence question, and what an answer means."""

from __future__ import annotations

import re

import pytest

from truehue.core.errors import BadInput
from truehue.core.masks.grounded.presence import parse_presence, present, question
from truehue.core.masks.grounded.records import PresenceQuestion
from truehue.core.prompts.concepts import concepts
from truehue.core.prompts.gencolorbench import build


@pytest.mark.parametrize(
    ("name", "requested"),
    [
        ("car", "Is there a car in the image? Answer yes or no."),
        ("airplane", "Is there an airplane in the image? Answer yes or no."),
        ("a car", "Is there a car in the image? Answer yes or no."),
        ("The  red\napple ", "Is there a red apple in the image? Answer yes or no."),
        ("an", "Is there an an in the image? Answer yes or no."),
        ("T-shirt", "Is there a T-shirt in the image? Answer yes or no."),
        ("unicorn", "Is there a unicorn in the image? Answer yes or no."),
        ("scissors", "Are there scissors in the image? Answer yes or no."),
        ("skis", "Are there skis in the image? Answer yes or no."),
        ("jeans", "Are there jeans in the image? Answer yes or no."),
        ("blue socks", "Are there blue socks in the image? Answer yes or no."),
        ("people", "Are there people in the image? Answer yes or no."),
        ("bus", "Is there a bus in the image? Answer yes or no."),
        ("wine glass", "Is there a wine glass in the image? Answer yes or no."),
        ("thermos", "Is there a thermos in the image? Answer yes or no."),
        ("broccoli", "Is there broccoli in the image? Answer yes or no."),
        ("child's bed", "Is there a child's bed in the image? Answer yes or no."),
    ],
)
def test_the_question(name: str, requested: str) -> None:
    assert question(name) == requested


def test_all_objects_of_the_benchmark() -> None:
    names = {target.name for prompt in build() for target in prompt.targets}
    requested = {name: question(name) for name in names}
    assert len(names) > 140
    plural = {name for name, text in requested.items() if text.startswith("Are there")}
    assert plural == {"jeans", "pants", "shorts", "skis"}
    bare = {name for name, text in requested.items() if text.startswith(f"Is there {name}")}
    assert bare == {"broccoli", "grass"}


def test_all_concepts_that_are_not_counted() -> None:
    for concept in concepts():
        counted = re.match(r"Is there an? ", question(concept.concept)) is not None
        assert counted == concept.countable or concept.concept == "lettuce"


@pytest.mark.parametrize(
    ("name", "text"), [("", "no name"), (" \n", "no name"), ("x" * 201, "201")]
)
def test_what_cannot_be_asked(name: str, text: str) -> None:
    with pytest.raises(BadInput, match=text):
        question(name)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Yes", "yes"),
        ("yes.", "yes"),
        (" YES, there is no doubt", "yes"),
        ('"No"', "no"),
        ("**No**, I see none.", "no"),
        ("No, yes would be wrong", "no"),
        ("", "unknown"),
        ("Maybe", "unknown"),
        ("There is no car.", "unknown"),
        ("Nothing", "unknown"),
        ("Yesterday", "unknown"),
        ("Not sure", "unknown"),
        ("yes or no", "unknown"),
        ("Yes/No", "unknown"),
        ("yes, or no", "unknown"),
    ],
)
def test_what_was_said(text: str, answer: str) -> None:
    assert parse_presence(text) == answer


def test_the_released_question_quotes_the_prompt() -> None:
    form = PresenceQuestion("released", "a  red car\nand a plate")
    text = question("a car", form)
    assert "“a red car and a plate”" in text
    assert "Can the car be seen in it as a distinct object, separate from all others?" in text
    assert text.endswith("Answer yes or no.")
    assert "“" not in question("skis", PresenceQuestion("released"))


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Yes, no doubt", "yes"),
        ("no.", "no"),
        ("Nothing", "no"),
        ("There is no car.", "no"),
        ("The car is there: yes", "yes"),
        ("It may be yes or no", "unknown"),
        ("Maybe", "unknown"),
    ],
)
def test_the_released_code_looks_for_yes_and_no_anywhere(text: str, answer: str) -> None:
    assert parse_presence(text, "released") == answer


def test_what_an_answer_counts_as() -> None:
    for protocol in ("paper", "released", "truehue"):
        assert present("yes", protocol) is True
        assert present("no", protocol) is False
    assert present("unknown", "released") is False
    assert present("unknown", "paper") is None
    assert present("unknown", "truehue") is None
    with pytest.raises(BadInput, match="no protocol 'ours'"):
        present("yes", "ours")
