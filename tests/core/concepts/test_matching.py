from __future__ import annotations

import pytest

from core.concepts.matching import concept_of, normal, similar
from core.prompts.concepts import concepts


@pytest.mark.parametrize(
    ("given", "expected"),
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
def test_the_normal_form(given: str, expected: str) -> None:
    assert normal(given) == expected
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
    for words in ("", "bananas", "a banana", "banan", "justice", "banana rotten"):
        assert concept_of(words) is None


def test_similar_words_are_offered_best_first() -> None:
    assert similar("Bananas")[0] == "banana"
    assert similar("straw-bery")[0] == "strawberry"
    assert len(similar("fresh appel", 2)) == 2
    assert similar("fresh appel")[0] == "fresh apple"
    assert similar("reliability") == ()
    assert similar("") == ()
