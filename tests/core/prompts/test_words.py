"""Articles that fit, and color names as people write them."""

from __future__ import annotations

import pytest

from truehue.core.color.systems import parse_target, system
from truehue.core.prompts.prompt import article, format_color, with_articles
from truehue.core.prompts.tables import css_spellings


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("apple", "an"),
        ("orange", "an"),
        ("Olive", "an"),
        ("green", "a"),
        ("T-shirt", "a"),
        ("unicorn", "a"),
        ("uniform", "a"),
        ("unripe", "an"),
        ("unmarked", "an"),
        ("used", "a"),
        ("umbrella", "an"),
        ("eucalyptus", "a"),
        ("one-way", "a"),
        ("onion", "an"),
        ("ewe", "a"),
        ("hour", "an"),
        ("honest", "an"),
        ("horse", "a"),
        ("honeydew", "a"),
        ("heir", "an"),
        ("hopeful", "a"),
        ("usual", "a"),
        ("yellow", "a"),
    ],
)
def test_the_article_follows_the_sound(word: str, expected: str) -> None:
    assert article(word) == expected


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ("A orange car", "An orange car"),
        ("An red car beside an banana", "A red car beside a banana"),
        ("A apple in a orange color", "An apple in an orange color"),
        ("A banana and a ivory kite", "A banana and an ivory kite"),
        ("A #FF0000 mug", "A #FF0000 mug"),
        # Words that only hold the letters, and a plain letter at the end.
        ("Panama and a can", "Panama and a can"),
        ("Vitamin A", "Vitamin A"),
    ],
)
def test_every_article_of_a_sentence_is_made_to_fit(values: str, expected: str) -> None:
    assert with_articles(values) == expected


def test_the_words_of_css_are_its_names_with_spaces() -> None:
    text = css_spellings()
    assert list(text) == [color.name for color in system("css").colors]
    assert {name: spaced.replace(" ", "") for name, spaced in text.items()} == {
        name: name for name in text
    }
    # A word of a name is a word of English: names of colors, shades and what they are called for.
    parts = {part for spaced in text.values() for part in spaced.split()}
    assert all(3 <= len(part) <= 10 for part in parts)
    assert not any(
        part.startswith(("dark", "light", "medium", "pale"))
        for part in parts
        - {
            "dark",
            "light",
            "medium",
            "pale",
        }
    )


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("l3:Vivid yellowish green", "vivid yellowish green"),
        ("l2:Pink", "pink"),
        ("css:lightgoldenrodyellow", "light goldenrod yellow"),
        ("css:darkgrey", "dark grey"),
        ("#D51C3C", "#D51C3C"),
    ],
)
def test_a_color_inside_a_sentence(value: str, expected: str) -> None:
    assert format_color(parse_target(value)) == expected
