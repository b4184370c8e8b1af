from __future__ import annotations

import pytest

from truehue.core.concepts.matching import concept_of, concept_of_prompt, normal, similar
from truehue.core.prompts.concepts import build_concepts, concepts


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (" Rotten_Mango ", "rotten mango"),
        ("rotten-mango", "rotten mango"),
        ("ROTTEN\u2010\u00a0mango", "rotten mango"),
        ("rotten \t\n mango", "rotten mango"),
        ("Stra\u00dfe", "strasse"),
        ("cafe\u0301", "caf\u00e9"),
        (" - _ ", ""),
    ],
)
def test_the_normal_form(values: str, expected: str) -> None:
    assert normal(values) == expected
    assert normal(expected) == expected


def test_every_concept_is_found_by_its_words_however_they_are_written() -> None:
    for concept in concepts():
        assert concept_of(concept.words) is concept
        assert concept_of(f" {concept.words.upper().replace(' ', '_')}") is concept
        # Sets keep the normal form and compare it with the words.
        assert normal(concept.words) == concept.words


def test_no_two_concepts_have_the_same_words() -> None:
    assert len({normal(concept.words) for concept in concepts()}) == len(concepts()) == 1279


def test_nothing_is_guessed() -> None:
    for text in ("", "bananas", "a banana", "banan", "justice", "banana rotten"):
        assert concept_of(text) is None


def test_similar_words_are_offered_best_first() -> None:
    assert similar("Bananas")[0] == "banana"
    assert similar("straw-bery")[0] == "strawberry"
    assert len(similar("fresh appel", 2)) == 2
    assert similar("fresh appel")[0] == "fresh apple"
    assert similar("reliability") == ()
    assert similar("") == ()


@pytest.mark.parametrize(
    ("text", "message", "style"),
    [
        ("A natural photo of a lonely cabin, centered composition.", "lonely cabin", "photo"),
        (
            "A clip-art cartoon of an unripe banana, centered composition.",
            "unripe banana",
            "cartoon",
        ),
        ("A natural photo of fresh spinach, centered composition.", "fresh spinach", "photo"),
        ("a lonely cabin", "lonely cabin", "own"),
        ("Lonely cabin.", "lonely cabin", "own"),
        ("A photo of the banana", "banana", "own"),
        ("A natural photo of a banana", "banana", "own"),
    ],
)
def test_a_prompt_names_its_concept(text: str, message: str, style: str) -> None:
    assert concept_of_prompt(text) == (message, style)
    assert concept_of(message) is not None


@pytest.mark.parametrize(
    "text", ["", "a red banana", "a banana on a plate", "a photo of", "two bananas"]
)
def test_another_sentence_names_none(text: str) -> None:
    assert concept_of(concept_of_prompt(text)[0]) is None


def test_every_prompt_of_the_set_names_its_own_concept() -> None:
    for prompt in build_concepts():
        text, style = concept_of_prompt(prompt.text)
        concept = concept_of(text)
        assert concept is not None
        assert f"{concept.id}-{style}" == prompt.id
