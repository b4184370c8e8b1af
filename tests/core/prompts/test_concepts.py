"""Concepts, and a prompt for each in two styles."""

from __future__ import annotations

import hashlib
import re
from collections import Counter

import pytest

from truehue.core.prompts.concepts import build_concepts, concepts
from truehue.core.prompts.prompt import prompt_from_json

# SHA-256 over "id<tab>text<newline>": our own, frozen.
CONCEPTS_SILVER = "42d24d174cbd5ca876883e574c8737fece52ef70bd0788f440ab5797ad73516d"
AN_WORDS = {
    "acorn",
    "aloe",
    "ancient",
    "ant",
    "apple",
    "apricot",
    "aquarium",
    "arid",
    "artichoke",
    "autumnal",
    "avocado",
    "egg",
    "eggplant",
    "elephant",
    "ethereal",
    "igloo",
    "island",
    "oak",
    "ocean",
    "olive",
    "onion",
    "oppressive",
    "orange",
    "orchid",
    "overripe",
    "owl",
    "unripe",
}


def moods(name: str) -> str:
    return ", ".join(
        concept.modifier
        for concept in concepts()
        if concept.concept == name and concept.modifier_kind == "emotional"
    )


def test_counts() -> None:
    kinds = Counter(concept.modifier_kind for concept in concepts())
    assert kinds == {"base": 214, "visual state": 931, "emotional": 134}
    assert len(concepts()) == 1_279
    assert len({concept.words for concept in concepts()}) == 1_279
    assert [c.base_id for c in concepts() if not c.modifier] == list(range(1, 215))
    assert len(build_concepts()) == 2_558
    assert Counter(prompt.style for prompt in build_concepts()) == {
        "natural photo": 1_279,
        "clip-art cartoon": 1_279,
    }


def test_the_very_prompts_and_no_others() -> None:
    lines = "".join(f"{prompt.id}\t{prompt.text}\n" for prompt in build_concepts())
    assert hashlib.sha256(lines.encode()).hexdigest() == CONCEPTS_SILVER
    assert len({prompt.id for prompt in build_concepts()}) == 2_558


@pytest.mark.parametrize(
    ("prompt_id", "text"),
    [
        ("concept-0041-photo", "A natural photo of an apple, centered composition."),
        ("concept-0041-fresh-photo", "A natural photo of a fresh apple, centered composition."),
        (
            "concept-0041-unripe-cartoon",
            "A clip-art cartoon of an unripe apple, centered composition.",
        ),
        ("concept-0106-photo", "A natural photo of water, centered composition."),
        ("concept-0078-stale-photo", "A natural photo of stale bread, centered composition."),
        ("concept-0154-cartoon", "A clip-art cartoon of brussels sprouts, centered composition."),
        ("concept-0185-lonely-photo", "A natural photo of a lonely beach, centered composition."),
    ],
)
def test_sentences(prompt_id: str, text: str) -> None:
    (result,) = (prompt for prompt in build_concepts() if prompt.id == prompt_id)
    assert result.text == text


def test_articles_are_right_in_every_sentence() -> None:
    after_a, after_an = set[str](), set[str]()
    for prompt in build_concepts():
        after_a.update(re.findall(r"\b[Aa] (\w+)", prompt.text))
        after_an.update(re.findall(r"\b[Aa]n (\w+)", prompt.text))
        assert re.fullmatch(
            r"A (natural photo|clip-art cartoon) of [a-z ]+, centered composition\.", prompt.text
        )
    assert after_an == AN_WORDS
    assert [word for word in after_a if word[0] in "aeiou"] == []


def test_fields() -> None:
    (result,) = (p for p in build_concepts() if p.id == "concept-0188-lonely-cartoon")
    assert (result.concept, result.modifier, result.modifier_kind) == (
        "forest",
        "lonely",
        "emotional",
    )
    assert (result.category, result.style, result.task) == (
        "Landscapes",
        "clip-art cartoon",
        "concept",
    )
    assert result.source == "concepts"
    assert [(target.name, target.color) for target in result.targets] == [("forest", None)]
    assert prompt_from_json(result.as_json()) == result


def test_moods_belong_to_landscapes_and_buildings() -> None:
    counter = Counter(c.category for c in concepts() if c.modifier_kind == "emotional")
    assert counter == {"Landscapes": 72, "Buildings": 62}
    resources = {c.concept for c in concepts() if c.modifier_kind == "emotional"}
    every = {c.concept for c in concepts() if c.category in ("Landscapes", "Buildings")}
    assert resources == every
    assert moods("beach") == "lonely, oppressive, serene, terrifying, warm"
    assert moods("rainbow") == "hopeful"
    assert moods("waterfall") == "oppressive, terrifying"
    assert moods("cabin") == "somber, terrifying, warm, oppressive, serene, cozy, lonely"
    assert moods("farm") == "hopeful, terrifying, serene, oppressive, cozy"
    # The paper's own examples are among them.
    assert "lonely" in moods("cabin")
    assert "lonely" in moods("forest")
